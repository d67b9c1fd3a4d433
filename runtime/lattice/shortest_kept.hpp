// The vectors that are kept of one lattice of many. Used by one_lattice.cpp, one_target.cpp and
// exact_search.cpp, with machine integers and with big ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/lattice/integer_basis.hpp"
#include "slicepool/lattice/many_lattices.hpp"

namespace slicepool::lattice {

using WideNorm = unsigned __int128;

[[nodiscard]] inline std::string decimalOf(const Integer& value) { return value.str(); }
[[nodiscard]] inline std::string decimalOf(WideNorm value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return digits;
}

[[nodiscard]] inline LatticeVector latticeVector(std::string squaredNorm, std::vector<std::int64_t> vector) {
  return {std::move(squaredNorm), std::move(vector), {}};
}
[[nodiscard]] inline LatticeVector latticeVector(std::string squaredNorm,
                                                 const std::vector<Integer>& vector) {
  LatticeVector given{std::move(squaredNorm), {}, {}};
  const Integer most = Integer(1) << 63;
  bool narrow = true;
  for (const Integer& element : vector) narrow = narrow && element < most && element > -most;
  if (narrow) {
    for (const Integer& element : vector) given.vector.push_back(static_cast<std::int64_t>(element));
    return given;
  }
  for (const Integer& element : vector) {
    given.text += given.text.empty() ? '[' : ' ';
    given.text += element.str();
  }
  given.text += ']';
  return given;
}

/// Of v and -v the one whose first element other than zero is positive.
template <class Element>
void orient(std::vector<Element>& vector) {
  const auto leading = std::find_if(vector.begin(), vector.end(), [](const Element& x) { return x != 0; });
  if (leading == vector.end() || *leading > 0) return;
  for (Element& element : vector) element = -element;
}

/// The `most` shortest of the vectors that were offered, by norm, then by elements: a function of their set.
template <class Norm, class Element>
class ShortestKept {
 public:
  using Vector = std::vector<Element>;

  /// Forgets all. `pairs`: of v and -v that is kept whose first element other than zero is positive.
  void start(std::uint64_t most, bool pairs = true) {
    most_ = most;
    pairs_ = pairs;
    kept_.clear();
  }
  /// Whether a vector of this norm is none of them, whatever its elements are.
  [[nodiscard]] bool excludes(const Norm& norm) const {
    return most_ == 0 || (kept_.size() >= most_ && std::prev(kept_.end())->first < norm);
  }
  void offer(const Norm& norm, Vector vector) {
    if (excludes(norm)) return;
    if (pairs_) orient(vector);
    kept_.emplace(norm, std::move(vector));
    if (kept_.size() > most_) kept_.erase(std::prev(kept_.end()));
  }
  [[nodiscard]] bool empty() const { return kept_.empty(); }
  [[nodiscard]] const Norm& least() const { return kept_.begin()->first; }
  void giveTo(std::vector<LatticeVector>& vectors) const {
    giveTo(
        vectors, [](const Norm& norm) { return decimalOf(norm); });
  }
  /// `text`: of a norm.
  template <class Text>
  void giveTo(std::vector<LatticeVector>& vectors, const Text& text) const {
    for (const auto& [norm, vector] : kept_) vectors.push_back(latticeVector(text(norm), vector));
  }

 private:
  std::uint64_t most_ = 1;
  bool pairs_ = true;
  std::set<std::pair<Norm, Vector>> kept_;
};

}  // namespace slicepool::lattice
