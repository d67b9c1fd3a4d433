// Implementation of tables.hpp.
#include "runtime/lattice/tables.hpp"

#include <cstddef>

namespace slicepool::lattice {

SearchTables::SearchTables(const ProblemSpec& spec) {
  const auto d = static_cast<std::size_t>(spec.dimension);
  const std::size_t stride = (d + 7) / 8 * 8;
  auto& [rows, columns, norms, pruning] = data_;
  rows.assign(d * stride, 0);
  columns.assign(d * stride, 0);
  norms.assign(stride, 1);
  pruning.assign(stride, 1);
  for (std::size_t i = 0; i < d; ++i) {
    norms[i] = spec.norms[i];
    if (!spec.pruning.empty()) pruning[i] = spec.pruning[i];
  }
  view_.squaredRadius = spec.squaredRadius;
  view_.dimension = spec.dimension;
  view_.stride = static_cast<int>(stride);
  view_.shrinking = spec.shrinking;
  view_.algorithm = spec.algorithm;
  setMu(spec.mu);
}

void SearchTables::setMu(const std::vector<double>& mu) {
  const auto d = static_cast<std::size_t>(view_.dimension);
  const auto stride = static_cast<std::size_t>(view_.stride);
  auto& [rows, columns, norms, pruning] = data_;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < i; ++j) rows[i * stride + j] = columns[j * stride + i] = mu[i * d + j];
}

void SearchTables::change(const ShortDual& dual) {
  const auto stride = static_cast<std::size_t>(view_.stride);
  setMu(dual.mu());
  changes_ = {dual.change(stride), dual.inverse(stride)};
}

std::vector<Table> SearchTables::tables() const {
  std::vector<Table> all;
  for (const auto& table : data_) all.push_back({table.data(), table.size() * sizeof(double)});
  for (const auto& table : changes_)
    if (!table.empty()) all.push_back({table.data(), table.size() * sizeof(std::int16_t)});
  return all;
}

SearchView SearchTables::viewOver(std::span<const void* const> addresses) const {
  SearchView view = view_;
  view.rows = static_cast<const double*>(addresses[0]);
  view.columns = static_cast<const double*>(addresses[1]);
  view.norms = static_cast<const double*>(addresses[2]);
  view.pruning = static_cast<const double*>(addresses[3]);
  if (!changes_.front().empty()) {
    view.change = static_cast<const std::int16_t*>(addresses[4]);
    view.inverse = static_cast<const std::int16_t*>(addresses[5]);
  }
  return view;
}

SearchView SearchTables::view() const {
  std::vector<const void*> addresses;
  for (const Table& table : tables()) addresses.push_back(table.data);
  return viewOver(addresses);
}

}  // namespace slicepool::lattice
