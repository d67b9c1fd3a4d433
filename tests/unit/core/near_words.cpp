// Counters in front of reduction words: whatever words compete for a place, everything is counted once.
#include "slicepool/detail/near_words.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

using namespace slicepool;

TEST_CASE("words in front of which there are counters have what was counted, after each drain") {
  constexpr std::size_t kWords = 300;
  for (const std::uint32_t size : {0U, 1U, 8U, 64U, 1024U}) {
    CAPTURE(size);
    std::mt19937_64 random(size);
    std::vector<std::uint32_t> memory(std::size_t{2} * size);
    const NearWords near = size == 0 ? NearWords{} : NearWords{memory.data(), memory.data() + size, size};
    std::vector<std::uint64_t> words(kWords, 5);
    std::vector<std::uint64_t> expected = words;
    std::uint64_t inWords = 0;
    for (int drain = 0; drain < 4; ++drain) {
      for (int i = 0; i < 2000; ++i) {
        const std::size_t word = random() % (i % 2 == 0 ? 7 : kWords);
        ++expected[word];
        near.addOne(words.data(), word);
      }
      inWords += words == expected ? 1 : 0;
      for (std::uint32_t first = 0; first < 32; ++first) near.drain(words.data(), first, 32);
      REQUIRE(words == expected);
    }
    CHECK((inWords == 4) == (size == 0));  // before they were drained
  }
}
