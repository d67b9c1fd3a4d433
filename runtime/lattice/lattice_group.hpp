// Some lattices of a batch, and how a group of them is answered: read, reduced and searched by a device where
// there is one (device_groups), or one after the other by the core that has the group (one_lattice; with a
// target one_target). Called by many_lattices.cpp, on the threads of its pipeline.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <semaphore>
#include <string>
#include <vector>

#include "runtime/lattice/device_groups.hpp"
#include "runtime/lattice/group_plan.hpp"
#include "runtime/lattice/lattice_line.hpp"
#include "runtime/lattice/lattice_lines.hpp"
#include "runtime/lattice/one_lattice.hpp"
#include "runtime/lattice/one_target.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/lattice/many_lattices.hpp"

namespace slicepool::lattice {

/// Some lattices and what becomes of them. Used again, for its memory.
struct LatticeGroup {
  LineGroup lines;        ///< of a file, or
  std::size_t first = 0;  ///< of the lattices in memory
  std::size_t count = 0;  ///< of these
  std::vector<LatticeLine> given;
  std::vector<LatticeAnswer> answers;
  std::vector<Way> ways;
  std::vector<bool> blank;
  std::map<std::size_t, PreparedSearch> prepared;  ///< those that are too large for a core
  std::size_t bytes = 0;

  /// Of a lattice, from 0: in memory, or the line of the file.
  [[nodiscard]] std::uint64_t indexOf(std::size_t i) const {
    return count != 0 ? first + i : lines.first - 1 + i;
  }
  [[nodiscard]] std::size_t size() const { return count != 0 ? count : lines.size(); }
};

/// Calls; what is wrong with a lattice is its answer.
void attemptAnswer(LatticeAnswer& answer, const std::function<void()>& call);

class GroupSolver {
 public:
  /// `request` and `stop` must outlive the object. `lattice`: that of all targets, or null.
  /// `emulatorIsThere`: asked before each lattice, as a GPU that starts is; empty: always.
  GroupSolver(const ManyRequest& request, const EngineOptions& options, int threads, const BatchLook& look,
              const std::shared_ptr<const TargetLattice>& lattice, const std::atomic<bool>& stop,
              std::function<bool()> emulatorIsThere = {});

  /// Threads that call solve(): more than may work, where some wait for a device.
  [[nodiscard]] int seats() const { return seats_; }
  /// Whether a device takes part, now or later: groups should be large.
  [[nodiscard]] bool hasDevice() const { return devices_.wanted() && plan_.device; }
  /// Lines that a core takes at a time, at most.
  [[nodiscard]] std::size_t linesOfCore() const { return plan_.lines; }
  /// Answers a group as far as it may: Way::tooLarge and Way::stopped are left to the caller. `seat`: of the
  /// calling thread, from 0.
  void solve(LatticeGroup& group, int seat);
  [[nodiscard]] const GivenLattice& latticeOf(const LatticeGroup& group, std::size_t i) const {
    return group.given.empty() ? request_.lattices[group.first + i] : group.given[i].lattice;
  }

  /// After the last call of solve().
  [[nodiscard]] std::uint64_t reducedByDevice() const { return devices_.reduced(); }
  [[nodiscard]] std::uint64_t searchedByDevice() const { return searchedByDevice_.load(); }
  [[nodiscard]] std::vector<std::string> warnings() const;
  [[nodiscard]] const std::optional<AutomaticChoice>& choice() const { return devices_.choice(); }

 private:
  template <class Call>
  void beside(const Call& call);
  Way search(LatticeGroup& group, std::size_t i, std::size_t seat, LatticeAnswer& answer);
  static void parse(LatticeGroup& group, std::size_t i);
  bool searchByCore(LatticeGroup& group, int seat, std::size_t i);
  void reduce(LatticeGroup& group, int seat, std::size_t first);
  void searchByDevice(LatticeGroup& group, int seat, std::size_t first, std::vector<bool>& answered);

  const ManyRequest& request_;
  const std::atomic<bool>& stop_;
  ManyWanted wanted_;
  const GroupPlan plan_;
  DeviceGroups devices_;
  const int seats_;
  std::vector<SearcherGroup> searches_;  ///< of each seat: megabytes, whose memory stays
  std::counting_semaphore<> working_;    ///< as many as may work at a time
  std::vector<OneLattice> searchers_;    ///< of each seat
  std::vector<OneTarget> targets_;       ///< likewise, of lines with a target
  std::atomic<std::uint64_t> searchedByDevice_{0};
  std::atomic<std::uint64_t> wrong_{0};  ///< answers of a device
};

}  // namespace slicepool::lattice
