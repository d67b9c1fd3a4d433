// See saved_stages.hpp.
#include "runtime/semigroup/saved_stages.hpp"

#include <cstring>
#include <nlohmann/json.hpp>

#ifdef SLICEPOOL_HAVE_ZSTD
#include <zstd.h>
#endif

#include "slicepool/core/error.hpp"

namespace slicepool::semigroup {
namespace {

constexpr const char* kFormat = "SLPSTAG2";
constexpr const char* kWorkload = "semigroup";

enum class Packing : std::uint64_t { none, zstd };

/// What a record begins with.
struct RecordFront {
  std::uint64_t number;
  std::uint64_t found;
  std::uint64_t checked;
  double seconds;
  std::uint64_t steps;
  std::uint64_t packing;
  std::uint64_t words;  ///< of the bits, 32 bits each
};

/// Compressed bytes behind `into`, which holds `front` bytes; false when that would not be smaller.
bool pack(std::vector<std::byte>& into, std::size_t front, const TreeBits& bits) {
#ifdef SLICEPOOL_HAVE_ZSTD
  constexpr int kLevel = 1;  // a disk's speed or more
  const std::size_t size = bits.size() * sizeof(std::uint32_t);
  if (size < 64) return false;
  into.resize(front + size);
  const std::size_t packed = ZSTD_compress(into.data() + front, size, bits.data(), size, kLevel);
  if (ZSTD_isError(packed) != 0) return false;  // it does not fit into as many bytes
  into.resize(front + packed);
  return true;
#else
  (void)into, (void)front, (void)bits;
  return false;
#endif
}

/// Whether the bytes were unpacked into exactly the words of `into`.
bool unpack(std::span<const std::byte> bytes, Packing packing, TreeBits& into) {
  const std::size_t size = into.size() * sizeof(std::uint32_t);
  if (packing == Packing::none) {
    if (bytes.size() != size) return false;
    if (size != 0) std::memcpy(into.data(), bytes.data(), size);
    return true;
  }
#ifdef SLICEPOOL_HAVE_ZSTD
  return ZSTD_decompress(into.data(), size, bytes.data(), bytes.size()) == size;
#else
  return false;
#endif
}

}  // namespace

RecordLog stageLog(const std::string& path) { return {path, kFormat}; }

std::string stageLogHeader(const std::string& identity, const std::vector<Image>& base, std::uint32_t sources,
                           std::uint32_t restarts) {
  return nlohmann::json{{"workload", kWorkload},
                        {"identity", identity},
                        {"base", base},
                        {"sources", sources},
                        {"restarts", restarts}}
      .dump();
}

std::vector<std::byte> stageRecord(const StageMark& mark, const TreeBits& bits) {
  std::vector<std::byte> record;
  RecordFront front{mark.number, mark.found, mark.checked, mark.seconds, mark.steps, 0, bits.size()};
  if (pack(record, sizeof front, bits)) {
    front.packing = static_cast<std::uint64_t>(Packing::zstd);
  } else {
    record.resize(sizeof front + bits.size() * sizeof(std::uint32_t));
    if (!bits.empty())
      std::memcpy(record.data() + sizeof front, bits.data(), bits.size() * sizeof(std::uint32_t));
  }
  std::memcpy(record.data(), &front, sizeof front);
  return record;
}

SavedStages::SavedStages(RecordLog& log, const std::string& identity)
    : content_(log.read()), path_(log.path()) {
  try {
    const auto header = nlohmann::json::parse(content_.header);
    const std::string workload = header.at("workload");
    const std::string owner = header.at("identity");
    if (workload != kWorkload || owner != identity) {
      throw CheckpointError("checkpoint " + path_ + " belongs to another request: it has " + workload + " " +
                            owner + "; this request is " + kWorkload + " " + identity);
    }
    header.at("base").get_to(base);
    header.at("sources").get_to(sources);
    header.at("restarts").get_to(restarts);
  } catch (const nlohmann::json::exception& error) {
    throw CheckpointError("checkpoint " + path_ + ": bad header: " + error.what());
  }
  for (const auto& record : content_.records) {
    RecordFront front{};
    if (record.size() >= sizeof front) std::memcpy(&front, record.data(), sizeof front);
    if (record.size() < sizeof front || front.number != finished() ||
        front.found > kMaximumElements - stages.back())
      throw CheckpointError("checkpoint " + path_ + ": its stages are not in order");
    stages.push_back(stages.back() + static_cast<Element>(front.found));
    last = {front.number, front.found, front.checked, front.seconds, front.steps};
  }
}

TreeBits SavedStages::bits(std::size_t stage, std::uint32_t generators) const {
  const auto& record = content_.records.at(stage);
  RecordFront front{};
  std::memcpy(&front, record.data(), sizeof front);
  const std::uint64_t entries = std::uint64_t{stages[stage + 1] - stages[stage]} * generators;
  const auto packing = static_cast<Packing>(front.packing);
  if (packing > Packing::zstd || front.words != (entries + 31) / 32)
    throw CheckpointError("checkpoint " + path_ + ": a stage is not as long as it should be");
  TreeBits bits(front.words);
  if (unpack(record.subspan(sizeof front), packing, bits)) return bits;
#ifndef SLICEPOOL_HAVE_ZSTD
  if (packing == Packing::zstd)
    throw CheckpointError("checkpoint " + path_ + ": it is compressed, and this build has no zstd");
#endif
  throw CheckpointError("checkpoint " + path_ + ": a stage cannot be unpacked");
}

}  // namespace slicepool::semigroup
