// What a request must satisfy before anything is sized, and what names it in a checkpoint; names of
// algorithms and sinks. Called by enumeration.cpp and runtime/app/config.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "slicepool/factorizations/enumeration.hpp"
#include "slicepool/factorizations/steps/coordinates.hpp"

namespace slicepool::factorizations {

enum class OutputFormat : std::uint8_t { none, npy, npyZstd, csv };

/// Step functions have room for so many coordinates.
inline constexpr std::size_t kMaximumGenerators = kGenericCapacity;
/// Of the element and of each generator.
inline constexpr std::uint64_t kMaximumNumber = (std::uint64_t{1} << 63) - 1;

/// Throws ConfigError naming field, value and what is accepted: domains, and options that contradict each
/// other. The names of fields are those of configurations. What configurations, command lines and calls
/// in C++ have in common is checked here and nowhere else.
void checkRequest(const Request& request, const EngineOptions& options);

// The parts of it that a problem without a request needs, too.

/// 1 to 64 generators, these and the element below 2^63.
void checkNumbers(const std::vector<std::uint64_t>& generators, std::uint64_t element);
/// One coefficient for each generator. The sum over any factorization, partial sums included, is at most
/// max |c_i| * longest length, and must fit 63 bits. The numbers have been checked.
void checkPredicate(const LinearPredicate& predicate, const std::vector<std::uint64_t>& generators,
                    std::uint64_t element);

/// By the suffix of the path; none for an empty path. Throws ConfigError for another suffix.
[[nodiscard]] OutputFormat outputFormat(const OutputSpec& output);

/// Bytes of a coordinate in the output: what the request says, else the narrowest unsigned type (1, 2, 4, 8)
/// that holds element / min(generators).
[[nodiscard]] unsigned elementBytesFor(const Request& request);

/// NumPy's name of an unsigned type of 1, 2, 4 or 8 bytes: "uint8", ..; "auto" for 0.
[[nodiscard]] std::string elementTypeName(unsigned elementBytes);

/// True for outputs that only a stream can write: sharded or compressed ones.
[[nodiscard]] bool needsStream(const OutputSpec& output);

[[nodiscard]] std::string algorithmName(Algorithm algorithm);
[[nodiscard]] std::string sinkName(SinkKind kind);

/// Canonical text of everything that determines the result and the shape of the slices; modes, threads and
/// budgets are not part of it, so that a run may be continued on other devices.
[[nodiscard]] std::string canonicalText(const Request& request, Algorithm algorithm,
                                        unsigned tabulatedDimension, bool knownPlaces);
/// The same for rows that are written window after window: these are the same bytes with every algorithm, so
/// that it is not part of the text either.
[[nodiscard]] std::string canonicalRowsText(const Request& request);

}  // namespace slicepool::factorizations
