// See front_digest.hpp.
#include "runtime/lattice/front_digest.hpp"

#include <charconv>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/core/fingerprint_text.hpp"
#include "runtime/io/file_hash.hpp"
#include "runtime/io/regular_file.hpp"
#include "runtime/lattice/vector_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::config {
namespace {

/// Rows that come in pieces of a file; `rowBytes` 0: they are lines.
class RowSet {
 public:
  explicit RowSet(std::size_t rowBytes) : rowBytes_(rowBytes) {}

  void take(std::span<const std::byte> piece) {
    carried_.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    std::size_t begin = 0;
    for (std::size_t end = endOfRow(0); end != std::string::npos; end = endOfRow(begin)) {
      add(std::string_view(carried_).substr(begin, end - begin));
      begin = end;
    }
    carried_.erase(0, begin);
  }
  [[nodiscard]] const Fingerprint& finish() const {
    if (!carried_.empty()) throw Error("ends within a row");
    return fingerprint_;
  }

 private:
  [[nodiscard]] std::size_t endOfRow(std::size_t begin) const {
    if (rowBytes_ != 0) return carried_.size() - begin < rowBytes_ ? std::string::npos : begin + rowBytes_;
    const std::size_t feed = carried_.find('\n', begin);
    return feed == std::string::npos ? feed : feed + 1;
  }
  void add(std::string_view row) {
    const std::string digits = hashDigits(row);
    std::uint64_t hash = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
    fingerprint_.sum += hash;
    fingerprint_.exclusiveOr ^= hash;
  }

  std::size_t rowBytes_;
  std::string carried_;
  Fingerprint fingerprint_;
};

std::string textOf(const RegularFile& file, std::uint64_t begin, std::uint64_t end) {
  std::string text;
  file.read(begin, end, [&](std::span<const std::byte> piece) {
    text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  return text;
}

/// The preamble and the header of a .npy of version 1.0 (NumPy format specification).
std::string npyHeaderOf(const RegularFile& file) {
  constexpr std::uint64_t kPreamble = 10;  // magic, version and the length of the rest of the header
  if (file.bytes() < kPreamble) throw Error("is no .npy");
  const std::string preamble = textOf(file, 0, kPreamble);
  const std::uint64_t bytes =
      kPreamble + static_cast<unsigned char>(preamble[8]) + 256U * static_cast<unsigned char>(preamble[9]);
  if (!preamble.starts_with("\x93NUMPY") || file.bytes() < bytes) throw Error("is no .npy");
  return textOf(file, 0, bytes);
}

/// Rows by the header: the first number of "'shape': (ROWS, COLUMNS)".
std::uint64_t rowsOf(const std::string& header) {
  constexpr std::string_view kShape = "'shape': (";
  const std::size_t shape = header.find(kShape);
  std::uint64_t rows = 0;
  if (shape == std::string::npos) throw Error("has no shape in its header");
  const char* begin = header.data() + shape + kShape.size();
  if (std::from_chars(begin, header.data() + header.size(), rows).ec != std::errc{})
    throw Error("has no number of rows in its header");
  return rows;
}

}  // namespace

std::string latticeDigest(const std::string& path) {
  const RegularFile file(path);
  if (lattice::vectorFormat(path) == lattice::VectorFormat::text) {
    RowSet lines(0);
    file.read(0, file.bytes(), [&](std::span<const std::byte> piece) { lines.take(piece); });
    return fingerprintText(lines.finish());
  }
  const std::string header = npyHeaderOf(file);
  const std::uint64_t rows = rowsOf(header);
  const std::uint64_t bytes = file.bytes() - header.size();
  if (rows == 0 ? bytes != 0 : bytes % rows != 0) throw Error("has other rows than its header says");
  RowSet set(rows == 0 ? 1 : static_cast<std::size_t>(bytes / rows));
  file.read(header.size(), file.bytes(), [&](std::span<const std::byte> piece) { set.take(piece); });
  return hashDigits(header) + fingerprintText(set.finish());
}

}  // namespace slicepool::config
