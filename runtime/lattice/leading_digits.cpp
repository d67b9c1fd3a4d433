// See leading_digits.hpp.
#ifdef SLICEPOOL_HAVE_FPLLL

#include "runtime/lattice/leading_digits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/lattice/mersenne_field.hpp"

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
/// Bits of the longest column that is not shortened.
constexpr std::size_t kNarrowColumn = 40;

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

bool isUnimodular(MachineMatrix& matrix) {
  std::vector<std::vector<std::uint64_t>> rows(static_cast<std::size_t>(matrix.get_rows()));
  for (int i = 0; i < matrix.get_rows(); ++i)
    for (int j = 0; j < matrix.get_cols(); ++j)
      rows[static_cast<std::size_t>(i)].push_back(mersenne::residueOf(matrix(i, j).get_si()));
  return mersenne::isUnimodular(std::move(rows));
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
  // It would not be where a machine integer was too small on the way.
  if (!isUnimodular(transformation)) return std::nullopt;
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

/// Whether all of these are machine integers.
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

}  // namespace

void reduceByLeadingDigits(Matrix& matrix) {
  const LongColumns longs = longColumnsOf(matrix);
  const auto d = static_cast<std::size_t>(matrix.get_rows());
  if (longs.columns.empty() || longs.columns.size() > std::min(kMostColumns, d / 2)) return;
  int step = kFirst;
  int precise = 0;  // steps that are not tried in doubles, after one that failed
  for (int shift = longs.bits; shift > 0 && step >= kLeastStep;) {
    checkSetup();
    const int next = std::max(0, shift - step);
    auto transformation = transformationOf(matrix, longs, next, precise);
    if (!transformation) {
      step /= 2;
      continue;
    }
    matrix = product(*transformation, matrix);
    shift = next;
    step = std::min(kStep, 2 * step);
  }
}

}  // namespace slicepool::lattice

#endif
