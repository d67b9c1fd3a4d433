// The side of a search on several ranks that works: a state machine over messages, without threads and
// without a clock of its own. What it makes its rank do is behind RankWork.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cluster/message.hpp"

namespace slicepool::cluster {

/// An engine of the rank, as its participant sees it.
class RankWork {
 public:
  virtual ~RankWork() = default;
  /// Starts on the slices of a lease, for so many seconds. The end is told by Participant::worked.
  virtual void begin(const Checkpoint& parcel, double seconds) = 0;
  /// Ends what was begun as soon as may be, with a turn or a launch.
  virtual void end() = 0;
  /// Lowers the shared word.
  virtual void lower(std::uint64_t word) = 0;
  /// Steps of what was begun, so far.
  [[nodiscard]] virtual double steps() const { return 0; }
};

class Participant {
 public:
  /// `work` must outlive it.
  Participant(RankWork& work, std::string version, std::string identity);

  /// What it says first, and says again until it is answered: to be called some times a second.
  [[nodiscard]] std::vector<Message> tick();
  [[nodiscard]] std::vector<Message> receive(const Message& message);
  /// The lease that was begun has ended: `delta` is what it found, and the slices that are left; `report`
  /// says who did it. `idle`: seconds in which a worker neither worked nor lacked slices, since engines start
  /// and end.
  [[nodiscard]] std::vector<Message> worked(Checkpoint delta, RunReport report = {}, double idle = 0);

  [[nodiscard]] bool working() const { return state_ == State::working; }
  /// It has been told to stop. It still has to answer what comes.
  [[nodiscard]] bool stopped() const { return state_ == State::stopped; }
  /// It has been told so, and that another search begins.
  [[nodiscard]] bool followed() const { return followed_; }

 private:
  enum class State : std::uint8_t { idle, working, committing, stopped };

  void begin(const Message& lease);

  RankWork& work_;
  Message hello_;
  Message commit_;  ///< kept until it is answered
  State state_ = State::idle;
  bool followed_ = false;
  std::uint64_t lease_ = 0;  ///< the last one that was begun; numbers only grow
};

}  // namespace slicepool::cluster
