// Implementation of word_replicas.cuh.
#include "word_replicas.cuh"

#include <algorithm>
#include <vector>

namespace slicepool::cuda {

namespace {

constexpr std::uint32_t kLineWords = 16;  // replicas do not share a 128-byte line
constexpr std::size_t kMaximumReplicaBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaximumReplicas = 64;
constexpr std::uint32_t kThreads = 128;
constexpr std::size_t kMaximumBytesMergedOnHost = std::size_t{256} << 10U;

__device__ std::uint64_t mergedValue(Merge merge, std::uint64_t a, std::uint64_t b) {
  switch (merge) {
    case Merge::add: return a + b;
    case Merge::minimum: return min(static_cast<unsigned long long>(a), static_cast<unsigned long long>(b));
    case Merge::maximum: return max(static_cast<unsigned long long>(a), static_cast<unsigned long long>(b));
    case Merge::exclusiveOr: return a ^ b;
  }
  return a;
}

/// Neighbouring ranges of a layout.
struct FreshWords {
  static constexpr int kMost = 8;
  struct Range {
    std::uint32_t end = 0;  ///< word behind it
    Merge merge = Merge::add;
    std::uint64_t neutral = 0;
  };
  Range ranges[kMost];
  int count = 0;
  std::uint32_t first = 0;  ///< word of the first range
  std::uint32_t end = 0;    ///< words behind the last range, up to here, are padding: zeros
};

/// Sets words to their neutral value, in every replica: a thread for each word of each replica.
__global__ void spreadWords(std::uint64_t* replicas, Merge* merges, FreshWords fresh, std::uint32_t stride,
                            std::uint32_t count) {
  const std::uint32_t words = fresh.end - fresh.first;
  const std::uint64_t index = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index >= std::uint64_t{words} * count) return;
  const auto replica = static_cast<std::uint32_t>(index / words);
  const std::uint32_t word = fresh.first + static_cast<std::uint32_t>(index % words);
  std::uint64_t value = 0;
  for (int range = 0; range < fresh.count; ++range) {
    if (word >= fresh.ranges[range].end) continue;
    value = fresh.ranges[range].neutral;
    if (replica == 0) merges[word] = fresh.ranges[range].merge;
    break;
  }
  replicas[static_cast<std::size_t>(replica) * stride + word] = value;
}

__global__ void mergeReplicas(std::uint64_t* merged, const std::uint64_t* replicas, const Merge* merges,
                              std::uint32_t words, std::uint32_t stride, std::uint32_t count) {
  const std::uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= words) return;
  std::uint64_t value = replicas[index];
  for (std::uint32_t replica = 1; replica < count; ++replica)
    value = mergedValue(merges[index], value, replicas[static_cast<std::size_t>(replica) * stride + index]);
  merged[index] = value;
}

}  // namespace

WordPlan::WordPlan(const WordLayout& layout) : layout_(layout), words_(layout.size()) {
  if (words_ > (std::size_t{1} << 31U) - kLineWords)
    throw LimitError("reduction words on a device: " + std::to_string(words_) + " needed, at most 2^31 - 16");
  stride_ = (static_cast<std::uint32_t>(words_) + kLineWords - 1) / kLineWords * kLineWords;
  const std::size_t most =
      std::clamp<std::size_t>(kMaximumReplicaBytes / (std::size_t{8} * stride_), 1, kMaximumReplicas);
  replicas_ = 1;
  while (std::size_t{2} * replicas_ <= most) replicas_ *= 2;
}

WordReplicas::WordReplicas(const WordPlan& plan, const Stream& stream)
    : plan_(&plan), replicas_(plan.bytes()), merged_(8 * plan.words()), merges_(plan.words()) {
  // Calls that pin memory wait for other devices, so that none is to come between launches.
  if (plan.isSmall()) captured_ = PinnedBuffer(plan.bytes());
  const auto& ranges = plan.layout().ranges;
  FreshWords fresh;
  std::uint32_t word = 0;
  for (std::size_t at = 0; at < ranges.size(); ++at) {
    word += static_cast<std::uint32_t>(ranges[at].count);
    fresh.ranges[fresh.count++] = {word, ranges[at].merge, ranges[at].neutral};
    const bool last = at + 1 == ranges.size();
    if (!last && fresh.count < FreshWords::kMost) continue;
    // The words beyond the last one are copied with the others.
    fresh.end = last ? plan.stride() : word;
    if (fresh.end != fresh.first) {
      const std::uint64_t threads = std::uint64_t{fresh.end - fresh.first} * plan.replicas();
      spreadWords<<<static_cast<std::uint32_t>((threads + kThreads - 1) / kThreads), kThreads, 0,
                    stream.get()>>>(replicas_.as<std::uint64_t>(), merges_.as<Merge>(), fresh, plan.stride(),
                                    plan.replicas());
      checkLaunch("spreadWords");
    }
    fresh = {};
    fresh.first = word;
  }
}

void WordReplicas::mergeOnHost(std::uint64_t* words, const std::uint64_t* replicas) const {
  std::copy_n(replicas, plan_->words(), words);
  for (std::uint32_t replica = 1; replica < plan_->replicas(); ++replica)
    mergeWords(plan_->layout(), words, replicas + std::size_t{replica} * plan_->stride());
}

bool WordReplicas::capture(const Stream& stream) {
  if (plan_->bytes() > kMaximumBytesMergedOnHost) return false;
  if (captured_.bytes() == 0) captured_ = PinnedBuffer(plan_->bytes());
  SLICEPOOL_CUDA_CHECK(cudaMemcpyAsync(captured_.as<>(), replicas_.as<>(), plan_->bytes(),
                                       cudaMemcpyDeviceToHost, stream.get()));
  return true;
}

void WordReplicas::readCaptured(std::uint64_t* words) const {
  mergeOnHost(words, captured_.as<const std::uint64_t>());
}

void WordReplicas::read(std::uint64_t* words, PinnedRing& ring, const Stream& stream) {
  // A kernel would wait for a free place behind the whole launch of the other batch; a copy does not.
  if (plan_->bytes() <= kMaximumBytesMergedOnHost) {
    std::vector<std::uint64_t> replicas(plan_->bytes() / sizeof(std::uint64_t));
    ring.toHost(replicas.data(), replicas_.as<>(), plan_->bytes(), stream);
    return mergeOnHost(words, replicas.data());
  }
  const auto count = static_cast<std::uint32_t>(plan_->words());
  mergeReplicas<<<(count + kThreads - 1) / kThreads, kThreads, 0, stream.get()>>>(
      merged_.as<std::uint64_t>(), replicas_.as<std::uint64_t>(), merges_.as<Merge>(), count, plan_->stride(),
      plan_->replicas());
  checkLaunch("mergeReplicas");
  ring.toHost(words, merged_.as<>(), 8 * plan_->words(), stream);
}

}  // namespace slicepool::cuda
