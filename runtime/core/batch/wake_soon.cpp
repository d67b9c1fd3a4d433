// See wake_soon.hpp. The C library has no wrapper of sched_setattr(2) that old systems know.
#include "runtime/core/batch/wake_soon.hpp"

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#endif

namespace slicepool {

void wakeSoon() noexcept {
#if defined(__linux__) && defined(SYS_sched_setattr)
  constexpr std::uint64_t kMinimumSlice = 100'000;  // ns; the kernel refuses less
  struct {
    std::uint32_t size = 48;
    std::uint32_t policy = 0;  // SCHED_OTHER
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = kMinimumSlice;
    std::uint64_t deadline = 0;
    std::uint64_t period = 0;
  } attributes;
  errno = 0;
  attributes.nice = getpriority(PRIO_PROCESS, 0);  // of this thread; it stays
  if (errno == 0) (void)syscall(SYS_sched_setattr, 0, &attributes, 0U);
#endif
}

}  // namespace slicepool
