// The lanes of a warp as arrays of 32 words on the host, for code over `Lanes`
// (slicepool/three_in_line/steps/lane_cells.hpp). Included by unit tests.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "slicepool/detail/lanes.hpp"

namespace slicepool::test {

struct ArrayLanes {
  struct Word {
    std::array<std::uint32_t, kWarpSize> of{};
    Word() = default;
    explicit Word(std::uint32_t value) { of.fill(value); }
    explicit Word(int value) : Word(static_cast<std::uint32_t>(value)) {}

    friend Word operator&(const Word& x, const Word& y) {
      return map([](auto a, auto b) { return a & b; }, x, y);
    }
    friend Word operator|(const Word& x, const Word& y) {
      return map([](auto a, auto b) { return a | b; }, x, y);
    }
    friend Word operator^(const Word& x, const Word& y) {
      return map([](auto a, auto b) { return a ^ b; }, x, y);
    }
    friend Word operator+(const Word& x, const Word& y) {
      return map([](auto a, auto b) { return a + b; }, x, y);
    }
    friend Word operator-(const Word& x, const Word& y) {
      return map([](auto a, auto b) { return a - b; }, x, y);
    }
    friend Word operator*(const Word& x, const Word& y) {
      return map([](auto a, auto b) { return a * b; }, x, y);
    }
    friend Word operator<<(const Word& x, const Word& y) {
      return map([](auto a, auto b) { return a << b; }, x, y);
    }
    friend Word operator>>(const Word& x, const Word& y) {
      return map([](auto a, auto b) { return a >> b; }, x, y);
    }
    friend Word operator<<(const Word& x, int by) { return x << Word(by); }
    friend Word operator>>(const Word& x, int by) { return x >> Word(by); }
    friend Word operator~(const Word& x) {
      return map([](auto a) { return ~a; }, x);
    }
  };

  /// f of each lane's words.
  template <class F, class... Words>
  static Word map(F f, const Words&... words) {
    Word result;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) result.of[lane] = f(words.of[lane]...);
    return result;
  }
  static Word lane() {
    Word result;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) result.of[lane] = static_cast<std::uint32_t>(lane);
    return result;
  }
  static Word member(std::uint32_t mask) {
    return map([mask](std::uint32_t lane) { return mask >> lane & 1U; }, lane());
  }
  static Word choose(const Word& condition, const Word& yes, const Word& no) {
    return map([](auto c, auto y, auto n) { return c != 0 ? y : n; }, condition, yes, no);
  }
  static std::uint32_t ballot(const Word& word) {
    std::uint32_t votes = 0;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane) votes |= (word.of[lane] != 0 ? 1U : 0U) << lane;
    return votes;
  }
  static bool any(const Word& word) { return ballot(word) != 0; }
  static std::uint32_t least(const Word& word) { return *std::min_element(word.of.begin(), word.of.end()); }
  static std::uint32_t broadcast(const Word& word, int lane) {
    return word.of[static_cast<std::size_t>(lane)];
  }
  static Word exchange(const Word& word, int distance) {
    return map([&](std::uint32_t lane) { return word.of[lane ^ static_cast<std::uint32_t>(distance)]; },
               lane());
  }
  static Word leadingZeros(const Word& word) {
    return map([](std::uint32_t x) { return static_cast<std::uint32_t>(__builtin_clz(x)); }, word);
  }
  static Word rotateLeft(const Word& word, const Word& by) {
    return map([](std::uint32_t x, std::uint32_t s) { return x << s | x >> (32 - s); }, word, by);
  }
  template <class T>
  static Word read(const T* from, const Word& places) {
    return map([from](std::uint32_t place) { return static_cast<std::uint32_t>(from[place]); }, places);
  }
  static Word readTable(const std::uint32_t* from, const Word& places) { return read(from, places); }
  template <class T>
  static void write(T* to, const Word& places, const Word& values, const Word& condition) {
    for (std::size_t lane = 0; lane < kWarpSize; ++lane)
      if (condition.of[lane] != 0) to[places.of[lane]] = static_cast<T>(values.of[lane]);
  }
  static void sync() {}
};

}  // namespace slicepool::test
