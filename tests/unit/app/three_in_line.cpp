// What JSON members of a no-three-in-line run are refused, and with which words.
#include <doctest/doctest.h>

#include <string>

#include "runtime/app/config/workloads.hpp"
#include "runtime/three_in_line/front_request.hpp"
#include "slicepool/core/error.hpp"

using namespace slicepool;

namespace {

std::string configRefusal(const config::Json& members) {
  config::Json document = {{"workload", "three_in_line"}, {"size", 5}};
  document.update(members);
  try {
    const auto run = config::parseRunConfig(document, config::Strictness::single);
    (void)config::requireWorkload(document).prepare(run, config::Strictness::single);
    return {};
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("wrong members are refused by name, as values and together") {
  const auto startsWith = [](const std::string& text, const std::string& start) {
    CAPTURE(text);
    return text.rfind(start, 0) == 0;
  };
  CHECK(configRefusal({{"size", 5}}).empty());
  for (const config::Json& bad : {config::Json(0), config::Json(33), config::Json(-1), config::Json(2.5),
                                  config::Json("many"), config::Json("33")})
    CHECK(startsWith(configRefusal({{"size", bad}}), "size: got "));
  CHECK(startsWith(configRefusal({{"symmetry", "c3"}}), "symmetry: got "));
  CHECK(startsWith(configRefusal({{"algorithm", "fast"}}), "algorithm: got "));
  CHECK(startsWith(configRefusal({{"first", 0}}), "first: got "));
  CHECK(startsWith(configRefusal({{"shards", 0}}), "shards: got "));
  CHECK(startsWith(configRefusal({{"shards", 4}}), "shard: got nothing with 4 shards"));
  CHECK(startsWith(configRefusal({{"shards", 4}, {"shard", 4}}), "shard: got 4 of 4 shards"));
  CHECK(startsWith(configRefusal({{"shard", 0}}), "shard: got 0 without shards"));
  CHECK(startsWith(configRefusal({{"shards", 4}, {"shard", 1}, {"first", 1}}), "first: got "));
  CHECK(startsWith(configRefusal({{"shards", 4}, {"shard", 1}, {"output", {{"path", "a.svg"}}}}),
                   "output.path: got "));
  CHECK(startsWith(configRefusal({{"output", {{"path", "a.png"}}}}), "output.path: got "));
  CHECK(startsWith(configRefusal({{"output", {{"path", "/nowhere/a.svg"}}}}), "output.path: got "));
  CHECK(startsWith(configRefusal({{"record", "/nowhere/a.json"}}), "record: got "));
  CHECK(startsWith(configRefusal({{"first", 2}, {"record", "a.json"}}), "record: got "));
  CHECK(startsWith(configRefusal({{"generators", {1, 2}}}), "generators: got an unknown key"));
}
