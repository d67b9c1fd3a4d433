// See batch_transaction.hpp.
#include "runtime/core/batch/batch_transaction.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

constexpr double kCopySlows = 0.5;  // of the time of a copy beside a launch, by which that takes longer
constexpr std::size_t kMany = 64;   // slices of a gift that do not go through the pool one by one

}  // namespace

BatchTransactions::BatchTransactions(const Problem& problem, std::unique_ptr<BatchDevice> device,
                                     WorkerAccount& account, std::size_t parcelSlices)
    : problem_(problem), device_(std::move(device)), account_(account), parcelSlices_(parcelSlices) {
  for (auto& batch : batches_) batch.committed = problem.words().fresh();
}

std::size_t BatchTransactions::take(Hub& hub, int slot, std::size_t maximum) {
  Batch& batch = batches_[static_cast<std::size_t>(slot)];
  const auto begin = hub.now();
  std::size_t count = 0;
  // What is left of a parcel may be a few slices: the next one follows, and the pool after the last one.
  for (bool parcels = true; parcels && count < maximum;) {
    const HeldSlices part = takeIntoSnapshot(hub, batch, maximum - count);
    parcels = part.memory != nullptr;
    count += part.count;
    add(hub, slot, part);
  }
  if (count == 0) return 0;
  batch.stuck = false;
  record(hub, account_,
         {TraceSpan::Kind::upload, begin, hub.now() - begin, 0, static_cast<std::uint32_t>(count)});
  return count;
}

void BatchTransactions::add(Hub& hub, int slot, const HeldSlices& taken) {
  if (taken.count == 0) return;
  Batch& batch = batches_[static_cast<std::size_t>(slot)];
  if (batch.tokens == 0) {
    batch.epoch = hub.commitsWanted();
    batch.took = hub.elapsed();
  }
  batch.tokens += taken.count;
  device_->upload(slot, taken.slices, static_cast<std::uint32_t>(taken.count));
  if (batch.live == 0) batch.largest = 0;
  for (std::size_t i = 0; i < taken.count; ++i) {
    const double size = problem_.size(taken.slices + i * problem_.sliceBytes());
    batch.work += size;
    if (!(size <= batch.largest)) batch.largest = size;
  }
  batch.live += static_cast<std::uint32_t>(taken.count);
}

HeldSlices BatchTransactions::takeIntoSnapshot(Hub& hub, Batch& batch, std::size_t maximum) {
  const std::size_t bytes = problem_.sliceBytes();
  // Whatever needs memory comes before the slices leave the hub: without it they stay there.
  if (problem_.places().rowBytes == 0) {  // whose ranges are read off the snapshot
    HeldSlices& parcel = batch.parcels.emplace_back();
    parcel = hub.takeParcel(maximum);
    if (parcel.count != 0) return parcel;
    batch.parcels.pop_back();
  }
  const std::size_t before = batch.snapshot.bytes();
  const std::size_t most =
      std::min(maximum, hub.pooled());  // pinned memory is dear: none for slices that are not there
  if (most == 0) return {};
  batch.snapshot.resize(*device_, before + most * bytes);
  const std::size_t count = hub.takeBulk(batch.snapshot.data() + before, most);
  batch.snapshot.shrink(before + count * bytes);
  return {nullptr, batch.snapshot.data() + before, count};
}

void BatchTransactions::commit(Hub& hub, int slot) {
  Batch& batch = batches_[static_cast<std::size_t>(slot)];
  const std::uint64_t epoch = hub.commitsWanted();
  // New memory is paid for once: it is not what the next commit will cost.
  staging_.renew(*device_, batch.live * problem_.sliceBytes());
  const auto begin = hub.now();
  outside([&] {
    copyRows(slot, batch);
    device_->readWords(slot, scratchWords().data());
    if (batch.live != 0) device_->download(slot, staging_.buffer().data(), batch.live, false);
  });
  // Nothing below can fail on the device: the transaction is decided.
  batch.committed = words_;
  batch.epoch = epoch;
  publish(hub, batch);
  const auto duration = hub.now() - begin;
  if (batch.live != 0) commitSeconds_ = 0.5 * commitSeconds_ + 0.5 * static_cast<double>(duration) * 1e-9;
  record(hub, account_, {TraceSpan::Kind::commit, begin, duration, 0, batch.live});
}

void BatchTransactions::publish(Hub& hub, Batch& batch) {
  std::swap(batch.snapshot, staging_.buffer());
  batch.parcels.clear();
  batch.lastCommit = hub.elapsed();
  if (problem_.places().rowBytes != 0) {
    rowSteps_ += static_cast<double>(batch.uncommittedSteps);
    rowSeconds_ += batch.lastCommit - std::max(rowsUntil_, batch.took);
    rowsUntil_ = batch.lastCommit;
  }
  batch.uncommittedSteps = 0;
  if (!batch.results.empty())
    hub.consume(batch.results.data(), batch.results.size() / problem_.resultBytes());
  batch.results.clear();
  std::uint64_t results = 0;
  for (const auto& each : batches_) results += each.committed.at(0);
  account_.results.store(results, std::memory_order_relaxed);
  if (problem_.decided(batch.committed.data())) hub.decide();
}

bool BatchTransactions::overlaps(const Batch& batch, std::size_t given) const {
  return device_->copiesDuringLaunch() && problem_.places().rowBytes == 0 && given < batch.live;
}

void BatchTransactions::beginCommit(Hub& hub, int slot, std::uint32_t given) {
  Batch& batch = batches_[static_cast<std::size_t>(slot)];
  batch.commit.epoch = hub.commitsWanted();
  staging_.renew(*device_, batch.live * problem_.sliceBytes());
  const auto begin = hub.now();
  batch.commit.words.resize(problem_.words().size());
  device_->readWords(slot, batch.commit.words.data());
  device_->beginDownload(slot, staging_.buffer().data(), given);
  batch.commit.open = true;
  batch.commit.given = given;
  batch.commit.kept = batch.live - given;
  batch.work *= static_cast<double>(batch.commit.kept) / static_cast<double>(batch.live);
  batch.live -= given;
  batch.commit.begin = begin;
  batch.commit.waited = hub.now() - begin;
  book(account_, {TraceSpan::Kind::commit, begin, batch.commit.waited, 0, given});
}

void BatchTransactions::endCommit(Hub& hub, int slot) {
  Batch& batch = batches_[static_cast<std::size_t>(slot)];
  const std::size_t bytes = problem_.sliceBytes();
  const auto begin = hub.now();
  outside([&] { device_->endDownload(slot); });
  const auto copied = static_cast<double>(hub.now() - batch.commit.begin - batch.commit.waited);
  const double cost = (static_cast<double>(batch.commit.waited) + kCopySlows * copied) * 1e-9;
  commitSeconds_ = 0.5 * commitSeconds_ + 0.5 * cost;
  // Nothing below can fail on the device: the transaction is decided.
  batch.commit.open = false;
  batch.epoch = batch.commit.epoch;
  std::swap(batch.committed, batch.commit.words);
  publish(hub, batch);
  const std::uint32_t given = batch.commit.given;
  record(hub, account_, {TraceSpan::Kind::commit, begin, hub.now() - begin, 0, batch.commit.kept});
  if (given == 0) return;
  const auto giving = hub.now();
  hub.addOutstanding(given);
  handOver(hub, batch.snapshot, batch.commit.kept * bytes, given);
  batch.snapshot.shrink(batch.commit.kept * bytes);
  settle(hub, batch);
  record(hub, account_, {TraceSpan::Kind::give, giving, hub.now() - giving, 0, given});
}

void BatchTransactions::handOver(Hub& hub, SliceBuffer& buffer, std::size_t offset, std::size_t count) {
  if (count >= parcelSlices_)
    hub.putBackParcel({buffer.lend(), buffer.data() + offset, count});
  else
    handBack(hub, buffer.data() + offset, count);
}

void BatchTransactions::handBack(Hub& hub, const std::byte* slices, std::size_t count) {
  if (count >= kMany)
    hub.putBackTogether(slices, count);
  else
    hub.putBack(slices, count);
}

void BatchTransactions::giveSpread(Hub& hub, int slot, std::uint32_t count, bool toDevices) {
  Batch& batch = batches_[static_cast<std::size_t>(slot)];
  commit(hub, slot);
  const auto begin = hub.now();
  const std::size_t bytes = problem_.sliceBytes();
  const std::uint32_t all = batch.live;
  const std::uint32_t kept = all - count;
  // Those that stay in front, those that go behind them.
  std::byte* keep = staging_.renew(*device_, all * bytes).data();
  std::byte* give = keep + kept * bytes;
  std::uint32_t part = 0;
  for (const std::byte* slice = batch.snapshot.data(); slice != batch.snapshot.data() + all * bytes;
       slice += bytes) {
    part += count;
    const bool goes = part >= all;
    if (goes) part -= all;
    std::byte*& place = goes ? give : keep;
    place = std::copy(slice, slice + bytes, place);
  }
  std::swap(batch.snapshot, staging_.buffer());
  batch.work *= static_cast<double>(kept) / static_cast<double>(all);
  batch.live = kept;
  hub.addOutstanding(count);
  if (toDevices)
    handOver(hub, batch.snapshot, kept * bytes, count);
  else
    handBack(hub, batch.snapshot.data() + kept * bytes, count);
  batch.snapshot.shrink(kept * bytes);
  settle(hub, batch);
  // From here on a failing device leaves the new snapshot behind.
  staging_.renew(*device_, all * bytes);
  device_->download(slot, staging_.buffer().data(), all, true);
  device_->upload(slot, batch.snapshot.data(), kept);
  record(hub, account_, {TraceSpan::Kind::give, begin, hub.now() - begin, 0, count});
}

void BatchTransactions::giveAway(Hub& hub, int slot, std::size_t count) {
  Batch& batch = batches_[static_cast<std::size_t>(slot)];
  commit(hub, slot);
  const auto begin = hub.now();
  takeOut(slot, static_cast<std::uint32_t>(count));
  hub.addOutstanding(count);
  handOver(hub, staging_.buffer(), 0, count);
  settle(hub, batch);
  record(hub, account_,
         {TraceSpan::Kind::give, begin, hub.now() - begin, 0, static_cast<std::uint32_t>(count)});
}

void BatchTransactions::halve(Hub& hub, int slot) {
  Batch& batch = batches_[static_cast<std::size_t>(slot)];
  Batch& other = batches_[static_cast<std::size_t>(1 - slot)];
  // What it has is in its snapshot then, and the half follows.
  if (other.live != 0) commit(hub, 1 - slot);
  commit(hub, slot);
  const auto begin = hub.now();
  const std::uint32_t count = batch.live / 2;
  const std::size_t bytes = count * problem_.sliceBytes();
  const std::size_t before = other.live * problem_.sliceBytes();
  if (before != 0) {  // memory first: what is taken out must have a place
    other.snapshot.resize(*device_, before + bytes);
    other.snapshot.shrink(before);
  }
  takeOut(slot, count);
  other.work = (other.live != 0 ? other.work : 0) + batch.work * count / std::max(1U, batch.live);
  other.largest = std::nan("");
  if (other.tokens == 0) other.epoch = batch.epoch;
  other.tokens += 1;
  hub.addOutstanding(1);
  if (before == 0) {
    std::swap(other.snapshot, staging_.buffer());
  } else {
    other.snapshot.resize(*device_, before + bytes);
    std::copy_n(staging_.buffer().data(), bytes, other.snapshot.data() + before);
  }
  device_->upload(1 - slot, other.snapshot.data() + before, count);
  other.live += count;
  other.stuck = false;
  record(hub, account_, {TraceSpan::Kind::upload, begin, hub.now() - begin, 0, count});
}

void BatchTransactions::takeOut(int slot, std::uint32_t count) {
  Batch& batch = batches_[static_cast<std::size_t>(slot)];
  const std::size_t bytes = problem_.sliceBytes();
  staging_.renew(*device_, count * bytes);
  device_->download(slot, staging_.buffer().data(), count, true);
  batch.work *= static_cast<double>(batch.live - count) / static_cast<double>(batch.live);
  batch.live -= count;
  batch.snapshot.shrink(batch.live * bytes);
}

void BatchTransactions::settle(Hub& hub, Batch& batch) {
  const std::size_t tokens = std::exchange(batch.tokens, batch.live != 0 ? 1 : 0);
  if (tokens > batch.tokens) hub.finish(tokens - batch.tokens);
}

void BatchTransactions::keepFindings(Hub& hub, int slot) {
  Batch& batch = batches_[static_cast<std::size_t>(slot)];
  staging_.renew(*device_, 0);
  outside([&] {
    copyRows(slot, batch);
    device_->readWords(slot, scratchWords().data());
  });
  batch.committed = words_;
  publish(hub, batch);
}

void BatchTransactions::park(Hub& hub, int slot) {
  Batch& batch = batches_[static_cast<std::size_t>(slot)];
  if (batch.tokens == 0) return;
  if (batch.live != 0) {
    if (hub.givenUp())
      keepFindings(hub, slot);
    else
      giveAway(hub, slot, batch.live);
  } else {
    commit(hub, slot);
    settle(hub, batch);
  }
  batch.work = 0;
}

void BatchTransactions::recover(Hub& hub, const std::string& what) {
  for (auto& batch : batches_) {
    const std::size_t slices = batch.snapshot.bytes() / problem_.sliceBytes();
    account_.steps.fetch_sub(std::exchange(batch.uncommittedSteps, 0), std::memory_order_relaxed);
    hub.addOutstanding(slices);
    hub.putBack(batch.snapshot.data(), slices);
    for (const HeldSlices& parcel : std::exchange(batch.parcels, {})) {
      hub.addOutstanding(parcel.count);
      hub.putBackParcel(parcel);
    }
    batch.snapshot.shrink(0);
    batch.results.clear();
    batch.live = 0;
    batch.inFlight = false;
    batch.commit.open = false;
    if (batch.tokens != 0) hub.finish(std::exchange(batch.tokens, 0));
  }
  account_.stepsPerSecond.store(0, std::memory_order_relaxed);
  hub.warn(account_.name + " failed (" + what +
           "); its slices went back to the pool and the run goes on without it");
  device_.reset();
}

void BatchTransactions::takeResults(int slot, Batch& batch, std::uint32_t count) {
  if (count == 0) return;
  const std::size_t before = batch.results.size();
  batch.results.resize(before + count * problem_.resultBytes());
  device_->takeResults(slot, batch.results.data() + before, count);
}

std::vector<std::uint64_t>& BatchTransactions::scratchWords() {
  words_.resize(problem_.words().size());
  return words_;
}

std::vector<RankRange> BatchTransactions::rowRanges(const Batch& batch) const {
  std::vector<RankRange> ranges;
  if (problem_.places().rowBytes == 0) return ranges;
  const RankRange window = problem_.places().window;
  for (std::size_t at = 0; at < batch.snapshot.bytes(); at += problem_.sliceBytes()) {
    const RankRange range = problem_.ranks(batch.snapshot.data() + at);
    const RankRange inside{std::max(range.begin, window.begin), std::min(range.end, window.end)};
    if (inside.begin < inside.end) ranges.push_back(inside);
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const RankRange& a, const RankRange& b) { return a.begin < b.begin; });
  std::size_t joined = 0;
  for (std::size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].begin == ranges[joined].end)
      ranges[joined].end = ranges[i].end;
    else
      ranges[++joined] = ranges[i];
  if (!ranges.empty()) ranges.resize(joined + 1);
  return ranges;
}

void BatchTransactions::copyRows(int slot, Batch& batch) {
  if (std::exchange(batch.rowsCopied, false)) return;
  for (const RankRange& range : rowRanges(batch)) device_->copyRows(slot, range);
}

bool BatchTransactions::hasRoomToCommit(const Batch& batch) const {
  constexpr std::size_t kLittle = 32U << 20;
  if (!device_->copiesDuringLaunch()) return true;
  const std::size_t room = std::min(staging_.room(), staging_.room(batch.snapshot));
  return batch.live * problem_.sliceBytes() <= std::max(kLittle, room);
}

bool BatchTransactions::hasSpareMemory(const Batch& batch) const {
  return device_->hasHostMemory(batch.live * problem_.sliceBytes());
}

void BatchTransactions::makeRoomToCommit() {
  if (!device_->copiesDuringLaunch()) return;
  const std::size_t bytes = problem_.sliceBytes();
  staging_.renew(*device_, device_->info().lanes * bytes).shrink(0);
  batches_[0].snapshot.reserve(*device_, device_->info().lanes * bytes);
}

void BatchTransactions::makeRoomForGifts() {
  constexpr std::size_t kLittle = 16U << 20;
  // As many slices as a batch of a tree has, and more.
  const std::uint32_t slices = std::min(device_->info().lanes, 2 * device_->info().busyLanes);
  const std::size_t bytes = slices * problem_.sliceBytes();
  if (!device_->copiesDuringLaunch() || problem_.places().rowBytes != 0 || bytes > kLittle) return;
  try {
    for (Batch& batch : batches_) batch.snapshot.reserve(*device_, bytes);
    staging_.renew(*device_, bytes).shrink(0);
    staging_.add(SliceBuffer(*device_, bytes));  // a gift keeps its memory until its slices are taken
  } catch (const LimitError&) {
    // Nothing needs it yet. A commit that does asks again, and says so if there is none.
  }
}

void BatchTransactions::noteCommits() {
  std::uint64_t least = kAll;
  for (const Batch& batch : batches_)
    if (batch.tokens != 0) least = std::min(least, batch.epoch);
  committedUpTo_.store(least, std::memory_order_relaxed);
}

void BatchTransactions::appendHeld(std::vector<HeldSlices>& held) {
  for (Batch& batch : batches_) {
    held.insert(held.end(), batch.parcels.begin(), batch.parcels.end());
    if (batch.snapshot.bytes() == 0) continue;
    held.push_back(
        {batch.snapshot.lend(), batch.snapshot.data(), batch.snapshot.bytes() / problem_.sliceBytes()});
  }
}

std::uint64_t BatchTransactions::uncommittedSteps() const {
  std::uint64_t steps = 0;
  for (const Batch& batch : batches_) steps += batch.uncommittedSteps;
  return steps;
}

bool BatchTransactions::hasCommitted(std::uint64_t wanted) const {
  return committedUpTo_.load(std::memory_order_relaxed) >= wanted;
}

void BatchTransactions::mergeInto(const WordLayout& layout, std::uint64_t* words) const {
  for (const auto& batch : batches_) mergeWords(layout, words, batch.committed.data());
}

}  // namespace slicepool
