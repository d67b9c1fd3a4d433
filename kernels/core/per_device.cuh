// What does not change while a process lives, asked once for each device. Used by the devices of this folder.
#pragma once

#include <map>
#include <mutex>

namespace slicepool::cuda {

/// Thread-safe. For a variable of static storage.
template <class T>
class PerDevice {
 public:
  /// What `ask()` returns, or has returned for this device. Others wait while one asks.
  template <class Ask>
  [[nodiscard]] T get(int device, const Ask& ask) {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(device);
    return found != values_.end() ? found->second : values_.emplace(device, ask()).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<int, T> values_;
};

}  // namespace slicepool::cuda
