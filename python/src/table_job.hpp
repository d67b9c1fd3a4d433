// Jobs that search nothing: tables, rows of ranks, samples. Derived from by the bindings of sets with ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "task.hpp"

namespace slicepool::python {

/// It has no record and no checkpoint. When it is cancelled or its time is over it ends with SetupStopped,
/// within the time between two calls of checkSetup().
class TableJob : public Job {
 public:
  /// `document`: of a run, of which the limits of time and memory and the threads count. Throws ConfigError.
  explicit TableJob(const std::string& document);
  void execute(const report::StopRequest& stop, const report::RunWatcher& watcher) final;

 protected:
  /// Parts of it that take long call checkSetup(), as parallelFor() does.
  virtual void make() = 0;

  config::RunConfig config_;
};

/// Throws LimitError where rows do not fit the memory limit of a run. `taken`: bytes that belong to the same
/// object and are there already. `what`: the field that asks for them.
void requireMemory(const config::RunConfig& config, const std::string& what, std::uint64_t rows,
                   std::size_t rowBytes, std::size_t taken = 0);

}  // namespace slicepool::python
