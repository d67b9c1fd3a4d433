// Implementation of visit.hpp: constants of a run, and the choice of an instruction set.
#include "cpu_workers/three_in_line/visit.hpp"

#include <cstdlib>
#include <cstring>

#include "slicepool/three_in_line/steps/canonical.hpp"

namespace slicepool {

#if defined(__x86_64__)
namespace avx2 {
three_in_line::Visit visitThreeInLine(const ThreeInLineContext& context, ThreeInLineVisit& visit);
}
namespace avx512 {
three_in_line::Visit visitThreeInLine(const ThreeInLineContext& context, ThreeInLineVisit& visit);
}
#endif

using namespace three_in_line;

namespace {

std::uint64_t twice(std::uint32_t word) { return static_cast<std::uint64_t>(word) << 32 | word; }

std::uint64_t firstTwoWords(std::uint32_t first, std::uint32_t second) {
  return static_cast<std::uint64_t>(first) << 32 | second;
}

}  // namespace

ThreeInLineContext threeInLineContext(const SearchView& view, int words) {
  using Shape = Packed<8>;
  ThreeInLineContext context;
  const Geometry& geometry = view.geometry;
  const bool odd = geometry.n % 2 != 0;
  context.geometry = geometry;
  context.lines = view.lines;
  context.cells = static_cast<std::uint32_t>(32 * words);
  context.words = words;
  context.maximumPoints = 4 * words;
  context.rivals = view.rivals;
  for (int image = 1; image < kImages; ++image) {
    context.compared[image] =
        firstTwoWords(existing<Shape>(geometry, 0) & ~fixedCells<Shape>(geometry, image, 0),
                      existing<Shape>(geometry, 1) & ~fixedCells<Shape>(geometry, image, 1));
  }
  context.exchanged = twice(geometry.exchanged);
  context.fixed = twice(geometry.fixed);
  context.fixedRows = odd ? firstTwoWords(~0U, 0) : 0;
  for (int lane = 0; lane < 16; ++lane) {
    // Two rows in a word: the lower lane is the second row. Columns are lanes as they are bits.
    context.rowDistance[lane] =
        static_cast<std::uint16_t>(kScoreOfDistance * distanceOf(lane ^ 1, geometry.n));
    context.columnDistance[lane] =
        static_cast<std::uint16_t>(kScoreOfDistance * distanceOf(15 - lane, geometry.n));
  }
  for (int w = 0; w < 8; ++w) {
    const bool exists = w < words;
    context.wordMask[w] = exists ? ~0U : 0;
    context.absent[w] = exists ? ~existing<Shape>(geometry, w) : ~0U;
    context.rowsExist[w] = !exists ? 0 : w == 0 && odd ? 0xffff0000U : ~0U;
  }
  return context;
}

VisitBoard threeInLineVisitNamed(const char* name) {
#if defined(__x86_64__)
  if (std::strcmp(name, "avx2") == 0 && __builtin_cpu_supports("avx2")) return avx2::visitThreeInLine;
  if (std::strcmp(name, "avx512") == 0 && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return avx512::visitThreeInLine;
#else
  (void)name;
#endif
  return nullptr;
}

VisitBoard threeInLineVisit() {
  static const VisitBoard chosen = [] {
    const char* wanted = std::getenv("SLICEPOOL_SIMD");
    if (wanted != nullptr && std::strcmp(wanted, "portable") == 0) return VisitBoard{nullptr};
    VisitBoard found = wanted == nullptr ? nullptr : threeInLineVisitNamed(wanted);
    for (const char* name : {"avx512", "avx2"})
      if (found == nullptr) found = threeInLineVisitNamed(name);
    return found;
  }();
  return chosen;
}

}  // namespace slicepool
