// See front_answers.hpp.
#include "runtime/reduce/front_answers.hpp"

#include <cmath>

#include <fmt/format.h>

#include "runtime/io/exact_json.hpp"

namespace slicepool::config {
namespace {

Json toursOf(const reduce::Outcome& outcome) {
  Json tours = Json::array();
  for (const reduce::Tour& tour : outcome.tours) {
    tours.push_back({{"bkz_block_size", tour.blockSize},
                     {"seconds", tour.seconds},
                     {"inserted", exactNumber(tour.inserted)},
                     {"hermite_factor", tour.hermiteFactor},
                     {"slope", tour.slope}});
  }
  return tours;
}

std::string toursText(const reduce::Outcome& outcome, const reduce::Request& request, bool finished) {
  if (request.blockSize == 0) return "none: LLL alone";
  if (outcome.tours.empty()) return "none is complete";
  std::string text = fmt::format("{} complete, the last with blocks of {} in {:.3f} s", outcome.tours.size(),
                                 outcome.tours.back().blockSize, outcome.tours.back().seconds);
  if (outcome.unchanged) text += "; it changed nothing";
  if (!finished) text += "; the next was stopped";
  return text;
}

}  // namespace

Answers reduceAnswers(const reduce::Outcome& outcome, const reduce::Request& request, bool finished) {
  Answers answers;
  answers.add("dimension", outcome.dimension, "lattice",
              outcome.gram.empty()
                  ? fmt::format("dimension {}, vectors of {} integers", outcome.dimension, outcome.columns)
                  : fmt::format("dimension {}, by its Gram matrix", outcome.dimension));
  if (!outcome.gram.empty()) answers.record("input", "gram");
  answers.record("columns", outcome.columns);
  answers.add("squared_norm", exactNumber(outcome.squaredNorm), "first row",
              fmt::format("squared norm {}, a length of {:.4f} Gaussian heuristics", outcome.squaredNorm,
                          outcome.ghRatio));
  answers.record("gh_ratio", outcome.ghRatio);
  answers.add("hermite_factor", outcome.hermiteFactor, "quality",
              fmt::format("root Hermite factor {:.5f}, after LLL {:.5f}; slope {:.5f} of ln |b*_i|^2",
                          outcome.hermiteFactor, outcome.hermiteFactorBefore, outcome.slope));
  answers.record("lll_hermite_factor", outcome.hermiteFactorBefore);
  answers.record("slope", outcome.slope);
  answers.record("log_potential", outcome.logPotential);
  answers.record("log2_norms", outcome.profile);
  answers.line("tours", toursText(outcome, request, finished));
  answers.record("tours", toursOf(outcome));
  answers.record("unchanged", outcome.unchanged);
  answers.add("blocks", exactNumber(outcome.blocks), "blocks",
              fmt::format("{} searched by {} trials, {} with a shorter vector", outcome.blocks,
                          outcome.trials, outcome.inserted));
  answers.record("trials", exactNumber(outcome.trials));
  answers.record("inserted", exactNumber(outcome.inserted));
  answers.add("nodes", exactNumber(outcome.nodes), "nodes", std::to_string(outcome.nodes));
  answers.record("lll_seconds", outcome.lllSeconds);
  answers.record("preprocessing_seconds", outcome.preprocessingSeconds);
  answers.record("search_seconds", outcome.searchSeconds);
  answers.record("device_seconds", outcome.deviceSeconds);
  answers.record("size_reduction_seconds", outcome.sizeReductionSeconds);
  answers.line("time of threads",
               fmt::format("LLL {:.3f} s, blocks {:.3f} s, trees {:.3f} s, size reduction {:.3f} s",
                           outcome.lllSeconds, outcome.preprocessingSeconds, outcome.searchSeconds,
                           outcome.sizeReductionSeconds));
  if (outcome.deviceSeconds > 0) answers.line("device", fmt::format("trees {:.3f} s", outcome.deviceSeconds));
  answers.addOutput(outcome.outputPath, outcome.outputBytes);
  if (!outcome.transformationPath.empty()) {
    answers.record("transformation",
                   {{"path", outcome.transformationPath}, {"bytes", outcome.transformationBytes}});
  }
  return answers;
}

}  // namespace slicepool::config
