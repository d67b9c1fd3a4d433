// The files of an exploration: elements, words, Cayley graphs, rules. Each is made under another name and
// gets its own when it is whole. Called by enumeration.cpp. Formats: docs/semigroup.md.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/semigroup/generators.hpp"
#include "runtime/semigroup/graph.hpp"

namespace slicepool::semigroup {

/// Throws ConfigError for `field` unless the name is empty or ends in .csv, .dot, .gv or .npy.
void requireGraphFormat(const std::string& path, const std::string& field);

/// All of them return the size of the file in bytes. Throw LimitError when the disk is short, Error
/// otherwise.
std::uint64_t writeElements(const std::string& path, const Graph& graph, const Generators& generators);
std::uint64_t writeWords(const std::string& path, const Graph& graph);
/// Rows of elements that are complete.
std::uint64_t writeGraph(const std::string& path, const Graph& graph, bool left);
std::uint64_t writeRules(const std::string& path, const Graph& graph);

}  // namespace slicepool::semigroup
