// An independent source of truth for no-three-in-line: a plain backtracker that fills row after row and looks
// at every pair of earlier points by cross products, with its own canonical form and symmetry classes. It
// shares nothing with the search or with the checker of the library. Included by unit and CLI tests.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace slicepool::test {

/// (x, y) from 0.
using GridPoint = std::pair<int, int>;
/// Sorted.
using GridPoints = std::vector<GridPoint>;

class ThreeInLineOracle {
 public:
  /// Finds all solutions: seconds up to size 10.
  explicit ThreeInLineOracle(int size) : size_(size), inColumn_(static_cast<std::size_t>(size)) {
    fillRow(0);
  }

  /// All of them, in all orientations.
  [[nodiscard]] const std::set<GridPoints>& all() const { return all_; }

  /// One of each orbit: the smallest of its sorted lists of points.
  [[nodiscard]] std::set<GridPoints> representatives() const {
    std::set<GridPoints> smallest;
    for (const auto& points : all_) smallest.insert(representative(points, size_));
    return smallest;
  }

  [[nodiscard]] static GridPoints representative(const GridPoints& points, int size) {
    const auto images = imagesOf(points, size);
    return *std::min_element(images.begin(), images.end());
  }

  /// Orbits of each symmetry class, by Flammenkamp's names.
  [[nodiscard]] std::map<std::string, std::uint64_t> classes() const {
    std::map<std::string, std::uint64_t> counts;
    for (const auto& points : representatives()) ++counts[className(points, size_)];
    return counts;
  }

  [[nodiscard]] static std::string className(const GridPoints& points, int size) {
    const auto images = imagesOf(points, size);
    const auto fixes = [&](std::size_t i) { return images.at(i) == points; };
    const bool quarter = fixes(1);
    const bool half = fixes(2);
    const bool diagonal = fixes(5) || fixes(7);
    const bool orthogonal = fixes(4) || fixes(6);
    if (quarter) return diagonal ? "full" : "rot4";
    if (half) return diagonal ? "dia2" : orthogonal ? "ort2" : "rot2";
    return diagonal ? "dia1" : orthogonal ? "ort1" : "iden";
  }

  /// 0..3: turned by that many quarters; 4..7: mirrored first.
  [[nodiscard]] static std::array<GridPoints, 8> imagesOf(const GridPoints& points, int size) {
    std::array<GridPoints, 8> images;
    for (std::size_t i = 0; i < 8; ++i) {
      for (auto [x, y] : points) {
        if (i >= 4) x = size - 1 - x;
        for (std::size_t turn = 0; turn < i % 4; ++turn) {
          const int turned = size - 1 - y;
          y = x;
          x = turned;
        }
        images.at(i).emplace_back(x, y);
      }
      std::sort(images.at(i).begin(), images.at(i).end());
    }
    return images;
  }

  /// By cross products of all triples.
  [[nodiscard]] static bool threeInLine(const GridPoints& points) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        for (std::size_t k = 0; k < j; ++k)
          if (collinear(points[i], points[j], points[k])) return true;
      }
    }
    return false;
  }

 private:
  static bool collinear(GridPoint a, GridPoint b, GridPoint c) {
    return (b.first - a.first) * (c.second - a.second) == (b.second - a.second) * (c.first - a.first);
  }

  /// Columns of row y that two earlier points see on their line: where the cross product with (x, y) is zero,
  /// which is linear in x. Points of one row have no third row mate, so that columns decide between them.
  [[nodiscard]] std::vector<bool> blockedIn(int y) const {
    std::vector<bool> blocked(static_cast<std::size_t>(size_));
    for (std::size_t x = 0; x < blocked.size(); ++x) blocked[x] = inColumn_[x] == 2;
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const int rise = placed_[i].second - placed_[j].second;
        if (rise == 0) continue;
        const int run = (placed_[i].first - placed_[j].first) * (y - placed_[j].second);
        const int x = placed_[j].first + run / rise;
        if (run % rise == 0 && x >= 0 && x < size_) blocked[static_cast<std::size_t>(x)] = true;
      }
    }
    return blocked;
  }

  void place(int x, int y) {
    placed_.emplace_back(x, y);
    ++inColumn_[static_cast<std::size_t>(x)];
  }
  void takeBack() {
    --inColumn_[static_cast<std::size_t>(placed_.back().first)];
    placed_.pop_back();
  }

  void fillRow(int y) {
    if (y == size_) {
      GridPoints points = placed_;
      std::sort(points.begin(), points.end());
      all_.insert(std::move(points));
      return;
    }
    const std::vector<bool> blocked = blockedIn(y);
    for (int left = 0; left < size_; ++left) {
      if (blocked[static_cast<std::size_t>(left)]) continue;
      place(left, y);
      for (int right = left + 1; right < size_; ++right) {
        if (blocked[static_cast<std::size_t>(right)]) continue;
        place(right, y);
        fillRow(y + 1);
        takeBack();
      }
      takeBack();
    }
  }

  int size_;
  std::vector<int> inColumn_;
  GridPoints placed_;
  std::set<GridPoints> all_;
};

}  // namespace slicepool::test
