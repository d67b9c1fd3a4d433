// Seeded damage to files, and folders as maps from names to bytes: what the tests of everything that is read
// back do to it. Included by unit and CLI tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "support/text.hpp"

namespace slicepool::test {

using Files = std::map<std::string, std::string>;

inline Files filesIn(const std::filesystem::path& folder) {
  Files files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files[entry.path().filename().string()] = contentOf(entry.path().string());
  return files;
}

inline void writeFile(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// The folder has exactly these files.
inline void makeFolder(const std::filesystem::path& folder, const Files& files) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const auto& [name, bytes] : files) writeFile(folder / name, bytes);
}

/// Calls `each` with what becomes of `bytes` by one change, and a word on it: every `step`-th byte with a
/// flipped bit, a changed digit where it is one, every `step`-th length, bytes appended.
inline void forEachDamage(const std::string& bytes, std::size_t step, std::uint64_t seed,
                          const std::function<void(const std::string&, const std::string&)>& each) {
  std::mt19937_64 random(seed);
  for (std::size_t at = random() % step; at < bytes.size(); at += step) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ (1 << random() % 8));
    each(changed, "bit at " + std::to_string(at));
    if (bytes[at] < '0' || bytes[at] > '9') continue;
    changed[at] = static_cast<char>('0' + (bytes[at] - '0' + 1 + static_cast<int>(random() % 9)) % 10);
    each(changed, "digit at " + std::to_string(at));
  }
  for (std::size_t length = random() % step; length < bytes.size(); length += step)
    each(bytes.substr(0, length), "cut to " + std::to_string(length));
  for (const char* tail : {"\n", " ", "}", "0", "{}", "garbage"}) each(bytes + tail, "something appended");
  each(bytes + bytes, "doubled");
}

}  // namespace slicepool::test
