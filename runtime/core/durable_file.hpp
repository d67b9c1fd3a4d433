// Files whose content and name survive a crash or a power loss: replaced as a whole, or renamed once they
// are. Errors are errno values, so that each caller says in its own words whose file failed. Used by the
// engine's checkpoints, by the outputs and manifests of factorizations and by reports.
#pragma once

#include <string>
#include <string_view>

namespace slicepool {

/// Whether an errno means that a disk, a quota or a file takes no more bytes.
[[nodiscard]] bool isDiskFull(int code);

/// The folder that the name `path` stands in; "." for a bare name.
[[nodiscard]] std::string folderOf(const std::string& path);

/// Writes all of `bytes` to an open descriptor, also where one call takes only some. 0, or the errno of what
/// failed.
[[nodiscard]] int writeAll(int descriptor, std::string_view bytes);

/// A new name is durable once its folder is. 0, or the errno of what failed.
[[nodiscard]] int syncFolderOf(const std::string& path);

/// Replaces `path` by a file with this content: PATH.tmp, fsync, rename, fsync of the folder. Whoever reads
/// it sees the old or the new content, whole. 0, or the errno of what failed; PATH.tmp is gone then.
[[nodiscard]] int replaceFile(const std::string& path, std::string_view content);

}  // namespace slicepool
