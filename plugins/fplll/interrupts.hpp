// Ctrl-C during a search by a pool. Programs such as fpylll leave the library by a jump out of their signal
// handler (cysignals), which would tear the engine's memory from under its workers. Called by
// block_search.cpp.
#pragma once

#include <functional>

namespace slicepool::fplll_plugin {

/// Runs `search`, and keeps SIGINT from the program's handler meanwhile; `stopped` says whether one came.
/// Then hands it to that handler, which may not return; of several searches at once the last one does.
/// Returns whether one came. Where no handler is installed nothing is kept. Any thread, also several at once:
/// each is told.
bool withoutInterrupts(const std::function<void(const std::function<bool()>& stopped)>& search);

}  // namespace slicepool::fplll_plugin
