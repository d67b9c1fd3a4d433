// See target_embedding.hpp.
#include "runtime/lattice/target_embedding.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "runtime/lattice/exact_ratio.hpp"

namespace slicepool::lattice {
namespace {

std::vector<Integer> timesMetric(const std::vector<Integer>& vector, const std::vector<Integer>& metric) {
  if (metric.empty()) return vector;
  const std::size_t n = vector.size();
  std::vector<Integer> image(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j) image[j] += vector[k] * metric[k * n + j];
  return image;
}

Integer dot(const std::vector<Integer>& left, const Integer* right) {
  Integer sum = 0;
  for (std::size_t k = 0; k < left.size(); ++k) sum += left[k] * right[k];
  return sum;
}

}  // namespace

double ratioOf(Integer a, Integer b) {
  constexpr unsigned kBits = 900;
  const unsigned bits = std::max(a == 0 ? 0 : msb(abs(a)), msb(b));
  if (bits > kBits) {
    a /= Integer(1) << (bits - kBits);
    b /= Integer(1) << (bits - kBits);
  }
  return std::min(a.convert_to<double>() / b.convert_to<double>(), 1e300);
}

NearTarget nearTarget(const IntegerBasis& basis, const std::vector<Integer>& metric, const Target& target) {
  const auto d = static_cast<std::size_t>(basis.dimension);
  const auto n = static_cast<std::size_t>(basis.columns);
  const std::vector<Integer> image = timesMetric(target.numerators, metric);
  std::vector<Integer> products(d);
  for (std::size_t i = 0; i < d; ++i) products[i] = dot(image, basis.entries.data() + i * n);
  const std::vector<Integer> x = nearestPlane(basis, std::move(products), target.denominator);
  NearTarget near;
  near.denominator = target.denominator;
  near.nearest.assign(n, 0);
  for (std::size_t i = 0; i < d; ++i)
    if (x[i] != 0)
      for (std::size_t k = 0; k < n; ++k) near.nearest[k] += x[i] * basis.entries[i * n + k];
  std::vector<Integer> difference(n);  // q (w - t)
  for (std::size_t k = 0; k < n; ++k)
    difference[k] = near.nearest[k] * target.denominator - target.numerators[k];
  const std::vector<Integer> differenceImage = timesMetric(difference, metric);
  near.squaredDistance = dot(differenceImage, difference.data());
  for (std::size_t i = 0; i < d; ++i)
    near.products.push_back(dot(differenceImage, basis.entries.data() + i * n) * target.denominator);
  return near;
}

double distanceFromSpan(const NearTarget& near, const IntegerBasis& basis, const GramSchmidt& data) {
  if (basis.columns == basis.dimension) return 0;
  const auto d = static_cast<std::size_t>(data.dimension);
  const Integer square = near.denominator * near.denominator;
  double rest = ratioOf(near.squaredDistance, square);
  std::vector<double> along(d);  // <w - t, b*_k>
  for (std::size_t k = 0; k < d; ++k) {
    along[k] = ratioOf(near.products[k], square);
    for (std::size_t j = 0; j < k; ++j) along[k] -= data.mu[k * d + j] * along[j];
    rest -= along[k] / data.norms[k] * along[k];
  }
  return std::max(rest, 0.0);
}

SquaredRadius TargetEmbedding::scaled(const SquaredRadius& number) const {
  const ExactRatio ratio = exactRatio(number);
  return squaredRadiusOf(
      {ratio.numerator * denominator * denominator + height * ratio.denominator, ratio.denominator});
}

std::string TargetEmbedding::distance(const Integer& norm) const {
  return fractionText(norm - height, denominator * denominator);
}

IntegerBasis embedded(const IntegerBasis& basis, const NearTarget& near, double reach, double lastNorm,
                      TargetEmbedding& embedding) {
  const auto d = static_cast<std::size_t>(basis.dimension);
  const Integer& q = near.denominator;
  const Integer root(std::ceil(std::sqrt(std::max({reach, lastNorm, 1e-300}))));
  embedding.denominator = q;
  embedding.height = root * root * q * q;
  IntegerBasis result;
  result.dimension = basis.dimension + 1;
  result.columns = basis.columns;
  result.entries = basis.entries;
  result.entries.insert(result.entries.end(), near.nearest.begin(), near.nearest.end());
  const std::vector<Integer> gram = gramMatrix(basis);
  result.gram.assign((d + 1) * (d + 1), 0);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) result.gram[i * (d + 1) + j] = gram[i * d + j] * q * q;
    result.gram[i * (d + 1) + d] = result.gram[d * (d + 1) + i] = near.products[i];
  }
  result.gram.back() = near.squaredDistance + embedding.height;
  return result;
}

}  // namespace slicepool::lattice
