// See front_digest.hpp.
#include "runtime/lattice/front_digest.hpp"

#include <charconv>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/core/fingerprint_text.hpp"
#include "runtime/io/file_hash.hpp"
#include "runtime/io/npy_header.hpp"
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

}  // namespace

std::string latticeDigest(const std::string& path) {
  const RegularFile file(path);
  if (lattice::vectorFormat(path) == lattice::VectorFormat::text) {
    RowSet lines(0);
    file.read(0, file.bytes(), [&](std::span<const std::byte> piece) { lines.take(piece); });
    return fingerprintText(lines.finish());
  }
  const NpyHead head = readNpyHead(file);
  const std::uint64_t rows = head.rows;
  const std::uint64_t bytes = file.bytes() - head.text.size();
  if (rows == 0 ? bytes != 0 : bytes % rows != 0) throw Error("has other rows than its header says");
  RowSet set(rows == 0 ? 1 : static_cast<std::size_t>(bytes / rows));
  file.read(head.text.size(), file.bytes(), [&](std::span<const std::byte> piece) { set.take(piece); });
  return hashDigits(head.text) + fingerprintText(set.finish());
}

}  // namespace slicepool::config
