// See pooled_search.hpp.
#include "runtime/lattice/pooled_search.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "runtime/lattice/shortest_kept.hpp"

namespace slicepool::lattice {
namespace {

using ExactNorm = boost::multiprecision::cpp_rational;

std::vector<Integer> elementsIn(const std::string& text) {
  std::vector<Integer> elements;
  for (std::size_t at = 1; at + 1 < text.size();) {
    const std::size_t end = text.find_first_of(" ]", at);
    const bool negative = text[at] == '-';
    const Integer magnitude(text.substr(negative ? at + 1 : at, end - at - (negative ? 1 : 0)));
    elements.push_back(negative ? Integer(-magnitude) : magnitude);
    at = end + 1;
  }
  return elements;
}

/// In the order and with the signs of other answers.
void keepSolutions(const std::vector<Solution>& solutions, LatticeAnswer& answer) {
  ShortestKept<ExactNorm, Integer> kept;
  kept.start(solutions.size(), !answer.close);
  for (const Solution& solution : solutions)
    kept.offer(ExactNorm(solution.squaredNorm), elementsIn(solution.text));
  kept.giveTo(answer.vectors, [](const ExactNorm& norm) { return norm.str(); });
}

}  // namespace

LatticeVector askedVector(const Solution& found, bool close) {
  auto vector = found.vector;
  if (!vector.empty()) {
    if (!close) orient(vector);
    return latticeVector(found.squaredNorm, std::move(vector));
  }
  auto elements = elementsIn(found.text);
  if (!close) orient(elements);
  return latticeVector(found.squaredNorm, elements);
}

Way PooledSearch::search(const Request& request, PreparedSearch prepared, LatticeAnswer& answer) {
  EngineOptions options = options_;
  options.phases.reset();
  options.onProgress = nullptr;
  options.stepLimit = 0;
  Enumeration enumeration(request, options, std::move(prepared));
  setRunning(&enumeration);
  const struct Unset {
    PooledSearch& search;
    ~Unset() { search.setRunning(nullptr); }
  } unset{*this};
  if (!stop_.load()) enumeration.run();
  if (!enumeration.finished()) return Way::stopped;
  const Outcome found = enumeration.outcome();
  answer.dimension = found.dimension;
  answer.count = answer.byRadius ? found.count : 1;
  answer.nodes += found.nodes;
  keepSolutions(found.solutions, answer);
  return Way::pooled;
}

void PooledSearch::cancel() noexcept {
  const std::lock_guard lock(mutex_);
  if (running_ != nullptr) running_->cancel();
}

void PooledSearch::setRunning(Enumeration* enumeration) {
  const std::lock_guard lock(mutex_);
  running_ = enumeration;
}

}  // namespace slicepool::lattice
