// Implementation of cuda_device_base.cuh: one file, because a launch, its copies and its failure share the
// state of a batch.
#include "cuda_device_base.cuh"

#include <nvtx3/nvtx3.hpp>

#include <algorithm>
#include <string>

#include "per_device.cuh"
#include "slicepool/detail/lanes.hpp"

namespace slicepool::cuda {

namespace {

struct NvtxDomain {
  static constexpr const char* name{"slicepool"};
};
using Range = nvtx3::scoped_range_in<NvtxDomain>;

constexpr std::uint32_t kDefaultThreads = 64;  // fastest for `candidate` on an H200
constexpr std::uint32_t kBlockSizes[] = {64, 128, 256};
constexpr std::uint32_t kSplitBlock = 256;
constexpr std::uint32_t kSeedSlices = 1024;     // one block splits up to here
constexpr std::uint32_t kExtraSplitPasses = 2;  // for slices that cannot be cut in half evenly
constexpr std::uint32_t kLaneRounding = 1024;
constexpr std::uint32_t kWaves = 2;         // slices per resident thread; filling stops at half
constexpr std::uint32_t kLargeDevice = 64;  // multiprocessors
constexpr std::uint32_t kLargeDeviceLanes = 1U << 17U;
constexpr std::size_t kResultBytes = std::size_t{16} << 20U;  // default result buffer of a batch
constexpr std::size_t kRowPadding = 256;                      // vector stores may run past the last row
constexpr double kShareOfFree = 0.9;

// Tables that go to the device in one copy: each copy of its own takes 10 to 20 us.
constexpr std::size_t kSmallTable = std::size_t{256} << 10U;
constexpr std::size_t kSmallTables = std::size_t{512} << 10U;  // together, but for the last one
constexpr std::size_t kTableAlignment = 256;                   // as memory of its own would have

__global__ void setState(DeviceState* state, DeviceState fresh) { *state = fresh; }

std::uint32_t blocksFor(std::uint32_t items, std::uint32_t threads) { return (items - 1) / threads + 1; }

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  SLICEPOOL_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

/// Asking takes about a millisecond.
std::string deviceName(int device) {
  static PerDevice<std::string> names;
  return names.get(device, [device] {
    cudaDeviceProp properties{};
    SLICEPOOL_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    return std::string(properties.name);
  });
}

std::shared_ptr<CudaSeat> seatOf(const DeviceOptions& options) {
  auto seat = std::dynamic_pointer_cast<CudaSeat>(options.seat);
  if (seat == nullptr || seat->device != options.deviceIndex)
    return std::make_shared<CudaSeat>(options.deviceIndex);
  useDevice(seat->device);
  return seat;
}

}  // namespace

CudaDeviceBase::CudaDeviceBase(const Problem& problem, const DeviceOptions& options)
    : device_(options.deviceIndex),
      seat_(seatOf(options)),
      options_(options),
      places_(problem.places()),
      sliceBytes_(problem.sliceBytes()),
      resultBytes_(problem.resultBytes()),
      shared_(problem.sharedStart()),
      wordPlan_(problem.words()),
      ring_(seat_->ring) {
  options_.seat.reset();  // seat_ has it
  multiprocessors_ = attribute(cudaDevAttrMultiProcessorCount, device_);
}

CudaDeviceBase::~CudaDeviceBase() {
  // Members free themselves, when nothing uses their memory any more. They need this thread to stand on the
  // right device, which it does from here on.
  seat_->settle();
}

void CudaDeviceBase::describe(const KernelLimits& limits) {
  info_.kind = "gpu";
  info_.name = deviceName(device_);
  for (const std::uint32_t size : kBlockSizes)
    if (size <= limits.maximumThreads) info_.blockSizes.push_back(size);
  if (info_.blockSizes.empty()) info_.blockSizes.push_back(kWarpSize);
  info_.busyLanes = std::min(info_.lanes, limits.residentThreads);
  info_.refills = limits.refills;
  info_.endsEarly = limits.endsEarly;
}

std::size_t CudaDeviceBase::plannedBytes(std::uint32_t lanes, std::size_t tableBytes) const {
  const std::size_t batch =
      2 * lanes * sliceBytes_ + resultCapacity_ * resultBytes_ + wordPlan_.deviceBytes();
  const std::uint64_t rows = places_.window.end - places_.window.begin;
  const std::size_t rowBytes = places_.rowBytes == 0 ? 0 : rows * places_.rowBytes + kRowPadding;
  return kBatchSlots * batch + tableBytes + rowBytes + sizeof(DeviceState);
}

void CudaDeviceBase::chooseSizes(const KernelLimits& limits, std::size_t tableBytes) {
  std::uint32_t lanes = options_.lanes;
  const bool chosen = lanes != 0;
  if (!chosen) {
    lanes = (limits.slicesAreLarge ? 1 : kWaves) * limits.residentThreads;
    if (static_cast<std::uint32_t>(multiprocessors_) >= kLargeDevice && !limits.slicesAreWarps &&
        !limits.slicesAreLarge)
      lanes = std::max(lanes, kLargeDeviceLanes);
    if (limits.slices != 0) lanes = limits.slices;
    lanes = (lanes + kLaneRounding - 1) / kLaneRounding * kLaneRounding;
  }
  if (resultBytes_ != 0) {
    resultCapacity_ =
        options_.resultCapacity != 0
            ? options_.resultCapacity
            : static_cast<std::uint32_t>(std::max<std::size_t>(kResultBytes / resultBytes_, 1024));
  }
  // Asking the driver takes long. What the cache holds unused is there in any case.
  std::size_t freeBytes = MemoryCache::instance().idleDeviceBytes(device_);
  std::size_t totalBytes = 0;
  std::size_t limit = freeBytes;
  const std::size_t wanted = plannedBytes(lanes, tableBytes);
  if (wanted > limit || (options_.memoryLimit != 0 && wanted > options_.memoryLimit)) {
    std::size_t unusedBytes = 0;
    SLICEPOOL_CUDA_CHECK(cudaMemGetInfo(&unusedBytes, &totalBytes));
    freeBytes += unusedBytes;
    limit = static_cast<std::size_t>(kShareOfFree * static_cast<double>(freeBytes));
  }
  if (options_.memoryLimit != 0) limit = std::min(limit, options_.memoryLimit);
  while (!chosen && lanes > kLaneRounding && plannedBytes(lanes, tableBytes) > limit) lanes /= 2;
  const std::size_t planned = plannedBytes(lanes, tableBytes);
  if (planned > limit) {
    throw LimitError("device memory: " + describeBytes(planned) + " needed (" + std::to_string(lanes) +
                     " slices of " + describeBytes(sliceBytes_) + " in each of two batches, tables " +
                     describeBytes(tableBytes) + ", rows " +
                     describeBytes((places_.window.end - places_.window.begin) * places_.rowBytes) +
                     "), limit " + describeBytes(limit) + ", free " + describeBytes(freeBytes) + " of " +
                     describeBytes(totalBytes));
  }
  info_.lanes = lanes;
}

void CudaDeviceBase::copyTables(std::span<const Table> tables) {
  std::vector<PinnedRing::Piece> small;
  std::vector<std::size_t> smallIndices;
  std::size_t smallBytes = 0;
  for (const auto& table : tables) {
    tableAddresses_.push_back(nullptr);
    if (table.bytes == 0) continue;
    if (table.data == nullptr) {
      const DeviceBuffer& filled = tables_.emplace_back(table.bytes);
      count(filled);
      tableAddresses_.back() = filled.as<>();
      continue;
    }
    if (table.bytes <= kSmallTable && smallBytes <= kSmallTables) {
      small.push_back({table.data, table.bytes, smallBytes});
      smallIndices.push_back(tableAddresses_.size() - 1);
      smallBytes += (table.bytes + kTableAlignment - 1) / kTableAlignment * kTableAlignment;
      continue;
    }
    const DeviceBuffer& copy = tables_.emplace_back(table.bytes);
    count(copy);
    const Stream& stream = slots_[0]->stream;
    // The problem keeps its tables for longer than this object waits for its streams.
    if (PinnedRing::isPinned(table.data, table.bytes)) {
      SLICEPOOL_CUDA_CHECK(
          cudaMemcpyAsync(copy.as<>(), table.data, table.bytes, cudaMemcpyHostToDevice, stream.get()));
    } else {
      ring_.toDevice(copy.as<>(), table.data, table.bytes, stream);
    }
    tableAddresses_.back() = copy.as<>();
  }
  if (small.empty()) return;
  const DeviceBuffer& together = tables_.emplace_back(smallBytes);
  count(together);
  ring_.toDevice(small, slots_[0]->stream, together.as<>());
  for (std::size_t i = 0; i < small.size(); ++i)
    tableAddresses_[smallIndices[i]] = together.as<>() + small[i].offset;
}

void CudaDeviceBase::allocate(const KernelLimits& limits, std::span<const Table> tables) {
  const Range range{"set up"};
  std::size_t tableBytes = 0;
  for (const auto& table : tables) tableBytes += table.bytes;
  chooseSizes(limits, tableBytes + limits.extraBytes);
  describe(limits);

  for (std::size_t i = 0; i < kBatchSlots; ++i) slots_[i] = std::make_unique<Slot>(seat_->slots[i]);
  const Stream& first = slots_[0]->stream;
  copyTables(tables);
  if (places_.rowBytes != 0) {
    rows_ = DeviceBuffer((places_.window.end - places_.window.begin) * places_.rowBytes + kRowPadding);
    count(rows_);
    const std::size_t rowBytes = (places_.window.end - places_.window.begin) * places_.rowBytes;
    rowsPinned_ = rowBytes != 0 && PinnedRing::isPinned(places_.base, rowBytes);
    // A commit copies the places of rows that are still to come, too: zeros, not what lay there before.
    SLICEPOOL_CUDA_CHECK(cudaMemsetAsync(rows_.as<>(), 0, rows_.bytes(), first.get()));
  }
  DeviceState fresh;
  fresh.shared = shared_;
  state_ = DeviceBuffer(sizeof(DeviceState));
  count(state_);
  setState<<<1, 1, 0, first.get()>>>(state_.as<DeviceState>(), fresh);
  checkLaunch("setState");

  for (auto& slot : slots_) {
    for (auto& buffer : slot->slices) {
      buffer = DeviceBuffer(std::size_t{info_.lanes} * sliceBytes_);
      count(buffer);
    }
    if (resultBytes_ != 0) {
      slot->results = DeviceBuffer(resultCapacity_ * resultBytes_);
      count(slot->results);
    }
    slot->words = std::make_unique<WordReplicas>(wordPlan_, slot->stream);
    deviceBytes_ += wordPlan_.deviceBytes();
  }
}

void CudaDeviceBase::endSetUp() {
  // The second batch must not start before tables and state, which went through the first one's stream.
  seat_->ready.record(slots_[0]->stream);
  for (auto& slot : slots_) seat_->ready.delay(slot->stream);
}

CudaDeviceBase::Slot& CudaDeviceBase::idleSlot(int slot, const char* call) {
  if (slot < 0 || slot >= kBatchSlots)
    throw DeviceError(std::string(call) + ": no batch " + std::to_string(slot));
  Slot& found = *slots_[at(slot)];
  if (found.inFlight)
    throw DeviceError(std::string(call) + ": a launch is in flight on batch " + std::to_string(slot));
  useDevice(device_);
  return found;
}

std::byte* CudaDeviceBase::liveSlices(int slot) const {
  const Slot& batch = *slots_[at(slot)];
  return batch.slices[batch.current].as<>();
}

std::byte* CudaDeviceBase::otherSlices(int slot) const {
  const Slot& batch = *slots_[at(slot)];
  return batch.slices[1 - batch.current].as<>();
}

SinkMemory CudaDeviceBase::sinkMemory(int slot) const {
  const Slot& batch = *slots_[at(slot)];
  SinkMemory memory;
  memory.words = batch.words->data();
  memory.results = resultBytes_ != 0 ? batch.results.as<>() : nullptr;
  memory.resultCount = &state(slot)->resultCount;
  memory.resultCapacity = resultCapacity_;
  memory.shared = &state_.as<DeviceState>()->shared;
  return memory;
}

void CudaDeviceBase::upload(int slot, const std::byte* slices, std::uint32_t count) {
  Slot& batch = idleSlot(slot, "upload");
  if (count > info_.lanes - batch.live) {
    throw DeviceError("upload: " + std::to_string(batch.live) + " + " + std::to_string(count) +
                      " slices, a batch holds " + std::to_string(info_.lanes));
  }
  const Range range{"upload"};
  ring_.toDevice(liveSlices(slot) + batch.live * sliceBytes_, slices, count * sliceBytes_, batch.stream);
  batch.live += count;
}

void CudaDeviceBase::enqueueSplitPasses(int slot, std::uint32_t live, std::uint32_t target) {
  // The host does not know how many slices a pass has cut, but each pass at most doubles them: that bounds
  // the grid. Passes after the last useful one return at once.
  std::uint64_t bound = std::max<std::uint64_t>(live, std::min(2 * kSeedSlices, target));
  std::uint32_t extra = 0;
  while (extra < kExtraSplitPasses) {
    if (bound >= target) ++extra;
    const auto slices = static_cast<std::uint32_t>(std::min<std::uint64_t>(bound, target));
    enqueueSplit(slot, {blocksFor(slices, kSplitBlock), kSplitBlock}, target);
    bound = std::min<std::uint64_t>(2 * bound, target);
  }
}

void CudaDeviceBase::launch(int slot, const BatchLaunch& settings) {
  Slot& batch = idleSlot(slot, "launch");
  const std::uint32_t threads =
      settings.blockSize != 0 ? settings.blockSize : std::min(kDefaultThreads, info_.blockSizes.back());
  if (threads % kWarpSize != 0)
    throw DeviceError("launch: blocks of " + std::to_string(threads) + " threads; accepted: multiples of 32");
  const Range range{"launch"};
  const std::uint32_t target = std::min(settings.fillTarget, info_.lanes);
  // A batch more than half full is left alone: its lanes are busy, and splitting has its price too.
  const bool grows = batch.live != 0 && batch.live <= target / 2;
  const bool cuts = grows && cutsAnywhere();
  const bool splits = grows && !cuts;

  batch.started.record(batch.stream);
  BeginArguments begin;
  begin.state = state(slot);
  begin.shared = &state_.as<DeviceState>()->shared;
  begin.sharedValue = shared_;
  begin.live = batch.live;
  begin.target = splits ? target : 0;
  begin.seedTarget = splits ? std::min(target, kSeedSlices) : 0;
  begin.resultCapacity = resultCapacity_;
  enqueueBegin(slot, begin);
  if (splits && target > kSeedSlices) {
    const Range splitRange{"split"};
    enqueueSplitPasses(slot, batch.live, target);
  }
  const std::uint32_t parts = cuts ? target / batch.live : 1;
  if (cuts) {
    enqueueCuts(slot, batch.live, parts);
    batch.current = 1 - batch.current;
  }
  if (batch.live != 0) {
    const std::uint32_t most = splits ? target : batch.live * parts;
    enqueueAdvance(slot, {blocksFor(most, threads), threads}, std::max<std::uint64_t>(1, settings.budget));
  }
  batch.captured = wordPlan_.isSmall() && batch.words->capture(batch.stream);
  SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(batch.summary.as<>(), state_.as<>(), sizeof(DeviceState),
                                       cudaMemcpyDeviceToHost, batch.stream.get()));
  batch.finished.record(batch.stream);
  enqueueRowCopies(batch, settings.rows);
  batch.advanced = batch.live != 0;
  batch.inFlight = true;
}

void CudaDeviceBase::enqueueRowCopies(Slot& batch, std::span<const RankRange> rows) {
  batch.copiesRows = rowsPinned_ && !rows.empty();
  if (!batch.copiesRows) return;
  // In front of the rows: a read afterwards would wait for the rows of the other batch.
  if (!batch.captured) batch.captured = batch.words->capture(batch.stream);
  for (const RankRange& range : rows) {
    const std::size_t offset = (range.begin - places_.window.begin) * places_.rowBytes;
    SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(places_.base + offset, rows_.as<>() + offset,
                                         (range.end - range.begin) * places_.rowBytes, cudaMemcpyDeviceToHost,
                                         batch.stream.get()));
  }
  batch.copied.record(batch.stream);
}

BatchSummary CudaDeviceBase::wait(int slot) {
  useDevice(device_);
  Slot& batch = *slots_[at(slot)];
  BatchSummary summary;
  summary.live = batch.live;
  if (!batch.inFlight) return summary;
  const Range range{"wait"};
  if (batch.copiesRows)
    batch.copied.waitSoon();
  else
    batch.finished.waitSoon();
  batch.inFlight = false;
  const auto& all = *batch.summary.as<const DeviceState>();
  const LaunchState& state = all.launch[slot];
  if (batch.advanced) batch.current = 1 - batch.current;
  batch.live = state.kept;
  shared_ = std::min(shared_, all.shared);
  summary.live = state.kept;
  summary.resultCount = std::min(state.resultCount, resultCapacity_);
  summary.steps = state.steps;
  summary.splits = state.splits;
  summary.sinkFull = state.sinkFull;
  summary.rowsCopied = batch.copiesRows;
  summary.milliseconds = batch.finished.millisecondsSince(batch.started);
  return summary;
}

const LaunchState& CudaDeviceBase::lastState(int slot) const {
  return slots_[at(slot)]->summary.as<const DeviceState>()->launch[slot];
}

void CudaDeviceBase::download(int slot, std::byte* slices, std::uint32_t count, bool remove) {
  Slot& batch = idleSlot(slot, "download");
  if (count > batch.live) {
    throw DeviceError("download: " + std::to_string(count) + " slices, " + std::to_string(batch.live) +
                      " are live");
  }
  const Range range{"download"};
  ring_.toHost(slices, liveSlices(slot) + std::size_t{batch.live - count} * sliceBytes_, count * sliceBytes_,
               batch.stream);
  if (remove) batch.live -= count;
}

void CudaDeviceBase::beginDownload(int slot, std::byte* slices, std::uint32_t remove) {
  Slot& batch = idleSlot(slot, "beginDownload");
  if (remove > batch.live) {
    throw DeviceError("beginDownload: " + std::to_string(remove) + " slices, " + std::to_string(batch.live) +
                      " are live");
  }
  batch.settled.record(batch.stream);
  batch.settled.delay(batch.copies);
  SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(slices, liveSlices(slot), batch.live * sliceBytes_,
                                       cudaMemcpyDeviceToHost, batch.copies.get()));
  batch.downloaded.record(batch.copies);
  batch.live -= remove;
}

void CudaDeviceBase::endDownload(int slot) {
  useDevice(device_);
  slots_[at(slot)]->downloaded.wait();
}

std::shared_ptr<std::byte[]> CudaDeviceBase::hostMemory(std::size_t bytes) {
  useDevice(device_);  // the thread that makes a driver makes those of other GPUs as well
  auto buffer = std::make_shared<PinnedBuffer>(bytes);
  return {buffer, buffer->as<>()};
}

bool CudaDeviceBase::hasHostMemory(std::size_t bytes) const {
  return MemoryCache::instance().hasPinned(bytes);
}

void CudaDeviceBase::readWords(int slot, std::uint64_t* words) {
  Slot& batch = idleSlot(slot, "readWords");
  const Range range{"read words"};
  if (batch.captured)
    batch.words->readCaptured(words);
  else
    batch.words->read(words, ring_, batch.stream);
}

void CudaDeviceBase::takeResults(int slot, std::byte* results, std::uint32_t count) {
  Slot& batch = idleSlot(slot, "takeResults");
  if (count > resultCapacity_) {
    throw DeviceError("takeResults: " + std::to_string(count) + " results, the buffer holds " +
                      std::to_string(resultCapacity_));
  }
  const Range range{"take results"};
  ring_.toHost(results, batch.results.as<>(), count * resultBytes_, batch.stream);
  SLICEPOOL_CUDA_CHECK(
      cudaMemsetAsync(&state(slot)->resultCount, 0, sizeof(std::uint32_t), batch.stream.get()));
}

void CudaDeviceBase::copyRows(int slot, RankRange ranks) {
  Slot& batch = idleSlot(slot, "copyRows");
  ranks.begin = std::max(ranks.begin, places_.window.begin);
  ranks.end = std::min(ranks.end, places_.window.end);
  if (places_.rowBytes == 0 || ranks.begin >= ranks.end) return;
  const Range range{"copy rows"};
  const std::size_t offset = (ranks.begin - places_.window.begin) * places_.rowBytes;
  ring_.toHost(places_.base + offset, rows_.as<>() + offset, (ranks.end - ranks.begin) * places_.rowBytes,
               batch.stream);
}

std::uint64_t CudaDeviceBase::exchangeShared(std::uint64_t value) {
  // The device's copy is lowered by the next launch and read after it: between launches no kernel reads it,
  // and a kernel that runs with a stale word is slower, not wrong.
  shared_ = std::min(shared_, value);
  return shared_;
}

}  // namespace slicepool::cuda
