// See kept_values.hpp.
#include "runtime/core/kept_values.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace slicepool {
namespace {

struct Kept {
  std::string key;
  std::shared_ptr<const void> value;
};

struct KeptValues {
  std::mutex mutex;
  int scopes = 0;
  std::unordered_map<std::type_index, Kept> values;
};

KeptValues& all() {
  static KeptValues values;
  return values;
}

}  // namespace

KeepValues::KeepValues() {
  const std::lock_guard lock(all().mutex);
  ++all().scopes;
}

KeepValues::~KeepValues() {
  std::unordered_map<std::type_index, Kept> released;  // without the lock
  const std::lock_guard lock(all().mutex);
  if (--all().scopes == 0) released.swap(all().values);
}

std::shared_ptr<const void> keptValue(std::type_index type, const std::string& key) {
  const std::lock_guard lock(all().mutex);
  const auto found = all().values.find(type);
  return found != all().values.end() && found->second.key == key ? found->second.value : nullptr;
}

void keepValue(std::type_index type, const std::string& key, std::shared_ptr<const void> value) {
  const std::lock_guard lock(all().mutex);
  if (all().scopes != 0) all().values[type] = {key, std::move(value)};
}

}  // namespace slicepool
