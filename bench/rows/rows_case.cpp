// See rows_case.hpp. What needs a CUDA build is in rows_case_device.cpp.
#include "bench/rows/rows_case.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <fmt/format.h>

#include "bench/peers/plain_recursion.hpp"
#include "bench/rows/library_run.hpp"
#include "bench/rows/names.hpp"
#include "runtime/core/fingerprint_text.hpp"
#include "runtime/factorizations/request_check.hpp"
#include "slicepool/core/error.hpp"
#ifdef SLICEPOOL_HAVE_CUDA
#include "bench/rows/device_limits.hpp"
#include "bench/rows/device_rows_writer.hpp"
#endif

namespace slicepool::bench {

using factorizations::Algorithm;
using factorizations::Request;
using factorizations::RowMatrix;
using factorizations::SinkKind;

namespace {

constexpr int kPoison = 0xff;  // elements of all ones add up to no instance's element

/// Every thread of the team writes its share, cut at cache lines: write(begin, bytes).
template <class Write>
void writeShares(ThreadTeam& team, std::byte* memory, std::size_t bytes, Write write) {
  constexpr std::size_t kLine = 64;
  const std::size_t share = (bytes / static_cast<std::size_t>(team.size()) + kLine) / kLine * kLine;
  team.run([=](int member) {
    const std::size_t begin = std::min(bytes, share * static_cast<std::size_t>(member));
    const std::size_t end = std::min(bytes, begin + share);
    if (begin < end) write(memory + begin, end - begin);
  });
}

void fill(ThreadTeam& team, std::byte* memory, std::size_t bytes, int value) {
  writeShares(
      team, memory, bytes, [value](std::byte* to, std::size_t count) { std::memset(to, value, count); });
}

/// Aligned as lines of the cache are.
void streamZeros(std::byte* to, std::size_t bytes) {
  std::size_t done = 0;
#ifdef __SSE2__
  for (; done + sizeof(__m128i) <= bytes; done += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + done), _mm_setzero_si128());
  _mm_sfence();
#endif
  std::memset(to + done, 0, bytes - done);
}

Times wallOnly(double milliseconds) {
  Times times;
  times.wall = milliseconds;
  return times;
}

}  // namespace

RowsCase::RowsCase(const Instance& instance, unsigned elementBytes, bool reductions, const Settings& settings,
                   ThreadTeams& teams)
    : settings_(settings),
      teams_(teams),
      instance_(instance),
      elementBytes_(factorizations::elementBytesFor(rowsRequest(instance, settings.algorithm, elementBytes))),
      rowBytes_(instance.generators.size() * elementBytes_) {
  listExpectedRows();
  touched_ = RowMatrix(rows(), static_cast<unsigned>(instance.generators.size()), elementBytes_);
  fill(*teams_.back(), touched_.data(), bytes(), kPoison);
  if (settings_.cpu) addMemoryLimits();
  if (settings_.peer) addPeer();
  if (settings_.cpu) addCpuRows();
#ifdef SLICEPOOL_HAVE_CUDA
  if (settings_.gpu || settings_.hybrid) {
    addDeviceLimits();
    addDeviceRows();
  }
#endif
  if (!reductions) return;
  if (settings_.cpu) addReductions(Mode::cpu);
  if (settings_.gpu) addReductions(Mode::gpu);
}

RowsCase::~RowsCase() = default;

void RowsCase::listExpectedRows() {
  const std::uint64_t count = countByRecurrence(instance_);
  if (count == 0) throw ConfigError("--instances", labelOf(instance_), "instances that have factorizations");
  // The peer's rows, and twice those of the library: touched or pinned, and a RowMatrix of the run's own.
  const bool pinned = settings_.gpu || settings_.hybrid;
  requireMemory(instance_, count,
                instance_.generators.size() * sizeof(std::int32_t) + (pinned ? 3 : 2) * rowBytes_);
  peerRows_ = RowMatrix(count, static_cast<unsigned>(instance_.generators.size()), sizeof(std::int32_t));
  const std::uint64_t written = plainRecursion(instance_.generators, instance_.element,
                                               reinterpret_cast<std::int32_t*>(peerRows_.data()));
  expected_ = inspectRows(instance_, peerRows_.data(), written, sizeof(std::int32_t));
  if (written != count || !expected_.problem.empty()) {
    throw Error(fmt::format("{}: the plain recursion wrote {} rows of {}; {}", labelOf(instance_), written,
                            count, expected_.problem));
  }
  if (!settings_.peer) peerRows_ = RowMatrix();
}

void RowsCase::addMemoryLimits() {
  for (const auto& owned : teams_) {
    ThreadTeam& team = *owned;
    measurements_.push_back({.name = names::memset(names::kTouched, team.size()),
                             .rows = rows(),
                             .bytes = bytes(),
                             .run = [this, &team, value = 0]() mutable {
                               ++value;
                               return wallOnly(
                                   millisecondsOf([&] { fill(team, touched_.data(), bytes(), value); }));
                             }});
    measurements_.push_back({.name = names::memset(names::kFresh, team.size()),
                             .rows = rows(),
                             .bytes = bytes(),
                             .run = [this, &team] {
                               RowMatrix matrix;  // unmapped outside of the time, as for the library's rows
                               return wallOnly(millisecondsOf([&] {
                                 matrix = RowMatrix(rows(), touched_.dimension(), elementBytes_);
                                 fill(team, matrix.data(), bytes(), 1);
                               }));
                             }});
  }
}

void RowsCase::addStreamedFill(std::byte* memory) {
  ThreadTeam& team = *teams_.back();
  measurements_.push_back({.name = names::streamedFill(names::kPinned, team.size()),
                           .rows = rows(),
                           .bytes = bytes(),
                           .run = [this, &team, memory] {
                             return wallOnly(
                                 millisecondsOf([&] { writeShares(team, memory, bytes(), streamZeros); }));
                           }});
}

void RowsCase::addPeer() {
  const auto list = [this] {
    return plainRecursion(instance_.generators, instance_.element,
                          reinterpret_cast<std::int32_t*>(peerRows_.data()));
  };
  measurements_.push_back(
      {.name = names::kPeer,
       .rows = rows(),
       .bytes = rows() * peerRows_.rowBytes(),
       .run = [list] { return wallOnly(millisecondsOf([&] { static_cast<void>(list()); })); },
       .verify =
           [this, list] {
             const std::uint64_t written = list();
             return differenceOf(inspectRows(instance_, peerRows_.data(), written, sizeof(std::int32_t)),
                                 expected_);
           }});
}

void RowsCase::addCpuRows() {
  for (const int threads : settings_.threads) {
    Measurement& touched =
        addRows(names::rows("cpu", names::kTouched, threads), Mode::cpu, threads, touched_.data());
    touched.relations = {{fmt::format("CPU rows / memset, touched memory, {}", names::threads(threads)),
                          {names::memset(names::kTouched, threads)}}};
    if (threads == 1) touched.relations.push_back({"one core / plain recursion", {names::kPeer}});
    addRows(names::rows("cpu", names::kFresh, threads), Mode::cpu, threads, nullptr).relations = {
        {fmt::format("CPU rows / memset, fresh memory, {}", names::threads(threads)),
         {names::memset(names::kFresh, threads)}}};
  }
}

Measurement& RowsCase::addRows(std::string name, Mode mode, int threads, std::byte* memory) {
  const Request request =
      rowsRequest(instance_, settings_.algorithm, elementBytes_, memory, memory == nullptr ? 0 : bytes());
  const EngineOptions options = engineOptions(mode, threads);
  measurements_.push_back(
      {.name = std::move(name),
       .rows = rows(),
       .bytes = bytes(),
       .run = [request, options] { return runLibrary(request, options).times; },
       .verify =
           [this, request, options, memory] {
             if (memory != nullptr) fill(*teams_.back(), memory, bytes(), kPoison);
             const LibraryRun run = runLibrary(request, options);
             const std::byte* found = memory != nullptr ? memory : run.outcome.rows.data();
             if (run.outcome.count != std::to_string(rows())) return "count " + run.outcome.count;
             return differenceOf(inspectRows(instance_, found, rows(), elementBytes_), expected_);
           }});
  return measurements_.back();
}

void RowsCase::addReductions(Mode mode) {
  Request request = rowsRequest(instance_, settings_.algorithm, 0);
  for (const auto& [kind, name] :
       {std::pair{SinkKind::fingerprint, "fingerprint"}, std::pair{SinkKind::lengths, "lengths"},
        std::pair{SinkKind::extremes, "extremes"},
        std::pair{SinkKind::coordinateMaxima, "coordinate-maxima"}}) {
    request.sink.kind = kind;
    addReduction(mode, request, name);
  }
  // A count alone is read off the counting table; with the fingerprint every result is visited.
  request.sink.kind = SinkKind::count;
  request.sink.fingerprint = true;
  request.algorithm = Algorithm::ranked;
  addReduction(mode, request, "count and fingerprint by ranked");
}

void RowsCase::addReduction(Mode mode, const Request& request, const std::string& what) {
  const EngineOptions options = engineOptions(mode, settings_.maximumThreads());
  const std::string name =
      names::reduction(what, mode == Mode::cpu ? "cpu" : "gpu", settings_.maximumThreads());
  measurements_.push_back({.name = name,
                           .rows = rows(),
                           .run = [request, options] { return runLibrary(request, options).times; },
                           .verify =
                               [this, request, options] {
                                 return reductionProblem(runLibrary(request, options).outcome,
                                                         request.sink.kind);
                               },
                           .rateGroup = name});
}

std::string RowsCase::reductionProblem(const factorizations::Outcome& outcome, SinkKind kind) const {
  const std::string count = std::to_string(rows());
  if (outcome.count != count) return "count " + outcome.count + ", expected " + count;
  if (outcome.fingerprint && *outcome.fingerprint != expected_.fingerprint)
    return "fingerprint " + fingerprintText(*outcome.fingerprint);
  if (kind == SinkKind::coordinateMaxima && rows() > 0 &&
      outcome.coordinateMaxima != expected_.coordinateMaxima)
    return "other coordinate maxima";
  std::vector<std::pair<std::uint64_t, std::uint64_t>> lengths;
  for (std::size_t length = 0; length < expected_.lengths.size(); ++length)
    if (expected_.lengths[length] != 0) lengths.emplace_back(length, expected_.lengths[length]);
  if (kind == SinkKind::lengths && outcome.lengths != lengths) return "other lengths";
  if (kind == SinkKind::extremes && !lengths.empty() &&
      (outcome.minimumLength != lengths.front().first || outcome.maximumLength != lengths.back().first))
    return "other extreme lengths";
  return {};
}

}  // namespace slicepool::bench
