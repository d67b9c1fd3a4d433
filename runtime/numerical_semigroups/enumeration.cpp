// Enumeration: from a request to its outcome. Makes the problem (problem_factory), runs it on an engine
// (run_life), reads the words of the sink, sorts and writes what was collected. Called by the command line,
// the sweeps and library users.
#include "slicepool/numerical_semigroups/enumeration.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "runtime/core/checkpoint.hpp"
#include "runtime/core/collected_results.hpp"
#include "runtime/core/fingerprint_sum.hpp"
#include "runtime/core/run_life.hpp"
#include "runtime/core/trace.hpp"
#include "runtime/numerical_semigroups/request_check.hpp"
#include "runtime/numerical_semigroups/semigroup_files.hpp"
#include "runtime/numerical_semigroups/tree_frontier.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/numerical_semigroups/problem_factory.hpp"
#include "slicepool/numerical_semigroups/sinks.hpp"

namespace slicepool::numerical_semigroups {
namespace {

/// A set as it arrives, as it is listed, and a share of what is written.
constexpr std::size_t kBytesPerSemigroup = 3 * sizeof(GapSet);

/// A shard may have some more than its share: an estimate that is exceeded counts no longer.
constexpr double kRoomForMore = 1.05;

/// Values of all nonnegative integers, for which the search has no class; the Frobenius number is -1.
int valueOfRoot(Statistic statistic) {
  switch (statistic) {
    case Statistic::frobenius: return -1;
    case Statistic::depth:
    case Statistic::genus: return 0;
    case Statistic::second: return 2;
    default: return 1;
  }
}

/// Reads the words of Tally, ClassTally and Histogram.
class CountReader {
 public:
  CountReader(const ProblemSpec& spec, const std::vector<std::uint64_t>& words)
      : shape_(shapeOf(spec)),
        words_(words),
        byMultiplicity_(isTallied(spec) && spec.by == Statistic::multiplicity && !spec.also) {}

  /// Row v has the counts of value v of the first statistic, as many as the second one has values; all may be
  /// zero.
  [[nodiscard]] TwoWayTable table(int grade) const {
    TwoWayTable rows(static_cast<std::size_t>(shape_.valuesOf(shape_.first)));
    for (std::size_t v = 0; v < rows.size(); ++v)
      for (int w = 0; w < shape_.secondValues(); ++w) rows[v].push_back(count(grade, static_cast<int>(v), w));
    return rows;
  }
  [[nodiscard]] Fingerprint fingerprint() const {
    return {words_.at(shape_.fingerprintWord()), words_.at(shape_.fingerprintWord() + 1)};
  }

 private:
  [[nodiscard]] std::uint64_t count(int grade, int first, int second) const {
    if (!byMultiplicity_) return words_.at(shape_.wordOf(grade, first, second));
    return first < 1 || first > shape_.bound + 1 ? 0 : words_.at(Tally::wordOf(shape_.bound, first, grade));
  }

  HistogramShape shape_;
  const std::vector<std::uint64_t>& words_;
  bool byMultiplicity_;
};

template <class Row>
void dropZeros(std::vector<Row>& rows, const Row& zero) {
  while (!rows.empty() && rows.back() == zero) rows.pop_back();
}

Findings countedFindings(const Request& request, const ProblemSpec& spec,
                         const std::vector<std::uint64_t>& words) {
  const CountReader reader(spec, words);
  Findings findings;
  auto& counts = request.frobenius != 0 ? findings.byFrobenius : findings.byGenus;
  for (int grade = 0; grade <= boundOf(spec); ++grade) {
    TwoWayTable table = reader.table(grade);
    std::uint64_t sum = 0;
    for (const auto& row : table)
      for (const std::uint64_t number : row) sum += number;
    if (grade == 0 && selectsRoot(request)) {
      sum = 1;
      const int first = valueOfRoot(request.by);
      const int second = request.also ? valueOfRoot(*request.also) : 0;
      if (first >= 0 && second >= 0)
        table.at(static_cast<std::size_t>(first)).at(static_cast<std::size_t>(second)) = 1;
    }
    counts.push_back(sum);
    if (request.also) {
      for (auto& row : table) dropZeros(row, std::uint64_t{0});
      dropZeros(table, std::vector<std::uint64_t>{});
      findings.tables.push_back(std::move(table));
    } else {
      std::vector<std::uint64_t> row;
      for (const auto& values : table) row.push_back(values.front());
      dropZeros(row, std::uint64_t{0});
      findings.triangle.push_back(std::move(row));
    }
  }
  return findings;
}

/// Of a list: how many there are of each genus, or Frobenius number.
Findings listedFindings(const Request& request, const std::vector<GapSet>& semigroups) {
  Findings findings;
  const bool byFrobenius = request.frobenius != 0;
  auto& counts = byFrobenius ? findings.byFrobenius : findings.byGenus;
  counts.assign(static_cast<std::size_t>(byFrobenius ? request.frobenius : request.genus) + 1, 0);
  for (const GapSet& gaps : semigroups)
    ++counts.at(static_cast<std::size_t>(byFrobenius ? frobeniusOf(gaps) : genusOf(gaps)));
  return findings;
}

/// Sets of gaps as the search emits them, of `words` words.
void appendGaps(const std::byte* from, std::size_t bytes, int words, std::vector<GapSet>& semigroups) {
  const std::size_t one = static_cast<std::size_t>(2 * words) * sizeof(std::uint64_t);
  for (std::size_t at = 0; at < bytes; at += one)
    std::memcpy(semigroups.emplace_back().words.data(), from + at, one);
}

}  // namespace

class Enumeration::Impl final : public EngineLife {
 public:
  Impl(const Request& request, EngineOptions options) : EngineLife(std::move(options)), request_(request) {
    checkRequest(request_, options_);
    const bool isArray = semigroupFormat(request_.outputPath) == SemigroupFormat::npy;
    prepare(canonicalText(request_),
            {{"output.path", request_.outputPath, isArray ? OutputNeed::file : OutputNeed::text}});
    spec_ = specOf(request_);
    root_ = selectsRoot(request_);
    // All nonnegative integers are the first one, and may be enough.
    nothingLeft_ = root_ && wanted() == 1;
    if (request_.shards > 1) cutSearch();
    if (spec_.classes == ClassChoice::narrow && request_.shard == 0) addWideClasses(spec_, top_);
    problem_ = makeProblem(spec_);
  }

  [[nodiscard]] Outcome outcome() { return handOver(outcome_); }

 private:
  void readCheckpoint(const std::string& path) override {
    (void)readCheckpointHeaderOf(path, problem_->workload(), options_.checkpointIdentity);
  }

  void execute() override {
    if (wordsOf(spec_) == 1)
      search<Bits<2>>();
    else
      search<Bits<4>>();
    conclude([this] { writeFiles(); });
  }

  /// Semigroups to stop at; 0: none.
  [[nodiscard]] std::uint64_t wanted() const { return sinkOf(request_).wanted(); }

  template <class Gaps>
  void search() {
    const std::uint64_t first = wanted() == 0 ? 0 : wanted() - (root_ ? 1 : 0);
    // Enough are known: the engine stops as if it were cancelled.
    CollectedResults<Gaps> collected({"semigroups", options_.memoryLimit, kBytesPerSemigroup, first},
                                     [this] { slot_.cancel(); });
    std::vector<std::uint64_t> words = problem_->words().fresh();
    if (nothingLeft_) {
      report_.complete = true;
      if (!options_.tracePath.empty()) writeTrace(options_.tracePath, {}, {});
    } else {
      report_ = slot_.run(*problem_, options_, spec_.collect ? &collected : nullptr, 1, resumePath_);
      words = report_.words;
    }
    clock().enter(Phase::merging);
    report_.decided = collected.enough();
    if (!top_.words.empty()) {
      mergeWords(problem_->words(), words.data(), top_.words.data());
      report_.steps += top_.steps;
    }
    report_.words = words;
    const auto& results = collected.results();
    if (spec_.collect)
      finishList(reinterpret_cast<const std::byte*>(results.data()), results.size() * sizeof(Gaps));
    else
      finishCounts(words);
  }

  /// What was visited above the frontier belongs to shard 0.
  void cutSearch() {
    const PhaseScope cutting(&clock(), Phase::cutting);
    Frontier top = frontierOf(spec_, kSlicesPerShard * request_.shards, options_.memoryLimit);
    spec_.slices = slicesOfShard(top, request_.shards, request_.shard, outcome_.slices);
    // Shards are about equal; without a total a device does not know when the end is near.
    spec_.share = kRoomForMore / request_.shards;
    nothingLeft_ = outcome_.slices == 0;
    top.slices.clear();
    if (request_.shard == 0) top_ = std::move(top);
  }

  void finishCounts(const std::vector<std::uint64_t>& words) {
    outcome_.findings = countedFindings(request_, spec_, words);
    if (!request_.fingerprint) return;
    outcome_.fingerprint = CountReader(spec_, words).fingerprint();
    if (root_) addTo(*outcome_.fingerprint, fingerprintOf({GapSet{}}));
  }

  void finishList(const std::byte* results, std::size_t bytes) {
    auto& semigroups = outcome_.semigroups;
    appendGaps(results, bytes, wordsOf(spec_), semigroups);
    appendGaps(top_.results.data(), top_.results.size(), wordsOf(spec_), semigroups);
    if (root_) semigroups.emplace_back();
    std::sort(semigroups.begin(), semigroups.end(), comesBefore);
    // Workers find some at the same time.
    if (wanted() != 0 && semigroups.size() > wanted()) semigroups.resize(wanted());
    const bool found = !semigroups.empty();
    if (sinkOf(request_).asks() && (report_.complete || found))
      outcome_.holds = found == (request_.sink == SinkKind::any);
    if (request_.sink != SinkKind::list) return;
    outcome_.findings = listedFindings(request_, semigroups);
    outcome_.fingerprint = fingerprintOf(semigroups);
  }

  /// Last, and as a whole.
  void writeFiles() {
    if (request_.outputPath.empty()) return;
    outcome_.outputPath = request_.outputPath;
    outcome_.outputBytes = writeSemigroups(outcome_.semigroups, rowShapeOf(request_), request_.outputPath);
  }

  Request request_;
  ProblemSpec spec_;
  bool root_ = false;         ///< all nonnegative integers belong to the answer
  bool nothingLeft_ = false;  ///< the shard has no slices, or the answer is known
  Frontier top_;  ///< what shard 0 adds: words and semigroups above the frontier, words of wide classes
  std::unique_ptr<Problem> problem_;
  Outcome outcome_;
};

Enumeration::Enumeration(const Request& request, EngineOptions options)
    : RunHandle(std::make_unique<Impl>(request, std::move(options))) {}
Outcome Enumeration::outcome() { return static_cast<Impl&>(life()).outcome(); }

}  // namespace slicepool::numerical_semigroups
