// See one_target.hpp. The lattice has exact Gram-Schmidt numbers, rounded once (target_lattice). A target
// takes the nearest plane's vector away, exactly (target_difference), and what is left is one more row of the
// search. Its numbers are computed in doubles, with a bound on their errors; exact distances decide about
// every vector that the walk finds. What machine numbers do not hold goes by big integers (exact_search).
#include "runtime/lattice/one_target.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/lattice/core_task.hpp"
#include "runtime/lattice/core_walk.hpp"
#include "runtime/lattice/exact_ratio.hpp"
#include "runtime/lattice/given_lattice.hpp"
#include "runtime/lattice/group_plan.hpp"
#include "runtime/lattice/request_check.hpp"
#include "runtime/lattice/search_balls.hpp"
#include "runtime/lattice/shortest_kept.hpp"
#include "runtime/lattice/target_difference.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/lattice/steps/warp_shortest.hpp"

namespace slicepool::lattice {
namespace {

/// One part more for the roundings of a few lines.
constexpr double kSpanRoom = 1 + 0x1p-48;
/// The same of a bound on an error.
constexpr double kErrorRoom = 1.01;
/// As searches have it, so that nodes do not depend on rounding.
constexpr double kRadiusMargin = 1 + 0x1p-40;
/// A coefficient that is larger is taken off. Rounding leaves one half where it is.
constexpr double kHalf = 0.5 + 0x1p-20;
/// The first pass takes off what doubles see of a target, the second what is left; the last finds nothing.
constexpr int kMaximumPasses = 8;

Target parsedTarget(const GivenLattice& given) {
  if (!given.targetText.empty()) return parseTarget(given.targetText, "target");
  Target target;
  target.numerators.assign(given.target.begin(), given.target.end());
  return target;
}

Request matrixRequest(const GivenLattice& given) {
  Request request;
  (given.gram ? request.gram : request.basis) = matrixText(given);
  return request;
}

}  // namespace

std::string targetText(const GivenLattice& given) {
  if (!given.targetText.empty()) return given.targetText;
  std::string text;
  for (const std::int64_t number : given.target) text += (text.empty() ? "[" : " ") + std::to_string(number);
  return text + "]";
}

class OneTarget::Impl {
 public:
  Impl(std::shared_ptr<const TargetLattice> shared, const std::atomic<bool>& stop, const CoreWays& ways)
      : shared_(std::move(shared)), stop_(stop), ways_(ways) {}

  Way search(const GivenLattice& given, const ManyWanted& wanted, LatticeAnswer& answer) {
    answer.close = true;
    const Target target = parsedTarget(given);
    std::optional<TargetLattice> own;
    if (hasMatrix(given))
      own.emplace(matrixRequest(given));
    else if (shared_ == nullptr)
      throw ConfigError("target", "a target without a lattice",
                        "a basis or gram beside it, or one for all targets (--basis or --gram)");
    const TargetLattice& lattice = own ? *own : *shared_;
    requireTargetSize(target.numerators.size(), lattice.prepared().basis.columns, lattice.gram(), "target");
    const Way way = search(target, lattice, given, wanted, answer);
    if (way == Way::certified || way == Way::exact) addCoefficients(lattice, answer);
    return way;
  }

  PreparedSearch takePrepared() { return task_.takeLeft(); }

  bool prepare(const GivenLattice& given, const ManyWanted& wanted, double mostNodes, SearcherGroup& group) {
    const Target target = parsedTarget(given);
    if (!isForDevices(given, wanted, target)) return false;
    const auto start = startForDevice(target);
    if (!start || start->most < 0) return false;  // below 0: the target is a vector
    const double least = start->most.convert_to<double>() + kHeight;
    // Norms are integers in units of 1 / q^2.
    const double error = (errorOf(start->span) * squaredDenominator_ + 8 * kRoundoff * least) * kErrorRoom;
    if (!(error < kSafeError)) return false;
    const double length = std::sqrt(start->span) + distance_;
    if (!(length * lattice_->coefficientReach * kErrorRoom <= WarpShortestShape::kMaximumCoefficient))
      return false;
    SearchView view = viewOf(start->bound);
    if (isTooLarge(view, LastRow::target, true, std::min(mostNodes, ways_.maximumNodes))) return false;
    const auto d = static_cast<std::size_t>(lattice_->dimension);
    SearcherItem item;
    item.first = group.numbers.size();
    item.dimension = view.dimension;
    item.target = 1;
    item.squaredRadius = least + error;
    item.firstSquaredRadius =
        expectedBall(shared_->prepared().gaussianSquaredRadius, lattice_->dimension, kFirstExpectedVectors) *
            squaredDenominator_ +
        kHeight + error;
    if (!(item.firstSquaredRadius < item.squaredRadius)) item.firstSquaredRadius = 0;
    item.error = error;
    item.centre = centres_[d - 1];
    const WarpShortestShape shape{view.dimension};
    group.numbers.resize(group.numbers.size() + shape.numbers());
    setColumns();
    view.columns = columns_.data();
    double* const to = group.numbers.data() + item.first;
    shape.pack(view, to);
    double* const norms = to + shape.numbers() - view.dimension;
    for (std::size_t k = 0; k < d; ++k) norms[k] *= squaredDenominator_;
    norms[d] = kHeight;
    group.items.push_back(item);
    return true;
  }

  bool finish(const GivenLattice& given, const SearcherItem& item, const std::int16_t* coefficients,
              LatticeAnswer& answer) {
    const Target target = parsedTarget(given);
    if (!isForDevices(given, {}, target) || !startForDevice(target)) return false;
    Integer distance = difference_.squaredDistance();
    if (item.squaredNorm != 0) {
      distance = difference_.make(coefficients);
      if (distance != Integer(item.squaredNorm) - Integer(kHeight)) return false;
    }
    best_.start(1, false);
    best_.offer(distance, difference_.vector());
    answer.close = true;
    answer.dimension = lattice_->dimension;
    answer.count = 1;
    answer.nodes += item.nodes;
    giveBest(target, answer);
    addCoefficients(*shared_, answer);
    return true;
  }

  void addCoefficients(const GivenLattice& given, LatticeAnswer& answer) const {
    if (!hasMatrix(given)) {
      if (shared_ != nullptr) addCoefficients(*shared_, answer);
    } else if (!given.gram) {
      const Request request = matrixRequest(given);  // whose texts matrixOf() refers to
      addCoefficients(RowCoefficients(readMatrix(matrixOf(request))), answer);
    }
  }

 private:
  using Numbers = TargetDifference::Numbers;
  /// A search in doubles.
  struct Start {
    Integer most;  ///< the greatest squared distance that is looked for, times q^2
    double span;   ///< at least the part within the span of such a distance
    double bound;  ///< what that may be as it is computed
  };
  /// On a device the target has a height: paths that begin with it are not the zero path.
  static constexpr double kHeight = 1;

  Way search(const Target& target, const TargetLattice& lattice, const GivenLattice& given,
             const ManyWanted& wanted, LatticeAnswer& answer) {
    task_ = {given, wanted, ways_};
    answer.byRadius = task_.byRadius();
    requireRadius(wanted, answer.byRadius, "the closest vector");
    const auto prepare = [&] {
      Request request;
      request.squaredRadius = task_.radius();
      request.fixedRadius = answer.byRadius;
      return prepareSearch(request, lattice.prepared(), target);
    };
    if (ways_.certified && lattice.machine()) {
      useLattice(*lattice.machine());
      for (const auto numbers : {Numbers::narrow, Numbers::wide})
        if (const auto way = certified(target, numbers, answer)) {
          if (*way == Way::tooLarge) task_.leave(prepare());
          return *way;
        }
    }
    if (!ways_.exact) throw ConfigError("target", "numbers that need big integers", "smaller ones");
    return task_.searchExactly(prepare(), stop_, answer);
  }

  static void addCoefficients(const TargetLattice& lattice, LatticeAnswer& answer) {
    if (lattice.coefficients()) addCoefficients(*lattice.coefficients(), answer);
  }
  static void addCoefficients(const RowCoefficients& rows, LatticeAnswer& answer) {
    for (LatticeVector& found : answer.vectors) found.coefficients = rows.of(found.vector);
  }

  void useLattice(const MachineLattice& lattice) {
    if (lattice_ == &lattice && lattice_ == shared()) return;
    lattice_ = &lattice;
    mu_ = lattice.mu;
    if (ones_.size() < static_cast<std::size_t>(lattice.stride)) ones_.assign(kMaximumDimension, 1);
  }
  [[nodiscard]] const MachineLattice* shared() const {
    return shared_ != nullptr && shared_->machine() ? &*shared_->machine() : nullptr;
  }

  [[nodiscard]] bool isForDevices(const GivenLattice& given, const ManyWanted& wanted, const Target& target) {
    if (hasMatrix(given) || shared_ == nullptr || !suitsDevices(*shared_)) return false;
    if (!ways_.certified || given.squaredRadius.given() || wanted.squaredRadius.given()) return false;
    return target.numerators.size() == static_cast<std::size_t>(shared()->columns);
  }
  std::optional<Start> startForDevice(const Target& target) {
    task_ = {};
    useLattice(*shared());
    for (const auto numbers : {Numbers::narrow, Numbers::wide})
      if (auto made = start(target, numbers)) return made;
    return std::nullopt;
  }

  /// Nothing where that is not possible.
  std::optional<Start> start(const Target& target, Numbers numbers) {
    if (!difference_.start(*lattice_, target, numbers) || !reduceTarget() || !difference_.settle())
      return std::nullopt;
    const auto denominator = target.denominator.convert_to<double>();
    squaredDenominator_ = denominator * denominator;
    if (!std::isfinite(squaredDenominator_) || !setErrors()) return std::nullopt;
    Integer most;
    best_.start(task_.kept(), false);
    if (task_.byRadius()) {
      const ExactRatio radius = exactRatio(task_.radius());
      most = radius.numerator * target.denominator * target.denominator / radius.denominator;
    } else {
      best_.offer(difference_.squaredDistance(), difference_.vector());
      most = difference_.squaredDistance() - 1;
    }
    const double span = std::max(0.0, spanRadius(most));
    const double length = std::sqrt(span) + distance_;
    if (!difference_.holds(wholeDistance(most), length * kErrorRoom)) return std::nullopt;
    if (!(length * lattice_->coefficientReach * kErrorRoom <= kMaximumCoefficient)) return std::nullopt;
    const double bound = boundOf(span);
    if (!std::isfinite(bound)) return std::nullopt;
    return Start{std::move(most), span, bound};
  }

  std::optional<Way> certified(const Target& target, Numbers numbers, LatticeAnswer& answer) {
    auto made = start(target, numbers);
    if (!made) return std::nullopt;
    Integer most = std::move(made->most);
    double bound = made->bound;
    const SearchView view = viewOf(bound);
    if (task_.isTooLarge(view, LastRow::target)) return Way::tooLarge;
    answer.dimension = lattice_->dimension;
    answer.count = answer.byRadius ? 0 : 1;
    const Integer square = target.denominator * target.denominator;
    const auto take = [&](const FastSearch& found) {
      Integer norm = difference_.make(found);
      if (norm > most) return bound;
      if (answer.byRadius) {
        if (task_.accept() &&
            !task_.accept()(latticeVector(fractionText(norm, square), difference_.vector())))
          return bound;
        ++answer.count;
        if (!best_.excludes(norm)) best_.offer(norm, difference_.vector());
        return answer.count == task_.first() ? kEnough : bound;
      }
      best_.start(1, false);
      best_.offer(norm, difference_.vector());
      most = norm - 1;
      bound = std::min(bound, boundOf(std::max(0.0, spanRadius(most))));
      return bound;
    };
    const bool any = most >= 0 && spanRadius(most) >= 0;
    const CoreStop stop = task_.stop(stop_, view, LastRow::target);
    if (any && !walkOnCore(view, LastRow::target, stop, answer.nodes, take))
      return stop.left() ? Way::tooLarge : Way::stopped;
    giveBest(target, answer);
    return Way::certified;
  }

  void giveBest(const Target& target, LatticeAnswer& answer) {
    const Integer square = target.denominator * target.denominator;
    best_.giveTo(answer.vectors, [&](const Integer& norm) { return fractionText(norm, square); });
  }

  /// Babai's nearest plane: takes integer multiples of the rows away until none is more than half away.
  bool reduceTarget() {
    const auto d = static_cast<std::size_t>(lattice_->dimension);
    centres_.resize(d);
    for (int pass = 0; pass < kMaximumPasses; ++pass) {
      if (!setCentres()) return false;
      rest_ = centres_;
      multiples_.assign(d, 0);
      bool changed = false;
      for (std::size_t i = d; i-- > 0;) {
        if (!(std::abs(rest_[i]) > kHalf)) continue;
        changed = true;
        const double x = multiples_[i] = std::nearbyint(rest_[i]);
        const double* const mu = row(i);
        for (std::size_t j = 0; j < i; ++j) rest_[j] -= x * mu[j];
      }
      if (!changed) return true;
      if (!difference_.takeAway(multiples_)) return false;
    }
    return false;
  }

  /// <t - w, b*_k> / r_k for all k, and bounds on their errors.
  bool setCentres() {
    const auto d = static_cast<std::size_t>(lattice_->dimension);
    const auto n = static_cast<std::size_t>(lattice_->columns);
    coordinates_.resize(n);
    for (std::size_t j = 0; j < n; ++j) coordinates_[j] = difference_.coordinate(j);
    errors_.resize(d);
    const double* form = lattice_->forms.data();
    for (std::size_t k = 0; k < d; ++k, form += n) {
      double sum = 0;
      double size = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const double product = form[j] * coordinates_[j];
        sum += product;
        size += std::abs(product);
      }
      if (!std::isfinite(sum)) return false;
      centres_[k] = sum;
      errors_[k] = static_cast<double>(lattice_->columns + 8) * kRoundoff * size;
    }
    return true;
  }

  /// The row of w - t, its length within the span, and what errors of its numbers make of distances.
  bool setErrors() {
    const int d = lattice_->dimension;
    double* const last = row(static_cast<std::size_t>(d));
    double most = 0;
    double error = 0;
    for (int k = 0; k < d; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const double norm = lattice_->norms[at];
      last[k] = -centres_[at];
      const double size = std::abs(centres_[at]) + errors_[at];
      most += norm * size * size;
      const double one = (d - k + 3) * kRoundoff * size + errors_[at];
      error += norm * one * one;
    }
    most *= 1 + (d + 8) * kRoundoff;
    distance_ = std::sqrt(most);
    targetError_ = std::sqrt(error) * kErrorRoom;
    return std::isfinite(distance_) && std::isfinite(targetError_);
  }

  /// At least the part within the span of squared distances of at most `most` over q^2; below 0: there are
  /// none, as the target is farther from the span. Not as a difference to that distance, which may be large.
  [[nodiscard]] double spanRadius(const Integer& most) const {
    const Integer difference = most - difference_.squaredDistance();
    const double more = difference.convert_to<double>() / squaredDenominator_;
    const double own = distance_ * distance_;
    return more + own + (std::abs(more) + own) * (kSpanRoom - 1);
  }
  /// The greatest squared distance that is computed.
  [[nodiscard]] double wholeDistance(const Integer& most) const {
    return std::max(most, difference_.squaredDistance()).convert_to<double>() / squaredDenominator_;
  }
  /// What the computed squared norm of a vector of at most this one can be: as normError() in
  /// search_radius.cpp, where coefficients are bounded by the radius and the length of the target's row.
  [[nodiscard]] double boundOf(double span) const {
    return (span * kRadiusMargin + errorOf(span)) * kSpanRoom;
  }
  /// How far the computed squared norm of such a vector may be from its own.
  [[nodiscard]] double errorOf(double span) const {
    const double radius = std::sqrt(span);
    const double sums = (radius + distance_) * lattice_->centreError + targetError_;
    return span * (lattice_->dimension + 9) * kRoundoff + 2 * radius * sums + sums * sums;
  }

  /// Columns of the rows of mu, as devices read them.
  void setColumns() {
    const auto stride = static_cast<std::size_t>(lattice_->stride);
    const auto rows = static_cast<std::size_t>(lattice_->dimension) + 1;
    columns_.resize(rows * stride);
    for (std::size_t j = 1; j < rows; ++j)
      for (std::size_t k = 0; k < j; ++k) columns_[k * stride + j] = mu_[j * stride + k];
  }

  [[nodiscard]] double* row(std::size_t i) {
    return mu_.data() + i * static_cast<std::size_t>(lattice_->stride);
  }
  [[nodiscard]] SearchView viewOf(double bound) const {
    SearchView view{};
    view.rows = mu_.data();
    view.norms = lattice_->norms.data();
    view.pruning = ones_.data();
    view.squaredRadius = bound;
    view.dimension = lattice_->dimension + 1;
    view.stride = lattice_->stride;
    return view;
  }

  std::shared_ptr<const TargetLattice> shared_;
  const std::atomic<bool>& stop_;
  const CoreWays ways_;
  const MachineLattice* lattice_ = nullptr;
  std::vector<double> mu_;  ///< of the lattice, and the row of the target
  std::vector<double> columns_;
  std::vector<double> ones_;
  TargetDifference difference_;
  CoreTask task_;
  ShortestKept<Integer, std::int64_t> best_;
  double squaredDenominator_ = 1;
  double distance_ = 0;  ///< at least |w - t| within the span
  /// Root of sum_k r_k e_k^2 with the errors e_k of centres that come from the target.
  double targetError_ = 0;
  std::vector<double> coordinates_, centres_, errors_, rest_, multiples_;
};

OneTarget::OneTarget(std::shared_ptr<const TargetLattice> shared, const std::atomic<bool>& stop,
                     const CoreWays& ways)
    : impl_(std::make_unique<Impl>(std::move(shared), stop, ways)) {}
OneTarget::~OneTarget() = default;
OneTarget::OneTarget(OneTarget&&) noexcept = default;

Way OneTarget::search(const GivenLattice& given, const ManyWanted& wanted, LatticeAnswer& answer) {
  return impl_->search(given, wanted, answer);
}
PreparedSearch OneTarget::takePrepared() { return impl_->takePrepared(); }
bool OneTarget::prepare(const GivenLattice& given, const ManyWanted& wanted, double mostNodes,
                        SearcherGroup& group) {
  return impl_->prepare(given, wanted, mostNodes, group);
}
bool OneTarget::finish(const GivenLattice& given, const SearcherItem& item, const std::int16_t* coefficients,
                       LatticeAnswer& answer) {
  return impl_->finish(given, item, coefficients, answer);
}
void OneTarget::addCoefficients(const GivenLattice& given, LatticeAnswer& answer) const {
  static_cast<const Impl&>(*impl_).addCoefficients(given, answer);
}

}  // namespace slicepool::lattice
