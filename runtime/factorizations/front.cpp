// The factorizations workload for the command and the sweeps: JSON parameters to a Request, an Outcome to a
// record and to readable lines.
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "runtime/app/config/enumeration_run.hpp"
#include "runtime/app/config/front.hpp"
#include "runtime/core/fingerprint_text.hpp"
#include "runtime/factorizations/front_access.hpp"
#include "runtime/factorizations/front_parameters.hpp"
#include "runtime/factorizations/front_rank_values.hpp"
#include "runtime/factorizations/front_request.hpp"
#include "runtime/factorizations/front_row_text.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::config {
namespace {

using factorizations::Algorithm;
using factorizations::Enumeration;
using factorizations::Request;
using factorizations::SinkKind;

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

class FactorizationsRun final : public EnumerationRun<Enumeration> {
 public:
  FactorizationsRun(const Request& request, const RunConfig& config)
      : EnumerationRun(request, config),
        sink_(request.sink),
        sinkText_(config.document.value("sink", std::string("count"))) {}

  void addToRecord(Json& record) const override {
    record["algorithm"] = algorithmName(outcome_.algorithm);
    record["algorithm_reason"] = outcome_.algorithmReason;
    record["sink"] = sinkText_;
    record[finished() ? "count" : "partial_count"] = exactNumber(countSoFar());
    if (outcome_.ranks) {
      record["rank_range"] = rankRangeRecord(*outcome_.ranks);
      record["total"] = exactNumber(outcome_.total);
    }
    record["counted_by_table"] = outcome_.countedByTable;
    if (outcome_.fingerprint && finished()) record["fingerprint"] = fingerprintText(*outcome_.fingerprint);
    if (finished()) addSink(record);
    addTable(record);
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> answerLines() const override {
    std::vector<std::pair<std::string, std::string>> lines;
    lines.emplace_back(finished() ? "count" : "partial count", countSoFar());
    if (outcome_.ranks) {
      lines.emplace_back("rank range", fmt::format("{}:{} of {}", outcome_.ranks->begin, outcome_.ranks->end,
                                                   outcome_.total));
    }
    addSinkLines(lines);
    if (outcome_.fingerprint && finished())
      lines.emplace_back("fingerprint", fingerprintText(*outcome_.fingerprint));
    lines.emplace_back("algorithm",
                       algorithmName(outcome_.algorithm) +
                           (outcome_.algorithmReason.empty() ? "" : ": " + outcome_.algorithmReason));
    if (outcome_.tableRows > 0) {
      lines.emplace_back("table",
                         fmt::format("last {} coordinates, {} rows, filled in {:.6f} s",
                                     outcome_.tabulatedDimension, outcome_.tableRows, outcome_.tableSeconds));
    }
    return lines;
  }

 private:
  [[nodiscard]] const std::string& countSoFar() const {
    return finished() ? outcome_.count : outcome_.partialCount;
  }

  void addSink(Json& record) const {
    if (sink_.kind == SinkKind::lengths) {
      Json lengths = Json::array();
      for (const auto& [length, howMany] : outcome_.lengths)
        lengths.push_back(Json::array({exactNumber(length), exactNumber(howMany)}));
      record["lengths"] = std::move(lengths);
      record["delta_set"] = outcome_.deltaSet;
    }
    if (outcome_.minimumLength && outcome_.maximumLength) {
      record["minimum_length"] = exactNumber(*outcome_.minimumLength);
      record["maximum_length"] = exactNumber(*outcome_.maximumLength);
      record["elasticity"] = elasticity();
    }
    if (sink_.kind == SinkKind::coordinateMaxima) {
      Json maxima = Json::array();
      for (const auto value : outcome_.coordinateMaxima) maxima.push_back(exactNumber(value));
      record["coordinate_maxima"] = std::move(maxima);
    }
    if (outcome_.predicateHolds) record["predicate_holds"] = *outcome_.predicateHolds;
    if (sink_.kind == SinkKind::first) record["rows"] = rowsRecord(outcome_.rows);
    if (!outcome_.outputPath.empty()) {
      record["output"] = {{"path", outcome_.outputPath}, {"bytes", outcome_.outputBytes}};
      addStream(record["output"]);
    }
  }

  void addStream(Json& output) const {
    output["streamed"] = outcome_.outputStreamed;
    if (!outcome_.outputStreamed) return;
    output["seconds_waited"] = outcome_.outputSecondsWaited;
    if (outcome_.outputShards != 0) output["shards"] = outcome_.outputShards;
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

  void addTable(Json& record) const {
    if (outcome_.tabulatedDimension > 0) {
      record["tabulated_dimension"] = outcome_.tabulatedDimension;
      record["table_rows"] = exactNumber(outcome_.tableRows);
      record["table_seconds"] = outcome_.tableSeconds;
    } else if (outcome_.tableSeconds > 0) {
      record["table_seconds"] = outcome_.tableSeconds;
    }
    if (outcome_.listRows > 0) record["list_rows"] = exactNumber(outcome_.listRows);
  }

  void addSinkLines(std::vector<std::pair<std::string, std::string>>& lines) const {
    if (!finished()) return;
    if (sink_.kind == SinkKind::lengths) {
      std::string text;
      for (std::size_t i = 0; i < outcome_.lengths.size() && i < kShownValues; ++i) {
        text += fmt::format("{}{} x {}", i == 0 ? "" : ", ", outcome_.lengths[i].first,
                            outcome_.lengths[i].second);
      }
      if (outcome_.lengths.size() > kShownValues)
        text += fmt::format(", .. ({} lengths)", outcome_.lengths.size());
      lines.emplace_back("lengths", text.empty() ? "none" : text);
      lines.emplace_back("delta set", listText(outcome_.deltaSet));
    }
    if (outcome_.minimumLength && outcome_.maximumLength) {
      const Json ratio = elasticity();
      lines.emplace_back("length", fmt::format("{} to {}", *outcome_.minimumLength, *outcome_.maximumLength));
      lines.emplace_back("elasticity", ratio[0].dump() + "/" + ratio[1].dump());
    }
    if (sink_.kind == SinkKind::coordinateMaxima)
      lines.emplace_back("coordinate maxima", listText(outcome_.coordinateMaxima));
    if (outcome_.predicateHolds) lines.emplace_back(sinkText_, *outcome_.predicateHolds ? "true" : "false");
    if (!outcome_.outputPath.empty())
      lines.emplace_back("output", outputText(outcome_.outputPath, outcome_.outputBytes));
    else if (sink_.kind == SinkKind::rows || sink_.kind == SinkKind::first)
      addRowLines(outcome_.rows, lines);
  }

  factorizations::SinkSpec sink_;
  std::string sinkText_;
};

bool stopsEarly(const Json& document) {
  const std::string sink = document.value("sink", std::string("count"));
  return sink.rfind("first:", 0) == 0 || sink.rfind("any:", 0) == 0 || sink.rfind("all:", 0) == 0;
}

std::unique_ptr<WorkloadRun> prepare(const RunConfig& config, Strictness strictness) {
  if (asksForAccess(config.document)) return prepareAccess(config);
  return std::make_unique<FactorizationsRun>(parseFactorizationsRequest(config, strictness), config);
}

void check(const RunConfig& config, Strictness strictness) {
  if (!asksForAccess(config.document))
    factorizations::checkRequest(parseFactorizationsRequest(config, strictness), config.engine);
}

Json identity(const Json& document) {
  Json identity = {{"workload", document.at("workload")}};
  identity["generators"] = document.at("generators");
  identity["element"] = document.at("element");
  if (document.contains("rank_range"))
    identity["rank_range"] = rankRangeRecord(parseRankRange(document["rank_range"]));
  return identity;
}

}  // namespace
}  // namespace slicepool::config

namespace slicepool::factorizations {

config::Front front() {
  return {.name = "factorizations",
          .title = "All nonnegative integer vectors a with sum a_i g_i = n: count, list, describe.",
          .summary = "all nonnegative integer vectors a with sum a_i g_i = n",
          .step = "A step is one candidate or one row, depending on the algorithm.",
          .parameters = frontParameters(),
          .outputs = "an object with path, header, element_type and how to write",
          .checkpointDefault = "with a streamed output: OUTPUT.checkpoint",
          .examples = {"--generators 13,37,38,40 --element 20000",
                       "--generators 6,9,20 --element 120 --sink rows --output -",
                       "--generators 13,37,38,40 --element 5000 --sink lengths --json",
                       "--generators 6,9,20 --element 300 --sink \"any:a1 + a2 = 7\"",
                       "--generators 13,37,38,40 --element 20000 --rank-range 1000000:1000100\n"
                       "      --sink rows --output -",
                       "--generators 13,37,38,40 --element 20000 --sample 10 --seed 7",
                       "--generators 6,9,20 --element 60 --rank-of 4,4,0",
                       "--generators 13,37,38,40,41,42,43,44 --element 3600 --algorithm candidate\n"
                       "      --mode hybrid --checkpoint big.ckpt --time-limit 3600"},
          .firstExample = "--generators 13,37,38,40 --element 20000",
          .libraries = {{"zstd", ".npy.zst"}},
          .prepare = config::prepare,
          .check = config::check,
          .identity = config::identity,
          .countsEverything = [](const config::Json& document) { return !config::stopsEarly(document); }};
}

}  // namespace slicepool::factorizations
