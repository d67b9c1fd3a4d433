// See lease.hpp.
#include "runtime/cluster/lease.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "runtime/io/descriptor.hpp"
#include "runtime/io/durable_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::cluster {
namespace {

constexpr std::size_t kMaximumBytes = 4096;
constexpr int kTouchesInLimit = 10;
constexpr std::size_t kHostBytes = 256;

/// What a lease says, with the time of its last touch.
struct Written {
  Process process;
  std::chrono::seconds limit = Lease::kDefaultLimit;
  double age = 0;  ///< seconds since it was touched
};

std::string spaceOfProcesses() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::error_code error;
  const std::string space = std::filesystem::read_symlink("/proc/self/ns/pid", error).string();
  return boot.empty() || error ? "" : boot + " " + space;
}

constexpr std::uint64_t kEnded = std::numeric_limits<std::uint64_t>::max();

/// Of a process on this host; 0: there is none, or /proc is not there; kEnded: nobody has waited for it yet.
std::uint64_t startOf(std::int64_t id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t end = text.rfind(')');  // the name before it may have blanks
  if (end == std::string::npos) return 0;
  std::istringstream fields(text.substr(end + 1));
  std::string field;
  if (fields >> field && (field == "Z" || field == "X")) return kEnded;
  constexpr int kStartField = 20;  // starttime is field 22, and two are before the end of the name
  for (int i = 1; i < kStartField; ++i) fields >> field;
  return std::strtoull(field.c_str(), nullptr, 10);
}

/// Whether process numbers there mean the same as here: not between containers or machines of one name.
bool isHere(const Process& process) {
  const Process own = thisProcess();
  return process.host == own.host && !process.space.empty() && process.space == own.space;
}

/// Of a process that is here.
bool isGone(const Process& process) {
  if (process.id <= 0 || (::kill(static_cast<pid_t>(process.id), 0) != 0 && errno == ESRCH)) return true;
  const std::uint64_t started = startOf(process.id);
  if (started == kEnded) return true;
  return started != 0 && process.started != 0 && started != process.started;
}

std::string contentOf(int descriptor) {
  std::array<char, kMaximumBytes> bytes{};
  const ssize_t count = ::pread(descriptor, bytes.data(), bytes.size(), 0);
  return count > 0 ? std::string(bytes.data(), static_cast<std::size_t>(count)) : std::string();
}

/// A lease that is being written is empty for a moment: its holder is unknown, until it is old.
Written read(int descriptor) {
  Written written;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    written.age = static_cast<double>(now.tv_sec - status.st_mtim.tv_sec) +
                  static_cast<double>(now.tv_nsec - status.st_mtim.tv_nsec) * 1e-9;
  }
  const auto json = nlohmann::json::parse(contentOf(descriptor), nullptr, false);
  if (!json.is_object()) return written;
  const auto integer = [&](const char* key) -> std::uint64_t {
    return json.contains(key) && json[key].is_number_unsigned() ? json[key].get<std::uint64_t>() : 0;
  };
  if (json.contains("host") && json["host"].is_string())
    written.process.host = json["host"].get<std::string>();
  written.process.id = static_cast<std::int64_t>(integer("process"));
  written.process.started = integer("started");
  const auto text = [&](const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
  };
  written.process.space = text("space");
  written.process.job = text("job");
  written.process.restarts = integer("restarts");
  if (const auto limit = integer("limit_seconds"); limit != 0 && limit < (1U << 30U))
    written.limit = std::chrono::seconds(limit);
  return written;
}

LeaseView judge(const Written& written) {
  LeaseView view;
  view.state = LeaseState::held;
  const Process& process = written.process;
  const bool known = !process.host.empty();
  view.holder =
      known ? fmt::format("process {} on {}", process.id, process.host) : "a process that is starting";
  const Process own = thisProcess();
  if (known && !process.job.empty() && process.job == own.job && process.restarts < own.restarts) {
    view.state = LeaseState::stale;
    view.why = "whose job " + process.job + " Slurm has started again";
  } else if (known && isHere(process)) {
    if (!isGone(process)) return view;  // also when it was stopped for long: it goes on one day
    view.state = LeaseState::stale;
    view.why = "which is gone";
  } else if (written.age > static_cast<double>(written.limit.count())) {
    view.state = LeaseState::stale;
    view.why = fmt::format("which was last seen {:.0f} s ago, and {} s are the limit", written.age,
                           written.limit.count());
  }
  return view;
}

/// In place, so that the lock on the file stays one on the lease.
void write(const std::string& path, int descriptor, const std::string& content) {
  int code = ::ftruncate(descriptor, 0) == 0 ? 0 : errno;
  if (code == 0 && ::lseek(descriptor, 0, SEEK_SET) != 0) code = errno;
  if (code == 0) code = writeAll(descriptor, content);
  if (code == 0 && ::fsync(descriptor) != 0) code = errno;
  if (code != 0) throwFileError("lease " + path, code);
}

/// A lease that has its content from its first moment on; false: not here, where the file system has no files
/// without a name. Otherwise a process that is killed in between leaves an empty one, whose holder nobody
/// knows. *taken: whether there was none.
bool makeWholeLease(const std::string& path, const std::string& content, bool* taken) {
  const auto folder = std::filesystem::path(path).parent_path();
  const Descriptor file(folder.empty() ? "." : folder.string(), O_RDWR | O_TMPFILE);
  if (file.get() < 0) return false;
  write(path, file.get(), content);
  const std::string name = "/proc/self/fd/" + std::to_string(file.get());
  *taken = ::linkat(AT_FDCWD, name.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
  return *taken || errno == EEXIST;
}

/// Whether there was none.
bool makeLease(const std::string& path, const std::string& content) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0) return false;
  bool taken = false;
  if (makeWholeLease(path, content, &taken)) return taken;
  const Descriptor made(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
  if (made.get() < 0) {
    if (errno != EEXIST) throwFileError("lease " + path, errno);
    return false;
  }
  try {
    write(path, made.get(), content);
  } catch (...) {  // an empty lease would be held until it is old
    ::unlink(path.c_str());
    throw;
  }
  return true;
}

/// The token tells two leases of one process apart.
std::string contentFor(std::chrono::seconds limit) {
  const Process process = thisProcess();
  std::random_device random;
  const std::uint64_t token = std::uint64_t{random()} << 32U | random();
  const nlohmann::ordered_json json = {{"host", process.host},
                                       {"process", process.id},
                                       {"started", process.started},
                                       {"space", process.space},
                                       {"job", process.job},
                                       {"restarts", process.restarts},
                                       {"limit_seconds", limit.count()},
                                       {"token", fmt::format("{:016x}", token)}};
  return json.dump() + "\n";
}

}  // namespace

Process thisProcess() {
  std::array<char, kHostBytes> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  const std::int64_t id = ::getpid();
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  const std::string restarts = variable("SLURM_RESTART_COUNT");
  return {host.data(),
          id,
          startOf(id),
          spaceOfProcesses(),
          variable("SLURM_JOB_ID"),
          std::strtoull(restarts.c_str(), nullptr, 10)};
}

LeaseView lookAtLease(const std::string& path) {
  const Descriptor file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  return file.get() < 0 ? LeaseView{} : judge(read(file.get()));
}

std::unique_ptr<Lease> Lease::take(const std::string& path, std::chrono::seconds limit, LeaseView* view) {
  const std::string content = contentFor(limit);
  for (;;) {
    if (makeLease(path, content)) return std::unique_ptr<Lease>(new Lease(path, content, limit));
    const Descriptor there(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    if (there.get() < 0) {
      if (errno == ENOENT) continue;  // given back in between
      throwFileError("lease " + path, errno);
    }
    // Where a file system has no locks, the last look below is all there is.
    while (::flock(there.get(), LOCK_EX) != 0 && errno == EINTR) {}
    if (!namesFile(path, there.get())) continue;
    *view = judge(read(there.get()));
    if (view->state != LeaseState::stale) return nullptr;
    try {
      write(path, there.get(), content);
    } catch (...) {  // as for a new one; the lock is still held
      ::unlink(path.c_str());
      throw;
    }
    return std::unique_ptr<Lease>(new Lease(path, content, limit));
  }
}

Lease::Lease(std::string path, std::string content, std::chrono::seconds limit)
    : path_(std::move(path)), content_(std::move(content)), limit_(limit), thread_([this] { touch(); }) {}

Lease::~Lease() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  thread_.join();
  const Descriptor file(path_, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  if (file.get() < 0) return;
  (void)::flock(file.get(), LOCK_EX);
  if (namesFile(path_, file.get()) && contentOf(file.get()) == content_) ::unlink(path_.c_str());
}

bool Lease::isOurs() const {
  const Descriptor file(path_, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  return file.get() >= 0 && contentOf(file.get()) == content_;
}

void Lease::touch() {
  std::unique_lock lock(mutex_);
  const auto pause = std::chrono::duration_cast<std::chrono::milliseconds>(limit_) / kTouchesInLimit;
  while (!wake_.wait_for(lock, pause, [this] { return done_; }))
    if (isOurs()) (void)::utimensat(AT_FDCWD, path_.c_str(), nullptr, 0);
}

}  // namespace slicepool::cluster
