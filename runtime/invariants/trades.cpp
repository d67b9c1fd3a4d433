// Implementation of trades.hpp: depth-first over all coordinates but the last, which follows from them.
#include "runtime/invariants/trades.hpp"

#include <algorithm>

#include "cpu_workers/core/setup_stop.hpp"

namespace slicepool::invariants {
namespace {

/// Whether the parts of `small`, or those of its negative, lie in those of `large`.
bool liesIn(const Trade& small, const Trade& large) {
  bool same = true;
  bool opposite = true;
  for (std::size_t i = 0; i < large.change.size(); ++i) {
    const std::int32_t s = small.change[i];
    const std::int32_t l = large.change[i];
    const auto inside = [l](std::int32_t change) {
      return change == 0 || (change > 0 ? l >= change : l <= change);
    };
    same = same && inside(s);
    opposite = opposite && inside(-s);
    if (!same && !opposite) return false;
  }
  return true;
}

}  // namespace

TradeLevels::TradeLevels(std::vector<std::uint64_t> generators, std::uint64_t element)
    : generators_(std::move(generators)),
      largest_(generators_),
      element_(element),
      change_(generators_.size(), 0) {
  for (std::size_t i = largest_.size() - 1; i-- > 0;) largest_[i] = std::max(largest_[i], largest_[i + 1]);
}

const std::vector<Trade>& TradeLevels::next() {
  for (auto& trade : found_) {
    if (trade.primitiveOfEqualLength) equalLengths_.push_back(trade);
    if (trade.primitive) primitives_.push_back(std::move(trade));
  }
  found_.clear();
  ++level_;
  steps_ = 0;
  if (generators_.size() > 1) extend(0, {});
  return found_;
}

/// Whether the coordinates from `at` on cannot bring the value back to 0.
bool TradeLevels::hopeless(std::size_t at, const Part& part) const {
  const __int128 reach = largest_[at];
  const auto room = [this](std::int64_t used) { return static_cast<std::int64_t>(level_) - used; };
  return part.value > reach * room(part.taken) || -part.value > reach * room(part.given) ||
         part.valueTaken > static_cast<__int128>(element_);
}

void TradeLevels::place(std::size_t at, std::int64_t change, Part& part) {
  change_[at] = static_cast<std::int32_t>(change);
  const __int128 value = static_cast<__int128>(change) * generators_[at];
  part.value += value;
  if (change > 0) {
    part.given += change;
  } else {
    part.taken -= change;
    part.valueTaken -= value;
  }
}

void TradeLevels::extend(std::size_t at, Part part) {
  if (at + 1 == generators_.size()) return close(part);
  if ((++steps_ & 0xFFFF) == 0) checkSetup();
  const bool begun = part.taken != 0 || part.given != 0;
  const std::int64_t low = part.taken - static_cast<std::int64_t>(level_);
  const std::int64_t high = begun ? static_cast<std::int64_t>(level_) - part.given : 0;
  for (std::int64_t change = low; change <= high; ++change) {
    Part longer = part;
    place(at, change, longer);
    if (!hopeless(at + 1, longer)) extend(at + 1, longer);
  }
  change_[at] = 0;
}

/// The last coordinate is what brings the value to 0.
void TradeLevels::close(Part part) {
  ++steps_;
  const auto generator = static_cast<__int128>(generators_.back());
  if (part.value % generator != 0) return;
  place(generators_.size() - 1, static_cast<std::int64_t>(-part.value / generator), part);
  if (std::max(part.taken, part.given) == static_cast<std::int64_t>(level_) &&
      part.valueTaken <= static_cast<__int128>(element_))
    keep(part);
  change_.back() = 0;
}

void TradeLevels::keep(const Part& part) {
  Trade trade{change_, static_cast<std::uint32_t>(part.taken), static_cast<std::uint32_t>(part.given), true,
              part.taken == part.given};
  const auto inside = [&](const Trade& small) {
    ++steps_;
    return liesIn(small, trade);
  };
  trade.primitive = std::none_of(primitives_.begin(), primitives_.end(), inside);
  if (trade.primitiveOfEqualLength)
    trade.primitiveOfEqualLength = std::none_of(equalLengths_.begin(), equalLengths_.end(), inside);
  found_.push_back(std::move(trade));
}

}  // namespace slicepool::invariants
