// See file_format.hpp.
#include "runtime/app/report/file_format.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/io/regular_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::report {

bool fileHasFormat(const std::string& path, const std::string& format) {
  constexpr std::uint64_t kHead = 256;
  std::string head;
  try {
    const RegularFile file(path);
    file.read(0, std::min(kHead, file.bytes()), [&](std::span<const std::byte> piece) {
      head.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    });
  } catch (const Error&) {
    return false;
  }
  return head.find("\"format\": \"" + format + "\"") != std::string::npos;
}

}  // namespace slicepool::report
