// Checkpoints of a search for a shortest vector. Called by enumeration.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/lattice/integer_basis.hpp"
#include "runtime/svp/search_state.hpp"
#include "slicepool/svp/enumeration.hpp"

namespace slicepool::svp {

/// Everything that determines the trials and what they look for.
[[nodiscard]] std::string searchIdentity(const Request& request, const lattice::IntegerBasis& basis);

struct SavedSearch {
  SearchState state;
  bool proving = false;  ///< the file has the slices of an unpruned search as well, as its engine saved them
};

/// Throws CheckpointError when the file cannot be read or belongs to another search.
[[nodiscard]] SavedSearch readSavedSearch(const std::string& path, const std::string& identity,
                                          int dimension);
/// Of a search that makes trials. Returns its bytes. Throws as writeCheckpoint.
std::uint64_t writeSavedSearch(const std::string& path, const std::string& identity,
                               const SearchState& state);

}  // namespace slicepool::svp
