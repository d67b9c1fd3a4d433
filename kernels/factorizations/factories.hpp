// The device factories of the factorizations workload and its leaf tables, one function per translation unit
// so that the kernels compile side by side. Called by register.cu.
#pragma once

namespace slicepool::cuda {

void registerCandidateLow();
void registerCandidateHigh();
void registerTabulatedLow();
void registerTabulatedHigh();
void registerRankedLow();
void registerRankedHigh();
void registerLeafTable();

}  // namespace slicepool::cuda
