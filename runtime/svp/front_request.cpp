// See front_request.hpp.
#include "runtime/svp/front_request.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "runtime/io/shown.hpp"
#include "runtime/lattice/front_matrix.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

void setTarget(const std::string& text, svp::Request& request) {
  constexpr std::string_view kFactor = "gh:";
  constexpr std::string_view kNorm = "norm2:";
  const auto refuse = [&] { throw ConfigError("target", inQuotes(text), kSvpTargets); };
  if (text == "exact") return;
  if (text.starts_with(kFactor)) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + kFactor.size(), end, request.ghFactor);
    if (error != std::errc{} || stop != end || !std::isfinite(request.ghFactor) || !(request.ghFactor > 0))
      refuse();
    return;
  }
  if (!text.starts_with(kNorm) || text.size() == kNorm.size()) refuse();
  try {
    request.squaredNorm = lattice::SquaredRadius(text.substr(kNorm.size()));
  } catch (const ConfigError&) {
    refuse();
  }
  if (!request.squaredNorm.given()) refuse();
}

svp::RateSource rateSource(const std::string& text) {
  if (text == "measured") return svp::RateSource::measured;
  if (text == "fixed") return svp::RateSource::fixed;
  throw ConfigError("rates", "\"" + text + "\"", "measured or fixed");
}

}  // namespace

svp::Request parseSvpRequest(const RunConfig& config) {
  const Json& document = config.document;
  svp::Request request;
  setMatrix(document, "basis", request.basis, request.basisPath);
  setMatrix(document, "gram", request.gram, request.gramPath);
  setTarget(document.value("target", std::string("exact")), request);
  if (document.contains("seed")) request.seed = requireUnsigned(document["seed"], "seed", 0, kMaximumInteger);
  if (document.contains("bkz_block_size")) {
    request.blockSize = static_cast<int>(
        requireUnsigned(document["bkz_block_size"], "bkz_block_size", 2, svp::kMaximumBlockSize));
  }
  // Numbers from 1 on are refused by checkRequest, for users of the library, too.
  constexpr double kLeast = std::numeric_limits<double>::min();
  constexpr double kGreatest = std::numeric_limits<double>::max();
  if (document.contains("probability"))
    request.probability = requireNumber(document["probability"], "probability", kLeast, kGreatest);
  if (document.contains("trial_probability")) {
    request.trialProbability =
        requireNumber(document["trial_probability"], "trial_probability", kLeast, kGreatest);
  }
  request.rates = rateSource(document.value("rates", std::string("measured")));
  if (document.contains("proof_limit"))
    request.proofLimit = requireNumber(document["proof_limit"], "proof_limit", 0, kGreatest);
  return request;
}

}  // namespace slicepool::config
