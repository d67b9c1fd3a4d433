// See short_rows.hpp.
#include "runtime/svp/short_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "slicepool/core/error.hpp"

namespace slicepool::svp {
namespace {

constexpr double kDelta = 0.99;
/// A coefficient of at most this much is left alone. Above 1/2, so that rounding turns nothing back and
/// forth.
constexpr double kEta = 0.51;
/// Entries beyond this are more than a reduction of short rows comes to.
constexpr double kLongest = 0x1p40;
constexpr double kLongestGiven = 0x1p24;
constexpr int kPasses = 50;  ///< of one row
/// Exchanges of a reduction: some ten for each pair of rows are usual.
constexpr int kLeastMoves = 1000;
constexpr int kMovesOfPair = 100;
constexpr std::size_t kLanes = 8;

[[noreturn]] void failPrecision() {
  throw Error("double precision is not enough for the reduction of a trial");
}

/// Sums in the same order on every machine.
double dot(const double* a, const double* b, std::size_t count) {
  std::array<double, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) sums[k] += a[i + k] * b[i + k];
  double rest = 0;
  for (; i < count; ++i) rest += a[i] * b[i];
  return (((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))) + rest;
}

void addTimes(double* to, const double* from, double times, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] += times * from[i];
}

}  // namespace

bool ShortRows::fits(const lattice::IntegerBasis& basis) {
  const lattice::Integer limit = static_cast<std::int64_t>(kLongestGiven);
  return basis.gram.empty() &&
         std::all_of(basis.entries.begin(), basis.entries.end(),
                     [&](const auto& entry) { return entry < limit && entry > -limit; });
}

ShortRows::ShortRows(const lattice::IntegerBasis& basis)
    : dimension_(basis.dimension),
      columns_(basis.columns),
      stride_((static_cast<std::size_t>(std::max(basis.columns, basis.dimension)) + kLanes - 1) / kLanes *
              kLanes) {
  const auto d = static_cast<std::size_t>(dimension_);
  rows_.resize(d * stride_);
  mu_.resize(d * stride_);
  r_.resize(d * stride_);
  known_.resize(d);
  products_.resize(d * d);
  of_.resize(d * d);
  changes_.assign(d, 1);
  work_.resize(d);
  for (int i = 0; i < dimension_; ++i) {
    places_.push_back(i);
    for (int j = 0; j < columns_; ++j) rows_[at(i, j)] = basis.at(i, j).convert_to<double>();
  }
}

double ShortRows::product(int row, int other) {
  const auto a = static_cast<std::size_t>(places_[static_cast<std::size_t>(row)]);
  const auto b = static_cast<std::size_t>(places_[static_cast<std::size_t>(other)]);
  const std::size_t pair = std::min(a, b) * static_cast<std::size_t>(dimension_) + std::max(a, b);
  const std::uint64_t now = changes_[a] + changes_[b];
  if (of_[pair] != now) {
    of_[pair] = now;
    products_[pair] = dot(entries(row), entries(other), stride_);
  }
  return products_[pair];
}

/// Cholesky's row of the Gram matrix. Rows before it are up to date.
void ShortRows::update(int row) {
  double* const r = r_.data() + at(row, 0);
  double* const mu = mu_.data() + at(row, 0);
  for (int j = known(row); j <= row; ++j) {
    const auto count = static_cast<std::size_t>(j);
    r[j] = product(row, j) - dot(mu_.data() + at(j, 0), r, count);
    if (j < row) mu[j] = r[j] / r_[at(j, j)];
  }
  known(row) = std::max(known(row), row + 1);
  if (!(r[row] > 0)) failPrecision();
}

void ShortRows::changed(int row) {
  ++changes_[static_cast<std::size_t>(places_[static_cast<std::size_t>(row)])];
  known(row) = 0;
}

void ShortRows::add(int row, int other, double times) {
  addTimes(entries(row), entries(other), times, stride_);
}

/// Its b* stays, and so do the coefficients of later rows.
void ShortRows::sizeReduce(int row) {
  const auto count = static_cast<std::size_t>(row);
  for (int pass = 0;; ++pass) {
    update(row);
    const double* const mu = mu_.data() + at(row, 0);
    std::copy(mu, mu + count, work_.begin());
    bool changes = false;
    for (int j = row - 1; j >= 0; --j) {
      const double coefficient = work_[static_cast<std::size_t>(j)];
      if (std::abs(coefficient) <= kEta) continue;
      const double times = -std::rint(coefficient);
      if (!(std::abs(times) < kLongest)) failPrecision();
      addTimes(work_.data(), mu_.data() + at(j, 0), times, static_cast<std::size_t>(j));
      add(row, j, times);
      changes = true;
    }
    if (!changes) return;
    changed(row);
    const double* const now = entries(row);
    if (pass >= kPasses ||
        std::any_of(now, now + columns_, [](double x) { return !(std::abs(x) < kLongest); }))
      failPrecision();
  }
}

/// Rows from `from` on do not know their coefficients from `column` on.
void ShortRows::forget(int from, int column) {
  for (int i = from; i < dimension_; ++i) known(i) = std::min(known(i), column);
}

void ShortRows::move(int from, int to) {
  std::rotate(places_.begin() + to, places_.begin() + from, places_.begin() + from + 1);
  forget(to, to);
}

void ShortRows::reduce(int first, int end) {
  for (int i = 0; i < first; ++i) update(i);
  // Rows that are exchanged for ever are a sign of rounding.
  int moves = kLeastMoves + kMovesOfPair * (end - first) * (end - first);
  for (int row = first; row < end;) {
    sizeReduce(row);
    // |b_row|^2 projected on what is orthogonal to the rows before `to`.
    double projected = norm(row);
    int to = row;
    while (to > first) {
      const double longer = projected + mu(row, to - 1) * r_[at(row, to - 1)];
      if (longer >= kDelta * norm(to - 1)) break;
      projected = longer;
      --to;
    }
    if (to != row) {
      if (--moves < 0) failPrecision();
      move(row, to);
      update(to);
    }
    row = to + 1;
  }
}

void ShortRows::insert(int first, std::vector<std::int64_t> x) {
  // Of the rows with a coefficient of 1 the last one is replaced: it is the longest.
  auto unit = std::find_if(x.rbegin(), x.rend(), [](std::int64_t value) { return std::abs(value) == 1; });
  int last = static_cast<int>(x.rend() - unit) - 1;
  if (unit == x.rend()) {
    // Euclid's algorithm, from the end on; the sum of x_i times row i stays.
    for (std::size_t i = x.size() - 1; i > 0; --i) {
      const int row = first + static_cast<int>(i);
      while (x[i] != 0) {
        const std::int64_t times = x[i - 1] / x[i];
        x[i - 1] -= times * x[i];
        add(row, row - 1, static_cast<double>(times));
        changed(row);
        std::swap(x[i - 1], x[i]);
        std::swap(places_[static_cast<std::size_t>(row)], places_[static_cast<std::size_t>(row) - 1]);
      }
    }
    forget(first, first);
    return;
  }
  const double sign = static_cast<double>(x[static_cast<std::size_t>(last)]);
  for (int i = 0; i < static_cast<int>(x.size()); ++i)
    if (i != last && x[static_cast<std::size_t>(i)] != 0)
      add(first + last, first + i, sign * static_cast<double>(x[static_cast<std::size_t>(i)]));
  changed(first + last);
  move(first + last, first);
}

std::vector<lattice::Integer> ShortRows::row(int place) const {
  std::vector<lattice::Integer> result;
  result.reserve(static_cast<std::size_t>(columns_));
  for (int j = 0; j < columns_; ++j) result.emplace_back(static_cast<std::int64_t>(rows_[at(place, j)]));
  return result;
}

lattice::IntegerBasis ShortRows::basis() const {
  lattice::IntegerBasis basis;
  basis.dimension = dimension_;
  basis.columns = columns_;
  for (int i = 0; i < dimension_; ++i) {
    const std::vector<lattice::Integer> entries = row(i);
    basis.entries.insert(basis.entries.end(), entries.begin(), entries.end());
  }
  return basis;
}

}  // namespace slicepool::svp
