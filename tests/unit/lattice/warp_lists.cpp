// Where the coefficients of paths lie in the lists of the lattice search by warps.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "slicepool/lattice/steps/warp_lists.hpp"

using namespace slicepool;
using namespace slicepool::lattice;

TEST_CASE("lattice warps: packed numbers come back") {
  const auto check = [](auto pack, int most) {
    using Pack = decltype(pack);
    FourWords four{{Pack::kZeros, Pack::kZeros, Pack::kZeros, Pack::kZeros}};
    CHECK(Pack::template unpack<0>(four.word[3]) == 0);
    constexpr int kLast = Pack::kPerWord - 1;
    for (const int value : {-most, -1, 0, 1, most}) {
      CHECK(Pack::load(Pack::store(value, kLast), kLast) == value);
      Pack::insert(four, Pack::kPerWord + 1, value);
      CHECK(Pack::template unpack<1>(four.word[1]) == value);
      CHECK(Pack::template unpack<0>(four.word[1]) == 0);
    }
  };
  check(Packing<4>{}, 7);
  check(Packing<5>{}, 15);
  check(Packing<8>{}, 127);
  check(Packing<16>{}, 32767);
}

TEST_CASE("lattice warps: every coefficient of a path has a place of its own") {
  const auto check = [](auto layout, int narrow) {
    INFO("narrow " << narrow);
    layout.narrow = narrow;
    int fours = 0;
    int room = 0;
    for (int count = 0; count < 200; ++count) {
      CHECK(layout.foursBelow(count) == fours);
      CHECK(layout.roomBelow(count) == room);
      const int held = layout.foursOf(count);
      CHECK(layout.firstOf(held) >= count);
      CHECK(layout.roomOf(count) >= count);
      CHECK(layout.roomOf(count) < count + layout.kTogether);
      if (held > 0) CHECK(layout.firstOf(held - 1) < count);
      CHECK(held <= decltype(layout)::mostFours(count));
      fours += held;
      room += layout.roomOf(count);
    }
  };
  check(ShortestPaths{}, 0);
  check(ShortPaths{}, 0);
  check(BytePaths{}, 0);
  for (const int narrow : {0, 16, 48, 144}) check(LongPaths{}, narrow);
}

TEST_CASE("lattice warps: lists give back the coefficients that they were given") {
  for (const int narrow : {0, 16, 32, 64}) {
    WarpLists<LongPaths> lists{};
    lists.shape(70, narrow);
    std::vector<FourWords> memory(lists.memoryBytes() / sizeof(FourWords) + 1);
    lists.memory = reinterpret_cast<std::byte*>(memory.data());
    const auto value = [&](int depth, int place, int at) {
      const int mixed = (depth * 31 + place * 17 + at * 7) % 200 - 100;
      return at < narrow ? mixed : 100 * mixed;
    };
    for (int depth = 0; depth < 70; ++depth)
      for (const int place : {0, 1, 31, 63})
        for (int w = 0; w < 4 * lists.layout.foursOf(depth); ++w)
          lists.setWord(depth, place, w / 4, w % 4,
                        lists.layout.wordOf(w / 4, w % 4, [&](int i) { return value(depth, place, i); }));
    int wrong = 0;
    for (int depth = 0; depth < 70; ++depth)
      for (const int place : {0, 1, 31, 63})
        for (int i = 0; i < depth; ++i)
          wrong += lists.coefficient(depth, place, i) == value(depth, place, i) ? 0 : 1;
    CHECK(wrong == 0);
  }
}
