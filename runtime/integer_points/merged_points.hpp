// Sorted lists of points from several files as one list. Called by the merge of a plan.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/integer_points/point_files.hpp"
#include "runtime/integer_points/problem_factory.hpp"
#include "slicepool/core/fingerprint.hpp"
#include "slicepool/integer_points/types.hpp"

namespace slicepool::integer_points {

/// What a file turned out to have.
struct ListedPoints {
  std::uint64_t points = 0;
  Fingerprint fingerprint;
};

/// Calls `take` with the points of all files in order; each is a .npy that writePoints() wrote for a list. A
/// block of each file is in memory. Throws ConfigError, for the path, for another file, and where two points
/// are equal.
[[nodiscard]] std::vector<ListedPoints> mergePoints(const std::vector<std::string>& paths,
                                                    const LineShape& shape,
                                                    const std::function<void(const Point&)>& take);

}  // namespace slicepool::integer_points
