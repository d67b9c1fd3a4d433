// See second_table.hpp.
#include "bench/rows/second_table.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "bench/peers/plain_recursion.hpp"
#include "bench/rows/figures.hpp"
#include "bench/rows/library_run.hpp"
#include "bench/support/row_check.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::bench {
namespace {

using config::Json;
using factorizations::Algorithm;
using factorizations::Request;

constexpr std::uint64_t kMaximumNumber = std::uint64_t{1} << 53;

/// The member that a JSON pointer names. Throws ConfigError.
const Json& member(const Json& object, const std::string& pointer, const std::string& where) {
  const Json::json_pointer at(pointer);
  if (object.is_object() && object.contains(at)) return object.at(at);
  throw ConfigError(where + config::fieldName(pointer), "nothing",
                    "a table as in configs/factorizations-dynamic-table-1.json");
}

TableRow parseRow(const Json& json, const std::string& where) {
  const auto number = [&](const std::string& name) {
    return config::requireUnsigned(member(json, "/" + name, where), where + name, 0, kMaximumNumber);
  };
  TableRow row;
  row.label = config::requireString(member(json, "/label", where), where + "label", "text");
  const Json& generators = member(json, "/generators", where);
  if (!generators.is_array())
    throw ConfigError(where + "generators", config::describeValue(generators), "an array of generators");
  for (const Json& generator : generators) {
    row.instance.generators.push_back(
        config::requireUnsigned(generator, where + "generators", 1, kMaximumNumber));
  }
  row.instance.element = number("element");
  row.count = number("expected_count");
  row.tabulatedDimension = static_cast<unsigned>(number("tabulated_dimension"));
  row.referenceMilliseconds =
      1e3 * config::requireNumber(member(json, "/reference/seconds/repaired_on_h200", where),
                                  where + "reference.seconds.repaired_on_h200", 0, 1e9);
  return row;
}

Request requestOf(const TableRow& row, const Settings& settings) {
  Request request = rowsRequest(row.instance, settings.algorithm, 0);
  if (settings.algorithm == Algorithm::tabulated) request.tabulatedDimension = row.tabulatedDimension;
  return request;
}

RowFacts expectedFacts(const TableRow& row) {
  const auto dimension = static_cast<unsigned>(row.instance.generators.size());
  const std::uint64_t count = countByRecurrence(row.instance);
  if (count != row.count)
    throw ConfigError(row.label + ": expected_count", std::to_string(row.count), std::to_string(count));
  requireMemory(row.instance, count, dimension * sizeof(std::int32_t));
  factorizations::RowMatrix rows(count, dimension, sizeof(std::int32_t));
  const std::uint64_t written = plainRecursion(row.instance.generators, row.instance.element,
                                               reinterpret_cast<std::int32_t*>(rows.data()));
  RowFacts facts = inspectRows(row.instance, rows.data(), written, sizeof(std::int32_t));
  if (written != count || !facts.problem.empty()) {
    throw Error(fmt::format("{}: the plain recursion wrote {} rows of {}; {}", row.label, written, count,
                            facts.problem));
  }
  return facts;
}

std::vector<std::pair<Mode, std::string>> modesOf(const Settings& settings) {
  std::vector<std::pair<Mode, std::string>> modes;
  if (settings.cpu) modes.emplace_back(Mode::cpu, "cpu");
  if (settings.gpu) modes.emplace_back(Mode::gpu, "gpu");
  if (settings.hybrid) modes.emplace_back(Mode::hybrid, "hybrid");
  return modes;
}

double factorOf(const TableFigures& figures, const Measured& measured) {
  return figures.row.referenceMilliseconds / measured.wall.median;
}

struct FactorMean {
  std::string mode;
  double least = 0, geometricMean = 0;
};

std::vector<FactorMean> factorMeans(const std::vector<TableFigures>& rows) {
  std::vector<FactorMean> means;
  for (std::size_t i = 0; !rows.empty() && i < rows.front().measured.size(); ++i) {
    std::vector<double> factors;
    for (const auto& figures : rows) factors.push_back(factorOf(figures, figures.measured[i]));
    means.push_back({rows.front().measured[i].name, *std::min_element(factors.begin(), factors.end()),
                     geometricMean(factors)});
  }
  return means;
}

}  // namespace

std::vector<TableRow> readTable(const std::string& path) {
  const Json document = config::readJsonFile(path);
  const Json& list = member(document, "/rows", path + ": ");
  if (!list.is_array() || list.empty())
    throw ConfigError(path + ": rows", config::describeValue(list), "an array of at least one row");
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < list.size(); ++i)
    rows.push_back(parseRow(list[i], fmt::format("{}: rows[{}].", path, i)));
  return rows;
}

TableFigures measureTableRow(const TableRow& row, const Settings& settings) {
  const RowFacts expected = expectedFacts(row);
  const Request request = requestOf(row, settings);
  std::vector<Measurement> measurements;
  for (const auto& [mode, name] : modesOf(settings)) {
    const EngineOptions options = engineOptions(mode, settings.maximumThreads());
    measurements.push_back({.name = name,
                            .rows = row.count,
                            .run = [&request, options] { return runLibrary(request, options).times; },
                            .verify =
                                [&request, &row, &expected, options] {
                                  const auto outcome = runLibrary(request, options).outcome;
                                  return differenceOf(
                                      inspectRows(row.instance, outcome.rows.data(), outcome.rows.rows(),
                                                  outcome.rows.elementBytes()),
                                      expected);
                                }});
  }
  return {row, measureInTurn(measurements, settings.repetitions)};
}

std::string tableHeading(const Settings& settings) {
  std::string text = fmt::format("{:<24} {:>10} {:>13}", "row", "rows", "reference, ms");
  for (const auto& mode : modesOf(settings))
    text += fmt::format(" {:>10} {:>7}", mode.second + ", ms", "factor");
  return text + "\n";
}

std::string tableLine(const TableFigures& figures) {
  std::string text = fmt::format("{:<24} {:>10} {:>13.0f}", figures.row.label, figures.row.count,
                                 figures.row.referenceMilliseconds);
  std::string problems;
  for (const auto& measured : figures.measured) {
    text += fmt::format(" {:>10.3f} {:>7.0f}", measured.wall.median, factorOf(figures, measured));
    if (isWrong(measured)) problems += fmt::format("  WRONG ({}): {}", measured.name, measured.verification);
    for (const auto& warning : measured.warnings)
      problems += fmt::format("  warning ({}): {}", measured.name, warning);
  }
  return text + problems + "\n";
}

std::string tableMeans(const std::vector<TableFigures>& rows) {
  std::string text;
  for (const FactorMean& mean : factorMeans(rows)) {
    text += fmt::format("factor over the repaired reference, {}: least {:.1f}, geometric mean {:.1f}\n",
                        mean.mode, mean.least, mean.geometricMean);
  }
  return text;
}

Json tableJson(const std::vector<TableFigures>& rows) {
  Json list = Json::array();
  for (const auto& figures : rows) {
    Json row = {{"label", figures.row.label},
                {"generators", figures.row.instance.generators},
                {"element", figures.row.instance.element},
                {"rows", config::exactNumber(figures.row.count)},
                {"reference_milliseconds", figures.row.referenceMilliseconds},
                {"modes", Json::array()}};
    for (const auto& measured : figures.measured) {
      Json mode = toJson(measured);
      mode["factor"] = factorOf(figures, measured);
      row["modes"].push_back(std::move(mode));
    }
    list.push_back(std::move(row));
  }
  Json means = Json::object();
  for (const FactorMean& mean : factorMeans(rows))
    means[mean.mode] = {{"least", mean.least}, {"geometric_mean", mean.geometricMean}};
  return {{"rows", std::move(list)}, {"factors", std::move(means)}};
}

}  // namespace slicepool::bench
