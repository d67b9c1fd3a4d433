// The kernels of integer points: a thread for each slice, by the plain step.
#include "kernels/core/register.hpp"
#include "slicepool/integer_points/sinks.hpp"
#include "slicepool/integer_points/steps/search.hpp"

namespace slicepool::cuda::integer_points {

namespace {

template <class Int>
void registerSearch() {
  using namespace slicepool::integer_points;
  slicepool::registerKernels<Search<Int>, Tally>();
  slicepool::registerKernels<Search<Int>, Digest>();
  slicepool::registerKernels<Search<Int>, CollectLines<32>>();
  slicepool::registerKernels<Search<Int>, CollectLines<72>>();
  slicepool::registerKernels<Search<Int>, CollectLines<264>>();
  slicepool::registerKernels<Search<Int>, CollectLines<520>>();
}

}  // namespace

void registerKernels() {
  registerSearch<std::int32_t>();
  registerSearch<std::int64_t>();
}

}  // namespace slicepool::cuda::integer_points
