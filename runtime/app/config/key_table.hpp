// The tables of keys in docs/file-formats.md, made from the tables of parameters. Called by `slicepool
// schema` and by the test that compares them with the page.
#pragma once

#include <string>
#include <vector>

#include "runtime/app/config/parameter.hpp"

namespace slicepool::config {

/// Markdown: key, flag, meaning, what is accepted, and where a sweep takes it. `prefix` is left out of the
/// keys.
[[nodiscard]] std::string keyTable(const std::vector<Parameter>& parameters, const std::string& prefix = {});
/// Every table that the docs have, by the name in their marks: "engine", "run", and the names of the
/// workloads.
[[nodiscard]] std::vector<std::string> keyTableNames();
/// The table between `<!-- keys: NAME -->` and `<!-- end -->`. Throws ConfigError for another name.
[[nodiscard]] std::string keyTableOf(const std::string& name);

}  // namespace slicepool::config
