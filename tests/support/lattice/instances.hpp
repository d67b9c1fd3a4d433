// The lattices of tests/data/lattices with their known counts, and small random ones, as specifications.
// Included by unit and property tests. Gram-Schmidt by the textbook in long double: enough for reduced bases.
#pragma once

#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "slicepool/lattice/problem_factory.hpp"

namespace slicepool::test {

using IntegerBasis = std::vector<std::vector<std::int64_t>>;

struct LatticeInstance {
  std::string file;           ///< of the basis, in tests/data/lattices
  lattice::ProblemSpec spec;  ///< fixed radius, nothing collected
  IntegerBasis basis;
  std::uint64_t nodes = 0;
  std::uint64_t solutions = 0;
  std::int64_t shortest = 0;
};

/// Fills in dimension, mu and norms.
inline void orthogonalize(const IntegerBasis& basis, lattice::ProblemSpec& spec) {
  const std::size_t d = basis.size();
  std::vector<std::vector<long double>> star(d, std::vector<long double>(basis[0].size()));
  spec.dimension = static_cast<int>(d);
  spec.mu.assign(d * d, 0);
  spec.norms.assign(d, 0);
  const auto dot = [](const auto& a, const auto& b) {
    long double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += static_cast<long double>(a[i]) * static_cast<long double>(b[i]);
    return sum;
  };
  for (std::size_t i = 0; i < d; ++i) {
    star[i].assign(basis[i].begin(), basis[i].end());
    for (std::size_t j = 0; j < i; ++j) {
      const long double coefficient = dot(basis[i], star[j]) / dot(star[j], star[j]);
      spec.mu[i * d + j] = static_cast<double>(coefficient);
      for (std::size_t c = 0; c < star[i].size(); ++c) star[i][c] -= coefficient * star[j][c];
    }
    spec.norms[i] = static_cast<double>(dot(star[i], star[i]));
  }
}

/// Rows in brackets, of small integers.
inline IntegerBasis parseBasis(const std::string& text) {
  IntegerBasis basis;
  for (std::size_t at = text.find('[') + 1; at < text.size();) {
    const auto letter = static_cast<unsigned char>(text[at]);
    if (letter == '[') basis.emplace_back();
    if (std::isdigit(letter) == 0 && letter != '-') {
      ++at;
      continue;
    }
    char* end = nullptr;
    basis.back().push_back(std::strtoll(text.c_str() + at, &end, 10));
    at = static_cast<std::size_t>(end - text.c_str());
  }
  return basis;
}

inline std::string latticeFile(const std::string& name) {
  const char* source = std::getenv("SLICEPOOL_SOURCE_DIR");
  const std::string path = std::string(source == nullptr ? "." : source) + "/tests/data/lattices/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("no file " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// By the id in expected.json.
inline LatticeInstance latticeInstance(const std::string& id) {
  const auto known = nlohmann::json::parse(latticeFile("expected.json"));
  for (const auto& entry : known.at("instances")) {
    if (entry.at("id") != id) continue;
    LatticeInstance instance;
    instance.file = entry.at("basis");
    instance.basis = parseBasis(latticeFile(instance.file));
    orthogonalize(instance.basis, instance.spec);
    instance.spec.squaredRadius = entry.at("squared_radius");
    if (entry.contains("pruning")) instance.spec.pruning = entry.at("pruning").get<std::vector<double>>();
    instance.nodes = entry.at("nodes");
    instance.solutions = entry.at("solutions");
    instance.shortest = entry.at("shortest_squared_norm");
    return instance;
  }
  throw std::runtime_error("no lattice " + id);
}

/// A random size-reduced Gram-Schmidt basis with slowly falling norms and a radius that gives a tree of about
/// `nodes` nodes; pruned at random where `pruned`.
inline lattice::ProblemSpec randomLattice(std::mt19937_64& random, int dimension, double nodes, bool pruned) {
  lattice::ProblemSpec spec;
  const auto d = static_cast<std::size_t>(dimension);
  std::uniform_real_distribution<double> unit(0, 1);
  spec.dimension = dimension;
  spec.mu.assign(d * d, 0);
  double norm = 1;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) spec.mu[i * d + j] = unit(random) - 0.5;
    spec.norms.push_back(norm * (0.8 + 0.4 * unit(random)));
    norm *= 0.95;
  }
  if (pruned) {
    double factor = 1;
    for (std::size_t i = 0; i < d; ++i, factor *= 1 - 0.6 * unit(random) / dimension)
      spec.pruning.push_back(factor);
  }
  const auto expected = [&spec](double squaredRadius) {
    spec.squaredRadius = squaredRadius;
    double sum = 0;
    for (const double level : lattice::expectedNodes(spec)) sum += level;
    return sum;
  };
  double low = 1e-6;
  double high = 1e6;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (expected(middle) < nodes ? low : high) = middle;
  }
  spec.squaredRadius = low;
  return spec;
}

/// Another basis of the same lattice with the same tree, whose coefficients x_1 .. x_levels are hundreds: row
/// d / 2 gains a multiple of these rows. levels < d / 2.
inline void skew(lattice::ProblemSpec& spec, int levels) {
  constexpr double kMultiple = 100;
  const auto d = static_cast<std::size_t>(spec.dimension);
  double* const row = spec.mu.data() + d / 2 * d;
  for (std::size_t i = 1; i <= static_cast<std::size_t>(levels); ++i) {
    for (std::size_t j = 0; j < i; ++j) row[j] += kMultiple * spec.mu[i * d + j];
    row[i] += kMultiple;
  }
}

}  // namespace slicepool::test
