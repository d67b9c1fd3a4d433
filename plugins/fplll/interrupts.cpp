// See interrupts.hpp.
#include "plugins/fplll/interrupts.hpp"

#include <csignal>

#include <atomic>
#include <exception>
#include <mutex>

namespace slicepool::fplll_plugin {
namespace {

std::atomic<bool> received{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler stores it");

extern "C" void noteInterrupt(int) { received.store(true); }

/// What a search learns of an interrupt when it ends.
struct Interrupt {
  bool came = false;
  bool isOurs = false;  ///< to hand to the program's handler: the last search of those at once does
};

/// The disposition of SIGINT while searches run; the first one changes it and the last one changes it back.
class Disposition {
 public:
  explicit Disposition(Interrupt& interrupt) : interrupt_(interrupt) {
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
    const bool last = --users_ == 0;
    // Looked at afterwards: one that comes before is ours, one that comes after is the program's.
    if (last && kept_) (void)sigaction(SIGINT, &before_, nullptr);
    interrupt_.came = received.load();
    interrupt_.isOurs = last && received.exchange(false);
  }
  Disposition(const Disposition&) = delete;
  Disposition& operator=(const Disposition&) = delete;

 private:
  Interrupt& interrupt_;
  static inline std::mutex mutex_;
  static inline int users_ = 0;
  static inline bool kept_ = false;
  static inline struct sigaction before_ {};
};

}  // namespace

bool withoutInterrupts(const std::function<void(const std::function<bool()>& stopped)>& search) {
  Interrupt interrupt;
  std::exception_ptr error;
  {
    const Disposition disposition(interrupt);
    try {
      search([] { return received.load(); });
    } catch (...) {
      error = std::current_exception();
    }
  }
  // Not while an exception is under way: the handler may jump.
  if (interrupt.isOurs) (void)std::raise(SIGINT);
  if (error) std::rethrow_exception(error);
  return interrupt.came;
}

}  // namespace slicepool::fplll_plugin
