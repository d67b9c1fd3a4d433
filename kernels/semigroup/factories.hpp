// What semigroup_*.cu bring to a GPU, by kind of keys, and for algorithm `words`. Called by
// register.cu.
#pragma once

namespace slicepool::cuda {

void registerSemigroupPacked();
void registerSemigroupByte();
void registerSemigroupShort();
void registerSemigroupWide();
void registerSemigroupWords();

}  // namespace slicepool::cuda
