// `slicepool lattice --batch` as tests call it.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "cli/command_runner.hpp"

namespace slicepool::test {

inline void writeText(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

inline CommandResult runBatch(const std::string& file, const std::vector<std::string>& more) {
  std::vector<std::string> words = {"lattice", "--batch", file, "--progress", "none"};
  words.insert(words.end(), more.begin(), more.end());
  return runCommand(words);
}

}  // namespace slicepool::test
