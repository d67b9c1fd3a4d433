// See manifest_check.hpp.
#include "runtime/factorizations/manifest_check.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>

#include "cpu_workers/core/cpu_workers.hpp"
#include "cpu_workers/core/parallel.hpp"
#include "runtime/factorizations/npy.hpp"
#include "runtime/factorizations/row_check.hpp"
#include "runtime/io/file_hash.hpp"
#include "runtime/io/regular_file.hpp"
#include "runtime/io/zstd_frames.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::size_t kTableBytes = std::size_t{1} << 30;  // of the counting table
constexpr std::uint64_t kMaximumRows = std::uint64_t{1} << 62;

/// The bytes of one .npy in pieces: a header, then rows.
class Content {
 public:
  Content(const Manifest& manifest, std::uint64_t rows)
      : rows_(manifest.generators, manifest.element, manifest.elementBytes),
        count_(rows),
        header_(npyHeader(rows, static_cast<unsigned>(manifest.generators.size()), manifest.elementBytes)) {}

  void take(std::span<const std::byte> bytes) {
    while (!bytes.empty() && problem_.empty()) {
      // What is left of the header or of a row waits for its rest.
      const std::size_t unit = headerTaken_ ? rows_.rowBytes() : header_.size();
      if (carried_.empty() && headerTaken_ && bytes.size() >= unit) {
        const std::size_t whole = bytes.size() / unit;
        rows_.take(bytes.data(), whole);
        bytes = bytes.subspan(whole * unit);
        continue;
      }
      const std::size_t some = std::min(unit - carried_.size(), bytes.size());
      carried_.insert(carried_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(some));
      bytes = bytes.subspan(some);
      if (carried_.size() == unit) takeCarried();
    }
  }

  /// When everything was taken; empty: nothing is wrong.
  [[nodiscard]] std::string problem() const {
    if (!problem_.empty()) return problem_;
    if (!rows_.problem().empty()) return "is wrong: " + rows_.problem();
    if (headerTaken_ && carried_.empty() && rows_.rows() == count_) return {};
    return "has " + std::to_string(rows_.rows()) + " rows, expected " + std::to_string(count_);
  }
  [[nodiscard]] const RowCheck& rows() const { return rows_; }

 private:
  void takeCarried() {
    if (headerTaken_)
      rows_.take(carried_.data(), 1);
    else if (!std::equal(carried_.begin(), carried_.end(), std::as_bytes(std::span(header_)).begin()))
      problem_ = "has another header than its type, rows and columns";
    headerTaken_ = true;
    carried_.clear();
  }

  RowCheck rows_;
  std::uint64_t count_;
  std::string header_;
  std::vector<std::byte> carried_;
  bool headerTaken_ = false;
  std::string problem_;
};

bool isCompressed(const ShardRecord& shard) { return shard.file.ends_with(".zst"); }

/// What one reading of a shard finds.
struct ShardCheck {
  std::string problem;
  std::optional<RowCheck> rows;
};

void readShard(const RegularFile& file, const ShardRecord& shard, Content& content, std::string& problem) {
  FileHash hash;
  std::string undecodable;
  std::optional<FrameDecoder> decoder;
  if (isCompressed(shard) && zstdAvailable()) decoder.emplace();
  file.read(0, file.bytes(), [&](std::span<const std::byte> piece) {
    hash.update(piece);
    if (!isCompressed(shard)) return content.take(piece);
    if (!decoder || !undecodable.empty()) return;
    try {
      decoder->decode(piece, [&](std::span<const std::byte> plain) { content.take(plain); });
    } catch (const Error& error) {
      undecodable = error.what();
    }
  });
  if (hash.digits() != shard.hash)
    problem = "has hash " + hash.digits() + ", expected " + shard.hash;
  else if (!undecodable.empty() || (decoder && !decoder->atEnd()))
    problem = "is not whole frames of Zstandard" + (undecodable.empty() ? "" : " (" + undecodable + ")");
  else if (!isCompressed(shard) || decoder)
    problem = content.problem();
}

ShardCheck checkShard(const std::filesystem::path& folder, const Manifest& manifest,
                      const ShardRecord& shard) {
  // A name with a folder in it could make `verify` read files that are no shards.
  if (std::filesystem::path(shard.file).filename() != shard.file || shard.file.empty())
    return {"is not a plain file name", {}};
  const Rank rows = shard.endRank - shard.firstRank;
  if (rows > kMaximumRows) return {"has " + rows.str() + " rows, more than a file holds", {}};
  ShardCheck check;
  try {
    const RegularFile file((folder / shard.file).string());
    if (file.bytes() != shard.bytes) {
      check.problem =
          "has " + std::to_string(file.bytes()) + " bytes, expected " + std::to_string(shard.bytes);
      return check;
    }
    Content content(manifest, static_cast<std::uint64_t>(rows));
    readShard(file, shard, content, check.problem);
    if (check.problem.empty()) check.rows = content.rows();
  } catch (const Error& error) {
    check.problem = error.what();
  }
  return check;
}

/// What is wrong with the ranges of shards among themselves.
std::string rangeProblem(const Manifest& manifest) {
  Rank next = manifest.firstRank;
  const Rank end = manifest.firstRank + manifest.rows;
  for (const auto& shard : manifest.shards) {
    Rank expected = next;  // in place: GCC 12 takes the copy of a temporary for one that is too long
    expected += manifest.shardRows;
    if (end < expected) expected = end;
    if (shard.firstRank != next || shard.endRank != expected) {
      return shard.file + " has ranks " + shard.firstRank.str() + " to " + shard.endRank.str() +
             ", expected " + next.str() + " to " + expected.str();
    }
    next = shard.endRank;
  }
  if (!manifest.complete) return {};
  if (next != end) return "ranks " + next.str() + " to " + end.str() + " are missing";
  return manifest.shards.empty() ? "there is no shard" : "";
}

/// Rows of neighbours in order, and ranks.
void compareRows(ManifestCheck& check, const std::vector<ShardCheck>& shards) {
  const Manifest& manifest = check.manifest;
  std::optional<RankIndex> index;
  try {
    index.emplace(manifest.generators, manifest.element, kTableBytes);
    if (manifest.firstRank + manifest.rows > index->count()) {
      check.problems.push_back("the element has " + index->count().str() + " factorizations, but ranks to " +
                               Rank(manifest.firstRank + manifest.rows).str() + " are listed");
      return;
    }
  } catch (const LimitError&) {
    check.notes.push_back(
        "ranks were not compared: the counting table of this element takes more than 1 GiB");
  }
  const std::vector<std::uint64_t>* before = nullptr;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const auto& rows = shards[i].rows;
    if (!rows || rows->first().empty()) {
      before = nullptr;
      continue;
    }
    const std::string problem = index ? rankProblem(*rows, *index, manifest.shards[i].firstRank) : "";
    if (!problem.empty())
      check.problems.push_back(manifest.shards[i].file + ": " + problem);
    else if (before != nullptr && !(rows->first() < *before))
      check.problems.push_back(manifest.shards[i].file + " does not go on where the shard before it ends");
    before = &rows->last();
  }
}

void noteLimits(ManifestCheck& check) {
  if (check.manifest.version == 1) {
    check.notes.push_back(
        "the manifest is of version 1, which has no hash of its own: changes of it show only where they "
        "contradict the shards");
  }
  const auto& shards = check.manifest.shards;
  if (!zstdAvailable() && std::any_of(shards.begin(), shards.end(), isCompressed))
    check.notes.push_back("rows were not looked at: this build has no libzstd");
}

}  // namespace

ManifestCheck verifyManifest(const std::string& path) {
  ManifestCheck check{readManifest(path), 0, {}, {}};
  const auto folder = std::filesystem::path(path).parent_path();
  const auto& shards = check.manifest.shards;
  std::vector<ShardCheck> checks(shards.size());
  forEachIndex(availableCores(), shards.size(),
               [&](std::uint64_t i) { checks[i] = checkShard(folder, check.manifest, shards[i]); });
  for (std::size_t i = 0; i < shards.size(); ++i) {
    check.bytes += shards[i].bytes;
    if (!checks[i].problem.empty()) check.problems.push_back(shards[i].file + " " + checks[i].problem);
  }
  if (!check.manifest.complete) {
    check.problems.push_back("the output is unfinished: " + std::to_string(shards.size()) +
                             " shards are whole");
  }
  if (const std::string problem = rangeProblem(check.manifest); !problem.empty())
    check.problems.push_back(problem);
  compareRows(check, checks);
  noteLimits(check);
  return check;
}

}  // namespace slicepool::factorizations
