// See row_stream.hpp.
//
// A block goes through four steps on one writer thread: taken and compressed (side by side), placed in the
// file (in order: an offset in a compressed file depends on all frames before it), written (side by side),
// and ticked off. The thread that ticks off the last block of the oldest window commits it: files get their
// names, and now and then the checkpoint says so. Everything that a checkpoint counts on is durable before it
// is written.
#include "runtime/factorizations/row_stream.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "runtime/factorizations/npy.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool::factorizations {
namespace {

using Clock = std::chrono::steady_clock;

// A finished shard is noted at once unless notes would take more than a twentieth of the time: their length
// grows with the number of shards.
constexpr int kBooksShare = 20;
constexpr std::chrono::milliseconds kMinimumWait{1};  // between two calls of onWait

WindowCheckpoint beginning(const StreamBooks& books) {
  WindowCheckpoint checkpoint;
  checkpoint.identity = books.identity;
  return checkpoint;
}

}  // namespace

StreamBooks makeStreamBooks(const Request& request, std::uint64_t rows, unsigned elementBytes) {
  StreamBooks books;
  books.identity = canonicalRowsText(request);
  books.manifest.generators = request.generators;
  books.manifest.element = request.element;
  books.manifest.sink = sinkName(request.sink.kind);
  if (request.sink.kind == SinkKind::first)
    books.manifest.sink += ":" + std::to_string(request.sink.firstCount);
  books.manifest.dtype = npyType(elementBytes);
  if (request.ranks.has_value()) books.manifest.firstRank = parseRank(request.ranks->begin, "rank_range");
  books.manifest.rows = rows;
  books.manifest.shardRows = request.output.shardRows;
  return books;
}

RowStream::RowStream(StreamShape shape, StreamBooks books, const std::optional<WindowCheckpoint>& resume)
    : shape_(std::move(shape)),
      books_(std::move(books)),
      files_(shape_, books_.manifest.firstRank, !books_.checkpointPath.empty()),
      durable_(resume.value_or(beginning(books_))) {
  files_.resume(durable_, books_.manifest);
  const std::uint64_t rowsLeft = shape_.rows - durable_.nextRank;
  if (!shape_.compressed && shape_.sharded()) requireDiskSpace(shape_.path, rowsLeft * shape_.rowBytes());
  try {
    // An older manifest must not list shards that are about to change, not even for a moment.
    writeShardList(false);
    writeBooks(false);
    for (int i = 0; i < shape_.writers; ++i) writers_.emplace_back([this] { work(); });
  } catch (...) {
    joinWriters();
    if (durable_.nextRank == 0) discardBeginning();
    throw;
  }
}

RowStream::~RowStream() {
  joinWriters();
  if (!settled_ && durable_.nextRank == 0) discardBeginning();
}

/// Nothing was achieved: nothing is left behind.
void RowStream::discardBeginning() const {
  if (!books_.checkpointPath.empty()) std::remove(books_.checkpointPath.c_str());
  if (shape_.sharded()) std::remove(shape_.manifestPath().c_str());
  // In order, and only what was made here.
  for (std::uint64_t i = 0; i < files_.made(); ++i) std::remove((shape_.shardPath(i) + ".part").c_str());
}

void RowStream::joinWriters() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    // Left in the middle (an exception of the enumeration): what waits is not worth the time.
    if (!windows_.empty() && failure_ == nullptr) failure_ = std::make_exception_ptr(Error("abandoned"));
  }
  work_.notify_all();
  turn_.notify_all();
  writers_.clear();  // joins
}

// ---- the producer ---------------------------------------------------------------------------------------

template <class Ready>
void RowStream::waitForWriters(std::unique_lock<std::mutex>& lock, std::condition_variable& condition,
                               Ready ready) {
  if (!books_.onWait) return condition.wait(lock, ready);
  const auto interval = std::max(kMinimumWait, books_.waitInterval);
  while (!condition.wait_for(lock, interval, ready)) {
    lock.unlock();
    books_.onWait();
    lock.lock();
  }
}

std::byte* RowStream::acquire() {
  std::unique_lock lock(mutex_);
  if (free_.empty() && buffers_.size() < shape_.buffers && failure_ == nullptr) {
    buffers_.emplace_back(shape_.windowRows, shape_.dimension, shape_.elementBytes);
    free_.push_back(buffers_.back().data());
  }
  const auto begin = Clock::now();
  waitForWriters(lock, buffer_, [this] { return !free_.empty() || failure_ != nullptr; });
  secondsWaited_ += secondsSince(begin);
  rethrow();
  lent_ = free_.back();
  free_.pop_back();
  return lent_;
}

void RowStream::submit(RankRange window, const std::byte* rows, std::vector<std::uint64_t> words,
                       std::uint64_t steps) {
  {
    const std::lock_guard lock(mutex_);
    rethrow();
    Window& entry = windows_.emplace_back();
    entry.end = window.end;
    entry.words = std::move(words);
    entry.steps = steps;
    if (rows == lent_) entry.buffer = std::exchange(lent_, nullptr);
    for (std::uint64_t row = window.begin; row < window.end;) {
      const std::uint64_t end = std::min(window.end, shape_.blockEnd(row));
      blocks_.push_back({nextSequence_++, row, end, rows + (row - window.begin) * shape_.rowBytes(), &entry});
      ++entry.blocksLeft;
      row = end;
    }
  }
  work_.notify_all();
}

void RowStream::drain() {
  std::unique_lock lock(mutex_);
  waitForWriters(lock, idle_, [this] { return failure_ != nullptr || (windows_.empty() && !committing_); });
  rethrow();
}

void RowStream::suspend() {
  drain();
  writeBooks(false);
  settled_ = true;
}

void RowStream::finish() {
  drain();
  if (shape_.rows == 0) files_.publishEmpty();
  writeShardList(true);
  settled_ = true;
}

void finishStream(RowStream& stream, const StreamShape& shape, Outcome& outcome) {
  stream.finish();
  outcome.outputBytes = stream.bytes();
  outcome.outputStreamed = true;
  if (!shape.sharded()) return;
  outcome.outputPath = shape.manifestPath();
  outcome.outputShards = shape.shardCount();
}

// ---- the writers ----------------------------------------------------------------------------------------

void RowStream::work() {
  try {
    std::optional<FrameEncoder> encoder;
    if (shape_.compressed) encoder.emplace(shape_.level);
    while (const auto block = take()) {
      const std::span<const std::byte> plain(block->rows, (block->end - block->begin) * shape_.rowBytes());
      const auto bytes = shape_.compressed ? encoder->encode(plain) : plain;
      const auto place = placeInTurn(*block, bytes);
      if (!place.has_value()) return;
      place->file->write(place->offset, bytes);
      place->file->startWriteback(place->offset, bytes.size());
      finishBlock(*block);
    }
  } catch (...) {
    fail(std::current_exception());
  }
}

std::optional<RowStream::Block> RowStream::take() {
  std::unique_lock lock(mutex_);
  work_.wait(lock, [this] { return !blocks_.empty() || closing_ || failure_ != nullptr; });
  if (blocks_.empty() || failure_ != nullptr) return std::nullopt;
  Block block = blocks_.front();
  blocks_.pop_front();
  return block;
}

/// Blocks are taken in order, so the thread with the oldest one never waits here. Nothing when another thread
/// failed.
std::optional<ShardFiles::Place> RowStream::placeInTurn(const Block& block,
                                                        std::span<const std::byte> bytes) {
  {
    std::unique_lock lock(mutex_);
    turn_.wait(lock, [&] { return nextPlaced_ == block.sequence || failure_ != nullptr; });
    if (failure_ != nullptr) return std::nullopt;
  }
  auto place = files_.place(block.begin, block.end, bytes);
  {
    const std::lock_guard lock(mutex_);
    if (block.end == block.window->end) {
      block.window->outputBytes = files_.position();
      block.window->outputHash = files_.positionHash();
    }
    ++nextPlaced_;
  }
  turn_.notify_all();
  return place;
}

void RowStream::finishBlock(const Block& block) {
  if (books_.rowsWritten != nullptr) *books_.rowsWritten += block.end - block.begin;
  Window& window = *block.window;
  std::unique_lock lock(mutex_);
  if (--window.blocksLeft != 0) return;
  if (window.buffer != nullptr) {
    free_.push_back(window.buffer);
    buffer_.notify_one();
  }
  if (committing_) return;  // that thread looks again before it leaves
  committing_ = true;
  while (!windows_.empty() && windows_.front().blocksLeft == 0 && failure_ == nullptr) {
    Window written;
    while (!windows_.empty() && windows_.front().blocksLeft == 0) {
      written = std::move(windows_.front());
      windows_.pop_front();
    }
    lock.unlock();
    commit(written);
    lock.lock();
  }
  committing_ = false;
  idle_.notify_all();
}

void RowStream::commit(const Window& window) {
  const std::size_t named = files_.publishUpTo(window.end);
  durable_.nextRank = window.end;
  durable_.outputBytes = window.outputBytes;
  durable_.outputHash = window.outputHash;
  durable_.words = window.words;
  durable_.steps = window.steps;
  if (window.end == shape_.rows) return;  // finish() has the last word
  const auto since = Clock::now() - booksTime_;
  if (since >= books_.checkpointInterval || (named != 0 && since >= kBooksShare * booksCost_))
    writeBooks(true);
}

void RowStream::writeBooks(bool goesOn) {
  const auto begin = Clock::now();
  bool saved = true;
  if (!books_.checkpointPath.empty()) {
    files_.sync();
    durable_.shards = shape_.sharded() ? files_.published() : std::vector<ShardRecord>{};
    const auto save = [this] { writeWindowCheckpoint(books_.checkpointPath, durable_); };
    const auto warn = [this](const std::string& warning) { warnings_.push_back(warning); };
    if (goesOn)
      saved = intervalSaves_.attempt(save, warn);
    else
      save();
    if (saved) ++checkpoints_;
  }
  // After the checkpoint: a manifest never lists a shard that a resume would write again.
  if (saved) writeShardList(false);
  booksTime_ = Clock::now();
  booksCost_ = booksTime_ - begin;
}

void RowStream::writeShardList(bool complete) const {
  if (!shape_.sharded()) return;
  Manifest manifest = books_.manifest;
  manifest.complete = complete;
  manifest.shards = files_.published();
  writeManifest(shape_.manifestPath(), manifest);
}

void RowStream::fail(std::exception_ptr error) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr) failure_ = std::move(error);
  }
  for (auto* condition : {&work_, &turn_, &buffer_, &idle_}) condition->notify_all();
}

}  // namespace slicepool::factorizations
