// A small terminal: a pseudo-terminal of a given size that a command runs on, and what its screen shows.
// Included by tests of the command line.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace slicepool::test {

/// Lines as a terminal of `width` columns shows them: carriage return, line feed, "erase to the end of the
/// line" and colours are understood. A character beyond the last column goes to the next line, as in a
/// terminal, and is counted.
class Screen {
 public:
  explicit Screen(std::size_t width) : width_(width) {}

  void resize(std::size_t width) { width_ = width; }
  void write(const std::string& bytes) {
    for (const char c : bytes) put(c);
  }
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  [[nodiscard]] const std::string& current() const { return lines_.back(); }
  [[nodiscard]] int wraps() const { return wraps_; }

 private:
  void put(char c) {
    if (!escape_.empty()) return putEscape(c);
    std::string& line = lines_.back();
    if (c == '\033') {
      escape_ = "\033";
    } else if (c == '\r') {
      column_ = 0;
    } else if (c == '\n') {
      lines_.emplace_back();
      column_ = 0;
    } else {
      if (column_ >= width_) {
        ++wraps_;
        lines_.emplace_back();
        column_ = 0;
        return put(c);
      }
      if (line.size() <= column_) line.resize(column_ + 1, ' ');
      line[column_++] = c;
    }
  }

  void putEscape(char c) {
    escape_ += c;
    if (escape_.size() == 2 || c < '@') return;  // "\033[" and its numbers
    if (c == 'K') lines_.back().resize(std::min(lines_.back().size(), column_));
    escape_.clear();
  }

  std::size_t width_;
  std::size_t column_ = 0;
  int wraps_ = 0;
  std::string escape_;
  std::vector<std::string> lines_{""};
};

/// A command whose standard error, and standard output, is a terminal.
class TerminalCommand {
 public:
  TerminalCommand(const std::vector<std::string>& words, unsigned short width) : screen_(width) {
    master_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0)
      throw std::runtime_error("no pseudo-terminal");
    resize(width);
    const int slave = open(ptsname(master_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios plain{};
    tcgetattr(slave, &plain);
    cfmakeraw(&plain);
    plain.c_oflag |= OPOST | ONLCR;  // a line feed begins a new line, as on every terminal
    tcsetattr(slave, TCSANOW, &plain);
    child_ = fork();
    if (child_ == 0) {
      dup2(slave, STDOUT_FILENO);
      dup2(slave, STDERR_FILENO);
      std::vector<char*> pointers;
      for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
      pointers.push_back(nullptr);
      execv(pointers[0], pointers.data());
      _exit(127);
    }
    close(slave);
  }
  TerminalCommand(const TerminalCommand&) = delete;
  TerminalCommand& operator=(const TerminalCommand&) = delete;
  ~TerminalCommand() {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    close(master_);
  }

  void resize(unsigned short width) {
    winsize size{};
    size.ws_row = 24;
    size.ws_col = width;
    ioctl(master_, TIOCSWINSZ, &size);
    screen_.resize(width);
  }
  void signal(int number) const { kill(child_, number); }
  [[nodiscard]] const Screen& screen() const { return screen_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

  /// Reads more of what the command writes; false when it has closed its terminal.
  bool read() {
    char buffer[4096];
    const ssize_t got = ::read(master_, buffer, sizeof buffer);
    if (got <= 0) return false;
    const std::string piece(buffer, static_cast<std::size_t>(got));
    bytes_ += piece;
    screen_.write(piece);
    return true;
  }
  /// To the end; the exit code.
  int wait() {
    while (read()) {}
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  Screen screen_;
  std::string bytes_;
  int master_ = -1;
  pid_t child_ = -1;
};

}  // namespace slicepool::test
