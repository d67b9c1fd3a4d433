// A fingerprint as text, as records, reports and the command show it. Called by all of them.
#pragma once

#include <string>

#include "slicepool/core/fingerprint.hpp"

namespace slicepool {

/// Sum, then exclusive-or: 32 hexadecimal digits.
[[nodiscard]] std::string fingerprintText(const Fingerprint& fingerprint);
/// Reads these. Throws Error ("not a fingerprint: ..").
[[nodiscard]] Fingerprint fingerprintFromText(const std::string& text);

}  // namespace slicepool
