// See leading_digits.hpp.
#ifdef SLICEPOOL_HAVE_FPLLL

#include "runtime/lattice/leading_digits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "cpu_workers/core/setup_stop.hpp"

namespace slicepool::lattice {
namespace {

using Matrix = fplll::ZZ_mat<mpz_t>;
using MachineMatrix = fplll::ZZ_mat<long>;

/// Bits that a step adds, and those that the first one begins with. With fewer there are more steps of which
/// each takes some time, with more the numbers ask for more than double precision.
constexpr int kStep = 20;
constexpr int kFirst = 30;
constexpr int kLeastStep = 3;
/// Sums for more columns than this would be the larger part of the time.
constexpr std::size_t kMostColumns = 8;
/// Of the steps: what fplll makes of the last one is better. Many rows need it, or doubles are not enough.
constexpr int kManyRows = 130;
constexpr double kStepDelta = 0.75;
constexpr double kStepDeltaOfMany = 0.85;
/// Coefficients beyond are not trusted to have stayed within machine integers.
constexpr long kGreatestCoefficient = 1L << 40;

/// Columns with long integers, and the bits of the longest.
struct LongColumns {
  std::vector<int> columns;
  int bits = 0;
};

LongColumns longColumnsOf(Matrix& matrix) {
  LongColumns found;
  for (int j = 0; j < matrix.get_cols(); ++j) {
    std::size_t most = 0;
    for (int i = 0; i < matrix.get_rows(); ++i)
      most = std::max(most, mpz_sizeinbase(matrix(i, j).get_data(), 2));
    if (most <= kNarrowColumn) continue;
    found.columns.push_back(j);
    found.bits = std::max(found.bits, static_cast<int>(most));
  }
  return found;
}

/// By an arithmetic of this kind of number. The transformation; none where it failed.
template <class F>
std::optional<MachineMatrix> transformationBy(MachineMatrix digits) {
  MachineMatrix transformation;
  MachineMatrix noInverse;
  transformation.gen_identity(digits.get_rows());
  fplll::MatGSO<fplll::Z_NR<long>, F> gso(digits, transformation, noInverse, fplll::GSO_DEFAULT);
  const double delta = digits.get_rows() < kManyRows ? kStepDelta : kStepDeltaOfMany;
  fplll::LLLReduction<fplll::Z_NR<long>, F> lll(gso, delta, fplll::LLL_DEF_ETA, fplll::LLL_DEFAULT);
  lll.lll();
  if (lll.status != fplll::RED_SUCCESS) return std::nullopt;
  for (int i = 0; i < transformation.get_rows(); ++i)
    for (int j = 0; j < transformation.get_cols(); ++j) {
      const long value = transformation(i, j).get_si();
      if (value > kGreatestCoefficient || value < -kGreatestCoefficient) return std::nullopt;
    }
  return transformation;
}

Matrix product(MachineMatrix& transformation, Matrix& matrix) {
  const int d = matrix.get_rows();
  Matrix result(d, matrix.get_cols());
  for (int i = 0; i < d; ++i)
    for (int k = 0; k < d; ++k) {
      const long factor = transformation(i, k).get_si();
      if (factor == 0) continue;
      const auto size = static_cast<unsigned long>(factor < 0 ? -factor : factor);
      for (int j = 0; j < matrix.get_cols(); ++j) {
        auto* const sum = result(i, j).get_data();
        if (mpz_sgn(matrix(k, j).get_data()) == 0) continue;
        (factor > 0 ? mpz_addmul_ui : mpz_submul_ui)(sum, matrix(k, j).get_data(), size);
      }
    }
  return result;
}

/// The long columns without their last `shift` bits, and the short ones.
MachineMatrix leadingDigits(Matrix& matrix, const LongColumns& longs, int shift) {
  const int d = matrix.get_rows();
  MachineMatrix digits(d, matrix.get_cols());
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < matrix.get_cols(); ++j) digits(i, j) = mpz_get_si(matrix(i, j).get_data());
    for (const int j : longs.columns) {
      fplll::Z_NR<mpz_t> part;
      mpz_tdiv_q_2exp(part.get_data(), matrix(i, j).get_data(), static_cast<mp_bitcnt_t>(shift));
      digits(i, j) = mpz_get_si(part.get_data());
    }
  }
  return digits;
}

/// Whether entries of the short columns have stayed short.
bool fitsMachine(Matrix& matrix, const LongColumns& longs, int shift) {
  constexpr int kMachineBits = 62;
  for (int i = 0; i < matrix.get_rows(); ++i)
    for (int j = 0; j < matrix.get_cols(); ++j) {
      const bool isLong = std::binary_search(longs.columns.begin(), longs.columns.end(), j);
      const auto bits = static_cast<int>(mpz_sizeinbase(matrix(i, j).get_data(), 2));
      if (bits - (isLong ? shift : 0) > kMachineBits) return false;
    }
  return true;
}

/// That of the LLL of all but the last `shift` bits.
std::optional<MachineMatrix> transformationOf(Matrix& matrix, const LongColumns& longs, int shift,
                                              int& precise) {
  constexpr int kPreciseSteps = 3;
  if (!fitsMachine(matrix, longs, shift)) return std::nullopt;
  const MachineMatrix digits = leadingDigits(matrix, longs, shift);
  if (precise == 0) {
    if (auto found = transformationBy<fplll::FP_NR<double>>(digits)) return found;
    precise = kPreciseSteps;
  }
  --precise;
  return transformationBy<fplll::FP_NR<long double>>(digits);
}

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b % kPrime);
}
std::uint64_t inverseOf(std::uint64_t a) {
  std::uint64_t result = 1;
  for (std::uint64_t exponent = kPrime - 2; exponent != 0; exponent >>= 1U) {
    if ((exponent & 1U) != 0) result = times(result, a);
    a = times(a, a);
  }
  return result;
}

/// The determinant of the rows, modulo a prime, after a projection that is the same in each call.
std::uint64_t projectedDeterminant(Matrix& matrix) {
  const auto d = static_cast<std::size_t>(matrix.get_rows());
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> a(d * d, 0);
  for (int j = 0; j < matrix.get_cols(); ++j) {
    std::vector<std::uint64_t> weights(d);
    for (std::uint64_t& weight : weights) weight = random() % kPrime;
    for (std::size_t i = 0; i < d; ++i) {
      const std::uint64_t value = mpz_fdiv_ui(matrix(static_cast<int>(i), j).get_data(), kPrime);
      if (value == 0) continue;
      for (std::size_t k = 0; k < d; ++k) a[i * d + k] = (a[i * d + k] + times(value, weights[k])) % kPrime;
    }
  }
  std::uint64_t determinant = 1;
  for (std::size_t k = 0; k < d; ++k) {
    std::size_t pivot = k;
    while (pivot < d && a[pivot * d + k] == 0) ++pivot;
    if (pivot == d) return 0;
    if (pivot != k) {
      std::swap_ranges(a.begin() + static_cast<std::ptrdiff_t>(k * d),
                       a.begin() + static_cast<std::ptrdiff_t>((k + 1) * d),
                       a.begin() + static_cast<std::ptrdiff_t>(pivot * d));
      determinant = kPrime - determinant;
    }
    determinant = times(determinant, a[k * d + k]);
    const std::uint64_t inverse = inverseOf(a[k * d + k]);
    for (std::size_t i = k + 1; i < d; ++i) {
      const std::uint64_t factor = kPrime - times(a[i * d + k], inverse);
      for (std::size_t j = k; j < d; ++j)
        a[i * d + j] = (a[i * d + j] + times(factor, a[k * d + j])) % kPrime;
    }
  }
  return determinant;
}

}  // namespace

void reduceByLeadingDigits(Matrix& matrix) {
  const LongColumns longs = longColumnsOf(matrix);
  const auto d = static_cast<std::size_t>(matrix.get_rows());
  if (longs.columns.empty() || longs.columns.size() > std::min(kMostColumns, d / 2)) return;
  Matrix reduced = matrix;
  int step = kFirst;
  int precise = 0;  // steps that are not tried in doubles, after one that failed
  for (int shift = longs.bits; shift > 0 && step >= kLeastStep;) {
    checkSetup();
    const int next = std::max(0, shift - step);
    auto transformation = transformationOf(reduced, longs, next, precise);
    if (!transformation) {
      step /= 2;
      continue;
    }
    reduced = product(*transformation, reduced);
    shift = next;
    step = std::min(kStep, 2 * step);
  }
  // Rows are sums of the rows that were given. That they generate the same lattice could fail by a machine
  // integer that was too small on the way.
  const std::uint64_t before = projectedDeterminant(matrix);
  const std::uint64_t after = projectedDeterminant(reduced);
  if (before != 0 && (after == before || after == kPrime - before)) matrix = std::move(reduced);
}

}  // namespace slicepool::lattice

#endif
