// libFuzzer on fuzz::latticeLine. Built with -DSLICEPOOL_BUILD_FUZZERS=ON; see tests/CMakeLists.txt.
#include "support/fuzz_targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  slicepool::fuzz::latticeLine({reinterpret_cast<const char*>(data), size});
  return 0;
}
