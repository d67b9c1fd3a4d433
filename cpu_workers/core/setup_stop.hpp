// Ends the set-up of a run early: tables, generators, the cutting of a search. The code that prepares
// a run installs a guard; the loops of the set-up ask it. Called by runtime/ and by parallel.cpp.
#pragma once

#include <functional>
#include <string>

#include "slicepool/core/error.hpp"

namespace slicepool {

/// Thrown out of the set-up of a run that is to stop before its search begins. Nothing was searched or saved.
class SetupStopped : public Error {
 public:
  using Error::Error;
};

/// Until it is destroyed, what this thread sets up stops when `whyStop` returns a text: the message of the
/// SetupStopped that is thrown. `whyStop` is asked by several threads and must not throw.
class SetupGuard {
 public:
  explicit SetupGuard(std::function<std::string()> whyStop);
  ~SetupGuard();
  SetupGuard(const SetupGuard&) = delete;
  SetupGuard& operator=(const SetupGuard&) = delete;

  /// The innermost guard of this thread; nullptr: there is none. A loop that goes on in other threads asks
  /// once and takes the guard along.
  [[nodiscard]] static const SetupGuard* current();
  /// Throws SetupStopped if the set-up is to stop.
  void check() const;

 private:
  std::function<std::string()> whyStop_;
  const SetupGuard* outer_;
};

/// Throws SetupStopped if a guard of this thread says so. Cheap enough for every millisecond of work.
inline void checkSetup() {
  if (const SetupGuard* guard = SetupGuard::current()) guard->check();
}

}  // namespace slicepool
