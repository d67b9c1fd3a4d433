// Everything that is measured for one instance: limits, peer, rows by the library on CPU, GPU and both,
// reductions. Owns the memory that the measurements write. Called by main.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/rows/measurement.hpp"
#include "bench/rows/settings.hpp"
#include "bench/rows/thread_team.hpp"
#include "bench/support/instances.hpp"
#include "bench/support/row_check.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::bench {

#ifdef SLICEPOOL_HAVE_CUDA
class PinnedMemory;
class DeviceLimits;
class DeviceRowsWriter;
#endif

/// Teams by their position in Settings::threads.
using ThreadTeams = std::vector<std::unique_ptr<ThreadTeam>>;

class RowsCase {
 public:
  /// Lists the rows by the plain recursion and inspects them: what every later verification compares with.
  /// Touches all memory that measurements write. `elementBytes` 0 is the narrowest. Throws Error when the
  /// peer is wrong, ConfigError for an element width that is too narrow, LimitError and CudaError.
  RowsCase(const Instance& instance, unsigned elementBytes, bool reductions, const Settings& settings,
           ThreadTeams& teams);
  ~RowsCase();
  RowsCase(const RowsCase&) = delete;
  RowsCase& operator=(const RowsCase&) = delete;

  [[nodiscard]] std::uint64_t rows() const { return expected_.rows; }
  [[nodiscard]] unsigned elementBytes() const { return elementBytes_; }
  [[nodiscard]] std::uint64_t bytes() const { return expected_.rows * rowBytes_; }
  [[nodiscard]] const RowFacts& expected() const { return expected_; }
  /// Refer to this object.
  [[nodiscard]] const std::vector<Measurement>& measurements() const { return measurements_; }

 private:
  void listExpectedRows();
  void addMemoryLimits();
  /// The most that the cores write to such memory.
  void addStreamedFill(std::byte* memory);
  void addPeer();
  void addCpuRows();
  void addDeviceLimits();
  void addDeviceRows();
  void addReductions(Mode mode);

  /// Rows by the library into `memory`, or into a RowMatrix of the run's own when it is null.
  Measurement& addRows(std::string name, Mode mode, int threads, std::byte* memory);
  void addReduction(Mode mode, const factorizations::Request& request, const std::string& what);
  /// How the outcome of a reduction differs from what the expected rows give; empty: not at all.
  [[nodiscard]] std::string reductionProblem(const factorizations::Outcome& outcome,
                                             factorizations::SinkKind kind) const;

  const Settings& settings_;
  ThreadTeams& teams_;
  Instance instance_;
  unsigned elementBytes_;
  std::size_t rowBytes_;
  RowFacts expected_;
  factorizations::RowMatrix touched_;
  factorizations::RowMatrix peerRows_;
#ifdef SLICEPOOL_HAVE_CUDA
  std::unique_ptr<PinnedMemory> pinned_;
  std::unique_ptr<DeviceLimits> device_;
  std::unique_ptr<DeviceRowsWriter> writer_;
#endif
  std::vector<Measurement> measurements_;
};

}  // namespace slicepool::bench
