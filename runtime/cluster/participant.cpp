// See participant.hpp.
#include "runtime/cluster/participant.hpp"

#include <utility>

namespace slicepool::cluster {

Participant::Participant(RankWork& work, std::string version, std::string identity) : work_(work) {
  hello_.kind = MessageKind::hello;
  hello_.version = std::move(version);
  hello_.identity = std::move(identity);
  commit_.kind = MessageKind::commit;
}

std::vector<Message> Participant::tick() {
  switch (state_) {
    case State::idle: return {hello_};
    case State::committing: return {commit_};
    case State::working: {
      Message alive;
      alive.kind = MessageKind::progress;
      alive.lease = lease_;
      alive.steps = work_.steps();
      return {alive};
    }
    case State::stopped: break;
  }
  return {};
}

std::vector<Message> Participant::receive(const Message& message) {
  switch (message.kind) {
    case MessageKind::lease:
      // An older one was committed. A newer one than the commit at hand says that it has arrived.
      if (message.lease > lease_ && (state_ == State::idle || state_ == State::committing)) begin(message);
      return {};
    case MessageKind::received:
      if (state_ != State::committing || message.lease != lease_) return {};
      state_ = State::idle;
      return {hello_};
    case MessageKind::yield:
      if (state_ == State::working && message.lease == lease_) work_.end();
      return {};
    case MessageKind::bound:
      if (state_ == State::working) work_.lower(message.content.shared);
      return {};
    case MessageKind::stop: {
      // Work whose lease is not known any more counts for nothing.
      if (state_ == State::working) work_.end();
      state_ = State::stopped;
      followed_ = message.followed;
      Message bye;
      bye.kind = MessageKind::bye;
      return {bye};
    }
    default: return {};
  }
}

std::vector<Message> Participant::worked(Checkpoint delta, RunReport report, double idle) {
  if (state_ != State::working) return {};
  commit_.lease = lease_;
  commit_.content = std::move(delta);
  commit_.report = std::move(report);
  commit_.seconds = idle;
  state_ = State::committing;
  return {commit_};
}

void Participant::begin(const Message& lease) {
  lease_ = lease.lease;
  state_ = State::working;
  work_.begin(lease.content, lease.seconds);
}

}  // namespace slicepool::cluster
