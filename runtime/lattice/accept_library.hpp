// A test of vectors in a shared library (slicepool/accept.h), as requests take it. Called by
// front_request.cpp and front_many.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "slicepool/lattice/enumeration.hpp"
#include "slicepool/lattice/many_lattices.hpp"

namespace slicepool::lattice {

class AcceptLibrary {
 public:
  /// Opens it; it stays open as long as the process, since it may have threads. Throws ConfigError for field
  /// "accept": a file that is none, a function that it lacks, a library of another version, or one in the
  /// place of another that this process has loaded.
  explicit AcceptLibrary(const std::string& path);

  /// As Request::acceptIdentity: the hash of the file. What the library reads by itself is not in it.
  [[nodiscard]] const std::string& identity() const;
  /// As Request::accept. It throws Error where the library reports one.
  [[nodiscard]] std::function<bool(const Solution&)> ofOne() const;
  /// As ManyRequest::accept, likewise.
  [[nodiscard]] std::function<bool(std::uint64_t, const LatticeVector&)> ofMany() const;

 private:
  class Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace slicepool::lattice
