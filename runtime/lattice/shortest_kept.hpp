// The vectors that are kept of one lattice of many. Used by one_lattice.cpp, with machine integers and with
// big ones.
#pragma once

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

/// The `most` shortest of the vectors that were offered, by norm, then by elements: a function of their set.
template <class Norm, class Element>
class ShortestKept {
 public:
  using Vector = std::vector<Element>;

  /// Forgets all.
  void start(std::uint64_t most) {
    most_ = most;
    kept_.clear();
  }
  /// Whether a vector of this norm is none of them, whatever its elements are.
  [[nodiscard]] bool excludes(const Norm& norm) const {
    return most_ == 0 || (kept_.size() >= most_ && std::prev(kept_.end())->first < norm);
  }
  /// Of v and -v that is kept whose first element other than zero is positive.
  void offer(const Norm& norm, Vector vector) {
    if (excludes(norm)) return;
    for (const Element& element : vector) {
      if (element == 0) continue;
      if (element > 0) break;
      for (Element& each : vector) each = -each;
      break;
    }
    kept_.emplace(norm, std::move(vector));
    if (kept_.size() > most_) kept_.erase(std::prev(kept_.end()));
  }
  [[nodiscard]] bool empty() const { return kept_.empty(); }
  [[nodiscard]] const Norm& least() const { return kept_.begin()->first; }
  void giveTo(std::vector<LatticeVector>& vectors) const {
    for (const auto& [norm, vector] : kept_) {
      LatticeVector& given = vectors.emplace_back();
      given.squaredNorm = decimalOf(norm);
      setElements(given, vector);
    }
  }

 private:
  static void setElements(LatticeVector& given, const std::vector<std::int64_t>& vector) {
    given.vector = vector;
  }
  static void setElements(LatticeVector& given, const std::vector<Integer>& vector) {
    const Integer most = Integer(1) << 63;
    bool narrow = true;
    for (const Integer& element : vector) narrow = narrow && element < most && element > -most;
    if (narrow) {
      for (const Integer& element : vector) given.vector.push_back(static_cast<std::int64_t>(element));
      return;
    }
    for (const Integer& element : vector) {
      given.text += given.text.empty() ? '[' : ' ';
      given.text += element.str();
    }
    given.text += ']';
  }

  std::uint64_t most_ = 1;
  std::set<std::pair<Norm, Vector>> kept_;
};

}  // namespace slicepool::lattice
