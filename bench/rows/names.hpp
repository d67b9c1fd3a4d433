// Names of measurements, as relations refer to them and as records and tables show them.
#pragma once

#include <string>

#include <fmt/format.h>

namespace slicepool::bench::names {

inline constexpr const char* kTouched = "touched";  ///< memory that was written before
inline constexpr const char* kFresh = "fresh";  ///< a new mapping, huge pages advised, as RowMatrix makes it
inline constexpr const char* kPinned = "pinned";  ///< cudaHostAlloc, written before

inline constexpr const char* kPeer = "plain recursion, touched, 1 thread";
inline constexpr const char* kDeviceFill = "device fill";
inline constexpr const char* kRowsOnDevice = "rows gpu, device memory";
inline constexpr const char* kPinnedCopy = "device to pinned copy";

inline std::string threads(int count) { return fmt::format("{} thread{}", count, count == 1 ? "" : "s"); }
inline std::string memset(const char* memory, int count) {
  return fmt::format("memset, {}, {}", memory, threads(count));
}
/// By stores that pass the caches by, as those of rows.
inline std::string streamedFill(const char* memory, int count) {
  return fmt::format("streamed fill, {}, {}", memory, threads(count));
}
/// `count` 0: not said (a GPU alone).
inline std::string rows(const char* mode, const char* memory, int count) {
  return fmt::format("rows {}, {}{}", mode, memory, count == 0 ? "" : ", " + threads(count));
}
inline std::string reduction(const std::string& what, const std::string& mode, int count) {
  return fmt::format("{}, {}{}", what, mode, mode == "gpu" ? "" : ", " + threads(count));
}

}  // namespace slicepool::bench::names
