// What the path of an output is: a new name, a file, or something that must never be replaced, removed or
// followed by accident (folders, devices, pipes, sockets, links). Used by output_guard at the start of a run,
// and by the writers of files once more when they open them.
#pragma once

#include <cstdint>
#include <string>

namespace slicepool {

enum class PathKind : std::uint8_t {
  absent,
  file,
  folder,
  pipe,
  characterDevice,
  blockDevice,
  socket,
  descriptor,    ///< /dev/stdout, /dev/fd/N: something that this process has open
  danglingLink,  ///< a symbolic link to nothing
  unknown        ///< it cannot be looked at: `error` says why
};

/// What is at a path, without opening it. Symbolic links are followed.
struct PathFacts {
  PathKind kind = PathKind::unknown;
  bool link = false;    ///< the path itself is a symbolic link
  std::string path;     ///< without symbolic links, also in its folder; empty for descriptors
  int descriptor = -1;  ///< of PathKind::descriptor
  int error = 0;        ///< an errno, of PathKind::unknown
};

[[nodiscard]] PathFacts factsOf(const std::string& path);

/// "a folder", "a block device".
[[nodiscard]] std::string describe(const PathFacts& facts);

/// What an output needs of its path.
enum class OutputNeed : std::uint8_t {
  file,        ///< .npy, reports: a regular file or a new name; through a link the file behind it is replaced
  checkpoint,  ///< the same without links: a checkpoint is removed when the run is over
  text         ///< as `file`; or a pipe, a character device, something open: written in place
};

/// Where an output goes.
struct OutputPlace {
  std::string path;      ///< of a file, without symbolic links; otherwise as it was given
  bool inPlace = false;  ///< written where it is, from the beginning to the end
  int descriptor = -1;   ///< in place: to be duplicated; -1: `path` is opened
};

/// Throws ConfigError for `field` when the path cannot be such an output, its folder cannot be written, or
/// what is written on the way (PATH.part, PATH.tmp) would meet something that is no regular file.
[[nodiscard]] OutputPlace placeOf(const std::string& path, OutputNeed need,
                                  const std::string& field = "output.path");

/// Opens for writing what is written in place; waits for the reader of a pipe. Throws LimitError or Error.
[[nodiscard]] int openInPlace(const OutputPlace& place);

}  // namespace slicepool
