// The run of a workload whose answer is how many results a search has: all that such a front needs beside its
// table of parameters. A workload with more to say has an Enumeration of its own (enumeration_run.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/core/run_life.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/problem.hpp"
#include "slicepool/core/run_handle.hpp"

namespace slicepool::config {

/// Search of a problem with the sink Count.
class Counting final : public RunHandle {
 public:
  struct Request {
    std::string identity;  ///< what determines the count; a checkpoint of another one is refused
    std::unique_ptr<const Problem> problem;
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
  class Impl final : public ReductionLife {
   public:
    Impl(Request request, EngineOptions options)
        : ReductionLife(std::move(options), std::move(request.problem), std::move(request.identity)) {}

    [[nodiscard]] Outcome outcome() { return handOver(outcome_); }

   private:
    void readWords(const std::vector<std::uint64_t>& words) override { outcome_.count = words.at(0); }

    Outcome outcome_;
  };
};

/// The run of a problem with the sink Count. `identity`: what determines the count.
class ProblemRun : public EnumerationRun<Counting> {
 public:
  ProblemRun(const RunConfig& config, const Json& identity, std::unique_ptr<const Problem> problem)
      : EnumerationRun(Counting::Request{canonicalText(identity), std::move(problem)},
                       withoutOutput(config)) {}

  [[nodiscard]] Answers answers() const override {
    Answers answers;
    answers.add(finished() ? "count" : "partial_count", exactNumber(count()),
                finished() ? "count" : "partial count", std::to_string(count()));
    return answers;
  }

 protected:
  /// After collect(): results found.
  [[nodiscard]] std::uint64_t count() const { return outcome_.count; }

 private:
  static const RunConfig& withoutOutput(const RunConfig& config) {
    if (config.outputPath.empty()) return config;
    throw ConfigError("output.path", describeValue(Json(config.outputPath)),
                      "no output: this workload counts");
  }
};

/// The same for workload `W` (slicepool/core/workload.hpp), from `roots`.
template <class W>
class CountingRun : public ProblemRun {
 public:
  CountingRun(const RunConfig& config, const Json& identity, const typename W::View& view,
              std::vector<typename W::Slice> roots)
      : ProblemRun(config, identity, problemOf(config.workload, view, std::move(roots))) {}

 private:
  static std::unique_ptr<const Problem> problemOf(const std::string& workload, const typename W::View& view,
                                                  std::vector<typename W::Slice> roots) {
    ProblemTraits traits;
    traits.workload = workload;
    return std::make_unique<TypedProblem<W, Count>>(view, std::move(roots), std::move(traits));
  }
};

}  // namespace slicepool::config
