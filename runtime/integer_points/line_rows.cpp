// See line_rows.hpp.
#include "runtime/integer_points/line_rows.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "cpu_workers/factorizations/rows.hpp"
#include "runtime/integer_points/endings.hpp"
#include "runtime/integer_points/line_reader.hpp"
#include "slicepool/integer_points/steps/search_plan.hpp"

namespace slicepool::integer_points {
namespace {

constexpr std::uint64_t kPiecePoints = 1U << 16;

constexpr std::size_t kWidestKernelRow = 128;  ///< of AddPrefix
constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kMaximumWords = kMaximumColumns;

/// The first row of a line, and what is added from each row to the next, as words. Numbers of a word are
/// added each modulo its own range.
template <class Number>
class RowWriter {
 public:
  explicit RowWriter(const LineShape& shape)
      : shape_(shape), columns_(shape.order.size()), bytes_(columns_ * sizeof(Number)) {
    for (std::size_t level = 0; level < columns_; ++level) {
      lower_[level] = static_cast<Number>(shape.lower[level]);
      setNumber(change_, shape.order[level], static_cast<Number>(shape.increments[level]));
      setNumber(top_, level, static_cast<Number>(Number{1} << (8 * sizeof(Number) - 1)));
      isInOrder_ = isInOrder_ && shape.order[level] == level;
    }
  }

  [[nodiscard]] std::size_t words() const { return (bytes_ + kWord - 1) / kWord; }

  /// The row of number `skip` of a line.
  template <class Coordinate>
  void begin(const std::byte* record, std::uint64_t skip) {
    auto* const numbers = reinterpret_cast<Number*>(row_.data());
    if (isInOrder_)
      for (std::size_t level = 0; level < columns_; ++level)
        numbers[level] = static_cast<Number>(lower_[level] + coordinateAt<Coordinate>(record, level));
    else
      for (std::size_t level = 0; level < columns_; ++level)
        numbers[shape_.order[level]] =
            static_cast<Number>(lower_[level] + coordinateAt<Coordinate>(record, level));
    if (skip == 0) return;
    const auto* const changes = reinterpret_cast<const Number*>(change_.data());
    for (std::size_t column = 0; column < columns_; ++column)
      numbers[column] = static_cast<Number>(numbers[column] + skip * changes[column]);
  }

  /// Writes `count` rows; the last word of a row may reach into what comes behind it. kWords: those of a row;
  /// 0: as many as there are.
  template <std::size_t kWords>
  std::byte* write(std::byte* to, std::uint64_t count) const {
    const std::size_t words = kWords == 0 ? this->words() : kWords;
    std::array<std::uint64_t, kWords == 0 ? kMaximumWords : kWords> row;
    std::copy_n(row_.begin(), words, row.begin());
    for (; count != 0; --count, to += bytes_) {
      std::memcpy(to, row.data(), words * kWord);
      for (std::size_t w = 0; w < words; ++w)
        row[w] = ((row[w] & ~top_[w]) + (change_[w] & ~top_[w])) ^ ((row[w] ^ change_[w]) & top_[w]);
    }
    return to;
  }

 private:
  using Words = std::array<std::uint64_t, kMaximumWords>;

  static void setNumber(Words& words, std::size_t place, Number value) {
    std::memcpy(reinterpret_cast<std::byte*>(words.data()) + place * sizeof(Number), &value, sizeof(Number));
  }

  const LineShape& shape_;
  std::size_t columns_;
  std::size_t bytes_;
  bool isInOrder_ = true;
  std::array<Number, kMaximumColumns> lower_{};
  Words row_{};
  Words change_{};
  Words top_{};  ///< the highest bit of each number
};

template <std::size_t kWords, class Coordinate, class Number>
void fill(const Lines& lines, const Piece& piece, RowWriter<Number>& writer, std::byte* to) {
  std::uint64_t skip = piece.skip;
  std::uint64_t left = piece.points;
  for (std::size_t i = piece.line; left != 0; ++i, skip = 0) {
    const std::uint64_t count = std::min(countOf(lines, i) - skip, left);
    left -= count;
    writer.template begin<Coordinate>(recordAt(lines, i), skip);
    to = writer.template write<kWords>(to, count);
  }
}

/// Rows of a line with endings: its coordinates, added to the rows of those.
template <class Coordinate, class Number>
void fillWithEndings(const Lines& lines, const Piece& piece, std::byte* to) {
  const LineShape& shape = lines.shape;
  const std::size_t columns = shape.order.size();
  const std::size_t bytes = columns * sizeof(Number);
  const auto add = rowKernels().addPrefix[elementIndex(sizeof(Number))];
  const bool byKernel = sizeof(Number) <= 4 && bytes <= kWidestKernelRow;
  std::array<std::uint32_t, kMaximumColumns> prefix{};
  std::array<Number, kMaximumColumns> wide{};
  std::uint64_t skip = piece.skip;
  std::uint64_t left = piece.points;
  for (std::size_t i = piece.line; left != 0; ++i, skip = 0) {
    const std::uint64_t count = std::min(countOf(lines, i) - skip, left);
    left -= count;
    for (std::size_t level = 0; level < shape.coordinates; ++level) {
      const auto value = static_cast<Number>(static_cast<Number>(shape.lower[level]) +
                                             coordinateAt<Coordinate>(recordAt(lines, i), level));
      wide[shape.order[level]] = value;
      prefix[shape.order[level]] = static_cast<std::uint32_t>(value);
    }
    const std::byte* from = lines.endings->rows() + (lines.endings->beginOf(i) + skip) * bytes;
    if (byKernel) {
      add(to, from, count, static_cast<int>(columns), prefix.data());
      to += count * bytes;
      continue;
    }
    for (std::uint64_t k = 0; k < count; ++k, from += bytes, to += bytes) {
      for (std::size_t column = 0; column < columns; ++column) {
        Number value;
        std::memcpy(&value, from + column * sizeof(Number), sizeof(Number));
        value = static_cast<Number>(value + wide[column]);
        std::memcpy(to + column * sizeof(Number), &value, sizeof(Number));
      }
    }
  }
}

template <class Number>
void makeRows(const Lines& lines, const Piece& piece, std::vector<std::byte>& rows) {
  const std::size_t bytes = piece.points * lines.shape.order.size() * sizeof(Number);
  rows.resize(bytes + kWord);
  if (lines.endings != nullptr) {
    withCoordinate(lines.shape.width, [&](auto coordinate) {
      fillWithEndings<decltype(coordinate), Number>(lines, piece, rows.data());
    });
    rows.resize(bytes);
    return;
  }
  RowWriter<Number> writer(lines.shape);
  withCoordinate(lines.shape.width, [&](auto coordinate) {
    using Coordinate = decltype(coordinate);
    switch (writer.words()) {
      case 1: fill<1, Coordinate>(lines, piece, writer, rows.data()); break;
      case 2: fill<2, Coordinate>(lines, piece, writer, rows.data()); break;
      case 3: fill<3, Coordinate>(lines, piece, writer, rows.data()); break;
      case 4: fill<4, Coordinate>(lines, piece, writer, rows.data()); break;
      default: fill<0, Coordinate>(lines, piece, writer, rows.data()); break;
    }
  });
  rows.resize(bytes);
}

}  // namespace

std::vector<Piece> piecesOf(const Lines& lines) {
  std::vector<Piece> pieces;
  Piece open;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uint64_t count = countOf(lines, i);
    for (std::uint64_t skip = 0; skip < count;) {
      if (open.points == 0) open = {i, skip, 0, total};
      const std::uint64_t taken = std::min(count - skip, kPiecePoints - open.points);
      open.points += taken;
      total += taken;
      skip += taken;
      if (open.points == kPiecePoints) pieces.push_back(std::exchange(open, {}));
    }
  }
  if (open.points != 0) pieces.push_back(open);
  return pieces;
}

template <class Number>
void rowsOf(const Lines& lines, const Piece& piece, std::vector<std::byte>& rows) {
  makeRows<Number>(lines, piece, rows);
}

template void rowsOf<std::uint8_t>(const Lines&, const Piece&, std::vector<std::byte>&);
template void rowsOf<std::uint16_t>(const Lines&, const Piece&, std::vector<std::byte>&);
template void rowsOf<std::uint32_t>(const Lines&, const Piece&, std::vector<std::byte>&);
template void rowsOf<std::uint64_t>(const Lines&, const Piece&, std::vector<std::byte>&);

}  // namespace slicepool::integer_points
