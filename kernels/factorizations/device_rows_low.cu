// The kernel of device_rows.hpp for dimensions 3 to 8.
#include "device_rows_kernel.cuh"

namespace slicepool::cuda {

LaunchDeviceRows deviceRowsLow(int dimension) {
  switch (dimension) {
    case 3: return launchDeviceRows<3>;
    case 4: return launchDeviceRows<4>;
    case 5: return launchDeviceRows<5>;
    case 6: return launchDeviceRows<6>;
    case 7: return launchDeviceRows<7>;
    case 8: return launchDeviceRows<8>;
    default: return nullptr;
  }
}

}  // namespace slicepool::cuda
