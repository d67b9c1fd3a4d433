// A set of things to time beside each other, and what they took. Whatever is compared is measured in turn
// within each repetition, so that a noisy machine is noisy for all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/app/config/json.hpp"
#include "runtime/app/report/summary.hpp"

namespace slicepool::bench {

/// One timed run, milliseconds.
struct Times {
  double wall = 0;          ///< what figures are made of
  double construction = 0;  ///< of wall: validating, tables, sizing (runs of the library)
  double enumeration = 0;   ///< of wall: first slice to last (runs of the library)
  double device = 0;        ///< of wall: a GPU had a launch in flight; 0 where it is unknown
  std::vector<std::string> warnings;
};

/// The rate of a measurement over the sum of the rates of its baselines, in the geometric mean called
/// `group`.
struct Relation {
  std::string group;
  std::vector<std::string> baselines;  ///< names of measurements of the same set
  std::string limit{};  ///< one whose rate is taken where it is lower than that sum; empty: none
};

struct Measurement {
  std::string name;         ///< unique in its set
  std::uint64_t rows = 0;   ///< results of one run; of a limit: rows that its bytes are
  std::uint64_t bytes = 0;  ///< written by one run; 0: nothing worth a rate
  std::function<Times()> run;
  std::function<std::string()> verify{};  ///< one untimed run; what is wrong with it, empty: nothing
  std::vector<Relation> relations{};
  std::string rateGroup{};  ///< geometric mean of results per second that this belongs to; empty: none
};

struct Measured {
  std::string name;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::vector<double> samples;  ///< wall milliseconds, in the order of the repetitions
  report::Spread wall;
  double construction = 0, enumeration = 0, device = 0;   ///< medians; 0: not known
  std::vector<std::string> warnings;                      ///< of all runs, each once
  std::vector<std::pair<std::string, double>> relations;  ///< group, value; of medians
  std::string rateGroup;
  std::string verification = "not verified";  ///< "right", or what is wrong

  [[nodiscard]] double rowsPerSecond() const { return static_cast<double>(rows) / wall.median * 1e3; }
  [[nodiscard]] double gigabytesPerSecond() const { return static_cast<double>(bytes) / wall.median * 1e-6; }
};

/// Runs all of them in turn, `repetitions` times after an unrecorded turn, then verifies each that can be. A
/// relation whose baselines were not all measured is left out.
[[nodiscard]] std::vector<Measured> measureInTurn(const std::vector<Measurement>& measurements,
                                                  int repetitions);

/// Verification of a measurement that is wrong; "not verified" is not.
[[nodiscard]] bool isWrong(const Measured& measured);

[[nodiscard]] config::Json toJson(const Measured& measured);

/// Milliseconds that `work` takes.
[[nodiscard]] double millisecondsOf(const std::function<void()>& work);

}  // namespace slicepool::bench
