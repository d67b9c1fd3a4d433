// What a search for a shortest vector does next, and which trees wait for devices: decisions of pure
// functions.
#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

#include "runtime/svp/balance.hpp"
#include "runtime/svp/fixed_rates.hpp"

using namespace slicepool;

TEST_CASE("trials go on while they are expected to save more than they take") {
  svp::Situation now;
  now.exact = true;
  now.dimension = 60;
  now.squaredRadius = now.provenRadius = now.gaussianSquaredRadius = 1;
  now.trialProbability = 0.5;
  now.trialSeconds = 1;
  now.proofSeconds = 1000;
  now.proofLimit = 2000;
  CHECK(svp::nextStep(now) == svp::Next::trials);
  now.proofSeconds = 2;  // half a vector is expected: the proof is as cheap as the trials
  CHECK(svp::nextStep(now) == svp::Next::proof);
  now.proofSeconds = 1000;
  now.failure = 0.009;
  CHECK(svp::nextStep(now) == svp::Next::proof);
  now.proofSeconds = 3000;
  CHECK(svp::nextStep(now) == svp::Next::end);
  now.failure = 0.5;
  CHECK(svp::nextStep(now) == svp::Next::trials);
  now.exact = false;  // far below the minimum there is nothing that trials could find
  now.squaredRadius = 0.1;
  now.proofSeconds = 5;
  CHECK(svp::nextStep(now) == svp::Next::proof);
  CHECK(svp::expectedVectors(50, 1.1 * 1.1, 1) == doctest::Approx(std::pow(1.1, 50) / 2));
  CHECK(svp::expectedVectors(50, svp::sufficientSquaredRadius(50, 7), 7) == doctest::Approx(5));
}

TEST_CASE("many vectors are counted on until ten had to be found") {
  CHECK(svp::vectorsToCountOn(65, 1) == 65);
  CHECK(svp::vectorsToCountOn(65, std::exp(-9.9 / 65)) == 65);
  CHECK(svp::vectorsToCountOn(65, std::exp(-10.1 / 65)) == 0);
  CHECK(svp::vectorsToCountOn(65, 0) == 0);
  CHECK(svp::vectorsToCountOn(1e-300, 1e-300) == 1e-300);  // few are never refuted by trials
}

TEST_CASE("the price of a reduction ends where trees take as long as cores need for the next basis") {
  constexpr double kReduction = 2e8;
  // A pruner whose trees grow with some power of the price, and are right at `wanted`.
  for (const double power : {0.2, 0.5, 0.9}) {
    for (const double wanted : {0.12, 0.2, 4.0, 25.0}) {
      INFO("power " << power << ", wanted " << wanted);
      const auto nodesAt = [&](double price) { return 1.4 * kReduction * std::pow(price / wanted, power); };
      double price = 1;
      int prunings = 0;
      while (prunings < 12 && (prunings == 0 || !svp::isBalanced(nodesAt(price), kReduction))) {
        price = svp::balancingPrice(price, nodesAt(price), kReduction);
        ++prunings;
      }
      CHECK(svp::isBalanced(nodesAt(price), kReduction));
      CHECK(std::abs(std::log(price / wanted)) < std::abs(std::log(wanted)));  // nearer than at the start
    }
  }
  // Where no price is enough it stays within bounds.
  CHECK(svp::balancingPrice(1, 1, kReduction) == 30);
  CHECK(svp::balancingPrice(1, 1e20, kReduction) == 0.1);
}

TEST_CASE("trees are as large as they should be within a factor of 1.5") {
  CHECK(svp::isBalanced(1.4e8, 1e8));
  CHECK(svp::isBalanced(2e8, 1e8));
  CHECK(svp::isBalanced(1e8, 1e8));
  CHECK_FALSE(svp::isBalanced(2.2e8, 1e8));
  CHECK_FALSE(svp::isBalanced(0.9e8, 1e8));
}

TEST_CASE("two trees may wait for each device, and what the devices search until the next reductions end") {
  for (const std::size_t devices : {1U, 2U, 8U}) {
    CAPTURE(devices);
    CHECK(svp::treeMayWait(0, devices, 1e9, 1e-9));
    CHECK(svp::treeMayWait(2 * devices - 1, devices, 1e9, 1e-9));
    CHECK_FALSE(svp::treeMayWait(2 * devices, devices, 1e9, 1e-9));
    // Each searches ten trees a second, and a reduction takes a second.
    CHECK(svp::treeMayWait(10 * devices - 1, devices, 0.1, 1));
    CHECK_FALSE(svp::treeMayWait(10 * devices + 1, devices, 0.1, 1));
  }
  CHECK_FALSE(svp::treeMayWait(4, 2, 1, 0));  // before any reduction was measured
  CHECK_FALSE(svp::treeMayWait(0, 0, 1, 1));
}

TEST_CASE(
    "fixed rates: a tour takes the seconds of its table, and between two of its sizes their mean of "
    "logarithms") {
  CHECK(svp::fixedTourSeconds(50, 100) == doctest::Approx(0.4));
  CHECK(svp::fixedTourSeconds(60, 10) == doctest::Approx(0.15));
  CHECK(svp::fixedTourSeconds(55, 10) == doctest::Approx(std::sqrt(0.04 * 0.15)));
  CHECK(svp::fixedTourSeconds(5, 10) == doctest::Approx(0.006));
  CHECK(svp::fixedTourSeconds(100, 100) == doctest::Approx(350));
  CHECK(svp::fixedReductionSeconds({20, 50, 50}, 100) == doctest::Approx(0.86));
}
