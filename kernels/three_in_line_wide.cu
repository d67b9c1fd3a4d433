#include "three_in_line.hpp"
namespace slicepool::cuda {
void registerThreeInLineWide() {}
}
