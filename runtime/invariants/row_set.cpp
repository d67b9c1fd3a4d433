// Implementation of row_set.hpp.
#include "runtime/invariants/row_set.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "slicepool/core/error.hpp"

namespace slicepool::invariants {
namespace {

constexpr std::uint64_t kMaximumRows = std::numeric_limits<std::uint32_t>::max() - (1U << 16);
constexpr std::uint64_t kLongest = std::numeric_limits<std::int32_t>::max();

void requireFewRows(std::uint64_t rows) {
  if (rows > kMaximumRows)
    throw LimitError("distances of factorizations: " + std::to_string(rows) + " rows, the limit is " +
                     std::to_string(kMaximumRows));
}

template <class Element>
void readColumns(const factorizations::RowMatrix& rows, std::vector<std::vector<std::uint32_t>>& columns) {
  const std::byte* from = rows.data();
  for (std::uint64_t row = 0; row < rows.rows(); ++row) {
    for (auto& column : columns) {
      Element value;
      std::memcpy(&value, from, sizeof value);
      from += sizeof value;
      if (value > kLongest) throw LimitError("distances of factorizations: a coordinate is beyond 2^31-1");
      column[row] = static_cast<std::uint32_t>(value);
    }
  }
}

std::vector<Factorization> sortedRows(std::vector<Factorization> rows, const std::string& field) {
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (rows[at].size() != rows[0].size() || rows[at].empty()) {
      throw ConfigError(field + "[" + std::to_string(at) + "]",
                        std::to_string(rows[at].size()) + " coordinates",
                        "as many as those of the others, at least one");
    }
  }
  std::sort(rows.begin(), rows.end(), std::greater<>());
  if (std::adjacent_find(rows.begin(), rows.end()) != rows.end())
    throw ConfigError(field, "one row twice", "a set: distinct rows");
  return rows;
}

}  // namespace

RowSet::RowSet(const std::vector<Factorization>& given, const std::string& field) {
  if (given.empty()) throw ConfigError(field, "none", "at least one row");
  requireFewRows(given.size());
  const auto rows = sortedRows(given, field);
  columns_.assign(rows[0].size(), std::vector<std::uint32_t>(rows.size()));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (rows[row][i] > kLongest) throw ConfigError(field, std::to_string(rows[row][i]), "0 to 2^31-1");
      columns_[i][row] = static_cast<std::uint32_t>(rows[row][i]);
    }
  }
  addLengths();
}

RowSet::RowSet(const factorizations::RowMatrix& rows) {
  requireFewRows(rows.rows());
  columns_.assign(rows.dimension(), std::vector<std::uint32_t>(rows.rows()));
  switch (rows.elementBytes()) {
    case 1: readColumns<std::uint8_t>(rows, columns_); break;
    case 2: readColumns<std::uint16_t>(rows, columns_); break;
    case 4: readColumns<std::uint32_t>(rows, columns_); break;
    default: readColumns<std::uint64_t>(rows, columns_);
  }
  addLengths();
}

void RowSet::addLengths() {
  lengths_.assign(columns_.front().size(), 0);
  for (const auto& column : columns_) {
    for (std::size_t row = 0; row < column.size(); ++row) {
      if (column[row] > kLongest - lengths_[row])
        throw LimitError("distances of factorizations: a length is beyond 2^31-1");
      lengths_[row] += column[row];
    }
  }
}

Factorization RowSet::row(std::uint32_t row) const {
  Factorization factorization;
  for (const auto& column : columns_) factorization.push_back(column[row]);
  return factorization;
}

std::uint32_t RowSet::find(std::uint32_t from, const std::vector<std::int32_t>& change) const {
  const auto greater = [&](std::uint32_t row) {  // than the one looked for
    for (std::uint32_t i = 0; i < dimension(); ++i) {
      const std::int64_t wanted = static_cast<std::int64_t>(at(from, i)) + change[i];
      if (at(row, i) != wanted) return at(row, i) > wanted;
    }
    return false;
  };
  std::uint32_t low = 0;
  std::uint32_t high = size();
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (greater(middle))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::uint32_t RowSet::distance(std::uint32_t a, std::uint32_t b) const {
  std::uint32_t common = 0;
  for (const auto& column : columns_) common += std::min(column[a], column[b]);
  return std::max(lengths_[a], lengths_[b]) - common;
}

namespace {

std::vector<unsigned> widthsOf(const RowSet& set) {
  std::vector<unsigned> widths;
  for (std::uint32_t i = 0; i < set.dimension(); ++i) {
    const auto& column = set.column(i);
    widths.push_back(static_cast<unsigned>(std::bit_width(*std::max_element(column.begin(), column.end()))) +
                     1);
  }
  return widths;
}

}  // namespace

template <class Key>
unsigned RowKeys<Key>::bitsOf(const RowSet& set) {
  unsigned bits = 0;
  for (const unsigned width : widthsOf(set)) bits += width;
  return bits;
}

template <class Key>
RowKeys<Key>::RowKeys(const RowSet& set) : shifts_(set.dimension()), widths_(widthsOf(set)) {
  unsigned shift = 0;
  for (std::size_t i = widths_.size(); i-- > 0;) {
    shifts_[i] = shift;
    shift += widths_[i];
    guards_ |= Key{1} << (shift - 1);
  }
}

template <class Key>
Key RowKeys<Key>::of(const RowSet& set, std::uint32_t row) const {
  Key key = 0;
  for (std::uint32_t i = 0; i < set.dimension(); ++i) key |= static_cast<Key>(set.at(row, i)) << shifts_[i];
  return key;
}

template <class Key>
bool RowKeys<Key>::part(const std::vector<std::int32_t>& change, int sign, Key& key) const {
  key = 0;
  for (std::size_t i = 0; i < change.size(); ++i) {
    const std::int64_t value = static_cast<std::int64_t>(change[i]) * sign;
    if (value <= 0) continue;
    if ((value >> (widths_[i] - 1)) != 0) return false;
    key |= static_cast<Key>(value) << shifts_[i];
  }
  return true;
}

template class RowKeys<std::uint64_t>;
template class RowKeys<unsigned __int128>;

}  // namespace slicepool::invariants
