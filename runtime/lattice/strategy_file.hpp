// fplll's file of strategies, as far as it is needed. Its own reader makes a document of all 8.6 MB, which
// takes as long as LLL of 40 rows. Called by strategies.cpp and tests.
#pragma once

#include <string>
#include <vector>

namespace fplll {
class Strategy;
}

namespace slicepool::lattice {

/// The strategies of blocks of 0 .. `largest` rows, or of as many as there are. O(their part of the file).
/// Throws Error with what is wrong and where.
[[nodiscard]] std::vector<fplll::Strategy> readStrategyFile(const std::string& path, int largest);

}  // namespace slicepool::lattice
