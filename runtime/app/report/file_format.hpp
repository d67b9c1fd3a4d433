// What a JSON file of slicepool is, by its start. Called by commands that take files of more than one kind.
#pragma once

#include <string>

namespace slicepool::report {

/// Whether the member "format" at the start of the file is this one. False for what cannot be read: its
/// reader says why.
[[nodiscard]] bool fileHasFormat(const std::string& path, const std::string& format);

}  // namespace slicepool::report
