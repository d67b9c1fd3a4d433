// See trace.hpp. The writer streams: a trace of a long run is larger than one would like to hold as JSON.
#include "runtime/core/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/io/text_output.hpp"

namespace slicepool {
namespace {

const char* nameOf(TraceSpan::Kind kind) {
  switch (kind) {
    case TraceSpan::Kind::turn: return "turn";
    case TraceSpan::Kind::launch: return "launch";
    case TraceSpan::Kind::upload: return "upload";
    case TraceSpan::Kind::commit: return "commit";
    case TraceSpan::Kind::give: return "give";
    case TraceSpan::Kind::idle: return "idle";
  }
  return "unknown";
}

bool isBusy(TraceSpan::Kind kind) { return kind == TraceSpan::Kind::turn || kind == TraceSpan::Kind::launch; }

/// Adds the overlap of one span with each sample interval.
void addBusy(std::vector<double>& samples, double interval, const TraceSpan& span) {
  const double begin = static_cast<double>(span.begin) * 1e-9;
  const double end = begin + static_cast<double>(span.duration) * 1e-9;
  const auto first = static_cast<std::size_t>(std::max(0.0, begin / interval));
  for (std::size_t i = first; i < samples.size(); ++i) {
    const double low = static_cast<double>(i) * interval;
    if (low >= end) break;
    samples[i] += std::max(0.0, std::min(end, low + interval) - std::max(begin, low)) / interval;
  }
}

/// What may overlap with other spans of its track. `id`: of those of the category and track. `arguments`: of
/// a JSON object.
void writeAsynchronous(TextFile& file, const char* category, std::size_t track, const std::string& name,
                       std::int64_t begin, std::int64_t end, std::size_t id, const std::string& arguments) {
  fmt::format_to(file.out(),
                 ",\n{{\"ph\":\"b\",\"cat\":\"{0}\",\"id\":\"{1}.{2}\",\"pid\":1,\"tid\":{1},\"ts\":{3:.3f},"
                 "\"name\":\"{4}\",\"args\":{{{5}}}}},\n{{\"ph\":\"e\",\"cat\":\"{0}\",\"id\":\"{1}.{2}\","
                 "\"pid\":1,\"tid\":{1},\"ts\":{6:.3f},\"name\":\"{4}\"}}",
                 category, track, id, static_cast<double>(begin) * 1e-3, name, arguments,
                 static_cast<double>(end) * 1e-3);
}

/// On a track of their own. A trace has no time before 0: what was over by then has no length, and its
/// arguments say when it was.
void writeStarts(TextFile& file, const std::vector<TraceStart>& starts) {
  if (starts.empty()) return;
  fmt::format_to(file.out(), ",\n{}",
                 R"({"ph":"M","pid":1,"tid":0,"name":"thread_name","args":{"name":"start of GPUs"}})");
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto& start = starts[i];
    writeAsynchronous(
        file, "start", 0, start.name, std::max<std::int64_t>(0, start.begin),
        std::max<std::int64_t>(0, start.end), i + 1,
        fmt::format("\"begin_us\":{:.3f},\"end_us\":{:.3f}", static_cast<double>(start.begin) * 1e-3,
                    static_cast<double>(start.end) * 1e-3));
  }
}

/// From the begin of the enumeration to a worker's first turn or launch, and from its last one to the end.
void writeEnds(TextFile& file, const WorkerAccount& account, std::size_t track, const TraceFrame& frame) {
  const std::int64_t first = account.firstAt.load();
  const std::int64_t last = account.lastAt.load();
  if (first > frame.begin)
    writeAsynchronous(file, "ends", track, "ramp", frame.begin, first, 1, "\"steps\":0,\"slices\":0");
  if (last >= 0 && last < frame.end)
    writeAsynchronous(file, "ends", track, "tail", last, frame.end, 2, "\"steps\":0,\"slices\":0");
}

}  // namespace

void writeTrace(const std::string& path, const std::vector<WorkerAccount*>& accounts,
                const std::vector<PoolSample>& pool, const TraceFrame& frame) {
  TextFile file(path);
  fmt::format_to(file.out(), "{{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
  fmt::format_to(file.out(),
                 R"({{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{{"name":"slicepool"}}}})");
  writeStarts(file, frame.starts);
  for (std::size_t id = 0; id < accounts.size(); ++id) {
    fmt::format_to(
        file.out(),
        ",\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":\"{}\"}}}}",
        id + 1, accounts[id]->name);
    writeEnds(file, *accounts[id], id + 1, frame);
    // Launches of two batches overlap, which one track cannot show: asynchronous events can.
    for (std::size_t n = 0; n < accounts[id]->spans.size(); ++n) {
      const auto& span = accounts[id]->spans[n];
      const double begin = static_cast<double>(span.begin) * 1e-3;
      const double duration = static_cast<double>(span.duration) * 1e-3;
      if (span.kind == TraceSpan::Kind::launch) {
        writeAsynchronous(file, "launch", id + 1, "launch", span.begin, span.begin + span.duration, n + 1,
                          fmt::format("\"steps\":{},\"slices\":{}", span.steps, span.slices));
      } else {
        fmt::format_to(file.out(),
                       ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f},\"name\":\"{}\","
                       "\"args\":{{\"steps\":{},\"slices\":{}}}}}",
                       id + 1, begin, duration, nameOf(span.kind), span.steps, span.slices);
      }
      file.flushIfLarge();
    }
    fmt::format_to(file.out(),
                   ",\n{{\"ph\":\"C\",\"pid\":1,\"tid\":{},\"ts\":0,\"name\":\"splits of "
                   "{}\",\"args\":{{\"splits\":{}}}}}",
                   id + 1, accounts[id]->name, accounts[id]->splits.load());
  }
  for (const auto& sample : pool) {
    fmt::format_to(
        file.out(),
        ",\n{{\"ph\":\"C\",\"pid\":1,\"ts\":{:.3f},\"name\":\"pool depth\",\"args\":{{\"slices\":{}}}}}",
        sample.seconds * 1e6, sample.slices);
  }
  fmt::format_to(file.out(), "\n]}}\n");
  file.publish();
}

Timeline makeTimeline(const std::vector<WorkerAccount*>& accounts, const std::vector<PoolSample>& pool,
                      double seconds, std::size_t samples) {
  Timeline timeline;
  if (seconds <= 0 || samples == 0) return timeline;
  timeline.intervalSeconds = seconds / static_cast<double>(samples);
  for (const auto* account : accounts) {
    std::vector<double> busy(samples, 0.0);
    for (const auto& span : account->spans)
      if (isBusy(span.kind)) addBusy(busy, timeline.intervalSeconds, span);
    for (auto& value : busy) value = std::min(1.0, value);
    timeline.utilisation.push_back(std::move(busy));
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const double end = timeline.intervalSeconds * static_cast<double>(i + 1);
    while (at + 1 < pool.size() && pool[at + 1].seconds <= end) ++at;
    timeline.poolDepth.push_back(pool.empty() ? 0 : pool[at].slices);
  }
  return timeline;
}

}  // namespace slicepool
