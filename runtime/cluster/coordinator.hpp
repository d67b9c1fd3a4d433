// The side of a search on several ranks that hands out work and takes it back: a state machine over messages,
// without threads and without a clock of its own. Messages may be lost, doubled, late and in any order; ranks
// may die at any moment.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/cluster/ledger.hpp"
#include "runtime/cluster/message.hpp"

namespace slicepool::cluster {

struct CoordinatorOptions {
  std::string version;         ///< of the program: every rank must have it
  int ranks = 1;               ///< that take part, numbered from 0
  double shortestLease = 0.5;  ///< seconds, while few slices wait
  double longestLease = 60;    ///< seconds; leases double towards it while many wait
  double patience = 0.05;  ///< seconds for which a lease is left alone; ten times its start, if that is more
  double silence = 0;      ///< seconds after which a silent rank is lost; 0: never
  bool followed = false;   ///< ranks that are stopped are told that another search begins
};

class Coordinator {
 public:
  /// `ledger` must outlive it.
  Coordinator(Ledger& ledger, std::string identity, CoordinatorOptions options);

  /// Answers a message. `now`: seconds, never less than before. Throws ConfigError where the rank has another
  /// program or another problem, CheckpointError for a commit of another search.
  [[nodiscard]] std::vector<Envelope> receive(int rank, const Message& message, double now);
  /// What time alone brings about: ranks without work make the holders of the oldest leases commit; silent
  /// ones are lost. To be called some times a second. O(ranks).
  [[nodiscard]] std::vector<Envelope> tick(double now);
  /// The rank is gone for ever: its slices are given to others, and what is still under way from it is not
  /// heard. One that is only silent is lost as well, but takes part again when it speaks.
  [[nodiscard]] std::vector<Envelope> died(int rank, double now);
  /// An earlier search has not heard of the rank: it is not waited for, unless it speaks.
  void notHeard(int rank) { takeBack(rank); }
  /// Stops the search as it is: every lease is committed, and nothing is leased any more.
  [[nodiscard]] std::vector<Envelope> halt();

  /// No lease is open, and none will be.
  [[nodiscard]] bool over() const;
  /// As over(), and every rank that is left has said bye.
  [[nodiscard]] bool dismissed() const { return over() && livingAreGone(); }
  /// The whole search is done.
  [[nodiscard]] bool finished() const { return ledger_.finished(); }
  /// Dead or silent.
  [[nodiscard]] const std::set<int>& lostRanks() const { return lost_; }

 private:
  using Envelopes = std::vector<Envelope>;

  [[nodiscard]] std::size_t seats() const { return static_cast<std::size_t>(options_.ranks); }
  [[nodiscard]] std::size_t livingRanks() const;
  [[nodiscard]] bool livingAreGone() const;
  void requireSame(int rank, const Message& hello) const;
  void takeHello(int rank, double now, Envelopes& out);
  void takeCommit(int rank, const Message& commit, double now, Envelopes& out);
  void waitForWork(int rank, double now, Envelopes& out);
  /// Leases what waits to the ranks without work, in the order in which they asked. Stops them when the
  /// search is over.
  void serve(double now, Envelopes& out);
  /// Slices of the next lease of this rank, which asks.
  [[nodiscard]] std::size_t share(int rank) const;
  /// A lease has `lasted` seconds; `exhausted`: nothing of it is left.
  void learnShare(int rank, double lasted, bool exhausted);
  [[nodiscard]] double leaseSeconds();
  [[nodiscard]] Message leaseMessage(const Ledger::Lease& lease) const;
  [[nodiscard]] Message stopMessage() const;
  void takeBack(int rank);
  /// Asks holders to commit, the oldest leases first, until there are as many as ranks without work.
  void askForWork(double now, Envelopes& out);
  void askToYield(int rank, Envelopes& out);
  /// Seconds for which a lease of this rank is left alone while others wait.
  [[nodiscard]] double patience(int rank) const;
  /// Ranks with work for each rank without, at most 1. Some wait.
  [[nodiscard]] double fewness() const;

  Ledger& ledger_;
  std::string identity_;
  CoordinatorOptions options_;
  std::vector<int> hungry_;        ///< ranks without work
  std::map<int, double> heard_;    ///< when a rank spoke last
  std::set<int> spoke_;            ///< ranks that have spoken since they were last asked to yield
  std::map<int, double> idle_;     ///< seconds of a rank's last lease in which it started or ended it
  std::map<int, double> parcels_;  ///< leases that a rank's part of what waits is cut into
  std::set<int> dead_;
  std::set<int> lost_;  ///< dead or silent
  std::set<int> gone_;  ///< ranks that have said bye
  double seconds_;      ///< length of the next lease
  bool halting_ = false;
};

}  // namespace slicepool::cluster
