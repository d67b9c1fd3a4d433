// Shards of integer points as `slicepool merge` takes them: those of other search rules are refused.
#include <doctest/doctest.h>

#include "runtime/app/config/run_config.hpp"
#include "runtime/integer_points/front_shards.hpp"
#include "slicepool/core/error.hpp"

using namespace slicepool;

TEST_CASE(
    "integer points: shards of a plan by earlier rules, which counted long lines wrong, are not merged") {
  const config::Json document =
      config::parseJson(R"({"workload": "integer_points", "matrix": [[1, 1]], "right_side": [5]})", "test");
  const config::RunConfig run = config::parseRunConfig(document, config::Strictness::single);
  const config::Json rule = {{"kind", "frontier"}, {"search_rules", 2}};
  CHECK_THROWS_WITH_AS(
      (void)config::pointShards().merge({run, rule, {}}),
      "search_rules: got 2; accepted: 3, those of this program: make the plan and its shards again",
      ConfigError);
}
