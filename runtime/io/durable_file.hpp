// Files whose content and name survive a crash or a power loss: replaced as a whole, or renamed once they
// are. Errors are errno values, so that each caller says in its own words whose file failed, or the
// exceptions of outputs. Used by the engine's checkpoints, by the outputs, manifests and records of the
// workloads and by reports.
#pragma once

#include <string>
#include <string_view>

namespace slicepool {

/// Whether an errno means that a disk, a quota or a file takes no more bytes.
[[nodiscard]] bool isDiskFull(int code);

/// Throws what an errno means for a file that is written: LimitError when the disk is full, Error otherwise,
/// with the text "WHAT: (the system's words)".
[[noreturn]] void throwFileError(const std::string& what, int code);

/// Throws ConfigError for `field` when files cannot be made in the folder of `path`.
void requireFolder(const std::string& path, const std::string& field = "output.path");

/// The folder that the name `path` stands in; "." for a bare name.
[[nodiscard]] std::string folderOf(const std::string& path);

/// Writes all of `bytes` to an open descriptor, also where one call takes only some. 0, or the errno of what
/// failed.
[[nodiscard]] int writeAll(int descriptor, std::string_view bytes);

/// A new name is durable once its folder is. 0, or the errno of what failed.
[[nodiscard]] int syncFolderOf(const std::string& path);

/// Replaces `path` by a file with this content: PATH.tmp, fsync, rename, fsync of the folder. A reader
/// sees the old or the new content, whole. A link to a file stays, and the file behind it is replaced;
/// what is neither a file nor a new name is left alone. 0, or the errno of what failed; PATH.tmp is gone
/// then. A process with a limit on file sizes has to ignore SIGXFSZ to see EFBIG (the command does).
[[nodiscard]] int replaceFile(const std::string& path, std::string_view content);

/// The same for content that is made piece by piece. Errors are errno values, the first of which stays.
class FileReplacement {
 public:
  explicit FileReplacement(std::string path);
  /// Removes PATH.tmp unless commit() was called and all went well.
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  void write(std::string_view bytes);
  /// PATH has the new content, durably. 0, or what failed first.
  [[nodiscard]] int commit();

 private:
  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
  int code_ = 0;
  bool made_ = false;
  bool placed_ = false;
};

/// As replaceFile; `what` names the file in the message ("manifest"). Throws LimitError when the disk is
/// full, Error otherwise.
void replaceFileOrThrow(const std::string& what, const std::string& path, std::string_view content);

/// The same for text, which is written in place into a pipe, a device or an open descriptor.
void writeTextOrThrow(const std::string& what, const std::string& path, std::string_view content);

}  // namespace slicepool
