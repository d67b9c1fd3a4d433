// The library's front door to invariants of a numerical semigroup and of its elements: a request, and an
// object that computes it. What recurrences give is not enumerated; what needs the factorizations of an
// element enumerates them, and compares pairs on CPU, GPU or both. The command line and Python are thin users
// of this header.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/core/run_handle.hpp"
#include "slicepool/invariants/elements.hpp"
#include "slicepool/invariants/numerical_semigroup.hpp"
#include "slicepool/invariants/types.hpp"

namespace slicepool::invariants {

/// Of an element n; docs/invariants.md defines them. Those from catenaryDegree on need all factorizations
/// of n in memory, the others none.
enum class ElementInvariant : std::uint8_t {
  denumerant,
  denumerants,  ///< of 0 .. n; with one element only
  minimumLength,
  maximumLength,
  elasticity,
  lengthSet,
  deltaSet,
  lengths,
  maximalDenumerant,
  lengthMean,
  lengthVariance,
  lengthModes,
  rClasses,
  omegaPrimality,
  catenaryDegree,
  equalCatenaryDegree,
  adjacentCatenaryDegree,
  monotoneCatenaryDegree,
  tameDegree
};
inline constexpr ElementInvariant kFirstOfSets = ElementInvariant::catenaryDegree;

/// Of the semigroup.
enum class SemigroupInvariant : std::uint8_t {
  minimalGenerators,
  multiplicity,
  embeddingDimension,
  frobenius,
  conductor,
  genus,
  type,
  pseudoFrobenius,
  aperySet,
  aperyMax,
  elasticity,
  wilf,
  eliahou,
  bettiElements,
  minimalPresentation,
  minimalPresentationSize,
  catenaryDegree,
  tameDegree,
  omegaPrimality,
  deltaSet
};

/// Names as in JSON: "catenary_degree". In the order of the enumerations.
[[nodiscard]] const std::vector<std::string>& elementInvariantNames();
[[nodiscard]] const std::vector<std::string>& semigroupInvariantNames();

/// The integers first .. last.
struct ElementRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

struct Request {
  /// Of the semigroup: positive integers with greatest common divisor 1, in any order. With `asGiven` of any
  /// divisor.
  std::vector<std::uint64_t> generators;
  /// Factorizations go over these generators in this order, and not over the minimal ones. For elements.
  bool asGiven = false;
  /// Elements, in order; empty: invariants of the semigroup. One integer that is no element is an error; of
  /// several, those that are none are left out.
  std::vector<ElementRange> elements;
  std::set<ElementInvariant> ofElements;
  std::set<SemigroupInvariant> ofSemigroup;
  /// Instead of generators and elements: distinct vectors of one dimension, in any order. The degrees and
  /// R-classes of this set are what can be asked; the outcome has them as its one element.
  std::vector<Factorization> factorizations;
  bool witnesses = false;  ///< also where they cost more than the value
};

/// A distance, and two factorizations that have it. Equal ones where the value is 0.
struct DegreeOfSet {
  std::uint64_t value = 0;
  Factorization left;
  Factorization right;
};

/// What was asked; the rest is empty.
struct ElementInvariants {
  ElementLengths lengths;
  std::optional<std::uint64_t> rClasses;
  std::vector<Factorization> representatives;  ///< with witnesses: one of each R-class
  std::optional<OmegaPrimality> omegaPrimality;
  std::optional<DegreeOfSet> catenary, equalCatenary, adjacentCatenary, monotoneCatenary, tame;
};

struct SemigroupInvariants {
  std::vector<std::int64_t> pseudoFrobenius;
  std::vector<std::uint64_t> bettiElements;
  std::vector<Relation> minimalPresentation;
  std::optional<AtElement> catenary, tame, omega;
  std::vector<std::uint64_t> deltaSet;
};

struct Outcome {
  std::optional<NumericalSemigroup> semigroup;  ///< its other invariants are quick members
  SemigroupInvariants ofSemigroup;
  std::vector<ElementInvariants> elements;
  std::vector<Integer> denumerants;        ///< of 0 .. n
  std::vector<std::uint64_t> notElements;  ///< integers of ranges that were left out, ascending in each
  std::string checkpointPath;              ///< empty: there are none
  RunReport run;
};

/// One computation. Construction validates the request (ConfigError) and asks for the devices that the mode
/// needs (DeviceError); run() executes, once, and throws LimitError where tables or factorizations outgrow
/// the memory limit. Values are the same in every mode.
///
///     slicepool::invariants::Request request;
///     request.generators = {13, 37, 38, 40};
///     request.elements = {{5000, 5000}};
///     request.ofElements = {slicepool::invariants::ElementInvariant::catenaryDegree};
///     slicepool::invariants::Enumeration enumeration(request, {.mode = slicepool::Mode::cpu});
///     enumeration.run();
///     enumeration.outcome().elements.front().catenary->value;   // 6
class Enumeration : public RunHandle {
 public:
  Enumeration(Request request, EngineOptions options);
  /// After run(). Moves the values out.
  [[nodiscard]] Outcome outcome();

 private:
  class Impl;
};

/// Degrees of a set that is given as a list: the functions `..OfSetOfFactorizations` of the field.
struct SetInvariants {
  DegreeOfSet catenary, equalCatenary, adjacentCatenary, monotoneCatenary, tame;
  std::uint64_t rClasses = 0;
};

/// All of them; Request::factorizations asks for some, and searches on the pool. `rows`: distinct vectors of
/// the same dimension, in any order, at least one. O(rows^2 dimension) on this thread. Throws ConfigError
/// with field "rows".
[[nodiscard]] SetInvariants invariantsOfSet(const std::vector<Factorization>& rows);

}  // namespace slicepool::invariants
