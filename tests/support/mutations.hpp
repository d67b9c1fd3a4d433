// Bytes that are nearly those of a good file: what a bad disk, a bad editor and a bad person make of one.
// Seeded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace slicepool::test {

class Mutations {
 public:
  explicit Mutations(std::uint64_t seed) : random_(seed) {}

  /// One to four changes of one of the seeds.
  std::string next(const std::vector<std::string>& seeds) {
    std::string text = seeds[below(seeds.size())];
    for (std::size_t changes = 1 + below(4); changes != 0; --changes) change(text, seeds);
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }

  void change(std::string& text, const std::vector<std::string>& seeds) {
    static const std::vector<std::string> kWords = {"0",
                                                    "-1",
                                                    "18446744073709551615",
                                                    "18446744073709551616",
                                                    "9223372036854775808",
                                                    "1e999",
                                                    "-0",
                                                    "NaN",
                                                    "null",
                                                    "true",
                                                    "\"\"",
                                                    "[]",
                                                    "{}",
                                                    "[[[[",
                                                    "\\u0000",
                                                    "\xff\xfe",
                                                    "1.5",
                                                    ",",
                                                    ":",
                                                    "\"",
                                                    "\n",
                                                    " ",
                                                    "/../x"};
    const std::size_t at = below(text.size() + 1);
    const std::size_t rest = text.size() - at;
    const std::size_t length = rest == 0 ? 0 : below(std::min<std::size_t>(rest, 40) + 1);
    switch (below(8)) {
      case 0:
        if (rest != 0) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1: text.resize(at); break;
      case 2: text.erase(at, length); break;
      case 3: text.insert(at, text.substr(at, length)); break;
      case 4: text.insert(at, kWords[below(kWords.size())]); break;
      case 5: text.replace(at, length, kWords[below(kWords.size())]); break;
      case 6: replaceNumber(text, at, kWords[below(7)]); break;
      default: {
        const std::string& other = seeds[below(seeds.size())];
        if (!other.empty()) text.replace(at, length, other.substr(below(other.size()), 1 + below(60)));
      }
    }
  }

  /// The next number behind `at`.
  static void replaceNumber(std::string& text, std::size_t at, const std::string& by) {
    const std::size_t begin = text.find_first_of("0123456789", at);
    if (begin == std::string::npos) return;
    const std::size_t end = text.find_first_not_of("0123456789", begin);
    text.replace(begin, (end == std::string::npos ? text.size() : end) - begin, by);
  }

  std::mt19937_64 random_;
};

}  // namespace slicepool::test
