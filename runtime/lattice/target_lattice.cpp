// See target_lattice.hpp.
#include "runtime/lattice/target_lattice.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "runtime/lattice/bounds_view.hpp"

namespace slicepool::lattice {
namespace {

/// One part more for the roundings of these lines.
constexpr double kReachRoom = 1.01;

/// False where one is not below 2^62.
bool narrowed(const std::vector<Integer>& from, std::vector<std::int64_t>& to) {
  const Integer limit = Integer(1) << 62;
  to.reserve(from.size());
  for (const Integer& value : from) {
    if (value >= limit || value <= -limit) return false;
    to.push_back(static_cast<std::int64_t>(value));
  }
  return true;
}

/// As in search_radius.cpp: of centres that are sums of products x_j mu_jk, one of them the target's.
double centreErrorOf(const MachineLattice& machine, const std::vector<double>& reaches) {
  double squared = 0;
  for (int k = 0; k < machine.dimension; ++k) {
    double sum = 0;
    for (int j = k + 1; j < machine.dimension; ++j)
      sum += reaches[static_cast<std::size_t>(j)] *
             std::abs(machine.mu[static_cast<std::size_t>(j) * static_cast<std::size_t>(machine.stride) +
                                 static_cast<std::size_t>(k)]);
    const double error = (machine.dimension - k + 3) * kRoundoff * sum;
    squared += error * error * machine.norms[static_cast<std::size_t>(k)];
  }
  return std::sqrt(squared) * kReachRoom;
}

std::optional<MachineLattice> machineOf(const PreparedLattice& prepared) {
  MachineLattice machine;
  const auto d = static_cast<std::size_t>(prepared.basis.dimension);
  const auto n = static_cast<std::size_t>(prepared.basis.columns);
  if (d >= kMaximumDimension) return std::nullopt;
  if (!narrowed(prepared.basis.entries, machine.rows) || !narrowed(prepared.metric, machine.metric))
    return std::nullopt;
  const std::size_t stride = (d + 1 + 7) / 8 * 8;
  machine.dimension = static_cast<int>(d);
  machine.columns = static_cast<int>(n);
  machine.stride = static_cast<int>(stride);
  machine.mu.assign((d + 1) * stride, 0);
  machine.norms.assign(stride, 1);
  for (std::size_t i = 0; i < d; ++i) {
    machine.norms[i] = prepared.data.norms[i];
    for (std::size_t j = 0; j < i; ++j) machine.mu[i * stride + j] = prepared.data.mu[i * d + j];
    double most = 0;
    for (std::size_t j = 0; j < n; ++j)
      most = std::max(most, std::abs(static_cast<double>(machine.rows[i * n + j])));
    machine.rowMaxima.push_back(most);
  }
  machine.norms[d] = 0;
  machine.forms = planeForms(prepared.basis, prepared.metric);
  ProblemSpec unit;
  unit.dimension = machine.dimension;
  unit.mu = prepared.data.mu;
  unit.norms = prepared.data.norms;
  unit.squaredRadius = 1;
  std::vector<double> reaches = coefficientBounds(boundsView(unit));
  for (double& reach : reaches) reach *= kReachRoom;
  machine.coefficientReach = *std::max_element(reaches.begin(), reaches.end());
  machine.coordinateReach = kReachRoom;
  if (!prepared.metric.empty()) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < d; ++i)
        sum += reaches[i] * std::abs(static_cast<double>(machine.rows[i * n + j]));
      machine.coordinateReach = std::max(machine.coordinateReach, sum * kReachRoom);
    }
  }
  machine.centreError = centreErrorOf(machine, reaches);
  return machine;
}

}  // namespace

TargetLattice::TargetLattice(const Request& request)
    : prepared_(prepareLattice(request)), machine_(machineOf(prepared_)) {
  if (!gram()) coefficients_.emplace(prepared_.given);
  prepared_.given = {};
}

}  // namespace slicepool::lattice
