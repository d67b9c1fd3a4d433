// Fibers: many flows of control on one thread, each with a stack of its own, that hand over to each other
// when they wait. A hand-over takes a fraction of a microsecond, where threads take five to ten. Not where
// sanitizers look at stacks.
#pragma once

#include <sys/mman.h>
#include <ucontext.h>

#include <cxxabi.h>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace slicepool::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kFibers = false;
#else
inline constexpr bool kFibers = true;
#endif

class Fibers {
 public:
  /// What is a thread's elsewhere.
  struct Local {
    std::uint64_t time = 0;
    int rank = 0;
  };
  /// Released once for each acquire; any fiber may do either.
  class Turn {
   public:
    void acquire(Fibers& fibers) {
      while (!released_) {
        waiting_ = fibers.current_;
        fibers.switchTo(fibers.main_);
      }
      released_ = false;
      waiting_ = nullptr;
    }
    void release(Fibers& fibers) {
      released_ = true;
      if (waiting_ != nullptr) fibers.runnable_.push_back(waiting_);
      waiting_ = nullptr;
    }

   private:
    void* waiting_ = nullptr;
    bool released_ = false;
    friend class Fibers;
  };

  Fibers() = default;
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  /// A new fiber, which begins when others wait. `body` must not throw.
  void start(std::function<void()> body) {
    auto fiber = std::make_unique<Fiber>();
    fiber->owner = this;
    fiber->body = std::move(body);
    fiber->stack = takeStack();
    getcontext(&fiber->context.state);
    fiber->context.state.uc_stack.ss_sp = fiber->stack;
    fiber->context.state.uc_stack.ss_size = kStackBytes;
    fiber->context.state.uc_link = nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(fiber.get());
    makecontext(&fiber->context.state, reinterpret_cast<void (*)()>(&Fibers::enter), 2,
                static_cast<unsigned>(address >> 32U), static_cast<unsigned>(address));
    runnable_.push_back(fiber.get());
    all_.push_back(std::move(fiber));
  }
  /// Calls loop(0) .. loop(count - 1), each on a fiber, and returns when all have returned. From a fiber.
  void startAll(std::size_t count, const std::function<void(std::size_t)>& loop) {
    Turn done;
    std::size_t left = count;
    for (std::size_t i = 0; i < count; ++i)
      start([&, i] {
        loop(i);
        if (--left == 0) done.release(*this);
      });
    done.acquire(*this);
  }
  /// Runs fibers until each has ended or waits for ever. True: all have ended.
  bool run() {
    while (!runnable_.empty()) {
      auto* const next = static_cast<Fiber*>(runnable_.front());
      runnable_.pop_front();
      current_ = next;
      exchange(main_, next->context);
      current_ = nullptr;
      if (next->ended) giveStack(std::exchange(next->stack, nullptr));
    }
    for (const auto& fiber : all_)
      if (!fiber->ended) return false;
    return true;
  }
  [[nodiscard]] Local& local() { return static_cast<Fiber*>(current_)->local; }

 private:
  static constexpr std::size_t kStackBytes = std::size_t{256} << 10;

  /// A flow of control that is not running, and the exceptions that it is handling: catch blocks may wait.
  struct Context {
    ucontext_t state{};
    struct Handling {
      void* caught = nullptr;
      unsigned int uncaught = 0;
    } handling;
  };
  struct Fiber {
    Fibers* owner = nullptr;
    std::function<void()> body;
    Context context;
    void* stack = nullptr;
    bool ended = false;
    Local local;
  };

  static Context::Handling& handled() {
    return *reinterpret_cast<Context::Handling*>(abi::__cxa_get_globals());
  }
  static void exchange(Context& from, Context& to) {
    from.handling = std::exchange(handled(), to.handling);
    swapcontext(&from.state, &to.state);
  }
  void switchTo(Context& main) { exchange(static_cast<Fiber*>(current_)->context, main); }
  static void enter(unsigned high, unsigned low) {
    auto* const fiber = reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32U | low);
    fiber->body();
    fiber->ended = true;
    fiber->owner->switchTo(fiber->owner->main_);
    std::abort();  // it has ended
  }

  /// Of earlier fibers: memory that was touched before.
  static std::vector<void*>& stacks() {
    thread_local std::vector<void*> unused;
    return unused;
  }
  static void* takeStack() {
    if (!stacks().empty()) {
      void* const stack = stacks().back();
      stacks().pop_back();
      return stack;
    }
    void* const stack =
        mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) throw std::bad_alloc();
    return stack;
  }
  static void giveStack(void* stack) { stacks().push_back(stack); }

  Context main_;
  void* current_ = nullptr;  ///< a Fiber
  std::deque<void*> runnable_;
  std::vector<std::unique_ptr<Fiber>> all_;
};

}  // namespace slicepool::test
