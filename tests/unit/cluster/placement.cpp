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

TEST_CASE("one GPU alone is the entry that the driver counts to, where that is certain") {
  CHECK(gpuAlone(nullptr, 8, 3) == "3");
  CHECK(gpuAlone(nullptr, 8, 0) == "0");
  CHECK(gpuAlone("4,6,GPU-7f2a", 8, 0) == "4");
  CHECK(gpuAlone("4,6,GPU-7f2a", 8, 1) == "6");
  CHECK(gpuAlone("4,6,GPU-7f2a", 8, 2) == "GPU-7f2a");
  CHECK(gpuAlone("MIG-1,MIG-2", 1, 1) == "MIG-2");
}

TEST_CASE("nothing is hidden where there is no other GPU, or the driver may count in another way") {
  CHECK_FALSE(gpuAlone(nullptr, 0, 0));
  CHECK_FALSE(gpuAlone(nullptr, 1, 0));
  CHECK_FALSE(gpuAlone(nullptr, 8, 8));  // not there: the driver's error says what is
  CHECK_FALSE(gpuAlone(nullptr, 8, -1));
  CHECK_FALSE(gpuAlone("", 8, 0));
  CHECK_FALSE(gpuAlone("5", 8, 0));
  CHECK_FALSE(gpuAlone("4,6", 8, 2));
  CHECK_FALSE(gpuAlone("4,-1,6", 8, 2));    // it sees the first one only
  CHECK_FALSE(gpuAlone("4,9,6", 8, 2));     // likewise
  CHECK_FALSE(gpuAlone("4,none,6", 8, 2));  // likewise
  CHECK_FALSE(gpuAlone("4,,6", 8, 2));      // likewise
  CHECK_FALSE(gpuAlone("4,6,4", 8, 1));     // it sees none
  CHECK_FALSE(gpuAlone("4,6", 0, 1));       // how many there are is unknown
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
