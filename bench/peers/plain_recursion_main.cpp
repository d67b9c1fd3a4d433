// slicepool_peer_plain_recursion: times the plain recursion on one core and checks its rows.
//
//   slicepool_peer_plain_recursion [--instances 9:1500,..] [--repetitions R]
#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/peers/plain_recursion.hpp"
#include "bench/support/instances.hpp"
#include "bench/support/row_check.hpp"
#include "runtime/core/fingerprint_text.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace {

using namespace slicepool;

/// One line of the table; false when the rows are wrong.
bool measure(const bench::Instance& instance, int repetitions) {
  const std::uint64_t count = bench::countByRecurrence(instance);
  const auto dimension = static_cast<unsigned>(instance.generators.size());
  bench::requireMemory(instance, count, dimension * sizeof(std::int32_t));
  factorizations::RowMatrix buffer(count, dimension, sizeof(std::int32_t));
  const std::size_t bytes = count * buffer.rowBytes();
  if (bytes != 0) std::memset(buffer.data(), 0, bytes);  // first touch is not the recursion's
  auto* rows = reinterpret_cast<std::int32_t*>(buffer.data());
  std::vector<double> milliseconds;
  std::size_t written = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const auto begin = std::chrono::steady_clock::now();
    written = bench::plainRecursion(instance.generators, instance.element, rows);
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
    milliseconds.push_back(elapsed.count());
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  const auto facts = bench::inspectRows(instance, buffer.data(), written, sizeof(std::int32_t));
  const bool right = written == count && facts.problem.empty();
  const std::string range = fmt::format("({:.2f} .. {:.2f})", milliseconds.front(), milliseconds.back());
  fmt::print("{:<20} {:>10} rows {:>9.2f} ms {:<20} {:>6.2f} GB/s  {}\n", bench::labelOf(instance), count,
             milliseconds[milliseconds.size() / 2], range,
             static_cast<double>(bytes) / milliseconds[milliseconds.size() / 2] * 1e-6,
             right ? "rows right, fingerprint " + fingerprintText(facts.fingerprint)
                   : fmt::format("ROWS WRONG: {} written, {}", written, facts.problem));
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Lists factorization sets by plain recursion on one core: int32 rows into memory that was touched.");
  std::string instances;
  int repetitions = 9;
  app.add_option("--instances", instances,
                 "dimensions and elements (default: those that figures are published for)")
      ->type_name("D:N,..");
  app.add_option("--repetitions", repetitions, "timed runs; the median is shown")
      ->check(CLI::Range(1, 1'000'000));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    bool right = true;
    for (const auto& instance :
         instances.empty() ? bench::publishedInstances() : bench::parseInstances(instances))
      right = measure(instance, repetitions) && right;
    return right ? 0 : 1;
  } catch (const Error& error) {
    fmt::print(stderr, "slicepool_peer_plain_recursion: {}\n", error.what());
    return error.exitCode();
  } catch (const std::exception& error) {
    fmt::print(stderr, "slicepool_peer_plain_recursion: {}\n", error.what());
    return 1;
  }
}
