// The row kernels of the CPU against a recursion of its own: every instruction set that this machine has,
// every element width, dimension and tail, any range of ranks, in place and through the streaming buffer.
#include "cpu_workers/factorizations/rows.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "cpu_workers/factorizations/row_walk.hpp"
#include "slicepool/core/fingerprint.hpp"
#include "slicepool/factorizations/problem_factory.hpp"
#include "slicepool/factorizations/sinks.hpp"
#include "support/random_generators.hpp"
#include "support/ranked_view.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using slicepool::test::bruteForce;
using slicepool::test::fingerprintOf;
using slicepool::test::Instance;
using slicepool::test::instanceOfShape;
using slicepool::test::rankedViewOf;
using slicepool::test::Vectors;

namespace {

constexpr std::byte kGuard{0xA5};
constexpr std::size_t kGuardBytes = 320;  // more than the kernels may touch of their own buffers

std::vector<const RowKernels*> allKernels() {
  std::vector<const RowKernels*> all;
  for (const char* name : {"portable", "avx2", "avx512"})
    if (const RowKernels* kernels = rowKernelsNamed(name)) all.push_back(kernels);
  return all;
}

std::vector<std::byte> packed(const Vectors& rows, unsigned elementBytes) {
  std::vector<std::byte> bytes;
  for (const auto& row : rows) {
    for (const std::uint64_t coordinate : row) {
      std::byte element[8];
      std::memcpy(element, &coordinate, 8);
      bytes.insert(bytes.end(), element, element + elementBytes);
    }
  }
  return bytes;
}

/// A place for rows with guards on both sides, at any offset from a cache line.
class GuardedRows {
 public:
  GuardedRows(std::size_t bytes, std::size_t misalignment)
      : bytes_(bytes),
        begin_(kGuardBytes / 64 * 64 + misalignment),
        memory_(begin_ + bytes + kGuardBytes + 64, kGuard) {
    begin_ += (64 - reinterpret_cast<std::uintptr_t>(memory_.data()) % 64) % 64;
  }
  [[nodiscard]] std::byte* begin() { return memory_.data() + begin_; }
  [[nodiscard]] bool holds(const std::byte* expected) {
    return std::equal(begin(), begin() + bytes_, expected);
  }
  [[nodiscard]] bool guardsIntact() {
    const auto intact = [](std::byte value) { return value == kGuard; };
    return std::all_of(memory_.data(), begin(), intact) &&
           std::all_of(begin() + bytes_, memory_.data() + memory_.size(), intact);
  }

 private:
  std::size_t bytes_;
  std::size_t begin_;
  std::vector<std::byte> memory_;
};

/// The rows first .. first + count - 1 by one kernel, compared byte for byte.
template <int D>
void checkRange(const RankedView<D, std::uint32_t>& view, const SuffixRows& table, const RowKernels& kernels,
                const std::vector<std::byte>& truth, std::uint64_t first, std::uint64_t count, bool streaming,
                std::size_t misalignment) {
  const RowShape shape = rowShape<D>(view, table);
  const int index = elementIndex(shape.elementBytes);
  const ExpandAxis expand = table.stored() ? kernels.expandStored[index] : kernels.expandProgression[index];
  const std::size_t bytes = count * shape.rowBytes();
  GuardedRows rows(bytes, misalignment);
  struct Buffer {
    alignas(64) std::byte bytes[RowTarget::kBufferBytes];
    std::byte guard[kGuardBytes];
  };
  const auto buffer = std::make_unique<Buffer>();
  std::fill(std::begin(buffer->guard), std::end(buffer->guard), kGuard);
  RowTarget target(rows.begin(), rows.begin() + bytes, streaming ? buffer->bytes : nullptr);
  std::uint64_t walked = 0;
  walkRows<D>(view, shape.axis, first, count, [&](const AxisRun& run) {
    walked += run.rows;
    expand(shape, run, target);
  });
  target.finish();
  CAPTURE(kernels.name);
  CAPTURE(table.tail);
  CAPTURE(shape.elementBytes);
  CAPTURE(first);
  CAPTURE(count);
  CAPTURE(streaming);
  CAPTURE(misalignment);
  CHECK(walked == count);
  CHECK(rows.holds(truth.data() + first * shape.rowBytes()));
  CHECK(rows.guardsIntact());
  CHECK(std::all_of(std::begin(buffer->guard), std::end(buffer->guard),
                    [](std::byte value) { return value == kGuard; }));
}

unsigned narrowestBytes(const Instance& instance) {
  const std::uint64_t longest =
      instance.element / *std::min_element(instance.generators.begin(), instance.generators.end());
  return longest < 256 ? 1 : longest < 65'536 ? 2 : 4;
}

template <int D>
void checkInstance(std::mt19937_64& random, const Instance& instance) {
  CAPTURE(instance.generators);
  CAPTURE(instance.element);
  const Vectors rows = bruteForce(instance.generators, instance.element);
  const RankCounts counts = makeRankCounts(instance.generators, instance.element);
  REQUIRE(counts.total == rows.size());
  const auto view = rankedViewOf<D, std::uint32_t>(instance.generators, counts);
  for (unsigned tail = 2; tail < D; ++tail) {
    for (unsigned elementBytes = narrowestBytes(instance); elementBytes <= 8; elementBytes *= 2) {
      TailChoice choice;
      choice.elementBytes = elementBytes;
      if (suffixRowsBytes(instance.generators, counts, tail, choice) > 8'000'000) continue;
      const SuffixRows table =
          makeSuffixRows(instance.generators, counts, tail, elementBytes, {}, {.threads = 2});
      if (rows.empty()) continue;
      const auto truth = packed(rows, elementBytes);
      for (const RowKernels* kernels : allKernels()) {
        for (const bool streaming : {false, true}) {
          checkRange<D>(view, table, *kernels, truth, 0, rows.size(), streaming, random() % 64);
          const std::uint64_t first = random() % rows.size();
          const std::uint64_t most = random() % 2 == 0 ? 8 : rows.size();
          const std::uint64_t count = 1 + random() % std::min<std::uint64_t>(most, rows.size() - first);
          checkRange<D>(view, table, *kernels, truth, first, count, streaming, random() % 64);
        }
      }
    }
  }
}

template <int D>
void checkDimension(std::mt19937_64& random) {
  for (unsigned shape = 0; shape < 6; ++shape) {
    // Enough to fill the streaming buffer a few times where rows are narrow.
    checkInstance<D>(random, instanceOfShape(random, D, shape, shape % 2 == 0 ? 9000 / D : 60));
  }
}

/// Words after turns of random budgets over all roots; `fast`: as CPU workers take them.
std::vector<std::uint64_t> wordsOf(const Problem& problem, bool fast, std::mt19937_64& random) {
  std::vector<std::uint64_t> words = problem.words().fresh();
  std::vector<std::byte> slice = problem.roots();
  std::uint32_t used = 0;
  const SinkMemory memory{words.data(), nullptr, &used, 0, nullptr};
  Turn turn = slice.empty() ? Turn::exhausted : Turn::budgetSpent;
  while (turn != Turn::exhausted) {
    Budget budget{1 + random() % 500};
    turn = fast ? problem.advanceFast(slice.data(), budget, memory)
                : problem.advance(slice.data(), budget, memory);
    CHECK((turn == Turn::exhausted || budget.left == 0));
  }
  return words;
}

}  // namespace

TEST_CASE("row kernels write the rows of a recursion and nothing else, 3 to 8 coordinates") {
  std::mt19937_64 random(20'261'121);
  checkDimension<3>(random);
  checkDimension<4>(random);
  checkDimension<5>(random);
  checkDimension<6>(random);
  checkDimension<7>(random);
  checkDimension<8>(random);
}

TEST_CASE("row kernels write the rows of a recursion and nothing else, 9 to 16 coordinates") {
  std::mt19937_64 random(20'261'122);
  checkDimension<9>(random);
  checkDimension<10>(random);
  checkDimension<11>(random);
  checkDimension<12>(random);
  checkDimension<13>(random);
  checkDimension<14>(random);
  checkDimension<15>(random);
  checkDimension<16>(random);
}

TEST_CASE("row kernels of sets without rows: tables are made, problems have no roots") {
  const Instance instance{{6, 10, 4, 2}, 101};
  const auto counts = std::make_shared<RankCounts>(makeRankCounts(instance.generators, instance.element));
  REQUIRE(counts->total == 0);
  for (const unsigned tail : {2U, 3U}) {
    ProblemSpec spec;
    spec.generators = instance.generators;
    spec.element = instance.element;
    spec.algorithm = Algorithm::ranked;
    spec.rankCounts = counts;
    spec.cpuTail = std::make_shared<SuffixRows>(
        makeSuffixRows(instance.generators, *counts, tail, 1, fingerprintWeights(4)));
    spec.reductions.fingerprint = true;
    CHECK(makeProblem(spec)->roots().empty());
    spec.rows = ProblemSpec::Rows{nullptr, {0, 0}, 1};
    CHECK(makeProblem(spec)->roots().empty());
  }
}

TEST_CASE("adding a prefix to stored rows touches the rows only") {
  std::mt19937_64 random(7);
  for (const RowKernels* kernels : allKernels()) {
    for (int dimension = 1; dimension <= 16; ++dimension) {
      for (int elementBytes = 1; elementBytes <= 8; elementBytes *= 2) {
        CAPTURE(kernels->name);
        CAPTURE(dimension);
        CAPTURE(elementBytes);
        const std::uint64_t count = 1 + random() % 70;
        Vectors from(count, slicepool::test::Vector(static_cast<std::size_t>(dimension)));
        std::vector<std::uint32_t> prefix(static_cast<std::size_t>(dimension));
        for (auto& value : prefix) value = static_cast<std::uint32_t>(random() % 100);
        Vectors sums = from;
        for (std::size_t row = 0; row < count; ++row) {
          for (std::size_t k = 0; k < prefix.size(); ++k) {
            from[row][k] = random() % 100;
            sums[row][k] = from[row][k] + prefix[k];
          }
        }
        auto source = packed(from, static_cast<unsigned>(elementBytes));
        const auto expected = packed(sums, static_cast<unsigned>(elementBytes));
        source.resize(source.size() + RowTarget::kSlackBytes);
        GuardedRows rows(expected.size(), random() % 64);
        kernels->addPrefix[elementIndex(elementBytes)](rows.begin(), source.data(), count, dimension,
                                                       prefix.data());
        CHECK(rows.holds(expected.data()));
        CHECK(rows.guardsIntact());
      }
    }
  }
}

TEST_CASE("mixing of stored values and of progressions is the mix of each") {
  std::mt19937_64 random(11);
  for (const RowKernels* kernels : allKernels()) {
    for (std::uint64_t count = 0; count < 40; ++count) {
      const std::uint64_t base = random();
      const std::uint64_t step = random();
      std::vector<std::uint64_t> values(count);
      Fingerprint stored{1, 2};
      Fingerprint progression{1, 2};
      for (std::uint64_t i = 0; i < count; ++i) {
        values[i] = random();
        stored.sum += mix64(base + values[i]);
        stored.exclusiveOr ^= mix64(base + values[i]);
        progression.sum += mix64(base + i * step);
        progression.exclusiveOr ^= mix64(base + i * step);
      }
      Fingerprint mixed{1, 2};
      kernels->mixValues(base, values.data(), count, mixed.sum, mixed.exclusiveOr);
      CHECK(mixed == stored);
      mixed = {1, 2};
      kernels->mixProgression(base, step, count, mixed.sum, mixed.exclusiveOr);
      CHECK(mixed == progression);
    }
  }
}

TEST_CASE("fingerprints and rows by blocks are those of the plain step, with any budgets") {
  std::mt19937_64 random(13);
  for (std::size_t dimension = 3; dimension <= 16; ++dimension) {
    const auto shape = static_cast<unsigned>(dimension);
    const Instance instance = instanceOfShape(random, dimension, shape, 2000);
    CAPTURE(instance.generators);
    CAPTURE(instance.element);
    const Vectors truth = bruteForce(instance.generators, instance.element);
    const Fingerprint expected = fingerprintOf(truth);
    const unsigned elementBytes = narrowestBytes(instance);
    const auto bytes = packed(truth, elementBytes);
    ProblemSpec spec;
    spec.generators = instance.generators;
    spec.element = instance.element;
    spec.algorithm = Algorithm::ranked;
    spec.rankCounts = std::make_shared<RankCounts>(makeRankCounts(instance.generators, instance.element));
    spec.reductions.fingerprint = true;
    const ReductionWords index = reductionWords(spec);
    const auto check = [&](const std::vector<std::uint64_t>& words) {
      CHECK(words[0] == truth.size());
      CHECK(words[static_cast<std::size_t>(index.fingerprintSum)] == expected.sum);
      CHECK(words[static_cast<std::size_t>(index.fingerprintXor)] == expected.exclusiveOr);
    };
    for (unsigned tail = 2; tail < dimension; ++tail) {
      TailChoice choice;
      choice.elementBytes = elementBytes;
      choice.values = true;
      if (suffixRowsBytes(instance.generators, *spec.rankCounts, tail, choice) > 8'000'000) continue;
      CAPTURE(tail);
      spec.cpuTail = std::make_shared<SuffixRows>(makeSuffixRows(instance.generators, *spec.rankCounts, tail,
                                                                 elementBytes, fingerprintWeights(dimension),
                                                                 {.threads = 2}));
      spec.rows.reset();
      check(wordsOf(*makeProblem(spec), true, random));
      check(wordsOf(*makeProblem(spec), false, random));
      for (const bool fast : {true, false}) {
        GuardedRows rows(bytes.size(), random() % 64);
        spec.rows = ProblemSpec::Rows{rows.begin(), {0, truth.size()}, elementBytes};
        check(wordsOf(*makeProblem(spec), fast, random));
        CHECK(rows.holds(bytes.data()));
        CHECK(rows.guardsIntact());
      }
    }
  }
}
