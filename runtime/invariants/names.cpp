// Names of invariants, as in JSON.
#include <string>
#include <vector>

#include "slicepool/invariants/enumeration.hpp"

namespace slicepool::invariants {

const std::vector<std::string>& elementInvariantNames() {
  static const std::vector<std::string> names{"denumerant",
                                              "denumerants",
                                              "minimum_length",
                                              "maximum_length",
                                              "elasticity",
                                              "length_set",
                                              "delta_set",
                                              "lengths",
                                              "maximal_denumerant",
                                              "length_mean",
                                              "length_variance",
                                              "length_modes",
                                              "r_classes",
                                              "omega_primality",
                                              "catenary_degree",
                                              "equal_catenary_degree",
                                              "adjacent_catenary_degree",
                                              "monotone_catenary_degree",
                                              "tame_degree"};
  return names;
}

const std::vector<std::string>& semigroupInvariantNames() {
  static const std::vector<std::string> names{"minimal_generators",
                                              "multiplicity",
                                              "embedding_dimension",
                                              "frobenius",
                                              "conductor",
                                              "genus",
                                              "type",
                                              "pseudo_frobenius",
                                              "apery_set",
                                              "apery_max",
                                              "elasticity",
                                              "wilf",
                                              "eliahou",
                                              "betti_elements",
                                              "minimal_presentation",
                                              "minimal_presentation_size",
                                              "catenary_degree",
                                              "tame_degree",
                                              "omega_primality",
                                              "delta_set"};
  return names;
}

}  // namespace slicepool::invariants
