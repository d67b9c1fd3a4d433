// What owners of an ordered pipeline rely on beyond blocks: their own last action, and being told while they
// wait.
#include "runtime/io/ordered_pipeline.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using Pipeline = slicepool::OrderedPipeline<int>;

void convertNothing(int&, int) {}
void doNothing(int&) {}

}  // namespace

TEST_CASE("an action changes its item, and the last one may give up the lock without losing another's") {
  constexpr int kItems = 300;
  std::vector<int> left;
  Pipeline::Actions actions{[](int& item, int) { item *= 2; }, [](int& item) { item += 1; }, doNothing,
                            [&](int& item, Pipeline::Lock& lock) {
                              left.push_back(item);
                              lock.unlock();
                              std::this_thread::yield();
                              lock.lock();
                            }};
  Pipeline pipeline(3, actions);
  auto lock = pipeline.lock();
  for (int i = 0; i < kItems; ++i) pipeline.submit(lock, i);
  pipeline.wait(lock, [&] { return pipeline.idle(lock); });
  REQUIRE(left.size() == kItems);
  CHECK(std::accumulate(left.begin(), left.end(), 0) == kItems * kItems);  // of 2 i + 1
}

TEST_CASE("a producer that waits is told of it without the lock, and can be woken") {
  std::promise<void> told;
  bool isTold = false;
  bool half = false;
  Pipeline* self = nullptr;
  Pipeline::Actions actions{convertNothing, doNothing, doNothing, [&](int&, Pipeline::Lock& lock) {
                              lock.unlock();
                              told.get_future().wait();  // without an end where no stage tells
                              lock.lock();
                              half = true;
                              self->wake();
                            }};
  Pipeline pipeline(1, actions);
  self = &pipeline;
  auto lock = pipeline.lock();
  pipeline.submit(lock, 0);
  pipeline.wait(lock, [&] { return half; },
                {[&] {
                   const auto other = pipeline.lock();
                   if (!isTold) told.set_value();
                   isTold = true;
                 },
                 std::chrono::milliseconds{1}});
  CHECK(isTold);
}

TEST_CASE("an exception of the last action reaches the producer, thrown with the lock or without it") {
  for (const bool locked : {true, false}) {
    Pipeline::Actions actions{convertNothing, doNothing, doNothing, [&](int&, Pipeline::Lock& lock) {
                                if (!locked) lock.unlock();
                                throw std::runtime_error("no room for the checkpoint");
                              }};
    Pipeline pipeline(2, actions);
    auto lock = pipeline.lock();
    pipeline.submit(lock, 0);
    CHECK_THROWS_WITH_AS(pipeline.wait(lock, [&] { return pipeline.idle(lock); }),
                         "no room for the checkpoint", std::runtime_error);
    CHECK(pipeline.failed(lock));
    CHECK_THROWS_AS(pipeline.submit(lock, 1), std::runtime_error);
  }
}
