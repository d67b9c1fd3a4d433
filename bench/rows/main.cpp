// slicepool_bench_rows: rows of factorization sets by the public library, in one process and in turn with the
// limits that they are held against - memset with the same threads, device fill, pinned copy - and with a
// plain recursion.
//
//   slicepool_bench_rows [--instances 9:1500,..] [--threads 1,16] [--element-bytes 0,2] [--json FILE]
//   slicepool_bench_rows --table configs/factorizations-dynamic-table-1.json
//
// Ends with status 1 when any rows were wrong.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <new>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/rows/figures.hpp"
#include "bench/rows/options.hpp"
#include "bench/rows/rows_case.hpp"
#include "bench/rows/second_table.hpp"
#include "runtime/core/fingerprint_text.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#ifdef SLICEPOOL_HAVE_CUDA
#include "kernels/core/registration.hpp"
#endif

namespace slicepool::bench {
namespace {

constexpr int kWrongRows = 1;
constexpr int kBadInput = 2;

void show(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);  // runs take minutes
}

bool anyWrong(const std::vector<Measured>& measured) {
  return std::any_of(measured.begin(), measured.end(), isWrong);
}

/// Opened before anything is measured: a path that cannot be written is known at once.
std::ofstream openRecord(const std::string& path) {
  std::ofstream file;
  if (path.empty()) return file;
  file.open(path, std::ios::trunc);
  if (!file) throw ConfigError("--json", "\"" + path + "\"", "a file that can be written");
  return file;
}

CaseFigures measureCase(const Instance& instance, unsigned elementBytes, bool reductions,
                        const Settings& settings, ThreadTeams& teams) {
  const RowsCase rowsCase(instance, elementBytes, reductions, settings, teams);
  CaseFigures figures;
  figures.instance = instance;
  figures.elementBytes = rowsCase.elementBytes();
  figures.rows = rowsCase.rows();
  figures.fingerprint = fingerprintText(rowsCase.expected().fingerprint);
  figures.measured = measureInTurn(rowsCase.measurements(), settings.repetitions);
  return figures;
}

/// True: all rows were right.
bool runInstances(const Settings& settings, config::Json& record) {
  ThreadTeams teams;
  for (const int threads : settings.threads) teams.push_back(std::make_unique<ThreadTeam>(threads));
  bool right = true;
  record["passes"] = config::Json::array();
  for (const unsigned elementBytes : settings.elementBytes) {
    Pass pass{elementBytes, {}};
    const bool reductions = settings.reductions && elementBytes == settings.elementBytes.front();
    for (const Instance& instance : settings.instances) {
      pass.cases.push_back(measureCase(instance, elementBytes, reductions, settings, teams));
      show(caseText(pass.cases.back()));
      right = right && !anyWrong(pass.cases.back().measured);
    }
    show(meansText(pass));
    record["passes"].push_back(toJson(pass));
  }
  return right;
}

bool runTable(const Settings& settings, config::Json& record) {
  const auto table = readTable(settings.tablePath);
  bool right = true;
  std::vector<TableFigures> rows;
  show(tableHeading(settings));
  for (const TableRow& row : table) {
    rows.push_back(measureTableRow(row, settings));
    show(tableLine(rows.back()));
    right = right && !anyWrong(rows.back().measured);
  }
  show(tableMeans(rows));
  record["table"] = tableJson(rows);
  return right;
}

int benchmark(const Arguments& arguments) {
  const Settings settings = settingsFrom(arguments);
  std::ofstream file = openRecord(settings.jsonPath);
  config::Json record = recordHead(settings, settings.gpu);
  if (settings.gpu) warmUpGpu(0);
  const bool right = settings.tablePath.empty() ? runInstances(settings, record) : runTable(settings, record);
  if (file.is_open()) file << record.dump(1) << '\n';
  if (file.is_open() && !file.flush()) throw Error("--json: writing " + settings.jsonPath + " failed");
  return right ? 0 : kWrongRows;
}

int benchmarkMain(int argc, char** argv) {
  CLI::App app("Rows of factorization sets against the memory limits of this machine.");
  Arguments arguments;
  addOptions(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadInput;
  }
#ifdef SLICEPOOL_HAVE_CUDA
  registerCudaKernels();
#endif
  try {
    return benchmark(arguments);
  } catch (const Error& error) {
    fmt::print(stderr, "slicepool_bench_rows: {}\n", error.what());
    return error.exitCode();
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "slicepool_bench_rows: the system refused an allocation; measure smaller instances\n");
    return LimitError("").exitCode();
  } catch (const std::exception& error) {
    fmt::print(stderr, "slicepool_bench_rows: {}\n", error.what());
    return 1;
  }
}

}  // namespace
}  // namespace slicepool::bench

int main(int argc, char** argv) { return slicepool::bench::benchmarkMain(argc, argv); }
