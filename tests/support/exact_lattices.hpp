// Lattices with large norms, whose short vectors are known exactly, and the check that a search finds just
// those within an exact R^2. The bases are reduced here, so that builds without fplll can search them, and
// the oracle is a recursion over intervals in 512 bits whose last word is an exact integer norm. Included by
// unit and GPU tests.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include "slicepool/lattice/enumeration.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

namespace slicepool::test {

using BigInteger = boost::multiprecision::cpp_int;
using BigMatrix = std::vector<std::vector<BigInteger>>;

inline BigInteger dotOf(const std::vector<BigInteger>& a, const std::vector<BigInteger>& b) {
  BigInteger sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Gram-Schmidt data of exact rows in 512 bits, one row after the other.
class WideGramSchmidt {
 public:
  using Real = boost::multiprecision::number<
      boost::multiprecision::cpp_bin_float<512, boost::multiprecision::digit_base_2, void, std::int32_t>,
      boost::multiprecision::et_off>;

  explicit WideGramSchmidt(std::size_t dimension)
      : mu(dimension, std::vector<Real>(dimension)), norms(dimension), r_(mu) {}

  void make(const BigMatrix& rows, std::size_t i) {
    for (std::size_t j = 0; j <= i; ++j) {
      Real sum(dotOf(rows[i], rows[j]).str());
      for (std::size_t k = 0; k < j; ++k) sum -= mu[j][k] * r_[i][k];
      r_[i][j] = sum;
      if (j < i) mu[i][j] = sum / norms[j];
    }
    norms[i] = r_[i][i];
  }

  std::vector<std::vector<Real>> mu;
  std::vector<Real> norms;

 private:
  std::vector<std::vector<Real>> r_;
};

/// LLL with delta = 0.99, by the textbook.
inline void reduceExactly(BigMatrix& rows) {
  using Real = WideGramSchmidt::Real;
  WideGramSchmidt data(rows.size());
  data.make(rows, 0);
  for (std::size_t k = 1; k < rows.size();) {
    data.make(rows, k);
    for (std::size_t j = k; j-- > 0;) {
      const Real nearest = floor(data.mu[k][j] + Real(0.5));
      if (nearest == 0) continue;
      const auto factor = nearest.convert_to<BigInteger>();
      for (std::size_t c = 0; c < rows[k].size(); ++c) rows[k][c] -= factor * rows[j][c];
      for (std::size_t i = 0; i < j; ++i) data.mu[k][i] -= nearest * data.mu[j][i];
      data.mu[k][j] -= nearest;
    }
    data.make(rows, k);
    const Real mu = data.mu[k][k - 1];
    if (data.norms[k] >= (Real(0.99) - mu * mu) * data.norms[k - 1]) {
      ++k;
      continue;
    }
    std::swap(rows[k], rows[k - 1]);
    data.make(rows, k - 1);
    if (k > 1) --k;
  }
}

struct ExactVector {
  BigInteger squaredNorm;
  std::vector<std::int16_t> coefficients;  ///< the last that is not 0 is positive
  std::string text;                        ///< "[1 -2 3]"; the other sign for -v

  /// The order of what is kept: by norm, then by coefficients, the last first.
  friend bool operator<(const ExactVector& a, const ExactVector& b) {
    if (a.squaredNorm != b.squaredNorm) return a.squaredNorm < b.squaredNorm;
    return std::lexicographical_compare(a.coefficients.rbegin(), a.coefficients.rend(),
                                        b.coefficients.rbegin(), b.coefficients.rend());
  }
};

/// All vectors up to sign with a squared norm of at most `most`, sorted.
class ExactOracle {
 public:
  ExactOracle(const BigMatrix& rows, const BigInteger& most)
      : rows_(rows),
        most_(most),
        bound_(Real(most.str()) * (1 + Real("1e-100"))),
        data_(rows.size()),
        x_(rows.size()) {
    for (std::size_t i = 0; i < rows.size(); ++i) data_.make(rows, i);
    descend(rows.size(), 0, true);
    std::sort(vectors.begin(), vectors.end());
  }

  std::vector<ExactVector> vectors;

 private:
  using Real = WideGramSchmidt::Real;

  /// Chooses x_{level-1}.
  void descend(std::size_t level, const Real& above, bool zero) {
    if (level == 0) {
      if (!zero) take();
      return;
    }
    const std::size_t k = level - 1;
    Real centre = 0;
    for (std::size_t j = level; j < rows_.size(); ++j) centre -= Real(x_[j]) * data_.mu[j][k];
    const Real width = sqrt((bound_ - above) / data_.norms[k]);
    const auto first = zero ? 0 : ceil(centre - width).convert_to<int>();
    for (int x = first; x <= floor(centre + width).convert_to<int>(); ++x) {
      const Real norm = above + (x - centre) * (x - centre) * data_.norms[k];
      if (norm > bound_) continue;
      x_[k] = x;
      descend(k, norm, zero && x == 0);
    }
    x_[k] = 0;
  }

  void take() {
    std::vector<BigInteger> vector(rows_[0].size());
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (std::size_t c = 0; c < vector.size(); ++c) vector[c] += rows_[i][c] * x_[i];
    ExactVector found;
    found.squaredNorm = dotOf(vector, vector);
    if (found.squaredNorm > most_) return;
    for (const int x : x_) found.coefficients.push_back(static_cast<std::int16_t>(x));
    for (const auto& element : vector) found.text += (found.text.empty() ? "[" : " ") + element.str();
    found.text += "]";
    vectors.push_back(std::move(found));
  }

  const BigMatrix& rows_;
  const BigInteger& most_;
  Real bound_;
  WideGramSchmidt data_;
  std::vector<int> x_;
};

inline std::string matrixText(const BigMatrix& rows) {
  std::string text = "[";
  for (const auto& row : rows) {
    std::string line;
    for (const auto& entry : row) line += (line.empty() ? "[" : " ") + entry.str();
    text += line + "]\n";
  }
  return text + "]";
}

/// A reduced basis with shortest vectors of squared norms of about 2^bits, and all its short vectors.
struct ExactLattice {
  std::string name;
  BigMatrix rows;
  BigInteger most;                   ///< squared norm up to which `vectors` are all
  std::vector<ExactVector> vectors;  ///< sorted
};

inline BigInteger randomBelow(std::mt19937_64& random, const BigInteger& limit) {
  BigInteger value = 0;
  for (int i = 0; i < 4; ++i) value = (value << 64) + random();
  return value % limit;
}

/// Rows of uniform entries, reduced.
inline BigMatrix uniformRows(std::mt19937_64& random, std::size_t dimension, unsigned bits) {
  const BigInteger limit = BigInteger(1) << (bits / 2);
  BigMatrix rows(dimension, std::vector<BigInteger>(dimension));
  for (auto& row : rows)
    for (auto& entry : row) entry = randomBelow(random, 2 * limit + 1) - limit;
  reduceExactly(rows);
  return rows;
}

/// Half of the rows q e_i, the others with uniform entries modulo q; reduced. Of volume q^(d/2).
inline BigMatrix modularRows(std::mt19937_64& random, std::size_t dimension, unsigned bits) {
  const BigInteger q = (BigInteger(1) << bits) - 1;
  const std::size_t half = (dimension + 1) / 2;
  BigMatrix rows(dimension, std::vector<BigInteger>(dimension));
  for (std::size_t i = 0; i < dimension; ++i) {
    if (i < half) {
      rows[i][i] = q;
      continue;
    }
    for (std::size_t j = 0; j < half; ++j) rows[i][j] = randomBelow(random, q);
    rows[i][i] = 1;
  }
  reduceExactly(rows);
  return rows;
}

/// Rows N e_i with a small last entry: norms N^2 + 0, 1, 4, .., which doubles do not tell apart.
inline BigMatrix nearlyEqualRows(std::mt19937_64& random, std::size_t dimension, unsigned bits) {
  BigMatrix rows(dimension, std::vector<BigInteger>(dimension + 1));
  for (std::size_t i = 0; i < dimension; ++i) {
    rows[i][i] = (BigInteger(1) << (bits / 2)) + 1;
    rows[i][dimension] = random() % 3;
  }
  return rows;
}

/// The number-th lattice of a seed: kinds, dimensions and sizes take turns.
inline ExactLattice exactLattice(std::uint64_t seed, std::size_t number) {
  constexpr unsigned kBits[] = {40, 48, 53, 54, 62, 64, 80, 100, 120};
  constexpr std::size_t kDimensions[] = {2, 3, 5, 8, 12};
  constexpr std::size_t kNearlyEqual[] = {2, 9, 20, 40, 70};
  std::mt19937_64 random(seed + number);
  const unsigned bits = kBits[number % 9];
  const std::size_t choice = number / 3 % 5;
  ExactLattice lattice;
  switch (number % 3) {
    case 0: lattice.rows = uniformRows(random, kDimensions[choice], bits); break;
    case 1: lattice.rows = modularRows(random, kDimensions[choice], bits); break;
    default: lattice.rows = nearlyEqualRows(random, kNearlyEqual[choice], bits); break;
  }
  BigInteger shortest = dotOf(lattice.rows[0], lattice.rows[0]);
  for (const auto& row : lattice.rows) shortest = std::min(shortest, dotOf(row, row));
  lattice.most = number % 3 == 2 ? BigInteger(shortest + 10) : BigInteger(shortest * 3 / 2);
  lattice.vectors = ExactOracle(lattice.rows, lattice.most).vectors;
  std::ostringstream name;
  name << "seed " << seed << ", lattice " << number << ", dimension " << lattice.rows.size() << ", " << bits
       << " bits";
  lattice.name = name.str();
  return lattice;
}

/// Searches one lattice for what is within one R^2, in every way of asking.
class ExactRadiusCheck {
 public:
  ExactRadiusCheck(const ExactLattice& lattice, BigInteger squaredRadius, EngineOptions options,
                   lattice::Algorithm algorithm)
      : options_(std::move(options)) {
    request_.basis = matrixText(lattice.rows);
    request_.reduction = "none";
    request_.squaredRadius = squaredRadius.str();
    request_.algorithm = algorithm;
    for (const auto& vector : lattice.vectors) {
      if (vector.squaredNorm > squaredRadius) break;
      within_.push_back(vector);
      const std::uint64_t hash =
          lattice::vectorHash(vector.coefficients.data(), static_cast<int>(vector.coefficients.size()));
      fingerprint_.sum += hash;
      fingerprint_.exclusiveOr ^= hash;
    }
  }

  /// Returns the nodes of each level at the fixed radius.
  std::vector<std::uint64_t> run() {
    const lattice::Outcome counted = fixed(0);
    CHECK(counted.squaredRadius.text() == request_.squaredRadius.text());
    for (const std::size_t keep : {std::size_t{1}, std::size_t{3}, within_.size() + 2})
      checkKept(fixed(keep), keep);
    checkAll();
    checkFirst();
    checkShrinking();
    return counted.nodesPerLevel;
  }

 private:
  [[nodiscard]] lattice::Outcome outcomeOf(const lattice::Request& request) const {
    lattice::Enumeration enumeration(request, options_);
    enumeration.run();
    return enumeration.outcome();
  }

  lattice::Outcome fixed(std::uint64_t solutions) const {
    lattice::Request request = request_;
    request.fixedRadius = true;
    request.solutions = solutions;
    lattice::Outcome outcome = outcomeOf(request);
    CHECK(outcome.count == within_.size());
    CHECK(outcome.fingerprint == fingerprint_);
    CHECK(outcome.shortestSquaredNorm == (within_.empty() ? "" : within_[0].squaredNorm.str()));
    return outcome;
  }

  void checkKept(const lattice::Outcome& outcome, std::size_t keep) const {
    REQUIRE(outcome.solutions.size() == std::min(keep, within_.size()));
    for (std::size_t i = 0; i < outcome.solutions.size(); ++i) {
      CHECK(outcome.solutions[i].squaredNorm == within_[i].squaredNorm.str());
      CHECK(outcome.solutions[i].coefficients == within_[i].coefficients);
      CHECK(outcome.solutions[i].text == within_[i].text);
    }
  }

  void checkAll() const {
    const TemporaryFolder folder;
    lattice::Request request = request_;
    request.solutions = lattice::kAllSolutions;
    request.outputPath = folder.path("all.txt");
    const lattice::Outcome outcome = outcomeOf(request);
    CHECK(outcome.count == within_.size());
    CHECK(outcome.outputRows == within_.size());
    CHECK(outcome.fingerprint == fingerprint_);
    std::istringstream lines(contentOf(request.outputPath));
    std::multiset<std::string> written;
    for (std::string line; std::getline(lines, line);) written.insert(line);
    std::multiset<std::string> expected;
    for (const auto& vector : within_) expected.insert(vector.text);
    CHECK(written == expected);
  }

  void checkFirst() const {
    lattice::Request request = request_;
    request.first = 2;
    const lattice::Outcome outcome = outcomeOf(request);
    CHECK(outcome.count == std::min<std::size_t>(2, within_.size()));
    CHECK(outcome.solutions.size() == outcome.count);
    const BigInteger longest = within_.empty() ? BigInteger(0) : within_.back().squaredNorm;
    for (const auto& solution : outcome.solutions) CHECK(BigInteger(solution.squaredNorm) <= longest);
  }

  void checkShrinking() const {
    const lattice::Outcome outcome = outcomeOf(request_);
    CHECK(!outcome.fixedRadius);
    CHECK(outcome.shortestSquaredNorm == (within_.empty() ? "" : within_[0].squaredNorm.str()));
    CHECK(outcome.count <= within_.size());
    CHECK((outcome.count == 0) == within_.empty());
    CHECK(outcome.solutions.size() == std::min<std::size_t>(1, within_.size()));
  }

  EngineOptions options_;
  lattice::Request request_;
  std::vector<ExactVector> within_;
  Fingerprint fingerprint_;
};

/// Norms around which R^2 is set: the least, the middle one and the greatest of a lattice.
inline std::vector<BigInteger> targetNorms(const ExactLattice& lattice) {
  const auto& vectors = lattice.vectors;
  const std::set<BigInteger> norms = {vectors.front().squaredNorm, vectors[vectors.size() / 2].squaredNorm,
                                      vectors.back().squaredNorm};
  return {norms.begin(), norms.end()};
}

struct ExactMode {
  const char* name;
  EngineOptions options;
  lattice::Algorithm algorithm = lattice::Algorithm::automatic;
};

/// R^2 = norm - 1, norm and norm + 1 for norms of `count` lattices, in every mode; all modes visit the same
/// nodes.
inline void checkExactRadii(std::uint64_t seed, std::size_t count, const std::vector<ExactMode>& modes) {
  MESSAGE("seed " << seed);
  for (std::size_t number = 0; number < count; ++number) {
    const ExactLattice lattice = exactLattice(seed, number);
    CAPTURE(lattice.name);
    REQUIRE(!lattice.vectors.empty());
    for (const BigInteger& target : targetNorms(lattice)) {
      for (const int more : {-1, 0, 1}) {
        const BigInteger squaredRadius = target + more;
        if (squaredRadius > lattice.most) continue;
        CAPTURE(squaredRadius.str());
        std::vector<std::uint64_t> nodes;
        for (const ExactMode& mode : modes) {
          CAPTURE(std::string(mode.name));
          const auto levels = ExactRadiusCheck(lattice, squaredRadius, mode.options, mode.algorithm).run();
          if (!nodes.empty()) CHECK(levels == nodes);
          nodes = levels;
        }
      }
    }
  }
}

}  // namespace slicepool::test
