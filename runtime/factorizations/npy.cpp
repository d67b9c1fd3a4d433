// See npy.hpp.
#include "runtime/factorizations/npy.hpp"

#include <cstring>
#include <limits>

#include "runtime/io/npy_header.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::factorizations {
namespace {

/// Header and rows.
std::uint64_t sizeOf(const std::string& path, std::uint64_t rows, std::size_t rowBytes,
                     std::size_t headerBytes) {
  const auto bytes = static_cast<unsigned __int128>(rows) * rowBytes + headerBytes;
  if (bytes > static_cast<unsigned __int128>(std::numeric_limits<std::int64_t>::max()))
    throw LimitError("output " + path + ": " + std::to_string(rows) + " rows are more than a file holds");
  return static_cast<std::uint64_t>(bytes);
}

PartFile newFile(const std::string& path, std::uint64_t bytes) {
  requireDiskSpace(path, bytes);
  return PartFile::create(path, bytes, Reservation::guaranteed);
}

}  // namespace

std::string npyType(unsigned elementBytes) {
  return elementBytes == 1 ? "|u1" : "<u" + std::to_string(elementBytes);
}

std::string npyHeader(std::uint64_t rows, unsigned dimension, unsigned elementBytes) {
  return slicepool::npyHeader(npyType(elementBytes), rows, dimension);
}

NpyFile::NpyFile(const std::string& path, std::uint64_t rows, unsigned dimension, unsigned elementBytes,
                 bool reopen)
    : NpyFile(path, npyHeader(rows, dimension, elementBytes), rows, std::size_t{dimension} * elementBytes,
              reopen) {}

NpyFile::NpyFile(const std::string& path, const std::string& header, std::uint64_t rows, std::size_t rowBytes,
                 bool reopen)
    : headerBytes_(header.size()),
      fileBytes_(sizeOf(path, rows, rowBytes, headerBytes_)),
      file_(reopen ? reopenFile(path, fileBytes_, header) : newFile(path, fileBytes_)),
      mapping_(file_.map(fileBytes_)) {
  if (!reopen) std::memcpy(mapping_.data(), header.data(), header.size());
}

PartFile NpyFile::reopenFile(const std::string& path, std::uint64_t bytes, const std::string& header) {
  return PartFile::reopen(
      path, bytes, false,
      [&](const PartFile& file) {
        std::string found(header.size(), '\0');
        file.read(0, std::as_writable_bytes(std::span(found.data(), found.size())));
        if (found != header) file.refuse("its header differs");
      });
}

void NpyFile::requireRows(const RowCheck& kind, std::uint64_t count, const Rank& firstRank,
                          std::size_t memoryLimit, int threads) const {
  const std::string problem = problemOfRows(kind, rows(), count, firstRank, memoryLimit, threads);
  if (!problem.empty()) file_.refuse(problem);
}

void NpyFile::publish() {
  mapping_.close();
  file_.publish();
}

}  // namespace slicepool::factorizations
