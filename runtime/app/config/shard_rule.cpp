// See shard_rule.hpp.
#include "runtime/app/config/shard_rule.hpp"

#include "slicepool/core/error.hpp"

namespace slicepool::config {

void refuseMembers(const Json& document, const std::vector<std::string>& names, const std::string& accepted) {
  for (const auto& name : names)
    if (const Json* value = findMember(document, name))
      throw ConfigError(name, describeValue(*value) + " in a plan", accepted);
}

}  // namespace slicepool::config
