// Ranks that are threads of one process, and die when a test says so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/cluster/transport.hpp"

namespace slicepool::test {

/// What a rank that was killed meets.
struct Killed final : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "this rank was killed"; }
};

/// The post office of all ranks. Any thread.
class ThreadRanks {
 public:
  /// `tells`: of deaths. Else the dead are silent.
  explicit ThreadRanks(int ranks, bool tells = true)
      : tells_(tells), boxes_(static_cast<std::size_t>(ranks)), sent_(boxes_.size()) {}

  [[nodiscard]] int ranks() const { return static_cast<int>(boxes_.size()); }
  void kill(int rank) {
    const std::lock_guard lock(mutex_);
    if (dead_.insert(rank).second && tells_) deaths_.push_back(rank);
  }
  /// Messages.
  [[nodiscard]] std::uint64_t sentBy(int rank) {
    const std::lock_guard lock(mutex_);
    return sent_.at(static_cast<std::size_t>(rank));
  }
  /// By rank 0.
  [[nodiscard]] std::set<int> givenUp() {
    const std::lock_guard lock(mutex_);
    return givenUp_;
  }

 private:
  friend class ThreadTransport;
  using Received = cluster::Transport::Received;

  const bool tells_;
  std::mutex mutex_;
  std::vector<std::deque<Received>> boxes_;
  std::vector<std::uint64_t> sent_;
  std::set<int> dead_;
  std::set<int> givenUp_;
  std::vector<int> deaths_;
};

class ThreadTransport final : public cluster::Transport {
 public:
  ThreadTransport(std::shared_ptr<ThreadRanks> all, int rank) : all_(std::move(all)), rank_(rank) {}

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int ranks() const override { return all_->ranks(); }
  void send(int rank, std::vector<std::byte> bytes) override {
    const std::lock_guard lock(all_->mutex_);
    requireLife();
    all_->boxes_.at(static_cast<std::size_t>(rank)).push_back({rank_, std::move(bytes)});
    ++all_->sent_.at(static_cast<std::size_t>(rank_));
  }
  [[nodiscard]] std::optional<Received> receive() override {
    const std::lock_guard lock(all_->mutex_);
    requireLife();
    auto& box = all_->boxes_.at(static_cast<std::size_t>(rank_));
    if (box.empty()) return std::nullopt;
    Received first = std::move(box.front());
    box.pop_front();
    return first;
  }
  [[nodiscard]] std::vector<int> takeLost() override {
    const std::lock_guard lock(all_->mutex_);
    const std::vector<int> lost(all_->deaths_.begin() + static_cast<std::ptrdiff_t>(seen_),
                                all_->deaths_.end());
    seen_ = all_->deaths_.size();
    return lost;
  }
  [[nodiscard]] bool outlivesRanks() const override { return all_->tells_; }
  void giveUp(int rank) override {
    const std::lock_guard lock(all_->mutex_);
    all_->givenUp_.insert(rank);
  }
  void flush() override {}
  [[nodiscard]] int worst(int code, int& rank) override {
    rank = rank_;
    return code;
  }
  [[nodiscard]] Neighbours neighbours() override { return {ranks(), rank_}; }
  [[nodiscard]] bool sameOnMachine(std::uint64_t) override { return true; }
  void leave(int) override {}
  [[noreturn]] void abort(int) override { std::terminate(); }

 private:
  void requireLife() const {
    if (all_->dead_.contains(rank_)) throw Killed();
  }

  std::shared_ptr<ThreadRanks> all_;
  int rank_;
  std::size_t seen_ = 0;
};

}  // namespace slicepool::test
