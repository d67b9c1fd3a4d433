// See front_request.hpp.
#include "runtime/reduce/front_request.hpp"

#include "runtime/lattice/front_matrix.hpp"

namespace slicepool::config {

reduce::Request parseReduceRequest(const RunConfig& config) {
  const Json& document = config.document;
  reduce::Request request;
  setMatrix(document, "basis", request.basis, request.basisPath);
  setMatrix(document, "gram", request.gram, request.gramPath);
  const auto number = [&](const char* member, int low, int high, int& value) {
    if (document.contains(member))
      value = static_cast<int>(requireUnsigned(document[member], member, static_cast<std::uint64_t>(low),
                                               static_cast<std::uint64_t>(high)));
  };
  number("bkz_block_size", 2, reduce::kMaximumBlockSize, request.blockSize);
  number("tours", 1, reduce::kMaximumTours, request.tours);
  number("trials", 1, reduce::kMaximumTrials, request.trials);
  if (document.contains("seed")) request.seed = requireUnsigned(document["seed"], "seed", 0, kMaximumInteger);
  request.outputPath = config.outputPath;
  if (document.contains("output") && document["output"].contains("transformation"))
    request.transformationPath = document["output"]["transformation"].get<std::string>();
  return request;
}

}  // namespace slicepool::config
