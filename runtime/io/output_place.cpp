// See output_place.hpp.
#include "runtime/io/output_place.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "runtime/io/digits.hpp"
#include "runtime/io/durable_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

constexpr int kMaximumLinks = 40;  // as many as the system follows
constexpr std::array kSuffixes = {".part", ".tmp", ".lock", ".part.tmp"};
constexpr std::size_t kLongestSuffix = 9;

PathKind kindOf(mode_t mode) {
  if (S_ISREG(mode)) return PathKind::file;
  if (S_ISDIR(mode)) return PathKind::folder;
  if (S_ISFIFO(mode)) return PathKind::pipe;
  if (S_ISCHR(mode)) return PathKind::characterDevice;
  if (S_ISBLK(mode)) return PathKind::blockDevice;
  return S_ISSOCK(mode) ? PathKind::socket : PathKind::unknown;
}

PathFacts unknownFor(int error) {
  PathFacts facts;
  facts.error = error;
  return facts;
}

bool isNumber(std::string_view text) {
  return !text.empty() && text.size() < 10 && std::all_of(text.begin(), text.end(), isDigit);
}

/// /proc/PID/fd and /proc/PID/task/TID/fd of this process.
bool isOwnDescriptors(const std::string& folder) {
  const std::string own = "/proc/" + std::to_string(getpid());
  return folder == own + "/fd" || (folder.starts_with(own + "/task/") && folder.ends_with("/fd"));
}

PathFacts factsOfDescriptor(const std::string& number) {
  PathFacts facts;
  facts.descriptor = std::atoi(number.c_str());
  const int flags = fcntl(facts.descriptor, F_GETFL);
  if (flags < 0) return unknownFor(errno);
  if ((flags & O_ACCMODE) == O_RDONLY) return unknownFor(EACCES);
  facts.kind = PathKind::descriptor;
  return facts;
}

std::string realFolder(const std::string& folder) {
  char* const resolved = ::realpath(folder.c_str(), nullptr);
  if (resolved == nullptr) return {};
  std::string text = resolved;
  std::free(resolved);
  return text;
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder == "/" ? folder + name : folder + "/" + name;
}

PathFacts lookAt(const std::string& path, int linksLeft);

PathFacts follow(const std::string& folder, const std::string& link, int linksLeft) {
  if (linksLeft == 0) return unknownFor(ELOOP);
  std::error_code code;
  const std::filesystem::path target = std::filesystem::read_symlink(link, code);
  if (code) return unknownFor(code.value());
  PathFacts facts = lookAt((std::filesystem::path(folder) / target).string(), linksLeft - 1);
  const bool nothing =
      facts.kind == PathKind::absent || (facts.kind == PathKind::unknown && facts.error == ENOENT);
  if (nothing) facts.kind = PathKind::danglingLink;
  facts.link = true;
  return facts;
}

PathFacts lookAt(const std::string& path, int linksLeft) {
  if (path.empty()) return unknownFor(ENOENT);
  if (path.find('\0') != std::string::npos) return unknownFor(EINVAL);
  const std::string name = std::filesystem::path(path).filename().string();
  PathFacts facts;
  struct stat status {};
  if (name.empty() || name == "." || name == "..") {  // a folder, or nothing that could be made
    if (::stat(path.c_str(), &status) != 0) return unknownFor(errno);
    facts.kind = kindOf(status.st_mode);
    facts.path = realFolder(path);
    return facts;
  }
  const std::string folder = realFolder(folderOf(path));
  if (folder.empty()) return unknownFor(errno);
  if (isOwnDescriptors(folder) && isNumber(name)) return factsOfDescriptor(name);
  facts.path = joined(folder, name);
  if (::lstat(facts.path.c_str(), &status) != 0) {
    if (errno != ENOENT) return unknownFor(errno);
    facts.kind = PathKind::absent;
    return facts;
  }
  if (S_ISLNK(status.st_mode)) return follow(folder, facts.path, linksLeft);
  facts.kind = kindOf(status.st_mode);
  return facts;
}

std::string quoted(const std::string& path) {
  std::string text = path;
  if (const auto nul = text.find('\0'); nul != std::string::npos)
    text.replace(nul, std::string::npos, "\\0..");
  return "\"" + text + "\"";
}

std::string accepted(OutputNeed need) {
  switch (need) {
    case OutputNeed::checkpoint: return "a new name or a regular file, not a link to one";
    case OutputNeed::text: return "a new name, a regular file, a pipe or a character device";
    case OutputNeed::file: break;
  }
  return "a new name or a regular file";
}

/// FILE.part, FILE.tmp and FILE.lock have to fit as well.
void requireShortName(const std::string& path, const std::string& field) {
  const std::string folder = folderOf(path);
  const std::size_t bytes = std::filesystem::path(path).filename().string().size();
  const long most = ::pathconf(folder.c_str(), _PC_NAME_MAX);
  const bool longName = most > 0 && bytes + kLongestSuffix > static_cast<std::size_t>(most);
  if (!longName && path.size() + kLongestSuffix < PATH_MAX) return;
  if (!longName) {
    throw ConfigError(field, fmt::format("a path of {} bytes", path.size()),
                      fmt::format("a path of at most {}", PATH_MAX - 1 - kLongestSuffix));
  }
  throw ConfigError(
      field, fmt::format("a file name of {} bytes", bytes),
      fmt::format("a name of at most {} there", static_cast<std::size_t>(most) - kLongestSuffix));
}

void requireFreeSides(const std::string& path, const std::string& field) {
  for (const char* suffix : kSuffixes) {
    struct stat status {};
    const std::string side = path + suffix;
    if (::lstat(side.c_str(), &status) != 0 || S_ISREG(status.st_mode)) continue;
    PathFacts facts;
    facts.kind = kindOf(status.st_mode);
    throw ConfigError(field,
                      quoted(path) + ", whose " + suffix + " file would be " +
                          (S_ISLNK(status.st_mode) ? "a symbolic link" : describe(facts)),
                      "a name beside which " + side + " is free or a regular file");
  }
}

/// In a folder such as /tmp only its owner replaces a file.
void requireReplaceable(const std::string& path, const std::string& field) {
  struct stat file {};
  struct stat folder {};
  if (::lstat(path.c_str(), &file) != 0 || ::stat(folderOf(path).c_str(), &folder) != 0) return;
  const uid_t user = ::geteuid();
  if ((folder.st_mode & S_ISVTX) == 0 || user == 0 || user == file.st_uid || user == folder.st_uid) return;
  throw ConfigError(field,
                    quoted(path) + ", a file of another user in a folder where only its owner replaces it",
                    "a name of your own");
}

void requireOpenable(const std::string& path, const std::string& field) {
  if (::access(path.c_str(), W_OK) == 0) return;
  throw ConfigError(field, quoted(path) + ": " + std::generic_category().message(errno),
                    "something that can be written");
}

[[noreturn]] void refuse(const std::string& path, const std::string& what, OutputNeed need,
                         const std::string& field) {
  throw ConfigError(field, quoted(path) + ", " + what, accepted(need));
}

}  // namespace

PathFacts factsOf(const std::string& path) { return lookAt(path, kMaximumLinks); }

std::string describe(const PathFacts& facts) {
  switch (facts.kind) {
    case PathKind::absent: return "nothing";
    case PathKind::file: return facts.link ? "a symbolic link to a file" : "a regular file";
    case PathKind::folder: return "a folder";
    case PathKind::pipe: return "a pipe";
    case PathKind::characterDevice: return "a character device";
    case PathKind::blockDevice: return "a block device";
    case PathKind::socket: return "a socket";
    case PathKind::descriptor: return "an open descriptor of this process";
    case PathKind::danglingLink: return "a symbolic link to nothing";
    case PathKind::unknown: break;
  }
  return facts.error != 0 ? std::generic_category().message(facts.error) : "something unknown";
}

OutputPlace placeOf(const std::string& path, OutputNeed need, const std::string& field) {
  const PathFacts facts = factsOf(path);
  switch (facts.kind) {
    case PathKind::absent:
    case PathKind::file: break;
    case PathKind::pipe:
    case PathKind::characterDevice:
      if (need != OutputNeed::text) refuse(path, describe(facts), need, field);
      requireOpenable(facts.path, field);
      return {facts.path, true, -1};
    case PathKind::descriptor:
      if (need != OutputNeed::text) refuse(path, describe(facts), need, field);
      return {path, true, facts.descriptor};
    case PathKind::unknown:
      if (facts.error == ENAMETOOLONG) requireShortName(path, field);
      if (facts.error == EINVAL) refuse(path, "a name with a zero byte", need, field);
      requireFolder(path, field);
      refuse(path, describe(facts), need, field);
    default: refuse(path, describe(facts), need, field);
  }
  if (need == OutputNeed::checkpoint && facts.link) refuse(path, describe(facts), need, field);
  requireFolder(facts.path, field);
  requireShortName(facts.path, field);
  requireFreeSides(facts.path, field);
  requireReplaceable(facts.path, field);
  return {facts.path, false, -1};
}

int openInPlace(const OutputPlace& place) {
  const int descriptor = place.descriptor >= 0
                             ? ::fcntl(place.descriptor, F_DUPFD_CLOEXEC, 0)
                             : ::open(place.path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) throwFileError("output " + place.path + ": cannot be opened", errno);
  struct stat status {};
  const bool same = place.descriptor >= 0 || (::fstat(descriptor, &status) == 0 &&
                                              (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)));
  if (same) return descriptor;
  ::close(descriptor);
  throw Error("output " + place.path + ": it is no pipe and no device any more");
}

}  // namespace slicepool
