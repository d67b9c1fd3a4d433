// See row_check.hpp.
#include "runtime/factorizations/row_check.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>

#include "cpu_workers/core/parallel.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::uint64_t kCheckedTogether = std::uint64_t{1} << 18;

template <class Element>
Element elementAt(const std::byte* row, std::size_t column) {
  Element value;
  std::memcpy(&value, row + column * sizeof(Element), sizeof value);
  return value;
}

template <class Sum, class Element>
bool sumsTo(const std::byte* row, const std::vector<std::uint64_t>& generators, std::uint64_t element) {
  Sum sum = 0;
  for (std::size_t i = 0; i < generators.size(); ++i)
    sum += static_cast<Sum>(elementAt<Element>(row, i)) * generators[i];
  return sum == element;
}

template <class Element>
bool isLess(const std::byte* row, const std::byte* before, std::size_t dimension) {
  for (std::size_t i = 0; i < dimension; ++i) {
    const auto a = elementAt<Element>(row, i);
    const auto b = elementAt<Element>(before, i);
    if (a != b) return a < b;
  }
  return false;
}

std::string rowInBrackets(const std::vector<std::uint64_t>& row) {
  std::string text;
  for (const std::uint64_t a : row) text += (text.empty() ? "(" : ", ") + std::to_string(a);
  return text + ")";
}

/// Whether sums of generators times elements of so many bytes stay below 2^64.
bool sumsAreNarrow(const std::vector<std::uint64_t>& generators, unsigned elementBytes) {
  if (elementBytes > 4) return false;
  unsigned __int128 most = 0;
  for (const std::uint64_t g : generators)
    most += static_cast<unsigned __int128>(g) * ((std::uint64_t{1} << (8 * elementBytes)) - 1);
  return most >> 64 == 0;
}

std::string problemOfRank(const RankIndex& index, const std::vector<std::uint64_t>& row, const Rank& rank) {
  const Rank found = index.rankOf(row);
  return found == rank
             ? ""
             : "the row " + rowInBrackets(row) + " has rank " + found.str() + ", expected " + rank.str();
}

}  // namespace

RowCheck::RowCheck(std::vector<std::uint64_t> generators, std::uint64_t element, unsigned elementBytes)
    : generators_(std::move(generators)),
      element_(element),
      elementBytes_(elementBytes),
      narrow_(sumsAreNarrow(generators_, elementBytes)) {}

std::vector<std::uint64_t> RowCheck::rowAt(const std::byte* rows, std::uint64_t row) const {
  std::vector<std::uint64_t> coordinates(generators_.size());
  const std::byte* from = rows + row * rowBytes();
  for (auto& a : coordinates) {
    std::memcpy(&a, from, elementBytes_);  // little-endian
    from += elementBytes_;
  }
  return coordinates;
}

void RowCheck::skipTo(const std::byte* row, std::uint64_t index) {
  last_ = rowAt(row, 0);
  rows_ = index + 1;
}

void RowCheck::refuse(const std::byte* row, const std::string& what) {
  problem_ = "row " + std::to_string(rows_) + " " + rowInBrackets(rowAt(row, 0)) + " " + what;
}

template <class Element>
void RowCheck::takeAs(const std::byte* rows, std::uint64_t count) {
  std::vector<Element> carried(last_.begin(), last_.end());
  const bool follows = !last_.empty();
  const std::byte* before = reinterpret_cast<const std::byte*>(carried.data());
  const std::byte* row = rows;
  for (std::uint64_t i = 0; i < count; ++i, ++rows_, row += rowBytes()) {
    const bool right = narrow_ ? sumsTo<std::uint64_t, Element>(row, generators_, element_)
                               : sumsTo<unsigned __int128, Element>(row, generators_, element_);
    if (!right) return refuse(row, "is not a factorization of " + std::to_string(element_));
    if ((follows || i != 0) && !isLess<Element>(row, before, generators_.size()))
      return refuse(row, "is not after the row before it");
    before = row;
  }
  if (first_.empty()) first_ = rowAt(rows, 0);
  last_ = rowAt(rows, count - 1);
}

void RowCheck::take(const std::byte* rows, std::uint64_t count) {
  if (count == 0 || !problem_.empty()) return;
  switch (elementBytes_) {
    case 1: return takeAs<std::uint8_t>(rows, count);
    case 2: return takeAs<std::uint16_t>(rows, count);
    case 4: return takeAs<std::uint32_t>(rows, count);
    default: return takeAs<std::uint64_t>(rows, count);
  }
}

std::string rankProblem(const RowCheck& taken, const RankIndex& index, const Rank& firstRank) {
  const std::string problem = problemOfRank(index, taken.first(), firstRank);
  return problem.empty() ? problemOfRank(index, taken.last(), firstRank + (taken.rows() - 1)) : problem;
}

std::string rankProblem(const RowCheck& taken, const Rank& firstRank, std::size_t memoryLimit) {
  if (taken.rows() == 0) return {};
  try {
    return rankProblem(taken, RankIndex(taken.generators(), taken.element(), memoryLimit), firstRank);
  } catch (const LimitError&) {
    return {};  // that they are as many factorizations in order stays checked
  }
}

std::string problemOfRows(const RowCheck& kind, const std::byte* rows, std::uint64_t count,
                          const Rank& firstRank, std::size_t memoryLimit, int threads) {
  if (count == 0) return {};
  std::mutex mutex;
  std::uint64_t firstWrong = count;
  std::string problem;
  inArena(threads, [&] {
    parallelFor(0, count, kCheckedTogether, [&](std::uint64_t begin, std::uint64_t end) {
      const std::uint64_t before = begin == 0 ? 0 : begin - 1;  // the order across two tasks
      RowCheck check = kind;
      check.take(rows + before * kind.rowBytes(), end - before);
      if (check.problem().empty()) return;
      const std::lock_guard lock(mutex);
      if (begin >= firstWrong) return;
      firstWrong = begin;
      problem = check.problem();
      if (before != 0) problem += " (rows counted from row " + std::to_string(before) + ")";
    });
  });
  if (!problem.empty()) return problem;
  RowCheck ends = kind;
  ends.take(rows, 1);
  ends.skipTo(rows + (count - 1) * kind.rowBytes(), count - 1);
  return rankProblem(ends, firstRank, memoryLimit);
}

}  // namespace slicepool::factorizations
