// What a request must satisfy before anything is explored, its generators, and the names of algorithms and
// checks. Called by enumeration.cpp and runtime/app/config.
#pragma once

#include <string>

#include "runtime/semigroup/generators.hpp"
#include "slicepool/semigroup/enumeration.hpp"

namespace slicepool::semigroup {

/// Reads or makes the generators and checks everything else. Throws ConfigError naming field, value and what
/// is accepted.
[[nodiscard]] Generators checkRequest(const Request& request, const EngineOptions& options);

/// What a checkpoint belongs to: generators and algorithm. Modes, threads and limits are no part of it.
/// Checks where the generators come from: the name of a family, or a file, which is read. Throws ConfigError.
void checkSource(const Request& request);

[[nodiscard]] std::string canonicalText(const Request& request, const Generators& generators);

[[nodiscard]] std::string algorithmName(Algorithm algorithm);
[[nodiscard]] Algorithm parseAlgorithm(const std::string& text);
[[nodiscard]] std::string checkName(Check check);
[[nodiscard]] Check parseCheck(const std::string& text);

}  // namespace slicepool::semigroup
