// The enumeration of blocks inside fplll's BKZ, for threads that reduce side by side: fplll's own default for
// that, a parallel one, has work of all threads in one queue and cannot be called from several. Called by
// trial_reduction.cpp, in builds with fplll.
#pragma once

namespace slicepool::svp {

/// While it lives, blocks that the calling thread reduces are searched by that thread: large ones by
/// slicepool's search, small ones by fplll's sequential one. Other threads are not concerned: what fplll, or
/// the program around, has set as the external enumerator goes on for them.
class BlockEnumerator {
 public:
  BlockEnumerator();
  ~BlockEnumerator();
  BlockEnumerator(const BlockEnumerator&) = delete;
  BlockEnumerator& operator=(const BlockEnumerator&) = delete;
};

}  // namespace slicepool::svp
