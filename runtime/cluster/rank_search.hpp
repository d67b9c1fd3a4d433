// One search on all ranks of a transport, as an engine is one on the workers of a process: every rank makes
// the same problem and runs this. Rank 0 coordinates, works as well, and has the answer; the others have
// none. Called by EngineSlot.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cluster/transport.hpp"
#include "slicepool/core/engine.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/core/problem.hpp"

namespace slicepool::cluster {

/// Lengths are for tests, which have small searches.
struct RankSearchOptions {
  /// Another search may begin behind this one: the other ranks begin it, and rank 0 makes it or leaves it
  /// out.
  bool followed = false;
  /// Rank 0 does not search: it lets the others go, which have begun this search.
  bool leftOut = false;
  double shortestLease = 0.5;  ///< seconds
  double patience = 0.05;      ///< seconds for which a lease is left alone
  double tick = 0.1;           ///< seconds between two looks of the state machines
  /// Seconds after which a rank that is not heard of is given up: others search what it has. Rank 0, which
  /// may read or write a large checkpoint meanwhile, is after ten times as long.
  double silence = 60;
  /// Rank 0: called after each commit that counted.
  std::function<void()> onCommit{};
};

/// Rank 0 died or is not heard of, and the others cannot go on. Each of them meets it by itself.
class LeadLost : public Error {
 public:
  using Error::Error;
};

class RankSearch {
 public:
  /// `options.cluster` is set. `problem` and `consumer`, which only rank 0 uses, must outlive the search.
  RankSearch(const Problem& problem, EngineOptions options, ResultConsumer* consumer,
             RankSearchOptions tuning = {});
  ~RankSearch();
  RankSearch(const RankSearch&) = delete;
  RankSearch& operator=(const RankSearch&) = delete;

  /// Rank 0: goes on from a checkpoint, of one process or of ranks. Throws CheckpointError.
  void loadCheckpoint(const std::string& path);
  /// Until the search is finished, decided or cancelled on rank 0, which saves a checkpoint then if there is
  /// a path for it. Rethrows what went wrong on this rank.
  void run();
  /// Any thread. On rank 0 it ends the search; the others go by rank 0.
  void cancel() noexcept { cancelled_.store(true); }
  /// Any thread. Rank 0: of all ranks. Others: nothing.
  [[nodiscard]] Progress progress() const;
  /// After run(). On ranks other than 0 incomplete, with neutral words.
  [[nodiscard]] RunReport report() const { return report_; }
  /// After run(). Ranks other than 0: whether they are to begin another search.
  [[nodiscard]] bool followed() const { return followed_; }

 private:
  class Lead;

  /// What the search begins with.
  [[nodiscard]] std::vector<std::byte> seeds();
  /// Those that came early, first.
  [[nodiscard]] std::optional<Transport::Received> nextMessage();
  /// Other ranks: without rank 0 their commits are lost. Throws LeadLost. `silence`: seconds since it was
  /// heard or was not waited for.
  void requireLead(double silence);

  const Problem& problem_;
  EngineOptions options_;
  ResultConsumer* consumer_;
  RankSearchOptions tuning_;
  Transport& transport_;
  std::uint64_t number_;  ///< among the searches of the transport
  std::size_t early_;     ///< messages that came before this search
  std::string identity_;  ///< what ranks must agree on
  std::atomic<bool> cancelled_{false};
  std::unique_ptr<Lead> lead_;  ///< rank 0
  RunReport report_;
  bool followed_ = false;
};

}  // namespace slicepool::cluster
