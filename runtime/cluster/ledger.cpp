// See ledger.hpp.
#include "runtime/cluster/ledger.hpp"

#include <algorithm>
#include <utility>

#include "slicepool/core/error.hpp"

namespace slicepool::cluster {

Ledger::Ledger(Checkpoint start, WordLayout layout, TakeResults takeResults)
    : layout_(std::move(layout)), takeResults_(std::move(takeResults)), total_(std::move(start)) {
  if (total_.words.empty()) total_.words = layout_.fresh();
  if (total_.sliceBytes == 0 || total_.slices.size() % total_.sliceBytes != 0 ||
      total_.words.size() != layout_.size())
    throw CheckpointError("ledger: the slices or words to start from are not whole");
  waiting_.assign(total_.slices.begin(), total_.slices.end());
  total_.slices.clear();
}

const Ledger::Lease* Ledger::grant(int rank, std::size_t count, double seconds, double now) {
  if (leases_.contains(rank)) throw Error("internal: a rank with a lease was given another one");
  const std::size_t bytes = std::min(count, waiting()) * sliceBytes();
  if (bytes == 0) return nullptr;
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(bytes);
  Lease& lease = leases_[rank];
  lease = {++lastNumber_, rank, now, seconds, false, 0, {waiting_.begin(), end}};
  waiting_.erase(waiting_.begin(), end);
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
  waiting_.insert(waiting_.end(), delta.slices.begin(), delta.slices.end());
  close(found);
  mergeWords(layout_, total_.words.data(), delta.words.data());
  total_.shared = std::min(total_.shared, delta.shared);
  total_.steps += delta.steps;
  return true;
}

bool Ledger::giveBack(int rank) {
  const auto found = leases_.find(rank);
  if (found == leases_.end()) return false;
  const auto& slices = found->second.slices;
  waiting_.insert(waiting_.begin(), slices.begin(), slices.end());
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
  all.slices.assign(waiting_.begin(), waiting_.end());
  for (const auto& [rank, lease] : leases_)
    all.slices.insert(all.slices.end(), lease.slices.begin(), lease.slices.end());
  return all;
}

}  // namespace slicepool::cluster
