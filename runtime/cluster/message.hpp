// What a coordinator and its participants say to each other. A value: transports carry it, and the state
// machines of both sides know nothing of how.
#pragma once

#include <cstdint>
#include <string>

#include "slicepool/core/checkpoint.hpp"
#include "slicepool/core/engine.hpp"

namespace slicepool::cluster {

enum class MessageKind : std::uint8_t {
  hello,     ///< participant: is there and wants work; version, identity
  lease,     ///< coordinator: work on these slices, for so many seconds
  commit,    ///< participant: what a lease found, and the slices that are left of it
  received,  ///< coordinator: the commit needs no repetition; there is no work at the moment
  yield,     ///< coordinator: commit this lease now
  bound,     ///< coordinator: the shared word, as of commits
  progress,  ///< participant: lives, and has taken so many steps since its lease began
  stop,      ///< coordinator: no more work
  bye        ///< participant: the answer to stop
};

struct Message {
  MessageKind kind = MessageKind::hello;
  std::string version;       ///< hello: of the program
  std::string identity;      ///< hello: of the problem
  std::uint64_t search = 0;  ///< its number among those of the transport
  std::uint64_t lease = 0;   ///< of lease, commit, received, yield, progress; a number is used once
  double seconds =
      0;  ///< lease: how long to work before the commit; commit: how much of it went by at its start and end
  double steps = 0;       ///< progress: of the lease so far
  bool followed = false;  ///< stop: another search begins
  /// lease: slices, shared word, no words. commit: words and steps of this lease alone, the blob of its
  /// results, its shared word, the unfinished slices. bound: the shared word.
  Checkpoint content{};
  /// commit: who worked on the lease. Workers, splits, warnings and peaks of memory alone travel.
  RunReport report{};
};

/// A message and the rank that it is for, or comes from.
struct Envelope {
  int rank = 0;
  Message message;
};

}  // namespace slicepool::cluster
