// See semigroup_files.hpp.
#include "runtime/numerical_semigroups/semigroup_files.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "runtime/core/fingerprint_sum.hpp"
#include "runtime/io/durable_file.hpp"
#include "runtime/io/npy_part.hpp"
#include "runtime/io/regular_file.hpp"
#include "runtime/io/shown.hpp"
#include "runtime/io/text_output.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/numerical_semigroups/selection_sinks.hpp"

namespace slicepool::numerical_semigroups {
namespace {

constexpr std::size_t kPieceRows = 1U << 14;

std::size_t rowBytes(const RowShape& shape) {
  return static_cast<std::size_t>(shape.kind == RowKind::gaps ? shape.gapBytes : 2 * shape.generators);
}

void appendRow(const GapSet& gaps, const RowShape& shape, std::vector<std::byte>& rows) {
  const std::size_t begin = rows.size();
  rows.resize(begin + rowBytes(shape));
  if (shape.kind == RowKind::gaps) {
    for (std::size_t i = 0; i < rowBytes(shape); ++i)
      rows[begin + i] = static_cast<std::byte>(gaps.words.at(i / 8) >> (8 * (i % 8)));
    return;
  }
  std::size_t at = begin;
  for (const int generator : generatorsOf(gaps)) {
    rows.at(at++) = static_cast<std::byte>(generator & 0xff);
    rows.at(at++) = static_cast<std::byte>(generator >> 8);
  }
}

const char* typeOf(const RowShape& shape) { return shape.kind == RowKind::gaps ? "|u1" : "<u2"; }

std::uint64_t columnsOf(const RowShape& shape) {
  return static_cast<std::uint64_t>(shape.kind == RowKind::gaps ? shape.gapBytes : shape.generators);
}

std::uint64_t writeArray(const std::vector<GapSet>& semigroups, const RowShape& shape,
                         const std::string& path) {
  NpyPart file(path, typeOf(shape), semigroups.size(), columnsOf(shape));
  std::vector<std::byte> rows;
  for (std::size_t i = 0; i < semigroups.size(); i += kPieceRows) {
    rows.clear();
    for (std::size_t k = i; k < std::min(semigroups.size(), i + kPieceRows); ++k)
      appendRow(semigroups[k], shape, rows);
    file.write(i, rows);
  }
  return file.publish();
}

}  // namespace

SemigroupFormat semigroupFormat(const std::string& path) {
  if (path.empty()) return SemigroupFormat::none;
  if (path == "-" || path.ends_with(".txt")) return SemigroupFormat::text;
  if (path.ends_with(".npy")) return SemigroupFormat::npy;
  if (path.ends_with(".svg")) return SemigroupFormat::svg;
  throw ConfigError("output.path", inQuotes(path),
                    "a file name that ends in .npy, .txt or .svg, or - for text on standard output");
}

RowShape rowShapeOf(const Request& request) {
  RowShape shape;
  shape.kind = request.rows;
  const bool byFrobenius = request.frobenius != 0;
  // A semigroup has no more generators than its multiplicity says.
  shape.generators = request.multiplicity != 0 ? request.multiplicity
                                               : (byFrobenius ? request.frobenius : request.genus) + 1;
  const int end = byFrobenius ? request.frobenius + 1 : 2 * request.genus;
  shape.gapBytes = (end + 7) / 8;
  return shape;
}

Fingerprint fingerprintOf(const std::vector<GapSet>& semigroups) {
  Fingerprint fingerprint;
  for (const GapSet& gaps : semigroups) {
    Bits<4> bits;
    std::copy(gaps.words.begin(), gaps.words.end(), bits.words);
    addTo(fingerprint, semigroupHash(bits));
  }
  return fingerprint;
}

std::string rowText(const GapSet& gaps, RowKind kind) {
  return fmt::format("{}", fmt::join(kind == RowKind::gaps ? gapsOf(gaps) : generatorsOf(gaps), " "));
}

std::uint64_t writeSemigroups(const std::vector<GapSet>& semigroups, const RowShape& shape,
                              const std::string& path) {
  switch (semigroupFormat(path)) {
    case SemigroupFormat::npy: return writeArray(semigroups, shape, path);
    case SemigroupFormat::text:
      return writeTextLines(path, [&](const auto& take) {
        for (const GapSet& gaps : semigroups) take(rowText(gaps, shape.kind));
      });
    case SemigroupFormat::svg: {
      const std::string picture = treePicture(semigroups);
      writeTextOrThrow("output", path, picture);
      return picture.size();
    }
    case SemigroupFormat::none: break;
  }
  return 0;
}

std::vector<GapSet> readGaps(const std::string& path, const RowShape& shape) {
  const RegularFile file(path);
  const NpyHead head = readNpyHead(file);
  const std::size_t row = rowBytes(shape);
  const std::uint64_t data = file.bytes() - head.text.size();
  if (head.text != npyHeader(typeOf(shape), head.rows, columnsOf(shape)) || data % row != 0 ||
      data / row != head.rows)
    throw Error("is no list of sets of gaps of this search");
  std::vector<GapSet> semigroups(head.rows);
  std::size_t byte = 0;
  file.read(head.text.size(), file.bytes(), [&](std::span<const std::byte> piece) {
    for (const std::byte b : piece) {
      semigroups[byte / row].words.at(byte % row / 8) |= static_cast<std::uint64_t>(b)
                                                         << (8 * (byte % row % 8));
      ++byte;
    }
  });
  return semigroups;
}

}  // namespace slicepool::numerical_semigroups
