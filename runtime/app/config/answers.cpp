// See answers.hpp.
#include "runtime/app/config/answers.hpp"

#include <fmt/format.h>

namespace slicepool::config {

std::string outputText(const std::string& path, std::uint64_t bytes) {
  return fmt::format("{} ({} bytes)", path == "-" ? "standard output" : path, bytes);
}

}  // namespace slicepool::config
