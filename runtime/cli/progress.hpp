// Progress on standard error: a bar, plain lines, or JSON lines. Called from EngineOptions::onProgress.
#pragma once

#include <chrono>
#include <string>

#include "slicepool/core/options.hpp"

namespace slicepool::cli {

enum class ProgressStyle : std::uint8_t { none, bar, plain, jsonl };

/// auto, bar, plain, jsonl or none; auto is a bar on a terminal and plain lines otherwise. Throws
/// ConfigError.
[[nodiscard]] ProgressStyle parseProgressStyle(const std::string& text);

class ProgressPrinter {
 public:
  explicit ProgressPrinter(ProgressStyle style) : style_(style) {}
  ~ProgressPrinter() { finish(); }
  ProgressPrinter(const ProgressPrinter&) = delete;
  ProgressPrinter& operator=(const ProgressPrinter&) = delete;

  void show(const Progress& progress);
  /// Clears the bar. Idempotent.
  void finish();

 private:
  void showBar(const Progress& progress);
  void showPlain(const Progress& progress);
  static void showJson(const Progress& progress);

  ProgressStyle style_;
  bool barShown_ = false;
  double nextPlain_ = 2;  ///< seconds: short runs stay silent
};

}  // namespace slicepool::cli
