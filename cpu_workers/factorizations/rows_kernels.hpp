// The vector loops behind rows.hpp, written once with the compiler's vector types. Compiled once for each
// instruction set in instances.cmake: the name of the set is the namespace, and its compiler options decide
// which instructions come out.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cpu_workers/factorizations/rows.hpp"
#include "slicepool/core/fingerprint.hpp"

#if defined(__AVX512BW__)
#define SLICEPOOL_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define SLICEPOOL_VECTOR_BYTES 32
#else  // vectors of all 64-bit instruction sets
#define SLICEPOOL_VECTOR_BYTES 16
#endif

namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE {
namespace {

constexpr std::size_t kVectorBytes = SLICEPOOL_VECTOR_BYTES;
/// A row of 16 coordinates of 8 bytes is the widest.
constexpr std::size_t kWidestRow = 128;
constexpr std::size_t kMaximumVectors = kWidestRow / kVectorBytes;
constexpr std::size_t kLanesOfPattern = kVectorBytes > kWidestRow ? kVectorBytes : kWidestRow;
/// Blocks this far ahead on the axis are fetched early: where they begin is no pattern a prefetcher learns.
constexpr std::uint32_t kPrefetchBlocks = 1;
constexpr std::size_t kPrefetchLines = 4;
constexpr std::size_t kCacheLine = 64;

template <class Element>
using Vector [[gnu::vector_size(SLICEPOOL_VECTOR_BYTES)]] = Element;
template <class Element>
using UnalignedVector [[gnu::vector_size(SLICEPOOL_VECTOR_BYTES), gnu::may_alias, gnu::aligned(1)]] = Element;

template <class Element>
Vector<Element> load(const void* from) {
  return *static_cast<const UnalignedVector<Element>*>(from);
}
template <class Element>
void store(void* to, Vector<Element> value) {
  *static_cast<UnalignedVector<Element>*>(to) = value;
}

/// As many whole rows as fit one vector, or one row as several vectors.
struct Layout {
  std::size_t rowBytes;
  std::size_t vectors;  ///< of one step
  std::size_t rows;     ///< of one step
  std::size_t stride;   ///< bytes from one step to the next

  explicit Layout(std::size_t bytesOfRow) : rowBytes(bytesOfRow) {
    const bool narrow = rowBytes <= kVectorBytes;
    vectors = narrow ? 1 : (rowBytes + kVectorBytes - 1) / kVectorBytes;
    rows = narrow ? kVectorBytes / rowBytes : 1;
    stride = rows * rowBytes;
  }
};

/// A row repeated over the vectors of one step.
template <class Element>
class Pattern {
 public:
  Pattern() { std::memset(lanes_, 0, sizeof(lanes_)); }
  void set(const Layout& layout, std::size_t dimension, std::size_t coordinate, Element value) {
    for (std::size_t row = 0; row < layout.rows; ++row) setAt(row * dimension + coordinate, value);
  }
  void setAt(std::size_t lane, Element value) {
    if (lane < kLanesOfPattern / sizeof(Element)) lanes_[lane] = value;
  }
  [[nodiscard]] Vector<Element> vector(std::size_t index) const {
    return load<Element>(reinterpret_cast<const std::byte*>(lanes_) + index * kVectorBytes);
  }

 private:
  alignas(64) Element lanes_[kLanesOfPattern / sizeof(Element)];
};

/// Stores the rows [next, end) of one block. `produce(vectorIndex)` is called for consecutive vectors of
/// consecutive steps and returns what to store.
template <class Element, class Produce, class Advance>
void storeRows(RowTarget& target, const Layout& layout, std::byte* end, Produce produce, Advance advance) {
  std::byte* to = target.next;
  if (end + layout.vectors * kVectorBytes <= target.spillLimit) {
    if (layout.vectors == 1) {
      for (; to < end; to += layout.stride) {
        store<Element>(to, produce(0));
        advance();
      }
    } else {
      for (; to < end; to += layout.stride) {
        for (std::size_t v = 0; v < layout.vectors; ++v) store<Element>(to + v * kVectorBytes, produce(v));
        advance();
      }
    }
  } else {
    // At the end of the output nothing may spill.
    alignas(64) std::byte step[kMaximumVectors * kVectorBytes];
    for (; to < end; to += layout.stride) {
      for (std::size_t v = 0; v < layout.vectors; ++v) store<Element>(step + v * kVectorBytes, produce(v));
      advance();
      const auto left = static_cast<std::size_t>(end - to);
      std::memcpy(to, step, left < layout.stride ? left : layout.stride);
    }
  }
  target.next = end;
}

/// Rows of a block of `left` rows that can be stored before the next flush; whole steps unless it is all.
inline std::uint64_t rowsThatFit(RowTarget& target, const Layout& layout, std::uint64_t left) {
  auto room = static_cast<std::uint64_t>(target.limit - target.next) / layout.rowBytes;
  if (left <= room || !target.streaming()) return left;
  if (room < 2 * layout.rows) {
    target.flush();
    room = static_cast<std::uint64_t>(target.limit - target.next) / layout.rowBytes;
    if (left <= room) return left;
  }
  return room / layout.rows * layout.rows;
}

template <class Element>
class AxisPattern {
 public:
  AxisPattern(const Layout& layout, const RowShape& shape, const AxisRun& run) : layout_(layout) {
    Pattern<Element> prefix;
    Pattern<Element> unit;
    const auto dimension = static_cast<std::size_t>(shape.dimension);
    const auto axis = static_cast<std::size_t>(shape.axis);
    for (std::size_t k = 0; k < axis; ++k)
      prefix.set(layout, dimension, k, static_cast<Element>(run.head[k]));
    prefix.set(layout, dimension, axis, static_cast<Element>(run.axisTop));
    unit.set(layout, dimension, axis, Element{1});
    for (std::size_t v = 0; v < layout.vectors; ++v) {
      prefix_[v] = prefix.vector(v);
      unit_[v] = unit.vector(v);
    }
  }
  void moveDown() {
    prefix_[0] -= unit_[0];
    for (std::size_t v = 1; v < layout_.vectors; ++v) prefix_[v] -= unit_[v];
  }
  [[nodiscard]] Vector<Element> operator[](std::size_t v) const { return prefix_[v]; }

 private:
  const Layout& layout_;
  Vector<Element> prefix_[kMaximumVectors];
  Vector<Element> unit_[kMaximumVectors];
};

template <class Element>
void expandStored(const RowShape& shape, const AxisRun& run, RowTarget& target) {
  const Layout layout(shape.rowBytes());
  AxisPattern<Element> prefix(layout, shape, run);
  std::uint64_t left = run.rows;
  std::uint64_t skip = run.skip;
  std::uint32_t residual = run.residual;
  for (std::uint32_t axis = run.axisTop; left != 0; --axis) {
    const std::uint32_t* const offset = shape.offsets + residual;
    const std::byte* from = shape.rows + (offset[0] + skip) * layout.rowBytes;
    std::uint64_t rows = offset[1] - offset[0] - skip;
    skip = 0;
    if (axis >= kPrefetchBlocks) {
      const std::uint32_t further = kPrefetchBlocks * shape.axisGenerator;
      const std::byte* ahead = shape.rows + offset[further] * layout.rowBytes;
      for (std::size_t line = 0; line < kPrefetchLines; ++line) __builtin_prefetch(ahead + line * kCacheLine);
    }
    rows = rows < left ? rows : left;
    left -= rows;
    while (rows != 0) {
      const std::uint64_t part = rowsThatFit(target, layout, rows);
      storeRows<Element>(
          target, layout, target.next + part * layout.rowBytes,
          [&](std::size_t v) { return load<Element>(from + v * kVectorBytes) + prefix[v]; },
          [&] { from += layout.stride; });
      // The last step of a block may have stopped inside a stride.
      rows -= part;
    }
    prefix.moveDown();
    residual += shape.axisGenerator;
  }
}

/// The progression's part of a row: masks that put x and y into place, and the steps.
template <class Element>
struct ProgressionPatterns {
  Vector<Element> atFirst[kMaximumVectors];
  Vector<Element> atSecond[kMaximumVectors];
  Vector<Element> ramp[kMaximumVectors];
  Vector<Element> step[kMaximumVectors];

  ProgressionPatterns(const Layout& layout, const RowShape& shape) {
    Pattern<Element> first, second, start, increment;
    const auto dimension = static_cast<std::size_t>(shape.dimension);
    first.set(layout, dimension, dimension - 2, static_cast<Element>(~Element{0}));
    second.set(layout, dimension, dimension - 1, static_cast<Element>(~Element{0}));
    const auto down = static_cast<Element>(Element{0} - static_cast<Element>(shape.firstStep));
    const auto up = static_cast<Element>(shape.secondStep);
    for (std::size_t row = 0; row < layout.rows; ++row) {
      start.setAt(row * dimension + dimension - 2, static_cast<Element>(row * down));
      start.setAt(row * dimension + dimension - 1, static_cast<Element>(row * up));
    }
    increment.set(layout, dimension, dimension - 2, static_cast<Element>(layout.rows * down));
    increment.set(layout, dimension, dimension - 1, static_cast<Element>(layout.rows * up));
    for (std::size_t v = 0; v < layout.vectors; ++v) {
      atFirst[v] = first.vector(v);
      atSecond[v] = second.vector(v);
      ramp[v] = start.vector(v);
      step[v] = increment.vector(v);
    }
  }
};

template <class Element>
void expandProgression(const RowShape& shape, const AxisRun& run, RowTarget& target) {
  const Layout layout(shape.rowBytes());
  AxisPattern<Element> prefix(layout, shape, run);
  const ProgressionPatterns<Element> patterns(layout, shape);
  std::uint64_t left = run.rows;
  std::uint64_t skip = run.skip;
  std::uint32_t residual = run.residual;
  std::uint32_t modulo = residual % shape.first;
  const std::uint32_t moduloStep = shape.axisGenerator % shape.first;
  for (; left != 0; residual += shape.axisGenerator, prefix.moveDown()) {
    const std::uint32_t smallest = shape.smallestSecond[modulo];
    modulo += moduloStep;
    if (modulo >= shape.first) modulo -= shape.first;
    const std::uint64_t used = static_cast<std::uint64_t>(smallest) * shape.second;
    if (smallest == RowShape::kNoSolution || used > residual) continue;
    const std::uint32_t greatest = (residual - static_cast<std::uint32_t>(used)) / shape.first;
    std::uint64_t rows = greatest / shape.firstStep + 1 - skip;
    const auto x = static_cast<Element>(greatest - skip * shape.firstStep);
    const auto y = static_cast<Element>(smallest + skip * shape.secondStep);
    skip = 0;
    rows = rows < left ? rows : left;
    left -= rows;
    Vector<Element> value[kMaximumVectors];
    for (std::size_t v = 0; v < layout.vectors; ++v) {
      value[v] = prefix[v] + patterns.ramp[v] + ((Vector<Element>{} + x) & patterns.atFirst[v]) +
                 ((Vector<Element>{} + y) & patterns.atSecond[v]);
    }
    while (rows != 0) {
      const std::uint64_t part = rowsThatFit(target, layout, rows);
      storeRows<Element>(
          target, layout, target.next + part * layout.rowBytes, [&](std::size_t v) { return value[v]; },
          [&] {
            for (std::size_t v = 0; v < layout.vectors; ++v) value[v] += patterns.step[v];
          });
      rows -= part;
    }
  }
}

template <class Element>
void addPrefix(std::byte* to, const std::byte* from, std::uint64_t rows, int dimension,
               const std::uint32_t* prefix) {
  const Layout layout(static_cast<std::size_t>(dimension) * sizeof(Element));
  Pattern<Element> pattern;
  for (std::size_t k = 0; k < static_cast<std::size_t>(dimension); ++k)
    pattern.set(layout, static_cast<std::size_t>(dimension), k, static_cast<Element>(prefix[k]));
  const auto add = [&](std::byte* output, const std::byte* input) {
    for (std::size_t v = 0; v < layout.vectors; ++v)
      store<Element>(output + v * kVectorBytes, load<Element>(input + v * kVectorBytes) + pattern.vector(v));
  };
  // Nothing behind the rows may be touched, not even read: another thread may be writing it.
  auto left = static_cast<std::size_t>(rows) * layout.rowBytes;
  for (; left >= layout.vectors * kVectorBytes; left -= layout.stride) {
    add(to, from);
    to += layout.stride;
    from += layout.stride;
  }
  alignas(64) std::byte step[kMaximumVectors * kVectorBytes];
  while (left != 0) {
    const std::size_t part = left < layout.stride ? left : layout.stride;
    std::memcpy(step, from, part);
    add(step, step);
    std::memcpy(to, step, part);
    to += part;
    from += part;
    left -= part;
  }
}

void mixValues(std::uint64_t base, const std::uint64_t* values, std::uint64_t count, std::uint64_t& sum,
               std::uint64_t& exclusiveOr) {
  std::uint64_t total = 0;
  std::uint64_t bits = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t mixed = mix64(base + values[i]);
    total += mixed;
    bits ^= mixed;
  }
  sum += total;
  exclusiveOr ^= bits;
}

void mixProgression(std::uint64_t base, std::uint64_t step, std::uint64_t count, std::uint64_t& sum,
                    std::uint64_t& exclusiveOr) {
  std::uint64_t total = 0;
  std::uint64_t bits = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t mixed = mix64(base + i * step);
    total += mixed;
    bits ^= mixed;
  }
  sum += total;
  exclusiveOr ^= bits;
}

}  // namespace

RowKernels kernels(const char* name) {
  return {
      name,
      {expandStored<std::uint8_t>, expandStored<std::uint16_t>, expandStored<std::uint32_t>,
       expandStored<std::uint64_t>},
      {expandProgression<std::uint8_t>, expandProgression<std::uint16_t>, expandProgression<std::uint32_t>,
       expandProgression<std::uint64_t>},
      {addPrefix<std::uint8_t>, addPrefix<std::uint16_t>, addPrefix<std::uint32_t>, addPrefix<std::uint64_t>},
      mixValues,
      mixProgression};
}

}  // namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE
