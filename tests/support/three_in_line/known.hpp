// Published numbers of no-three-in-line: A000769 (up to symmetry), A000755 (in total), and Flammenkamp's
// numbers by symmetry class. Included by CLI tests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace slicepool::test {

struct KnownThreeInLine {
  int size;
  std::uint64_t count, total;
  std::array<std::uint64_t, 8> classes;  ///< iden rot2 dia1 ort1 rot4 dia2 ort2 full
};

inline const std::vector<KnownThreeInLine> kThreeInLine = {
    {2, 1, 1, {0, 0, 0, 0, 0, 0, 0, 1}},          {3, 1, 2, {0, 0, 0, 0, 0, 1, 0, 0}},
    {4, 4, 11, {0, 1, 0, 1, 0, 1, 0, 1}},         {5, 5, 32, {3, 0, 2, 0, 0, 0, 0, 0}},
    {6, 11, 50, {4, 2, 0, 0, 3, 2, 0, 0}},        {7, 22, 132, {11, 10, 1, 0, 0, 0, 0, 0}},
    {8, 57, 380, {40, 7, 5, 1, 4, 0, 0, 0}},      {9, 51, 368, {41, 7, 3, 0, 0, 0, 0, 0}},
    {10, 156, 1135, {132, 13, 3, 0, 6, 1, 0, 1}}, {11, 158, 1120, {122, 30, 6, 0, 0, 0, 0, 0}},
    {12, 566, 4348, {524, 33, 3, 0, 4, 2, 0, 0}}, {13, 499, 3622, {407, 82, 9, 0, 0, 1, 0, 0}}};

/// rot4 for even sizes.
inline const std::vector<std::pair<int, std::uint64_t>> kFourfoldRotation = {
    {6, 3}, {8, 4}, {10, 6}, {12, 4}, {14, 13}, {16, 13}, {18, 7}, {20, 16}, {22, 8}};

inline nlohmann::json classesJson(const KnownThreeInLine& known) {
  constexpr std::array<const char*, 8> kNames = {"iden", "rot2", "dia1", "ort1",
                                                 "rot4", "dia2", "ort2", "full"};
  nlohmann::json classes;
  for (std::size_t i = 0; i < kNames.size(); ++i) classes[kNames.at(i)] = known.classes.at(i);
  return classes;
}

inline nlohmann::json orbitsJson(const KnownThreeInLine& known) {
  const auto& c = known.classes;
  return {{"1", c[7]}, {"2", c[4] + c[5] + c[6]}, {"4", c[1] + c[2] + c[3]}, {"8", c[0]}};
}

}  // namespace slicepool::test
