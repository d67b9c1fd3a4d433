// See interrupts.hpp.
#include "plugins/fplll/interrupts.hpp"

#include <csignal>

#include <atomic>
#include <mutex>

namespace slicepool::fplll_plugin {
namespace {

std::atomic<bool> received{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler stores it");

extern "C" void noteInterrupt(int) { received.store(true); }

/// The disposition of SIGINT while searches run; the first one changes it and the last one changes it back.
class Disposition {
 public:
  Disposition() {
    const std::lock_guard lock(mutex_);
    if (users_++ > 0) return;
    received = false;
    (void)sigaction(SIGINT, nullptr, &before_);
    kept_ = (before_.sa_flags & SA_SIGINFO) != 0 ||
            (before_.sa_handler != SIG_DFL && before_.sa_handler != SIG_IGN);
    if (!kept_) return;
    struct sigaction action {};
    action.sa_handler = noteInterrupt;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    (void)sigaction(SIGINT, &action, nullptr);
  }
  ~Disposition() {
    const std::lock_guard lock(mutex_);
    if (--users_ == 0 && kept_) (void)sigaction(SIGINT, &before_, nullptr);
  }
  Disposition(const Disposition&) = delete;
  Disposition& operator=(const Disposition&) = delete;

 private:
  static inline std::mutex mutex_;
  static inline int users_ = 0;
  static inline bool kept_ = false;
  static inline struct sigaction before_ {};
};

}  // namespace

bool withoutInterrupts(const std::function<void(const std::function<bool()>& stopped)>& search) {
  bool interrupted = false;
  {
    const Disposition disposition;
    search([] { return received.load(); });
    interrupted = received.load();
  }
  if (interrupted) (void)std::raise(SIGINT);
  return interrupted;
}

}  // namespace slicepool::fplll_plugin
