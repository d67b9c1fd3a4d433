// See rank_search.hpp.
#include "runtime/cluster/rank_search.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cpu_workers/core/cpu_workers.hpp"
#include "runtime/cluster/codec.hpp"
#include "runtime/cluster/coordinator.hpp"
#include "runtime/cluster/engine_work.hpp"
#include "runtime/cluster/ledger.hpp"
#include "runtime/cluster/participant.hpp"
#include "runtime/core/checkpoint.hpp"
#include "runtime/core/checkpoint_interval.hpp"
#include "runtime/core/memory.hpp"
#include "runtime/core/recent_rate.hpp"
#include "runtime/core/report_merge.hpp"
#include "runtime/core/seeding.hpp"
#include "runtime/core/slice_packing.hpp"
#include "runtime/io/file_hash.hpp"
#include "slicepool/build_info.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool::cluster {
namespace {

using Clock = std::chrono::steady_clock;

/// Of rank 0, in times of what is allowed to others.
constexpr double kLeadPatience = 10;
/// Seconds between two looks for messages. While the rank works and none come they grow to the longer one: a
/// look takes time from the workers, 2 % of a core where there is one every millisecond.
constexpr double kShortestLook = 0.001;
constexpr double kLongestLook = 0.008;

EngineOptions engineOptions(const EngineOptions& options) {
  EngineOptions own = options;
  own.cluster.reset();
  own.checkpointPath.clear();
  own.onCheckpoint = {};
  own.tracePath.clear();
  own.onProgress = {};
  own.phases.reset();
  own.timeline = false;
  // Together about what was asked for: the leases of the first round end with it.
  if (options.stepLimit != 0) {
    const auto ranks = static_cast<std::uint64_t>(options.cluster->ranks());
    own.stepLimit = std::max<std::uint64_t>(1, options.stepLimit / ranks);
  }
  return own;
}

/// The search, and how it was cut: two ranks must have the same of both.
std::string identityOf(const Problem& problem, const EngineOptions& options) {
  FileHash roots;
  roots.update(packSlices(&problem, problem.sliceBytes(), problem.roots()));
  return fmt::format("{} {}, slices of {} bytes, roots {}", problem.workload(), options.checkpointIdentity,
                     problem.sliceBytes(), roots.digits());
}

}  // namespace

/// What rank 0 has beside its own work.
class RankSearch::Lead {
 public:
  Lead(RankSearch& search, Checkpoint start)
      : search_(search),
        secondsBefore_(start.seconds),
        stepsBefore_(start.steps),
        ledger_(std::move(start), search.problem_.words(), [this](const auto& blob) { take(blob); }),
        coordinator_(ledger_, search.identity_, optionsOf(search)),
        pace_(search.options_.checkpointPath.empty()
                  ? 0
                  : std::chrono::duration<double>(search.options_.checkpointInterval).count()) {
    // Nobody is told again of ranks that an earlier search has lost.
    toldOf_ = past().dead;
    toldOf_.insert(past().silent.begin(), past().silent.end());
    for (const int rank : past().dead) append(coordinator_.died(rank, 0));
    for (const int rank : past().silent) coordinator_.notHeard(rank);
  }

  [[nodiscard]] std::vector<Envelope> receive(int rank, const Message& message) {
    const auto* const lease = ledger_.leaseOf(rank);
    const bool counts =
        message.kind == MessageKind::commit && lease != nullptr && lease->number == message.lease;
    // Before what is left is leased anew.
    if (counts) stopAt(ledger_.steps() + message.content.steps);
    append(coordinator_.receive(rank, message, now()));
    if (counts) {
      account(rank, message.report);
      if (search_.tuning_.onCommit) search_.tuning_.onCommit();
    }
    return std::exchange(out_, {});
  }

  /// What time, the user and the words so far bring about.
  [[nodiscard]] std::vector<Envelope> tick() {
    for (const int rank : search_.transport_.takeLost()) {
      past().dead.insert(rank);
      tellOfLoss(rank, "was lost");
      append(coordinator_.died(rank, now()));
    }
    decided_ = decided_ || search_.problem_.decided(ledger_.words().data());
    if (search_.cancelled_.load() || decided_) halt();
    stopAt(ledger_.stepsSoFar());
    append(coordinator_.tick(now()));
    for (const int rank : coordinator_.lostRanks())
      tellOfLoss(rank, fmt::format("was not heard of for {} s", search_.tuning_.silence));
    saveOnTheWay();
    tell();
    publish();
    return std::exchange(out_, {});
  }

  [[nodiscard]] bool dismissed() const { return coordinator_.dismissed(); }

  /// A message of another search. A rank that was not heard of at the end of an earlier one still asks there
  /// for work, or commits; it is told to go on. What a fast one says in the next search is kept for that.
  void takeFromElsewhere(const Message& heading, Transport::Received&& received) {
    Transport& transport = search_.transport_;
    if (heading.search > search_.number_) return past().early.push_back(std::move(received));
    if (heading.kind == MessageKind::bye) return;
    Message stop;
    stop.kind = MessageKind::stop;
    stop.search = heading.search;
    stop.followed = true;
    transport.send(received.rank, encode(stop, search_.problem_));
  }

  /// What the next search is to know, or, where there is none, the transport.
  void partFromLost() {
    past().silent.clear();
    for (const int rank : coordinator_.lostRanks()) {
      if (!search_.tuning_.followed) search_.transport_.giveUp(rank);
      if (rank != 0 && !past().dead.contains(rank)) past().silent.insert(rank);
    }
  }

  void save(const std::string& path) {
    const auto begin = Clock::now();
    Checkpoint checkpoint = ledger_.checkpoint();
    checkpoint.seconds = secondsBefore_ + now();
    if (search_.consumer_ != nullptr) checkpoint.consumer = search_.consumer_->save();
    report_.checkpointBytes = writeCheckpoint(path, checkpoint, {}, &search_.problem_, threads());
    report_.checkpointWriteSeconds += secondsSince(begin);
    report_.checkpoints += 1;
  }

  /// Every rank has stopped.
  void finish(RunReport& report) {
    // The commit that settles the answer may be the one that ends the search, with no tick after it.
    decided_ = decided_ || search_.problem_.decided(ledger_.words().data());
    const bool goesOn = !ledger_.finished() && !decided_;
    if (goesOn && !search_.options_.checkpointPath.empty()) save(search_.options_.checkpointPath);
    report_.splits += report.splits;
    report_.seconds = now();
    report_.secondsBefore = secondsBefore_;
    report_.stepsBefore = static_cast<std::uint64_t>(stepsBefore_);
    report_.steps = static_cast<std::uint64_t>(ledger_.steps());
    report_.words = ledger_.words();
    report_.complete = ledger_.finished();
    report_.decided = !report_.complete && decided_;
    report_.peakHostBytes = std::max(report_.peakHostBytes, peakResidentBytes());
    computeShares(report_);
    report = report_;
  }

  [[nodiscard]] Progress progress() const {
    const std::lock_guard lock(mutex_);
    return progress_;
  }

 private:
  static CoordinatorOptions optionsOf(const RankSearch& search) {
    CoordinatorOptions options;
    options.version = build::kVersion;
    options.ranks = search.transport_.ranks();
    options.shortestLease = search.tuning_.shortestLease;
    options.patience = search.tuning_.patience;
    options.silence = search.tuning_.silence;
    options.followed = search.tuning_.followed;
    // What a lease has found is in no checkpoint before its commit.
    if (!search.options_.checkpointPath.empty()) {
      const double interval = std::chrono::duration<double>(search.options_.checkpointInterval).count();
      options.longestLease = std::clamp(interval, options.shortestLease, options.longestLease);
    }
    return options;
  }

  [[nodiscard]] double now() const { return secondsSince(begin_); }
  [[nodiscard]] Transport::Past& past() const { return search_.transport_.past(); }
  [[nodiscard]] int threads() const {
    return search_.options_.threads > 0 ? search_.options_.threads : availableCores();
  }
  /// Once for each rank.
  void tellOfLoss(int rank, const std::string& how) {
    if (!toldOf_.insert(rank).second) return;
    addWarning(report_,
               fmt::format("rank {} {}; what it had not committed was searched by others", rank, how));
  }
  void append(std::vector<Envelope> more) { std::move(more.begin(), more.end(), std::back_inserter(out_)); }

  void halt() {
    if (!std::exchange(halted_, true)) append(coordinator_.halt());
  }
  void stopAt(double steps) {
    const std::uint64_t limit = search_.options_.stepLimit;
    if (limit != 0 && steps - stepsBefore_ >= static_cast<double>(limit)) halt();
  }

  void take(const std::vector<std::byte>& blob) {
    if (search_.consumer_ == nullptr || blob.empty()) return;
    const std::size_t bytes = search_.problem_.resultBytes();
    if (blob.size() % bytes != 0) throw CheckpointError("a commit has results that are not whole");
    search_.consumer_->consume(blob.data(), blob.size() / bytes);
    ledger_.lowerShared(search_.consumer_->sharedBound());
  }

  void account(int rank, RunReport part) {
    for (auto& worker : part.workers) worker.name = fmt::format("rank{}/{}", rank, worker.name);
    for (auto& warning : part.warnings) warning = fmt::format("rank {}: {}", rank, warning);
    addReport(report_, part);
  }

  /// One that cannot be written does not end the search, as with an engine.
  void saveOnTheWay() {
    if (pace_.interval() <= 0 || halted_ || ledger_.finished() || now() - saved_ < pace_.interval()) return;
    const auto warn = [this](const std::string& warning) { addWarning(report_, warning); };
    const double before = report_.checkpointWriteSeconds;
    const std::string& path = search_.options_.checkpointPath;
    if (saves_.attempt([&] { save(path); }, warn)) {
      const std::string lengthened = pace_.learn({0, report_.checkpointWriteSeconds - before});
      if (!lengthened.empty()) warn(lengthened);
      if (search_.options_.onCheckpoint) search_.options_.onCheckpoint(path);
    }
    saved_ = now();
  }

  /// The engine's way: from the thread in run(), at the interval.
  void tell() {
    const double interval = std::chrono::duration<double>(search_.options_.progressInterval).count();
    if (!search_.options_.onProgress || now() - told_ < interval) return;
    told_ = now();
    search_.options_.onProgress(progress());
  }

  void publish() {
    Progress progress;
    const double steps = ledger_.stepsSoFar();
    progress.seconds = now();
    progress.phase = Phase::search;
    progress.steps = steps;
    progress.results = ledger_.words().at(0);
    progress.stepsPerSecond = rate_.at(progress.seconds, steps);
    progress.pooledSlices = ledger_.waiting();
    progress = withTotal(progress, search_.problem_.expectedSteps().value_or(0));
    const std::lock_guard lock(mutex_);
    progress_ = progress;
  }

  RankSearch& search_;
  Clock::time_point begin_ = Clock::now();
  double secondsBefore_;
  double stepsBefore_;
  Ledger ledger_;
  Coordinator coordinator_;
  CheckpointPace pace_;
  IntervalSaves saves_;
  std::vector<Envelope> out_;
  RunReport report_;
  RecentRate rate_;
  std::set<int> toldOf_;  ///< lost ranks of which there is a warning
  double saved_ = 0;
  double told_ = 0;
  bool decided_ = false;
  bool halted_ = false;
  mutable std::mutex mutex_;
  Progress progress_;  ///< under the lock
};

RankSearch::RankSearch(const Problem& problem, EngineOptions options, ResultConsumer* consumer,
                       RankSearchOptions tuning)
    : problem_(problem),
      options_(std::move(options)),
      consumer_(consumer),
      tuning_(std::move(tuning)),
      transport_(*options_.cluster),
      number_(++transport_.past().searches),
      early_(transport_.past().early.size()),
      identity_(identityOf(problem, options_)) {
  report_.words = problem.words().fresh();
  if (transport_.rank() != 0) return;
  Checkpoint start;
  start.workload = problem.workload();
  start.identity = options_.checkpointIdentity;
  start.sliceBytes = problem.sliceBytes();
  start.shared = problem.sharedStart();
  if (!tuning_.leftOut) start.slices = seeds();
  lead_ = std::make_unique<Lead>(*this, std::move(start));
}

RankSearch::~RankSearch() = default;

std::vector<std::byte> RankSearch::seeds() {
  std::vector<std::byte> slices = problem_.roots();
  // Enough for all ranks to begin at once, and for some leases each.
  Seeding seeding;
  const int threads = options_.threads > 0 ? options_.threads : availableCores();
  seeding.threads = threads * transport_.ranks();
  seeding.mode = options_.mode == Mode::cpu || options_.mode == Mode::emulated ? Mode::cpu : Mode::hybrid;
  seeding.devices = static_cast<std::size_t>(transport_.ranks());
  seeding.poolCapacity = std::size_t{1} << 20;
  report_.splits = seedSlices(problem_, seeding, slices);
  return slices;
}

void RankSearch::loadCheckpoint(const std::string& path) {
  if (!lead_) return;
  (void)readCheckpointHeaderOf(path, problem_.workload(), options_.checkpointIdentity);
  Checkpoint start = readCheckpoint(path, &problem_, availableCores());
  const std::vector<std::byte> blob = std::exchange(start.consumer, {});
  lead_ = std::make_unique<Lead>(*this, std::move(start));
  if (consumer_ != nullptr) consumer_->restore(blob);
}

void RankSearch::run() {
  EngineWork work(problem_, engineOptions(options_), consumer_ != nullptr);
  Participant participant(work, build::kVersion, identity_);
  std::deque<Envelope> own;  ///< of rank 0 to itself, in both directions
  const auto toCoordinator = [&](std::vector<Message> messages) {
    for (auto& message : messages) {
      message.search = number_;
      if (lead_)
        own.push_back({-1, std::move(message)});
      else
        transport_.send(0, encode(message, problem_));
    }
  };
  const auto toRanks = [&](std::vector<Envelope>&& envelopes) {
    for (auto& [rank, message] : envelopes) {
      message.search = number_;
      if (rank == 0)
        own.push_back({0, std::move(message)});
      else
        transport_.send(rank, encode(message, problem_));
    }
  };
  auto nextTick = Clock::now();
  auto heard = Clock::now();  // of rank 0, or not waited for it
  double look = kShortestLook;
  const auto over = [&] { return lead_ ? lead_->dismissed() : participant.stopped(); };
  while (!over()) {
    look = participant.working() ? std::min(2 * look, kLongestLook) : kShortestLook;
    while (auto received = nextMessage()) {
      look = kShortestLook;
      heard = Clock::now();
      const Message heading = headingOf(received->bytes);
      // A rank with another program is refused by the version that it says first.
      const bool foreign = heading.kind == MessageKind::hello && heading.version != build::kVersion;
      if (heading.search != number_ && !foreign) {
        if (lead_) lead_->takeFromElsewhere(heading, std::move(*received));
        continue;
      }
      const Message message = decode(received->bytes, problem_);
      if (lead_)
        toRanks(lead_->receive(received->rank, message));
      else
        toCoordinator(participant.receive(message));
    }
    while (!own.empty()) {
      const Envelope envelope = std::move(own.front());
      own.pop_front();
      if (envelope.rank == 0)
        toCoordinator(participant.receive(envelope.message));
      else
        toRanks(lead_->receive(0, envelope.message));
    }
    if (auto done = work.take())
      toCoordinator(participant.worked(std::move(done->delta), std::move(done->report), done->idle));
    if (Clock::now() >= nextTick) {
      if (participant.working()) heard = Clock::now();
      if (!lead_) requireLead(secondsSince(heard));
      toCoordinator(participant.tick());
      if (lead_) toRanks(lead_->tick());
      nextTick = Clock::now() +
                 std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(tuning_.tick));
    }
    if (own.empty()) work.wait(std::min(look, tuning_.tick));
  }
  followed_ = participant.followed();
  if (lead_) lead_->partFromLost();
  transport_.flush();
  if (lead_) lead_->finish(report_);
}

std::optional<Transport::Received> RankSearch::nextMessage() {
  auto& early = transport_.past().early;
  if (early_ == 0) return transport_.receive();
  --early_;
  Transport::Received first = std::move(early.front());
  early.erase(early.begin());
  return first;
}

void RankSearch::requireLead(double silence) {
  const std::vector<int> lost = transport_.takeLost();
  const bool died = std::find(lost.begin(), lost.end(), 0) != lost.end();
  const double most = kLeadPatience * tuning_.silence;
  if (!died && silence <= most) return;
  throw LeadLost(
      fmt::format("rank 0 was {}, and with it the books of the search; go on from its checkpoint, if it has "
                  "one, with --resume",
                  died ? "lost" : fmt::format("not heard of for {} s", most)));
}

Progress RankSearch::progress() const { return lead_ ? lead_->progress() : Progress{}; }

}  // namespace slicepool::cluster
