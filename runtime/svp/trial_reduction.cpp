// See trial_reduction.hpp.
#include "runtime/svp/trial_reduction.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/lattice/gram_reduction.hpp"
#include "runtime/lattice/mersenne_field.hpp"
#include "runtime/lattice/reduction.hpp"
#include "runtime/svp/block_enumerator.hpp"
#include "runtime/svp/block_strategy.hpp"
#include "runtime/svp/block_tours.hpp"
#include "runtime/svp/short_rows.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/svp/enumeration.hpp"

#ifdef SLICEPOOL_HAVE_FPLLL
#include "runtime/lattice/fplll_matrix.hpp"
#include "runtime/lattice/strategies.hpp"
#endif

namespace slicepool::svp {

Tours toursTo(int blockSize, int dimension) {
  const int last = std::min(blockSize, dimension);
  Tours tours;
  for (int size = 20; size < last; size += 10) tours.push_back(size);
  if (last >= 2) tours.push_back(last);
  return tours;
}

int standardBlockSize(int dimension) {
  int size = dimension * 6 / 10 + std::max(0, dimension - 80) * 3 / 10;
  // fplll prepares blocks of 57 to 60 rows by the same tours, and those of 60 take no longer.
  if (size >= 56 && size < 60) size = 60;
  constexpr int kMaximumStandard = 75;  // beyond, tours take too long
  return std::clamp(size, std::min(dimension, 20), std::min(dimension, kMaximumStandard));
}

#ifdef SLICEPOOL_HAVE_FPLLL

/// What fplll reduces. Impl, which is no name of this file alone, has two of them.
template <class Z>
struct ReducedRows {
  fplll::ZZ_mat<Z> vectors;  ///< the rows; with a Gram matrix: what they are in those of the start
  fplll::ZZ_mat<Z> gram;     ///< d * d, below the diagonal; or empty
};

namespace {

using lattice::Integer;
using lattice::IntegerBasis;

/// Entries below this stay far within 64 bits, in Gram matrices as well, while rows are added to each other.
constexpr long kNarrow = 1L << 24;
/// The same for a Gram matrix that is given; coefficients over a reduced start are small.
constexpr long kNarrowGram = 1L << 40;
/// Rows that are added to each row of a trial.
constexpr int kDensity = 3;

/// Numbers that are the same on every machine and in every library.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t number) : state_(mixed(mixed(seed) ^ number)) {}
  /// 0 .. bound - 1. The bias, of bound / 2^64, is of no concern.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
  bool coin() { return (next() >> 63) != 0; }

 private:
  static std::uint64_t mixed(std::uint64_t z) {  // splitmix64
    z += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t next() { return state_ = mixed(state_); }
  std::uint64_t state_;
};

bool isNarrow(const IntegerBasis& basis) {
  const auto below = [](const std::vector<Integer>& entries, long limit) {
    return std::all_of(entries.begin(), entries.end(),
                       [limit](const Integer& entry) { return entry < limit && entry > -limit; });
  };
  return basis.gram.empty() ? below(basis.entries, kNarrow) : below(basis.gram, kNarrowGram);
}

template <class Z>
fplll::ZZ_mat<Z> matrixOf(const IntegerBasis& basis) {
  if constexpr (std::is_same_v<Z, mpz_t>) {
    return lattice::toMatrix(basis);
  } else {
    fplll::ZZ_mat<Z> matrix(basis.dimension, basis.columns);
    for (int i = 0; i < basis.dimension; ++i)
      for (int j = 0; j < basis.columns; ++j) matrix(i, j) = basis.at(i, j).convert_to<long>();
    return matrix;
  }
}

template <class Z>
IntegerBasis basisOf(const fplll::ZZ_mat<Z>& matrix) {
  if constexpr (std::is_same_v<Z, mpz_t>) {
    return lattice::toBasis(matrix);
  } else {
    IntegerBasis basis;
    basis.dimension = matrix.get_rows();
    basis.columns = matrix.get_cols();
    basis.entries.reserve(static_cast<std::size_t>(basis.dimension) *
                          static_cast<std::size_t>(basis.columns));
    for (int i = 0; i < basis.dimension; ++i)
      for (int j = 0; j < basis.columns; ++j) basis.entries.emplace_back(matrix(i, j).get_si());
    return basis;
  }
}

/// <b_i, b_j> of the rows x, where `start` has them of the rows that x is written in.
template <class Z>
fplll::ZZ_mat<Z> gramOf(const fplll::ZZ_mat<Z>& x, const fplll::ZZ_mat<Z>& start) {
  const int d = x.get_rows();
  fplll::ZZ_mat<Z> half(d, d);  // start * x^t
  fplll::ZZ_mat<Z> gram(d, d);
  half.fill(0L);  // numbers of machine integers are what memory has
  gram.fill(0L);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j)
      for (int k = 0; k < d; ++k) half(i, j).addmul(start(i, k), x(j, k));
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j)
      for (int k = 0; k < d; ++k) gram(i, j).addmul(x(i, k), half(k, j));
  return gram;
}

template <class Z>
void rerandomise(fplll::ZZ_mat<Z>& matrix, Draws draws) {
  const auto d = static_cast<std::size_t>(matrix.get_rows());
  for (std::size_t i = d; i-- > 2;)
    matrix.swap_rows(static_cast<int>(i), static_cast<int>(1 + draws.below(i)));
  for (std::size_t i = 1; i + 1 < d; ++i) {
    for (int k = 0; k < kDensity; ++k) {
      const std::size_t other = i + 1 + draws.below(d - i - 1);
      if (draws.coin())
        matrix[static_cast<int>(i)].add(matrix[static_cast<int>(other)]);
      else
        matrix[static_cast<int>(i)].sub(matrix[static_cast<int>(other)]);
    }
  }
}

void requireLll(int status) {
  if (status != fplll::RED_SUCCESS)
    throw Error(fmt::format("LLL reduction by fplll failed: {}", fplll::get_red_status_str(status)));
}

/// Inner products as doubles where entries are short enough for them to be exact or nearly so, which takes
/// less time. As long integers elsewhere.
template <class Z>
constexpr int kGramKind = std::is_same_v<Z, mpz_t> ? fplll::GSO_INT_GRAM : fplll::GSO_DEFAULT;

/// LLL, then the tours, block by block so that it can be stopped within one. fplll's own loop would
/// rerandomise blocks until it is sure of them, by a generator that all threads share; a trial takes what one
/// pruned search of each block gives.
template <class Z, class F>
class Reduction {
 public:
  explicit Reduction(ReducedRows<Z>& rows)
      : rows_(rows),
        gsoOwner_(gsoOf()),
        gso_(*gsoOwner_),
        lll_(gso_, fplll::LLL_DEF_DELTA, fplll::LLL_DEF_ETA, fplll::LLL_DEFAULT) {}

  /// False: stopped.
  template <class Seen>
  bool run(const Tours& tours, const StopRequest& stop, const Seen& seen) {
    reduce();
    for (const int size : tours) {
      if (!tour(size, stop)) return false;
      seen(rows_);
    }
    reduce();
    return true;
  }

  /// The Gram-Schmidt data of the rows.
  void describe(ReducedBasis& result) {
    const int d = rows_.vectors.get_rows();
    gso_.update_gso();
    F value;
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j < d; ++j) result.mu.push_back(j < i ? gso_.get_mu(value, i, j).get_d() : 0);
      result.norms.push_back(gso_.get_r(value, i, i).get_d());
    }
  }

 private:
  using Gso = fplll::MatGSOInterface<fplll::Z_NR<Z>, F>;

  std::unique_ptr<Gso> gsoOf() {
    if (rows_.gram.get_rows() == 0) {
      return std::make_unique<fplll::MatGSO<fplll::Z_NR<Z>, F>>(rows_.vectors, none_, noneInverse_,
                                                                kGramKind<Z>);
    }
    return std::make_unique<fplll::MatGSOGram<fplll::Z_NR<Z>, F>>(rows_.gram, rows_.vectors, noneInverse_,
                                                                  fplll::GSO_INT_GRAM);
  }

  void reduce() {
    lll_.lll();
    svp::requireLll(lll_.status);
  }

  bool tour(int size, const StopRequest& stop) {
    constexpr int kFlags = fplll::BKZ_NO_LLL | fplll::BKZ_GH_BND | fplll::BKZ_BOUNDED_LLL;
    fplll::BKZParam parameters(size, lattice::strategies(size), fplll::LLL_DEF_DELTA, kFlags, 0, 0, 1.0, 5,
                               fplll::BKZ_DEF_GH_FACTOR, kOnePass);
    fplll::BKZReduction<fplll::Z_NR<Z>, F> bkz(gso_, lll_, parameters);
    const int d = rows_.vectors.get_rows();
    for (int kappa = 0; kappa + 1 < d; ++kappa) {
      if (stop && stop()) return false;
      bkz.svp_reduction(kappa, std::min(size, d - kappa), parameters);
    }
    return true;
  }

  static constexpr double kOnePass = 1e-9;  ///< the least success probability that is asked for

  ReducedRows<Z>& rows_;
  fplll::ZZ_mat<Z> none_;
  fplll::ZZ_mat<Z> noneInverse_;
  std::unique_ptr<Gso> gsoOwner_;
  Gso& gso_;
  fplll::LLLReduction<fplll::Z_NR<Z>, F> lll_;
};

/// The rows as vectors, in the coordinates of the start.
template <class Z>
IntegerBasis resultOf(const ReducedRows<Z>& rows, const IntegerBasis& start) {
  IntegerBasis basis = basisOf(rows.vectors);
  if (start.gram.empty()) return basis;
  return lattice::transformed(basis, start);
}

}  // namespace

class TrialReduction::Impl {
 public:
  explicit Impl(const IntegerBasis& start) : start_(start), narrow_(isNarrow(start)) {
    if (narrow_)
      narrowStart_ = rowsOf<long>(start);
    else
      wideStart_ = rowsOf<mpz_t>(start);
  }

  template <class Change>
  std::unique_ptr<ReducedBasis> make(const Tours& tours, const StopRequest& stop, const RowSeen& seen,
                                     const Change& change) const {
    return narrow_ ? makeFrom(narrowStart_, tours, stop, seen, change)
                   : makeFrom(wideStart_, tours, stop, seen, change);
  }

 private:
  template <class Z>
  static ReducedRows<Z> rowsOf(const IntegerBasis& start) {
    if (start.gram.empty()) return {matrixOf<Z>(start), {}};
    IntegerBasis form;
    form.dimension = form.columns = start.dimension;
    form.entries = start.gram;
    ReducedRows<Z> rows{fplll::ZZ_mat<Z>(start.dimension, start.dimension), matrixOf<Z>(form)};
    rows.vectors.gen_identity(start.dimension);
    return rows;
  }

  template <class Z, class Change>
  std::unique_ptr<ReducedBasis> makeFrom(const ReducedRows<Z>& start, const Tours& tours,
                                         const StopRequest& stop, const RowSeen& seen,
                                         const Change& change) const {
    ReducedRows<Z> rows = start;
    change(rows.vectors);
    if (rows.gram.get_rows() != 0) rows.gram = gramOf(rows.vectors, start.gram);
    try {
      if (std::is_same_v<Z, long> && rows.gram.get_rows() == 0)
        return reducedShort(basisOf(rows.vectors), tours, stop, seen);
      return reducedRows<Z, fplll::FP_NR<double>>(rows, tours, stop, seen);
    } catch (const Error&) {  // more digits, for what double precision is not enough for
      return reducedRows<Z, fplll::FP_NR<long double>>(rows, tours, stop, seen);
    }
  }

  /// As reducedRows(), by rows of doubles.
  static std::unique_ptr<ReducedBasis> reducedShort(const IntegerBasis& basis, const Tours& tours,
                                                    const StopRequest& stop, const RowSeen& seen) {
    ShortRows rows(basis);
    const int d = rows.dimension();
    rows.reduce(0, d);
    for (const int size : tours) {
      if (!tourOf(rows, size, stop)) return nullptr;
      if (seen) seen(firstRow(rows));
    }
    rows.reduce(0, d);
    auto result = std::make_unique<ReducedBasis>();
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j < d; ++j) result->mu.push_back(j < i ? rows.mu(i, j) : 0);
      result->norms.push_back(rows.norm(i));
    }
    result->basis = rows.basis();
    return result;
  }

  static KnownVector firstRow(const ShortRows& rows) {
    KnownVector vector;
    vector.entries = rows.row(0);
    for (const Integer& entry : vector.entries) vector.squaredNorm += entry * entry;
    return vector;
  }

  template <class Z, class F>
  std::unique_ptr<ReducedBasis> reducedRows(ReducedRows<Z> rows, const Tours& tours, const StopRequest& stop,
                                            const RowSeen& seen) const {
    const BlockEnumerator enumerator;
    Reduction<Z, F> reduction(rows);
    const auto show = [&](const ReducedRows<Z>& now) {
      if (seen) seen(firstRow(now));
    };
    if (!reduction.run(tours, stop, show)) return nullptr;
    auto result = std::make_unique<ReducedBasis>();
    reduction.describe(*result);
    result->basis = resultOf(rows, start_);
    return result;
  }

  template <class Z>
  KnownVector firstRow(const ReducedRows<Z>& rows) const {
    ReducedRows<Z> first{fplll::ZZ_mat<Z>(1, rows.vectors.get_cols()), {}};
    for (int j = 0; j < rows.vectors.get_cols(); ++j) first.vectors(0, j) = rows.vectors(0, j);
    return shortestRow(resultOf(first, start_));
  }

  IntegerBasis start_;  ///< its inner products and coordinates are needed
  bool narrow_;
  ReducedRows<long> narrowStart_;
  ReducedRows<mpz_t> wideStart_;
};

TrialReduction::TrialReduction(const IntegerBasis& start) : impl_(std::make_unique<Impl>(start)) {}
TrialReduction::~TrialReduction() = default;

std::unique_ptr<ReducedBasis> TrialReduction::reduced(const Tours& tours, const StopRequest& stop) const {
  return impl_->make(
      tours, stop, {}, [](auto&) {});
}

std::unique_ptr<ReducedBasis> TrialReduction::trial(std::uint64_t seed, std::uint64_t number,
                                                    const Tours& tours, const StopRequest& stop,
                                                    const RowSeen& seen) const {
  return impl_->make(
      tours, stop, seen, [&](auto& matrix) { rerandomise(matrix, Draws(seed, number)); });
}

void requireStrategies(int blockSize) { (void)lattice::strategies(blockSize); }

IntegerBasis looselyReduced(const IntegerBasis& basis, const StopRequest& stop) {
  constexpr double kDelta = 0.75;
  const SetupGuard guard(
      [&]() -> std::string { return stop && stop() ? "stopped while the basis was reduced" : ""; });
  if (!basis.gram.empty()) return lattice::reducedByGram(basis);
  auto matrix = lattice::toMatrix(basis);
  requireLll(lattice::lllByPrefixes(matrix, kDelta));
  return lattice::toBasis(matrix);
}

namespace {

/// LLL of rows of which one depends on the others, by machine integers and doubles. False: that failed.
bool reduceNarrow(fplll::ZZ_mat<long>& matrix) {
  fplll::ZZ_mat<long> none;
  fplll::ZZ_mat<long> noneInverse;
  fplll::MatGSO<fplll::Z_NR<long>, fplll::FP_NR<double>> gso(matrix, none, noneInverse, fplll::GSO_INT_GRAM);
  fplll::LLLReduction<fplll::Z_NR<long>, fplll::FP_NR<double>> lll(gso, fplll::LLL_DEF_DELTA,
                                                                   fplll::LLL_DEF_ETA, fplll::LLL_DEFAULT);
  lll.lll();
  return lll.status == fplll::RED_SUCCESS && matrix[0].is_zero();
}

IntegerBasis reducedDependent(const IntegerBasis& more) {
  if (isNarrow(more)) {
    auto narrow = matrixOf<long>(more);
    if (reduceNarrow(narrow)) return basisOf(narrow);
  }
  auto matrix = lattice::toMatrix(more);
  requireLll(fplll::lll_reduction(matrix));
  return lattice::toBasis(matrix);
}

/// x of x B = v for a unimodular B, whose residues modulo a prime tell it where it is small.
std::vector<Integer> coefficientsOver(const IntegerBasis& basis, const std::vector<Integer>& vector) {
  namespace field = lattice::mersenne;
  const auto d = static_cast<std::size_t>(basis.dimension);
  const auto residue = [](const Integer& value) {
    return field::residueOf(Integer(value % field::kPrime).convert_to<std::int64_t>());
  };
  // Gauss and Jordan on the columns of B, beside v: one equation a column.
  std::vector<std::vector<std::uint64_t>> equations(d, std::vector<std::uint64_t>(d + 1));
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < d; ++i) equations[j][i] = residue(basis.entries[i * d + j]);
    equations[j][d] = residue(vector[j]);
  }
  for (std::size_t i = 0; i < d; ++i) {
    std::size_t pivot = i;
    while (pivot < d && equations[pivot][i] == 0) ++pivot;
    if (pivot == d) throw Error("a vector that is not of the lattice");
    std::swap(equations[i], equations[pivot]);
    const std::uint64_t scale = field::inverted(equations[i][i]);
    for (std::uint64_t& value : equations[i]) value = field::times(value, scale);
    for (std::size_t j = 0; j < d; ++j)
      if (j != i) field::eliminate(equations[j], equations[j][i], equations[i]);
  }
  std::vector<Integer> coefficients;
  for (const auto& equation : equations) {
    const std::uint64_t value = equation[d];
    coefficients.emplace_back(value <= field::kPrime / 2 ? Integer(value) : Integer(value) - field::kPrime);
  }
  for (std::size_t j = 0; j < d; ++j) {
    Integer sum = 0;
    for (std::size_t i = 0; i < d; ++i) sum += coefficients[i] * basis.entries[i * d + j];
    if (sum != vector[j]) throw Error("a vector that is not of the lattice");
  }
  return coefficients;
}

/// A basis of Z^d whose first row is x, divided by the greatest common divisor of its elements: Euclid's
/// algorithm, from the end on.
IntegerBasis completed(std::vector<Integer> x) {
  IntegerBasis rows;
  rows.dimension = rows.columns = static_cast<int>(x.size());
  rows.entries.assign(x.size() * x.size(), 0);
  for (std::size_t i = 0; i < x.size(); ++i) rows.entries[i * x.size() + i] = 1;
  const auto rowAt = [&](std::size_t i) {
    return rows.entries.begin() + static_cast<std::ptrdiff_t>(i * x.size());
  };
  const auto width = static_cast<std::ptrdiff_t>(x.size());
  // The sum of x_i times row i stays.
  for (std::size_t i = x.size() - 1; i > 0; --i) {
    while (x[i] != 0) {
      const Integer times = x[i - 1] / x[i];
      x[i - 1] -= times * x[i];
      for (std::ptrdiff_t j = 0; j < width; ++j) rowAt(i)[j] += times * rowAt(i - 1)[j];
      std::swap(x[i - 1], x[i]);
      std::swap_ranges(rowAt(i - 1), rowAt(i - 1) + width, rowAt(i));
    }
  }
  return rows;
}

/// The same as withVector() of a basis with a Gram matrix, of which no row may depend on the others.
IntegerBasis withVectorByGram(const IntegerBasis& basis, const std::vector<Integer>& vector) {
  const IntegerBasis more = lattice::transformed(completed(coefficientsOver(basis, vector)), basis);
  try {
    return TrialReduction(more).reduced({}, {})->basis;
  } catch (const Error&) {
    return lattice::reducedByGram(more);
  }
}

}  // namespace

IntegerBasis withVector(const IntegerBasis& basis, const std::vector<Integer>& vector) {
  if (!basis.gram.empty()) return withVectorByGram(basis, vector);
  IntegerBasis more = basis;
  ++more.dimension;
  more.entries.insert(more.entries.begin(), vector.begin(), vector.end());
  IntegerBasis result = reducedDependent(more);  // the row of zeros comes first
  const auto columns = static_cast<std::ptrdiff_t>(result.columns);
  result.entries.erase(result.entries.begin(), result.entries.begin() + columns);
  --result.dimension;
  return result;
}

namespace {

/// Where the pruner gives up, as on bases that are far from reduced: bounds that grow with the dimension.
fplll::PruningParams linearPruning(std::size_t dimension) {
  fplll::PruningParams linear;
  const auto d = static_cast<double>(dimension);
  linear.coefficients.reserve(dimension);
  for (std::size_t k = 0; k < dimension; ++k) {
    const std::size_t pair = k / 2 * 2;  // as the pruner's
    linear.coefficients.push_back(std::min(1.0, (d - static_cast<double>(pair)) / d + 0.05));
  }
  return linear;
}

fplll::PruningParams foundPruning(const ProfileRequest& request) {
  const bool several = request.expectedVectors > 2 && request.fixed == 0;
  const double target = request.fixed > 0 ? request.fixed : several ? 1.0 : request.wanted;
  const int flags = fplll::PRUNER_GRADIENT | (request.fixed > 0 ? fplll::PRUNER_SINGLE : 0);
  fplll::PruningParams found;
  try {
    fplll::prune<fplll::FP_NR<double>>(
        found, request.squaredRadius, std::max(request.reductionNodes, 1.0), *request.norms, target,
        several ? fplll::PRUNER_METRIC_EXPECTED_SOLUTIONS : fplll::PRUNER_METRIC_PROBABILITY_OF_SHORTEST,
        flags);
  } catch (const std::exception&) {
    found = linearPruning(request.norms->size());
  }
  return found;
}

}  // namespace

Profile pruningProfile(const ProfileRequest& request) {
  fplll::PruningParams found = foundPruning(request);
  Profile profile;
  profile.coefficients = std::move(found.coefficients);
  straighten(profile.coefficients);
  profile.probability = successProbability(profile.coefficients);
  profile.nodes = std::accumulate(found.detailed_cost.begin(), found.detailed_cost.end(), 0.0);
  return profile;
}

double successProbability(const std::vector<double>& coefficients) {
  return std::clamp(fplll::svp_probability<fplll::FP_NR<double>>(coefficients).get_d(), 0.0, 1.0);
}

#else

namespace {

[[noreturn]] void refuseWithoutFplll() {
  throw ConfigError("basis", "a search for a shortest vector in a build without fplll", lattice::kGetFplll);
}

}  // namespace

class TrialReduction::Impl {};
TrialReduction::TrialReduction(const lattice::IntegerBasis&) { refuseWithoutFplll(); }
TrialReduction::~TrialReduction() = default;
std::unique_ptr<ReducedBasis> TrialReduction::reduced(const Tours&, const StopRequest&) const {
  refuseWithoutFplll();
}
std::unique_ptr<ReducedBasis> TrialReduction::trial(std::uint64_t, std::uint64_t, const Tours&,
                                                    const StopRequest&, const RowSeen&) const {
  refuseWithoutFplll();
}
lattice::IntegerBasis looselyReduced(const lattice::IntegerBasis&, const StopRequest&) {
  refuseWithoutFplll();
}
lattice::IntegerBasis withVector(const lattice::IntegerBasis&, const std::vector<lattice::Integer>&) {
  refuseWithoutFplll();
}
void requireStrategies(int) { refuseWithoutFplll(); }
Profile pruningProfile(const ProfileRequest&) { refuseWithoutFplll(); }
double successProbability(const std::vector<double>&) { refuseWithoutFplll(); }

#endif

}  // namespace slicepool::svp
