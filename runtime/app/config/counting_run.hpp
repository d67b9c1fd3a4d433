// The run of a workload whose answer is how many results a search has: all that such a front needs beside its
// table of parameters. A workload with more to say has an Enumeration of its own (enumeration_run.hpp).
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "runtime/app/config/front.hpp"
#include "runtime/core/checkpoint.hpp"
#include "runtime/core/engine_slot.hpp"
#include "runtime/io/output_guard.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/problem.hpp"

namespace slicepool::config {

/// Search of workload `W` (slicepool/core/workload.hpp) from `roots`, into the sink Count.
template <class W>
class CountingRun : public WorkloadRun {
 public:
  /// `identity`: what determines the count; a checkpoint of another one is refused.
  CountingRun(const RunConfig& config, const Json& identity, const typename W::View& view,
              std::vector<typename W::Slice> roots)
      : workload_(config.workload), options_(config.engine), problem_(view, std::move(roots), traits()) {
    slot_.useClock(options_);
    if (!config.outputPath.empty())
      throw ConfigError("output.path", describeValue(Json(config.outputPath)),
                        "no output: this workload counts");
    options_.checkpointIdentity = canonicalText(identity);
    guard_.claim({{"trace", options_.tracePath, OutputNeed::text},
                  {"checkpoint", options_.checkpointPath, OutputNeed::checkpoint}});
    if (options_.mode == Mode::gpu || options_.mode == Mode::hybrid) {
      const PhaseScope waiting(&slot_.clock(), Phase::devices);
      expectGpus(options_.device.deviceIndex, options_.devices);
    }
  }

  void resumeFrom(const std::string& path) override {
    if (path == "auto") {
      if (checkpointIsThere(options_.checkpointPath, "a checkpoint file"))
        resumeFrom(options_.checkpointPath);
      return;
    }
    guard_.resume(path, !options_.checkpointPath.empty(),
                  [&] { (void)readCheckpointHeaderOf(path, workload_, options_.checkpointIdentity); });
    resumePath_ = path;
    // Without a path of its own a second interruption would lose what the first one saved.
    if (options_.checkpointPath.empty()) options_.checkpointPath = path;
  }

  void run() override {
    const ReleaseAtEnd release(guard_);
    report_ = slot_.run(problem_, options_, nullptr, 1, resumePath_);
    for (const auto& warning : guard_.warnings()) report_.warnings.push_back(warning);
    finished_ = report_.complete;
    if (finished_) removeCheckpoints({options_.checkpointPath, resumePath_});
    slot_.finishTimes(report_);
  }

  void cancel() noexcept override { slot_.cancel(); }
  [[nodiscard]] bool stepping() const noexcept override { return slot_.stepping(); }
  [[nodiscard]] bool finished() const override { return finished_; }
  [[nodiscard]] Progress progress() const override { return slot_.progress(); }
  void collect() override {}
  [[nodiscard]] const RunReport& report() const override { return report_; }
  [[nodiscard]] std::string savedTo() const override {
    return finished_ ? std::string{} : options_.checkpointPath;
  }

  [[nodiscard]] Answers answers() const override {
    Answers answers;
    answers.add(finished_ ? "count" : "partial_count", exactNumber(count()),
                finished_ ? "count" : "partial count", std::to_string(count()));
    return answers;
  }

 protected:
  /// After run(): results found.
  [[nodiscard]] std::uint64_t count() const { return report_.words.at(0); }

 private:
  [[nodiscard]] ProblemTraits traits() const {
    ProblemTraits traits;
    traits.workload = workload_;
    return traits;
  }

  std::string workload_;
  EngineOptions options_;
  OutputGuard guard_;
  TypedProblem<W, Count> problem_;
  EngineSlot slot_;
  std::string resumePath_;
  RunReport report_;
  std::atomic<bool> finished_{false};
};

}  // namespace slicepool::config
