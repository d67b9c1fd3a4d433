// See device_groups.hpp.
#include "runtime/lattice/device_groups.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "runtime/core/automatic_choice.hpp"
#include "runtime/core/joining_devices.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/seconds.hpp"
#include "slicepool/lattice/steps/warp_reduction.hpp"
#include "slicepool/lattice/steps/warp_shortest.hpp"

namespace slicepool::lattice {
namespace {

/// Seconds of all cores from which on a GPU's start is worth it: a third of a second, and a tenth when the
/// process ends.
constexpr double kWorthStarting = 0.55;
/// The same of a GPU that is ready, whose memory is still to be had.
constexpr double kWorthJoining = 0.1;

/// Of more rows a device reduces without deep insertions (kDeepRows there), and the tree becomes 10 to 40
/// times as large as behind a core.
constexpr int kMostDeviceRows = 44;

bool suitsDevices(const GivenLattice& lattice) {
  const int d = lattice.rows;
  const int n = lattice.columns;
  if (lattice.gram || !lattice.text.empty() || d < kLeastDeviceRows || d > kMostDeviceRows || n < d ||
      n > WarpReductionShape::kMaximumColumns)
    return false;
  if (lattice.entries.size() != static_cast<std::size_t>(d) * static_cast<std::size_t>(n)) return false;
  // Without an early end, so that it is done by vectors.
  bool narrow = true;
  for (const std::int64_t entry : lattice.entries)
    narrow &= entry < WarpReductionShape::kMaximumEntry && entry > -WarpReductionShape::kMaximumEntry;
  return narrow;
}

/// `seconds`: of all cores, for what a device would do; 0 if they are unknown.
AutomaticChoice chooseDevices(double seconds, int gpu) {
  if (!gpusAreLikely()) return withoutGpus();
  if (!makerOf<LatticeReducerMaker>(typeid(LatticeReducer)))
    return withoutDevices("this build has no GPU kernels for many lattices");
  if (seconds == 0) return withoutDevices("devices would do nothing, or it is unknown how much");
  if (seconds > kWorthJoining && gpuIsReady(gpu)) return withReadyDevices();
  AutomaticChoice choice =
      withoutDevices(fmt::format("CPU workers take about {:.3g} s for what devices would do", seconds));
  choice.secondsLeft = seconds;
  choice.devices = seconds > kWorthStarting;
  if (choice.devices) choice.askedSeconds = 0;
  return choice;
}

/// Changes the first vector that was found.
void spoil(SearcherGroup& group) {
  for (std::size_t i = 0; i < group.items.size(); ++i) {
    if (group.items[i].squaredNorm == 0) continue;
    ++group.coefficients[i * WarpShortestShape::kMaximumDimension];
    return;
  }
}

}  // namespace

DeviceGroups::DeviceGroups(const EngineOptions& options, int seats, double seconds,
                           std::function<bool()> emulatorIsThere)
    : waits_(options.mode == Mode::gpu),
      gpu_(options.device.deviceIndex),
      emulatorIsThere_(std::move(emulatorIsThere)) {
  if (options.mode == Mode::emulated) {
    source_ = Source::emulator;
    faults_ = options.emulator;
  } else if (options.mode == Mode::gpu || options.mode == Mode::hybrid) {
    source_ = Source::gpu;
    asks_ = options.mode == Mode::hybrid && !gpuIsReady(gpu_);
    if (options.mode == Mode::hybrid)
      choice_ = asks_ ? choiceAfter(std::nullopt, false, options.mode) : withReadyDevices();
  } else if (options.mode == Mode::automatic) {
    choice_ = chooseDevices(seconds, gpu_);
    if (choice_->devices) {
      source_ = Source::gpu;
      startGpus(gpu_, 1);
    }
  }
  if (source_ == Source::gpu && !makerOf<LatticeReducerMaker>(typeid(LatticeReducer))) source_ = Source::none;
  seats_.resize(static_cast<std::size_t>(seats) + 1);
}

DeviceGroups::~DeviceGroups() = default;

void DeviceGroups::askForGpu() {
  const SearchLook look{.seconds = secondsSince(made_), .stepsLeft = std::nan("")};
  const bool before = driverWasAsked();
  if (!before && !worthStartingGpus(Mode::hybrid, look.seconds, look.stepsLeft)) return;
  if (!asks_.exchange(false)) return;
  choice_ = before ? alreadyAsked(look.seconds) : choiceAfter(look, true);
  startGpus(gpu_, 1);
}

bool DeviceGroups::ready() {
  if (!wanted()) return false;
  if (asks_) askForGpu();
  if (source_ == Source::emulator) return !emulatorIsThere_ || emulatorIsThere_();
  return waits_ || gpuIsReady(gpu_);
}

template <class Device, class Maker, class Emulated>
void DeviceGroups::make(std::unique_ptr<Device>& device, Emulated&& emulated) const {
  if (device == nullptr)
    device = source_ == Source::emulator ? emulated() : makerOf<Maker>(typeid(Device))(gpu_);
}

template <class Call>
bool DeviceGroups::attempt(const char* what, Call&& call) {
  std::string why;
  try {
    const std::int64_t launch = launches_++;
    if (launch == faults_.failAtLaunch) throw DeviceError("emulated device: injected fault");
    call(launch);
    return true;
  } catch (const DeviceError& error) {
    why = error.what();
  } catch (const LimitError& error) {
    why = error.what();
  }
  if (failed_.exchange(true)) return false;
  const std::lock_guard lock(mutex_);
  warnings_.push_back(fmt::format("lattices are {} by cores: {}", what, why));
  return false;
}

void DeviceGroups::reduce(std::span<GivenLattice* const> lattices, int thread) {
  Seat& seat = seats_[static_cast<std::size_t>(thread)];
  seat.entries.clear();
  seat.items.clear();
  seat.lattices.clear();
  std::size_t numbers = 0;
  for (GivenLattice* lattice : lattices) {
    if (!suitsDevices(*lattice)) continue;
    seat.items.push_back({static_cast<std::uint32_t>(numbers), static_cast<std::int16_t>(lattice->rows),
                          static_cast<std::int16_t>(lattice->columns)});
    seat.lattices.push_back(lattice);
    numbers += lattice->entries.size();
  }
  if (seat.items.empty()) return;
  seat.entries.resize(numbers);
  std::int32_t* to = seat.entries.data();
  for (const GivenLattice* lattice : seat.lattices)
    for (const std::int64_t entry : lattice->entries) *to++ = static_cast<std::int32_t>(entry);
  const bool done = attempt("reduced", [&](std::int64_t) {
    make<LatticeReducer, LatticeReducerMaker>(seat.reducer, makeEmulatedReducer);
    seat.reducer->reduce(seat.entries, seat.items);
  });
  if (!done) return;
  for (std::size_t i = 0; i < seat.items.size(); ++i) {
    const ReducerItem& item = seat.items[i];
    if (item.reduced == 0) continue;
    ++reduced_;
    seat.lattices[i]->reduced = true;
    auto& entries = seat.lattices[i]->entries;
    std::copy_n(seat.entries.begin() + static_cast<std::ptrdiff_t>(item.first), entries.size(),
                entries.begin());
  }
}

bool DeviceGroups::search(SearcherGroup& group, int thread, const std::atomic<bool>& stop) {
  Seat& seat = seats_[static_cast<std::size_t>(thread)];
  group.coefficients.resize(group.items.size() * std::size_t{WarpShortestShape::kMaximumDimension});
  bool through = false;
  const bool done = attempt("searched", [&](std::int64_t launch) {
    make<LatticeSearcher, LatticeSearcherMaker>(seat.searcher, makeEmulatedSearcher);
    through = seat.searcher->search(group.numbers, group.items, group.coefficients, stop);
    if (through && launch == faults_.spoilAtLaunch) spoil(group);
  });
  return done && through;
}

}  // namespace slicepool::lattice
