// A run that is stopped again and again, and goes on from its checkpoint.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "slicepool/core/options.hpp"
#include "support/temporary_folder.hpp"

namespace slicepool::test {

/// The outcome of a request that is stopped after about a fifth of its `steps` each time, and resumed by
/// `first` and `second` in turns, with short turns and launches. No checkpoint may be left, nor have more
/// than `mostBytes`.
template <class Enumeration, class Request>
auto outcomeInParts(const Request& request, std::uint64_t steps, const EngineOptions& first,
                    const EngineOptions& second, std::uintmax_t mostBytes = UINTMAX_MAX) {
  const TemporaryFolder folder;
  const std::string path = folder.path("c.ckpt");
  for (int interruptions = 0;; ++interruptions) {
    REQUIRE(interruptions < 1000);
    EngineOptions options = interruptions % 2 == 0 ? first : second;
    options.checkpointPath = path;
    options.cpuBudget = 500;
    options.gpuBudget = 20;
    options.stepLimit = steps / 5 + 1;
    Enumeration enumeration(request, options);
    CHECK(enumeration.resumeIfSaved() == (interruptions != 0));
    enumeration.run();
    if (enumeration.finished()) {
      CHECK(interruptions > 0);
      CHECK_FALSE(std::filesystem::exists(path));
      return enumeration.outcome();
    }
    CHECK(enumeration.outcome().checkpointPath == path);
    CHECK(std::filesystem::file_size(path) < mostBytes);
  }
}

/// The last outcome of a request that the limits of `options`, which have a checkpoint's path, stop again and
/// again. seen(outcome) is called after each run, and may change them.
template <class Enumeration, class Request, class Seen>
auto lastOutcome(const Request& request, const EngineOptions& options, Seen&& seen) {
  for (int interruptions = 0;; ++interruptions) {
    REQUIRE(interruptions < 1000);
    Enumeration enumeration(request, options);
    CHECK(enumeration.resumeIfSaved() == (interruptions != 0));
    enumeration.run();
    auto outcome = enumeration.outcome();
    const bool finished = enumeration.finished();
    CHECK(std::filesystem::exists(options.checkpointPath) != finished);
    CHECK(outcome.checkpointPath.empty() == finished);
    CHECK(outcome.run.complete == finished);
    seen(outcome);
    if (finished) return outcome;
  }
}

}  // namespace slicepool::test
