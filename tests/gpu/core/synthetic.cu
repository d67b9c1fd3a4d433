// The generic kernels and the CUDA device on synthetic workloads whose answers are known: sets of results,
// split partitions, full buffers, copies, errors, and the engine on top. Quick enough for compute-sanitizer.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/cuda/workload.cuh"
#include "support/collector.hpp"
#include "support/gpu.hpp"
#include "support/interval_workload.hpp"
#include "tests/gpu/batch_runner.hpp"

using namespace slicepool;
using test::IntervalWorkload;

namespace {

// The other files of this folder are plain C++: the registry is filled for all of them here.
const bool kRegistered = (registerCudaKernels(), true);

/// Every integer is a result, so that a sink that refuses everything stops every turn before its first step.
struct Everything {
  using View = IntervalWorkload::View;
  using Slice = IntervalWorkload::Slice;
  template <class Emit>
  SLICEPOOL_HD static Turn advance(const View&, Slice& slice, Budget& budget, Emit& emit) {
    for (; slice.begin < slice.end; ++slice.begin, --budget.left) {
      if (budget.left == 0) return Turn::budgetSpent;
      if (!emit(slice.begin)) return Turn::sinkFull;
    }
    return Turn::exhausted;
  }
  SLICEPOOL_HD static bool split(const View& view, Slice& kept, Slice& given) {
    return IntervalWorkload::split(view, kept, given);
  }
};

/// Refuses every result: a launch does nothing but split.
struct Refuse {
  struct View {};
  static constexpr std::size_t kResultBytes = 0;
  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View&, const SinkMemory&) {}
    template <class R>
    SLICEPOOL_INLINE bool operator()(const R&) {
      return false;
    }
    SLICEPOOL_INLINE void flush() {}
  };
  [[nodiscard]] static WordLayout layout() { return {{{Merge::add, 1, 0}}}; }
};

/// Every kind of merge over the results, and the least result in the shared word.
struct AllMerges {
  struct View {};
  static constexpr std::size_t kResultBytes = 0;
  struct Emitter {
    SLICEPOOL_INLINE Emitter(const View&, const SinkMemory& sinkMemory) : memory(sinkMemory) {}
    SLICEPOOL_INLINE bool operator()(std::uint64_t result) {
      mergeWord<Merge::add>(memory.words, 1);
      mergeWord<Merge::minimum>(memory.words + 1, mix64(result));
      mergeWord<Merge::maximum>(memory.words + 2, mix64(result));
      mergeWord<Merge::exclusiveOr>(memory.words + 3, mix64(result));
      mergeWord<Merge::add>(memory.words + 4 + result % 100, 1);
      mergeWord<Merge::minimum>(memory.shared, result);
      return true;
    }
    SLICEPOOL_INLINE void flush() {}
    SinkMemory memory;
  };
  [[nodiscard]] static WordLayout layout() {
    return {{{Merge::add, 1, 0},
             {Merge::minimum, 1, std::numeric_limits<std::uint64_t>::max()},
             {Merge::maximum, 1, 0},
             {Merge::exclusiveOr, 1, 0},
             {Merge::add, 100, 0}}};
  }
};

SLICEPOOL_CUDA_WORKLOAD(IntervalWorkload, Collect<std::uint64_t>);
SLICEPOOL_CUDA_WORKLOAD(IntervalWorkload, Count);
SLICEPOOL_CUDA_WORKLOAD(IntervalWorkload, AllMerges);
SLICEPOOL_CUDA_WORKLOAD(Everything, Refuse);

template <class W, class S>
TypedProblem<W, S> interval(std::uint64_t n, std::uint64_t salt = 5) {
  ProblemTraits traits;
  traits.workload = "interval";
  traits.totalSteps = static_cast<double>(n);
  return {IntervalWorkload::View{salt, true}, {{0, n / 3}, {n / 3, n}}, traits};
}

DeviceOptions lanes(std::uint32_t count, std::uint32_t capacity = 0) {
  DeviceOptions options;
  options.lanes = count;
  options.resultCapacity = capacity;
  return options;
}

std::vector<std::byte> bytesOf(const std::vector<IntervalWorkload::Slice>& slices) {
  std::vector<std::byte> bytes(slices.size() * sizeof(slices[0]));
  std::memcpy(bytes.data(), slices.data(), bytes.size());
  return bytes;
}

std::vector<IntervalWorkload::Slice> downloaded(BatchDevice& device, int slot, std::uint32_t count,
                                                bool remove) {
  std::vector<IntervalWorkload::Slice> slices(count);
  device.download(slot, reinterpret_cast<std::byte*>(slices.data()), count, remove);
  return slices;
}

/// Checks that the slices are disjoint and together are [0, n).
void checkPartition(std::vector<IntervalWorkload::Slice> slices, std::uint64_t n) {
  std::sort(slices.begin(), slices.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::uint64_t next = 0;
  for (const auto& slice : slices) {
    CHECK(slice.begin == next);
    CHECK(slice.begin < slice.end);
    next = slice.end;
  }
  CHECK(next == n);
}

}  // namespace

TEST_SUITE_BEGIN("gpu-small");

TEST_CASE("gpu: lanes, budgets, block sizes and result buffers do not change the set of results") {
  if (!test::gpuUsable()) return;
  const auto problem = interval<IntervalWorkload, Collect<std::uint64_t>>(6000);
  const auto expected = test::runOnHost(problem);
  CHECK(expected.results.size() == IntervalWorkload::expected(5, 6000).size());
  struct Case {
    std::uint32_t lanes, capacity, blockSize;
    std::uint64_t budget;
    std::uint32_t fillTarget;
  };
  for (const Case& c : {Case{2, 1, 32, 50, 2}, Case{64, 7, 64, 40, 64}, Case{1500, 100, 128, 3, 1500},
                        Case{4096, 0, 256, 1000, 4096}, Case{4096, 3, 64, 1, 100}, Case{1024, 50, 64, 500, 0},
                        Case{3000, 0, 96, 2, 2500}}) {
    CAPTURE(c.lanes);
    CAPTURE(c.capacity);
    CAPTURE(c.budget);
    const auto device = test::makeDevice(problem, lanes(c.lanes, c.capacity));
    const auto outcome = test::runOnDevice(*device, problem, {c.budget, c.blockSize, c.fillTarget});
    CHECK(outcome.results == expected.results);
    CHECK(outcome.words == expected.words);
    CHECK(outcome.steps == expected.steps);
    if (c.capacity != 0 && c.capacity < 50) CHECK(outcome.refusals != 0);
  }
}

TEST_CASE("gpu: launches that only split give a partition, as many slices as were asked for") {
  if (!test::gpuUsable()) return;
  constexpr std::uint64_t kSize = 100'000;
  for (const std::uint32_t target : {1U, 2U, 3U, 700U, 1024U, 5000U, 40'000U}) {
    CAPTURE(target);
    const auto problem = interval<Everything, Refuse>(kSize);
    const auto device = test::makeDevice(problem, lanes(40'000));
    device->upload(0, problem.roots().data(), 2);
    device->launch(0, {10, 64, target});
    const BatchSummary summary = device->wait(0);
    CHECK(summary.live == summary.splits + 2);
    CHECK(summary.sinkFull == summary.live);
    CHECK(summary.steps == 0);
    CHECK(summary.live <= std::max(target, 2U));
    CHECK(2 * summary.live > target);
    checkPartition(downloaded(*device, 0, summary.live, true), kSize);
  }
}

TEST_CASE("gpu: splitting stops at slices that cannot be cut") {
  if (!test::gpuUsable()) return;
  const auto problem = interval<Everything, Refuse>(30);
  const auto device = test::makeDevice(problem, lanes(4096));
  device->upload(1, problem.roots().data(), 2);
  device->launch(1, {1, 64, 4096});
  CHECK(device->wait(1).live == 30);
  device->launch(1, {1, 64, 4096});
  const BatchSummary summary = device->wait(1);
  CHECK(summary.splits == 0);
  checkPartition(downloaded(*device, 1, summary.live, false), 30);
}

TEST_CASE("gpu: slices come back as they went up, from the end, in both batches") {
  if (!test::gpuUsable()) return;
  const auto problem = interval<Everything, Refuse>(10);
  const auto device = test::makeDevice(problem, lanes(100'000));
  std::vector<IntervalWorkload::Slice> slices(60'000);
  for (std::size_t i = 0; i < slices.size(); ++i) slices[i] = {2 * i, 2 * i + 1};
  const auto up = bytesOf(slices);
  for (int slot = 0; slot < kBatchSlots; ++slot) {
    device->upload(slot, up.data(), 50'000);
    device->upload(slot, up.data() + 50'000 * sizeof(slices[0]), 10'000);
    const auto last = downloaded(*device, slot, 100, true);
    CHECK(last.front().begin == slices[59'900].begin);
    CHECK(last.back().begin == slices[59'999].begin);
    const auto rest = downloaded(*device, slot, 59'900, false);
    CHECK(std::memcmp(rest.data(), slices.data(), rest.size() * sizeof(rest[0])) == 0);
    CHECK_THROWS_AS(device->upload(slot, up.data(), 60'000), DeviceError);
  }
}

TEST_CASE("gpu: words of every merge are what the host computes, and the shared word is the lowest") {
  if (!test::gpuUsable()) return;
  const auto problem = interval<IntervalWorkload, AllMerges>(20'000);
  const auto expected = test::runOnHost(problem);
  const auto device = test::makeDevice(problem, lanes(2048));
  CHECK(device->exchangeShared(std::numeric_limits<std::uint64_t>::max()) == problem.sharedStart());
  const auto outcome = test::runOnDevice(*device, problem, {64, 64, 2048});
  CHECK(outcome.words == expected.words);
  const std::uint64_t lowest = IntervalWorkload::expected(5, 20'000).front();
  CHECK(device->exchangeShared(std::numeric_limits<std::uint64_t>::max()) == lowest);
  CHECK(device->exchangeShared(lowest + 1) == lowest);
  if (lowest > 0) CHECK(device->exchangeShared(lowest - 1) == lowest - 1);
}

TEST_CASE("gpu: a launch that CUDA refuses is a CudaError, and the next device works") {
  if (!test::gpuUsable()) return;
  const auto problem = interval<IntervalWorkload, Count>(5000);
  {
    const auto device = test::makeDevice(problem, lanes(256));
    device->upload(0, problem.roots().data(), 2);
    CHECK_THROWS_AS(device->launch(0, {10, 1U << 20U, 256}), CudaError);
  }
  {
    const auto device = test::makeDevice(problem, lanes(256));
    device->upload(0, problem.roots().data(), 2);
    CHECK_THROWS_AS(device->launch(0, {10, 48, 256}), DeviceError);
    device->launch(0, {10, 64, 256});
    CHECK_THROWS_AS(device->upload(0, problem.roots().data(), 2), DeviceError);
  }
  const auto device = test::makeDevice(problem, lanes(256));
  CHECK(test::runOnDevice(*device, problem, {10, 0, 256}).words == test::runOnHost(problem).words);
}

TEST_CASE("gpu: what does not exist or does not fit is refused with the reason") {
  if (!test::gpuUsable()) return;
  const auto problem = interval<IntervalWorkload, Count>(100);
  DeviceOptions tooSmall = lanes(1'000'000);
  tooSmall.memoryLimit = 1U << 20U;
  CHECK_THROWS_AS(test::makeDevice(problem, tooSmall), LimitError);
  DeviceOptions missing;
  missing.deviceIndex = 4096;
  CHECK_THROWS_AS(test::makeDevice(problem, missing), DeviceError);
}

TEST_CASE("gpu: the device describes itself, and fills itself by its own choice of lanes") {
  if (!test::gpuUsable()) return;
  const auto problem = interval<IntervalWorkload, Count>(50'000'000);
  const auto device = test::makeDevice(problem, {});
  const DeviceInfo& info = device->info();
  CHECK(info.kind == "gpu");
  CHECK(info.name == listGpus().gpus.at(0).name);
  CHECK(info.busyLanes > 0);
  CHECK(info.lanes >= info.busyLanes);
  CHECK(!info.blockSizes.empty());
  CHECK(device->deviceBytes() > std::size_t{info.lanes} * problem.sliceBytes());
  device->upload(0, problem.roots().data(), 2);
  device->launch(0, {1, 0, info.lanes});
  const BatchSummary summary = device->wait(0);
  CHECK(2 * summary.live > info.lanes);
  CHECK(summary.steps == summary.live);
  CHECK(summary.milliseconds > 0);
}

TEST_CASE("engine: gpu and hybrid give the set that the CPU gives") {
  if (!test::gpuUsable()) return;
  constexpr std::uint64_t kSize = 300'000;
  const auto problem = interval<IntervalWorkload, Collect<std::uint64_t>>(kSize);
  const auto expected = IntervalWorkload::expected(5, kSize);
  for (const Mode mode : {Mode::gpu, Mode::hybrid}) {
    for (const std::uint32_t capacity : {0U, 1000U}) {
      EngineOptions options;
      options.mode = mode;
      options.threads = 2;
      options.device.lanes = 8192;
      options.device.resultCapacity = capacity;
      test::Collector<std::uint64_t> collector;
      Engine engine(problem, options, &collector);
      engine.run();
      const RunReport report = engine.report();
      CHECK(report.complete);
      CHECK(report.steps == kSize);
      CHECK(collector.sorted() == expected);
      CHECK(report.words.at(0) == expected.size());
      if (mode == Mode::gpu)
        for (const auto& worker : report.workers) CHECK((worker.kind == "gpu" || worker.steps == 0));
    }
  }
}

TEST_SUITE_END();
