// See front_access.hpp.
#include "runtime/factorizations/front_access.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

#include <fmt/format.h>

#include "cpu_workers/core/cpu_workers.hpp"
#include "runtime/core/memory.hpp"
#include "runtime/core/recent_rate.hpp"
#include "runtime/factorizations/front_rank_values.hpp"
#include "runtime/factorizations/front_request.hpp"
#include "runtime/factorizations/front_row_text.hpp"
#include "runtime/factorizations/rank_selection.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "runtime/factorizations/sample_rows.hpp"
#include "runtime/io/output_guard.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"
#include "slicepool/factorizations/rank_index.hpp"

namespace slicepool::config {
namespace {

using factorizations::parseRank;
using factorizations::Rank;
using factorizations::RankIndex;
using factorizations::RankSampler;
using factorizations::Request;
using factorizations::SampledRows;
using factorizations::SampleSpec;
using Clock = std::chrono::steady_clock;

void refuse(const RunConfig& config, const char* key, const std::string& kind, const std::string& accepted) {
  if (!config.document.contains(key)) return;
  throw ConfigError(key, describeValue(config.document[key]) + " with " + kind, accepted);
}

/// Sampled rows are written at once: there is no stream, and nothing to resume.
void refuseStream(const RunConfig& config) {
  const Json settings = config.document.value("output", Json::object());
  for (const char* key :
       {"writing", "shard_rows", "compression_level", "frame_size", "buffer_memory", "writers"}) {
    if (!settings.contains(key)) continue;
    throw ConfigError("output." + std::string(key), describeValue(settings[key]) + " with sample",
                      "this setting only with an enumeration");
  }
  const std::string& path = config.outputPath;
  if (!path.empty() && path != "-" && !path.ends_with(".npy") && !path.ends_with(".csv")) {
    throw ConfigError("output.path", describeValue(Json(path)) + " with sample",
                      "a file name that ends in .npy or .csv, or - for CSV on standard output");
  }
}

/// What belongs to enumerations, or to one of the other kinds of access, contradicts this one.
void refuseForeign(const RunConfig& config, const std::string& kind) {
  for (const char* other : {"sample", "rank_of", "row_at"})
    if (kind != other) refuse(config, other, kind, "one of sample, rank_of and row_at");
  for (const char* key : {"modulo", "tabulated_dimension", "dynamic_parallelism", "dynamic_on_gpu",
                          "fingerprint", "checkpoint", "resume", "trace"})
    refuse(config, key, kind, std::string(key) + " only with an enumeration");
  const bool sampling = kind == "sample";
  if (!sampling || config.document.value("sink", std::string("rows")) != "rows")
    refuse(config, "sink", kind, sampling ? "no sink, or rows" : "no sink");
  if (!sampling)
    for (const char* key : {"seed", "rank_range", "output"})
      refuse(config, key, kind, std::string(key) + " only with sample or an enumeration");
  if (sampling) refuseStream(config);
  const std::string algorithm = config.document.value("algorithm", std::string("auto"));
  if (algorithm != "auto" && algorithm != "ranked") refuse(config, "algorithm", kind, "auto or ranked");
  if (config.engine.mode != Mode::cpu && config.engine.mode != Mode::automatic) {
    throw ConfigError("engine.mode", modeName(config.engine.mode) + " with " + kind,
                      "cpu or auto: single rows are found on CPU threads");
  }
}

/// The problem with the sink that the rows are for; checks everything that a rows request checks.
Request problemOf(const RunConfig& config, const std::string& kind) {
  RunConfig plain = config;
  for (const char* key : {"sample", "seed", "rank_of", "row_at"}) plain.document.erase(key);
  if (kind == "sample") plain.document["sink"] = "rows";
  Request request = parseFactorizationsRequest(plain, Strictness::single);
  checkRequest(request, config.engine);
  return request;
}

/// Common to the three: the index, and what every record says of it.
class AccessRun : public WorkloadRun {
 public:
  AccessRun(const RunConfig& config, const std::string& kind)
      : config_(config), kind_(kind), request_(claimed(problemOf(config, kind))), index_(makeIndex()) {
    report_.setupSeconds = secondsSince(begin_);
  }

  void resumeFrom(const std::string& path) override {
    throw ConfigError("resume", path + " with " + kind_, "resume only with an enumeration");
  }
  void run() override {
    const auto begin = Clock::now();
    const ReleaseAtEnd release(guard_);
    const PhaseScope searching(config_.engine.phases.get(), Phase::search);
    report_.complete = answer();
    report_.seconds = secondsSince(begin);
    report_.peakHostBytes = peakResidentBytes();
  }
  void cancel() noexcept override { cancelled_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool finished() const override { return report_.complete; }
  [[nodiscard]] Progress progress() const override {
    Progress progress;
    const auto* clock = config_.engine.phases.get();
    const auto time = clock != nullptr ? clock->read() : PhaseClock::Reading{};
    progress.seconds = time.seconds;
    progress.phase = time.phase;
    progress.secondsLeft = -1;
    return progress;
  }
  void collect() override {}
  [[nodiscard]] const RunReport& report() const override { return report_; }
  [[nodiscard]] std::string savedTo() const override { return {}; }

  [[nodiscard]] Answers answers() const override {
    Answers answers;
    answers.record("algorithm", "ranked");
    answers.record("algorithm_reason", reason());
    answers.record("sink", kind_);
    answers.record("count", exactNumber(count()));
    answers.record("counted_by_table", true);
    if (finished()) addAnswer(answers);
    answers.line("count", count());
    answers.line("algorithm", "ranked: " + reason());
    return answers;
  }

 protected:
  /// False when cancelled.
  virtual bool answer() = 0;
  virtual void addAnswer(Answers& answers) const = 0;
  /// Rows that are ranked, decimal.
  [[nodiscard]] virtual std::string count() const { return index_.count().str(); }

  [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  [[nodiscard]] const RunConfig& config() const { return config_; }
  [[nodiscard]] const Request& request() const { return request_; }
  [[nodiscard]] const RankIndex& index() const { return index_; }
  [[nodiscard]] std::size_t memoryLimit() const { return memoryLimit_; }
  RunReport& books() { return report_; }

 private:
  Request claimed(Request request) {
    const bool text = outputFormat(request.output) == factorizations::OutputFormat::csv;
    guard_.claim({{"output.path", request.output.path, text ? OutputNeed::text : OutputNeed::file}});
    return request;
  }
  [[nodiscard]] RankIndex makeIndex() {
    const PhaseScope counting(config_.engine.phases.get(), Phase::tables);
    memoryLimit_ = config_.engine.memoryLimit != 0 ? config_.engine.memoryLimit : availableMemoryBytes() / 2;
    return RankIndex(request_.generators, request_.element, memoryLimit_);
  }
  [[nodiscard]] std::string reason() const {
    return fmt::format("a rank index of {}-bit counts, {} bytes", index_.countBits(), index_.bytes());
  }

  Clock::time_point begin_ = Clock::now();
  RunConfig config_;
  std::string kind_;
  OutputGuard guard_;
  Request request_;
  std::size_t memoryLimit_ = 0;
  RankIndex index_;
  std::atomic<bool> cancelled_{false};
  RunReport report_;
};

class RankOfRun final : public AccessRun {
 public:
  explicit RankOfRun(const RunConfig& config) : AccessRun(config, "rank_of") {
    const Json& row = config.document.at("rank_of");
    for (std::size_t i = 0; i < row.size(); ++i)
      row_.push_back(requireUnsigned(row[i], "rank_of[" + std::to_string(i) + "]", 0, kMaximumInteger));
    rank_ = index().rankOf(row_).str();
  }

 private:
  bool answer() override { return true; }
  void addAnswer(Answers& answers) const override {
    answers.record("rank_of", rowRecord(row_));
    answers.add("rank", exactNumber(rank_), "rank", rank_);
    answers.line("row", rowText(row_));
  }

  std::vector<std::uint64_t> row_;
  std::string rank_;
};

class RowAtRun final : public AccessRun {
 public:
  explicit RowAtRun(const RunConfig& config)
      : AccessRun(config, "row_at"),
        rank_(requireRank(config.document.at("row_at"), "row_at")),
        row_(index().unrank(parseRank(rank_, "row_at"))) {}

 private:
  bool answer() override { return true; }
  void addAnswer(Answers& answers) const override {
    answers.record("row_at", exactNumber(rank_));
    answers.add("row", rowRecord(row_), "row", rowText(row_));
    answers.line("rank", rank_);
  }

  std::string rank_;
  std::vector<std::uint64_t> row_;
};

class SampleRun final : public AccessRun {
 public:
  explicit SampleRun(const RunConfig& config)
      : AccessRun(config, "sample"), seed_(seedOf(config)), sampler_(makeSampler()) {
    spec_.rows = requireUnsigned(config.document.at("sample"), "sample", 1, kMaximumInteger);
    spec_.output = request().output;
    spec_.threads = config.engine.threads != 0 ? config.engine.threads : availableCores();
    spec_.memoryLimit = memoryLimit();
    requireSpace(index(), spec_);
  }

 private:
  static std::uint64_t seedOf(const RunConfig& config) {
    if (!config.document.contains("seed")) return 0;
    return requireUnsigned(config.document["seed"], "seed", 0, std::numeric_limits<std::uint64_t>::max());
  }

  [[nodiscard]] RankSampler makeSampler() {
    const auto whole = factorizations::RankInterval{"0", index().count().str()};
    const auto& range = request().ranks.has_value() ? *request().ranks : whole;
    count_ = selectRanks(range, whole.end).count;
    if (count_ == "0") {
      throw ConfigError(
          "sample",
          describeValue(config().document.at("sample")) + " rows of " +
              (request().ranks.has_value() ? "an empty rank_range" : "an element without factorizations"),
          "a sample of at least one factorization");
    }
    return {parseRank(range.begin, "rank_range"), parseRank(range.end, "rank_range"), seed_};
  }

  bool answer() override {
    const auto begin = Clock::now();
    auto shown = begin;
    searchBegan_ = AccessRun::progress().seconds;
    rows_ = sampleRows(index(), sampler_, spec_, [&](std::uint64_t done) {
      books().steps = done;
      drawn_.store(done, std::memory_order_relaxed);
      const auto now = Clock::now();
      if (config().engine.onProgress && now - shown >= config().engine.progressInterval) {
        shown = now;
        config().engine.onProgress(progress());
      }
      const std::uint64_t limit = config().engine.stepLimit;
      return !cancelled() && (limit == 0 || done < limit);
    });
    return rows_.complete;
  }

  [[nodiscard]] Progress progress() const override {
    Progress progress = AccessRun::progress();
    const std::uint64_t drawn = drawn_.load(std::memory_order_relaxed);
    const double seconds = progress.seconds - searchBegan_.load(std::memory_order_relaxed);
    progress.steps = static_cast<double>(drawn);
    progress.results = drawn;
    progress.stepsPerSecond = drawn != 0 && seconds > 0 ? progress.steps / seconds : 0;
    return withTotal(progress, static_cast<double>(spec_.rows));
  }

  void addAnswer(Answers& answers) const override {
    answers.add("sample", {{"rows", exactNumber(spec_.rows)}, {"seed", exactNumber(seed_)}}, "sample",
                fmt::format("{} rows with replacement, seed {}", spec_.rows, seed_));
    if (request().ranks.has_value()) {
      const std::string total = index().count().str();
      answers.add("rank_range", rankRangeRecord(*request().ranks), "rank range",
                  fmt::format("{}:{} of {}", request().ranks->begin, request().ranks->end, total));
      answers.record("total", exactNumber(total));
    }
    if (spec_.output.path.empty()) {
      answers.record("rows", rowsRecord(rows_.rows));
      addRowLines(rows_.rows, answers);
    } else {
      answers.add("output", {{"path", spec_.output.path}, {"bytes", rows_.outputBytes}}, "output",
                  outputText(spec_.output.path, rows_.outputBytes));
    }
  }
  [[nodiscard]] std::string count() const override { return count_; }

  std::uint64_t seed_;
  std::string count_;
  RankSampler sampler_;
  SampleSpec spec_;
  SampledRows rows_;
  std::atomic<std::uint64_t> drawn_{0};
  std::atomic<double> searchBegan_{0};  ///< seconds of the run
};

}  // namespace

bool asksForAccess(const Json& document) {
  return document.contains("sample") || document.contains("rank_of") || document.contains("row_at");
}

std::unique_ptr<WorkloadRun> prepareAccess(const RunConfig& config) {
  const char* const kind = config.document.contains("sample")    ? "sample"
                           : config.document.contains("rank_of") ? "rank_of"
                                                                 : "row_at";
  refuseForeign(config, kind);
  if (config.document.contains("sample")) return std::make_unique<SampleRun>(config);
  if (config.document.contains("rank_of")) return std::make_unique<RankOfRun>(config);
  return std::make_unique<RowAtRun>(config);
}

}  // namespace slicepool::config
