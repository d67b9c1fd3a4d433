// See front_request.hpp.
#include "runtime/semigroup/front_request.hpp"

#include <limits>

#include <fmt/format.h>

#include "runtime/semigroup/request_check.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

constexpr std::uint64_t kMaximumImage = std::numeric_limits<semigroup::Image>::max();

semigroup::Transformation imagesOf(const Json& list, const std::string& field) {
  if (!list.is_array()) throw ConfigError(field, describeValue(list), "a list of images, 0-based");
  semigroup::Transformation images;
  for (std::size_t i = 0; i < list.size(); ++i) {
    images.push_back(static_cast<semigroup::Image>(
        requireUnsigned(list[i], fmt::format("{}[{}]", field, i), 0, kMaximumImage)));
  }
  return images;
}

void setGenerators(const Json& value, semigroup::Request& request) {
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos || text[begin] != '[') {
      request.generatorsPath = text;
      return;
    }
    setGenerators(parseJson(text, "generators"), request);  // the lists themselves, as a flag gives them
    return;
  }
  for (std::size_t g = 0; g < value.size(); ++g)
    request.generators.push_back(imagesOf(value[g], fmt::format("generators[{}]", g)));
  if (request.generators.empty()) throw ConfigError("generators", "an empty list", "at least one generator");
}

/// A number, a list of one number (from a flag), or the images of an element.
void setWordOf(const Json& value, semigroup::Request& request) {
  const bool single = value.is_array() && value.size() == 1;
  if (value.is_array() && !single)
    request.wordOf = imagesOf(value, "word_of");
  else
    request.wordOfNumber =
        requireUnsigned(single ? value[0] : value, "word_of", 0, semigroup::kMaximumElements);
}

}  // namespace

semigroup::Request parseSemigroupRequest(const RunConfig& config) {
  const Json& document = config.document;
  semigroup::Request request;
  request.named = document.value("named", std::string{});
  if (document.contains("generators")) setGenerators(document["generators"], request);
  request.algorithm = semigroup::parseAlgorithm(document.value("algorithm", std::string("fingerprint")));
  if (document.contains("base")) request.base = imagesOf(document["base"], "base");
  request.fixedBase = document.value("fixed_base", false);
  request.check = semigroup::parseCheck(document.value("check", std::string("certificate")));
  if (document.contains("max_elements"))
    request.maxElements =
        requireUnsigned(document["max_elements"], "max_elements", 1, semigroup::kMaximumElements);
  if (document.contains("max_stage")) {
    request.maxStage = static_cast<std::uint32_t>(
        requireUnsigned(document["max_stage"], "max_stage", 0, semigroup::kMaximumElements));
  }
  request.idempotents = document.value("idempotents", false);
  if (document.contains("contains")) request.contains = imagesOf(document["contains"], "contains");
  if (document.contains("word_of")) setWordOf(document["word_of"], request);
  if (document.contains("output")) {
    const Json& output = document["output"];
    request.elementsPath = output.value("elements", std::string{});
    request.wordsPath = output.value("words", std::string{});
    request.rightGraphPath = output.value("right_cayley_graph", std::string{});
    request.leftGraphPath = output.value("left_cayley_graph", std::string{});
    request.rulesPath = output.value("rules", std::string{});
  }
  return request;
}

}  // namespace slicepool::config
