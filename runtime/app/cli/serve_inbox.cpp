// See serve_inbox.hpp.
#include "runtime/app/cli/serve_inbox.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "slicepool/core/error.hpp"

namespace slicepool::cli {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 20;  // as files of configurations
/// More stay in the pipe, so that a client that sends without reading is held up instead of filling the
/// memory.
constexpr std::size_t kMaximumWaiting = 1024;

sigset_t stopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

bool isBlank(const std::string& text) { return text.find_first_not_of(" \t\r") == std::string::npos; }

}  // namespace

void blockServeSignals() {
  const sigset_t set = stopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  (void)::signal(SIGPIPE, SIG_IGN);  // writes say it
}

ServeInbox::ServeInbox(int in, int out) : in_(in), out_(out) {
  const sigset_t set = stopSignals();
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (signals_ < 0 || wake_ < 0) throw Error("serve: the system refused a descriptor");
  reader_ = std::thread([this] { read(); });
}

ServeInbox::~ServeInbox() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wakeReader();
  reader_.join();
  close(signals_);
  close(wake_);
}

std::optional<ServeTicket> ServeInbox::next() {
  std::unique_lock lock(mutex_);
  came_.wait(lock, [this] { return !waiting_.empty() || ended_; });
  if (waiting_.empty()) return std::nullopt;
  ServeTicket ticket = std::move(waiting_.front());
  waiting_.pop_front();
  runningId_ = ticket.id;
  running_ = ticket.stop;
  lock.unlock();
  wakeReader();
  return ticket;
}

void ServeInbox::answered() {
  const std::lock_guard lock(mutex_);
  runningId_.reset();
  running_.reset();
}

void ServeInbox::wakeReader() const {
  const std::uint64_t one = 1;
  const auto written = write(wake_, &one, sizeof one);
  (void)written;  // full: the reader will wake all the same
}

bool ServeInbox::isFull() {
  const std::lock_guard lock(mutex_);
  return waiting_.size() >= kMaximumWaiting;
}

void ServeInbox::read() {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (closing_) return;
    }
    std::array<pollfd, 4> files{{{wake_, POLLIN, 0}, {signals_, POLLIN, 0}, {out_, 0, 0}, {in_, POLLIN, 0}}};
    if (!reading_ || isFull()) files[3].fd = -1;  // poll(2) leaves it out
    if (poll(files.data(), files.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return end();
    }
    if (files[0].revents != 0) {
      std::uint64_t count = 0;
      const auto taken = ::read(wake_, &count, sizeof count);
      (void)taken;
    }
    // A request that came before a signal is cancelled by it.
    if (files[3].revents != 0) readSome();
    if (files[1].revents != 0) takeSignal();
    if (files[2].revents != 0) {  // an error of a pipe: its reader is gone
      cancelAll();
      out_ = -1;
    }
  }
}

void ServeInbox::readSome() {
  std::array<char, 1 << 16> block;
  const ssize_t count = ::read(in_, block.data(), block.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) {
    if (!text_.empty() && !skipping_) readLine(std::exchange(text_, {}));
    return end();
  }
  const std::string_view read(block.data(), static_cast<std::size_t>(count));
  for (std::size_t begin = 0; begin < read.size();) {
    const std::size_t newline = read.find('\n', begin);
    const std::string_view part = read.substr(begin, newline - begin);
    if (!skipping_) text_ += part;
    if (text_.size() > kLongestLine) {
      text_ = {};
      skipping_ = true;
      ServeTicket ticket;
      ticket.error = std::make_exception_ptr(
          ConfigError("line", "more than " + std::to_string(kLongestLine) + " bytes", "shorter lines"));
      add(std::move(ticket));
    }
    if (newline == std::string_view::npos) return;
    if (!skipping_) readLine(text_);
    text_.clear();
    skipping_ = false;
    begin = newline + 1;
  }
}

void ServeInbox::readLine(const std::string& text) {
  if (isBlank(text)) return;
  ServeTicket ticket;
  try {
    config::Json document = config::parseJson(text, "line");
    ticket.id = idOfLine(document);
    ticket.line = parseServeLine(std::move(document));
  } catch (...) {
    ticket.error = std::current_exception();
    return add(std::move(ticket));
  }
  if (!ticket.line.cancel) return add(std::move(ticket));
  const std::lock_guard lock(mutex_);
  if (running_ != nullptr && runningId_ == ticket.line.cancel) running_->request();
  for (const auto& waiting : waiting_)
    if (waiting.id == ticket.line.cancel) waiting.stop->request();
}

void ServeInbox::takeSignal() {
  signalfd_siginfo info{};
  while (::read(signals_, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGTERM) {
      cancelAll();
      continue;
    }
    const std::lock_guard lock(mutex_);
    if (running_ != nullptr)
      running_->request();
    else if (!waiting_.empty())
      waiting_.front().stop->request();
  }
}

void ServeInbox::cancelAll() {
  {
    const std::lock_guard lock(mutex_);
    if (running_ != nullptr) running_->request();
    for (const auto& waiting : waiting_) waiting.stop->request();
  }
  end();
}

void ServeInbox::add(ServeTicket ticket) {
  const std::lock_guard lock(mutex_);
  bool taken = ticket.id && running_ != nullptr && runningId_ == ticket.id;
  for (const auto& waiting : waiting_) taken = taken || (ticket.id && waiting.id == ticket.id);
  if (taken) {
    ticket.error = std::make_exception_ptr(
        ConfigError("id", std::to_string(*ticket.id),
                    "an id of its own, as long as the request that has it is not answered"));
    ticket.id.reset();
  }
  waiting_.push_back(std::move(ticket));
  came_.notify_all();
}

void ServeInbox::end() {
  reading_ = false;
  const std::lock_guard lock(mutex_);
  ended_ = true;
  came_.notify_all();
}

}  // namespace slicepool::cli
