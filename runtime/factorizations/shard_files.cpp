// See shard_files.hpp.
#include "runtime/factorizations/shard_files.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "runtime/factorizations/npy.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::size_t kReadBytes = std::size_t{4} << 20;

std::span<const std::byte> bytesOf(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
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
  if (shard.hash.has_value()) shard.hash->update(bytes);
  shard.bytes += bytes.size();
}

void ShardFiles::open(std::uint64_t index) {
  const std::string text = header(index);
  const std::uint64_t rows = shape_.shardEnd(index) - shape_.shardBegin(index);
  const std::uint64_t finalBytes = shape_.compressed ? 0 : text.size() + rows * shape_.rowBytes();
  Shard shard;
  shard.index = index;
  shard.file = std::make_shared<PartFile>(PartFile::create(shape_.shardPath(index), finalBytes));
  if (keepParts_) shard.file->keepPart();
  if (shape_.sharded()) shard.hash.emplace();
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
                        firstRank_ + shape_.shardEnd(shard.index), shard.bytes,
                        shard.hash.has_value() ? shard.hash->digits() : ""});
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

void ShardFiles::adopt(std::vector<ShardRecord> shards) {
  const auto folder = std::filesystem::path(shape_.path).parent_path();
  for (const auto& shard : shards) {
    std::error_code code;
    const auto bytes = std::filesystem::file_size(folder / shard.file, code);
    if (!code && bytes == shard.bytes) continue;
    throw CheckpointError("resume: " + (folder / shard.file).string() +
                          " is not the finished shard that the checkpoint counts on (" +
                          std::to_string(shard.bytes) + " bytes)");
  }
  published_ = std::move(shards);
}

void ShardFiles::reopen(std::uint64_t row, std::uint64_t outputBytes) {
  if (row == shape_.rows || row == shape_.shardBegin(shape_.shardOf(row))) return;
  Shard shard;
  shard.index = shape_.shardOf(row);
  const std::uint64_t begin = shape_.shardBegin(shard.index);
  const std::uint64_t headerBytes = header(shard.index).size();
  const std::uint64_t plainBytes = headerBytes + (shape_.shardEnd(shard.index) - begin) * shape_.rowBytes();
  const std::string path = shape_.shardPath(shard.index);
  const std::uint64_t needed = shape_.compressed ? outputBytes : plainBytes;
  PartFile::takeBack(path, needed);
  shard.file = std::make_shared<PartFile>(PartFile::reopen(path, needed, shape_.compressed));
  // A plain file has its final size from the start.
  readPrefix(shard, shape_.compressed ? outputBytes : headerBytes + (row - begin) * shape_.rowBytes());
  open_.push_back(std::move(shard));
}

void ShardFiles::readPrefix(Shard& shard, std::uint64_t bytes) const {
  if (!shape_.compressed) {
    const std::string expected = header(shard.index);
    std::string found(expected.size(), '\0');
    shard.file->read(0, std::as_writable_bytes(std::span(found.data(), found.size())));
    if (found != expected) {
      throw CheckpointError("resume: " + shard.file->path() +
                            ".part is not the unfinished output of this request: its header differs");
    }
  }
  shard.bytes = bytes;
  if (!shape_.sharded()) return;
  shard.hash.emplace();
  std::vector<std::byte> buffer(std::min<std::uint64_t>(kReadBytes, bytes));
  for (std::uint64_t at = 0; at < bytes; at += buffer.size()) {
    const std::span piece(buffer.data(), std::min<std::uint64_t>(buffer.size(), bytes - at));
    shard.file->read(at, piece);
    shard.hash->update(piece);
  }
}

}  // namespace slicepool::factorizations
