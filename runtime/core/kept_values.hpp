// What several runs of one process make alike, made once: the frontier from which the shards of a search
// start, a reduced basis. A caller that runs shards one after another opens a scope (`slicepool run PLAN
// --shard all`, `slicepool recount`); outside of scopes nothing is kept.
#pragma once

#include <memory>
#include <string>
#include <typeindex>

namespace slicepool {

/// While one lives, values are kept. The last one that ends lets go of them. Any thread.
class KeepValues {
 public:
  KeepValues();
  ~KeepValues();
  KeepValues(const KeepValues&) = delete;
  KeepValues& operator=(const KeepValues&) = delete;
};

/// The value that is kept for this type and key; null: there is none.
[[nodiscard]] std::shared_ptr<const void> keptValue(std::type_index type, const std::string& key);
/// In the place of another one of this type, while there is a scope.
void keepValue(std::type_index type, const std::string& key, std::shared_ptr<const void> value);

/// What `make()` returns, or has returned for the same key. `key` says everything that it depends on. Of each
/// type the last value is kept. Two threads may make the same value at the same time.
template <class Make>
[[nodiscard]] auto keptOrMade(const std::string& key, const Make& make) {
  using Value = decltype(make());
  if (auto kept = keptValue(typeid(Value), key))
    return std::static_pointer_cast<const Value>(std::move(kept));
  auto made = std::make_shared<const Value>(make());
  keepValue(typeid(Value), key, made);
  return made;
}

}  // namespace slicepool
