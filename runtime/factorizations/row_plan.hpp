// How the rows of a request leave a run: their format and width, how many go through an engine at a time, and
// whether memory holds them. Decided before the run from numbers alone: what the machine has is asked for
// beforehand (deviceRows) or afterwards (requireDisk).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "runtime/factorizations/algorithm_choice.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "runtime/factorizations/stream_shape.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::factorizations {

/// What decides beside the request and its counting tables.
struct RowLimits {
  int threads = 1;
  bool device = false;       ///< the mode may use a GPU
  std::string checkpoint{};  ///< path of the checkpoint that the run is asked for; empty: none
  /// Rows that a device holds beside its tables.
  std::uint64_t deviceRows = std::numeric_limits<std::uint64_t>::max();
};

struct RowPlan {
  OutputFormat format = OutputFormat::none;
  unsigned dimension = 1;
  unsigned elementBytes = 1;
  bool wanted = false;                  ///< the sink has rows; else what follows is empty
  bool placed = false;                  ///< counting tables know the place of every row
  std::uint64_t rows = 0;               ///< placed: rows of the sink
  std::uint64_t windowRows = 0;         ///< placed: most rows of one engine
  std::optional<StreamShape> stream{};  ///< placed: rows go through buffers
  /// Bytes that the disk must have for an output; empty: there is none.
  std::optional<std::uint64_t> diskBytes{};

  [[nodiscard]] std::size_t rowBytes() const { return std::size_t{dimension} * elementBytes; }
  /// Rows go through several engines, or the output through text.
  [[nodiscard]] bool inWindows() const {
    return placed && (format == OutputFormat::csv || windowRows < rows);
  }
};

[[nodiscard]] bool hasRows(const SinkSpec& sink);
/// Only a stream can write this output, or it is asked for.
[[nodiscard]] bool mustStream(const OutputSpec& output);

/// Throws LimitError when memory cannot hold the rows; ConfigError for a checkpoint where rows can have none,
/// and as makeStreamShape.
[[nodiscard]] RowPlan planRows(const Request& request, const Plan& tables, const RowLimits& limits);
/// Rows go through buffers, whatever was meant before.
void streamRows(RowPlan& plan, const Request& request, const Plan& tables, const RowLimits& limits);
/// The stream of an output of `rows` rows. Throws as makeStreamShape.
[[nodiscard]] StreamShape streamOf(std::uint64_t rows, const Request& request, const Plan& tables,
                                   const RowLimits& limits);
/// Rows that are in host memory at a time.
[[nodiscard]] std::uint64_t heldRows(const RowPlan& plan, const OutputSpec& output);

/// Throws LimitError unless the caller's memory holds `rows` rows.
void requireCallersMemory(const OutputSpec& output, std::uint64_t rows, std::size_t rowBytes);
/// Throws LimitError when histograms of all lengths for every worker need more than the memory limit.
void requireHistogramMemory(const Request& request, std::size_t memoryLimit, int threads);

/// Rows of `rowBytes` bytes that fit the GPU of the options beside `tableBytes` bytes of tables; no bound
/// without one.
[[nodiscard]] std::uint64_t deviceRows(const EngineOptions& options, std::size_t tableBytes,
                                       std::size_t rowBytes);
/// Throws LimitError unless the disk has room for an output of so many bytes. What a resume continues was
/// sized when it was made.
void requireDisk(const std::string& path, std::uint64_t bytes);
/// The mode may use a GPU.
[[nodiscard]] bool usesDevice(Mode mode);

}  // namespace slicepool::factorizations
