// See coordinator.hpp.
#include "runtime/cluster/coordinator.hpp"

#include <algorithm>
#include <utility>

#include "slicepool/core/error.hpp"

namespace slicepool::cluster {
namespace {

/// Slices are dealt so that about so many leases for each rank are left, and lengths grow above that. A rank
/// that is done with its part in no time gets a larger one next time: a GPU takes as long to fill its lanes
/// and to empty them for few slices as for many.
constexpr std::size_t kParcelsPerRank = 3;

/// A lease lasts so many times as long as its start, before its rank is asked to end it: a GPU starts slowly.
constexpr double kStartsOfLease = 10;
/// Seconds. A start that took longer took it for another reason.
constexpr double kLongestStart = 0.2;

Message plainMessage(MessageKind kind, std::uint64_t lease = 0) {
  Message message;
  message.kind = kind;
  message.lease = lease;
  return message;
}

}  // namespace

Coordinator::Coordinator(Ledger& ledger, std::string identity, CoordinatorOptions options)
    : ledger_(ledger),
      identity_(std::move(identity)),
      options_(std::move(options)),
      seconds_(options_.shortestLease) {}

std::vector<Envelope> Coordinator::receive(int rank, const Message& message, double now) {
  Envelopes out;
  if (dead_.contains(rank)) return out;
  if (message.kind == MessageKind::hello) requireSame(rank, message);
  heard_[rank] = now;
  spoke_.insert(rank);
  lost_.erase(rank);
  switch (message.kind) {
    case MessageKind::hello: takeHello(rank, now, out); break;
    case MessageKind::commit: takeCommit(rank, message, now, out); break;
    case MessageKind::bye:
      if (over()) gone_.insert(rank);
      break;
    case MessageKind::progress: ledger_.note(rank, message.lease, message.steps); break;
    default: break;  // for participants
  }
  return out;
}

void Coordinator::requireSame(int rank, const Message& hello) const {
  const std::string who = "rank " + std::to_string(rank);
  if (hello.version != options_.version)
    throw ConfigError("version", hello.version + " on " + who, options_.version + ", as on the coordinator");
  if (hello.identity != identity_)
    throw ConfigError("cluster", "another search on " + who + ": " + hello.identity,
                      "the search of the coordinator: " + identity_);
}

void Coordinator::takeHello(int rank, double now, Envelopes& out) {
  // A rank that has a lease and asks for work has not got it, or will have it before the repetition.
  if (const auto* lease = ledger_.leaseOf(rank)) return out.push_back({rank, leaseMessage(*lease)});
  waitForWork(rank, now, out);
  // So that a rank without work sees that the coordinator lives.
  if (std::find(hungry_.begin(), hungry_.end(), rank) != hungry_.end())
    out.push_back({rank, plainMessage(MessageKind::received)});
}

void Coordinator::takeCommit(int rank, const Message& commit, double now, Envelopes& out) {
  const std::uint64_t before = ledger_.shared();
  const auto* const ended = ledger_.leaseOf(rank);
  const double lasted = ended != nullptr ? now - ended->since : 0;
  const bool counts = ledger_.commit(rank, commit.lease, commit.content);
  out.push_back({rank, plainMessage(MessageKind::received, commit.lease)});
  if (!counts) return;
  idle_[rank] = commit.seconds;
  learnShare(rank, lasted, commit.content.slices.empty());
  // Only committed words are passed on. If another rank searched below the word of a result that is then lost
  // with its rank, the result would not be found again.
  if (ledger_.shared() < before) {
    for (const auto& [other, lease] : ledger_.leases()) {
      Message bound = plainMessage(MessageKind::bound);
      bound.content.shared = ledger_.shared();
      out.push_back({other, std::move(bound)});
    }
  }
  waitForWork(rank, now, out);
}

void Coordinator::waitForWork(int rank, double now, Envelopes& out) {
  if (std::find(hungry_.begin(), hungry_.end(), rank) == hungry_.end()) hungry_.push_back(rank);
  serve(now, out);
  askForWork(now, out);
}

void Coordinator::serve(double now, Envelopes& out) {
  if (over()) {
    for (const int rank : std::exchange(hungry_, {})) out.push_back({rank, stopMessage()});
    return;
  }
  while (!halting_ && !hungry_.empty() && ledger_.waiting() != 0) {
    const int rank = hungry_.front();
    const std::size_t count = share(rank);
    hungry_.erase(hungry_.begin());
    out.push_back({rank, leaseMessage(*ledger_.grant(rank, count, leaseSeconds(), now))});
  }
}

void Coordinator::learnShare(int rank, double lasted, bool exhausted) {
  double& parcels = parcels_.try_emplace(rank, kParcelsPerRank).first->second;
  if (exhausted && lasted < options_.shortestLease)
    parcels = std::max(1.0, parcels / 2);
  else if (!exhausted)
    parcels = std::min<double>(kParcelsPerRank, parcels * 2);
}

std::size_t Coordinator::share(int rank) const {
  // Where little waits, the ranks that ask share it.
  const std::size_t waiting = ledger_.waiting();
  const auto found = parcels_.find(rank);
  const double parcels = found == parcels_.end() ? kParcelsPerRank : found->second;
  const std::size_t parts =
      std::max(hungry_.size(), static_cast<std::size_t>(static_cast<double>(livingRanks()) * parcels));
  const std::size_t least = (waiting + hungry_.size() - 1) / hungry_.size();
  return std::max<std::size_t>(1, waiting < parts ? least : (waiting + parts - 1) / parts);
}

double Coordinator::leaseSeconds() {
  const bool full = ledger_.waiting() > livingRanks() * kParcelsPerRank && hungry_.empty();
  seconds_ = full ? std::min(options_.longestLease, 2 * seconds_) : options_.shortestLease;
  return seconds_;
}

Message Coordinator::leaseMessage(const Ledger::Lease& lease) const {
  Message message = plainMessage(MessageKind::lease, lease.number);
  message.seconds = lease.seconds;
  message.content.slices = lease.slices;
  message.content.shared = ledger_.shared();
  return message;
}

Message Coordinator::stopMessage() const {
  Message message = plainMessage(MessageKind::stop);
  message.followed = options_.followed;
  return message;
}

std::size_t Coordinator::livingRanks() const {
  return std::max<std::size_t>(1, seats() - std::min(seats(), lost_.size()));
}

bool Coordinator::livingAreGone() const {
  for (int rank = 0; rank < options_.ranks; ++rank)
    if (!lost_.contains(rank) && !gone_.contains(rank)) return false;
  return true;
}

void Coordinator::askForWork(double now, Envelopes& out) {
  if (halting_ || ledger_.waiting() != 0) return;
  // Sizes of slices are unknown, but what has lasted long is no small subtree. What was leased a moment ago
  // is left alone, since a lease costs its rank a start.
  std::vector<int> holders;
  std::size_t asked = ledger_.leases().size() - ledger_.unasked().size();
  for (const auto& [number, rank] : ledger_.unasked()) {
    const double age = now - ledger_.leaseOf(rank)->since;
    if (asked >= hungry_.size() || age < options_.patience * fewness()) break;
    if (age < patience(rank)) continue;
    holders.push_back(rank);
    ++asked;
  }
  for (const int rank : holders) askToYield(rank, out);
}

double Coordinator::fewness() const {
  return std::min(1.0, static_cast<double>(ledger_.leases().size()) / static_cast<double>(hungry_.size()));
}

double Coordinator::patience(int rank) const {
  const auto found = idle_.find(rank);
  const double idle = found == idle_.end() ? 0 : std::min(kLongestStart, found->second);
  // Many wait for few: an interruption costs these less than the others lose.
  return std::max(idle, fewness() * std::max(options_.patience, kStartsOfLease * idle));
}

void Coordinator::askToYield(int rank, Envelopes& out) {
  ledger_.ask(rank);
  out.push_back({rank, plainMessage(MessageKind::yield, ledger_.leaseOf(rank)->number)});
}

std::vector<Envelope> Coordinator::tick(double now) {
  Envelopes out;
  if (options_.silence > 0) {
    // The silence of those that never spoke begins here.
    for (int rank = 0; rank < options_.ranks; ++rank) heard_.emplace(rank, now);
    for (const auto& [rank, when] : std::map(heard_)) {
      if (now - when <= options_.silence || lost_.contains(rank) || gone_.contains(rank)) continue;
      takeBack(rank);
    }
  }
  serve(now, out);
  if (over()) {
    // The request to stop, or its answer, may have been lost.
    for (int rank = 0; rank < options_.ranks; ++rank)
      if (!lost_.contains(rank) && !gone_.contains(rank)) out.push_back({rank, stopMessage()});
    return out;
  }
  askForWork(now, out);
  // A request may have been lost. A silent rank gets no more of them: messages that are not received hold up
  // those for others (MPICH).
  for (const auto& [rank, lease] : ledger_.leases())
    if (lease.asked && spoke_.erase(rank) != 0)
      out.push_back({rank, plainMessage(MessageKind::yield, lease.number)});
  return out;
}

std::vector<Envelope> Coordinator::died(int rank, double now) {
  Envelopes out;
  dead_.insert(rank);
  takeBack(rank);
  serve(now, out);
  return out;
}

void Coordinator::takeBack(int rank) {
  lost_.insert(rank);
  std::erase(hungry_, rank);
  (void)ledger_.giveBack(rank);
}

std::vector<Envelope> Coordinator::halt() {
  Envelopes out;
  halting_ = true;
  for (const auto& [number, rank] : std::map(ledger_.unasked())) askToYield(rank, out);
  return out;
}

bool Coordinator::over() const { return ledger_.leases().empty() && (halting_ || ledger_.waiting() == 0); }

}  // namespace slicepool::cluster
