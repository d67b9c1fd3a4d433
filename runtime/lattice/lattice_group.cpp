// See lattice_group.hpp.
#include "runtime/lattice/lattice_group.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "runtime/lattice/many_request_check.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/lattice/steps/warp_shortest.hpp"

namespace slicepool::lattice {
namespace {

/// Threads for each that may work: while a device works for one, another works. 100,000 lattices of
/// dimension 29 on an H100 beside 16 cores: 0.82 s with two, 0.90 with three, whose memory is larger.
constexpr int kSeatsBesideDevice = 2;

/// Expected nodes of a warp, one of many: twice what the mean of a batch for a device may be (group_plan).
constexpr double kNodesOfManyWarps = 2e7;
/// Of fewer lines one core is through before a warp with so many nodes is.
constexpr std::size_t kManyLines = 64;

bool isBlank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

/// Gives back what a semaphore lent, or takes it again.
struct Released {
  std::counting_semaphore<>& working;
  ~Released() { working.release(); }
};
struct Reacquired {
  std::counting_semaphore<>& working;
  ~Reacquired() { working.acquire(); }
};

}  // namespace

void attemptAnswer(LatticeAnswer& answer, const std::function<void()>& call) {
  try {
    call();
  } catch (const ConfigError& error) {
    answer.field = error.field();
    answer.error = error.what();
  } catch (const LimitError& error) {
    answer.error = error.what();
    answer.field = answer.error.substr(0, answer.error.find(':'));
  }
}

GroupSolver::GroupSolver(const ManyRequest& request, const EngineOptions& options, int threads,
                         const BatchLook& look, const std::shared_ptr<const TargetLattice>& lattice,
                         const std::atomic<bool>& stop, std::function<bool()> emulatorIsThere)
    : request_(request),
      stop_(stop),
      wanted_{request.squaredRadius, request.solutions, {}, request.first},
      plan_(lattice == nullptr
                ? planLattices(look, request.squaredRadius, options.mode, threads)
                : planTargets(*lattice, request.squaredRadius, options.mode, threads, look.lines)),
      devices_(options, kSeatsBesideDevice * threads, plan_.seconds, std::move(emulatorIsThere)),
      seats_(devices_.besideCores() ? kSeatsBesideDevice * threads : threads),
      searches_(static_cast<std::size_t>(seats_)),
      working_(threads) {
  wanted_.mostNodes = plan_.mostNodes;
  CoreWays ways;
  if (request.nodesOfCore > 0) ways.maximumNodes = request.nodesOfCore;
  for (int i = 0; i < seats_; ++i) {
    searchers_.emplace_back(stop_, ways);
    targets_.emplace_back(lattice, stop_, ways);
  }
}

void GroupSolver::solve(LatticeGroup& group, int seat) {
  working_.acquire();
  const Released released{working_};
  const std::size_t size = group.size();
  group.answers.clear();
  group.answers.resize(size);
  group.ways.assign(size, Way::certified);
  group.blank.assign(size, false);
  group.prepared.clear();
  if (group.count != 0) {
    group.given.clear();
  } else {
    group.given.resize(size);
    for (std::size_t i = 0; i < size; ++i) attemptAnswer(group.answers[i], [&] { parse(group, i); });
  }
  // Cores search until a device is there, not until the end of the group: it would wait for them.
  const auto hasDevice = [this] { return plan_.device && devices_.ready() && !stop_.load(); };
  std::size_t next = 0;
  for (; next < size && !hasDevice(); ++next)
    if (!searchByCore(group, seat, next)) return;
  std::vector<bool> answered(size);
  if (next < size && plan_.device) reduce(group, seat, next);
  if (next < size && hasDevice()) searchByDevice(group, seat, next, answered);
  for (; next < size; ++next)
    if (!answered[next] && !searchByCore(group, seat, next)) return;
}

/// False when stopped.
bool GroupSolver::searchByCore(LatticeGroup& group, int seat, std::size_t i) {
  LatticeAnswer& answer = group.answers[i];
  if (group.blank[i] || !answer.error.empty()) return true;
  attemptAnswer(answer, [&] {
    group.ways[i] = stop_.load() ? Way::stopped : search(group, i, static_cast<std::size_t>(seat), answer);
  });
  return group.ways[i] != Way::stopped;
}

/// Waits for a device, while another thread works.
template <class Call>
void GroupSolver::beside(const Call& call) {
  working_.release();
  const Reacquired reacquired{working_};
  call();
}

Way GroupSolver::search(LatticeGroup& group, std::size_t i, std::size_t seat, LatticeAnswer& answer) {
  const GivenLattice& given = latticeOf(group, i);
  const bool close = hasTarget(given);
  const auto searchFor = [&](const ManyWanted& wanted) {
    const Way way =
        close ? targets_[seat].search(given, wanted, answer) : searchers_[seat].search(given, wanted, answer);
    if (way == Way::tooLarge)
      group.prepared.emplace(i, close ? targets_[seat].takePrepared() : searchers_[seat].takePrepared());
    return way;
  };
  // A copy takes as long as a lattice of few rows.
  if (!request_.accept && !devices_.besideCores()) return searchFor(wanted_);
  ManyWanted wanted = wanted_;
  if (devices_.besideCores()) {
    wanted.leave = [this] { return devices_.ready(); };
    wanted.leaveNodes = plan_.mostNodesBesideGpu;
    if (wanted.leave()) wanted.mostNodes = plan_.mostNodesBesideGpu;
  }
  if (request_.accept) {
    wanted.accept = [this, index = group.indexOf(i)](const LatticeVector& found) {
      return request_.accept(index, found);
    };
  }
  return searchFor(wanted);
}

void GroupSolver::parse(LatticeGroup& group, std::size_t i) {
  const std::string_view line = group.lines.line(i);
  group.given[i].clear();
  if (group.lines.lines[i].tooLong)
    throw ConfigError("line", fmt::format("more than {} bytes", kLongestLine), "a shorter line");
  group.blank[i] = isBlank(line);
  if (!group.blank[i]) parseLatticeLine(line, group.given[i]);
}

/// By a device, from the `first` on. Those of the caller's memory are copied.
void GroupSolver::reduce(LatticeGroup& group, int seat, std::size_t first) {
  const std::size_t size = group.size();
  group.given.resize(size);
  std::vector<GivenLattice*> lattices;
  for (std::size_t i = 0; i < size; ++i) {
    if (group.count != 0) group.given[i].lattice = request_.lattices[group.first + i];
    if (i < first) continue;
    if (!group.blank[i] && group.answers[i].error.empty() && !hasTarget(group.given[i].lattice))
      lattices.push_back(&group.given[i].lattice);
  }
  beside([&] { devices_.reduce(lattices, seat); });
}

/// By a device, what it takes. Behind reduce().
void GroupSolver::searchByDevice(LatticeGroup& group, int seat, std::size_t first,
                                 std::vector<bool>& answered) {
  if (request_.accept || request_.first != 0) return;  // with a radius it takes none; others are refused
  OneLattice& searcher = searchers_[static_cast<std::size_t>(seat)];
  OneTarget& closest = targets_[static_cast<std::size_t>(seat)];
  SearcherGroup& searches = searches_[static_cast<std::size_t>(seat)];
  searches.clear();
  std::vector<std::size_t> numbers;
  const bool many = devices_.besideCores() && group.size() - first >= kManyLines;
  const double nodes = many ? kNodesOfManyWarps : kNodesOfWarp;
  for (std::size_t i = first; i < group.size(); ++i) {
    GivenLattice& lattice = group.given[i].lattice;
    if (group.blank[i] || !group.answers[i].error.empty()) continue;
    try {
      if (hasTarget(lattice) ? closest.prepare(lattice, wanted_, nodes, searches)
                             : searcher.prepare(lattice, wanted_, nodes, searches))
        numbers.push_back(i);
    } catch (const ConfigError&) {
      continue;  // the core says what is wrong with a target
    }
  }
  bool done = false;
  if (!numbers.empty()) beside([&] { done = devices_.search(searches, seat, stop_); });
  if (!done) return;
  const std::int16_t* coefficients = searches.coefficients.data();
  for (std::size_t k = 0; k < numbers.size(); ++k, coefficients += WarpShortestShape::kMaximumDimension) {
    const std::size_t i = numbers[k];
    const GivenLattice& lattice = group.given[i].lattice;
    const SearcherItem& item = searches.items[k];
    LatticeAnswer& answer = group.answers[i];
    answered[i] = hasTarget(lattice) ? closest.finish(lattice, item, coefficients, answer)
                                     : searcher.finish(lattice, item, coefficients, answer);
    ++(answered[i] ? searchedByDevice_ : wrong_);
  }
}

std::vector<std::string> GroupSolver::warnings() const {
  std::vector<std::string> all = devices_.warnings();
  if (const std::uint64_t wrong = wrong_.load(); wrong != 0)
    all.push_back(
        fmt::format("{} of {} vectors that a device found do not have the norms that it computed. Cores "
                    "searched these lattices again, so that the answers are right; check the device's memory",
                    wrong, wrong + searchedByDevice_.load()));
  return all;
}

}  // namespace slicepool::lattice
