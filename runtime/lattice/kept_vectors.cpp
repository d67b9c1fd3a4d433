// See kept_vectors.hpp.
#include "runtime/lattice/kept_vectors.hpp"

#include <vector>

namespace slicepool::lattice {
namespace {

/// Of an output that is written at the end.
constexpr std::size_t kPieceBytes = 1U << 20;

}  // namespace

Solution solutionOf(VectorMaker& maker, const BestVector& best) {
  maker.make(best.coefficients);
  Solution solution;
  solution.squaredNorm = best.squaredNorm.str();
  solution.text = vectorText(maker);
  if (maker.isNarrow()) solution.vector.assign(maker.narrow().begin(), maker.narrow().end());
  solution.coefficients = best.coefficients;
  return solution;
}

void writeBest(const IntegerBasis& basis, const BestVectors& best, VectorFile& file) {
  VectorMaker maker(basis);
  std::vector<char> bytes;
  std::uint64_t rows = 0;
  const auto flush = [&] {
    file.write(file.place(rows, bytes), bytes);
    bytes.clear();
    rows = 0;
  };
  for (const auto& vector : best.best()) {
    maker.make(vector.coefficients);
    file.encode(maker, bytes);
    ++rows;
    if (bytes.size() >= kPieceBytes) flush();
  }
  flush();
}

}  // namespace slicepool::lattice
