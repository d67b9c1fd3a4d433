// See front_request.hpp.
#include "runtime/invariants/front_request.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include "runtime/app/config/domain.hpp"
#include "runtime/app/config/suggest.hpp"
#include "runtime/invariants/request_check.hpp"
#include "runtime/io/text_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

using invariants::ElementInvariant;
using invariants::ElementRange;
using invariants::Request;
using invariants::SemigroupInvariant;

constexpr const char* kElement = "N or A..B with 0 <= A <= B <= 2^63-1";

/// "5000" or "1000..2000".
ElementRange rangeOf(const std::string& text, const std::string& field) {
  const std::size_t dots = text.find("..");
  const auto first = exactUnsigned(Json(text.substr(0, dots)));
  const auto last = dots == std::string::npos ? first : exactUnsigned(Json(text.substr(dots + 2)));
  if (!first || !last || *first > *last || *last > kMaximumInteger)
    throw ConfigError(field, describeValue(Json(text)), kElement);
  return {*first, *last};
}

void addElementsOfFile(const std::string& path, std::vector<ElementRange>& elements) {
  constexpr std::uint64_t kMaximumBytes = std::uint64_t{1} << 30;
  std::istringstream text(
      readTextFile(path, "elements", "a file of at most 1 GiB that can be read", kMaximumBytes));
  std::string word;
  while (text >> word)
    elements.push_back(rangeOf(word, "elements: " + path + ", entry " + std::to_string(elements.size() + 1)));
}

std::vector<ElementRange> elementsOf(const Json& document) {
  std::vector<ElementRange> elements;
  if (document.contains("element") && document.contains("elements")) {
    throw ConfigError("elements", describeValue(document["elements"]) + " with an element",
                      "one of element and elements");
  }
  if (document.contains("element")) {
    elements.push_back(rangeOf(decimalText(document["element"]), "element"));
  } else if (document.contains("elements")) {
    const Json& given = document["elements"];
    if (given.is_string())
      addElementsOfFile(given.get<std::string>(), elements);
    else
      for (std::size_t i = 0; i < given.size(); ++i)
        elements.push_back(rangeOf(decimalText(given[i]), "elements[" + std::to_string(i) + "]"));
    if (elements.empty())
      throw ConfigError("elements", describeValue(given) + " without an integer", "at least one integer");
  }
  return elements;
}

std::vector<std::string> namesOf(const Json& given) {
  std::vector<std::string> names;
  if (given.is_array()) {
    for (const Json& name : given) names.push_back(name.get<std::string>());
  } else {
    std::istringstream text(given.get<std::string>());
    for (std::string name; std::getline(text, name, ',');) names.push_back(name);
  }
  for (std::string& name : names) {
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    std::replace(name.begin(), name.end(), '-', '_');
  }
  return names;
}

/// Adds those of `names` to `wanted`. `all` are the invariants that the word "all" stands for.
template <class Invariant>
void addInvariants(const std::vector<std::string>& names, const std::vector<std::string>& known,
                   const std::set<Invariant>& all, std::set<Invariant>& wanted) {
  for (const std::string& name : names) {
    if (name == "all") {
      wanted.insert(all.begin(), all.end());
      continue;
    }
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      throw ConfigError(
          "invariants", describeValue(Json(name)),
          "all, " + domain::alternativesText(known) + "; the nearest is " + nearestWord(name, known));
    }
    wanted.insert(static_cast<Invariant>(found - known.begin()));
  }
}

template <class Invariant>
std::set<Invariant> firstOf(std::size_t number) {
  std::set<Invariant> some;
  for (std::size_t i = 0; i < number; ++i) some.insert(static_cast<Invariant>(i));
  return some;
}

}  // namespace

Request parseInvariantsRequest(const RunConfig& config) {
  const Json& document = config.document;
  if (!config.outputPath.empty()) {
    throw ConfigError("output.path", describeValue(Json(config.outputPath)),
                      "no output: the record has the values");
  }
  Request request;
  if (document.contains("factorizations"))
    request.factorizations = document["factorizations"].get<std::vector<invariants::Factorization>>();
  if (request.factorizations.empty() && !document.contains("generators"))
    throw ConfigError("generators", "nothing", "a list of 1 to 10^6 integers from 1 to 2^63-1");
  const Json generators = document.value("generators", Json::array());
  for (std::size_t i = 0; i < generators.size(); ++i) {
    request.generators.push_back(
        requireUnsigned(generators[i], "generators[" + std::to_string(i) + "]", 1, kMaximumInteger));
  }
  request.asGiven = document.value("as_given", false);
  request.witnesses = document.value("witness", false);
  request.elements = elementsOf(document);
  const auto& ofElements = invariants::elementInvariantNames();
  const auto& ofSemigroup = invariants::semigroupInvariantNames();
  const bool named = document.contains("invariants");
  const auto names = named ? namesOf(document["invariants"]) : std::vector<std::string>{};
  if (named && names.empty()) throw ConfigError("invariants", "none", "at least one name");
  if (!request.factorizations.empty()) {
    std::set<ElementInvariant> all = {ElementInvariant::rClasses};
    for (std::size_t i = static_cast<std::size_t>(invariants::kFirstOfSets); i < ofElements.size(); ++i)
      all.insert(static_cast<ElementInvariant>(i));
    addInvariants(names, ofElements, all, request.ofElements);
    if (!named) request.ofElements = all;
  } else if (request.elements.empty()) {
    const auto all = firstOf<SemigroupInvariant>(ofSemigroup.size());
    addInvariants(names, ofSemigroup, all, request.ofSemigroup);
    if (!named) request.ofSemigroup = all;
  } else {
    auto all = firstOf<ElementInvariant>(ofElements.size());
    all.erase(ElementInvariant::denumerants);
    addInvariants(names, ofElements, all, request.ofElements);
    if (!named) {
      request.ofElements = all;
      std::erase_if(request.ofElements, [](ElementInvariant one) { return one >= invariants::kFirstOfSets; });
    }
  }
  checkInvariantRequest(request);
  return request;
}

}  // namespace slicepool::config
