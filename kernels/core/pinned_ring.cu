// Implementation of pinned_ring.cuh.
#include "pinned_ring.cuh"

#include <algorithm>
#include <cstring>

namespace slicepool::cuda {

namespace {

constexpr std::size_t kMaximumChunk = std::size_t{8} << 20U;
/// A chunk takes 10 us of calls and events, beside 25 us of memcpy for so many bytes.
constexpr std::size_t kMinimumChunk = std::size_t{256} << 10U;
constexpr std::size_t kMinimumTeamCopy = std::size_t{4} << 20U;
constexpr std::size_t kMaximumHelpers = 7;

// Four chunks or more per copy where that keeps them large enough: then copying and memcpy overlap.
std::size_t chunkSize(std::size_t bytes) { return std::clamp(bytes / 4 + 1, kMinimumChunk, kMaximumChunk); }

}  // namespace

bool PinnedRing::isPinned(const void* host, std::size_t bytes) {
  const auto pinned = [](const void* address) {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, address) == cudaSuccess)
      return attributes.type == cudaMemoryTypeHost;
    static_cast<void>(cudaGetLastError());
    return false;
  };
  return pinned(host) && pinned(static_cast<const std::byte*>(host) + bytes - 1);
}

CopyTeam::~CopyTeam() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (auto& helper : helpers_) helper.join();
}

void CopyTeam::start() {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t count = std::min(kMaximumHelpers, cores / 2);
  helpers_.reserve(count);
  for (std::size_t index = 0; index < count; ++index) helpers_.emplace_back([this, index] { work(index); });
}

CopyTeam::Job CopyTeam::part(std::size_t index) const {
  constexpr std::size_t kCacheLine = 64;
  const std::size_t parts = helpers_.size() + 1;
  const std::size_t each = (job_.bytes / parts + kCacheLine - 1) / kCacheLine * kCacheLine;
  const std::size_t begin = std::min(job_.bytes, each * index);
  const std::size_t end = index + 1 == parts ? job_.bytes : std::min(job_.bytes, begin + each);
  return {job_.to + begin, job_.from + begin, end - begin};
}

void CopyTeam::work(std::size_t index) {
  std::uint64_t seen = 0;
  for (;;) {
    Job mine;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stop_ || generation_ != seen; });
      if (stop_) return;
      seen = generation_;
      mine = part(index);
    }
    std::memcpy(mine.to, mine.from, mine.bytes);
    const std::lock_guard lock(mutex_);
    if (--pending_ == 0) done_.notify_one();
  }
}

void CopyTeam::copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes < kMinimumTeamCopy) {
    std::memcpy(to, from, bytes);
    return;
  }
  if (helpers_.empty()) start();
  Job mine;
  {
    const std::lock_guard lock(mutex_);
    job_ = {to, from, bytes};
    pending_ = helpers_.size();
    ++generation_;
    mine = part(helpers_.size());
  }
  wake_.notify_all();
  std::memcpy(mine.to, mine.from, mine.bytes);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return pending_ == 0; });
}

PinnedRing::Chunk& PinnedRing::acquire(std::size_t bytes) {
  Chunk& chunk = chunks_[next_];
  next_ = (next_ + 1) % chunks_.size();
  if (chunk.busy) {
    chunk.free.waitSoon();
    chunk.busy = false;
  }
  if (chunk.buffer.bytes() < bytes) {
    chunk.buffer.reset();
    chunk.buffer = PinnedBuffer(bytes);
  }
  return chunk;
}

void PinnedRing::release(Chunk& chunk, const Stream& stream) {
  chunk.free.record(stream);
  chunk.busy = true;
}

void PinnedRing::toDevice(void* device, const void* host, std::size_t bytes, const Stream& stream) {
  const std::size_t chunkBytes = chunkSize(bytes);
  for (std::size_t offset = 0; offset < bytes; offset += chunkBytes) {
    const std::size_t size = std::min(chunkBytes, bytes - offset);
    Chunk& chunk = acquire(chunkBytes);
    team_.copy(chunk.buffer.as<>(), static_cast<const std::byte*>(host) + offset, size);
    SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(static_cast<std::byte*>(device) + offset, chunk.buffer.as<>(), size,
                                         cudaMemcpyHostToDevice, stream.get()));
    release(chunk, stream);
  }
}

void PinnedRing::toDevice(std::span<const Piece> pieces, const Stream& stream, std::byte* device) {
  if (pieces.empty()) return;
  const std::size_t bytes = pieces.back().offset + pieces.back().bytes;
  Chunk& chunk = acquire(std::max(bytes, kMinimumChunk));
  for (const Piece& piece : pieces) std::memcpy(chunk.buffer.as<>() + piece.offset, piece.host, piece.bytes);
  SLICEPOOL_CUDA_CHECK(
      cudaMemcpyAsync(device, chunk.buffer.as<>(), bytes, cudaMemcpyHostToDevice, stream.get()));
  release(chunk, stream);
}

void PinnedRing::toHost(void* host, const void* device, std::size_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  auto* to = static_cast<std::byte*>(host);
  const auto* from = static_cast<const std::byte*>(device);
  if (isPinned(host, bytes)) {
    SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream.get()));
    Chunk& chunk = acquire(0);
    release(chunk, stream);
    chunk.free.waitSoon();
    chunk.busy = false;
    return;
  }
  const std::size_t chunkBytes = chunkSize(bytes);
  // One chunk is on the bus while the one before it is copied out.
  Chunk* arriving = nullptr;
  for (std::size_t offset = 0, arrived = 0; arrived < bytes;) {
    Chunk* const ready = arriving;
    arriving = nullptr;
    if (offset < bytes) {
      const std::size_t size = std::min(chunkBytes, bytes - offset);
      arriving = &acquire(chunkBytes);
      SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(arriving->buffer.as<>(), from + offset, size,
                                           cudaMemcpyDeviceToHost, stream.get()));
      release(*arriving, stream);
      offset += size;
    }
    if (ready != nullptr) {
      const std::size_t size = std::min(chunkBytes, bytes - arrived);
      ready->free.waitSoon();
      ready->busy = false;
      team_.copy(to + arrived, ready->buffer.as<>(), size);
      arrived += size;
    }
  }
}

}  // namespace slicepool::cuda
