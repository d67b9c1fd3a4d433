// See row_stream.hpp.
//
// A block goes through the actions of an ordered pipeline: compressed (side by side), placed in the file (in
// order: an offset in a compressed file depends on all frames before it), written (side by side). The thread
// whose block is the last one of the oldest window commits it: files get their names, and now and then the
// checkpoint says so. Everything that a checkpoint counts on is durable before it is written.
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
      durable_(resume.value_or(beginning(books_))),
      encoders_(static_cast<std::size_t>(shape_.writers)),
      pipeline_(shape_.writers, actions()) {
  files_.resume(durable_, books_.manifest);
  const std::uint64_t rowsLeft = shape_.rows - durable_.nextRank;
  if (!shape_.compressed && shape_.sharded()) requireDiskSpace(shape_.path, rowsLeft * shape_.rowBytes());
  try {
    // An older manifest must not list shards that are about to change, not even for a moment.
    writeShardList(false);
    writeBooks(false);
  } catch (...) {
    if (durable_.nextRank == 0) discardBeginning();
    throw;
  }
}

RowStream::~RowStream() {
  pipeline_.stop();  // left in the middle, what waits is not worth the time
  if (!settled_ && durable_.nextRank == 0) discardBeginning();
}

/// Nothing was achieved: nothing is left behind.
void RowStream::discardBeginning() const {
  if (!books_.checkpointPath.empty()) std::remove(books_.checkpointPath.c_str());
  if (shape_.sharded()) std::remove(shape_.manifestPath().c_str());
  // In order, and only what was made here.
  for (std::uint64_t i = 0; i < files_.made(); ++i) std::remove((shape_.shardPath(i) + ".part").c_str());
}

// ---- the producer ---------------------------------------------------------------------------------------

std::byte* RowStream::acquire() {
  auto lock = pipeline_.lock();
  if (free_.empty() && buffers_.size() < shape_.buffers && !pipeline_.failed(lock)) {
    buffers_.emplace_back(shape_.windowRows, shape_.dimension, shape_.elementBytes);
    free_.push_back(buffers_.back().data());
  }
  const auto begin = Clock::now();
  pipeline_.wait(
      lock, [this] { return !free_.empty(); }, books_.meanwhile);
  secondsWaited_ += secondsSince(begin);
  lent_ = free_.back();
  free_.pop_back();
  return lent_;
}

void RowStream::submit(RankRange window, const std::byte* rows, std::vector<std::uint64_t> words,
                       std::uint64_t steps) {
  auto lock = pipeline_.lock();
  Window& entry = windows_.emplace_back();
  entry.end = window.end;
  entry.words = std::move(words);
  entry.steps = steps;
  if (rows == lent_) entry.buffer = std::exchange(lent_, nullptr);
  for (std::uint64_t row = window.begin; row < window.end;) {
    const std::uint64_t end = std::min(window.end, shape_.blockEnd(row));
    const std::byte* const begin = rows + (row - window.begin) * shape_.rowBytes();
    ++entry.blocksLeft;
    pipeline_.submit(lock, {row, end, {begin, (end - row) * shape_.rowBytes()}, &entry, {}});
    row = end;
  }
}

void RowStream::drain() {
  auto lock = pipeline_.lock();
  pipeline_.wait(
      lock, [&] { return pipeline_.idle(lock); }, books_.meanwhile);
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

RowStream::Pipeline::Actions RowStream::actions() {
  Pipeline::Actions actions;
  actions.convert = [this](Block& block, int writer) { compress(block, writer); };
  actions.place = [this](Block& block) { place(block); };
  actions.write = [](Block& block) {
    block.place.file->write(block.place.offset, block.bytes);
    block.place.file->startWriteback(block.place.offset, block.bytes.size());
  };
  actions.leave = [this](Block& block, Pipeline::Lock& lock) { leave(block, lock); };
  return actions;
}

/// The bytes are the encoder's, until the writer's next block.
void RowStream::compress(Block& block, int writer) {
  if (!shape_.compressed) return;
  auto& encoder = encoders_[static_cast<std::size_t>(writer)];
  if (!encoder) encoder = std::make_unique<FrameEncoder>(shape_.level);
  block.bytes = encoder->encode(block.bytes);
}

void RowStream::place(Block& block) {
  block.place = files_.place(block.begin, block.end, block.bytes);
  if (block.end != block.window->end) return;
  block.window->outputBytes = files_.position();
  block.window->outputHash = files_.positionHash();
}

void RowStream::leave(const Block& block, Pipeline::Lock& lock) {
  if (books_.rowsWritten != nullptr) *books_.rowsWritten += block.end - block.begin;
  Window& window = *block.window;
  if (--window.blocksLeft != 0) return;
  if (window.buffer != nullptr) {
    free_.push_back(window.buffer);
    pipeline_.wake();
  }
  if (committing_) return;  // that thread looks again before it leaves
  committing_ = true;
  while (!windows_.empty() && windows_.front().blocksLeft == 0 && !pipeline_.failed(lock)) {
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

}  // namespace slicepool::factorizations
