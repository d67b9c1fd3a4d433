// See outcome_words.hpp.
#include "runtime/factorizations/outcome_words.hpp"

#include <cstddef>

#include "runtime/factorizations/invariants.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

using Words = std::vector<std::uint64_t>;

void requireCount(std::uint64_t found, std::uint64_t expected, const std::string& resumePath) {
  if (found == expected) return;
  const std::string numbers =
      "enumerated " + std::to_string(found) + ", table says " + std::to_string(expected);
  if (resumePath.empty()) throw Error("internal: " + numbers);
  throw CheckpointError("checkpoint " + resumePath + ": what it had counted does not fit: " + numbers +
                        "; remove it to start anew");
}

void setLengthRange(Outcome& outcome, std::uint64_t shortest, std::uint64_t longest) {
  outcome.minimumLength = shortest;
  outcome.maximumLength = longest;
  outcome.elasticity = elasticity(shortest, longest);
}

void fillLengths(Outcome& outcome, const Words& words, std::size_t first) {
  for (std::size_t at = first; at < words.size(); ++at)
    if (words[at] != 0) outcome.lengths.emplace_back(at - first, words[at]);
  setLengthRange(outcome, outcome.lengths.front().first, outcome.lengths.back().first);
  outcome.deltaSet = deltaSet(outcome.lengths);
}

void fillAnswer(Outcome& outcome, const Words& words, const Request& request, const ReductionWords& index) {
  const auto word = [&](int at) {
    return words.empty() ? std::uint64_t{0} : words.at(static_cast<std::size_t>(at));
  };
  const std::uint64_t found = words.empty() ? 0 : words[0];
  if (index.fingerprintSum >= 0)
    outcome.fingerprint = Fingerprint{word(index.fingerprintSum), word(index.fingerprintXor)};
  if (index.satisfied >= 0) {
    const std::uint64_t satisfied = word(index.satisfied);
    outcome.predicateHolds = request.sink.kind == SinkKind::any ? satisfied != 0 : satisfied == found;
  }
  if (found == 0) return;
  if (index.minimumLength >= 0) setLengthRange(outcome, word(index.minimumLength), word(index.maximumLength));
  for (std::size_t i = 0; index.coordinateMaxima >= 0 && i < request.generators.size(); ++i)
    outcome.coordinateMaxima.push_back(word(index.coordinateMaxima + static_cast<int>(i)));
  if (index.lengths >= 0) fillLengths(outcome, words, static_cast<std::size_t>(index.lengths));
}

}  // namespace

void readOutcome(Outcome& outcome, const RunReport& report, const Request& request, const Plan& plan,
                 const ProblemSpec& spec, const RunEnd& end) {
  const std::uint64_t found = report.words.empty() ? 0 : report.words[0];
  const bool ended = report.complete || report.decided;
  const bool whole = report.complete && !report.decided;
  const bool first = request.sink.kind == SinkKind::first;
  if (whole && plan.total.has_value())
    requireCount(found, first ? end.rowsWanted : *plan.total, end.resumePath);
  // A stream that was not walked to its end is counted only by the table.
  const bool walked = whole && (!first || end.exhausted);
  if (plan.results.has_value() && ended)
    outcome.count = *plan.results;
  else if (walked)
    outcome.count = std::to_string(found);
  if (!ended)
    outcome.partialCount = std::to_string(found);
  else
    fillAnswer(outcome, report.words, request, reductionWords(spec));
}

}  // namespace slicepool::factorizations
