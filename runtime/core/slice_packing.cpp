// See slice_packing.hpp.
#include "runtime/core/slice_packing.hpp"

#include <algorithm>
#include <cstring>

#include "slicepool/detail/packing.hpp"

namespace slicepool {
namespace {

using Bytes = std::span<const std::byte>;

bool isBefore(Bytes a, Bytes b) {
  const std::size_t common = std::min(a.size(), b.size());
  const int order = common == 0 ? 0 : std::memcmp(a.data(), b.data(), common);
  return order != 0 ? order < 0 : a.size() < b.size();
}

std::size_t commonPrefix(Bytes a, Bytes b) {
  const std::size_t most = std::min(a.size(), b.size());
  return static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first - a.begin());
}

}  // namespace

std::vector<std::byte> packSlices(const Problem* problem, std::size_t sliceBytes, Bytes slices) {
  const std::size_t count = slices.size() / sliceBytes;
  std::vector<std::byte> records;
  std::vector<std::size_t> ends;
  ends.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const slice = slices.data() + i * sliceBytes;
    if (problem != nullptr)
      problem->packSlice(slice, records);
    else
      records.insert(records.end(), slice, slice + sliceBytes);
    ends.push_back(records.size());
  }
  std::vector<Bytes> sorted;
  sorted.reserve(count);
  for (std::size_t i = 0, begin = 0; i < count; begin = ends[i++])
    sorted.push_back(Bytes(records).subspan(begin, ends[i] - begin));
  std::sort(sorted.begin(), sorted.end(), isBefore);
  std::vector<std::byte> packed;
  ByteWriter writer(packed);
  Bytes before;
  for (const Bytes record : sorted) {
    const std::size_t shared = commonPrefix(before, record);
    writer.number(shared);
    writer.number(record.size() - shared);
    writer.raw(record.data() + shared, record.size() - shared);
    before = record;
  }
  return packed;
}

bool unpackSlices(const Problem* problem, std::size_t sliceBytes, Bytes packed, std::span<std::byte> slices) {
  ByteReader reader(packed);
  std::vector<std::byte> record;
  for (std::size_t at = 0; at < slices.size(); at += sliceBytes) {
    const std::uint64_t shared = reader.number();
    const std::uint64_t rest = reader.number();
    if (!reader.good() || shared > record.size() || rest > reader.left()) return false;
    const Bytes bytes = reader.take(rest);
    record.resize(shared);
    record.insert(record.end(), bytes.begin(), bytes.end());
    std::byte* const slice = slices.data() + at;
    if (problem != nullptr) {
      if (!problem->unpackSlice(record, slice)) return false;
    } else {
      if (record.size() != sliceBytes) return false;
      std::memcpy(slice, record.data(), sliceBytes);
    }
  }
  return reader.good() && reader.left() == 0;
}

}  // namespace slicepool
