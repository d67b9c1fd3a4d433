// The streaming buffer of rows.hpp and the choice of an instruction set.
#include "cpu_workers/factorizations/rows.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace slicepool {

namespace avx512 {
RowKernels kernels(const char* name);
}
namespace avx2 {
RowKernels kernels(const char* name);
}
namespace portable {
RowKernels kernels(const char* name);
}

namespace {

constexpr std::size_t kLine = 64;

std::size_t offsetInLine(const void* address) { return reinterpret_cast<std::uintptr_t>(address) % kLine; }

/// Both 64-byte aligned.
void streamLines(std::byte* to, const std::byte* from, std::size_t lines) {
#if defined(__SSE2__)
  for (std::size_t i = 0; i < lines * (kLine / sizeof(__m128i)); ++i) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i,
                     _mm_load_si128(reinterpret_cast<const __m128i*>(from) + i));
  }
#else
  std::memcpy(to, from, lines * kLine);
#endif
}

}  // namespace

RowTarget::RowTarget(std::byte* begin, std::byte* end, std::byte* buffer)
    : next(begin), limit(end), spillLimit(end), output_(begin), buffer_(buffer) {
  if (buffer_ == nullptr) return;
  // Bytes lie in the buffer as they do in a line of the output.
  next = buffer_ + offsetInLine(begin);
  limit = buffer_ + kLine + kFillBytes;
  spillLimit = limit + kSlackBytes;
}

void RowTarget::moveToOutput(std::size_t bytes) {
  const std::byte* from = buffer_ + offsetInLine(output_);
  const std::size_t head = std::min(bytes, (kLine - offsetInLine(output_)) % kLine);
  std::memcpy(output_, from, head);
  const std::size_t lines = (bytes - head) / kLine;
  streamLines(output_ + head, from + head, lines);
  const std::size_t moved = head + lines * kLine;
  output_ += moved;
  // What is left is less than a line; it becomes the beginning of the buffer.
  const std::size_t rest = bytes - moved;
  std::byte* const begin = buffer_ + offsetInLine(output_);
  std::memmove(begin, from + moved, rest);
  next = begin + rest;
}

void RowTarget::flush() { moveToOutput(static_cast<std::size_t>(next - (buffer_ + offsetInLine(output_)))); }

void RowTarget::finish() {
  if (buffer_ == nullptr) return;
  flush();
  const std::byte* begin = buffer_ + offsetInLine(output_);
  std::memcpy(output_, begin, static_cast<std::size_t>(next - begin));
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

const RowKernels* rowKernelsNamed(const char* name) {
  static const RowKernels kPortable = portable::kernels("portable");
  if (std::strcmp(name, kPortable.name) == 0) return &kPortable;
#if defined(__x86_64__)
  if (std::strcmp(name, "avx2") == 0 && __builtin_cpu_supports("avx2")) {
    static const RowKernels kAvx2 = avx2::kernels("avx2");
    return &kAvx2;
  }
  if (std::strcmp(name, "avx512") == 0 && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    static const RowKernels kAvx512 = avx512::kernels("avx512");
    return &kAvx512;
  }
#endif
  return nullptr;
}

const RowKernels& rowKernels() {
  static const RowKernels* const chosen = [] {
    const char* wanted = std::getenv("SLICEPOOL_SIMD");
    const RowKernels* found = wanted == nullptr ? nullptr : rowKernelsNamed(wanted);
    for (const char* name : {"avx512", "avx2", "portable"})
      if (found == nullptr) found = rowKernelsNamed(name);
    return found;
  }();
  return *chosen;
}

}  // namespace slicepool
