// An independent source of truth for ranks of any width: counts of every suffix by the recurrence in
// arbitrary precision, and a rank as a plain sum over all greater values of every coordinate.
#pragma once

#include <cstdint>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

namespace slicepool::test {

using WideNumber = boost::multiprecision::cpp_int;

class WideOracle {
 public:
  using Vector = std::vector<std::uint64_t>;

  WideOracle(Vector generators, std::uint64_t element)
      : generators_(std::move(generators)), element_(element) {
    counts_.assign(generators_.size() + 1, std::vector<WideNumber>(element + 1));
    counts_.back()[0] = 1;
    for (std::size_t k = generators_.size(); k-- > 0;) {
      for (std::uint64_t m = 0; m <= element; ++m) {
        counts_[k][m] = counts_[k + 1][m];
        if (m >= generators_[k]) counts_[k][m] += counts_[k][m - generators_[k]];
      }
    }
  }

  [[nodiscard]] const WideNumber& total() const { return counts_[0][element_]; }

  [[nodiscard]] WideNumber rankOf(const Vector& row) const {
    WideNumber rank = 0;
    std::uint64_t residual = element_;
    for (std::size_t k = 0; k < row.size(); ++k) {
      for (std::uint64_t t = row[k] + 1; t <= residual / generators_[k]; ++t)
        rank += counts_[k + 1][residual - t * generators_[k]];
      residual -= row[k] * generators_[k];
    }
    return rank;
  }

  /// By walking down from the greatest value of each coordinate.
  [[nodiscard]] Vector rowAt(WideNumber rank) const {
    Vector row;
    std::uint64_t residual = element_;
    for (std::size_t k = 0; k < generators_.size(); ++k) {
      std::uint64_t t = residual / generators_[k];
      while (counts_[k + 1][residual - t * generators_[k]] <= rank) {
        rank -= counts_[k + 1][residual - t * generators_[k]];
        --t;
      }
      row.push_back(t);
      residual -= t * generators_[k];
    }
    return row;
  }

  [[nodiscard]] std::vector<Vector> rows(const WideNumber& begin, std::uint64_t count) const {
    std::vector<Vector> all;
    for (std::uint64_t i = 0; i < count; ++i) all.push_back(rowAt(begin + i));
    return all;
  }

 private:
  Vector generators_;
  std::uint64_t element_;
  std::vector<std::vector<WideNumber>> counts_;
};

/// 13 generators, more than 2^64 factorizations at 4000.
inline const std::vector<std::uint64_t> kBeyond64 = {3, 5, 7, 8, 11, 13, 17, 19, 20, 21, 23, 25, 27};
/// 20 generators, more than 2^128 factorizations at 10000.
inline const std::vector<std::uint64_t> kBeyond128 = {20, 19, 18, 17, 16, 15, 14, 13, 12, 11,
                                                      10, 9,  8,  7,  6,  5,  4,  3,  2,  1};

}  // namespace slicepool::test
