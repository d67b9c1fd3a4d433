// See front_answers.hpp.
#include "runtime/factorizations/front_answers.hpp"

#include <numeric>

#include <fmt/format.h>

#include "runtime/core/fingerprint_text.hpp"
#include "runtime/factorizations/front_rank_values.hpp"
#include "runtime/factorizations/front_row_text.hpp"
#include "runtime/factorizations/request_check.hpp"

namespace slicepool::config {
namespace {

using factorizations::Outcome;
using factorizations::SinkKind;
using factorizations::SinkSpec;

constexpr std::size_t kShownValues = 24;  ///< of a list in the readable report

template <class Values>
std::string listText(const Values& values) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& value : values) {
    if (++shown > kShownValues) return text + fmt::format(", .. ({} values)", values.size());
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  }
  return text.empty() ? "none" : text;
}

class OutcomeAnswers {
 public:
  OutcomeAnswers(const Outcome& outcome, const SinkSpec& sink, const std::string& sinkText, bool finished)
      : outcome_(outcome), sink_(sink), sinkText_(sinkText), finished_(finished) {}

  [[nodiscard]] Answers answers() const {
    const std::string& count = finished_ ? outcome_.count : outcome_.partialCount;
    Answers answers;
    answers.record("algorithm", algorithmName(outcome_.algorithm));
    answers.record("algorithm_reason", outcome_.algorithmReason);
    answers.record("sink", sinkText_);
    answers.add(finished_ ? "count" : "partial_count", exactNumber(count),
                finished_ ? "count" : "partial count", count);
    if (outcome_.ranks) {
      answers.add("rank_range", rankRangeRecord(*outcome_.ranks), "rank range",
                  fmt::format("{}:{} of {}", outcome_.ranks->begin, outcome_.ranks->end, outcome_.total));
      answers.record("total", exactNumber(outcome_.total));
    }
    answers.record("counted_by_table", outcome_.countedByTable);
    const bool hasFingerprint = outcome_.fingerprint && finished_;
    if (hasFingerprint) answers.record("fingerprint", fingerprintText(*outcome_.fingerprint));
    if (finished_) addSink(answers);
    if (hasFingerprint) answers.line("fingerprint", fingerprintText(*outcome_.fingerprint));
    answers.line("algorithm", algorithmName(outcome_.algorithm) +
                                  (outcome_.algorithmReason.empty() ? "" : ": " + outcome_.algorithmReason));
    addTable(answers);
    return answers;
  }

 private:
  void addSink(Answers& answers) const {
    if (sink_.kind == SinkKind::lengths) addLengths(answers);
    if (outcome_.minimumLength && outcome_.maximumLength) {
      const Json ratio = elasticity();
      answers.record("minimum_length", exactNumber(*outcome_.minimumLength));
      answers.add("maximum_length", exactNumber(*outcome_.maximumLength), "length",
                  fmt::format("{} to {}", *outcome_.minimumLength, *outcome_.maximumLength));
      answers.add("elasticity", ratio, "elasticity", ratio[0].dump() + "/" + ratio[1].dump());
    }
    if (sink_.kind == SinkKind::coordinateMaxima) {
      Json maxima = Json::array();
      for (const auto value : outcome_.coordinateMaxima) maxima.push_back(exactNumber(value));
      answers.add("coordinate_maxima", std::move(maxima), "coordinate maxima",
                  listText(outcome_.coordinateMaxima));
    }
    if (outcome_.predicateHolds) answers.addHolds(sinkText_, *outcome_.predicateHolds);
    addRows(answers);
  }

  void addLengths(Answers& answers) const {
    Json lengths = Json::array();
    std::string text;
    for (std::size_t i = 0; i < outcome_.lengths.size(); ++i) {
      const auto& [length, howMany] = outcome_.lengths[i];
      lengths.push_back(Json::array({exactNumber(length), exactNumber(howMany)}));
      if (i < kShownValues) text += fmt::format("{}{} x {}", i == 0 ? "" : ", ", length, howMany);
    }
    if (outcome_.lengths.size() > kShownValues)
      text += fmt::format(", .. ({} lengths)", outcome_.lengths.size());
    answers.add("lengths", std::move(lengths), "lengths", text.empty() ? "none" : text);
    answers.add("delta_set", outcome_.deltaSet, "delta set", listText(outcome_.deltaSet));
  }

  void addRows(Answers& answers) const {
    if (sink_.kind == SinkKind::first) answers.record("rows", rowsRecord(outcome_.rows));
    if (!outcome_.outputPath.empty())
      answers.add("output", outputRecord(), "output", outputText(outcome_.outputPath, outcome_.outputBytes));
    else if (sink_.kind == SinkKind::rows || sink_.kind == SinkKind::first)
      addRowLines(outcome_.rows, answers);
  }

  [[nodiscard]] Json outputRecord() const {
    Json output = {{"path", outcome_.outputPath}, {"bytes", outcome_.outputBytes}};
    output["streamed"] = outcome_.outputStreamed;
    if (!outcome_.outputStreamed) return output;
    output["seconds_waited"] = outcome_.outputSecondsWaited;
    if (outcome_.outputShards != 0) output["shards"] = outcome_.outputShards;
    return output;
  }

  /// Maximum over minimum length in lowest terms. The only factorization of 0 has length 0: 1/1 by
  /// convention.
  [[nodiscard]] Json elasticity() const {
    const std::uint64_t low = *outcome_.minimumLength;
    const std::uint64_t high = *outcome_.maximumLength;
    const std::uint64_t divisor = std::gcd(low, high);
    return divisor == 0 ? Json::array({1, 1})
                        : Json::array({exactNumber(high / divisor), exactNumber(low / divisor)});
  }

  void addTable(Answers& answers) const {
    if (outcome_.tabulatedDimension > 0) {
      answers.record("tabulated_dimension", outcome_.tabulatedDimension);
      answers.record("table_rows", exactNumber(outcome_.tableRows));
    }
    if (outcome_.tabulatedDimension > 0 || outcome_.tableSeconds > 0)
      answers.record("table_seconds", outcome_.tableSeconds);
    if (outcome_.listRows > 0) answers.record("list_rows", exactNumber(outcome_.listRows));
    if (outcome_.tableRows > 0) {
      answers.line("table",
                   fmt::format("last {} coordinates, {} rows, filled in {:.6f} s",
                               outcome_.tabulatedDimension, outcome_.tableRows, outcome_.tableSeconds));
    }
  }

  const Outcome& outcome_;
  const SinkSpec& sink_;
  const std::string& sinkText_;
  bool finished_;
};

}  // namespace

Answers factorizationsAnswers(const Outcome& outcome, const SinkSpec& sink, const std::string& sinkText,
                              bool finished) {
  return OutcomeAnswers(outcome, sink, sinkText, finished).answers();
}

}  // namespace slicepool::config
