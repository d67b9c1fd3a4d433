// See process_clock.hpp.
#include "runtime/app/cli/process_clock.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace slicepool::cli {
namespace {

double secondsOf(clockid_t clock) {
  timespec time{};
  return clock_gettime(clock, &time) == 0
             ? static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec)
             : 0;
}

/// Field 22 of /proc/self/stat, in seconds since the machine was started; negative where it is not known.
double startOfProcess() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  const auto name = text.rfind(')');  // the name may have blanks
  if (name == std::string::npos) return -1;
  std::istringstream fields(text.substr(name + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  double ticks = -1;
  const long perSecond = sysconf(_SC_CLK_TCK);
  return fields >> ticks && perSecond > 0 ? ticks / static_cast<double>(perSecond) : -1;
}

/// The kernel notes the start in hundredths of a second, rounded down. The time that this process has had on
/// a CPU says how much of the last hundredth belongs to it, at least.
double secondsSinceStart() {
  constexpr double kTick = 0.01;
  const double used = secondsOf(CLOCK_PROCESS_CPUTIME_ID);
  const double start = startOfProcess();
  const double most = secondsOf(CLOCK_BOOTTIME) - start;
  if (start < 0 || most < 0) return used;
  return std::clamp(used, std::max(0.0, most - kTick), most);
}

}  // namespace

const std::shared_ptr<PhaseClock>& processClock() {
  static const auto clock = std::make_shared<PhaseClock>(secondsSinceStart());
  return clock;
}

}  // namespace slicepool::cli
