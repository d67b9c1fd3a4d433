// See text_output.hpp.
#include "runtime/io/text_output.hpp"

#include <cstdio>

#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

[[noreturn]] void failOutput() {
  throw LimitError("standard output: could not be written; is the disk full?");
}

}  // namespace

void writeToStandardOutput(std::span<const char> text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) failOutput();
}

void flushStandardOutput() {
  if (std::fflush(stdout) != 0) failOutput();
}

}  // namespace slicepool
