// Enumeration: from a request to its outcome. Makes the problem (problem_factory), runs it on an engine
// (run_life) and reads the words of the sink. Called by the command line, the sweeps and library users.
#include "slicepool/numerical_semigroups/enumeration.hpp"

#include <cstddef>
#include <memory>
#include <utility>

#include "runtime/core/run_life.hpp"
#include "slicepool/numerical_semigroups/problem_factory.hpp"
#include "slicepool/numerical_semigroups/sinks.hpp"

namespace slicepool::numerical_semigroups {
namespace {

/// What determines the numbers.
std::string identityOf(const Request& request) {
  return "numerical_semigroups genus " + std::to_string(request.genus) + " multiplicity " +
         std::to_string(request.multiplicity) + " by " + std::to_string(static_cast<int>(request.by));
}

/// Values of all nonnegative integers, for which the search has no class; the Frobenius number is -1.
int valueOfRoot(Statistic statistic) {
  if (statistic == Statistic::frobenius) return -1;
  return statistic == Statistic::depth ? 0 : 1;
}

Findings genusFindingsOf(const Request& request, const std::vector<std::uint64_t>& words) {
  const bool fast = request.by == Statistic::multiplicity;
  const int bound = request.genus;
  Findings findings;
  for (int genus = 0; genus <= bound; ++genus) {
    std::vector<std::uint64_t> row(static_cast<std::size_t>(Histogram::values(genus)));
    std::uint64_t sum = 0;
    for (int value = fast ? 1 : 0; value < (fast ? genus + 2 : Histogram::values(genus)); ++value) {
      const std::size_t word =
          fast ? Tally::wordOf(bound, value, genus) : Histogram::wordOf(bound, value, genus);
      row.at(static_cast<std::size_t>(value)) = words.at(word);
      sum += words.at(word);
    }
    if (genus == 0 && request.multiplicity == 0) {
      sum = 1;
      if (valueOfRoot(request.by) >= 0) row.at(static_cast<std::size_t>(valueOfRoot(request.by))) = 1;
    }
    while (!row.empty() && row.back() == 0) row.pop_back();
    findings.byGenus.push_back(sum);
    findings.triangle.push_back(std::move(row));
  }
  return findings;
}

}  // namespace

class Enumeration::Impl final : public ReductionLife {
 public:
  Impl(const Request& request, EngineOptions options)
      : ReductionLife(
            std::move(options),
            makeProblem({.genus = request.genus, .multiplicity = request.multiplicity, .by = request.by}),
            identityOf(request)),
        request_(request) {}

  [[nodiscard]] Outcome outcome() { return handOver(outcome_); }

 private:
  void readWords(const std::vector<std::uint64_t>& words) override {
    outcome_.findings = genusFindingsOf(request_, words);
  }

  Request request_;
  Outcome outcome_;
};

Enumeration::Enumeration(const Request& request, EngineOptions options)
    : RunHandle(std::make_unique<Impl>(request, std::move(options))) {}
Outcome Enumeration::outcome() { return static_cast<Impl&>(life()).outcome(); }

}  // namespace slicepool::numerical_semigroups
