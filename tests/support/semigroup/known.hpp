// Known semigroups. Sizes by formula: full n^n, symmetric n!, order-preserving C(2n-1, n), catalan the
// Catalan numbers, renner the rook numbers; bihecke and everything else from libsemigroups and GAP ("as
// given": with the identity as a further generator `id`, or without). The stages of bihecke:5 are those of
// "Combinatorics using GPUs", V, table 1, with three misprints corrected.
#pragma once

#include <cstdint>
#include <vector>

namespace slicepool::test {

/// How the number of rules was counted, and what it becomes with the identity as the empty word.
enum class Counted : std::uint8_t {
  emptyWord,        ///< as here
  extraGenerator,   ///< identity as one more generator than here: 2 g + 1 rules more, g generators here
  firstGenerator,   ///< the identity is a generator here too: 2 (g - 1) rules more
  swapSwap,         ///< no identity; it is the word 00, and 2 rules (symmetric) come or go with it
  swapSwapAndPoint  ///< the same for full: 3 rules
};

struct KnownSemigroup {
  const char* name;
  std::uint64_t size;
  std::uint64_t rules;
  Counted counted;
  std::uint64_t idempotents;  ///< with the identity
  std::uint32_t lastStage;

  /// With the identity as the empty word.
  [[nodiscard]] std::uint64_t rulesHere(std::uint64_t generators) const {
    switch (counted) {
      case Counted::extraGenerator: return rules - (2 * generators + 1);
      case Counted::firstGenerator: return rules - 2 * (generators - 1);
      case Counted::swapSwap: return rules - 2;
      case Counted::swapSwapAndPoint: return rules - 3;
      case Counted::emptyWord: break;
    }
    return rules;
  }
};

inline const std::vector<KnownSemigroup> kSmallSemigroups = {
    {"bihecke:3", 23, 35, Counted::extraGenerator, 19, 3},
    {"bihecke:4", 477, 281, Counted::extraGenerator, 251, 8},
    {"bihecke:5", 31103, 8289, Counted::extraGenerator, 7859, 17},
    {"renner:3", 34, 18, Counted::extraGenerator, 8, 7},
    {"renner:4", 209, 34, Counted::extraGenerator, 16, 12},
    {"renner:5", 1546, 71, Counted::extraGenerator, 32, 19},
    {"renner:6", 13327, 207, Counted::extraGenerator, 64, 27},
    {"full:4", 256, 82, Counted::swapSwapAndPoint, 41, 9},
    {"full:5", 3125, 704, Counted::swapSwapAndPoint, 196, 16},
    {"full:6", 46656, 6914, Counted::swapSwapAndPoint, 1057, 24},
    {"symmetric:8", 40320, 1569, Counted::swapSwap, 1, 35},
    {"order-preserving:8", 6435, 1697, Counted::firstGenerator, 987, 16},
    {"order-preserving:10", 92378, 17299, Counted::firstGenerator, 6765, 25},
    {"catalan:8", 1430, 79, Counted::firstGenerator, 128, 16},
    {"catalan:12", 208012, 189, Counted::firstGenerator, 2048, 36}};

inline const std::vector<KnownSemigroup> kLargeSemigroups = {
    {"renner:7", 130922, 931, Counted::emptyWord, 128, 37},
    {"bihecke:6", 7505009, 1054835, Counted::emptyWord, 696739, 29},
    {"full:8", 16777216, 1368617, Counted::swapSwapAndPoint, 41393, 44},
    {"symmetric:10", 3628800, 85820, Counted::swapSwap, 1, 58}};

inline const std::vector<std::uint64_t> kStagesBihecke5 = {
    1, 8, 36, 126, 356, 860, 1764, 3054, 4594, 5714, 5778, 4118, 2678, 1358, 486, 136, 28, 8};
inline const std::vector<std::uint64_t> kStagesBihecke6 = {
    1,      10,     56,     240,    850,    2634,   7270,   17988,  40490,  83056,
    155954, 267608, 420324, 603742, 784768, 918632, 959976, 911634, 779766, 600934,
    415580, 260062, 146798, 74024,  33444,  13184,  4438,   1234,   280,    32};
inline const std::vector<std::uint64_t> kStagesRenner6 = {
    1,    6,    20,   50,  103, 185, 299, 443, 609, 784, 951, 1091, 1188, 1229,
    1210, 1134, 1011, 856, 688, 523, 375, 252, 156, 89,  45,  20,   7,    2};

}  // namespace slicepool::test
