// Checkpoints of an engine: of a run that has stopped, and of one that goes on (docs/architecture.md).
#include <algorithm>
#include <span>
#include <utility>

#include "runtime/core/engine_impl.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"

namespace slicepool {

void Engine::Impl::saveCheckpoint(const std::string& path) {
  const auto begin = Clock::now();
  checkpointBytes_ = writeCheckpoint(path, checkpoint(), {}, &problem_, threads());
  checkpointWriteSeconds_ += secondsSince(begin);
}

Checkpoint Engine::Impl::checkpointHead() const {
  Checkpoint checkpoint;
  checkpoint.workload = problem_.workload();
  checkpoint.identity = options_.checkpointIdentity;
  checkpoint.sliceBytes = problem_.sliceBytes();
  checkpoint.words = mergedWords();
  if (consumer_ != nullptr) checkpoint.consumer = consumer_->save();
  checkpoint.shared = hub_.sharedWord();
  checkpoint.steps = prepared_ ? hub_.steps() : stepsBefore_;
  checkpoint.seconds = secondsBefore_ + seconds_;
  return checkpoint;
}

Checkpoint Engine::Impl::checkpoint() const {
  if (hub_.givenUp()) throw CheckpointError("a search that was given up has no checkpoint");
  if (hub_.failed())
    throw CheckpointError("a search that failed has no checkpoint: what the worker held that failed is lost");
  Checkpoint checkpoint = checkpointHead();
  checkpoint.slices = slices_;
  return checkpoint;
}

void Engine::Impl::loadCheckpoint(const std::string& path) {
  requireUnprepared();
  const CheckpointHeader header = readCheckpointHeader(path);
  if (!isOfThisProblem(header)) refuseCheckpoint(path, header);
  Checkpoint checkpoint = readCheckpoint(path, &problem_, threads());
  const std::vector<std::byte> blob = std::move(checkpoint.consumer);
  adopt(std::move(checkpoint), path);
  if (consumer_ != nullptr) consumer_->restore(blob);
}

void Engine::Impl::restore(Checkpoint checkpoint) {
  requireUnprepared();
  if (checkpoint.words.empty()) checkpoint.words = problem_.words().fresh();
  const std::vector<std::byte> blob = std::move(checkpoint.consumer);
  adopt(std::move(checkpoint), "in memory");
  if (consumer_ != nullptr && !blob.empty()) consumer_->restore(blob);
}

void Engine::Impl::adopt(Checkpoint checkpoint, const std::string& source) {
  if (!isOfThisProblem(checkpoint) || checkpoint.words.size() != baseWords_.size())
    refuseCheckpoint(source, checkpoint);
  if (checkpoint.slices.size() % problem_.sliceBytes() != 0)
    throw CheckpointError("checkpoint " + source + ": its slices are not whole");
  slices_ = std::move(checkpoint.slices);
  baseWords_ = std::move(checkpoint.words);
  stepsBefore_ = checkpoint.steps;
  secondsBefore_ = checkpoint.seconds;
  hub_.setShared(checkpoint.shared);
}

void Engine::Impl::requireUnprepared() const {
  if (prepared_) throw CheckpointError("a checkpoint must be loaded before the run starts");
}

bool Engine::Impl::isOfThisProblem(const CheckpointHeader& header) const {
  return header.workload == problem_.workload() && header.sliceBytes == problem_.sliceBytes() &&
         header.identity == options_.checkpointIdentity;
}

void Engine::Impl::refuseCheckpoint(const std::string& path, const CheckpointHeader& header) const {
  throw CheckpointError("checkpoint " + path + " belongs to another problem: it has " + header.workload +
                        " " + header.identity + "; this run is " + problem_.workload() + " " +
                        options_.checkpointIdentity);
}

void Engine::Impl::startSaving(Clock::time_point begin) {
  if (options_.checkpointPath.empty()) return;
  sharedToSave_ = hub_.sharedWord();
  if (options_.checkpointTransactions != 0) return hub_.askEvery(options_.checkpointTransactions);
  commitsAsked_ = 0;
  if (pace_.interval() > 0) return;
  pace_ = CheckpointPace(std::chrono::duration<double>(options_.checkpointInterval).count());
  nextSave_ = after(begin, pace_.interval());
}

Engine::Impl::Clock::time_point Engine::Impl::after(Clock::time_point begin, double seconds) {
  return begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

void Engine::Impl::saveOnTheWay(Clock::time_point begin) {
  if (hub_.snapshotAsked()) {
    takeSnapshot(begin);
    if (writing_.valid()) {
      const PhaseScope writing(options_.phases.get(), Phase::writing);
      finishWriting();
    }
    return hub_.open();
  }
  nextSave_ = Clock::now() + kLook;
  if (writing_.valid()) {
    if (writing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) finishWriting();
    return;
  }
  if (commitsAsked_ == 0) {
    // What devices know is committed with this request; a word that is too high costs only time.
    sharedToSave_ = hub_.sharedWord();
    commitsAsked_ = hub_.wantCommits();
  }
  const bool all = std::all_of(workers_.begin(), workers_.end(),
                               [&](const auto& worker) { return worker->hasCommitted(commitsAsked_); });
  if (!all) return;
  commitsAsked_ = 0;
  takeSnapshot(begin);
  hub_.open();
  if (!writing_.valid()) nextSave_ = after(Clock::now(), pace_.interval());
}

void Engine::Impl::takeSnapshot(Clock::time_point begin) {
  const auto closing = Clock::now();
  hub_.close();
  if (hub_.failed() || hub_.stopping() || hub_.finished()) return;
  (void)intervalSaves_.attempt([&] { startWriting(begin); },
                               [this](const std::string& warning) { hub_.warn(warning); });
  lastStall_ = secondsSince(closing);
  checkpointStallSeconds_ += lastStall_;
}

void Engine::Impl::startWriting(Clock::time_point begin) {
  auto checkpoint = std::make_shared<Checkpoint>(checkpointHead());
  checkpoint->shared = sharedToSave_;
  checkpoint->seconds += secondsSince(begin);
  hub_.appendWaiting(checkpoint->slices);
  std::vector<HeldSlices> held;
  for (const auto& worker : workers_) {
    worker->appendHeld(held);
    checkpoint->steps -= static_cast<double>(worker->uncommittedSteps());
  }
  std::vector<SliceSpan> spans;
  for (HeldSlices& slices : held) {
    const std::span span(slices.slices, slices.count * problem_.sliceBytes());
    if (slices.memory)
      spans.push_back({std::move(slices.memory), span});
    else
      checkpoint->slices.insert(checkpoint->slices.end(), span.begin(), span.end());
  }
  writing_ = std::async(std::launch::async, [this, checkpoint, spans = std::move(spans)]() mutable {
    const auto from = Clock::now();
    const std::uint64_t bytes =
        writeCheckpoint(options_.checkpointPath, *checkpoint, spans, &problem_, threads());
    return Written{bytes, secondsSince(from)};
  });
}

void Engine::Impl::finishWriting() {
  const bool saved = intervalSaves_.attempt(
      [this] {
        const Written written = writing_.get();
        ++checkpoints_;
        checkpointBytes_ = written.bytes;
        checkpointWriteSeconds_ += written.seconds;
        const std::string lengthened = pace_.learn({lastStall_, written.seconds});
        if (!lengthened.empty()) hub_.warn(lengthened);
      },
      [this](const std::string& warning) { hub_.warn(warning); });
  nextSave_ = pace_.interval() > 0 ? after(Clock::now(), pace_.interval()) : Clock::time_point::max();
  if (saved && options_.onCheckpoint) options_.onCheckpoint(options_.checkpointPath);
}

}  // namespace slicepool
