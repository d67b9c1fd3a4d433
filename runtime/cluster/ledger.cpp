// See ledger.hpp.
#include "runtime/cluster/ledger.hpp"

#include <algorithm>
#include <utility>

#include "slicepool/core/error.hpp"

namespace slicepool::cluster {

std::vector<std::byte> WaitingBytes::take(std::size_t count) {
  const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(taken_);
  std::vector<std::byte> first(from, from + static_cast<std::ptrdiff_t>(count));
  taken_ += count;
  if (2 * taken_ >= bytes_.size()) {  // what is moved is less than what was taken
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }
  return first;
}

void WaitingBytes::putBack(std::span<const std::byte> bytes) {
  if (bytes.size() <= taken_) {
    taken_ -= bytes.size();
    std::copy(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(taken_));
  } else {
    bytes_.insert(bytes_.begin() + static_cast<std::ptrdiff_t>(taken_), bytes.begin(), bytes.end());
  }
}

Ledger::Ledger(Checkpoint start, WordLayout layout, TakeResults takeResults)
    : layout_(std::move(layout)), takeResults_(std::move(takeResults)), total_(std::move(start)) {
  if (total_.words.empty()) total_.words = layout_.fresh();
  if (total_.sliceBytes == 0 || total_.slices.size() % total_.sliceBytes != 0 ||
      total_.words.size() != layout_.size())
    throw CheckpointError("ledger: the slices or words to start from are not whole");
  waiting_.append(total_.slices);
  total_.slices = {};
}

const Ledger::Lease* Ledger::grant(int rank, std::size_t count, double seconds, double now) {
  if (leases_.contains(rank)) throw Error("internal: a rank with a lease was given another one");
  const std::size_t bytes = std::min(count, waiting()) * sliceBytes();
  if (bytes == 0) return nullptr;
  Lease& lease = leases_[rank];
  lease = {++lastNumber_, rank, now, seconds, false, 0, waiting_.take(bytes)};
  unasked_.emplace(lease.number, rank);
  return &lease;
}

bool Ledger::commit(int rank, std::uint64_t number, const Checkpoint& delta) {
  const auto found = leases_.find(rank);
  if (found == leases_.end() || found->second.number != number) return false;
  if (delta.workload != total_.workload || delta.identity != total_.identity ||
      delta.sliceBytes != total_.sliceBytes || delta.words.size() != layout_.size() ||
      delta.slices.size() % sliceBytes() != 0)
    throw CheckpointError("a commit belongs to another problem: it has " + delta.workload + " " +
                          delta.identity + "; this search is " + total_.workload + " " + total_.identity);
  // What may throw comes first, so that a commit counts as a whole or not at all.
  if (takeResults_) takeResults_(delta.consumer);
  waiting_.append(delta.slices);
  close(found);
  mergeWords(layout_, total_.words.data(), delta.words.data());
  total_.shared = std::min(total_.shared, delta.shared);
  total_.steps += delta.steps;
  return true;
}

bool Ledger::giveBack(int rank) {
  const auto found = leases_.find(rank);
  if (found == leases_.end()) return false;
  waiting_.putBack(found->second.slices);
  close(found);
  return true;
}

void Ledger::note(int rank, std::uint64_t number, double steps) {
  const auto found = leases_.find(rank);
  if (found != leases_.end() && found->second.number == number) found->second.steps = steps;
}

double Ledger::stepsSoFar() const {
  double steps = total_.steps;
  for (const auto& [rank, lease] : leases_) steps += lease.steps;
  return steps;
}

const Ledger::Lease* Ledger::leaseOf(int rank) const {
  const auto found = leases_.find(rank);
  return found == leases_.end() ? nullptr : &found->second;
}

void Ledger::ask(int rank) {
  Lease& lease = leases_.at(rank);
  lease.asked = true;
  unasked_.erase(lease.number);
}

void Ledger::close(std::map<int, Lease>::iterator lease) {
  unasked_.erase(lease->second.number);
  leases_.erase(lease);
}

Checkpoint Ledger::checkpoint() const {
  Checkpoint all = total_;
  all.slices.assign(waiting_.all().begin(), waiting_.all().end());
  for (const auto& [rank, lease] : leases_)
    all.slices.insert(all.slices.end(), lease.slices.begin(), lease.slices.end());
  return all;
}

}  // namespace slicepool::cluster
