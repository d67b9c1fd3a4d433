// See proof.hpp.
#include "runtime/svp/proof.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <utility>

#include "runtime/lattice/gram_reduction.hpp"
#include "runtime/lattice/gram_schmidt.hpp"
#include "runtime/lattice/reduction.hpp"
#include "runtime/lattice/search_radius.hpp"
#include "runtime/lattice/vector_maker.hpp"
#include "runtime/svp/fixed_rates.hpp"
#include "runtime/svp/trials.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/lattice/problem_factory.hpp"
#include "slicepool/lattice/sinks.hpp"

namespace slicepool::svp {

using Clock = std::chrono::steady_clock;

class Proof::Impl final : public ResultConsumer {
 public:
  Impl(lattice::IntegerBasis basis, bool devices, BestVector& best,
       std::function<std::vector<std::byte>()> save, std::function<void()> whenFound,
       std::function<void()> whenReached)
      : basis_(std::move(basis)),
        best_(best),
        save_(std::move(save)),
        whenFound_(std::move(whenFound)),
        whenReached_(std::move(whenReached)),
        spec_(specOf(basis_, devices, best_.radius())),
        problem_(lattice::makeProblem(spec_)),
        maker_(basis_),
        coefficients_(static_cast<std::size_t>(basis_.dimension)) {}

  void consume(const std::byte* results, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(coefficients_.data(), results + i * problem_->resultBytes() + sizeof(double),
                  coefficients_.size() * sizeof(std::int16_t));
      maker_.make(coefficients_);
      if (best_.offer({maker_.squaredNorm(), maker_.wide()})) whenFound_();
    }
    if (best_.reached() && !std::exchange(told_, true)) whenReached_();
  }
  [[nodiscard]] std::vector<std::byte> save() const override { return save_(); }
  void restore(const std::vector<std::byte>&) override {}  // the state was read before

  [[nodiscard]] const Problem& problem() const { return *problem_; }
  [[nodiscard]] int dimension() const { return spec_.dimension; }

 private:
  /// With Gram-Schmidt data and a bound that no vector within the radius is lost by.
  static lattice::ProblemSpec specOf(lattice::IntegerBasis& basis, bool devices,
                                     const lattice::Integer& radius) {
    std::optional<lattice::GramSchmidt> data;
    if (const lattice::Orthogonalization first(basis); !first.flaw()) {
      data = first.result();
    } else {
      basis = basis.gram.empty() ? lattice::reduced(basis) : lattice::reducedByGram(basis);
      const lattice::Orthogonalization second(basis);
      if (second.flaw()) throw Error("fplll returned a basis that is not reduced: " + second.flaw()->what);
      data = second.result();
    }
    lattice::ProblemSpec spec;
    spec.dimension = data->dimension;
    spec.mu = std::move(data->mu);
    spec.norms = std::move(data->norms);
    const lattice::SearchRadius bound = lattice::searchRadius(lattice::SquaredRadius(radius.str()), spec);
    spec.squaredRadius = bound.bound;
    spec.findFactor = bound.findFactor;
    spec.shrinking = true;
    spec.collect = true;
    spec.devices = devices;
    return spec;
  }

  lattice::IntegerBasis basis_;
  BestVector& best_;
  std::function<std::vector<std::byte>()> save_;
  std::function<void()> whenFound_;
  std::function<void()> whenReached_;
  lattice::ProblemSpec spec_;
  std::unique_ptr<Problem> problem_;
  lattice::VectorMaker maker_;
  std::vector<std::int16_t> coefficients_;
  bool told_ = false;
};

Proof::Proof(const lattice::IntegerBasis& basis, bool devices, BestVector& best,
             std::function<std::vector<std::byte>()> save, std::function<void()> whenFound,
             std::function<void()> whenReached)
    : impl_(std::make_unique<Impl>(basis, devices, best, std::move(save), std::move(whenFound),
                                   std::move(whenReached))) {}
Proof::~Proof() = default;
const Problem& Proof::problem() const { return impl_->problem(); }
ResultConsumer& Proof::consumer() { return *impl_; }

std::uint64_t Proof::nodes(const std::vector<std::uint64_t>& words) const {
  if (words.empty()) return 0;
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(lattice::kNodesWord);
  return std::accumulate(begin, begin + impl_->dimension(), std::uint64_t{0});
}

std::vector<double> normsOf(const lattice::IntegerBasis& basis) {
  return TrialReduction(basis).reduced({}, {})->norms;
}

void strengthen(SearchState& state, BestVector& best, int blockSize, double nodesPerSecond, RateSource rates,
                const std::function<bool()>& cancelled) {
  constexpr double kShare = 0.1;      // of the time of the proof
  constexpr double kShortest = 0.05;  // seconds: no tour is worth less
  constexpr int kStep = 5;
  const auto start = Clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const bool measured = rates == RateSource::measured;
  double fixedCost = 0;
  std::vector<double> norms = normsOf(state.reduced);
  for (int size = blockSize; size <= state.reduced.dimension; size += kStep) {
    const double budget = kShare * unprunedNodes(norms, best.bound()) / nodesPerSecond;
    const int blocks = std::min(size, kMaximumBlockSize);
    fixedCost += fixedTourSeconds(blocks, state.reduced.dimension);
    if (budget < kShortest || (measured ? passed() : fixedCost) > budget) break;
    const auto basis = TrialReduction(state.reduced).reduced({blocks}, [&] {
      return cancelled() || (measured && passed() > budget);
    });
    if (basis == nullptr) break;
    best.offer(shortestRow(basis->basis));
    if (best.reached()) break;
    if (unprunedNodes(basis->norms, best.bound()) >= unprunedNodes(norms, best.bound())) continue;
    state.reduced = basis->basis;
    norms = basis->norms;
  }
  state.reductionSeconds += passed();
}

std::unique_ptr<Problem> proofReader(int dimension) {
  lattice::ProblemSpec spec;
  spec.dimension = dimension;
  spec.mu.assign(static_cast<std::size_t>(dimension) * static_cast<std::size_t>(dimension), 0);
  spec.norms.assign(static_cast<std::size_t>(dimension), 1);
  spec.squaredRadius = 1;
  spec.shrinking = true;
  spec.collect = true;
  return lattice::makeProblem(spec);
}

}  // namespace slicepool::svp
