// See stage_saver.hpp.
#include "runtime/semigroup/stage_saver.hpp"

#include <system_error>
#include <utility>

#include "slicepool/core/error.hpp"

namespace slicepool::semigroup {

/// Stages on their way into the file.
struct StageSaver::Batch {
  std::string path;
  std::string header;  ///< of a new file; empty: the file goes on
  std::uint32_t restarts = 0;
  std::size_t first = 0;  ///< stage
  std::vector<std::pair<StageMark, TreeBits>> stages;
};

StageSaver::~StageSaver() {
  if (writing_.valid()) writing_.wait();
}

std::shared_ptr<const SavedStages> StageSaver::read(const std::string& path) {
  auto log = std::make_unique<RecordLog>(stageLog(path));
  auto saved = std::make_shared<const SavedStages>(*log, identity_);
  log_ = std::move(log);
  restarts_ = saved->restarts;
  stages_ = saved->finished();
  return saved;
}

bool StageSaver::busy() const {
  return writing_.valid() && writing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

void StageSaver::wait() {
  if (writing_.valid()) writing_.get();
}

void StageSaver::save(const std::string& path, Explorer& explorer, const StageMark& mark) {
  wait();
  const Graph& graph = explorer.graph();
  const bool sameFile = log_ != nullptr && log_->path() == path;
  // A base that has grown starts over, and so does its file.
  const bool isNew = !sameFile || restarts_ != explorer.restarts();
  Batch batch;
  batch.path = path;
  batch.restarts = explorer.restarts();
  batch.first = isNew ? 0 : stages_;
  if (isNew) {
    const std::vector<Image> base = explorer.sources() == 0 ? std::vector<Image>{} : explorer.base();
    batch.header = stageLogHeader(identity_, base, explorer.sources(), explorer.restarts());
  }
  for (std::size_t k = batch.first; k < explorer.finishedStages(); ++k) {
    StageMark stage = mark;
    stage.number = k;
    stage.found = graph.stages[k + 2] - graph.stages[k + 1];
    stage.checked = explorer.checked();
    auto bits = explorer.treeBits(graph.stages[k], graph.stages[k + 1], threads_);
    if (!bits) break;  // the device that had them failed
    batch.stages.emplace_back(stage, std::move(*bits));
  }
  if (!isNew && batch.stages.empty()) return;
  auto shared = std::make_shared<const Batch>(std::move(batch));
  try {
    writing_ = std::async(
        std::launch::async, [this, shared] { write(*shared); });
  } catch (const std::system_error&) {  // no thread can be made
    write(*shared);
  }
}

void StageSaver::write(const Batch& batch) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::vector<std::byte>> records;
  records.reserve(batch.stages.size());
  for (const auto& [mark, bits] : batch.stages) records.push_back(stageRecord(mark, bits));
  if (batch.header.empty()) {
    try {
      log_->append(records);
    } catch (const CheckpointError&) {
      log_.reset();
      throw;
    }
  } else {
    auto log = std::make_unique<RecordLog>(stageLog(batch.path));
    log->start(batch.header, records);
    log_ = std::move(log);
  }
  restarts_ = batch.restarts;
  stages_ = batch.first + batch.stages.size();
  written_ = std::chrono::steady_clock::now() - begin;
  writtenInAll_ += written_;
}

}  // namespace slicepool::semigroup
