// The vector code behind visit.hpp, written once in AVX2. Compiled once for each instruction set in
// instances.cmake, whose name is the namespace. With AVX-512VL the compiler's options and a few lines below
// make more of it. One file, because the parts are inlined into one loop.
//
// A board is 16 lanes of 16 bits; lane i is the row at position i ^ 1, because the first of two rows is the
// upper half of a word of the slice. Bit 15 - c of a lane is the column at position c.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "cpu_workers/three_in_line/visit.hpp"
#include "slicepool/three_in_line/steps/canonical.hpp"

namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE {
namespace {

using three_in_line::Branch;
using three_in_line::Visit;
using Lanes = __m256i;

#define SLICEPOOL_ALWAYS inline __attribute__((always_inline))

SLICEPOOL_ALWAYS Lanes loadLanes(const void* from) {
  return _mm256_load_si256(static_cast<const __m256i*>(from));
}
SLICEPOOL_ALWAYS Lanes complement(Lanes x) { return _mm256_xor_si256(x, _mm256_set1_epi32(-1)); }
SLICEPOOL_ALWAYS bool disjoint(Lanes x, Lanes y) { return _mm256_testz_si256(x, y) != 0; }
SLICEPOOL_ALWAYS bool isZero(Lanes x) { return disjoint(x, x); }
SLICEPOOL_ALWAYS Lanes dropLowest(Lanes x) {
  return _mm256_and_si256(x, _mm256_add_epi16(x, _mm256_set1_epi16(-1)));
}
SLICEPOOL_ALWAYS Lanes zeroLanes(Lanes x) { return _mm256_cmpeq_epi16(x, _mm256_setzero_si256()); }

/// The highest bits of the lanes, lane i at bit i.
SLICEPOOL_ALWAYS std::uint32_t highestBits(Lanes x) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  return _mm256_movepi16_mask(x);
#else
  const __m128i packed = _mm_packs_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(packed));
#endif
}

/// `value` in lane i for every set bit i, zero elsewhere.
SLICEPOOL_ALWAYS Lanes inLanes(std::uint32_t bits, std::uint16_t value) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  return _mm256_maskz_set1_epi16(static_cast<__mmask16>(bits), static_cast<short>(value));
#else
  const Lanes lane = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384,
                                       static_cast<short>(-32768));
  const Lanes chosen = _mm256_and_si256(_mm256_set1_epi16(static_cast<short>(bits)), lane);
  return _mm256_and_si256(_mm256_cmpeq_epi16(chosen, lane), _mm256_set1_epi16(static_cast<short>(value)));
#endif
}

/// Lane i becomes lane (15 - i) ^ 1, which is the inverse as well: rows in the order in which a transposed
/// row has them as bits.
SLICEPOOL_ALWAYS Lanes reverseRows(Lanes x) {
  const Lanes order = _mm256_setr_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3,  //
                                       12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  return _mm256_permute4x64_epi64(_mm256_shuffle_epi8(x, order), 0x4e);
}

/// Rows 0..3 as one number, row 0 highest.
SLICEPOOL_ALWAYS std::uint64_t firstRows(Lanes x) {
  const auto low = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_castsi256_si128(x)));
  return low << 32 | low >> 32;
}
SLICEPOOL_ALWAYS Lanes fromFirstRows(std::uint64_t rows) {
  return _mm256_zextsi128_si256(_mm_cvtsi64_si128(static_cast<long long>(rows << 32 | rows >> 32)));
}

SLICEPOOL_ALWAYS Lanes cellLanes(int cell) {
  return inLanes(1U << (cell / 16 ^ 1), static_cast<std::uint16_t>(0x8000U >> cell % 16));
}

struct State {
  Lanes on;
  Lanes off;
  std::uint8_t* points;
  int count;
  int closed;
  int maximumPoints;
};

/// The cells of the lines of points[closed] with all before it.
SLICEPOOL_ALWAYS Lanes linesOfOne(const ThreeInLineContext& context, const State& state) {
  const auto* entries = reinterpret_cast<const Lanes*>(context.lines) +
                        static_cast<std::size_t>(state.points[state.closed]) * context.cells;
  Lanes even = _mm256_setzero_si256();
  Lanes odd = even;
  int i = 0;
  for (; i + 1 < state.closed; i += 2) {
    even = _mm256_or_si256(even, _mm256_load_si256(entries + state.points[i]));
    odd = _mm256_or_si256(odd, _mm256_load_si256(entries + state.points[i + 1]));
  }
  if (i < state.closed) even = _mm256_or_si256(even, _mm256_load_si256(entries + state.points[i]));
  return _mm256_or_si256(even, odd);
}

void listPoints(State& state, Lanes fresh) {
  alignas(32) std::uint64_t bits[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(bits), fresh);
  for (int quarter = 0; quarter < 4; ++quarter) {
    for (std::uint64_t rest = bits[quarter]; rest != 0; rest &= rest - 1) {
      if (state.count == state.maximumPoints) return;
      state.points[state.count++] = static_cast<std::uint8_t>(64 * quarter + (__builtin_ctzll(rest) ^ 31));
    }
  }
}

/// Saturating counters (counters.hpp) of all columns: on in the lower half, possible in the upper one, every
/// lane of a half with the same.
struct ColumnCounts {
  Lanes low;
  Lanes high;
};

SLICEPOOL_ALWAYS ColumnCounts plus(const ColumnCounts& x, const ColumnCounts& y) {
  const Lanes both = _mm256_and_si256(x.low, y.low);
  const Lanes either = _mm256_or_si256(x.high, y.high);
  const Lanes majority = _mm256_or_si256(_mm256_and_si256(x.high, y.high), _mm256_and_si256(y.low, either));
  return {_mm256_or_si256(majority, _mm256_xor_si256(x.low, y.low)), _mm256_or_si256(either, both)};
}

SLICEPOOL_ALWAYS ColumnCounts countColumns(Lanes on, Lanes possible) {
  const Lanes lower = _mm256_permute2x128_si256(on, possible, 0x20);
  const Lanes upper = _mm256_permute2x128_si256(on, possible, 0x31);
  ColumnCounts counts{_mm256_xor_si256(lower, upper), _mm256_and_si256(lower, upper)};
  counts = plus(counts, {_mm256_shuffle_epi32(counts.low, 0x4e), _mm256_shuffle_epi32(counts.high, 0x4e)});
  counts = plus(counts, {_mm256_shuffle_epi32(counts.low, 0xb1), _mm256_shuffle_epi32(counts.high, 0xb1)});
  const auto exchange = [](Lanes x) {
    return _mm256_or_si256(_mm256_slli_epi32(x, 16), _mm256_srli_epi32(x, 16));
  };
  return plus(counts, {exchange(counts.low), exchange(counts.high)});
}

enum class Look { contradiction, stable, newPoints };

/// Rows and columns of two, until nothing changes or there are points whose lines are to be drawn.
/// `occupied`: columns with a point, in every lane.
SLICEPOOL_ALWAYS Look forceLinesOfTwo(const ThreeInLineContext& context, State& state, Lanes& occupied) {
  const Lanes rowsExist = loadLanes(context.rowsExist);
  const Lanes columnsExist = _mm256_set1_epi32(static_cast<int>(context.geometry.columns));
  for (;;) {
    const Lanes possible = complement(state.off);
    const ColumnCounts columns = countColumns(state.on, possible);
    const Lanes onLow = _mm256_permute2x128_si256(columns.low, columns.low, 0x00);
    const Lanes onHigh = _mm256_permute2x128_si256(columns.high, columns.high, 0x00);
    const Lanes possibleLow = _mm256_permute2x128_si256(columns.low, columns.low, 0x11);
    const Lanes possibleHigh = _mm256_permute2x128_si256(columns.high, columns.high, 0x11);
    const Lanes on1 = dropLowest(state.on);
    const Lanes on2 = dropLowest(on1);
    const Lanes possible1 = dropLowest(possible);
    const Lanes possible2 = dropLowest(possible1);
    const Lanes scarceRow = zeroLanes(possible1);
    // A third point; fewer than two possible.
    Lanes wrong = _mm256_or_si256(on2, _mm256_and_si256(scarceRow, rowsExist));
    wrong = _mm256_or_si256(wrong, _mm256_and_si256(onHigh, onLow));
    wrong = _mm256_or_si256(wrong, _mm256_andnot_si256(possibleHigh, columnsExist));
    const Lanes fullRows = _mm256_andnot_si256(zeroLanes(on1), complement(_mm256_setzero_si256()));
    const Lanes full = _mm256_or_si256(fullRows, _mm256_andnot_si256(onLow, onHigh));
    const Lanes pairRows = _mm256_andnot_si256(scarceRow, zeroLanes(possible2));
    const Lanes scarce = _mm256_or_si256(pairRows, _mm256_andnot_si256(possibleLow, possibleHigh));
    const Lanes off = _mm256_or_si256(state.off, _mm256_andnot_si256(state.on, full));
    const Lanes on = _mm256_or_si256(state.on, _mm256_and_si256(scarce, possible));
    wrong = _mm256_or_si256(wrong, _mm256_and_si256(on, off));
    if (!isZero(wrong)) return Look::contradiction;
    const Lanes fresh = _mm256_andnot_si256(state.on, on);
    const Lanes change = _mm256_or_si256(fresh, _mm256_andnot_si256(state.off, off));
    if (isZero(change)) {
      occupied = _mm256_or_si256(onLow, onHigh);
      return Look::stable;
    }
    state.off = off;
    if (isZero(fresh)) continue;
    state.on = on;
    listPoints(state, fresh);
    return Look::newPoints;
  }
}

/// The reflections of canonical.hpp on four rows.
SLICEPOOL_ALWAYS std::uint64_t exchangeColumns(const ThreeInLineContext& context, std::uint64_t rows) {
  return (rows & context.exchanged) << 1 | (rows >> 1 & context.exchanged) | (rows & context.fixed);
}
SLICEPOOL_ALWAYS std::uint64_t exchangeRows(const ThreeInLineContext& context, std::uint64_t rows) {
  constexpr std::uint64_t kSecond = 0x0000ffff0000ffffULL;
  const std::uint64_t exchanged = (rows & kSecond) << 16 | (rows >> 16 & kSecond);
  return (rows & context.fixedRows) | (exchanged & ~context.fixedRows);
}
SLICEPOOL_ALWAYS std::uint64_t reflect(const ThreeInLineContext& context, std::uint64_t rows, int image) {
  if ((image & 1) != 0) rows = exchangeColumns(context, rows);
  if ((image & 2) != 0) rows = exchangeRows(context, rows);
  return rows;
}

/// The first four columns as rows.
SLICEPOOL_ALWAYS std::uint64_t firstColumns(Lanes x) {
  const Lanes reversed = reverseRows(x);
  std::uint64_t rows = highestBits(reversed);
  rows = rows << 16 | highestBits(_mm256_slli_epi16(reversed, 1));
  rows = rows << 16 | highestBits(_mm256_slli_epi16(reversed, 2));
  return rows << 16 | highestBits(_mm256_slli_epi16(reversed, 3));
}
SLICEPOOL_ALWAYS Lanes fromFirstColumns(std::uint64_t rows) {
  Lanes cells = inLanes(static_cast<std::uint32_t>(rows >> 48), 0x8000U);
  cells = _mm256_or_si256(cells, inLanes(static_cast<std::uint32_t>(rows >> 32) & 0xffffU, 0x4000U));
  cells = _mm256_or_si256(cells, inLanes(static_cast<std::uint32_t>(rows >> 16) & 0xffffU, 0x2000U));
  return reverseRows(_mm256_or_si256(cells, inLanes(static_cast<std::uint32_t>(rows) & 0xffffU, 0x1000U)));
}

/// forceCanonical by the plain functions: for boards whose first four rows do not tell them from an image.
bool compareAllRows(const ThreeInLineContext& context, const State& state, Lanes& on, Lanes& off) {
  using Cells = three_in_line::Cells<three_in_line::Packed<8>>;
  alignas(32) Cells before[2];
  alignas(32) Cells must[2] = {};
  _mm256_store_si256(reinterpret_cast<__m256i*>(&before[0]), state.on);
  _mm256_store_si256(reinterpret_cast<__m256i*>(&before[1]), state.off);
  if (!three_in_line::forceCanonical<three_in_line::Packed<8>>(context.geometry, before[0], before[1],
                                                               context.rivals, must[0], must[1]))
    return false;
  on = loadLanes(&must[0]);
  off = loadLanes(&must[1]);
  return true;
}

/// canonical.hpp: what the board must be in order to exceed no image of it. False if it does so anyway.
SLICEPOOL_ALWAYS bool forceCanonical(const ThreeInLineContext& context, const State& state, Lanes& mustBeOn,
                                     Lanes& mustBeOff) {
  const Lanes possible = complement(state.off);
  const std::uint64_t on = firstRows(state.on);
  const std::uint64_t rows = firstRows(possible);
  const std::uint64_t columns = firstColumns(possible);
  std::uint64_t off = 0;
  std::uint64_t onRows = 0;
  std::uint64_t onColumns = 0;
#pragma GCC unroll 8
  for (int image = 1; image < 8; ++image) {
    const std::uint64_t moved = reflect(context, image < 4 ? rows : columns, image);
    const std::uint64_t difference = (on ^ moved) & context.compared[image];
    if (difference == 0) return compareAllRows(context, state, mustBeOn, mustBeOff);
    const int first = __builtin_clzll(difference);
    if (moved << first >> 63 == 0) return false;
    const std::uint64_t equal = context.compared[image] & ~(~std::uint64_t{0} >> first);
    off |= ~on & equal;
    (image < 4 ? onRows : onColumns) |=
        reflect(context, moved & equal, image == 3 || image == 7 ? 3 : image & 3);
  }
  mustBeOff = fromFirstRows(off);
  mustBeOn = fromFirstRows(onRows);
  if (onColumns != 0) mustBeOn = _mm256_or_si256(mustBeOn, fromFirstColumns(onColumns));
  return true;
}

/// Counts of set bits, up to 15, of every lane.
SLICEPOOL_ALWAYS Lanes countBits(Lanes x) {
  const Lanes counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                        0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const Lanes nibble = _mm256_set1_epi8(15);
  const Lanes bytes =
      _mm256_add_epi8(_mm256_shuffle_epi8(counts, _mm256_and_si256(x, nibble)),
                      _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble)));
  return _mm256_add_epi16(_mm256_and_si256(bytes, _mm256_set1_epi16(255)), _mm256_srli_epi16(bytes, 8));
}

/// scoreOfLine for all lanes, times 32, and a lane's place.
SLICEPOOL_ALWAYS Lanes scores(Lanes counts, Lanes occupied, const std::uint16_t* distance, Lanes places) {
  const Lanes table =
      _mm256_broadcastsi128_si256(_mm_set_epi64x(static_cast<long long>(three_in_line::kScoresOfOne),
                                                 static_cast<long long>(three_in_line::kScoresOfTwo)));
  const Lanes index = _mm256_or_si256(_mm256_min_epi16(counts, _mm256_set1_epi16(7)),
                                      _mm256_and_si256(occupied, _mm256_set1_epi16(8)));
  const Lanes base = _mm256_and_si256(_mm256_shuffle_epi8(table, index), _mm256_set1_epi16(255));
  const Lanes central = _mm256_and_si256(
      _mm256_cmpgt_epi16(base, _mm256_set1_epi16(three_in_line::kNearlyDecided)), loadLanes(distance));
  const Lanes score = _mm256_slli_epi16(_mm256_add_epi16(base, central), 5);
  // Lines without an undecided cell come last.
  return _mm256_or_si256(_mm256_or_si256(score, places), zeroLanes(counts));
}

/// Counts of set bits of every column, up to 7 and then anything above, in the lane of the column's bit.
SLICEPOOL_ALWAYS Lanes countOfColumns(Lanes x) {
  const auto carry = [](__m128i a, __m128i b, __m128i c) {
    return _mm_or_si128(_mm_and_si128(a, b), _mm_and_si128(c, _mm_or_si128(a, b)));
  };
  const auto half = [](__m128i a) { return _mm_shuffle_epi32(a, 0x4e); };
  const auto quarter = [](__m128i a) { return _mm_shuffle_epi32(a, 0xb1); };
  const auto one = [](__m128i a) { return _mm_srli_epi32(a, 16); };
  const __m128i lower = _mm256_castsi256_si128(x);
  const __m128i upper = _mm256_extracti128_si256(x, 1);
  __m128i ones = _mm_xor_si128(lower, upper);
  __m128i twos = _mm_and_si128(lower, upper);
  __m128i fours = _mm_setzero_si128();
  __m128i eights = _mm_setzero_si128();
  const auto fold = [&](auto move) {
    const __m128i ones2 = move(ones);
    const __m128i twos2 = move(twos);
    const __m128i fours2 = move(fours);
    const __m128i toTwos = _mm_and_si128(ones, ones2);
    const __m128i toFours = carry(twos, twos2, toTwos);
    const __m128i toEights = carry(fours, fours2, toFours);
    ones = _mm_xor_si128(ones, ones2);
    twos = _mm_xor_si128(_mm_xor_si128(twos, twos2), toTwos);
    fours = _mm_xor_si128(_mm_xor_si128(fours, fours2), toFours);
    eights = _mm_or_si128(_mm_or_si128(eights, move(eights)), toEights);
  };
  fold(half);
  fold(quarter);
  fold(one);
  const auto lanes = [](__m128i plane, std::uint16_t value) {
    return inLanes(static_cast<std::uint32_t>(_mm_cvtsi128_si32(plane)) & 0xffffU, value);
  };
  return _mm256_or_si256(_mm256_or_si256(lanes(ones, 1), lanes(twos, 2)),
                         _mm256_or_si256(lanes(fours, 4), lanes(eights, 8)));
}

/// branch.hpp on vectors.
SLICEPOOL_ALWAYS Branch chooseBranch(const ThreeInLineContext& context, const State& state, Lanes occupied) {
  const Lanes undecided = complement(_mm256_or_si256(state.on, state.off));
  const Lanes rowPlaces =
      _mm256_setr_epi16(2, 0, 6, 4, 10, 8, 14, 12, 18, 16, 22, 20, 26, 24, 30, 28);  // 2 * position
  const Lanes columnPlaces =
      _mm256_setr_epi16(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);  // 2 * position + 1
  const Lanes rows =
      scores(countBits(undecided), complement(zeroLanes(state.on)), context.rowDistance, rowPlaces);
  const auto columnBits =
      static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm256_castsi256_si128(occupied))) & 0xffffU;
  const Lanes columns =
      scores(countOfColumns(undecided), inLanes(columnBits, 0xffffU), context.columnDistance, columnPlaces);
  const Lanes least = _mm256_min_epu16(rows, columns);
  const __m128i eight = _mm_min_epu16(_mm256_castsi256_si128(least), _mm256_extracti128_si256(least, 1));
  const int place = _mm_cvtsi128_si32(_mm_minpos_epu16(eight)) & 31;
  const int position = place / 2;
  std::uint32_t line;
  if (place % 2 != 0) {
    line = highestBits(_mm256_sll_epi16(reverseRows(undecided), _mm_cvtsi32_si128(position)));
  } else {
    alignas(32) std::uint16_t lanes[16];
    _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), undecided);
    line = lanes[position ^ 1];
  }
  const int other = __builtin_clz(line) - 16;
  return Branch::make(Branch::cell, place % 2 != 0 ? 16 * other + position : 16 * position + other,
                      state.count);
}

/// Closes the board; false on a contradiction.
SLICEPOOL_ALWAYS bool close(const ThreeInLineContext& context, State& state, Lanes& occupied) {
  const bool ordered = state.count <= three_in_line::kOrderedPoints;
  for (;;) {
    for (; state.closed < state.count; ++state.closed) {
      state.off = _mm256_or_si256(state.off, linesOfOne(context, state));
      if (!disjoint(state.on, state.off)) return false;
    }
    const Look look = forceLinesOfTwo(context, state, occupied);
    if (look == Look::contradiction) return false;
    if (look == Look::newPoints) continue;
    if (!ordered && state.count != 2 * context.geometry.n) return true;
    Lanes mustBeOn;
    Lanes mustBeOff;
    if (!forceCanonical(context, state, mustBeOn, mustBeOff)) return false;
    const Lanes fresh = _mm256_andnot_si256(state.on, mustBeOn);
    if (isZero(_mm256_or_si256(fresh, _mm256_andnot_si256(state.off, mustBeOff)))) return true;
    state.on = _mm256_or_si256(state.on, mustBeOn);
    state.off = _mm256_or_si256(state.off, mustBeOff);
    if (!disjoint(state.on, state.off)) return false;
    listPoints(state, fresh);
  }
}

}  // namespace

three_in_line::Visit visitThreeInLine(const ThreeInLineContext& context, ThreeInLineVisit& visit) {
  const Lanes mask = loadLanes(context.wordMask);
  State state;
  state.on = _mm256_maskload_epi32(reinterpret_cast<const int*>(visit.on), mask);
  state.off = _mm256_or_si256(_mm256_maskload_epi32(reinterpret_cast<const int*>(visit.off), mask),
                              loadLanes(context.absent));
  state.points = visit.points;
  state.count = state.closed = visit.count;
  state.maximumPoints = context.maximumPoints;
  const Lanes decided = cellLanes(visit.cell);
  if (visit.isOn) {
    state.on = _mm256_or_si256(state.on, decided);
    state.points[state.count++] = static_cast<std::uint8_t>(visit.cell);
  } else {
    state.off = _mm256_or_si256(state.off, decided);
  }
  Lanes occupied;
  if (!close(context, state, occupied)) return Visit::dropped;
  if (state.count == 2 * context.geometry.n) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(visit.complete), state.on);
    return Visit::complete;
  }
  *visit.branch = chooseBranch(context, state, occupied);
  _mm256_maskstore_epi32(reinterpret_cast<int*>(visit.openOn), mask, state.on);
  _mm256_maskstore_epi32(reinterpret_cast<int*>(visit.openOff), mask, state.off);
  return Visit::open;
}

}  // namespace slicepool::SLICEPOOL_KERNEL_NAMESPACE
