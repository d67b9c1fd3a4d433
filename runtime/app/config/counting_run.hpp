// The run of a workload whose answer is how many results a search has: all that such a front needs beside its
// table of parameters. A workload with more to say has an Enumeration of its own (enumeration_run.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/core/checkpoint.hpp"
#include "runtime/core/run_life.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/core/run_handle.hpp"

namespace slicepool::config {

/// Search of workload `W` (slicepool/core/workload.hpp) from `roots`, into the sink Count.
template <class W>
class Counting final : public RunHandle {
 public:
  struct Request {
    std::string workload;
    std::string identity;  ///< what determines the count; a checkpoint of another one is refused
    typename W::View view;
    std::vector<typename W::Slice> roots;
  };
  struct Outcome {
    std::uint64_t count = 0;  ///< results found
    RunReport run;
    std::string checkpointPath;  ///< of an unfinished run
  };

  Counting(Request request, EngineOptions options)
      : RunHandle(std::make_unique<Impl>(std::move(request), std::move(options))) {}

  [[nodiscard]] Outcome outcome() { return static_cast<Impl&>(this->life()).outcome(); }

 private:
  class Impl final : public EngineLife {
   public:
    Impl(Request request, EngineOptions options)
        : EngineLife(std::move(options)),
          problem_(request.view, std::move(request.roots), traitsOf(request.workload)) {
      options_.checkpointIdentity = std::move(request.identity);
      guard_.claim({{"trace", options_.tracePath, OutputNeed::text},
                    {"checkpoint", options_.checkpointPath, OutputNeed::checkpoint}});
      expectDevices();
      limitMemory();
    }

    [[nodiscard]] Outcome outcome() { return handOver(outcome_); }

   private:
    static ProblemTraits traitsOf(const std::string& workload) {
      ProblemTraits traits;
      traits.workload = workload;
      return traits;
    }
    void readCheckpoint(const std::string& path) override {
      (void)readCheckpointHeaderOf(path, problem_.workload(), options_.checkpointIdentity);
    }
    void execute() override {
      report_ = slot_.run(problem_, options_, nullptr, 1, resumePath_);
      outcome_.count = report_.words.at(0);
      conclude();
    }

    TypedProblem<W, Count> problem_;
    Outcome outcome_;
  };
};

/// `identity`: what determines the count.
template <class W>
class CountingRun : public EnumerationRun<Counting<W>> {
 public:
  CountingRun(const RunConfig& config, const Json& identity, const typename W::View& view,
              std::vector<typename W::Slice> roots)
      : EnumerationRun<Counting<W>>(
            typename Counting<W>::Request{withoutOutput(config).workload, canonicalText(identity), view,
                                          std::move(roots)},
            config) {}

  [[nodiscard]] Answers answers() const override {
    Answers answers;
    answers.add(this->finished() ? "count" : "partial_count", exactNumber(count()),
                this->finished() ? "count" : "partial count", std::to_string(count()));
    return answers;
  }

 protected:
  /// After collect(): results found.
  [[nodiscard]] std::uint64_t count() const { return this->outcome_.count; }

 private:
  static const RunConfig& withoutOutput(const RunConfig& config) {
    if (config.outputPath.empty()) return config;
    throw ConfigError("output.path", describeValue(Json(config.outputPath)),
                      "no output: this workload counts");
  }
};

}  // namespace slicepool::config
