// The device factories of the factorizations workload by family, in translation units of their own so that
// the kernels compile side by side (search_instances.cuh), and that of its leaf tables (leaf_table.cu).
// Called by register.cu.
#pragma once

namespace slicepool::cuda {

template <int D, class Word>
void registerCandidate();
template <int D, class Word>
void registerTabulated();
template <int D, class Word>
void registerRanked();

void registerLeafTable();

}  // namespace slicepool::cuda
