// Who may write a file: one run owns its outputs, what it writes on the way to them, and its checkpoints. An
// enumeration, a sweep or a merge names all of them before it opens, cuts or reads any; a second run that
// names one of them is refused at once and has touched nothing. docs/file-formats.md, "Who writes a file".
//
// The lock is an flock(2) on FILE.lock, in the folder where FILE really is: FILE itself is replaced by
// renaming, and a lock on it would stay with the old one. The system drops it when a process ends in any way,
// so that the FILE.lock of a killed process is no obstacle. It is removed by its owner, under the lock;
// a process that gets a lock looks whether the name is still that of the file it has locked.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/io/output_place.hpp"

namespace slicepool {

/// One file of a run.
struct OutputRole {
  std::string field;  ///< whose setting it is: "output.path"
  std::string path;   ///< empty or "-" (standard output): no file
  OutputNeed need = OutputNeed::file;
  /// Names of files like NAME-00000.npy, for an output NAME.npy in parts, belong to it.
  bool sharded = false;
};

/// A file that a run reads and must not write: `field` is whose setting it is.
struct InputRole {
  std::string field;
  std::string path;  ///< empty: none
};

/// Not thread-safe.
class OutputGuard {
 public:
  OutputGuard() = default;
  OutputGuard(const OutputGuard&) = delete;
  OutputGuard& operator=(const OutputGuard&) = delete;
  ~OutputGuard() { release(); }

  /// Another process of the same run has the files: nothing is looked at, nothing taken.
  void standAside() { aside_ = true; }
  /// Looks at every path, then takes all locks, or none. Throws ConfigError when a path cannot be such an
  /// output, when two roles name one file, or when another run has it (the message says which process);
  /// LimitError when the disk has no room for a lock.
  void claim(std::vector<OutputRole> outputs, std::vector<InputRole> inputs = {});
  /// One more file of the same run, such as the checkpoint to resume from. A path that was claimed for the
  /// same need is no error.
  void add(const OutputRole& output);
  /// Takes the checkpoint that a run resumes from, then calls `read`; it is given back when that throws.
  /// Where the run saves elsewhere, the folder of this one need not be writable: no process can change it
  /// then. Throws as claim.
  void resume(const std::string& path, bool savesElsewhere, const std::function<void()>& read);
  /// Takes the locks again that release() gave back. No effect while they are held.
  void retake();
  /// Gives back the locks and removes their files.
  void release() noexcept;

  /// Whether an output of this field is written in place.
  [[nodiscard]] bool inPlace(const std::string& field) const;
  /// Sentences about files that could not be locked, because their file system has no locks.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Claimed {
    OutputRole role;
    OutputPlace place;
  };
  struct Lock {
    std::string path;
    int descriptor = -1;
  };

  void take();
  void lock(const Claimed& claimed);
  void addResume(const std::string& path, bool savesElsewhere);
  static void drop(const Lock& lock) noexcept;

  std::vector<Claimed> claimed_;
  std::vector<InputRole> inputs_;
  std::vector<Lock> locks_;
  std::vector<std::string> warnings_;
  bool held_ = false;
  bool aside_ = false;
};

/// Gives back the locks of a run at its end, also by an exception. A run that begins again takes them again.
class ReleaseAtEnd {
 public:
  explicit ReleaseAtEnd(OutputGuard& guard) : guard_(guard) {}
  ReleaseAtEnd(const ReleaseAtEnd&) = delete;
  ReleaseAtEnd& operator=(const ReleaseAtEnd&) = delete;
  ~ReleaseAtEnd() { guard_.release(); }

 private:
  OutputGuard& guard_;
};

}  // namespace slicepool
