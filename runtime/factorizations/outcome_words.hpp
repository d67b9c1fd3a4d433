// What the words of the sink say, as an outcome. Called by enumeration.cpp at the end of a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/factorizations/algorithm_choice.hpp"
#include "slicepool/factorizations/problem_factory.hpp"

namespace slicepool::factorizations {

/// How a run ended, beside its report.
struct RunEnd {
  std::uint64_t rowsWanted = 0;  ///< of a sink of rows at known places
  bool exhausted = false;        ///< a walk in order came to the end of all rows
  std::string resumePath{};      ///< of the checkpoint that the run continued; empty: none
};

/// Fills the counts and the answer of the sink. Throws CheckpointError, of a resumed run, or Error where what
/// was enumerated is not what the counting table says.
void readOutcome(Outcome& outcome, const RunReport& report, const Request& request, const Plan& plan,
                 const ProblemSpec& spec, const RunEnd& end);

}  // namespace slicepool::factorizations
