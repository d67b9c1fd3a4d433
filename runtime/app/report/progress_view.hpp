// How progress is shown: one line for a terminal of some width, a line of a log, or a JSON object. What is
// shown as done never becomes less. Called by the command's progress printers (runtime/app/cli/progress).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/app/config/json.hpp"
#include "slicepool/core/options.hpp"

namespace slicepool::report {

/// "[####      ]  41.2 %  12 s  1m05s left  ..": a bar for `share` of the work (negative: unknown), then as
/// many of the pieces, first ones first, as fit `width` columns. Fewer than `width` characters, so that no
/// terminal wraps.
[[nodiscard]] std::string barLine(double share, const std::vector<std::string>& pieces, std::size_t width);
/// "1h02m left", "59s left", "3.2 years left"; empty for a negative number.
[[nodiscard]] std::string timeLeft(double seconds);
/// Of unfiltered progress: `--progress jsonl`.
[[nodiscard]] config::Json progressJson(const Progress& progress);

/// Of one run, shown again and again.
class ProgressView {
 public:
  /// For a terminal of `width` columns.
  [[nodiscard]] std::string bar(const Progress& progress, std::size_t width);
  /// "7.3 s 11.3 %, writing: 126 M steps, .., 11s left".
  [[nodiscard]] std::string line(const Progress& progress);

 private:
  void follow(const Progress& progress);
  [[nodiscard]] std::vector<std::string> figures(const Progress& progress) const;
  [[nodiscard]] std::string ending(const Progress& progress) const;

  double share_ = -1;    ///< the largest so far; negative: nothing was known
  bool passed_ = false;  ///< the search has gone beyond what was expected of it
};

}  // namespace slicepool::report
