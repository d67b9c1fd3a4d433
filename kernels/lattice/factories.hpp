// The device factories of the lattice search, one function per translation unit so that the kernels compile
// side by side. Called by register.cu.
#pragma once

namespace slicepool::cuda {

void registerLatticeSmall();
void registerLatticeMiddle();
void registerLatticeLarge();

}  // namespace slicepool::cuda
