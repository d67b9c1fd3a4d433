// The enumeration front in the modes of a GPU against the CPU: rows into pinned and into plain memory, whole
// and as a range of ranks, and every reduction, with the stored tails that the front itself chooses.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/session.hpp"
#include "support/factorizations/front.hpp"
#include "support/gpu.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using slicepool::testing::engineOptions;
using slicepool::testing::outcomeOf;
using slicepool::testing::request;

namespace {

struct Set {
  std::vector<std::uint64_t> generators;
  std::uint64_t element;
};

// 3 to 9 coordinates; a common divisor; a large set that takes several launches.
const std::vector<Set> kSmallSets = {
    {{7, 11, 13}, 4000}, {{12, 18, 30, 45, 8}, 600}, {{13, 37, 38, 40, 41, 42}, 900}};
const std::vector<Set> kLargeSets = {{{13, 37, 38, 40, 41, 42, 43, 44, 45}, 900}, {{13, 37, 38, 40}, 20'000}};

std::size_t rowBytesTotal(const Set& set, unsigned elementBytes) {
  const Outcome counted =
      outcomeOf(request(set.generators, set.element, SinkKind::count), engineOptions(Mode::cpu));
  return std::stoull(counted.count) * set.generators.size() * elementBytes;
}

/// `bytes` of rows in `memory`, and what lies behind them stays as it was.
std::vector<std::byte> rowsInto(Request wanted, Mode mode, const std::shared_ptr<std::byte[]>& memory,
                                std::size_t bytes) {
  constexpr std::size_t kGuard = 64;
  std::memset(memory.get(), 0xee, bytes + kGuard);
  wanted.output.memory = memory.get();
  wanted.output.memoryBytes = bytes;
  (void)outcomeOf(wanted, engineOptions(mode));
  for (std::size_t i = 0; i < kGuard; ++i) CHECK(memory[bytes + i] == std::byte{0xee});
  return {memory.get(), memory.get() + bytes};
}

void checkRows(const Set& set) {
  for (const unsigned elementBytes : {2U, 4U}) {
    INFO("d = " << set.generators.size() << ", n = " << set.element << ", " << elementBytes << " bytes");
    const std::size_t bytes = rowBytesTotal(set, elementBytes);
    const auto pinned = transferMemory(bytes + 64);
    const std::shared_ptr<std::byte[]> plain(new std::byte[bytes + 64]);
    Request wanted = request(set.generators, set.element, SinkKind::rows);
    wanted.output.elementBytes = elementBytes;
    const auto expected = rowsInto(wanted, Mode::cpu, plain, bytes);
    for (const Mode mode : {Mode::gpu, Mode::hybrid}) {
      CHECK(rowsInto(wanted, mode, pinned, bytes) == expected);
      CHECK(rowsInto(wanted, mode, plain, bytes) == expected);
    }
    const std::uint64_t rows = bytes / (set.generators.size() * elementBytes);
    const std::uint64_t from = rows / 3;
    const std::uint64_t to = rows - rows / 5;
    wanted.ranks = RankInterval{std::to_string(from), std::to_string(to)};
    const std::size_t rowBytes = set.generators.size() * elementBytes;
    const auto part = rowsInto(wanted, Mode::gpu, pinned, (to - from) * rowBytes);
    CHECK(std::memcmp(part.data(), expected.data() + from * rowBytes, part.size()) == 0);
  }
}

void checkReductions(const Set& set) {
  INFO("d = " << set.generators.size() << ", n = " << set.element);
  for (const SinkKind kind :
       {SinkKind::fingerprint, SinkKind::lengths, SinkKind::extremes, SinkKind::coordinateMaxima}) {
    Request wanted = request(set.generators, set.element, kind, Algorithm::ranked);
    const Outcome expected = outcomeOf(wanted, engineOptions(Mode::cpu));
    for (const Mode mode : {Mode::gpu, Mode::hybrid}) {
      const Outcome got = outcomeOf(wanted, engineOptions(mode));
      CHECK(got.count == expected.count);
      CHECK(got.run.words == expected.run.words);
      CHECK(got.run.warnings.empty());
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("gpu-small");

TEST_CASE("factorizations front on a GPU: rows in pinned and plain memory are the CPU's") {
  if (!test::gpuUsable()) return;
  for (const Set& set : kSmallSets) checkRows(set);
}

TEST_CASE("factorizations front on a GPU: reductions are the CPU's") {
  if (!test::gpuUsable()) return;
  for (const Set& set : kSmallSets) checkReductions(set);
}

TEST_CASE(
    "factorizations front on a GPU: a checkpoint of all rows goes on where the GPU holds a part of them") {
  if (!test::gpuUsable()) return;
  const test::TemporaryFolder folder;
  Request wanted = request({13, 37, 38, 40}, 9000, SinkKind::rows);
  wanted.output.path = folder.path("whole.npy");
  const Outcome whole = outcomeOf(wanted, engineOptions(Mode::cpu));
  for (const Mode mode : {Mode::hybrid, Mode::gpu}) {
    CAPTURE(static_cast<int>(mode));
    wanted.output.path = folder.path("stopped.npy");
    EngineOptions options = engineOptions(Mode::cpu);
    options.checkpointPath = folder.path("checkpoint");
    options.stepLimit = 1000;
    REQUIRE_FALSE(outcomeOf(wanted, options).run.complete);
    options.mode = mode;
    options.stepLimit = 0;
    options.session = std::make_shared<Session>();  // whose rates are unknown, so that a GPU would write rows
    options.device.memoryLimit = 1;                 // a row at a time
    Enumeration rest(wanted, options);
    if (mode == Mode::gpu) {
      CHECK_THROWS_AS(rest.resumeFrom(options.checkpointPath), CheckpointError);
      continue;
    }
    rest.resumeFrom(options.checkpointPath);
    rest.run();
    const Outcome outcome = rest.outcome();
    CHECK(outcome.run.complete);
    CHECK(outcome.count == whole.count);
    CHECK(test::contentOf(wanted.output.path) == test::contentOf(folder.path("whole.npy")));
    CHECK(outcome.run.automatic.value().reason.find("one run over all rows") < 100);
  }
}

TEST_SUITE_END();

TEST_CASE("factorizations front on a GPU: sets of several launches") {
  if (!test::gpuUsable()) return;
  for (const Set& set : kLargeSets) {
    checkRows(set);
    checkReductions(set);
  }
}
