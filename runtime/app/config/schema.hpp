// Validation of configurations against the JSON Schema that their tables of parameters make.
#pragma once

#include <string>
#include <vector>

#include "runtime/app/config/json.hpp"

namespace slicepool::config {

/// How a place in a document is named in error messages.
enum class FieldStyle : std::uint8_t {
  dotted,  ///< "engine.threads": what came from flags or is a short run configuration
  pointer  ///< "/rows/3/element": a JSON pointer into a long file
};

/// The JSON Schema (draft-07) of this program's workloads.
[[nodiscard]] const Json& schemaDocument();
/// Its text, which configs/schema.json has.
[[nodiscard]] std::string schemaText();

/// Checks `document` against "#/definitions/<definition>". Unknown keys are refused first, each with its
/// nearest known key; then the schema decides. Throws ConfigError that names the place, the value and what is
/// accepted (the description in the schema). `prefix`: what the document is, for the names of places: the
/// member that it is of another one (dotted), or its file (pointer).
void checkAgainstSchema(const Json& document, const std::string& definition, FieldStyle style,
                        const std::string& prefix = {});

}  // namespace slicepool::config
