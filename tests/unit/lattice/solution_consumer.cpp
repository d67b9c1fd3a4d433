// Solutions on their way from the engine to a file or to the K best: order, what is saved, what is refused,
// with any number of converting threads and blocks of one result to many.
#include "runtime/lattice/solution_consumer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "slicepool/core/error.hpp"
#include "slicepool/lattice/sinks.hpp"
#include "slicepool/lattice/types.hpp"
#include "support/damage.hpp"
#include "support/file_size_limit.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

namespace {

using namespace slicepool;
using namespace slicepool::lattice;

constexpr std::int64_t kSquaredRadius = 1'000'000;
constexpr std::uint64_t kConsumerSeed = 20261122;

/// Results as a sink buffers them, of vectors of the basis that come from a seed; distinct coefficients.
struct Flood {
  IntegerBasis basis = parseBasis("[[3 1 0] [-1 2 5] [0 1 -4]]", "B");
  std::size_t resultBytes = shortVectorBytes(3);
  std::vector<std::byte> results;
  std::vector<std::string> lines;  ///< of a text file
  std::vector<BestVector> vectors;

  explicit Flood(int count) {
    MESSAGE("seed " << kConsumerSeed);
    std::mt19937_64 random(kConsumerSeed);
    VectorMaker maker(basis);
    for (int i = 0; i < count; ++i) {
      // The last is positive, as in what is reported; the search emits either.
      std::vector<std::int16_t> x = {static_cast<std::int16_t>(random() % 41 - 20),
                                     static_cast<std::int16_t>(i % 40 - 20),
                                     static_cast<std::int16_t>(1 + i / 40)};
      maker.make(x);
      lines.push_back(vectorText(maker));
      vectors.push_back({maker.roundedNorm(), maker.squaredNorm(), x});
      if (random() % 2 == 0) std::transform(x.begin(), x.end(), x.begin(), std::negate<>());
      append(maker.roundedNorm(), x);
    }
  }

  void append(double squaredNorm, const std::vector<std::int16_t>& x) {
    std::vector<std::byte> result(resultBytes);
    std::memcpy(result.data(), &squaredNorm, sizeof squaredNorm);
    std::memcpy(result.data() + sizeof squaredNorm, x.data(), x.size() * sizeof x[0]);
    results.insert(results.end(), result.begin(), result.end());
  }

  [[nodiscard]] ConsumerSettings settings(std::uint64_t keep, VectorFile* file = nullptr) const {
    ConsumerSettings settings;
    settings.resultBytes = resultBytes;
    settings.maximumSquaredNorm = kSquaredRadius;
    settings.squaredRadius = static_cast<double>(kSquaredRadius);
    settings.keep = keep;
    settings.memoryLimit = 64U << 20;
    settings.queueBytes = 2000;  // blocks of a few results
    settings.threads = 3;
    settings.file = file;
    return settings;
  }

  /// Results [begin, end), in pieces of odd sizes.
  void feed(SolutionConsumer& consumer, std::size_t begin, std::size_t end) const {
    for (std::size_t piece = 1; begin < end; piece = piece * 3 % 101) {
      const std::size_t count = std::min(piece, end - begin);
      consumer.consume(results.data() + begin * resultBytes, count);
      begin += count;
    }
  }
};

void nothing() {}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE(
    "a file has the solutions in the order in which they were handed over, whichever thread converts them") {
  const test::TemporaryFolder folder;
  const Flood flood(4000);
  for (const int threads : {1, 2, 5}) {
    for (const std::size_t queueBytes : {std::size_t{1}, std::size_t{2000}, std::size_t{1} << 20}) {
      VectorFile file(folder.path("all.txt"), 3, 8);
      ConsumerSettings settings = flood.settings(1, &file);
      settings.threads = threads;
      settings.queueBytes = queueBytes;
      SolutionConsumer consumer(flood.basis, settings, nothing);
      flood.feed(consumer, 0, 4000);
      consumer.finish();
      CHECK(file.rows() == 4000);
      const std::uint64_t bytes = file.publish();
      CHECK(bytes == std::filesystem::file_size(folder.path("all.txt")));
      CHECK((test::contentOf(folder.path("all.txt")) == joined(flood.lines)));
      CHECK(consumer.taken() == 4000);
      CHECK(consumer.least() == consumer.best().best().begin()->rounded);
    }
  }
}

TEST_CASE("what is saved agrees with the file at that moment, and another process goes on from there") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("all.txt");
  const Flood flood(3000);
  std::vector<std::byte> blob;
  {
    VectorFile file(path, 3, 8);
    SolutionConsumer consumer(flood.basis, flood.settings(5, &file), nothing);
    flood.feed(consumer, 0, 1234);
    blob = consumer.save();
    const std::vector<std::string> first(flood.lines.begin(), flood.lines.begin() + 1234);
    CHECK((test::contentOf(path + ".part") == joined(first)));
    // Of what comes now the checkpoint knows nothing.
    flood.feed(consumer, 1234, 2000);
    consumer.finish();
  }
  VectorFile file(path, 3, 8);
  SolutionConsumer consumer(flood.basis, flood.settings(5, &file), nothing);
  consumer.restore(blob);
  CHECK(consumer.taken() == 1234);
  flood.feed(consumer, 1234, 3000);
  consumer.finish();
  (void)file.publish();
  CHECK((test::contentOf(path) == joined(flood.lines)));
  const auto least = std::min_element(flood.vectors.begin(), flood.vectors.end());
  CHECK(consumer.best().best().begin()->coefficients == least->coefficients);
}

TEST_CASE("a file of vectors that was changed, cut or is another one is refused, and stays as it is") {
  const test::TemporaryFolder folder;
  const Flood flood(300);
  for (const std::string suffix : {".txt", ".npy"}) {
    CAPTURE(suffix);
    const std::string path = folder.path("all" + suffix);
    std::vector<std::byte> blob;
    {
      VectorFile file(path, 3, 2);
      SolutionConsumer consumer(flood.basis, flood.settings(5, &file), nothing);
      flood.feed(consumer, 0, 200);
      blob = consumer.save();
      flood.feed(consumer, 200, 250);
      consumer.finish();
    }
    const std::string good = test::contentOf(path + ".part");
    const auto goesOn = [&] {
      VectorFile file(path, 3, 2);
      SolutionConsumer consumer(flood.basis, flood.settings(5, &file), nothing);
      consumer.restore(blob);
      flood.feed(consumer, 200, 300);
      consumer.finish();
      (void)file.publish();
    };
    goesOn();
    const std::string whole = test::contentOf(path);
    // Killed after the rename: the finished file is as good as the unfinished one.
    goesOn();
    CHECK((test::contentOf(path) == whole));
    std::filesystem::remove(path);
    int refused = 0;
    test::forEachDamage(good, test::scaled(100) == 100 ? 11 : 200, kConsumerSeed,
                        [&](const std::string& bad, const std::string& what) {
                          CAPTURE(what);
                          for (const bool finished : {false, true}) {
                            std::filesystem::remove(path);
                            std::filesystem::remove(path + ".part");
                            const std::string name = finished ? path : path + ".part";
                            test::writeFile(name, bad);
                            try {
                              goesOn();
                              CHECK((test::contentOf(path) == whole));
                            } catch (const CheckpointError& error) {
                              ++refused;
                              CHECK(test::contains(error.what(), name));
                              CHECK((test::contentOf(name) == bad));
                            }
                          }
                        });
    CHECK(refused > 10);
    std::filesystem::remove(path);
    std::filesystem::remove(path + ".part");
    CHECK_THROWS_AS(goesOn(), CheckpointError);
  }
}

TEST_CASE("the K best are the first K of all, sorted, ties by coefficients") {
  const Flood flood(4000);
  std::vector<BestVector> sorted = flood.vectors;
  std::sort(sorted.begin(), sorted.end());
  for (const std::uint64_t keep : {1, 2, 17, 1000, 3999, 5000}) {
    ConsumerSettings settings = flood.settings(keep);
    SolutionConsumer consumer(flood.basis, settings, nothing);
    flood.feed(consumer, 0, 4000);
    consumer.finish();
    const auto& best = consumer.best().best();
    REQUIRE(best.size() == std::min<std::uint64_t>(keep, 4000));
    CHECK(std::equal(best.begin(), best.end(), sorted.begin(),
                     [](const auto& a, const auto& b) { return a.coefficients == b.coefficients; }));
  }
}

TEST_CASE("of a search for the first K exactly K are taken, and the callback is told") {
  const Flood flood(500);
  int told = 0;
  ConsumerSettings settings = flood.settings(100);
  settings.first = 100;
  SolutionConsumer consumer(flood.basis, settings, [&] { ++told; });
  flood.feed(consumer, 0, 90);
  CHECK(told == 0);
  CHECK(!consumer.enough());
  flood.feed(consumer, 90, 500);
  CHECK(told > 0);
  CHECK(consumer.enough());
  consumer.finish();
  CHECK(consumer.best().size() == 100);
}

TEST_CASE("a vector whose exact norm is another, or too long, is an error of the run") {
  for (const double wrong : {1.0, 2e6}) {
    Flood flood(200);
    flood.append(wrong, {1, 1, 1});
    SolutionConsumer consumer(flood.basis, flood.settings(1000), nothing);
    flood.feed(consumer, 0, 200);
    CHECK_NOTHROW(consumer.finish());
    const auto more = [&] {
      flood.feed(consumer, 200, 201);
      consumer.finish();
    };
    CHECK_THROWS_WITH_AS(more(), doctest::Contains("but its exact norm is"), Error);
    CHECK_THROWS_AS((void)consumer.save(), Error);
  }
}

TEST_CASE("where norms in floating point do not decide, what is too long is rejected, tallied and saved") {
  const Flood flood(2000);
  std::vector<BestVector> sorted = flood.vectors;
  std::sort(sorted.begin(), sorted.end());
  const Integer most = sorted[700].squaredNorm;  // ties go either way with it
  Rejected expected;
  std::uint64_t within = 0;
  for (std::size_t i = 0; i < flood.vectors.size(); ++i) {
    if (flood.vectors[i].squaredNorm <= most) {
      ++within;
      continue;
    }
    std::vector<std::int16_t> emitted(3);
    std::memcpy(emitted.data(), flood.results.data() + i * flood.resultBytes + sizeof(double), 6);
    const std::uint64_t hash = vectorHash(emitted.data(), 3);
    ++expected.count;
    expected.fingerprint.sum += hash;
    expected.fingerprint.exclusiveOr ^= hash;
  }
  ConsumerSettings settings = flood.settings(3000);
  settings.maximumSquaredNorm = most;
  settings.certain = static_cast<double>(most) - 0.5;
  std::atomic<std::uint64_t> taken{0};
  settings.taken = &taken;
  std::vector<std::byte> blob;
  {
    SolutionConsumer consumer(flood.basis, settings, nothing);
    flood.feed(consumer, 0, 1234);
    CHECK(consumer.rejected().count > 0);
    CHECK(taken + consumer.rejected().count == 1234);
    blob = consumer.save();
  }
  taken = 0;
  SolutionConsumer consumer(flood.basis, settings, nothing);
  consumer.restore(blob);
  flood.feed(consumer, 1234, 2000);
  consumer.finish();
  CHECK(consumer.taken() == within);
  CHECK(consumer.rejected().count == expected.count);
  CHECK(taken == within);
  CHECK(consumer.rejected().fingerprint == expected.fingerprint);
  CHECK(consumer.best().size() == within);
  CHECK(std::prev(consumer.best().best().end())->squaredNorm == most);
}

TEST_CASE("rejected vectors do not count among the first K") {
  const Flood flood(500);
  ConsumerSettings settings = flood.settings(100);
  settings.maximumSquaredNorm = 2000;
  settings.certain = 0;
  std::uint64_t within = 0;
  for (const auto& vector : flood.vectors) within += vector.squaredNorm <= 2000 ? 1 : 0;
  REQUIRE(within > 10);
  settings.first = within;
  SolutionConsumer consumer(flood.basis, settings, nothing);
  flood.feed(consumer, 0, 500);
  consumer.finish();
  CHECK(consumer.enough());
  CHECK(consumer.taken() == within);
  for (const auto& vector : consumer.best().best()) CHECK(vector.squaredNorm <= 2000);
}

TEST_CASE("a file that cannot grow stops the producer and leaves nothing") {
  const test::TemporaryFolder folder;
  const Flood flood(4000);
  {
    VectorFile file(folder.path("all.txt"), 3, 8);
    SolutionConsumer consumer(flood.basis, flood.settings(1, &file), nothing);
    const test::FileSizeLimit limit(4096);
    const auto all = [&] {
      flood.feed(consumer, 0, 4000);
      consumer.finish();
    };
    CHECK_THROWS_AS(all(), Error);
    CHECK_THROWS_AS((void)consumer.save(), Error);
  }
  CHECK(std::filesystem::is_empty(std::filesystem::path(folder.path("all.txt")).parent_path()));
}

TEST_CASE("vectors made in floats are those of big integers, up to the largest coefficients") {
  MESSAGE("seed " << kConsumerSeed);
  std::mt19937_64 random(kConsumerSeed);
  for (const int bits : {1, 8, 15, 20, 30, 37}) {
    for (const int columns : {5, 8, 13}) {
      IntegerBasis basis{5, columns, {}};
      for (int i = 0; i < 5 * columns; ++i)
        basis.entries.emplace_back(static_cast<std::int64_t>(random() % (2ULL << bits)) - (1LL << bits));
      VectorMaker maker(basis);
      REQUIRE(maker.isNarrow());
      for (int i = 0; i < 200; ++i) {
        std::vector<std::int16_t> x(5);
        const int size = 1 << random() % 15;
        for (auto& c : x) c = static_cast<std::int16_t>(static_cast<int>(random() % (2 * size)) - size);
        maker.make(x);
        Integer norm = 0;
        for (int j = 0; j < columns; ++j) {
          Integer element = 0;
          for (int k = 0; k < 5; ++k)
            element += basis.at(k, j) * static_cast<int>(x[static_cast<std::size_t>(k)]);
          REQUIRE(maker.narrow()[static_cast<std::size_t>(j)] == element);
          norm += element * element;
        }
        CHECK(maker.squaredNorm() == norm);
        CHECK(maker.roundedNorm() == doctest::Approx(static_cast<double>(norm)).epsilon(1e-14));
        if (norm < (Integer(1) << 53)) CHECK(maker.roundedNorm() == static_cast<double>(norm));
      }
    }
  }
}
