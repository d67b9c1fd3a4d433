// See pattern.hpp. Thompson's construction: a pattern becomes a machine with states, all states that a prefix
// of the text can be in are followed at once (Thompson 1968, Regular expression search algorithm).
#include "runtime/app/config/pattern.hpp"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

using Set = std::bitset<256>;

/// Takes one byte of `set` and goes on to `next`; with no bytes: goes on to `next` and `other` at once.
struct State {
  Set set;
  std::size_t next = 0;
  std::size_t other = 0;
};

class Machine {
 public:
  explicit Machine(std::string_view pattern) : pattern_(pattern) {
    if (!pattern_.starts_with('^') || !pattern_.ends_with('$')) refuse();
    pattern_.remove_suffix(1);
    at_ = 1;
    const Part whole = alternatives();
    if (at_ != pattern_.size()) refuse();
    begin_ = whole.begin;
    end_ = whole.end;
  }

  [[nodiscard]] bool matches(std::string_view text) const {
    std::vector<std::size_t> now;
    std::vector<std::size_t> next;
    std::vector<std::uint32_t> seen(states_.size(), 0);
    std::uint32_t round = 1;
    enter(begin_, now, seen, round);
    for (const char c : text) {
      if (now.empty()) return false;
      ++round;
      next.clear();
      for (const std::size_t state : now)
        if (states_[state].set.test(static_cast<unsigned char>(c)))
          enter(states_[state].next, next, seen, round);
      now.swap(next);
    }
    return seen[end_] == round;
  }

 private:
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;  ///< a state without bytes that the next part is joined to
  };

  std::size_t add(const Set& set = {}) {
    states_.push_back({set, states_.size(), states_.size()});
    return states_.size() - 1;
  }
  void join(std::size_t from, std::size_t to) {
    State& state = states_[from];
    (state.next == from ? state.next : state.other) = to;
  }

  Part alternatives() {
    Part result = sequence();
    while (at_ < pattern_.size() && pattern_[at_] == '|') {
      ++at_;
      const Part next = sequence();
      const Part both{add(), add()};
      join(both.begin, result.begin);
      join(both.begin, next.begin);
      join(result.end, both.end);
      join(next.end, both.end);
      result = both;
    }
    return result;
  }

  Part sequence() {
    const std::size_t empty = add();
    Part result{empty, empty};
    while (at_ < pattern_.size() && pattern_[at_] != '|' && pattern_[at_] != ')') {
      const Part next = repeated(single());
      join(result.end, next.begin);
      result.end = next.end;
    }
    return result;
  }

  Part repeated(Part part) {
    while (at_ < pattern_.size() && (pattern_[at_] == '?' || pattern_[at_] == '*' || pattern_[at_] == '+')) {
      const char kind = pattern_[at_++];
      const Part wrapped{add(), add()};
      join(wrapped.begin, part.begin);
      join(part.end, wrapped.end);
      if (kind != '?') join(part.end, wrapped.begin);
      if (kind != '+') join(wrapped.begin, wrapped.end);
      part = wrapped;
    }
    return part;
  }

  Part single() {
    const char c = pattern_[at_++];
    if (c == '(') {
      const Part inside = alternatives();
      if (at_ >= pattern_.size() || pattern_[at_] != ')') refuse();
      ++at_;
      return inside;
    }
    Set set;
    if (c == '.')
      set.set();
    else if (c == '[')
      set = bracket();
    else if (c == '\\' || c == '{' || c == '?' || c == '*' || c == '+')
      refuse();
    else
      set.set(static_cast<unsigned char>(c));
    const Part part{add(set), add()};
    states_[part.begin].next = part.end;
    return part;
  }

  Set bracket() {
    Set set;
    for (; at_ < pattern_.size() && pattern_[at_] != ']'; ++at_) {
      const auto first = static_cast<unsigned char>(pattern_[at_]);
      auto last = first;
      if (at_ + 2 < pattern_.size() && pattern_[at_ + 1] == '-' && pattern_[at_ + 2] != ']') {
        last = static_cast<unsigned char>(pattern_[at_ + 2]);
        at_ += 2;
      }
      for (unsigned c = first; c <= last; ++c) set.set(c);
    }
    if (at_ >= pattern_.size() || set.none()) refuse();
    ++at_;
    return set;
  }

  /// The state and all that it goes on to without a byte.
  void enter(std::size_t start, std::vector<std::size_t>& states, std::vector<std::uint32_t>& seen,
             std::uint32_t round) const {
    std::vector<std::size_t> open{start};
    while (!open.empty()) {
      const std::size_t state = open.back();
      open.pop_back();
      if (seen[state] == round) continue;
      seen[state] = round;
      if (states_[state].set.any()) {
        states.push_back(state);
      } else {
        open.push_back(states_[state].other);
        open.push_back(states_[state].next);
      }
    }
  }

  [[noreturn]] void refuse() const {
    throw Error("pattern: " + std::string(pattern_) + " is not understood");
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::vector<State> states_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace

bool matchesPattern(std::string_view text, std::string_view pattern) {
  return Machine(pattern).matches(text);
}

}  // namespace slicepool::config
