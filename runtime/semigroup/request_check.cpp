// See request_check.hpp.
#include "runtime/semigroup/request_check.hpp"

#include <limits>

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/semigroup/files.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::semigroup {
namespace {

void requireOneSource(const Request& request) {
  const int given = (request.named.empty() ? 0 : 1) + (request.generatorsPath.empty() ? 0 : 1) +
                    (request.generators.empty() ? 0 : 1);
  if (given != 1) {
    throw ConfigError("generators", given == 0 ? "nothing" : "more than one source of generators",
                      "one of named (such as bihecke:5), a file of generators, or lists of images");
  }
}

Generators generatorsOf(const Request& request, std::size_t memoryLimit) {
  requireOneSource(request);
  if (!request.named.empty()) return namedGenerators(request.named, memoryLimit);
  if (!request.generatorsPath.empty()) return readGenerators(request.generatorsPath);
  return checkedGenerators(request.generators, "generators");
}

void checkImages(const std::optional<Transformation>& images, const char* field, std::uint32_t points) {
  if (!images) return;
  if (images->size() != points) {
    throw ConfigError(field, fmt::format("{} images", images->size()),
                      fmt::format("{} images, one of each point", points));
  }
  for (const Image image : *images)
    if (image >= points)
      throw ConfigError(field, std::to_string(image), fmt::format("images from 0 to {}", points - 1));
}

void checkPaths(const Request& request) {
  if (!request.elementsPath.empty() && !request.elementsPath.ends_with(".npy"))
    throw ConfigError("output.elements", "\"" + request.elementsPath + "\"", "a file name that ends in .npy");
  requireGraphFormat(request.rightGraphPath, "output.right_cayley_graph");
  requireGraphFormat(request.leftGraphPath, "output.left_cayley_graph");
}

void checkBase(const Request& request, std::uint32_t points) {
  for (const Image point : request.base)
    if (point >= points)
      throw ConfigError("base", std::to_string(point), fmt::format("points from 0 to {}", points - 1));
  const bool chosen = !request.base.empty() || request.fixedBase || request.check != Check::certificate;
  if (chosen && request.algorithm != Algorithm::fingerprint) {
    throw ConfigError("algorithm", algorithmName(request.algorithm) + " with base, fixed_base or check",
                      "these only with fingerprint");
  }
}

}  // namespace

Generators checkRequest(const Request& request, const EngineOptions& options) {
  constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  Generators generators = generatorsOf(request, options.memoryLimit == 0 ? kNoLimit : options.memoryLimit);
  checkImages(request.contains, "contains", generators.points);
  checkImages(request.wordOf, "word_of", generators.points);
  checkBase(request, generators.points);
  checkPaths(request);
  if (!options.tracePath.empty())
    throw ConfigError("trace", "\"" + options.tracePath + "\"", "no trace: a semigroup is many short runs");
  return generators;
}

void checkSource(const Request& request) {
  requireOneSource(request);
  if (!request.named.empty())
    requireFamily(request.named);
  else
    (void)generatorsOf(request, std::numeric_limits<std::size_t>::max());
}

std::string canonicalText(const Request& request, const Generators& generators) {
  std::uint64_t hash = 0;
  for (const auto& images : generators.images)
    hash = XXH3_64bits_withSeed(images.data(), images.size() * sizeof(Image), hash);
  std::string base;
  for (const Image point : request.base) base += fmt::format("{},", point);
  return fmt::format("generators={} n={} hash={:016x} algorithm={} base={}{} check={}",
                     generators.images.size(), generators.points, hash, algorithmName(request.algorithm),
                     base, request.fixedBase ? "fixed" : "", checkName(request.check));
}

std::string algorithmName(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::words: return "words";
    case Algorithm::froidurePin: return "froidure-pin";
    case Algorithm::fingerprint: break;
  }
  return "fingerprint";
}

Algorithm parseAlgorithm(const std::string& text) {
  for (const Algorithm algorithm : {Algorithm::fingerprint, Algorithm::froidurePin, Algorithm::words})
    if (text == algorithmName(algorithm)) return algorithm;
  throw ConfigError("algorithm", "\"" + text + "\"", "fingerprint, froidure-pin or words");
}

std::string checkName(Check check) { return check == Check::rules ? "rules" : "certificate"; }

Check parseCheck(const std::string& text) {
  for (const Check check : {Check::certificate, Check::rules})
    if (text == checkName(check)) return check;
  throw ConfigError("check", "\"" + text + "\"", "certificate or rules");
}

}  // namespace slicepool::semigroup
