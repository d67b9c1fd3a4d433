// See setup_stop.hpp.
#include "cpu_workers/core/setup_stop.hpp"

#include <utility>

namespace slicepool {
namespace {

thread_local const SetupGuard* innermost = nullptr;

}  // namespace

SetupGuard::SetupGuard(std::function<std::string()> whyStop)
    : whyStop_(std::move(whyStop)), outer_(innermost) {
  innermost = this;
}

SetupGuard::~SetupGuard() { innermost = outer_; }

const SetupGuard* SetupGuard::current() { return innermost; }

void SetupGuard::check() const {
  if (const std::string why = whyStop_(); !why.empty()) throw SetupStopped(why);
}

}  // namespace slicepool
