// RowMatrix: rows of an enumeration in one anonymous mapping. Filled by all workers at known places, so the
// memory is neither zeroed nor touched beforehand.
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::factorizations {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

RowMatrix::RowMatrix(std::uint64_t rows, unsigned dimension, unsigned elementBytes)
    : rows_(rows), dimension_(dimension), elementBytes_(elementBytes) {
  const std::size_t bytesPerRow = std::size_t{dimension} * elementBytes;
  if (rows == 0 || bytesPerRow == 0) return;
  if (rows > (std::numeric_limits<std::size_t>::max() >> 1) / bytesPerRow) {
    throw LimitError("rows: " + std::to_string(rows) + " rows of " + std::to_string(bytesPerRow) +
                     " bytes are more than an address space holds");
  }
  const std::size_t bytes = static_cast<std::size_t>(rows) * bytesPerRow;
  void* mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    throw LimitError("rows: the system refused " + std::to_string(bytes) + " bytes of memory for " +
                     std::to_string(rows) + " rows: " + std::generic_category().message(errno));
  }
  // Only advice: a system without transparent huge pages answers EINVAL and small pages serve as well.
  if (bytes >= kHugePage) (void)madvise(mapping, bytes, MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(mapping);
  mappedBytes_ = bytes;
}

RowMatrix::~RowMatrix() {
  if (data_ != nullptr) munmap(data_, mappedBytes_);
}

RowMatrix::RowMatrix(RowMatrix&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      mappedBytes_(std::exchange(other.mappedBytes_, 0)),
      rows_(std::exchange(other.rows_, 0)),
      dimension_(other.dimension_),
      elementBytes_(other.elementBytes_) {}

RowMatrix& RowMatrix::operator=(RowMatrix&& other) noexcept {
  if (this == &other) return *this;
  if (data_ != nullptr) munmap(data_, mappedBytes_);
  data_ = std::exchange(other.data_, nullptr);
  mappedBytes_ = std::exchange(other.mappedBytes_, 0);
  rows_ = std::exchange(other.rows_, 0);
  dimension_ = other.dimension_;
  elementBytes_ = other.elementBytes_;
  return *this;
}

std::uint64_t RowMatrix::at(std::uint64_t row, unsigned column) const {
  // Little-endian hosts only (x86-64, aarch64): the low bytes come first.
  std::uint64_t value = 0;
  std::memcpy(&value, data_ + row * rowBytes() + std::size_t{column} * elementBytes_, elementBytes_);
  return value;
}

}  // namespace slicepool::factorizations
