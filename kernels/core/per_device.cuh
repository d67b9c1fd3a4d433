// What does not change while a process lives, asked once for each device. Used by the devices of this folder.
#pragma once

#include <map>
#include <mutex>

namespace slicepool::cuda {

/// Thread-safe. For a variable of static storage.
template <class T>
class PerDevice {
 public:
  /// What `ask()` returns, or has returned for this device. Others who want the same wait while one asks.
  template <class Ask>
  [[nodiscard]] T get(int device, const Ask& ask) {
    Value& value = at(device);
    std::call_once(value.asked, [&] { value.answer = ask(); });
    return value.answer;
  }

 private:
  struct Value {
    std::once_flag asked;
    T answer{};
  };

  /// Values stay where they are.
  [[nodiscard]] Value& at(int device) {
    const std::lock_guard lock(mutex_);
    return values_[device];
  }

  std::mutex mutex_;
  std::map<int, Value> values_;
};

}  // namespace slicepool::cuda
