// See shard_files.hpp.
#include "runtime/factorizations/shard_files.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cpu_workers/core/parallel.hpp"
#include "runtime/factorizations/npy.hpp"
#include "runtime/factorizations/row_check.hpp"
#include "runtime/io/regular_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::size_t kReadBytes = std::size_t{4} << 20;
constexpr std::size_t kRankTableBytes = std::size_t{1} << 30;  // of counting tables, to compare ranks

std::span<const std::byte> bytesOf(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Throws CheckpointError unless the file is the shard that a checkpoint counts on.
void requireShard(const std::string& path, const ShardRecord& shard) {
  std::string why;
  try {
    const RegularFile file(path);
    if (file.bytes() != shard.bytes)
      why = "has " + std::to_string(file.bytes()) + " bytes, expected " + std::to_string(shard.bytes);
    else if (const std::string hash = hashOfFile(file); hash != shard.hash)
      why = "has hash " + hash + ", expected " + shard.hash;
  } catch (const Error& error) {
    why = error.what();
  }
  if (why.empty()) return;
  throw CheckpointError("resume: the finished shard " + path + " " + why +
                        "; remove the checkpoint to start anew");
}

}  // namespace

ShardFiles::ShardFiles(const StreamShape& shape, Rank firstRank, bool keepParts)
    : shape_(shape), firstRank_(std::move(firstRank)), keepParts_(keepParts) {
  if (shape_.compressed) headerEncoder_.emplace(shape_.level);
}

std::string ShardFiles::header(std::uint64_t shard) const {
  return npyHeader(shape_.shardEnd(shard) - shape_.shardBegin(shard), shape_.dimension, shape_.elementBytes);
}

void ShardFiles::append(Shard& shard, std::span<const std::byte> bytes) const {
  shard.hash.update(bytes);
  shard.bytes += bytes.size();
}

void ShardFiles::open(std::uint64_t index) {
  const std::string text = header(index);
  const std::uint64_t rows = shape_.shardEnd(index) - shape_.shardBegin(index);
  const std::uint64_t finalBytes = shape_.compressed ? 0 : text.size() + rows * shape_.rowBytes();
  Shard shard;
  shard.index = index;
  shard.file = std::make_shared<PartFile>(PartFile::create(shape_.shardPath(index), finalBytes));
  made_ = index + 1;
  if (keepParts_) shard.file->keepPart();
  // A frame of its own: then every later frame is whole rows.
  const auto bytes = shape_.compressed ? headerEncoder_->encode(bytesOf(text)) : bytesOf(text);
  shard.file->write(0, bytes);
  append(shard, bytes);
  const std::lock_guard lock(mutex_);
  open_.push_back(std::move(shard));
}

ShardFiles::Place ShardFiles::place(std::uint64_t begin, std::uint64_t end,
                                    std::span<const std::byte> bytes) {
  const std::uint64_t index = shape_.shardOf(begin);
  if (begin == shape_.shardBegin(index)) open(index);
  Shard* shard = nullptr;
  {
    const std::lock_guard lock(mutex_);
    shard = &open_.back();  // stays where it is while others come and go at the ends
  }
  Place place{shard->file, shard->bytes};
  append(*shard, bytes);
  position_ = end == shape_.shardEnd(index) ? 0 : shard->bytes;
  return place;
}

std::size_t ShardFiles::publishUpTo(std::uint64_t row) {
  std::size_t count = 0;
  for (;; ++count) {
    Shard shard;
    {
      const std::lock_guard lock(mutex_);
      if (open_.empty() || shape_.shardEnd(open_.front().index) > row) return count;
      shard = std::move(open_.front());
      open_.pop_front();
    }
    publish(shard);
  }
}

void ShardFiles::publish(Shard& shard) {
  shard.file->publishDurably();
  published_.push_back({std::filesystem::path(shard.file->path()).filename().string(),
                        firstRank_ + shape_.shardBegin(shard.index),
                        firstRank_ + shape_.shardEnd(shard.index), shard.bytes, shard.hash.digits()});
}

void ShardFiles::sync() const {
  std::shared_ptr<PartFile> file;
  {
    const std::lock_guard lock(mutex_);
    if (open_.empty()) return;
    file = open_.front().file;
  }
  file->sync();
}

void ShardFiles::publishEmpty() {
  open(0);
  publish(open_.front());
  open_.clear();
}

std::uint64_t ShardFiles::publishedBytes() const {
  std::uint64_t bytes = 0;
  for (const auto& shard : published_) bytes += shard.bytes;
  return bytes;
}

std::string ShardFiles::positionHash() const {
  const std::lock_guard lock(mutex_);
  return position_ == 0 ? "" : open_.back().hash.digits();
}

void ShardFiles::resume(const WindowCheckpoint& checkpoint, const Manifest& manifest) {
  if (checkpoint.nextRank >= shape_.rows && checkpoint.nextRank != 0) {
    throw CheckpointError("resume: the checkpoint says that " + std::to_string(checkpoint.nextRank) +
                          " rows are written, of " + std::to_string(shape_.rows));
  }
  adopt(checkpoint);
  reopen(checkpoint, manifest);
  published_ = checkpoint.shards;
}

/// Reads every finished shard, several at a time.
void ShardFiles::adopt(const WindowCheckpoint& checkpoint) {
  const auto& shards = checkpoint.shards;
  const std::uint64_t finished = shape_.sharded() ? shape_.shardOf(checkpoint.nextRank) : 0;
  if (shards.size() != finished) {
    throw CheckpointError("resume: the checkpoint lists " + std::to_string(shards.size()) +
                          " finished shards, expected " + std::to_string(finished));
  }
  forEachIndex(shape_.writers, shards.size(),
               [&](std::uint64_t i) { requireShard(shape_.shardPath(i), shards[i]); });
}

void ShardFiles::reopen(const WindowCheckpoint& checkpoint, const Manifest& manifest) {
  const std::uint64_t row = checkpoint.nextRank;
  const bool begins = row == 0 || row == shape_.shardBegin(shape_.shardOf(row));
  if (begins != (checkpoint.outputBytes == 0) ||
      (shape_.compressed && !begins && shape_.blockEnd(row - 1) != row)) {
    throw CheckpointError("resume: the checkpoint says that " + std::to_string(row) + " rows and " +
                          std::to_string(checkpoint.outputBytes) +
                          " bytes of their last file are written, which does not fit this output");
  }
  if (begins) return;
  Shard shard;
  shard.index = shape_.shardOf(row);
  const std::uint64_t begin = shape_.shardBegin(shard.index);
  const std::string head = header(shard.index);
  const std::uint64_t written = head.size() + (row - begin) * shape_.rowBytes();
  const std::uint64_t whole = head.size() + (shape_.shardEnd(shard.index) - begin) * shape_.rowBytes();
  const bool mapped = checkpoint.outputHash.empty() && !shape_.compressed && !shape_.sharded();
  shard.bytes = shape_.compressed ? checkpoint.outputBytes : written;
  if (!shape_.compressed && checkpoint.outputBytes != (mapped ? whole : written)) {
    throw CheckpointError("resume: the checkpoint says that " + std::to_string(checkpoint.outputBytes) +
                          " bytes are written, expected " + std::to_string(written));
  }
  const auto check = [&](const PartFile& file) {
    if (mapped) return checkRows(file, shard, row, manifest);
    file.requireHash(shard.hash, 0, shard.bytes, checkpoint.outputHash);
  };
  // A plain file has its final size from the start.
  const std::uint64_t length = shape_.compressed ? shard.bytes : whole;
  shard.file = std::make_shared<PartFile>(
      PartFile::reopen(shape_.shardPath(shard.index), length, shape_.compressed, check));
  if (mapped) shard.file->hash(shard.hash, 0, shard.bytes);
  open_.push_back(std::move(shard));
}

/// Of an output that a mapped run began: its checkpoint has no hash, its rows speak for themselves.
void ShardFiles::checkRows(const PartFile& file, const Shard& shard, std::uint64_t row,
                           const Manifest& manifest) const {
  const std::string expected = header(shard.index);
  std::string found(expected.size(), '\0');
  file.read(0, std::as_writable_bytes(std::span(found.data(), found.size())));
  if (found != expected) file.refuse("its header differs");
  RowCheck check(manifest.generators, manifest.element, shape_.elementBytes);
  std::vector<std::byte> rows(std::max<std::size_t>(1, kReadBytes / check.rowBytes()) * check.rowBytes());
  for (std::uint64_t at = expected.size(); at < shard.bytes; at += rows.size()) {
    const std::span piece(rows.data(), std::min<std::uint64_t>(rows.size(), shard.bytes - at));
    file.read(at, piece);
    check.take(piece.data(), piece.size() / check.rowBytes());
  }
  const std::string problem =
      check.problem().empty()
          ? rankProblem(check, firstRank_ + shape_.shardBegin(shard.index), kRankTableBytes)
          : check.problem();
  if (!problem.empty()) file.refuse("of its first " + std::to_string(row) + " rows, " + problem);
}

}  // namespace slicepool::factorizations
