// Devices reduce the lattices of a batch before cores search them, in groups that are large enough for a
// device. Called by many_lattices.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "slicepool/core/options.hpp"
#include "slicepool/detail/lattice_reducer.hpp"
#include "slicepool/lattice/many_lattices.hpp"

namespace slicepool::lattice {

class GroupReduction {
 public:
  /// `numbers`: entries of all lattices, as far as they are known; 0: unknown. Mode `automatic` starts a GPU
  /// where reductions by `threads` cores would take longer than that.
  GroupReduction(const EngineOptions& options, int threads, std::uint64_t numbers);
  ~GroupReduction();

  /// Whether groups should be large.
  [[nodiscard]] bool wanted() const { return source_ != Source::none && !failed_.load(); }
  /// Whether reduce() would do something: not while a GPU starts, unless nothing else is to be used.
  [[nodiscard]] bool ready() const;
  /// Reduces in place those that a device takes. `thread`: of the caller, from 0; one call a thread at a
  /// time. After a failure, which becomes a warning, lattices stay as they are.
  void reduce(std::span<GivenLattice* const> lattices, int thread);
  /// Lattices that were reduced, and what went wrong. After the last reduce().
  [[nodiscard]] std::uint64_t reduced() const { return reduced_.load(); }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  enum class Source : std::uint8_t { none, emulator, gpu };
  /// What a thread has for its calls.
  struct Seat {
    std::unique_ptr<LatticeReducer> reducer;
    std::vector<std::int32_t> entries;
    std::vector<ReducerItem> items;
    std::vector<GivenLattice*> lattices;
  };

  [[nodiscard]] std::unique_ptr<LatticeReducer> makeReducer() const;
  void fail(const std::string& warning);

  Source source_ = Source::none;
  bool waits_ = false;  ///< for a GPU that starts
  int gpu_ = 0;
  std::vector<Seat> seats_;
  std::atomic<bool> failed_{false};
  std::atomic<std::uint64_t> reduced_{0};
  std::mutex mutex_;
  std::vector<std::string> warnings_;
};

}  // namespace slicepool::lattice
