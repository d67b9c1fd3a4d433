// Standard output of the command. See commands.hpp.
#include <cstdio>

#include "runtime/app/cli/commands.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cli {

void writeOut(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0)
    throw LimitError("standard output: could not be written; is the disk full?");
}

}  // namespace slicepool::cli
