// See output_guard.hpp.
#include "runtime/io/output_guard.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "runtime/io/descriptor.hpp"
#include "runtime/io/durable_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

constexpr std::string_view kTitle = "slicepool lock\n";
constexpr std::array kSides = {"", ".part", ".tmp", ".lock"};
constexpr std::size_t kMaximumLockLength = 512;
constexpr std::size_t kShownCommand = 80;
/// The holder writes its name right after it has the lock. Looks at the file, a millisecond apart, until the
/// name is there.
constexpr int kLooks = 100;

bool isFile(const OutputRole& role) { return !role.path.empty() && role.path != "-"; }

std::string hostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string contentOf(int descriptor) {
  std::array<char, kMaximumLockLength> buffer{};
  const ssize_t count = ::pread(descriptor, buffer.data(), buffer.size(), 0);
  return {buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
}

/// What another program may have left under this name is not ours to overwrite.
bool isOurs(const std::string& content) {
  const std::size_t common = std::min(content.size(), kTitle.size());
  return content.compare(0, common, kTitle.substr(0, common)) == 0;
}

std::string valueOf(const std::string& content, const std::string& key) {
  const auto at = content.find("\n" + key + " ");
  if (at == std::string::npos) return {};
  const auto begin = at + key.size() + 2;
  const auto end = content.find('\n', begin);
  return end == std::string::npos ? "" : content.substr(begin, end - begin);
}

/// The words of its command line, where this user may read them.
std::string commandOf(const std::string& process) {
  std::ifstream file("/proc/" + process + "/cmdline", std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  while (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& c : text) {
    if (c == '\0') c = ' ';
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '?';
  }
  if (text.size() > kShownCommand) text.replace(kShownCommand - 2, std::string::npos, "..");
  return text;
}

std::string holderOf(int descriptor) {
  std::string process;
  std::string content;
  for (int look = 0; look < kLooks && process.empty(); ++look) {
    if (look != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    content = contentOf(descriptor);
    process = valueOf(content, "process");
  }
  const bool digits = !process.empty() && process.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) return "another process";
  const std::string host = valueOf(content, "host");
  if (host != hostName()) return "process " + process + " on " + host;
  if (process == std::to_string(::getpid())) return "another run of this process (" + process + ")";
  const std::string command = commandOf(process);
  return "process " + process + (command.empty() ? "" : " (" + command + ")");
}

std::string_view withoutSide(std::string_view name) {
  for (const std::string_view side : {".part", ".tmp", ".lock"})
    if (name.ends_with(side)) return name.substr(0, name.size() - side.size());
  return name;
}

/// NAME-00000.npy of NAME.npy, and what is written on the way to it. At least five digits: stream_shape.hpp.
bool isShardOf(const std::string& path, const std::string& output) {
  const auto suffix = output.rfind(".npy");
  if (suffix == std::string::npos) return false;
  const std::string_view tail = std::string_view(output).substr(suffix);
  std::string_view name = withoutSide(path);
  if (!name.starts_with(output.substr(0, suffix) + "-") || !name.ends_with(tail)) return false;
  name.remove_prefix(suffix + 1);
  if (name.size() < tail.size()) return false;
  name.remove_suffix(tail.size());
  return name.size() >= 5 && name.find_first_not_of("0123456789") == std::string::npos;
}

/// One look at the folder: there may be many shards.
void requireFreeShards(const OutputRole& role, const std::string& path) {
  std::error_code code;
  for (std::filesystem::directory_iterator entry(folderOf(path), code), end; !code && entry != end;
       entry.increment(code)) {
    if (!isShardOf(entry->path().string(), path) ||
        entry->symlink_status(code).type() == std::filesystem::file_type::regular)
      continue;
    throw ConfigError(role.field,
                      "\"" + role.path + "\", of which " + entry->path().string() + " would be a part",
                      "a name whose parts are free or regular files");
  }
}

/// A checkpoint is removed when the run is over: what is none must not be lost by a slip of the keyboard. A
/// damaged one that still begins like one is for its reader.
void requireCheckpoint(const OutputRole& role, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 256> buffer{};
  file.read(buffer.data(), buffer.size());
  const std::string_view head(buffer.data(), static_cast<std::size_t>(file.gcount()));
  const bool windows = head.starts_with('{') && head.find("slicepool-windows-") != std::string_view::npos;
  if (head.empty() || head.starts_with("SLPCKPT") || head.starts_with("SLPSTAG") || windows) return;
  throw ConfigError(role.field, "\"" + role.path + "\", a file that is no checkpoint",
                    "a new name, or a checkpoint of slicepool");
}

std::string manifestOf(const std::string& output) {
  return output.substr(0, output.rfind(".npy")) + ".manifest.json";
}

/// Everything that a run writes beside its output, without shards.
std::vector<std::string> namesOf(const std::string& path, bool sharded) {
  std::vector<std::string> names;
  names.reserve(2 * kSides.size());
  for (const char* side : kSides) names.push_back(path + side);
  if (sharded)
    for (const char* side : kSides) names.push_back(manifestOf(path) + side);
  return names;
}

/// Whether an output writes a file of this name, at its end or on its way.
bool writes(const std::string& path, bool sharded, const std::string& name) {
  const auto names = namesOf(path, sharded);
  return std::find(names.begin(), names.end(), name) != names.end() || (sharded && isShardOf(name, path));
}

bool meet(const std::string& path, bool sharded, const std::string& other, bool otherSharded) {
  const auto names = namesOf(path, sharded);
  const auto others = namesOf(other, otherSharded);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return writes(other, otherSharded, name); }) ||
         std::any_of(others.begin(), others.end(),
                     [&](const std::string& name) { return writes(path, sharded, name); });
}

[[noreturn]] void refuseMeeting(const OutputRole& role, const std::string& field) {
  throw ConfigError(role.field, "\"" + role.path + "\", which " + field + " names, too, or writes on its way",
                    "a file of its own");
}

[[noreturn]] void failToLock(const OutputRole& role, const std::string& path, int code) {
  if (isDiskFull(code))
    throw LimitError(role.field + " " + path + ": cannot be made: " + std::generic_category().message(code));
  if (code == ELOOP) {
    throw ConfigError(role.field, "\"" + role.path + "\", whose " + path + " is a symbolic link",
                      "a name beside which no link lies");
  }
  throw ConfigError(role.field,
                    "\"" + role.path + "\": " + path + ": " + std::generic_category().message(code),
                    "a file in a folder that can be written");
}

/// The lock file, open; it may be that of a process that still has it.
int openLock(const OutputRole& role, const std::string& path) {
  constexpr int kFlags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | kFlags, 0666);
  // Another user's: it can be locked all the same.
  if (descriptor < 0 && errno == EACCES) descriptor = ::open(path.c_str(), O_RDONLY | kFlags);
  if (descriptor < 0) failToLock(role, path, errno);
  return descriptor;
}

/// Says who holds it. No room for that on the disk is no reason to stop.
void sign(int descriptor) {
  const std::string text =
      fmt::format("{}process {}\nhost {}\n", kTitle, static_cast<long>(::getpid()), hostName());
  if (::ftruncate(descriptor, 0) != 0) return;
  (void)writeAll(descriptor, text);
}

/// 0, or why the lock was not got.
int tryLock(int descriptor) {
  int code = 0;
  do {
    code = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  } while (code == EINTR);
  return code;
}

}  // namespace

void OutputGuard::claim(std::vector<OutputRole> outputs, std::vector<InputRole> inputs) {
  if (aside_) return;
  std::erase_if(outputs, [](const OutputRole& role) { return !isFile(role); });
  inputs_ = std::move(inputs);
  for (auto& role : outputs) {
    OutputPlace place = placeOf(role.path, role.need, role.field);
    if (role.need == OutputNeed::checkpoint) requireCheckpoint(role, place.path);
    if (role.sharded) {
      (void)placeOf(manifestOf(place.path), OutputNeed::file, role.field);
      requireFreeShards(role, place.path);
    }
    if (!place.inPlace) {
      for (const auto& input : inputs_) {
        const PathFacts facts = input.path.empty() ? PathFacts{} : factsOf(input.path);
        if (facts.kind == PathKind::file && writes(place.path, role.sharded, facts.path))
          refuseMeeting(role, input.field);
      }
      for (const auto& other : claimed_)
        if (!other.place.inPlace && meet(place.path, role.sharded, other.place.path, other.role.sharded))
          refuseMeeting(role, other.role.field);
    }
    claimed_.push_back({std::move(role), std::move(place)});
  }
  retake();
}

void OutputGuard::add(const OutputRole& output) {
  if (aside_ || !isFile(output)) return;
  const OutputPlace place = placeOf(output.path, output.need, output.field);
  for (const auto& other : claimed_) {
    if (other.place.inPlace) continue;
    if (place.path == other.place.path && output.need == other.role.need) return retake();
    if (meet(place.path, output.sharded, other.place.path, other.role.sharded))
      refuseMeeting(output, other.role.field);
  }
  claimed_.push_back({output, place});
  try {
    if (held_)
      lock(claimed_.back());
    else
      take();
  } catch (...) {
    claimed_.pop_back();
    throw;
  }
}

void OutputGuard::resume(const std::string& path, bool savesElsewhere, const std::function<void()>& read) {
  const std::size_t before = claimed_.size();
  addResume(path, savesElsewhere);
  try {
    read();
  } catch (...) {
    while (claimed_.size() > before) {
      const std::string name = claimed_.back().place.path + ".lock";
      std::erase_if(locks_, [&](const Lock& lock) {
        if (lock.path == name) drop(lock);
        return lock.path == name;
      });
      claimed_.pop_back();
    }
    throw;
  }
}

void OutputGuard::addResume(const std::string& path, bool savesElsewhere) {
  const PathFacts facts = factsOf(path);
  const bool file = facts.kind == PathKind::file;
  if (file && savesElsewhere && ::access(folderOf(facts.path).c_str(), W_OK | X_OK) != 0) return;
  // A file that is missing is reported where it is read.
  if (facts.kind == PathKind::absent || (facts.kind == PathKind::unknown && facts.error == ENOENT)) return;
  add({"resume", path, OutputNeed::checkpoint});
}

void OutputGuard::retake() {
  if (!held_) take();
}

/// In one order everywhere: of two runs that share two files, one goes on.
void OutputGuard::take() {
  std::vector<const Claimed*> order;
  for (const auto& claimed : claimed_) order.push_back(&claimed);
  std::sort(order.begin(), order.end(),
            [](const Claimed* a, const Claimed* b) { return a->place.path < b->place.path; });
  held_ = true;
  try {
    for (const Claimed* claimed : order) lock(*claimed);
  } catch (...) {
    release();
    throw;
  }
}

void OutputGuard::lock(const Claimed& claimed) {
  if (claimed.place.inPlace) return;
  const std::string path = claimed.place.path + ".lock";
  for (;;) {
    const int descriptor = openLock(claimed.role, path);
    locks_.push_back({path, descriptor});
    const auto leave = [&] {
      ::close(descriptor);
      locks_.pop_back();
    };
    struct stat status {};
    const int code = ::fstat(descriptor, &status) != 0 ? errno : tryLock(descriptor);
    if (code == EWOULDBLOCK) {
      const std::string holder = holderOf(descriptor);
      leave();
      throw ConfigError(claimed.role.field, "\"" + claimed.role.path + "\", which " + holder + " is writing",
                        "a file that no other run writes; the same one when that process has ended");
    }
    if (!S_ISREG(status.st_mode) || !isOurs(contentOf(descriptor))) {
      leave();
      throw ConfigError(
          claimed.role.field,
          "\"" + claimed.role.path + "\", whose lock would be " + path + ", a file of something else",
          "a name beside which no such file lies");
    }
    if (code != 0) {
      warnings_.push_back(claimed.role.path + " is not safe from a second process: " + path +
                          " cannot be locked: " + std::generic_category().message(code));
    } else if (!namesFile(path, descriptor)) {
      leave();  // its owner ended and removed it in between
      continue;
    }
    sign(descriptor);
    return;
  }
}

void OutputGuard::drop(const Lock& lock) noexcept {
  if (namesFile(lock.path, lock.descriptor)) ::unlink(lock.path.c_str());
  ::close(lock.descriptor);
}

void OutputGuard::release() noexcept {
  for (const auto& lock : locks_) drop(lock);
  locks_.clear();
  held_ = false;
}

bool OutputGuard::inPlace(const std::string& field) const {
  return std::any_of(
      claimed_.begin(), claimed_.end(),
      [&](const Claimed& claimed) { return claimed.role.field == field && claimed.place.inPlace; });
}

}  // namespace slicepool
