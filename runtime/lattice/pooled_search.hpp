// One lattice of many that is too large for one core: an enumeration of its own, with all workers. Called by
// many_lattices.cpp.
#pragma once

#include <atomic>
#include <mutex>

#include "runtime/lattice/one_lattice.hpp"
#include "runtime/lattice/prepared_search.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/lattice/enumeration.hpp"

namespace slicepool::lattice {

/// What a test of many lattices is asked about.
[[nodiscard]] LatticeVector askedVector(const Solution& found, bool close);

class PooledSearch {
 public:
  /// `options`: of the whole run, read at each search; both must outlive the object.
  PooledSearch(const EngineOptions& options, const std::atomic<bool>& stop)
      : options_(options), stop_(stop) {}

  /// Way::pooled or Way::stopped. Fills an answer whose `byRadius` and `close` are set. Matrix and target of
  /// the request are not read. Throws as an enumeration. One call at a time.
  [[nodiscard]] Way search(const Request& request, PreparedSearch prepared, LatticeAnswer& answer);
  /// Ends the search that is on. Any thread; `stop` is set before.
  void cancel() noexcept;

 private:
  void setRunning(Enumeration* enumeration);

  const EngineOptions& options_;
  const std::atomic<bool>& stop_;
  std::mutex mutex_;
  Enumeration* running_ = nullptr;
};

}  // namespace slicepool::lattice
