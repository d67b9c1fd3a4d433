// Explorations behind one interface: what fills a Graph, stage by stage. Made by makeExplorer from the
// generators and the algorithm; called by the front (enumeration.cpp) and by tests.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/rounds/staged_run.hpp"
#include "runtime/semigroup/generators.hpp"
#include "runtime/semigroup/graph.hpp"
#include "runtime/semigroup/saved_stages.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/semigroup/enumeration.hpp"

namespace slicepool::semigroup {

struct ExplorerOptions {
  Algorithm algorithm = Algorithm::fingerprint;
  std::vector<Image> base;  ///< base points to start with; sources are added
  bool fixedBase = false;   ///< a base that fails is an error instead of growing
  Check check = Check::certificate;
  std::uint64_t maxElements = 0;  ///< stop at the end of the stage that reaches so many; 0: no limit
  std::uint32_t maxStage = 0;     ///< last stage, if `limitStage`
  bool limitStage = false;
  unsigned hashBits = 64;            ///< fewer provoke collisions (tests)
  std::uint64_t smallStage = 32768;  ///< stages of at most so many products are explored on one thread
  std::size_t memoryLimit = 0;       ///< bytes of host memory for everything here; 0: none
  /// gpu, emulated: large stages on a device; hybrid, automatic: while it can, once its driver has started.
  Mode mode = Mode::cpu;
  DeviceOptions device{};
  EmulatorOptions emulator{};

  /// Whether a limit says that the stage which `graph` ends with is the last one.
  [[nodiscard]] bool reached(const Graph& graph) const {
    const bool enough = maxElements != 0 && graph.size() >= maxElements;
    return enough || (limitStage && graph.stages.size() - 2 >= maxStage);
  }
};

/// Where the time of a round went, by kind of round.
struct PhaseTime {
  std::string name;
  double seconds = 0;
};

enum class ExplorationEnd : std::uint8_t { complete, limited, cancelled, paused };

/// What had been explored to its end went with a device that failed, and the run was stopped before the host
/// had found it again. explore() goes on.
class ExplorationStopped : public Error {
 public:
  ExplorationStopped()
      : Error("the run was stopped before the CPU had found again what a failed device had") {}
};

class Explorer {
 public:
  virtual ~Explorer() = default;

  /// Explores until complete or limited, `run` is cancelled, or `pause()` is true at the end of a stage. Can
  /// be called again. Throws LimitError when memory is short, ConfigError when a fixed base fails.
  virtual ExplorationEnd explore(const std::function<bool()>& pause) = 0;
  // Questions about what was found, after an exploration. When the device that has it fails, the host finds
  // it again first: all of it, or of an exploration that was stopped as much as a further stop leaves. They
  // throw ExplorationStopped.
  /// The element with these images (checked at all points), or kNoElement.
  [[nodiscard]] virtual Element find(std::span<const Image> images) = 0;
  /// Number of idempotents among the elements found; 0 after a cancel.
  [[nodiscard]] virtual std::uint64_t countIdempotents() = 0;
  /// Number of rules x.g = y among the complete rows, by up to `threads` threads (0: all cores).
  [[nodiscard]] virtual std::uint64_t countRules(int threads);

  /// What has been found; where a device has it, stages and numbers only.
  [[nodiscard]] const Graph& graph() const { return graph_; }
  /// The same with all columns and rows on the host. Throws LimitError, ExplorationStopped.
  [[nodiscard]] virtual const Graph& wholeGraph() { return graph_; }
  /// Points whose images were the keys; empty for algorithm `words`.
  [[nodiscard]] const std::vector<Image>& base() const { return base_; }
  /// Times the base was grown.
  [[nodiscard]] std::uint32_t restarts() const { return restarts_; }
  [[nodiscard]] const std::vector<PhaseTime>& phaseTimes() const { return phaseTimes_; }
  /// Called after each stage, on the thread of explore().
  void onStage(std::function<void(const StageReport&)> told) { onStage_ = std::move(told); }

  // What a checkpoint is made of (saved_stages.hpp).

  /// Stages whose rows are complete.
  [[nodiscard]] std::size_t finishedStages() const { return graph_.stages.size() - 2; }
  /// How many of the base points are sources, and of how many elements the certificate was checked.
  [[nodiscard]] std::uint32_t sources() const { return sources_; }
  [[nodiscard]] std::uint64_t checked() const { return checked_; }
  /// Tree bits of complete rows [begin, end), by up to `threads` threads (0: all cores). Nothing when the
  /// device that has them fails: the exploration goes on from an earlier stage then.
  [[nodiscard]] virtual std::optional<TreeBits> treeBits(Element begin, Element end, int threads);
  /// Before the first explore(), which begins by making the saved stages again. Throws CheckpointError.
  virtual void load(std::shared_ptr<const SavedStages> saved);

 protected:
  void addTime(const std::string& name, double seconds) {
    for (auto& phase : phaseTimes_) {
      if (phase.name != name) continue;
      phase.seconds += seconds;
      return;
    }
    phaseTimes_.push_back({name, seconds});
  }
  /// Tells about the stage that was just finished.
  void tellStage(double seconds) const {
    const std::size_t count = graph_.stages.size();
    const Element found = graph_.stages[count - 1] - graph_.stages[count - 2];
    if (onStage_ && found != 0)
      onStage_({static_cast<std::uint32_t>(count - 2), found, graph_.size(), seconds});
  }

  /// Whether there are saved stages that have not been made again, and that the limits leave.
  [[nodiscard]] bool replays(const ExplorerOptions& options) const {
    return saved_ != nullptr && graph_.stages.size() < saved_->stages.size() && !options.reached(graph_);
  }
  /// Throws CheckpointError unless the last stage that was made again is as long as it was.
  void requireSaved() const;

  Graph graph_;
  std::shared_ptr<const SavedStages> saved_;  ///< until its stages have been made again
  std::uint32_t sources_ = 0;  ///< the first so many base points are the sources; 0: keys need no check
  Element checked_ = 0;        ///< elements whose certificate was checked
  std::vector<Image> base_;
  std::uint32_t restarts_ = 0;
  std::vector<PhaseTime> phaseTimes_;
  std::function<void(const StageReport&)> onStage_;
};

/// `generators` and `run` must outlive the explorer. Base points must be points (checkRequest).
[[nodiscard]] std::unique_ptr<Explorer> makeExplorer(const Generators& generators,
                                                     const ExplorerOptions& options, StagedRun& run);

}  // namespace slicepool::semigroup
