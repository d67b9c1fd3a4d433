// Small lattices in doubles: what is reduced spans the same lattice, and the certificate bounds what the
// rounded quadratic form differs from the exact one, in rational arithmetic, in every instruction set.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "cpu_workers/lattice/small_lattice.hpp"
#include "runtime/lattice/integer_basis.hpp"
#include "support/scale.hpp"

namespace {
namespace small_lattice_test {

using namespace slicepool;
using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;
using lattice::Integer;

std::vector<const SmallLatticeKernels*> kernelSets() {
  std::vector<const SmallLatticeKernels*> sets;
  for (const char* name : {"portable", "avx2", "avx512"})
    if (const auto* set = smallLatticeKernelsNamed(name)) sets.push_back(set);
  return sets;
}

/// The absolute determinant of square rows, by Bareiss.
Integer volumeOf(SmallLattice& lattice) {
  const int d = lattice.dimension;
  std::vector<std::vector<Integer>> m(static_cast<std::size_t>(d));
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j)
      m[static_cast<std::size_t>(i)].emplace_back(static_cast<std::int64_t>(lattice.row(i)[j]));
  Integer last = 1;
  for (std::size_t k = 0; k + 1 < m.size(); ++k) {
    std::size_t pivot = k;
    while (pivot < m.size() && m[pivot][k] == 0) ++pivot;
    if (pivot == m.size()) return 0;
    std::swap(m[k], m[pivot]);
    for (std::size_t i = k + 1; i < m.size(); ++i)
      for (std::size_t j = k + 1; j < m.size(); ++j)
        m[i][j] = Integer(m[i][j] * m[k][k] - m[i][k] * m[k][j]) / last;
    last = m[k][k];
  }
  return abs(m.back().back());
}

void fill(SmallLattice& lattice, std::mt19937_64& random, int d, int bits, int kind) {
  lattice.resize(d, d);
  const auto q = std::uint64_t{1} << bits;
  for (int i = 0; i < d; ++i) {
    if (kind == 0) {
      if (i < d / 2) lattice.row(i)[i] = static_cast<double>(q + 1);
      for (int j = 0; i >= d / 2 && j < d / 2; ++j) lattice.row(i)[j] = static_cast<double>(random() % q);
      if (i >= d / 2) lattice.row(i)[i] = 1;
    } else if (kind == 1) {  // entries near the limit, ties: multiples of a reflection of the axes
      for (int j = 0; j < d; ++j)
        lattice.row(i)[j] = i == j ? static_cast<double>(q) : (j < i ? static_cast<double>(q / 2) : 0);
    } else {
      for (int j = 0; j < d; ++j)
        lattice.row(i)[j] = static_cast<double>(random() % (2 * q)) - static_cast<double>(q);
    }
  }
}

TEST_CASE("a lattice is reduced when neither a coefficient nor an exchange is left to do") {
  struct Case {
    double low[2], high[2];
    bool reduced;
  };
  for (const Case& one : {Case{{3, 0}, {0, 3}, true}, Case{{3, 0}, {1, 3}, true}, Case{{3, 0}, {2, 3}, false},
                          Case{{3, 0}, {1, 2}, false}, Case{{4, 0}, {0, 3}, false}})
    for (const SmallLatticeKernels* set : kernelSets()) {
      CAPTURE(set->name);
      CAPTURE(one.high[0]);
      CAPTURE(one.high[1]);
      SmallLattice lattice;
      lattice.resize(2, 2);
      for (int j = 0; j < 2; ++j) {
        lattice.row(0)[j] = one.low[j];
        lattice.row(1)[j] = one.high[j];
      }
      REQUIRE(set->makeGram(lattice));
      set->certify(lattice);
      REQUIRE(lattice.certificate.holds);
      CHECK(set->isReduced(lattice) == one.reduced);
      REQUIRE(set->reduce(lattice));
      set->certify(lattice);
      CHECK(set->isReduced(lattice));
    }
}

TEST_CASE("a reduction keeps the lattice, its Gram matrix is that of the rows, and it is reduced") {
  const std::uint64_t seed = 3101;
  CAPTURE(seed);
  for (const auto* kernels : kernelSets()) {
    std::mt19937_64 random(seed);
    for (std::size_t round = 0; round < test::scaled(40); ++round) {
      const int d = 1 + static_cast<int>(random() % 20);
      const int bits = 2 + static_cast<int>(random() % 40);
      SmallLattice lattice;
      fill(lattice, random, d, bits, static_cast<int>(round % 3));
      const Integer volume = volumeOf(lattice);
      if (volume == 0) continue;
      CAPTURE(kernels->name);
      CAPTURE(round);
      CAPTURE(d);
      CAPTURE(bits);
      REQUIRE(kernels->makeGram(lattice));
      if (!kernels->reduce(lattice)) {
        CHECK(bits > 20);  // by big integers
        continue;
      }
      CHECK(volumeOf(lattice) == volume);
      for (int i = 0; i < d; ++i) {
        for (int j = 0; j < d; ++j) {
          Integer sum = 0;
          for (int k = 0; k < d; ++k)
            sum += Integer(static_cast<std::int64_t>(lattice.row(i)[k])) *
                   static_cast<std::int64_t>(lattice.row(j)[k]);
          const Integer known = lattice.wide ? Integer(lattice.wideGram(i)[j])
                                             : Integer(static_cast<std::int64_t>(lattice.gram(i)[j]));
          CHECK(known == sum);
        }
      }
      kernels->certify(lattice);
      CHECK(lattice.certificate.holds);
      for (int i = 1; i < d; ++i) {
        const double mu = lattice.mu(i)[i - 1];
        CHECK(lattice.norms()[i] >= (0.985 - mu * mu) * lattice.norms()[i - 1]);
        for (int j = 0; j < i; ++j) CHECK(std::abs(lattice.mu(i)[j]) <= 0.51);
      }
    }
  }
}

TEST_CASE("the certificate bounds the difference of both forms and every coefficient, in exact fractions") {
  const std::uint64_t seed = 3102;
  CAPTURE(seed);
  for (const auto* kernels : kernelSets()) {
    std::mt19937_64 random(seed);
    for (std::size_t round = 0; round < test::scaled(20); ++round) {
      const int d = 2 + static_cast<int>(random() % 10);
      SmallLattice lattice;
      fill(lattice, random, d, 4 + static_cast<int>(random() % 36), static_cast<int>(round % 3));
      if (volumeOf(lattice) == 0 || !kernels->makeGram(lattice) || !kernels->reduce(lattice)) continue;
      kernels->certify(lattice);
      if (!lattice.certificate.holds) continue;
      const cpp_rational part(lattice.certificate.formError);
      for (int sample = 0; sample < 20; ++sample) {
        std::vector<std::int64_t> x(static_cast<std::size_t>(d));
        for (auto& value : x) value = static_cast<std::int64_t>(random() % 41) - 20;
        if (sample < d) x.assign(x.size(), 0), x[static_cast<std::size_t>(sample)] = 1;
        cpp_int exact = 0;
        for (int k = 0; k < d; ++k) {
          cpp_int sum = 0;
          for (int i = 0; i < d; ++i)
            sum += x[static_cast<std::size_t>(i)] * cpp_int(static_cast<std::int64_t>(lattice.row(i)[k]));
          exact += sum * sum;
        }
        cpp_rational rounded = 0;
        for (int k = 0; k < d; ++k) {
          cpp_rational sum = x[static_cast<std::size_t>(k)];
          for (int j = k + 1; j < d; ++j)
            sum += x[static_cast<std::size_t>(j)] * cpp_rational(lattice.mu(j)[k]);
          rounded += sum * sum * cpp_rational(lattice.norms()[k]);
        }
        CHECK(abs(rounded - cpp_rational(exact)) <= part * rounded);
        const double reach = lattice.certificate.reach * std::sqrt(exact.convert_to<double>());
        for (const std::int64_t value : x) CHECK(std::abs(static_cast<double>(value)) <= reach);
      }
    }
  }
}

TEST_CASE("rows that depend are never certified") {
  for (const auto* kernels : kernelSets()) {
    std::mt19937_64 random(3103);
    for (std::size_t round = 0; round < test::scaled(30); ++round) {
      const int d = 2 + static_cast<int>(random() % 8);
      SmallLattice lattice;
      fill(lattice, random, d, 4 + static_cast<int>(random() % 30), 2);
      for (int j = 0; j < d; ++j)
        lattice.row(d - 1)[j] = lattice.row(0)[j] + (d > 2 ? lattice.row(1)[j] : lattice.row(0)[j]);
      if (!kernels->makeGram(lattice) || !kernels->reduce(lattice)) continue;
      kernels->certify(lattice);
      CHECK(!lattice.certificate.holds);
    }
  }
}

}  // namespace small_lattice_test
}  // namespace
