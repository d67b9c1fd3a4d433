// See front_request.hpp.
#include "runtime/reduce/front_request.hpp"

#include <string>

namespace slicepool::config {

reduce::Request parseReduceRequest(const RunConfig& config) {
  const Json& document = config.document;
  reduce::Request request;
  const auto basis = document.at("basis").get<std::string>();
  const std::size_t begin = basis.find_first_not_of(" \t\r\n");
  const bool isMatrix = begin != std::string::npos && basis[begin] == '[';
  (isMatrix ? request.basis : request.basisPath) = basis;
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
  return request;
}

}  // namespace slicepool::config
