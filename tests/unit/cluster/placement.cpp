// GPUs of a machine, dealt among the ranks on it.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "runtime/cluster/placement.hpp"

using namespace slicepool::cluster;

TEST_CASE("visible GPUs are those of the list, by any name") {
  CHECK(gpusOfMachine("").empty());
  CHECK(gpusOfMachine("3") == std::vector<std::string>{"3"});
  CHECK(gpusOfMachine("0,GPU-7f2a,2") == std::vector<std::string>{"0", "GPU-7f2a", "2"});
}

TEST_CASE("every GPU belongs to a rank, and every rank has one") {
  CHECK(gpusOfRank({}, 2, 1).empty());
  CHECK(gpusOfRank({"0", "1", "2", "3"}, 1, 0) == "0,1,2,3");
  CHECK(gpusOfRank({"0", "1", "2", "3"}, 2, 1) == "2,3");
  CHECK(gpusOfRank({"4", "6"}, 5, 3) == "6");
  for (std::size_t gpus = 1; gpus <= 8; ++gpus) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < gpus; ++i) names.push_back(std::to_string(i));
    for (int ranks = 1; ranks <= 9; ++ranks) {
      std::multiset<std::string> dealt;
      for (int place = 0; place < ranks; ++place) {
        const auto own = gpusOfMachine(gpusOfRank(names, ranks, place).c_str());
        CHECK_FALSE(own.empty());
        dealt.insert(own.begin(), own.end());
      }
      for (const auto& name : names) CHECK(dealt.count(name) >= 1);
      if (gpus >= static_cast<std::size_t>(ranks)) CHECK(dealt.size() == gpus);
    }
  }
}
