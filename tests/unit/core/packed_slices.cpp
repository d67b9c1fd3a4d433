// Blocks of slices as checkpoints store them: the bytes do not depend on the order in which slices come, and
// a block that no packing has made is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "runtime/core/slice_packing.hpp"
#include "slicepool/detail/packing.hpp"

using namespace slicepool;

namespace {

constexpr std::size_t kBytes = 16;  // of a slice
using Bytes = std::vector<std::byte>;

Bytes slicesFrom(std::mt19937_64& random, std::size_t count) {
  Bytes slices(count * kBytes);
  for (auto& byte : slices) byte = static_cast<std::byte>(random() % 3);  // so that they begin alike
  return slices;
}

Bytes shuffled(const Bytes& slices, std::mt19937_64& random) {
  std::vector<std::size_t> order(slices.size() / kBytes);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  Bytes mixed(slices.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    std::memcpy(mixed.data() + i * kBytes, slices.data() + order[i] * kBytes, kBytes);
  return mixed;
}

/// A block of one record: `shared` first bytes of the record before, then `rest` bytes of its own.
Bytes blockOf(std::uint64_t shared, std::uint64_t rest, std::size_t bytes) {
  Bytes block;
  ByteWriter writer(block);
  writer.number(shared);
  writer.number(rest);
  block.resize(block.size() + bytes);
  return block;
}

bool readable(const Bytes& packed, std::size_t count = 1) {
  Bytes slices(count * kBytes);
  return unpackSlices(nullptr, kBytes, packed, slices);
}

}  // namespace

TEST_CASE("the same slices in any order are the same bytes, and come out sorted") {
  std::mt19937_64 random(7);
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{50}}) {
    const Bytes slices = slicesFrom(random, count);
    const Bytes packed = packSlices(nullptr, kBytes, slices);
    for (int i = 0; i < 5; ++i) {
      const bool same = packSlices(nullptr, kBytes, shuffled(slices, random)) == packed;
      CHECK(same);
    }
    Bytes out(slices.size());
    REQUIRE(unpackSlices(nullptr, kBytes, packed, out));
    for (std::size_t i = 1; i < count; ++i)
      CHECK(std::memcmp(out.data() + (i - 1) * kBytes, out.data() + i * kBytes, kBytes) <= 0);
    const bool again = packSlices(nullptr, kBytes, out) == packed;
    CHECK(again);
  }
}

TEST_CASE("blocks that are cut off, too long or contradict themselves are refused") {
  std::mt19937_64 random(8);
  const Bytes packed = packSlices(nullptr, kBytes, slicesFrom(random, 20));
  CHECK(readable(packed, 20));
  CHECK_FALSE(readable(packed, 19));
  CHECK_FALSE(readable(packed, 21));
  for (std::size_t size = 0; size < packed.size(); ++size) {
    const Bytes cut(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK_FALSE(readable(cut, 20));
  }
  CHECK(readable(blockOf(0, 16, 16)));
  CHECK_FALSE(readable(blockOf(0, 15, 15)));
  CHECK_FALSE(readable(blockOf(0, 17, 17)));
  CHECK_FALSE(readable(blockOf(4, 12, 12)));  // there is no record before it
  CHECK_FALSE(readable(blockOf(~std::uint64_t{0}, 17, 17)));
  CHECK_FALSE(readable(blockOf(0, ~std::uint64_t{0}, 16)));
}

TEST_CASE("a number of more than 64 bits is none") {
  Bytes bytes;
  ByteWriter(bytes).number(~std::uint64_t{0});
  REQUIRE(bytes.size() == 10);
  ByteReader whole(bytes);
  CHECK(whole.number() == ~std::uint64_t{0});
  CHECK(whole.good());
  for (const unsigned last : {2U, 0x7fU, 0x81U}) {
    bytes.back() = static_cast<std::byte>(last);
    ByteReader reader(bytes);
    CHECK(reader.number() == 0);
    CHECK_FALSE(reader.good());
  }
}
