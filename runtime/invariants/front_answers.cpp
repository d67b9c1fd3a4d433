// See front_answers.hpp.
#include "runtime/invariants/front_answers.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/factorizations/invariants.hpp"

namespace slicepool::config {
namespace {

using invariants::AtElement;
using invariants::DegreeOfSet;
using invariants::ElementInvariant;
using invariants::ElementInvariants;
using invariants::Factorization;
using invariants::Fraction;
using invariants::Integer;
using invariants::Outcome;
using invariants::Request;
using invariants::SemigroupInvariant;

constexpr std::size_t kShownElements = 16;  ///< of a batch, in the readable report
constexpr std::size_t kLongestLine = 72;    ///< of one value there

Json wide(const Integer& value) {
  const std::string digits = Integer(abs(value)).str();
  Json number = exactNumber(digits);
  if (value >= 0) return number;
  return number.is_string() ? Json("-" + digits) : Json(-number.get<std::int64_t>());
}
Json fractionJson(const Fraction& fraction) {
  return Json::array({wide(fraction.numerator), wide(fraction.denominator)});
}
template <class Values>
Json numbersJson(const Values& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(wide(Integer(value)));
  return list;
}

/// An object with the invariants that were asked, in the order of their names.
class NamedValues {
 public:
  explicit NamedValues(bool witnesses) : witnesses_(witnesses) {}

  void add(const std::string& name, Json value) { values_[name] = std::move(value); }
  void add(const std::string& name, Json value, Json witness) {
    if (!witnesses_) return add(name, std::move(value));
    values_[name] = {{"value", std::move(value)}, {"witness", std::move(witness)}};
  }
  void add(const std::string& name, const DegreeOfSet& degree) {
    add(name, exactNumber(degree.value), Json::array({numbersJson(degree.left), numbersJson(degree.right)}));
  }
  void add(const std::string& name, const AtElement& greatest) {
    add(name, exactNumber(greatest.value), exactNumber(greatest.element));
  }
  [[nodiscard]] const Json& values() const { return values_; }

 private:
  bool witnesses_;
  Json values_ = Json::object();
};

Json valueOfElement(ElementInvariant which, const Outcome& outcome, const ElementInvariants& found) {
  const auto& lengths = found.lengths;
  switch (which) {
    case ElementInvariant::denumerant: return wide(lengths.denumerant);
    case ElementInvariant::denumerants: return numbersJson(outcome.denumerants);
    case ElementInvariant::minimumLength: return exactNumber(lengths.minimumLength);
    case ElementInvariant::maximumLength: return exactNumber(lengths.maximumLength);
    case ElementInvariant::elasticity: {
      const auto [high, low] = factorizations::elasticity(lengths.minimumLength, lengths.maximumLength);
      return Json::array({exactNumber(high), exactNumber(low)});
    }
    case ElementInvariant::lengthSet: return numbersJson(lengths.lengthSet);
    case ElementInvariant::deltaSet: {
      std::vector<std::pair<std::uint64_t, std::uint64_t>> each;
      for (const std::uint64_t length : lengths.lengthSet) each.emplace_back(length, 1);
      return numbersJson(factorizations::deltaSet(each));
    }
    case ElementInvariant::lengths: {
      Json list = Json::array();
      for (const auto& [length, number] : lengths.histogram)
        list.push_back(Json::array({exactNumber(length), wide(number)}));
      return list;
    }
    case ElementInvariant::maximalDenumerant: return wide(lengths.histogram.back().second);
    case ElementInvariant::lengthMean: return fractionJson(invariants::meanLength(lengths.histogram));
    case ElementInvariant::lengthVariance: return fractionJson(invariants::lengthVariance(lengths.histogram));
    case ElementInvariant::lengthModes: return numbersJson(invariants::lengthModes(lengths.histogram));
    default: return nullptr;
  }
}

Json ofElement(const Request& request, const Outcome& outcome, const ElementInvariants& found) {
  NamedValues named(request.witnesses);
  for (const ElementInvariant which : request.ofElements) {
    const std::string& name = invariants::elementInvariantNames().at(static_cast<std::size_t>(which));
    switch (which) {
      case ElementInvariant::rClasses: {
        Json representatives = Json::array();
        for (const auto& row : found.representatives) representatives.push_back(numbersJson(row));
        named.add(name, exactNumber(*found.rClasses), std::move(representatives));
        break;
      }
      case ElementInvariant::omegaPrimality:
        named.add(name, exactNumber(found.omegaPrimality->value), numbersJson(found.omegaPrimality->bullet));
        break;
      case ElementInvariant::catenaryDegree: named.add(name, *found.catenary); break;
      case ElementInvariant::equalCatenaryDegree: named.add(name, *found.equalCatenary); break;
      case ElementInvariant::adjacentCatenaryDegree: named.add(name, *found.adjacentCatenary); break;
      case ElementInvariant::monotoneCatenaryDegree: named.add(name, *found.monotoneCatenary); break;
      case ElementInvariant::tameDegree: named.add(name, *found.tame); break;
      default: named.add(name, valueOfElement(which, outcome, found));
    }
  }
  return named.values();
}

Json presentationJson(const Outcome& outcome) {
  Json relations = Json::array();
  for (const auto& [left, right] : outcome.ofSemigroup.minimalPresentation)
    relations.push_back(Json::array({numbersJson(left), numbersJson(right)}));
  return relations;
}

Json valueOfSemigroup(SemigroupInvariant which, const Outcome& outcome) {
  const auto& semigroup = *outcome.semigroup;
  const auto& found = outcome.ofSemigroup;
  switch (which) {
    case SemigroupInvariant::minimalGenerators: return numbersJson(semigroup.generators());
    case SemigroupInvariant::multiplicity: return exactNumber(semigroup.multiplicity());
    case SemigroupInvariant::embeddingDimension: return semigroup.embeddingDimension();
    case SemigroupInvariant::frobenius: return wide(semigroup.frobenius());
    case SemigroupInvariant::conductor: return exactNumber(semigroup.conductor());
    case SemigroupInvariant::genus: return exactNumber(semigroup.genus());
    case SemigroupInvariant::type: return found.pseudoFrobenius.size();
    case SemigroupInvariant::pseudoFrobenius: return numbersJson(found.pseudoFrobenius);
    case SemigroupInvariant::aperySet: return numbersJson(semigroup.apery());
    case SemigroupInvariant::aperyMax:
      return exactNumber(*std::max_element(semigroup.apery().begin(), semigroup.apery().end()));
    case SemigroupInvariant::elasticity: return fractionJson(semigroup.elasticity());
    case SemigroupInvariant::wilf: return wide(semigroup.wilf());
    case SemigroupInvariant::eliahou: return wide(semigroup.eliahou());
    case SemigroupInvariant::bettiElements: return numbersJson(found.bettiElements);
    case SemigroupInvariant::minimalPresentation: return presentationJson(outcome);
    case SemigroupInvariant::minimalPresentationSize: return found.minimalPresentation.size();
    case SemigroupInvariant::deltaSet: return numbersJson(found.deltaSet);
    default: return nullptr;
  }
}

Json ofSemigroup(const Request& request, const Outcome& outcome) {
  NamedValues named(request.witnesses);
  for (const SemigroupInvariant which : request.ofSemigroup) {
    const std::string& name = invariants::semigroupInvariantNames().at(static_cast<std::size_t>(which));
    switch (which) {
      case SemigroupInvariant::catenaryDegree: named.add(name, *outcome.ofSemigroup.catenary); break;
      case SemigroupInvariant::tameDegree: named.add(name, *outcome.ofSemigroup.tame); break;
      case SemigroupInvariant::omegaPrimality: named.add(name, *outcome.ofSemigroup.omega); break;
      default: named.add(name, valueOfSemigroup(which, outcome));
    }
  }
  return named.values();
}

std::string cutText(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most) + " ..";
}

/// One line for each value.
void addValueLines(Answers& answers, const Json& values) {
  for (const auto& [name, value] : values.items()) {
    std::string shown = name;
    std::replace(shown.begin(), shown.end(), '_', ' ');
    std::string text = value.dump();
    if (value.is_object() && value.contains("witness"))
      text = fmt::format("{}, witness {}", value["value"].dump(), value["witness"].dump());
    const bool fraction = (name == "elasticity" || name == "length_mean" || name == "length_variance");
    if (fraction) text = fmt::format("{}/{}", decimalText(value[0]), decimalText(value[1]));
    answers.line(shown, cutText(text, kLongestLine));
  }
}

}  // namespace

Answers invariantsAnswers(const Outcome& outcome, const Request& request, bool listed, bool finished) {
  Answers answers;
  if (!finished) return answers;
  if (!request.factorizations.empty()) {
    const Json values = ofElement(request, outcome, outcome.elements.at(0));
    answers.record("count", request.factorizations.size());
    answers.record("invariants", values);
    addValueLines(answers, values);
    return answers;
  }
  if (request.elements.empty()) {
    const Json values = ofSemigroup(request, outcome);
    answers.record("count", 1);
    answers.record("invariants", values);
    addValueLines(answers, values);
    return answers;
  }
  const bool single = !listed && request.elements[0].first == request.elements[0].last;
  answers.record("count", outcome.elements.size());
  if (!request.asGiven) answers.record("minimal_generators", numbersJson(outcome.semigroup->generators()));
  if (single) {
    const Json values = ofElement(request, outcome, outcome.elements.at(0));
    answers.record("invariants", values);
    addValueLines(answers, values);
    return answers;
  }
  Json list = Json::array();
  for (const auto& found : outcome.elements) {
    list.push_back({{"element", exactNumber(found.lengths.element)},
                    {"invariants", ofElement(request, outcome, found)}});
    if (list.size() <= kShownElements)
      answers.line(std::to_string(found.lengths.element),
                   cutText(list.back()["invariants"].dump(), kLongestLine));
  }
  if (list.size() > kShownElements) answers.line("", fmt::format(".. {} elements in all", list.size()));
  answers.record("elements", std::move(list));
  answers.record("not_elements", numbersJson(outcome.notElements));
  if (!outcome.notElements.empty())
    answers.line("left out", fmt::format("{} integers that are no elements", outcome.notElements.size()));
  return answers;
}

}  // namespace slicepool::config
