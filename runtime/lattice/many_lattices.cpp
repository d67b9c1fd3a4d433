// Many lattices: taken in groups, which all cores answer at the same time (lattice_group), and written in
// their order. A lattice that is too large for one core is searched by an enumeration of its own, with all
// workers. Called by the front of the workload, the Python package and library users.
#include "slicepool/lattice/many_lattices.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cpu_workers/core/cpu_workers.hpp"
#include "runtime/core/engine_slot.hpp"
#include "runtime/core/recent_rate.hpp"
#include "runtime/core/run_life.hpp"
#include "runtime/io/ordered_pipeline.hpp"
#include "runtime/io/part_file.hpp"
#include "runtime/io/text_output.hpp"
#include "runtime/lattice/lattice_group.hpp"
#include "runtime/lattice/lattice_line.hpp"
#include "runtime/lattice/lattice_lines.hpp"
#include "runtime/lattice/many_request_check.hpp"
#include "runtime/lattice/one_target.hpp"
#include "runtime/lattice/pooled_search.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

/// Lattices that one thread takes at a time: about a millisecond of work.
constexpr std::size_t kGroup = 8;
/// The same of a file, where small ones take less time, beside the number that their plan says.
constexpr std::size_t kGroupBytes = std::size_t{16} << 10;
/// The same of groups that a device reduces: milliseconds for it, and tens of them for the core that waits.
constexpr std::size_t kDeviceGroup = 256;
constexpr std::size_t kDeviceGroupBytes = std::size_t{1} << 20;
/// Lattices that say how all are dealt out, most likely.
constexpr std::size_t kLooked = 4;
/// Groups that wait or are worked on, for each thread; and such as wait beside those that a device works for,
/// whose memory is ten times their text.
constexpr std::size_t kGroupsPerThread = 4;
constexpr std::size_t kWaitingGroups = 8;
/// And bytes of all of them; a longer line is alone.
constexpr std::size_t kBytesInWork = std::size_t{64} << 20;
/// A group that had longer lines is not used again.
constexpr std::size_t kKeptBytes = std::size_t{4} << 20;

}  // namespace

class ManyLattices::Impl final : public RunLife {
 public:
  Impl(ManyRequest request, EngineOptions options)
      : RunLife(std::move(options)), request_(std::move(request)) {
    checkManyRequest(request_, options_);
    refuseRanks("a search of many lattices", "one process, with a part of the lattices for each");
    slot_.useClock(options_);
    guard_.claim({{"output.path", request_.outputPath, OutputNeed::text}},
                 {{"batch", request_.batchPath == "-" ? std::string() : request_.batchPath},
                  {"basis", request_.basisPath},
                  {"gram", request_.gramPath}});
    if (!request_.batchPath.empty()) lines_.emplace(request_.batchPath, stop_);
    if (needsDevices()) expectDevices();
    limitMemory();
    if (request_.outputPath.empty()) answers_.resize(request_.lattices.size());
    if (hasLattice(request_)) {
      const PhaseScope reducing(&clock(), Phase::tables);
      lattice_ = std::make_shared<const TargetLattice>(latticeRequest(request_));
      outcome_.dimension = lattice_->prepared().data.dimension;
      outcome_.reduction = lattice_->prepared().reduction;
    }
    ofPooled_.emplace(lattice_, stop_);
  }

  void run() override {
    if (started_.exchange(true)) throw Error("an enumeration runs once");
    const ReleaseAtEnd release(guard_);
    execute();
    report_.steps = nodes_.load();
    report_.complete = finished_;
    report_.automatic = solver_->choice();
    for (const auto& warnings : {guard_.warnings(), solver_->warnings()})
      report_.warnings.insert(report_.warnings.end(), warnings.begin(), warnings.end());
    slot_.finishTimes(report_);
    report_.seconds = report_.phases[static_cast<std::size_t>(Phase::search)];
  }

  void cancel() noexcept override {
    stop_ = true;
    pooled_.cancel();
  }
  /// From the beginning: there is no checkpoint beyond which a resumed run would have to come, and the first
  /// group may take longer than any limit.
  [[nodiscard]] bool stepping() const noexcept override { return started_.load(); }

  [[nodiscard]] Progress progress() const override {
    const std::lock_guard lock(mutex_);
    Progress progress = slot_.progress();
    progress.steps = static_cast<double>(nodes_.load());
    progress.results = done_.load();
    progress.stepsPerSecond = rate_.at(progress.seconds, progress.steps);
    progress = withTotal(progress, 0);
    const std::uint64_t all = lines_ ? lines_->bytes() : request_.lattices.size();
    const std::uint64_t through = lines_ ? bytesDone_.load() : done_.load();
    if (all == 0) return progress;
    progress.doneShare = std::min(1.0, static_cast<double>(through) / static_cast<double>(all));
    if (progress.doneShare > 0)
      progress.secondsLeft = progress.seconds * (1 - progress.doneShare) / progress.doneShare;
    return progress;
  }

  [[nodiscard]] ManyOutcome outcome() {
    requireRun();
    outcome_.lattices = done_.load();
    outcome_.searchedByDevice = solver_->searchedByDevice();
    outcome_.reducedByDevice = solver_->reducedByDevice();
    outcome_.answers = std::move(answers_);
    outcome_.run = std::move(report_);
    return std::move(outcome_);
  }

 private:
  using GroupPointer = std::unique_ptr<LatticeGroup>;
  using Pipeline = OrderedPipeline<GroupPointer>;

  void readCheckpoint(const std::string&) override {
    throw CheckpointError("resume: a search of many lattices has no checkpoints");
  }

  [[nodiscard]] bool toStandardOutput() const { return request_.outputPath == "-"; }

  /// Entries of all lattices that devices may reduce, with a test of vectors as without one; of a file, some
  /// digits each.
  [[nodiscard]] std::uint64_t expectedNumbers() const {
    constexpr std::uint64_t kBytesPerNumber = 4;
    if (hasLattice(request_)) return 0;
    if (lines_) return lines_->bytes() / kBytesPerNumber;
    std::uint64_t numbers = 0;
    for (const GivenLattice& lattice : request_.lattices) numbers += lattice.entries.size();
    return numbers;
  }

  /// Of a file, by some digits for each number of a target, or by the length of its first lines.
  [[nodiscard]] std::uint64_t expectedLines() const {
    constexpr std::uint64_t kBytesPerNumber = 6;
    if (!lines_) return request_.lattices.size();
    if (hasLattice(request_))
      return lines_->bytes() / (kBytesPerNumber * static_cast<std::uint64_t>(outcome_.dimension));
    return firstGroup_ ? lines_->bytes() * firstGroup_->lines.size() /
                             std::max(firstGroup_->lines.taken, std::size_t{1})
                       : 0;
  }

  /// Looks at some lattices and plans how all are dealt out.
  void plan() {
    std::vector<GivenLattice> some;
    BatchLook look{.numbers = expectedNumbers()};
    if (lines_ && !hasLattice(request_)) {
      firstGroup_ = std::make_unique<LatticeGroup>();
      if (!lines_->next(kLooked, kGroupBytes, firstGroup_->lines)) firstGroup_.reset();
    }
    if (firstGroup_) {
      firstGroup_->bytes = firstGroup_->lines.taken;
      for (std::size_t i = 0; i < firstGroup_->lines.size(); ++i) {
        try {
          LatticeLine line;
          parseLatticeLine(firstGroup_->lines.line(i), line);
          some.push_back(std::move(line.lattice));
        } catch (const ConfigError&) {  // it has its error in its place
        }
      }
      look.some = some;
    } else if (!hasLattice(request_)) {
      look.some = std::span(request_.lattices).first(std::min(kLooked, request_.lattices.size()));
    }
    look.lines = expectedLines();
    const int threads = options_.threads > 0 ? options_.threads : availableCores();
    solver_.emplace(request_, options_, threads, look, lattice_, stop_);
  }

  void execute() {
    const PhaseScope searching(&clock(), Phase::search);
    if (!request_.outputPath.empty() && !toStandardOutput())
      file_.emplace(PartFile::createText(request_.outputPath));
    plan();
    {
      const int seats = solver_->seats();
      const auto threads = static_cast<std::size_t>(seats);
      const std::size_t groups = solver_->hasDevice() ? threads + kWaitingGroups : threads * kGroupsPerThread;
      Pipeline pipeline(seats, {[this](auto& group, int seat) { solver_->solve(*group, seat); },
                                [this](auto& group) { place(*group); }, [](auto&) {},
                                [this](auto& group, auto&) {
                                  --groupsInWork_;
                                  bytesInWork_ -= group->bytes;
                                  unused_.push_back(std::move(group));
                                }});
      const Meanwhile meanwhile{[this] { tell(); }, options_.progressInterval};
      // The check loses what the pipeline has.
      // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks)
      while (auto group = nextGroup(pipeline)) {
        tellNow();
        auto lock = pipeline.lock();
        const std::size_t bytes = group->bytes;
        ++groupsInWork_;
        bytesInWork_ += bytes;
        pipeline.submit(lock, std::move(group));
        pipeline.wait(
            lock, [&] { return groupsInWork_ < groups && bytesInWork_ < kBytesInWork; }, meanwhile);
      }
      auto lock = pipeline.lock();
      pipeline.wait(
          lock, [&] { return groupsInWork_ == 0; }, meanwhile);
    }
    unused_.clear();
    finished_ = !broken_.load();
    tell();
    publish();
  }

  /// The last one that left, whose memory is in a cache most likely, or a new one.
  GroupPointer emptyGroup(Pipeline& pipeline) {
    GroupPointer group;
    {
      const auto lock = pipeline.lock();
      if (!unused_.empty()) {
        group = std::move(unused_.back());
        unused_.pop_back();
      }
    }
    if (group == nullptr || group->lines.bytes.capacity() > kKeptBytes)
      group = std::make_unique<LatticeGroup>();
    return group;
  }

  /// Of lines that have not come yet it is unknown.
  [[nodiscard]] bool isInputLeft() const {
    return firstGroup_ != nullptr || (lines_ ? !lines_->atEnd() : taken_ < request_.lattices.size());
  }

  /// Null at the end, and when stopped.
  GroupPointer nextGroup(Pipeline& pipeline) {
    if (stop_.load()) {
      broken_ = broken_ || isInputLeft();
      return nullptr;
    }
    if (firstGroup_) return std::move(firstGroup_);
    GroupPointer group = emptyGroup(pipeline);
    const bool large = solver_->hasDevice();
    const std::size_t most = large ? kDeviceGroup : solver_->linesOfCore();
    if (!lines_) {
      group->first = taken_;
      group->count = std::min(!large && !hasLattice(request_) ? std::min(most, kGroup) : most,
                              request_.lattices.size() - taken_);
      taken_ += group->count;
      return group->count == 0 ? nullptr : std::move(group);
    }
    if (!lines_->next(most, large ? kDeviceGroupBytes : kGroupBytes, group->lines)) {
      broken_ = broken_ || !lines_->atEnd();
      return nullptr;
    }
    group->bytes = group->lines.taken;
    return group;
  }

  /// In the order of the lattices. The first that has no answer ends the output.
  void place(LatticeGroup& group) {
    if (broken_) return;
    std::string text;
    for (std::size_t i = 0; i < group.size() && !broken_; ++i) {
      if (group.blank[i]) continue;
      if (limitReached_) {
        broken_ = true;
        break;
      }
      LatticeAnswer& answer = group.answers[i];
      if (group.ways[i] == Way::tooLarge) searchPooled(group, i, answer, group.ways[i]);
      if (group.ways[i] == Way::stopped) {
        broken_ = true;
        break;
      }
      const std::uint64_t number = group.count == 0 ? group.lines.first + i : group.first + i + 1;
      book(answer, group.ways[i], number);
      if (!request_.outputPath.empty())
        appendAnswerLine(answer, number, group.count == 0 ? group.given[i].id : std::string(), text);
      else
        answers_[group.first + i] = std::move(answer);
      if (options_.stepLimit != 0 && nodes_.load() >= options_.stepLimit) {
        stop_ = true;
        limitReached_ = true;
      }
    }
    bytesDone_ += group.lines.taken;
    write(text);
  }

  void book(const LatticeAnswer& answer, Way way, std::uint64_t number) {
    ++done_;
    nodes_ += answer.nodes;
    if (answer.error.empty()) {
      outcome_.exact += way == Way::exact ? 1 : 0;
      return;
    }
    if (outcome_.failed++ == 0) outcome_.firstError = fmt::format("line {}: {}", number, answer.error);
  }

  void write(const std::string& text) {
    if (text.empty()) return;
    if (toStandardOutput()) {
      writeToStandardOutput(text);
      flushStandardOutput();
    } else {
      file_->write(outcome_.outputBytes, std::as_bytes(std::span(text)));
    }
    outcome_.outputBytes += text.size();
  }

  /// A file gets its name when it is whole; what a stopped run has is in FILE.part.
  void publish() {
    if (request_.outputPath.empty()) return;
    outcome_.outputPath = request_.outputPath;
    if (!file_) return;
    const PhaseScope writing(&clock(), Phase::writing);
    if (finished_) {
      file_->publish();
    } else if (!file_->inPlace()) {
      file_->keepPart();
      outcome_.partPath = file_->partPath();
    }
    file_.reset();
  }

  /// By all workers, in the mode of the run.
  void searchPooled(LatticeGroup& group, std::size_t i, LatticeAnswer& answer, Way& way) {
    const GivenLattice& given = solver_->latticeOf(group, i);
    Request request;
    if (hasMatrix(given))
      (given.gram ? request.gram : request.basis) = matrixText(given);
    else
      request = latticeRequest(request_);
    if (hasTarget(given)) request.target = targetText(given);
    request.squaredRadius = given.squaredRadius.given() ? given.squaredRadius : request_.squaredRadius;
    answer.byRadius = request.squaredRadius.given();
    request.fixedRadius = answer.byRadius;
    if (answer.byRadius) request.solutions = request_.solutions;
    request.first = request_.first;
    if (request_.accept) {
      request.accept = [this, index = group.indexOf(i), close = hasTarget(given)](const Solution& found) {
        return request_.accept(index, askedVector(found, close));
      };
    }
    attemptAnswer(answer, [&] {
      way = pooled_.search(request, std::move(group.prepared.at(i)), answer);
      if (hasTarget(given)) ofPooled_->addCoefficients(given, answer);
      outcome_.pooled += way == Way::pooled ? 1 : 0;
    });
  }

  void tell() {
    told_ = std::chrono::steady_clock::now();
    if (options_.onProgress) options_.onProgress(progress());
  }
  void tellNow() {
    if (std::chrono::steady_clock::now() - told_ >= options_.progressInterval) tell();
  }

  ManyRequest request_;
  std::optional<LatticeLines> lines_;
  std::shared_ptr<const TargetLattice> lattice_;  ///< of all targets, or null
  GroupPointer firstGroup_;                       ///< lines of the file that were looked at, until taken
  std::optional<PartFile> file_;
  std::optional<GroupSolver> solver_;
  std::optional<OneTarget> ofPooled_;  ///< of targets that all workers searched for
  std::atomic<bool> stop_{false};
  std::atomic<bool> broken_{false};  ///< the output has ended before the input
  bool limitReached_ = false;        ///< of steps, by the last lattice that was placed
  std::size_t taken_ = 0;            ///< of the lattices in memory
  std::size_t groupsInWork_ = 0;     ///< guarded by the pipeline's lock
  std::size_t bytesInWork_ = 0;
  std::vector<GroupPointer> unused_;  ///< likewise
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> nodes_{0};
  std::atomic<std::uint64_t> bytesDone_{0};
  std::vector<LatticeAnswer> answers_;
  ManyOutcome outcome_;
  RunReport report_;
  EngineSlot slot_;
  std::chrono::steady_clock::time_point told_;
  PooledSearch pooled_{options_, stop_};
  mutable std::mutex mutex_;  ///< of what follows
  mutable RecentRate rate_;
};

ManyLattices::ManyLattices(ManyRequest request, EngineOptions options)
    : RunHandle(std::make_unique<Impl>(std::move(request), std::move(options))) {}
ManyOutcome ManyLattices::outcome() { return static_cast<Impl&>(life()).outcome(); }

}  // namespace slicepool::lattice
