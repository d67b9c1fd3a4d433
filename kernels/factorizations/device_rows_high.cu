// The kernel of device_rows.hpp for dimensions 9 to 16.
#include "device_rows_kernel.cuh"

namespace slicepool::cuda {

LaunchDeviceRows deviceRowsHigh(int dimension) {
  switch (dimension) {
    case 9: return launchDeviceRows<9>;
    case 10: return launchDeviceRows<10>;
    case 11: return launchDeviceRows<11>;
    case 12: return launchDeviceRows<12>;
    case 13: return launchDeviceRows<13>;
    case 14: return launchDeviceRows<14>;
    case 15: return launchDeviceRows<15>;
    case 16: return launchDeviceRows<16>;
    default: return nullptr;
  }
}

}  // namespace slicepool::cuda
