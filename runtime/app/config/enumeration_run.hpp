// What every workload's run does in the same way: an enumeration of the library behind the registry's
// interface. Fronts derive from it and add how an outcome is shown.
#pragma once

#include <string>
#include <utility>

#include "runtime/app/config/front.hpp"

namespace slicepool::config {

/// `E`: the Enumeration of a workload, with resumeFrom, resumeIfSaved, run, cancel, finished, progress and
/// outcome; its outcome has `run` and `checkpointPath`.
template <class E>
class EnumerationRun : public WorkloadRun {
 public:
  template <class R>
  EnumerationRun(R&& request, const RunConfig& config)
      : enumeration_(std::forward<R>(request), config.engine),
        toStandardOutput_(!config.standardOutput.empty()) {
    if (config.keepsCheckpoints) enumeration_.keepCheckpoints();
  }

  void resumeFrom(const std::string& path) final {
    if (path == "auto")
      (void)enumeration_.resumeIfSaved();
    else
      enumeration_.resumeFrom(path);
  }
  void run() final { enumeration_.run(); }
  void cancel() noexcept final { enumeration_.cancel(); }
  void removeCheckpoints() noexcept final { enumeration_.removeCheckpoints(); }
  void timeIsOver() noexcept final {
    if constexpr (requires(E & enumeration) { enumeration.timeIsOver(); })
      enumeration_.timeIsOver();
    else
      enumeration_.cancel();
  }
  [[nodiscard]] bool stepping() const noexcept final {
    if constexpr (requires(const E& enumeration) { enumeration.stepping(); })
      return enumeration_.stepping();
    else
      return true;
  }
  [[nodiscard]] bool finished() const final { return enumeration_.finished(); }
  [[nodiscard]] Progress progress() const final { return enumeration_.progress(); }
  void collect() final { outcome_ = enumeration_.outcome(); }
  [[nodiscard]] const RunReport& report() const final { return outcome_.run; }
  [[nodiscard]] std::string savedTo() const final { return outcome_.checkpointPath; }
  [[nodiscard]] std::string leftBehind() const override {
    const char* const hint = toStandardOutput_
                                 ? "with an output to a file, --checkpoint FILE makes it possible to go on"
                                 : "use --checkpoint FILE to be able to go on";
    return std::string("the figures are partial and nothing was saved (") + hint + ")";
  }

 protected:
  decltype(std::declval<E&>().outcome()) outcome_;  ///< after collect()
  E enumeration_;

 private:
  bool toStandardOutput_;
};

}  // namespace slicepool::config
