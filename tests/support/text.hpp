// What tests ask of messages and of files as text.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace slicepool::test {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// All bytes of a file; none where there is no file.
inline std::string contentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace slicepool::test
