// Enumeration: from a request to its values. Recurrences run on the calling thread, searches of pairs on
// engines, one after another. Called by the command line, Python and library users.
#include "slicepool/invariants/enumeration.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/core/run_life.hpp"
#include "runtime/invariants/r_classes.hpp"
#include "runtime/invariants/request_check.hpp"
#include "runtime/invariants/set_degrees.hpp"
#include "runtime/invariants/tables.hpp"
#include "runtime/invariants/whole_set.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/steps/coordinates.hpp"

namespace slicepool::invariants {
namespace {

constexpr std::uint64_t kMaximumElements = 100'000'000;  ///< of a request
constexpr std::uint64_t kMaximumElement = (std::uint64_t{1} << 63) - 1;

std::string rangeText(const ElementRange& range) {
  return std::to_string(range.first) + (range.first == range.last ? "" : ".." + std::to_string(range.last));
}

bool enumerates(const std::set<ElementInvariant>& wanted) {
  return !wanted.empty() && *wanted.rbegin() >= kFirstOfSets;
}

}  // namespace

namespace {

bool isOfSets(ElementInvariant one) { return one >= kFirstOfSets || one == ElementInvariant::rClasses; }

/// Of a given set alone.
void checkSet(const Request& request) {
  if (!request.generators.empty())
    throw ConfigError("generators", "generators with factorizations", "one of generators and factorizations");
  if (!request.elements.empty())
    throw ConfigError("element", "an element with factorizations", "one of element and factorizations");
  if (request.asGiven)
    throw ConfigError("as_given", "true with factorizations", "as_given only with an element");
  if (!request.ofSemigroup.empty() || request.ofElements.empty() ||
      !std::all_of(request.ofElements.begin(), request.ofElements.end(), isOfSets))
    throw ConfigError("invariants", "another one than degrees and R-classes with factorizations",
                      "catenary_degree, equal_catenary_degree, adjacent_catenary_degree, "
                      "monotone_catenary_degree, tame_degree or r_classes");
}

}  // namespace

void checkInvariantRequest(const Request& request) {
  if (!request.factorizations.empty()) return checkSet(request);
  if (request.generators.empty()) throw ConfigError("generators", "none", "at least one generator");
  std::uint64_t number = 0;
  for (const auto& range : request.elements) {
    if (range.first > range.last || range.last > kMaximumElement)
      throw ConfigError("element", rangeText(range), "N or A..B with 0 <= A <= B <= 2^63-1");
    if (range.last - range.first >= kMaximumElements - number)
      throw ConfigError("element", rangeText(range), "at most 10^8 integers in all");
    number += range.last - range.first + 1;
  }
  if (number != 1 && request.ofElements.count(ElementInvariant::denumerants) != 0)
    throw ConfigError("invariants", "denumerants of " + std::to_string(number) + " integers",
                      "denumerants with one element");
  if (request.elements.empty() && request.asGiven)
    throw ConfigError("as_given", "true without an element", "as_given only with element or elements");
  if (!request.elements.empty() && !request.ofSemigroup.empty())
    throw ConfigError("invariants", "invariants of the semigroup with an element", "those of elements");
  if (request.elements.empty() && !request.ofElements.empty())
    throw ConfigError("invariants", "invariants of elements without one", "those of the semigroup");
}

namespace {

/// Degrees of a set of rows as they are asked.
class AskedDegrees {
 public:
  AskedDegrees(const RowSet& set, const SetDegrees& degrees) : set_(set), degrees_(degrees) {}

  void fill(const std::set<ElementInvariant>& wanted, ElementInvariants& found) const {
    const auto asked = [&](ElementInvariant one) { return wanted.count(one) != 0; };
    const bool monotone = asked(ElementInvariant::monotoneCatenaryDegree);
    const bool equal = asked(ElementInvariant::equalCatenaryDegree);
    const bool adjacent = asked(ElementInvariant::adjacentCatenaryDegree);
    if (asked(ElementInvariant::catenaryDegree)) found.catenary = degreeOf(degrees_.catenary());
    if (equal || monotone) found.equalCatenary = degreeOf(degrees_.equalCatenary());
    if (adjacent || monotone) found.adjacentCatenary = degreeOf(degrees_.adjacentCatenary());
    if (monotone) {
      // A monotone chain stays at a length, or goes on to the next one.
      found.monotoneCatenary = found.equalCatenary->value >= found.adjacentCatenary->value
                                   ? found.equalCatenary
                                   : found.adjacentCatenary;
    }
    if (!equal) found.equalCatenary.reset();
    if (!adjacent) found.adjacentCatenary.reset();
    if (asked(ElementInvariant::tameDegree)) found.tame = degreeOf(degrees_.tame());
  }

 private:
  [[nodiscard]] DegreeOfSet degreeOf(const RowPair& pair) const {
    return {pair.value, set_.row(pair.left), set_.row(pair.right)};
  }
  const RowSet& set_;
  const SetDegrees& degrees_;
};

}  // namespace

class Enumeration::Impl final : public EngineLife {
 public:
  Impl(Request request, EngineOptions options)
      : EngineLife(std::move(options)), request_(std::move(request)) {
    refuseRanks("invariants", "one process");
    if (!options_.checkpointPath.empty())
      throw ConfigError("checkpoint", "\"" + options_.checkpointPath + "\"", "no checkpoint: runs are short");
    if (!options_.tracePath.empty())
      throw ConfigError("trace", "\"" + options_.tracePath + "\"",
                        "no trace: searches are several and short");
    checkInvariantRequest(request_);
    expectDevices();
    limitMemory();
  }

  [[nodiscard]] Outcome outcome() { return handOver(outcome_); }

 private:
  void allowResume(const std::string& path) const override {
    throw ConfigError("resume", "\"" + path + "\"", "no checkpoint: runs are short");
  }
  void readCheckpoint(const std::string&) override {}

  void execute() override {
    const SetupGuard guard([this]() -> std::string { return slot_.cancelled() ? "stopped" : ""; });
    try {
      compute();
      report_.complete = true;
    } catch (const SetupStopped&) {
      if (!slot_.cancelled() && !stoppedByLimit_) throw;
      report_.complete = false;
    }
    conclude();
  }

  void compute() {
    const PhaseScope tables(&clock(), Phase::tables);
    if (!request_.factorizations.empty()) return ofGivenSet();
    const std::uint64_t divisor = request_.asGiven ? commonDivisor() : 1;
    std::vector<std::uint64_t> generators = request_.generators;
    for (auto& generator : generators) generator /= std::max<std::uint64_t>(divisor, 1);
    outcome_.semigroup.emplace(generators, options_.memoryLimit);
    if (!request_.asGiven) generators = outcome_.semigroup->generators();
    if (request_.elements.empty())
      ofSemigroup();
    else
      ofElements(generators, divisor);
  }

  [[nodiscard]] std::uint64_t commonDivisor() const {
    std::uint64_t divisor = 0;
    for (const std::uint64_t generator : request_.generators) divisor = std::gcd(divisor, generator);
    return divisor;
  }

  void ofSemigroup() {
    const NumericalSemigroup& semigroup = *outcome_.semigroup;
    SemigroupInvariants& found = outcome_.ofSemigroup;
    const auto asked = [&](SemigroupInvariant one) { return request_.ofSemigroup.count(one) != 0; };
    if (asked(SemigroupInvariant::pseudoFrobenius) || asked(SemigroupInvariant::type))
      found.pseudoFrobenius = semigroup.pseudoFrobenius();
    if (asked(SemigroupInvariant::bettiElements)) found.bettiElements = semigroup.bettiElements();
    if (asked(SemigroupInvariant::minimalPresentation) || asked(SemigroupInvariant::minimalPresentationSize))
      found.minimalPresentation = semigroup.minimalPresentation();
    if (asked(SemigroupInvariant::catenaryDegree)) found.catenary = semigroup.catenaryDegree();
    if (asked(SemigroupInvariant::tameDegree)) found.tame = semigroup.tameDegree();
    if (asked(SemigroupInvariant::omegaPrimality)) found.omega = semigroup.omegaPrimality();
    if (asked(SemigroupInvariant::deltaSet)) found.deltaSet = semigroup.deltaSet();
  }

  /// Integers and generators were divided by `divisor`, which changes no invariant.
  void ofElements(const std::vector<std::uint64_t>& generators, std::uint64_t divisor) {
    const std::vector<std::uint64_t> elements = elementsIn(divisor);
    for (auto& lengths : elementLengths(generators, elements, needs(), options_.memoryLimit)) {
      outcome_.elements.emplace_back();
      outcome_.elements.back().lengths = std::move(lengths);
    }
    if (asks(ElementInvariant::denumerants))
      outcome_.denumerants = spread(denumerants(generators, elements.at(0), options_.memoryLimit), divisor);
    if (asks(ElementInvariant::omegaPrimality)) {
      auto omegas = outcome_.semigroup->omegaPrimality(elements);
      for (std::size_t at = 0; at < omegas.size(); ++at)
        outcome_.elements[at].omegaPrimality = std::move(omegas[at]);
    }
    if (asks(ElementInvariant::rClasses)) addRClasses(generators);
    for (auto& found : outcome_.elements) {
      checkSetup();
      const std::uint64_t n = found.lengths.element;
      if (enumerates(request_.ofElements)) addDegrees({generators, n}, found);
      found.lengths.element = n * divisor;
    }
  }

  /// Those of the ranges that are elements.
  std::vector<std::uint64_t> elementsIn(std::uint64_t divisor) {
    std::vector<std::uint64_t> elements;
    for (const auto& range : request_.elements) {
      for (std::uint64_t n = range.first;; ++n) {
        if (n % divisor == 0 && outcome_.semigroup->contains(n / divisor))
          elements.push_back(n / divisor);
        else if (range.first == range.last)
          throw ConfigError("element", std::to_string(n), "an element of the semigroup that is generated");
        else
          outcome_.notElements.push_back(n);
        if (n == range.last) break;
      }
    }
    return elements;
  }

  /// Integers that are no multiples of the divisor have no factorization.
  static std::vector<Integer> spread(std::vector<Integer> counts, std::uint64_t divisor) {
    if (divisor == 1) return counts;
    std::vector<Integer> all((counts.size() - 1) * divisor + 1, Integer(0));
    for (std::size_t n = 0; n < counts.size(); ++n) all[n * divisor] = counts[n];
    return all;
  }

  [[nodiscard]] bool asks(ElementInvariant one) const { return request_.ofElements.count(one) != 0; }
  [[nodiscard]] LengthNeeds needs() const {
    const auto any = [this](std::initializer_list<ElementInvariant> some) {
      return std::any_of(some.begin(), some.end(), [this](ElementInvariant one) { return asks(one); });
    };
    return {.denumerant = asks(ElementInvariant::denumerant) || enumerates(request_.ofElements),
            .range = any({ElementInvariant::minimumLength, ElementInvariant::maximumLength,
                          ElementInvariant::elasticity}),
            .lengthSet = any({ElementInvariant::lengthSet, ElementInvariant::deltaSet}),
            .histogram = any({ElementInvariant::lengths, ElementInvariant::maximalDenumerant,
                              ElementInvariant::lengthMean, ElementInvariant::lengthVariance,
                              ElementInvariant::lengthModes})};
  }

  void addRClasses(const std::vector<std::uint64_t>& generators) {
    std::vector<std::uint32_t> least;
    if (request_.witnesses) {
      std::uint64_t last = 0;
      for (const auto& found : outcome_.elements) last = std::max(last, found.lengths.element);
      least = leastLengths(generators, last, options_.memoryLimit);
    }
    for (auto& found : outcome_.elements) {
      const std::uint64_t n = found.lengths.element;
      const auto classes = rClassesOf(*outcome_.semigroup, generators, n);
      found.rClasses = n == 0 ? 1 : classes.size();
      if (!request_.witnesses) continue;
      if (n == 0) found.representatives.emplace_back(generators.size(), 0);
      for (const auto& members : classes)
        found.representatives.push_back(shortestOf(generators, least, n, members));
    }
  }

  void addDegrees(const WholeSet& whole, ElementInvariants& found) {
    const RowSet set =
        rowsOf(whole, found.lengths.denumerant, options_, [this] { return slot_.cancelled(); });
    const PhaseScope searching(&clock(), Phase::search);
    const SetDegrees degrees(set, whole, [this](const Problem& problem) { return runSearch(problem); });
    AskedDegrees(set, degrees).fill(request_.ofElements, found);
  }

  void ofGivenSet() {
    const RowSet set(request_.factorizations, "factorizations");
    ElementInvariants& found = outcome_.elements.emplace_back();
    if (asks(ElementInvariant::rClasses)) {
      const auto firsts = firstOfRClasses(set);
      found.rClasses = firsts.size();
      if (request_.witnesses)
        for (const std::uint32_t row : firsts) found.representatives.push_back(set.row(row));
    }
    if (!enumerates(request_.ofElements)) return;
    const PhaseScope searching(&clock(), Phase::search);
    const SetDegrees degrees(set, std::nullopt,
                             [this](const Problem& problem) { return runSearch(problem); });
    AskedDegrees(set, degrees).fill(request_.ofElements, found);
  }

  /// One of an unknown number of searches.
  std::vector<std::uint64_t> runSearch(const Problem& problem) {
    RunReport report = slot_.run(problem, options_, nullptr, 1);
    if (!report.complete) {
      stoppedByLimit_ = true;
      throw SetupStopped("stopped");
    }
    std::vector<std::uint64_t> words = std::move(report.words);
    addReport(std::move(report));
    return words;
  }

  void addReport(RunReport report) {
    report.words.clear();
    report.steps += report_.steps;
    report.splits += report_.splits;
    report.seconds += report_.seconds;
    report.setupSeconds += report_.setupSeconds;
    report_ = std::move(report);
  }

  Request request_;
  Outcome outcome_;
  bool stoppedByLimit_ = false;
};

Enumeration::Enumeration(Request request, EngineOptions options)
    : RunHandle(std::make_unique<Impl>(std::move(request), std::move(options))) {}
Outcome Enumeration::outcome() { return static_cast<Impl&>(life()).outcome(); }

}  // namespace slicepool::invariants
