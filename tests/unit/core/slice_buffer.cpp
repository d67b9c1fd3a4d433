// Memory of slices that is lent while its owner goes on: what a reader sees does not change.
#include "runtime/core/batch/slice_buffer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "runtime/core/batch/emulated_device.hpp"
#include "support/interval_workload.hpp"

using namespace slicepool;
using test::IntervalWorkload;

namespace {

struct Fixture {
  TypedProblem<IntervalWorkload, Count> problem{IntervalWorkload::View{1, true}, {}, {}};
  std::unique_ptr<BatchDevice> device = makeEmulatedDevice(problem, {});
  SliceBuffer buffer;

  void fill(std::size_t from, std::size_t to, int value) {
    std::fill(buffer.data() + from, buffer.data() + to, static_cast<std::byte>(value));
  }
};

bool all(const std::byte* bytes, std::size_t count, int value) {
  return std::all_of(
      bytes, bytes + count, [&](std::byte byte) { return byte == static_cast<std::byte>(value); });
}

}  // namespace

TEST_CASE(
    "what was taken off the end of a loan is not overwritten while it is read, also behind a later loan") {
  Fixture fixture;
  SliceBuffer& buffer = fixture.buffer;
  buffer.renew(*fixture.device, 1000);
  fixture.fill(0, 1000, 1);
  auto parcel = buffer.lend();  // a parcel: the last 600 bytes
  const std::byte* const given = buffer.data() + 400;
  buffer.shrink(400);
  auto checkpoint = buffer.lend();  // of what is left
  buffer.resize(*fixture.device, 900);
  fixture.fill(400, 900, 2);
  CHECK(all(given, 600, 1));
  CHECK(all(buffer.data(), 400, 1));
  checkpoint.reset();
  CHECK(all(given, 600, 1));
}

TEST_CASE("memory without a reader is used again") {
  Fixture fixture;
  SliceBuffer& buffer = fixture.buffer;
  buffer.renew(*fixture.device, 1000);
  const std::byte* const memory = buffer.data();
  auto loan = buffer.lend();
  CHECK(buffer.lent());
  buffer.shrink(100);
  loan.reset();
  CHECK_FALSE(buffer.lent());
  buffer.resize(*fixture.device, 1000);
  CHECK(buffer.data() == memory);
  loan = buffer.lend();
  buffer.resize(*fixture.device, 1200);  // behind the loan: it may stay
  CHECK(buffer.data() == memory);
}

TEST_CASE("memory that is lent is no room, and comes back into use") {
  Fixture fixture;
  StagingBuffer staging;
  staging.renew(*fixture.device, 100'000);
  CHECK(staging.room() >= 100'000);
  const std::byte* const first = staging.buffer().data();
  auto loan = staging.buffer().lend();
  CHECK(staging.room() == 0);
  staging.renew(*fixture.device, 200'000);
  CHECK(staging.buffer().data() != first);
  CHECK(staging.room() >= 200'000);
  auto other = staging.buffer().lend();
  CHECK(staging.room() == 0);  // the spare is still read
  loan.reset();
  CHECK(staging.room() >= 100'000);
  CHECK(staging.room() < 200'000);
  staging.renew(*fixture.device, 100'000);
  CHECK(staging.buffer().data() == first);
}

TEST_CASE("memory that was put aside is used when the buffer is lent") {
  Fixture fixture;
  StagingBuffer staging;
  staging.renew(*fixture.device, 100'000).shrink(0);
  SliceBuffer spare(*fixture.device, 100'000);
  CHECK(spare.bytes() == 0);
  const std::byte* const put = spare.data();
  staging.add(std::move(spare));
  const auto loan = staging.buffer().lend();
  CHECK(staging.room() >= 100'000);
  staging.renew(*fixture.device, 100'000);
  CHECK(staging.buffer().data() == put);
}

TEST_CASE("spares of many loans are given up when these have ended") {
  Fixture fixture;
  StagingBuffer staging;
  std::vector<std::shared_ptr<const void>> loans;
  std::vector<std::weak_ptr<const void>> memories;
  for (std::size_t i = 0; i < 20; ++i) {
    const SliceBuffer& buffer = staging.renew(*fixture.device, 100'000 + i);
    memories.push_back(buffer.memory());
    loans.push_back(staging.buffer().lend());
  }
  const auto alive = [&] {
    return std::count_if(memories.begin(), memories.end(),
                         [](const auto& memory) { return !memory.expired(); });
  };
  staging.renew(*fixture.device, 1);
  CHECK(alive() == 20);  // all are read
  loans.clear();
  staging.renew(*fixture.device, 1);
  CHECK(alive() == kBatchSlots + 1);
}
