// A folder for files that a command makes only to look at them. Called by `slicepool recount`.
#pragma once

#include <string>

namespace slicepool::cli {

/// Made when its path is first asked for, with rights for its user alone; removed with its content at the
/// end. Not thread-safe.
class ScratchFolder {
 public:
  /// `parent`: the folder to make it in; empty: the system's for temporary files ($TMPDIR, or /tmp).
  explicit ScratchFolder(std::string parent);
  ~ScratchFolder() { remove(); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  /// Throws ConfigError for --scratch when no folder can be made there.
  [[nodiscard]] const std::string& path();
  /// The folder and its content. path() makes a new one.
  void remove() noexcept;

 private:
  std::string parent_;
  std::string path_;
};

}  // namespace slicepool::cli
