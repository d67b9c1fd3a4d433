// See slicepool/core/phases.hpp.
#include "slicepool/core/phases.hpp"

#include <chrono>
#include <numeric>
#include <utility>

namespace slicepool {
namespace {

constexpr std::array<const char*, kPhases> kNames = {"start",  "tables",  "cutting", "waiting_for_gpu",
                                                     "search", "writing", "merging"};
constexpr std::array<const char*, kPhases> kTexts = {"start",  "tables",  "cutting", "waiting for a GPU",
                                                     "search", "writing", "merging"};

double steadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

const char* phaseName(Phase phase) { return kNames.at(static_cast<std::size_t>(phase)); }
const char* phaseText(Phase phase) { return kTexts.at(static_cast<std::size_t>(phase)); }

PhaseClock::PhaseClock(double secondsBefore, Now now)
    : now_(now ? std::move(now) : Now(&steadySeconds)), since_(now_()) {
  phases_[0] = secondsBefore;
}

/// Under the lock.
void PhaseClock::settle() {
  const double now = now_();
  if (running_) phases_.at(static_cast<std::size_t>(phase_)) += now - since_;
  since_ = now;
}

Phase PhaseClock::enter(Phase phase) {
  const std::lock_guard lock(mutex_);
  settle();
  running_ = true;
  return std::exchange(phase_, phase);
}

void PhaseClock::stop() {
  const std::lock_guard lock(mutex_);
  settle();
  running_ = false;
}

PhaseClock::Reading PhaseClock::read() const {
  const std::lock_guard lock(mutex_);
  Reading reading{0, phases_, phase_};
  if (running_) reading.phases.at(static_cast<std::size_t>(phase_)) += now_() - since_;
  reading.seconds = std::accumulate(reading.phases.begin(), reading.phases.end(), 0.0);
  return reading;
}

}  // namespace slicepool
