// The batch driver and the rows of a device: whatever way a batch's rows take to the host - queued with the
// launch that finishes them, or copied by a commit - they are there when their slices count as done.
#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/core/batch/batch_driver.hpp"
#include "runtime/core/batch/emulated_device.hpp"
#include "runtime/core/hub.hpp"
#include "runtime/core/session_impl.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/factorizations/problem_factory.hpp"
#include "slicepool/factorizations/steps/ranked.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;

namespace {

const std::vector<std::uint64_t> kGenerators = {13, 37, 38, 40};
constexpr std::uint64_t kElement = 3000;

/// An emulator with memory of its own for rows: the problem's places are on the "device", and only copies
/// bring rows to `host`.
class SeparateRows final : public BatchDevice {
 public:
  struct Log {
    std::size_t queued = 0;   ///< launches that copied rows
    std::size_t commits = 0;  ///< copies asked for
    std::size_t launches = 0;
  };

  SeparateRows(const Problem& problem, std::vector<std::byte>& host, Log& log, EngineHub& hub,
               std::size_t stopAfter)
      : places_(problem.places()),
        host_(host),
        log_(log),
        hub_(hub),
        stopAfter_(stopAfter),
        inner_(makeEmulatedDevice(problem, {.lanes = 64})) {}

  [[nodiscard]] const DeviceInfo& info() const override { return inner_->info(); }
  [[nodiscard]] std::size_t deviceBytes() const override { return 0; }
  void upload(int slot, const std::byte* slices, std::uint32_t count) override {
    inner_->upload(slot, slices, count);
  }
  void launch(int slot, const BatchLaunch& settings) override {
    queued_[slot].assign(settings.rows.begin(), settings.rows.end());
    BatchLaunch without = settings;
    without.rows = {};
    inner_->launch(slot, without);
    if (++log_.launches == stopAfter_) hub_.stop();
  }
  BatchSummary wait(int slot) override {
    BatchSummary summary = inner_->wait(slot);
    for (const RankRange& range : queued_[slot]) copy(range);
    summary.rowsCopied = !queued_[slot].empty();
    if (summary.rowsCopied) ++log_.queued;
    return summary;
  }
  void download(int slot, std::byte* slices, std::uint32_t count, bool remove) override {
    inner_->download(slot, slices, count, remove);
  }
  void readWords(int slot, std::uint64_t* words) override { inner_->readWords(slot, words); }
  void takeResults(int slot, std::byte* results, std::uint32_t count) override {
    inner_->takeResults(slot, results, count);
  }
  void copyRows(int, RankRange ranks) override {
    ++log_.commits;
    copy(ranks);
  }

 private:
  void copy(RankRange range) {
    const std::size_t offset = (range.begin - places_.window.begin) * places_.rowBytes;
    std::memcpy(host_.data() + offset, places_.base + offset, (range.end - range.begin) * places_.rowBytes);
  }

  Places places_;
  std::vector<std::byte>& host_;
  Log& log_;
  EngineHub& hub_;
  std::size_t stopAfter_;
  std::unique_ptr<BatchDevice> inner_;
  std::vector<RankRange> queued_[kBatchSlots];
};

struct Driven {
  std::vector<std::byte> host;    ///< what copies brought
  std::vector<std::byte> device;  ///< what steps wrote
  std::vector<RankRange> unfinished;
  std::uint64_t counted = 0;
  SeparateRows::Log log;
};

/// Rows of `kElement` at `rows`, which holds them all: two bytes a coordinate.
ProblemSpec specOfRows(std::vector<std::byte>& rows) {
  ProblemSpec spec;
  spec.generators = kGenerators;
  spec.element = kElement;
  spec.algorithm = Algorithm::ranked;
  spec.rankCounts = std::make_shared<RankCounts>(makeRankCounts(kGenerators, kElement));
  const std::uint64_t total = spec.rankCounts->total;
  rows.assign(total * kGenerators.size() * 2, std::byte{0xee});
  spec.rows = ProblemSpec::Rows{rows.data(), {0, total}, 2};
  return spec;
}

/// Drives `slices` slices of all rows with a fixed budget, and stops after `stopAfter` launches.
Driven drive(std::uint64_t budget, std::uint64_t slices, std::size_t stopAfter) {
  Driven driven;
  const ProblemSpec spec = specOfRows(driven.device);
  const std::uint64_t total = spec.rankCounts->total;
  driven.host.assign(driven.device.size(), std::byte{0xdd});
  const auto problem = makeProblem(spec);

  EngineOptions options;
  EngineHub hub(*problem, options, nullptr);
  const auto driver = makeBatchDriver(
      *problem, std::make_unique<SeparateRows>(*problem, driven.host, driven.log, hub, stopAfter),
      {.fixedBudget = budget}, 0);
  hub.setAccounts(driver->accounts());
  hub.setTotal(static_cast<double>(total), 0);
  hub.startClock();
  hub.begin();
  for (std::uint64_t i = 0; i < slices; ++i) {
    const RankedSlice slice{total * i / slices, total * (i + 1) / slices};
    hub.addOutstanding(1);
    hub.putBack(reinterpret_cast<const std::byte*>(&slice), 1);
  }
  driver->drain(hub);
  hub.rethrow();
  const auto left = hub.drainSlices();
  for (std::size_t at = 0; at < left.size(); at += sizeof(RankedSlice))
    driven.unfinished.push_back(problem->ranks(left.data() + at));
  auto words = problem->words().fresh();
  driver->mergeInto(problem->words(), words.data());
  driven.counted = words[0];
  return driven;
}

/// Every row but those of unfinished slices is on the host.
void checkHost(Driven driven) {
  const std::size_t rowBytes = kGenerators.size() * 2;
  std::uint64_t open = 0;
  for (const RankRange& range : driven.unfinished) {
    open += range.end - range.begin;
    std::memset(driven.host.data() + range.begin * rowBytes, 0, (range.end - range.begin) * rowBytes);
    std::memset(driven.device.data() + range.begin * rowBytes, 0, (range.end - range.begin) * rowBytes);
  }
  CHECK(driven.counted + open == driven.device.size() / rowBytes);
  CHECK(driven.host == driven.device);
}

}  // namespace

TEST_CASE("rows queued with the launches that finish them need no copy of a commit") {
  const Driven driven = drive(std::uint64_t{1} << 40, 40, 0);
  CHECK(driven.log.queued == driven.log.launches);
  CHECK(driven.log.commits == 0);
  CHECK(driven.unfinished.empty());
  checkHost(driven);
}

TEST_CASE("rows of slices that no launch will finish are copied by commits") {
  const Driven driven = drive(5, 40, 0);
  CHECK(driven.log.launches > 8);
  CHECK(driven.log.commits != 0);
  CHECK(driven.unfinished.empty());
  checkHost(driven);
}

TEST_CASE("a stop at any launch leaves the rows of all that is done on the host") {
  for (const std::uint64_t budget : {std::uint64_t{5}, std::uint64_t{70}, std::uint64_t{1} << 40}) {
    for (std::size_t launch = 1; launch <= 8; ++launch) {
      INFO("budget " << budget << ", stopped at launch " << launch);
      checkHost(drive(budget, 40, launch));
    }
  }
}

TEST_CASE("rows are left to CPU workers where earlier runs say that a device copies them too slowly") {
  std::vector<std::byte> rows;
  const ProblemSpec spec = specOfRows(rows);
  const std::uint64_t total = spec.rankCounts->total;
  const auto problem = makeProblem(spec);
  const auto session = std::make_shared<Session>();
  session->impl().learnRate(*problem, "cpu", 1e9);
  session->impl().learnRate(*problem, "emulated", 1e8);
  EngineOptions options;
  options.session = session;
  options.mode = Mode::emulated;
  options.emulator.withCpuWorkers = true;
  options.threads = 2;
  Engine engine(*problem, options);
  engine.run();
  CHECK(engine.report().complete);
  std::uint64_t steps = 0;
  for (const WorkerReport& worker : engine.report().workers) {
    steps += worker.steps;
    if (worker.kind == "emulated") CHECK(worker.steps == 0);
  }
  CHECK(steps == total);
}
