// See sweep.hpp.
#include "runtime/app/report/sweep.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/app/report/machine.hpp"
#include "runtime/app/report/progress_view.hpp"
#include "runtime/app/report/summary.hpp"
#include "runtime/io/durable_file.hpp"
#include "runtime/io/regular_file.hpp"
#include "runtime/io/sealed_json.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::report {
namespace {

using config::Json;
using config::SweepPoint;

/// What must be the same for two records to belong together besides the configuration.
std::string contextHash(const Json& machine, const Json& build) {
  Json context = {{"cpu", machine["cpu"]},
                  {"cores", machine["cores"]},
                  {"gpus", machine["gpus"]},
                  {"version", build["version"]},
                  {"type", build["type"]}};
  for (const char* variable : {"SLICEPOOL_SIMD", "SLICEPOOL_FPLLL_STRATEGIES"})
    if (const char* value = std::getenv(variable)) context[variable] = value;
  return config::documentHash(context);
}

std::string repetitionKey(const std::string& pointHash, int repetition) {
  return pointHash + "#" + std::to_string(repetition);
}

/// results.jsonl: sealed records, appended line by line. A killed writer leaves a torn last line, which is
/// dropped; every other line must be as it was written.
class ResultsFile {
 public:
  /// `isOutdated`: of a record whose run is to be repeated; it is dropped.
  ResultsFile(std::filesystem::path path, bool restart, std::function<bool(const Json&)> isOutdated)
      : path_(std::move(path)), isOutdated_(std::move(isOutdated)) {
    if (!restart && std::filesystem::exists(path_)) load();
    rewrite();
    stream_.open(path_, std::ios::app);
  }

  void append(const Json& record) {
    stream_ << sealJson(record.dump()) << '\n' << std::flush;
    if (!stream_) throw LimitError(path_.string() + ": a record could not be written; is the disk full?");
  }

  [[nodiscard]] const std::vector<Json>& earlier() const { return earlier_; }

 private:
  void load() {
    std::string text;
    try {
      text = readRegularFile(path_.string());
    } catch (const Error& error) {
      throw ConfigError(path_.string(), std::string("a file that ") + error.what(), "a file of results");
    }
    std::size_t number = 1;
    for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; ++number) {
      take(text.substr(begin, end - begin), number);
      begin = end + 1;
    }
  }

  void take(const std::string& line, std::size_t number) {
    try {
      Json record = openSealed(line);
      if (!keeps(record) || isOutdated_(record)) return;
      earlier_.push_back(std::move(record));
      lines_ += line + '\n';
    } catch (const Error& error) {
      throw ConfigError(fmt::format("{}: line {}", path_.string(), number),
                        std::string("a record that is not as it was written: ") + error.what(),
                        "records of this version; without that line, or with --restart, its run is repeated");
    }
  }

  /// Skipped, refused and failed points are tried again: the machine may have changed.
  static bool keeps(const Json& record) {
    const std::string status = record.value("status", std::string{});
    return status == "done" || status == "stopped";
  }

  void rewrite() const {
    const int code = replaceFile(path_.string(), lines_);
    if (code == 0) return;
    if (isDiskFull(code)) throwFileError(path_.string() + ": its records cannot be written", code);
    throw ConfigError("output.directory", "\"" + path_.parent_path().string() + "\", which cannot be written",
                      "a directory that can be written");
  }

  std::filesystem::path path_;
  std::function<bool(const Json&)> isOutdated_;
  std::vector<Json> earlier_;
  std::string lines_;  ///< these, as they were written
  std::ofstream stream_;
};

std::filesystem::path makeDirectory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error || !std::filesystem::is_directory(directory)) {
    throw ConfigError("output.directory", "\"" + directory + "\"",
                      "a directory that exists or can be created");
  }
  return directory;
}

class SweepRun {
 public:
  SweepRun(const config::SweepConfig& sweep, const SweepSettings& settings, const PointRunner& runner,
           const StopRequest& stop)
      : sweep_(sweep),
        settings_(settings),
        runner_(runner),
        stop_(stop),
        machine_(machineRecord(true)),
        build_(buildRecord()),
        context_(contextHash(machine_, build_)),
        file_(makeDirectory(settings.directory) / "results.jsonl", settings.restart,
              [this](const Json& record) { return isToHaveMoreTime(record); }) {
    outcome_.resultsPath = (std::filesystem::path(settings.directory) / "results.jsonl").string();
  }

  SweepOutcome run() {
    adoptEarlierRecords();
    for (std::size_t begin = 0; begin < sweep_.points.size() && !outcome_.stopped;) {
      std::size_t end = begin;
      while (end < sweep_.points.size() && sweep_.points[end].caseIndex == sweep_.points[begin].caseIndex)
        ++end;
      runCase(begin, end);
      begin = end;
    }
    return std::move(outcome_);
  }

 private:
  [[nodiscard]] std::vector<SweepPoint>::const_iterator pointOf(const Json& record) const {
    return std::find_if(
        sweep_.points.begin(), sweep_.points.end(),
        [hash = record.value("point", std::string{})](const SweepPoint& p) { return p.hash == hash; });
  }

  /// Of a point of this sweep on this machine, stopped by a time limit below that of now.
  [[nodiscard]] bool isToHaveMoreTime(const Json& record) const {
    if (record.value("stop_reason", std::string{}) != "time_limit" ||
        record.value("context", std::string{}) != context_ || pointOf(record) == sweep_.points.end())
      return false;
    const std::optional<double> now = sweep_.measurement.timeLimitSeconds;
    return !now || record.value("time_limit_seconds", 0.0) < *now;
  }

  void adoptEarlierRecords() {
    for (Json record : file_.earlier()) {
      const std::string hash = record.value("point", std::string{});
      const auto point = pointOf(record);
      const int repetition = record.value("repetition", 0);
      if (point == sweep_.points.end() || record.value("context", std::string{}) != context_ ||
          repetition < 1 || repetition > sweep_.measurement.repetitions ||
          !present_.insert(repetitionKey(hash, repetition)).second)
        continue;
      ++outcome_.kept;
      note(*point, record);
      outcome_.records.push_back(std::move(record));
    }
    if (outcome_.kept > 0) {
      say(fmt::format("{} repetitions found in {}, going on with the rest", outcome_.kept,
                      outcome_.resultsPath));
    }
  }

  /// All modes of one case: warm-up, then the repetitions, interleaved over the modes unless asked otherwise.
  void runCase(std::size_t begin, std::size_t end) {
    const auto& measurement = sweep_.measurement;
    std::vector<std::pair<std::size_t, int>> order;
    for (std::size_t p = begin; p < end; ++p)
      for (int r = 1; r <= measurement.repetitions; ++r) order.emplace_back(p, r);
    if (measurement.interleaved) {
      std::stable_sort(
          order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    }
    for (const auto& [p, repetition] : order) {
      const SweepPoint& point = sweep_.points[p];
      if (stop_.requested()) {
        outcome_.stopped = true;
        return;
      }
      if (given_.count(point.hash) == 0 && present_.count(repetitionKey(point.hash, repetition)) == 0) {
        announce(p);
        runRepetition(point, repetition);
      }
      ++passed_;
    }
  }

  void announce(std::size_t p) const {
    if (!settings_.began) return;
    SweepStatus status;
    status.point = p + 1;
    status.points = sweep_.points.size();
    status.repetition = passed_;
    status.total = status.points * static_cast<std::size_t>(sweep_.measurement.repetitions);
    status.run = outcome_.done;
    status.label = sweep_.points[p].label + " " + sweep_.points[p].mode;
    settings_.began(status);
  }

  void runRepetition(const SweepPoint& point, int repetition) {
    const std::string why = whyUnavailable(point.mode);
    if (!why.empty()) {
      giveUp(point, "skipped", why);
      return;
    }
    try {
      for (int i = 0; i < sweep_.measurement.warmUp && warmedUp_.count(point.hash) == 0 && !stop_.requested();
           ++i)
        (void)runner_(point, sweep_.measurement);
      warmedUp_.insert(point.hash);
      Json record = runner_(point, sweep_.measurement);
      if (record.value("status", std::string{}) == "stopped" && stop_.requested()) {
        outcome_.stopped = true;
        return;  // not a figure: the run was interrupted from outside
      }
      store(point, repetition, std::move(record));
    } catch (const DeviceError& error) {
      giveUp(point, "skipped", error.what());
    } catch (const LimitError& error) {
      giveUp(point, "refused", error.what());
    } catch (const SetupStopped& error) {
      outcome_.stopped = stop_.requested();
      if (!outcome_.stopped) giveUp(point, "refused", error.what());
    } catch (const std::exception& error) {
      giveUp(point, "failed", error.what());
    }
  }

  void store(const SweepPoint& point, int repetition, Json record) {
    label(point, repetition, record);
    note(point, record);
    record["machine"] = machine_;
    record["build"] = build_;
    file_.append(record);
    present_.insert(repetitionKey(point.hash, repetition));
    ++outcome_.done;
    say(fmt::format("[{}/{}] {} {}: {}, {} steps/s{}", present_.size(),
                    sweep_.points.size() * static_cast<std::size_t>(sweep_.measurement.repetitions),
                    point.label, point.mode, shortSeconds(record.value("seconds", 0.0)),
                    shortNumber(record.value("steps_per_second", 0.0)),
                    record["status"] == "stopped" ? " (stopped by the time limit)" : ""));
    outcome_.records.push_back(std::move(record));
  }

  void label(const SweepPoint& point, int repetition, Json& record) const {
    record["sweep"] = sweep_.hash;
    record["point"] = point.hash;
    record["context"] = context_;
    record["case"] = point.caseIndex;
    record["label"] = point.label;
    record["repetition"] = repetition;
    record["row"] = point.row;
  }

  void note(const SweepPoint& point, Json& record) {
    record["case"] = point.caseIndex;
    const std::string difference = verifier_.check(point, record);
    if (!difference.empty()) {
      outcome_.mismatches.push_back(difference);
      say("MISMATCH: " + difference);
    }
  }

  void giveUp(const SweepPoint& point, const std::string& status, const std::string& reason) {
    Json record = {{"workload", point.document["workload"]},
                   {"status", status},
                   {"mode", point.mode},
                   {"reason", reason}};
    record["parameters"] = point.document;
    record["started"] = utcNow();
    label(point, 0, record);
    file_.append(record);
    given_.insert(point.hash);
    ++(status == "skipped" ? outcome_.skipped : status == "refused" ? outcome_.refused : outcome_.failed);
    say(fmt::format("{} {} {}: {}", status, point.label, point.mode, reason));
    outcome_.records.push_back(std::move(record));
  }

  std::string whyUnavailable(const std::string& mode) {
    if ((mode == "gpu" || mode == "hybrid") && machine_["gpus"].empty()) {
      const std::string why = knownGpus().whyNone;
      return why.empty() ? "no usable GPU on this machine" : why;
    }
    return {};
  }

  void say(const std::string& line) const {
    if (settings_.message) settings_.message(line);
  }

  const config::SweepConfig& sweep_;
  const SweepSettings& settings_;
  const PointRunner& runner_;
  const StopRequest& stop_;
  Json machine_;
  Json build_;
  std::string context_;
  ResultsFile file_;
  Verifier verifier_;
  SweepOutcome outcome_;
  std::size_t passed_ = 0;         ///< repetitions that are over, in whatever way
  std::set<std::string> present_;  ///< repetitions that have a record
  std::set<std::string> given_;    ///< points that were given up
  std::set<std::string> warmedUp_;
};

}  // namespace

void claimDirectory(const std::string& directory, OutputGuard& guard) {
  const auto folder = makeDirectory(directory);
  std::vector<OutputRole> roles;
  for (const char* name : {"results.jsonl", "summary.csv", "report.html"})
    roles.push_back({"output.directory", (folder / name).string(), OutputNeed::file});
  guard.claim(std::move(roles));
}

int SweepOutcome::exitCode() const {
  if (!mismatches.empty() || failed > 0) return 1;
  if (stopped) return 5;
  if (kept + done == 0 && refused > 0) return 4;
  return kept + done == 0 && skipped > 0 ? 3 : 0;
}

std::string Verifier::compare(std::map<std::string, Known>& known, const std::string& identity,
                              const Json& value, const std::string& what, const std::string& from,
                              Json& verdict) {
  const auto [entry, isFirst] = known.try_emplace(identity, Known{value, from});
  if (isFirst) {
    verdict[what] = "first";
    return {};
  }
  verdict[what + "_compared_with"] = entry->second.from;
  if (plainText(entry->second.value) == plainText(value)) {
    verdict[what] = "matches";
    return {};
  }
  verdict[what] = "differs";
  return fmt::format("{}: {} {}, but {} from {}", from, what, plainText(value),
                     plainText(entry->second.value), entry->second.from);
}

/// Against what the row expects and against what another run of the same search had: the one says nothing of
/// the other.
std::string Verifier::checkCount(const SweepPoint& point, const std::string& identity, const Json& count,
                                 const std::string& from, Json& verdict) {
  const bool isKnown = counts_.contains(identity);
  std::string difference;
  if (point.row.contains("expected_count")) {
    std::map<std::string, Known> expected{{identity, {point.row["expected_count"], "the expected count"}}};
    difference = compare(expected, identity, count, "count", from, verdict);
    if (!isKnown) counts_.merge(expected);
    if (!isKnown || !difference.empty()) return difference;
  }
  return compare(counts_, identity, count, "count", from, verdict);
}

std::string Verifier::check(const SweepPoint& point, Json& record) {
  Json verdict = {{"count", "unchecked"}, {"fingerprint", "unchecked"}};
  std::string difference;
  const auto add = [&](const std::string& one) {
    difference += (difference.empty() || one.empty() ? "" : "; ") + one;
  };
  const auto& workload = config::requireWorkload(point.document);
  if (record.value("status", std::string{}) == "done" && workload.countsEverything(point.document)) {
    const std::string identity = config::canonicalText(workload.identity(point.document));
    const std::string from = point.label + " " + point.mode;
    if (record.contains("count")) add(checkCount(point, identity, record["count"], from, verdict));
    if (record.contains("fingerprint"))
      add(compare(fingerprints_, identity, record["fingerprint"], "fingerprint", from, verdict));
    if (record.contains("nodes")) add(compare(nodes_, identity, record["nodes"], "nodes", from, verdict));
  }
  record["verification"] = std::move(verdict);
  return difference;
}

std::string sweepBar(const SweepStatus& status, double seconds, double secondsDone, std::size_t width) {
  const double share = static_cast<double>(status.repetition) / static_cast<double>(status.total);
  double left = -1;
  if (status.run != 0) {
    const double each = secondsDone / static_cast<double>(status.run);
    const double rest = each * static_cast<double>(status.total - status.repetition);
    left = std::max(0.0, rest - std::min(each, seconds - secondsDone));
  }
  std::string line = barLine(share,
                             {fmt::format("point {} of {}", status.point, status.points),
                              fmt::format("{:.0f} s", seconds), timeLeft(left)},
                             width);
  constexpr std::size_t kMinimumLabel = 8;
  if (line.size() + 2 + kMinimumLabel < width) line += "  " + status.label.substr(0, width - line.size() - 3);
  return line;
}

SweepOutcome runSweep(const config::SweepConfig& sweep, const SweepSettings& settings,
                      const PointRunner& runner, const StopRequest& stop) {
  return SweepRun(sweep, settings, runner, stop).run();
}

PointRunner inProcessRunner(const StopRequest& stop, std::shared_ptr<Session> session) {
  return
      [&stop, session = std::move(session)](const SweepPoint& point, const config::Measurement& measurement) {
        auto run = config::parseRunConfig(point.document, config::Strictness::sweepPoint);
        run.engine.session = session;
        run.engine.timeline = measurement.timeline;
        run.timeLimitSeconds = measurement.timeLimitSeconds;
        const Execution execution = execute(run, config::Strictness::sweepPoint, stop);
        Json record = makeRecord(run, *execution.run, execution.times);
        if (execution.timeIsOver && record["status"] == "stopped") {
          record["stop_reason"] = "time_limit";
          record["time_limit_seconds"] = *run.timeLimitSeconds;
        }
        return record;
      };
}

}  // namespace slicepool::report
