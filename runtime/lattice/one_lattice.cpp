// See one_lattice.hpp. Most lattices are reduced and certified in doubles
// (cpu_workers/lattice/small_lattice); what cannot be goes by big integers, as a single run does
// (exact_search). Both are searched by the walk of the CPU workers. What a search finds is decided by exact
// norms.
#include "runtime/lattice/one_lattice.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cpu_workers/lattice/small_lattice.hpp"
#include "runtime/lattice/core_task.hpp"
#include "runtime/lattice/core_walk.hpp"
#include "runtime/lattice/prepared_search.hpp"
#include "runtime/lattice/shortest_kept.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/lattice/steps/warp_shortest.hpp"

namespace slicepool::lattice {
namespace {

/// Beyond, products of a Gram matrix are kept for big integers.
constexpr double kGreatestGram = 0x1p+62;
/// Elements of vectors within a radius below the root of this fit 64 bits.
constexpr double kGreatestBound = 0x1p+120;
/// Of rows of a reduced Gram matrix: sums of 96 of them times coefficients of 15 bits have 62 bits.
constexpr double kGreatestCoordinate = 0x1p+40;
/// Lattices of up to so many rows never have as many nodes as a warp may, reduced as they are.
constexpr int kSurelyForWarp = 32;
/// One part more for rounding in the lines that compute a bound.
constexpr double kRoom = 1 + 0x1p-50;

WideNorm squareOf(std::int64_t value) {
  const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
  return static_cast<WideNorm>(magnitude) * magnitude;
}

std::optional<WideNorm> wideOf(const std::string& digits) {
  constexpr std::size_t kDigits = 37;  // 10^37 is below 2^123
  if (digits.size() > kDigits) return std::nullopt;
  WideNorm value = 0;
  for (const char digit : digits) value = value * 10 + static_cast<unsigned>(digit - '0');
  return value;
}

}  // namespace

std::string matrixText(const GivenLattice& lattice) {
  if (!lattice.text.empty()) return lattice.text;
  std::string text = "[";
  const auto columns = static_cast<std::size_t>(lattice.columns);
  for (std::size_t at = 0; at < lattice.entries.size(); ++at) {
    text += columns != 0 && at % columns == 0 ? "[" : "";
    text += std::to_string(lattice.entries[at]);
    text += columns != 0 && at % columns == columns - 1 ? "]" : " ";
  }
  return text + "]";
}

void requireRadius(const ManyWanted& wanted, bool byRadius, const char* sought) {
  const char* const kAccepted = "this only with a radius (squared_radius)";
  if (byRadius) return;
  if (wanted.accept)
    throw ConfigError("accept", fmt::format("a test of vectors for a search for {}", sought), kAccepted);
  if (wanted.first != 0)
    throw ConfigError("first", fmt::format("{} of a search for {}", wanted.first, sought), kAccepted);
}

class OneLattice::Impl {
 public:
  Impl(const std::atomic<bool>& stop, const CoreWays& ways) : stop_(stop), ways_(ways) {}

  Way search(const GivenLattice& lattice, const ManyWanted& wanted, LatticeAnswer& answer) {
    task_ = {lattice, wanted, ways_};
    answer.byRadius = task_.byRadius();
    requireRadius(wanted, answer.byRadius, "the shortest vector");
    if (ways_.certified && certify(lattice)) return certified(lattice, answer);
    if (!ways_.exact) throw ConfigError("lattice", "numbers that need big integers", "smaller ones");
    return exactly(lattice, answer);
  }

  PreparedSearch takePrepared() { return task_.takeLeft(); }

  std::optional<double> expectedNodes(const GivenLattice& lattice, const ManyWanted& wanted) {
    task_ = {lattice, wanted, ways_};
    if (!ways_.certified || !certify(lattice)) return std::nullopt;
    return lattice::expectedNodes(viewOfSmall(bound_), LastRow::vector, !task_.byRadius());
  }

  bool prepare(GivenLattice& lattice, const ManyWanted& wanted, double mostNodes, SearcherGroup& group) {
    task_ = {lattice, wanted, ways_};
    if (task_.byRadius() || lattice.gram || lattice.rows < kLeastDeviceRows ||
        lattice.rows > WarpShortestShape::kMaximumDimension)
      return false;
    if (!ways_.certified || !certify(lattice)) return false;
    // What was done to the rows serves the core as well, should it search.
    const int d = small_.dimension;
    lattice.entries = reducedRows().entries;
    lattice.reduced = true;
    if (most_ == 0 || !(error_ * bound_ < kSafeError)) return false;
    const double reach = small_.certificate.reach * std::sqrt(bound_) * kRoom;
    if (!(reach <= WarpShortestShape::kMaximumCoefficient)) return false;
    SearchView view = viewOfSmall(bound_);
    if (d > kSurelyForWarp &&
        isTooLarge(view, LastRow::vector, true, std::min(mostNodes, ways_.maximumNodes)))
      return false;
    view.columns = small_.column(0);
    const WarpShortestShape shape{d};
    SearcherItem item;
    item.first = group.numbers.size();
    item.dimension = d;
    item.squaredRadius = bound_;
    item.room = (1 + error_) * kRoom * kRoom;
    group.numbers.resize(group.numbers.size() + shape.numbers());
    shape.pack(view, group.numbers.data() + item.first);
    group.items.push_back(item);
    return true;
  }

  bool finish(const GivenLattice& lattice, const SearcherItem& item, const std::int16_t* coefficients,
              LatticeAnswer& answer) {
    const auto d = static_cast<std::size_t>(lattice.rows);
    const auto n = static_cast<std::size_t>(lattice.columns);
    const std::int64_t* const rows = lattice.entries.data();
    const bool found = item.squaredNorm != 0;
    WideNorm norm = 0;
    if (found) {
      norm = keepVector(
          n,
          [&](std::size_t j) {
            std::int64_t sum = 0;
            for (std::size_t i = 0; i < d; ++i) sum += coefficients[i] * rows[i * n + j];
            return sum;
          });
    } else {
      std::size_t least = 0;
      for (std::size_t i = 0; i < d; ++i) {
        WideNorm own = 0;
        for (std::size_t j = 0; j < n; ++j) own += squareOf(rows[i * n + j]);
        if (i != 0 && own >= norm) continue;
        norm = own;
        least = i;
      }
      norm = keepVector(n, [&](std::size_t j) { return rows[least * n + j]; });
    }
    if (found && norm != static_cast<WideNorm>(item.squaredNorm)) return false;
    wideKept_.start(1);
    wideKept_.offer(norm, made_);
    answer.dimension = lattice.rows;
    answer.count = 1;
    answer.nodes += item.nodes;
    wideKept_.giveTo(answer.vectors);
    return true;
  }

 private:
  /// The vector with these elements; its squared norm.
  template <class Element>
  WideNorm keepVector(std::size_t columns, const Element& element) {
    made_.resize(columns);
    WideNorm norm = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      made_[j] = element(j);
      norm += squareOf(made_[j]);
    }
    return norm;
  }

  /// Reduces in doubles and bounds all errors; the radius, and what is kept before the search. False where
  /// that is not possible.
  bool certify(const GivenLattice& lattice) {
    if (!load(lattice)) return false;
    if (!isReducedAsGiven()) {
      if (!kernels_.reduce(small_)) return false;
      kernels_.certify(small_);
    }
    const SmallCertificate& proof = small_.certificate;
    if (!proof.holds) return false;
    error_ = (1 + proof.searchError) / (1 - proof.formError) * kRoom - 1;
    wideKept_.start(task_.kept());
    if (task_.byRadius()) {
      const auto whole = wideOf(task_.radius().integerPart());
      if (!whole) return false;
      most_ = *whole;
      // As a single run has it, so that nodes do not depend on rounding.
      bound_ =
          std::max(task_.radius().rounded() * (1 + std::ldexp(1.0, task_.radius().isInteger() ? -36 : -44)),
                   boundOf(most_, error_));
    } else {
      most_ = shortestRow() - 1;
      bound_ = boundOf(most_, error_);
    }
    if (!(bound_ < kGreatestBound) || !hasSmallCoordinates()) return false;
    return proof.reach * std::sqrt(bound_) * kRoom <= kMaximumCoefficient;
  }

  /// Of rows that a device or the caller has reduced. With the certificate, which takes no longer than a
  /// reduction without changes.
  bool isReducedAsGiven() {
    if (!small_.reduced) return false;
    kernels_.certify(small_);
    return small_.certificate.holds && kernels_.isReduced(small_);
  }

  /// What certify() has made of a basis.
  [[nodiscard]] GivenLattice reducedRows() {
    GivenLattice rows{.rows = small_.dimension, .columns = small_.columns};
    for (int i = 0; i < small_.dimension; ++i)
      for (int j = 0; j < small_.columns; ++j)
        rows.entries.push_back(static_cast<std::int64_t>(small_.row(i)[j]));
    return rows;
  }

  /// Searches what certify() left.
  Way certified(const GivenLattice& lattice, LatticeAnswer& answer) {
    SearchView view = viewOfSmall(bound_);
    const auto leaveToAll = [&] {
      task_.leave(prepareSearch(requestOf(gram_ ? lattice : reducedRows())));
      return Way::tooLarge;
    };
    if (task_.isTooLarge(view, LastRow::vector)) return leaveToAll();
    const CoreStop stop = task_.stop(stop_, view, LastRow::vector, small_.dimension > kSurelyForWarp);
    answer.dimension = small_.dimension;
    if (answer.byRadius) answer.count = 0;
    const bool fixed = answer.byRadius;
    const auto take = [&](const FastSearch& found) {
      const WideNorm norm = make(found);
      if (norm > most_) return bound_;
      if (fixed) {
        if (task_.accept()) {
          orient(made_);
          if (!task_.accept()(latticeVector(decimalOf(norm), made_))) return bound_;
        }
        ++answer.count;
        if (!wideKept_.excludes(norm)) wideKept_.offer(norm, made_);
        return answer.count == task_.first() ? kEnough : bound_;
      }
      wideKept_.start(1);
      wideKept_.offer(norm, made_);
      most_ = norm - 1;
      bound_ = std::min(bound_, boundOf(most_, error_));
      return bound_;
    };
    const bool complete = most_ == 0 || walkOnCore(view, LastRow::vector, stop, answer.nodes, take);
    if (!complete) return stop.left() ? leaveToAll() : Way::stopped;
    if (!fixed) answer.count = 1;
    wideKept_.giveTo(answer.vectors);
    return Way::certified;
  }

  /// What the computed norm of a vector of at most this norm can be.
  static double boundOf(WideNorm norm, double error) {
    return static_cast<double>(norm) * (1 + error) * kRoom;
  }

  bool load(const GivenLattice& lattice) {
    const int d = lattice.rows;
    const int n = lattice.columns;
    if (!lattice.text.empty() || d < 1 || d > kSmallDimension || n < d || n > kSmallColumns) return false;
    if (lattice.entries.size() != static_cast<std::size_t>(d) * static_cast<std::size_t>(n)) return false;
    gram_ = lattice.gram;
    if (gram_ && n != d) return false;
    small_.resize(d, n);
    small_.hasRows = !gram_;
    small_.reduced = lattice.reduced && !gram_;
    const std::int64_t* entry = lattice.entries.data();
    if (!gram_) {
      for (int i = 0; i < d; ++i)
        for (int j = 0; j < n; ++j) small_.row(i)[j] = static_cast<double>(*entry++);
      return kernels_.makeGram(small_);
    }
    std::int64_t most = 0;
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j < i; ++j)
        if (entry[i * d + j] != entry[j * d + i]) return false;
      if (entry[i * d + i] < 1) return false;
      most = std::max(most, entry[i * d + i]);
    }
    if (!(static_cast<double>(most) < kGreatestGram)) return false;
    constexpr std::int64_t kNarrow = std::int64_t{1} << 46;
    small_.wide = most >= kNarrow;
    for (int i = 0; i < d; ++i) {
      small_.row(i)[i] = 1;
      for (int j = 0; j < d; ++j) {
        const std::int64_t value = entry[i * d + j];
        // Beyond the largest diagonal element no matrix is definite.
        if (value > most || value < -most) return false;
        if (small_.wide)
          small_.wideGram(i)[j] = value;
        else
          small_.gram(i)[j] = static_cast<double>(value);
      }
    }
    return true;
  }

  [[nodiscard]] bool hasSmallCoordinates() const {
    if (!gram_) return true;
    for (int i = 0; i < small_.dimension; ++i)
      for (int j = 0; j < small_.columns; ++j)
        if (std::abs(small_.row(i)[j]) > kGreatestCoordinate) return false;
    return true;
  }

  WideNorm diagonal(int i) {
    return small_.wide ? static_cast<WideNorm>(small_.wideGram(i)[i])
                       : static_cast<WideNorm>(small_.gram(i)[i]);
  }

  /// Keeps it; its norm.
  WideNorm shortestRow() {
    int least = 0;
    for (int i = 1; i < small_.dimension; ++i)
      if (diagonal(i) < diagonal(least)) least = i;
    setMade([&](int j) { return small_.row(least)[j]; });
    wideKept_.offer(diagonal(least), made_);
    return diagonal(least);
  }

  template <class Element>
  void setMade(const Element& element) {
    made_.resize(static_cast<std::size_t>(small_.columns));
    for (int j = 0; j < small_.columns; ++j)
      made_[static_cast<std::size_t>(j)] = static_cast<std::int64_t>(element(j));
  }

  /// The vector that a search stands at, and its exact squared norm. Sums on the way to an element may be
  /// beyond 64 bits, and wrap; the element is not, being at most R, or bounded by kGreatestCoordinate.
  WideNorm make(const FastSearch& found) {
    const int d = small_.dimension;
    const auto n = static_cast<std::size_t>(small_.columns);
    sums_.assign(n, 0);
    for (int i = 0; i < d; ++i) {
      const auto x = static_cast<std::int64_t>(found.coefficient(i));
      if (x == 0) continue;
      const double* const row = small_.row(i);
      for (std::size_t j = 0; j < n; ++j)
        sums_[j] +=
            static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(static_cast<std::int64_t>(row[j]));
    }
    setMade([this](int j) { return sums_[static_cast<std::size_t>(j)]; });
    if (gram_) return normByGram(found);
    WideNorm sum = 0;
    for (const std::int64_t element : made_) sum += squareOf(element);
    return sum;
  }

  /// x G x with the Gram matrix of the reduced rows.
  WideNorm normByGram(const FastSearch& found) {
    __int128 sum = 0;
    for (int i = 0; i < small_.dimension; ++i) {
      const auto x = static_cast<std::int64_t>(found.coefficient(i));
      if (x == 0) continue;
      __int128 row = 0;
      for (int j = 0; j < small_.dimension; ++j) {
        const auto y = static_cast<std::int64_t>(found.coefficient(j));
        row += y * (small_.wide ? small_.wideGram(i)[j] : static_cast<__int128>(small_.gram(i)[j]));
      }
      sum += x * row;
    }
    return static_cast<WideNorm>(sum);
  }

  SearchView viewOfSmall(double bound) {
    const auto stride = static_cast<std::size_t>(small_.stride());
    if (ones_.size() < stride) ones_.assign(kMaximumDimension, 1);
    SearchView view{};
    view.rows = small_.mu(0);
    view.norms = small_.norms();
    view.pruning = ones_.data();
    view.squaredRadius = bound;
    view.dimension = small_.dimension;
    view.stride = small_.stride();
    return view;
  }

  /// By big integers.
  Way exactly(const GivenLattice& lattice, LatticeAnswer& answer) {
    return task_.searchExactly(prepareSearch(requestOf(lattice)), stop_, answer);
  }

  [[nodiscard]] Request requestOf(const GivenLattice& lattice) const {
    Request request;
    (lattice.gram ? request.gram : request.basis) = matrixText(lattice);
    request.squaredRadius = task_.radius();
    request.fixedRadius = task_.byRadius();
    return request;
  }

  const std::atomic<bool>& stop_;
  const CoreWays ways_;
  const SmallLatticeKernels& kernels_ = smallLatticeKernels();
  SmallLattice small_;
  bool gram_ = false;
  CoreTask task_;
  double error_ = 0;   ///< of computed norms, as a part of them
  WideNorm most_ = 0;  ///< the greatest norm that is looked for
  double bound_ = 0;   ///< what its computed norm can be
  ShortestKept<WideNorm, std::int64_t> wideKept_;
  std::vector<std::int64_t> made_;
  std::vector<std::uint64_t> sums_;
  std::vector<double> ones_;
};

OneLattice::OneLattice(const std::atomic<bool>& stop, const CoreWays& ways)
    : impl_(std::make_unique<Impl>(stop, ways)) {}
OneLattice::~OneLattice() = default;
OneLattice::OneLattice(OneLattice&&) noexcept = default;

Way OneLattice::search(const GivenLattice& lattice, const ManyWanted& wanted, LatticeAnswer& answer) {
  return impl_->search(lattice, wanted, answer);
}
PreparedSearch OneLattice::takePrepared() { return impl_->takePrepared(); }
std::optional<double> OneLattice::expectedNodes(const GivenLattice& lattice, const ManyWanted& wanted) {
  return impl_->expectedNodes(lattice, wanted);
}
bool OneLattice::prepare(GivenLattice& lattice, const ManyWanted& wanted, double mostNodes,
                         SearcherGroup& group) {
  return impl_->prepare(lattice, wanted, mostNodes, group);
}
bool OneLattice::finish(const GivenLattice& lattice, const SearcherItem& item,
                        const std::int16_t* coefficients, LatticeAnswer& answer) {
  return impl_->finish(lattice, item, coefficients, answer);
}

}  // namespace slicepool::lattice
