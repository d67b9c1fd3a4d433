// Devices reduce and search the lattices of a batch, in groups that are large enough for a device; what one
// does not take is left to the cores. Called by many_lattices.cpp.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/detail/lattice_reducer.hpp"
#include "slicepool/detail/lattice_searcher.hpp"
#include "slicepool/lattice/many_lattices.hpp"

namespace slicepool::lattice {

/// Of fewer rows all is done before a copy to a device would have begun.
inline constexpr int kLeastDeviceRows = 12;

/// Searches for a device.
struct SearcherGroup {
  std::vector<double> numbers;
  std::vector<SearcherItem> items;
  std::vector<std::int16_t> coefficients;  ///< WarpShortestShape::kMaximumDimension of each, afterwards

  void clear() {
    numbers.clear();
    items.clear();
  }
};

class DeviceGroups {
 public:
  /// `seats`: threads that call. `seconds`: of all cores, for what devices would do; 0: nothing, or unknown.
  /// Mode `automatic` starts a GPU where that is longer than its start. `emulatorIsThere`: instead of at
  /// once.
  DeviceGroups(const EngineOptions& options, int seats, double seconds,
               std::function<bool()> emulatorIsThere);
  ~DeviceGroups();

  /// Whether a device takes part, now or later.
  [[nodiscard]] bool wanted() const { return source_ != Source::none && !failed_.load(); }
  /// Whether a core is free while reduce() or search() runs: the emulator works on the cores itself.
  [[nodiscard]] bool besideCores() const { return source_ == Source::gpu; }
  /// Whether reduce() and search() would do something: not while a GPU starts, unless nothing else is to be
  /// used. In mode hybrid the GPU's driver is asked for here, when the search has lasted long enough.
  [[nodiscard]] bool ready();
  /// Reduces in place those that a device takes. `thread`: of the caller, from 0; one call a thread at a
  /// time. After a failure, which becomes a warning, lattices stay as they are.
  void reduce(std::span<GivenLattice* const> lattices, int thread);
  /// Searches all; false after a failure, which becomes a warning, and where `stop` ended it. `thread`: as
  /// above.
  [[nodiscard]] bool search(SearcherGroup& group, int thread, const std::atomic<bool>& stop = kNeverStopped);
  /// Lattices that were reduced, and what went wrong. After the last call of the others.
  [[nodiscard]] std::uint64_t reduced() const { return reduced_.load(); }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  /// Of modes `automatic` and `hybrid`.
  [[nodiscard]] const std::optional<AutomaticChoice>& choice() const { return choice_; }

 private:
  enum class Source : std::uint8_t { none, emulator, gpu };
  /// What a thread has for its calls.
  struct Seat {
    std::unique_ptr<LatticeReducer> reducer;
    std::unique_ptr<LatticeSearcher> searcher;
    std::vector<std::int32_t> entries;
    std::vector<ReducerItem> items;
    std::vector<GivenLattice*> lattices;
  };

  template <class Device, class Maker, class Emulated>
  void make(std::unique_ptr<Device>& device, Emulated&& emulated) const;
  /// False where `call` fails. It gets the number of the launch, of all threads.
  template <class Call>
  bool attempt(const char* what, Call&& call);

  Source source_ = Source::none;
  /// Once; in mode hybrid.
  void askForGpu();

  bool waits_ = false;             ///< for a GPU that starts
  std::atomic<bool> asks_{false};  ///< in mode hybrid, until it has asked
  std::chrono::steady_clock::time_point made_ = std::chrono::steady_clock::now();
  int gpu_ = 0;
  EmulatorOptions faults_;  ///< of the emulator
  std::function<bool()> emulatorIsThere_;
  std::vector<Seat> seats_;
  std::atomic<std::int64_t> launches_{0};
  std::atomic<bool> failed_{false};
  std::atomic<std::uint64_t> reduced_{0};
  std::mutex mutex_;
  std::vector<std::string> warnings_;
  std::optional<AutomaticChoice> choice_;
};

}  // namespace slicepool::lattice
