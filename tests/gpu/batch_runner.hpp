// Runs a problem to its end through a BatchDevice, without the engine, and through the plain step on the
// host, so that the two can be compared. Included by the tests of this folder.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "slicepool/core/problem.hpp"
#include "slicepool/detail/batch_device.hpp"

namespace slicepool::test {

/// What a run leaves behind. Results are sorted as byte strings: order is not promised.
struct BatchOutcome {
  std::vector<std::uint64_t> words;
  std::vector<std::string> results;
  std::uint64_t steps = 0;
  std::uint64_t splits = 0;
  std::uint64_t launches = 0;
  std::uint64_t refusals = 0;
};

inline void appendResults(BatchOutcome& outcome, const std::vector<std::byte>& buffer, std::size_t bytes) {
  if (bytes == 0) return;
  for (std::size_t at = 0; at + bytes <= buffer.size(); at += bytes)
    outcome.results.emplace_back(reinterpret_cast<const char*>(buffer.data()) + at, bytes);
}

/// The plain step on one root after the other, `budget` steps a turn.
inline BatchOutcome runOnHost(const Problem& problem, std::uint64_t budget = ~std::uint64_t{0}) {
  BatchOutcome outcome;
  outcome.words = problem.words().fresh();
  constexpr std::uint32_t kCapacity = 1000;
  std::vector<std::byte> buffer(kCapacity * problem.resultBytes());
  std::uint64_t shared = problem.sharedStart();
  std::vector<std::byte> roots = problem.roots();
  for (std::size_t at = 0; at < roots.size(); at += problem.sliceBytes()) {
    for (Turn turn = Turn::budgetSpent; turn != Turn::exhausted;) {
      std::uint32_t count = 0;
      Budget left{budget};
      const SinkMemory memory{outcome.words.data(), buffer.data(), &count,
                              problem.resultBytes() != 0 ? kCapacity : 0, &shared};
      turn = problem.advance(roots.data() + at, left, memory);
      outcome.steps += budget - left.left;
      appendResults(
          outcome,
          {buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count * problem.resultBytes())},
          problem.resultBytes());
    }
  }
  std::sort(outcome.results.begin(), outcome.results.end());
  return outcome;
}

/// The device for this type of problem; fails the test when no kernels are registered.
inline std::unique_ptr<BatchDevice> makeDevice(const Problem& problem, const DeviceOptions& options) {
  const DeviceFactory* factory = findDeviceFactory(problem.type());
  REQUIRE(factory != nullptr);
  return (*factory)(problem, options);
}

inline void takeAll(BatchDevice& device, const Problem& problem, int slot, std::uint32_t count,
                    BatchOutcome& outcome) {
  if (problem.resultBytes() == 0 || count == 0) return;
  std::vector<std::byte> buffer(count * problem.resultBytes());
  device.takeResults(slot, buffer.data(), count);
  appendResults(outcome, buffer, problem.resultBytes());
}

/// Launches with `settings` until nothing is live. Roots alternate between the two batches; when one batch is
/// empty, half of the other moves over, so that both work and slices travel through the host.
inline BatchOutcome runOnDevice(BatchDevice& device, const Problem& problem, const BatchLaunch& settings) {
  BatchOutcome outcome;
  const std::size_t bytes = problem.sliceBytes();
  std::uint32_t live[kBatchSlots] = {};
  for (std::size_t at = 0; at < problem.roots().size(); at += bytes) {
    const int slot = static_cast<int>((at / bytes) % kBatchSlots);
    device.upload(slot, problem.roots().data() + at, 1);
    ++live[slot];
  }
  while (live[0] + live[1] != 0) {
    for (int slot = 0; slot < kBatchSlots; ++slot) {
      if (live[slot] == 0 && live[1 - slot] > 1) {
        const std::uint32_t moved = live[1 - slot] / 2;
        std::vector<std::byte> slices(moved * bytes);
        device.download(1 - slot, slices.data(), moved, true);
        device.upload(slot, slices.data(), moved);
        live[1 - slot] -= moved;
        live[slot] += moved;
      }
    }
    for (int slot = 0; slot < kBatchSlots; ++slot) device.launch(slot, settings);
    for (int slot = 0; slot < kBatchSlots; ++slot) {
      const BatchSummary summary = device.wait(slot);
      CHECK(summary.live <= device.info().lanes);
      CHECK(summary.live <= live[slot] + summary.splits);
      live[slot] = summary.live;
      outcome.steps += summary.steps;
      outcome.splits += summary.splits;
      outcome.refusals += summary.sinkFull;
      ++outcome.launches;
      takeAll(device, problem, slot, summary.resultCount, outcome);
    }
    REQUIRE(outcome.launches < 10'000'000);
  }
  outcome.words = problem.words().fresh();
  std::vector<std::uint64_t> words(problem.words().size());
  for (int slot = 0; slot < kBatchSlots; ++slot) {
    device.readWords(slot, words.data());
    mergeWords(problem.words(), outcome.words.data(), words.data());
    if (problem.places().rowBytes != 0) device.copyRows(slot, problem.places().window);
  }
  std::sort(outcome.results.begin(), outcome.results.end());
  return outcome;
}

}  // namespace slicepool::test
