// Requests of the lattice front for the known instances, and readers of its outputs. Included by unit, cli
// and plug-in tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "slicepool/lattice/enumeration.hpp"
#include "support/lattice/instances.hpp"
#include "support/text.hpp"

namespace slicepool::test {

inline std::string latticePath(const std::string& name) {
  const char* source = std::getenv("SLICEPOOL_SOURCE_DIR");
  return std::string(source == nullptr ? "." : source) + "/tests/data/lattices/" + name;
}

/// A fixed radius, nothing kept but the shortest vector.
inline lattice::Request latticeRequest(const std::string& file, const lattice::SquaredRadius& squaredRadius) {
  lattice::Request request;
  request.basisPath = latticePath(file);
  request.squaredRadius = squaredRadius;
  request.fixedRadius = true;
  return request;
}

inline lattice::Outcome runLattice(const lattice::Request& request, const EngineOptions& options = {}) {
  lattice::Enumeration enumeration(request, options);
  enumeration.run();
  return enumeration.outcome();
}

/// Two threads, and a small lane emulator whose buffers fill up.
inline EngineOptions twoThreads(Mode mode) {
  EngineOptions options;
  options.mode = mode;
  options.threads = 2;
  options.emulator.lanes = 64;
  options.emulator.resultCapacity = 128;
  return options;
}

/// A matrix as requests take it.
template <class Rows>
std::string matrixText(const Rows& rows) {
  std::ostringstream text;
  text << "[";
  for (const auto& row : rows) {
    text << "[";
    for (const auto& element : row) text << element << " ";
    text << "]";
  }
  text << "]";
  return text.str();
}

using VectorSet = std::set<std::vector<std::int64_t>>;

/// The rows of a .npy of signed integers as the front writes it, in the order of the file. Throws when it is
/// not one.
inline std::vector<std::vector<std::int64_t>> npyRows(const std::string& path) {
  const std::string bytes = contentOf(path);
  const auto refuse = [&](const char* what) { throw std::runtime_error(path + ": " + what); };
  if (bytes.compare(0, 8, std::string("\x93NUMPY\x01\x00", 8)) != 0) refuse("not a .npy");
  const std::size_t begin = 10 + static_cast<unsigned char>(bytes[8]) +
                            256 * static_cast<std::size_t>(static_cast<unsigned char>(bytes[9]));
  if (begin % 64 != 0) refuse("data that is not aligned");
  const std::string header = bytes.substr(10, begin - 10);
  const std::string type = header.substr(header.find("'descr': '") + 10, 3);  // "|i1", "<i2", ..
  if (type[1] != 'i') refuse("not of signed integers");
  const auto width = static_cast<std::size_t>(type[2] - '0');
  const std::size_t shape = header.find('(');
  const std::size_t rows = std::stoull(header.substr(shape + 1));
  const std::size_t columns = std::stoull(header.substr(header.find(',', shape) + 1));
  if (bytes.size() != begin + rows * columns * width) refuse("a length that is not that of its shape");
  std::vector<std::vector<std::int64_t>> all(rows, std::vector<std::int64_t>(columns));
  const char* at = bytes.data() + begin;
  for (auto& row : all) {
    for (auto& element : row) {
      std::uint64_t raw = 0;
      std::memcpy(&raw, at, width);
      const unsigned unused = static_cast<unsigned>(64 - 8 * width);
      element = static_cast<std::int64_t>(raw << unused) >> unused;
      at += width;
    }
  }
  return all;
}

inline std::int64_t squaredNorm(const std::vector<std::int64_t>& vector) {
  std::int64_t sum = 0;
  for (const std::int64_t element : vector) sum += element * element;
  return sum;
}

}  // namespace slicepool::test
