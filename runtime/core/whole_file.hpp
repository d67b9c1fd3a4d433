// Small files that are replaced as a whole, so that whoever reads them sees the old or the new text and never
// a part. Used by manifests, window checkpoints and the outputs and records of three_in_line.
#pragma once

#include <string>

namespace slicepool {

/// Replaces `path` by a file with this text: PATH.tmp, fsync, rename, fsync of the folder. Returns 0, or the
/// errno of what failed; PATH is what it was then, and no PATH.tmp is left.
[[nodiscard]] int replaceFile(const std::string& path, const std::string& text);

/// The same; `what` names the file in the message ("manifest"). Throws LimitError when the disk is full,
/// Error otherwise.
void writeWholeFile(const std::string& what, const std::string& path, const std::string& text);

/// Throws ConfigError for `field` when files cannot be made in the folder of `path`.
void requireFolder(const std::string& path, const std::string& field = "output.path");

/// A new name is durable when its folder is. 0 or errno.
[[nodiscard]] int syncFolderOf(const std::string& path);

/// True for what the system says when the disk, the quota or the file is full.
[[nodiscard]] bool isDiskFull(int code);

}  // namespace slicepool
