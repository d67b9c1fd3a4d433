// Runs the built command and catches what it prints. Used by the tests of the command line.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/temporary_folder.hpp"
#include "support/text.hpp"

namespace slicepool::test {

struct CommandResult {
  int code = -1;  ///< exit code; 128 + signal when killed
  std::string out;
  std::string err;
};

inline std::string commandPath() {
  const char* path = std::getenv("SLICEPOOL_COMMAND");
  if (path == nullptr)
    throw std::runtime_error("SLICEPOOL_COMMAND must be the path of the slicepool command");
  return path;
}

/// A started command; its output goes to files of a temporary folder.
class RunningCommand {
 public:
  /// `fileBytes`: the largest file that it may write; 0: any.
  explicit RunningCommand(const std::vector<std::string>& arguments, rlim_t fileBytes = 0) {
    std::vector<std::string> words = {commandPath()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const std::string out = folder_.path("out");
    const std::string err = folder_.path("err");
    child_ = fork();
    if (child_ == 0) {
      dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
      dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
      if (fileBytes != 0) {
        const rlimit limit{fileBytes, fileBytes};
        setrlimit(RLIMIT_FSIZE, &limit);
      }
      execv(pointers[0], pointers.data());
      _exit(127);
    }
  }
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;
  ~RunningCommand() {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
  }

  [[nodiscard]] pid_t process() const { return child_; }
  [[nodiscard]] bool running() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
  }
  void signal(int number) const { kill(child_, number); }
  [[nodiscard]] bool hasOutput() const {
    std::error_code notYet;
    const auto bytes = std::filesystem::file_size(folder_.path("out"), notYet);
    return !notYet && bytes != 0;
  }
  [[nodiscard]] std::string errorsSoFar() const { return contentOf(folder_.path("err")); }

  CommandResult wait() {
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {code, contentOf(folder_.path("out")), contentOf(folder_.path("err"))};
  }

 private:
  TemporaryFolder folder_;
  pid_t child_ = -1;
};

/// Looks again and again until something is there. Without an end of its own: CTest has one.
template <class Condition>
void waitUntil(Condition&& condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

/// While it lives, commands see a machine without GPUs.
class NoGpus {
 public:
  NoGpus() { setenv("CUDA_VISIBLE_DEVICES", "", 1); }
  ~NoGpus() {
    if (before_)
      setenv("CUDA_VISIBLE_DEVICES", before_->c_str(), 1);
    else
      unsetenv("CUDA_VISIBLE_DEVICES");
  }
  NoGpus(const NoGpus&) = delete;
  NoGpus& operator=(const NoGpus&) = delete;

 private:
  std::optional<std::string> before_ = std::getenv("CUDA_VISIBLE_DEVICES") == nullptr
                                           ? std::optional<std::string>()
                                           : std::getenv("CUDA_VISIBLE_DEVICES");
};

inline CommandResult runCommand(const std::vector<std::string>& arguments, rlim_t fileBytes = 0) {
  return RunningCommand(arguments, fileBytes).wait();
}

/// `slicepool factorizations` with generators and element, then more options.
inline CommandResult factorizations(const std::string& generators, const std::string& element,
                                    std::vector<std::string> more = {}) {
  std::vector<std::string> words = {"factorizations", "--generators", generators, "--element", element};
  words.insert(words.end(), more.begin(), more.end());
  return runCommand(words);
}

/// Standard output as the one JSON object that it must be: one line, nothing after it.
inline nlohmann::json onlyObject(const std::string& text) {
  const auto value = nlohmann::json::parse(text);
  if (!value.is_object() || text.find('\n') != text.size() - 1)
    throw std::runtime_error("not exactly one JSON object on one line: " + text);
  return value;
}

/// The path of a file of tests/data.
inline std::string dataFile(const std::string& name) {
  const char* source = std::getenv("SLICEPOOL_SOURCE_DIR");
  if (source == nullptr) throw std::runtime_error("SLICEPOOL_SOURCE_DIR must be the folder of the sources");
  return std::string(source) + "/tests/data/" + name;
}

/// Builds with libzstd can be asked for .npy.zst.
inline bool writesZstd() {
  const TemporaryFolder folder;
  const auto run = runCommand({"factorizations", "--generators", "6,9", "--element", "60", "--sink", "rows",
                               "--output", folder.path("a.npy.zst")});
  return run.code == 0;
}

}  // namespace slicepool::test
