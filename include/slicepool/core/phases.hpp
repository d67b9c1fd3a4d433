// Where the time of a run goes: one clock that is in exactly one named phase at any time. The thread that
// coordinates a run says which; progress and reports read it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>

namespace slicepool {

enum class Phase : std::uint8_t {
  start,    ///< loading the program, reading options, making threads: all that comes before the others
  tables,   ///< counting tables, stored rows, reduction of a basis
  cutting,  ///< of a search into the slices that it starts from
  devices,  ///< making contexts of GPUs and what they need: waiting for them
  search,   ///< workers have slices
  writing,  ///< outputs, records, traces and checkpoints, while no search goes on
  merging   ///< results of workers to an answer
};
inline constexpr std::size_t kPhases = 7;
using PhaseSeconds = std::array<double, kPhases>;  ///< indexed by Phase

/// As in records: "start", "tables", "cutting", "waiting_for_gpu", "search", "writing", "merging".
[[nodiscard]] const char* phaseName(Phase phase);
/// For people: the same with blanks.
[[nodiscard]] const char* phaseText(Phase phase);

/// Starts in Phase::start. Every moment until the clock is read belongs to one phase, so that the phases sum
/// up to the whole. Any thread; O(1).
class PhaseClock {
 public:
  /// Seconds from any fixed moment on, never decreasing.
  using Now = std::function<double()>;

  /// `secondsBefore`: how long the run has lasted already. Without `now`: the steady clock.
  explicit PhaseClock(double secondsBefore = 0, Now now = {});

  /// What follows belongs to `phase`; goes on after stop(). Returns the phase until now.
  Phase enter(Phase phase);
  /// What follows is not counted: the run is over or set aside.
  void stop();

  struct Reading {
    double seconds = 0;     ///< in all
    PhaseSeconds phases{};  ///< their parts, the present one included
    Phase phase = Phase::start;
  };
  [[nodiscard]] Reading read() const;

 private:
  void settle();

  Now now_;
  mutable std::mutex mutex_;
  PhaseSeconds phases_{};  ///< until since_
  Phase phase_ = Phase::start;
  double since_;
  bool running_ = true;
};

/// A phase until the end of a block; then the one before again. A null clock is ignored.
class PhaseScope {
 public:
  PhaseScope(PhaseClock* clock, Phase phase)
      : clock_(clock), before_(clock != nullptr ? clock->enter(phase) : Phase::start) {}
  ~PhaseScope() {
    if (clock_ != nullptr) clock_->enter(before_);
  }
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  PhaseClock* clock_;
  Phase before_;
};

}  // namespace slicepool
