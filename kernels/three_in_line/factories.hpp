// The device factories of the no-three-in-line search, one function per translation unit so that the kernels
// compile side by side. Called by register.cu.
#pragma once

namespace slicepool::cuda {

void registerThreeInLineSmall();
void registerThreeInLineLarge();
void registerThreeInLineWide();

}  // namespace slicepool::cuda
