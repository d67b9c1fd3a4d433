// The factorization sets that the benchmarks list, by dimension and element. Used by bench/peers and
// bench/rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slicepool::bench {

/// Z(element) with respect to `generators`.
struct Instance {
  std::vector<std::uint64_t> generators;
  std::uint64_t element = 0;
};

/// The first `dimension` of 13,37,38,40,41,42,43,44,45. Throws ConfigError (field --instances) unless it is 2
/// to 9.
[[nodiscard]] Instance instanceOf(std::uint64_t dimension, std::uint64_t element);

/// The instances that figures are published for.
[[nodiscard]] std::vector<Instance> publishedInstances();
/// Small ones of low, middle and high dimension, to try a program out.
[[nodiscard]] std::vector<Instance> quickInstances();
/// "9:1500,3:500000" is (d, n) = (9, 1500) and (3, 500000). Throws ConfigError (field --instances).
[[nodiscard]] std::vector<Instance> parseInstances(const std::string& text);

/// "d = 9, n = 1500".
[[nodiscard]] std::string labelOf(const Instance& instance);

/// |Z(element)| by the coin-counting recurrence, exact while it fits 64 bits. O(d element) time, 8 element
/// bytes.
[[nodiscard]] std::uint64_t countByRecurrence(const Instance& instance);

/// Throws LimitError with the numbers when this machine has less memory free than `rows` rows of `rowBytes`
/// bytes: mapped memory is promised here and missed only when it is touched.
void requireMemory(const Instance& instance, std::uint64_t rows, std::uint64_t rowBytes);

}  // namespace slicepool::bench
