// fplll's file of strategies: what is read is what fplll itself reads, up to any block size, and a file that
// is none says why.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include <fplll/fplll.h>

#include "runtime/lattice/strategies.hpp"
#include "runtime/lattice/strategy_file.hpp"
#include "slicepool/core/error.hpp"
#include "support/temporary_folder.hpp"

using namespace slicepool;
using namespace slicepool::lattice;

namespace {

bool same(const fplll::PruningParams& a, const fplll::PruningParams& b) {
  return a.gh_factor == b.gh_factor && a.coefficients == b.coefficients && a.expectation == b.expectation &&
         a.metric == b.metric && a.detailed_cost == b.detailed_cost;
}

bool same(const fplll::Strategy& a, const fplll::Strategy& b) {
  return a.block_size == b.block_size && a.preprocessing_block_sizes == b.preprocessing_block_sizes &&
         std::equal(
             a.pruning_parameters.begin(), a.pruning_parameters.end(), b.pruning_parameters.begin(),
             b.pruning_parameters.end(), [](const auto& x, const auto& y) { return same(x, y); });
}

}  // namespace

TEST_CASE("lattice strategies: the file says what fplll reads in it") {
  const std::string path = fplll::strategy_full_path(fplll::default_strategy());
  if (!std::ifstream(path).good()) return;
  const std::vector<fplll::Strategy> all = fplll::load_strategies_json(path);
  REQUIRE(all.size() > 60);
  for (const int largest : {0, 1, 20, 45, 1000}) {
    INFO("up to " << largest);
    const std::vector<fplll::Strategy> read = readStrategyFile(path, largest);
    REQUIRE(read.size() == std::min(all.size(), static_cast<std::size_t>(largest) + 1));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < read.size(); ++i) wrong += same(read[i], all[i]) ? 0U : 1U;
    CHECK(wrong == 0);
  }
}

TEST_CASE("lattice strategies: lists that were given out stay when a longer one is read") {
  if (!std::ifstream(fplll::strategy_full_path(fplll::default_strategy())).good()) return;
  std::vector<fplll::Strategy>& first = strategies(11);
  const std::size_t before = first.size();
  CHECK(before > 11);
  CHECK(strategies(73).size() > 73);
  CHECK(first.size() == before);
  CHECK(&strategies(12) == &strategies(73));
  // fplll reads the strategy of a block of any size.
  const std::vector<fplll::Strategy>& all = strategies(160);
  REQUIRE(all.size() > 160);
  CHECK(all[160].block_size == 160);
  CHECK(all[160].preprocessing_block_sizes.empty());
  CHECK(all[160].get_pruning(1, 1).expectation == 1);
}

TEST_CASE("lattice strategies: a file that is none says what is wrong in it") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("strategies.json");
  const auto fault = [&](const std::string& text) {
    std::ofstream(path) << text;
    try {
      (void)readStrategyFile(path, 10);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const auto strategy = [](const std::string& members) { return "[{\"block_size\": 0, " + members + "}]"; };
  const std::string tours = "\"preprocessing_block_sizes\": ";
  const std::string prunings = "\"pruning_parameters\": ";
  CHECK(fault(strategy(tours + "[], " + prunings + R"([[1, [1.0], 0.5, "solutions", [3]]])")) == "none");
  CHECK(fault("[]") == "none");
  for (const std::string& text : {std::string(), std::string("["), std::string("[{\"block_size\": 0")})
    CHECK(fault(text).find("parse error") != std::string::npos);
  CHECK(fault("{}") == "an object is not expected in block size 0");
  CHECK(fault("3") == "a number is not expected in block size 0");
  CHECK(fault("[[]]") == "an array is not expected in block size 0");
  CHECK(fault("[{\"block_size\": 1}]") == "1 is not expected in block size 0");
  CHECK(fault("[{\"size\": 0}]") == "\"size\" is not expected in block size 0");
  CHECK(fault(strategy(tours + "[0]")) == "0 is not expected in block size 0");
  CHECK(fault(strategy(tours + "[[]]")) == "an array is not expected in block size 0");
  CHECK(fault(strategy(tours + "null")) == "null is not expected in block size 0");
  CHECK(fault(strategy(prunings + "[1]")) == "a number is not expected in block size 0");
  CHECK(fault(strategy(prunings + "[[1]]")) == "an end is not expected in block size 0");
  CHECK(fault(strategy(prunings + "[[[1]]]")) == "an array is not expected in block size 0");
  CHECK(fault(strategy(prunings + R"([[1, [], 1, "other", []]])")) ==
        "\"other\" is not expected in block size 0");
  CHECK(fault(strategy(prunings + R"([["solutions"]])")) == "a text is not expected in block size 0");
  CHECK(fault(strategy(prunings + R"([[1, [true]]])")) == "a truth value is not expected in block size 0");
}
