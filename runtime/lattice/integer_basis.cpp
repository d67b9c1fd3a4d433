// See integer_basis.hpp.
#include "runtime/lattice/integer_basis.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "runtime/io/digits.hpp"
#include "runtime/io/shown.hpp"
#include "runtime/io/text_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

constexpr std::size_t kMaximumColumns = 1U << 20;
constexpr std::size_t kShownCharacters = 24;
constexpr std::uint64_t kMaximumBytes = std::uint64_t{1} << 30;
/// Of an entry: reading takes the square of it.
constexpr std::size_t kMaximumDigits = 20000;

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

class Parser {
 public:
  Parser(std::string_view text, const std::string& name, int maximumRows)
      : text_(text), name_(name), maximumRows_(maximumRows) {}

  IntegerBasis basis() {
    IntegerBasis basis;
    if (hasOuterBrackets()) {
      expect('[', "");
      for (skipSpace(); !accept(']'); skipSeparator("[ of the next row"))
        row(basis, "[ of the next row, or ] at the end of the matrix");
      skipSpace();
      if (at_ != text_.size()) refuse(shown(), "nothing after the matrix");
    } else {
      for (skipSpace(); at_ != text_.size(); skipSeparator("[ of the next row"))
        row(basis, "[ of the next row, or nothing more");
    }
    if (basis.dimension == 0) refuse("a matrix without rows", rowsAccepted());
    return basis;
  }

 private:
  /// fplll's form [[1 2] [3 5]], where fpylll prints [ 1 2 ] [ 3 5 ].
  bool hasOuterBrackets() {
    const std::size_t begin = at_;
    expect('[', "[ at the start of a matrix such as [[1 0] [0 1]]");
    skipSpace();
    const bool entry = at_ < text_.size() && (isDigit(text_[at_]) || text_[at_] == '-');
    at_ = begin;
    return !entry;
  }

  void row(IntegerBasis& basis, const std::string& accepted) {
    const std::size_t begin = at_;
    expect('[', accepted);
    if (basis.dimension == maximumRows_) refuseAt(begin, "one more row", rowsAccepted());
    std::size_t columns = 0;
    for (skipSpace(); !accept(']'); skipSeparator("the next integer"), ++columns) {
      if (columns == kMaximumColumns)
        refuse("one more column", fmt::format("at most {} columns", kMaximumColumns));
      basis.entries.push_back(integer());
    }
    if (basis.dimension == 0) {
      if (columns == 0) refuseAt(begin, "a row without numbers", "rows of at least one integer");
      basis.columns = static_cast<int>(columns);
    } else if (columns != static_cast<std::size_t>(basis.columns)) {
      refuseAt(begin, fmt::format("row {} with {} numbers", basis.dimension + 1, columns),
               fmt::format("{} numbers, as in the rows before", basis.columns));
    }
    ++basis.dimension;
  }

  Integer integer() {
    const std::size_t begin = at_;
    const bool negative = at_ < text_.size() && text_[at_] == '-';
    if (negative) ++at_;
    const std::size_t digits = at_;
    while (at_ < text_.size() && isDigit(text_[at_])) ++at_;
    const bool ended = at_ == text_.size() || isSpace(text_[at_]) || text_[at_] == ']' || text_[at_] == ',';
    if (at_ == digits || !ended) {
      at_ = begin;
      refuse(shown(), "integers separated by white space or commas, and ] at the end of a row");
    }
    if (at_ - digits > kMaximumDigits) {
      const std::size_t count = at_ - digits;
      at_ = begin;
      refuse(fmt::format("an integer of {} digits", count), fmt::format("at most {} digits", kMaximumDigits));
    }
    // A leading zero would mean octal to the parser of the library.
    std::size_t first = digits;
    while (first + 1 < at_ && text_[first] == '0') ++first;
    Integer value(std::string(text_.substr(first, at_ - first)));
    return negative ? Integer(-value) : value;
  }

  void skipSpace() {
    while (at_ < text_.size() && isSpace(text_[at_])) ++at_;
  }

  /// White space, and a comma that `next` has to follow: lists of JSON and Python have them.
  void skipSeparator(const char* next) {
    skipSpace();
    if (!accept(',')) return;
    skipSpace();
    if (at_ == text_.size() || text_[at_] == ']') refuse(shown(), next);
  }

  bool accept(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c, const std::string& accepted) {
    skipSpace();
    if (!accept(c)) refuse(shown(), accepted);
  }

  [[nodiscard]] std::string rowsAccepted() const { return fmt::format("1 to {} rows", maximumRows_); }

  /// The word that stands at the cursor.
  [[nodiscard]] std::string shown() const {
    if (at_ == text_.size()) return "the end of the text";
    std::size_t end = at_ + 1;
    while (end < text_.size() && end - at_ < kShownCharacters && !isSpace(text_[end]) && text_[end] != ']' &&
           text_[end] != '[')
      ++end;
    return inQuotes(text_.substr(at_, end - at_));
  }

  [[noreturn]] void refuse(const std::string& got, const std::string& accepted) const {
    refuseAt(at_, got, accepted);
  }
  [[noreturn]] void refuseAt(std::size_t position, const std::string& got,
                             const std::string& accepted) const {
    const auto before = text_.substr(0, position);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t lineBegin = before.rfind('\n');  // npos + 1 is 0
    throw ConfigError(fmt::format("{}: line {}, column {}", name_, line, position - (lineBegin + 1) + 1), got,
                      accepted);
  }

  std::string_view text_;
  const std::string& name_;
  int maximumRows_;
  std::size_t at_ = 0;
};

/// Two primes near 2^61: rows that are independent modulo one of them are independent.
constexpr std::array<std::uint64_t, 2> kPrimes = {(std::uint64_t{1} << 61) - 1, 2305843009213693921U};

std::uint64_t product(std::uint64_t a, std::uint64_t b, std::uint64_t prime) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b % prime);
}

std::uint64_t inverse(std::uint64_t a, std::uint64_t prime) {  // Fermat
  std::uint64_t result = 1;
  for (std::uint64_t e = prime - 2; e != 0; e >>= 1U, a = product(a, a, prime))
    if ((e & 1U) != 0) result = product(result, a, prime);
  return result;
}

std::uint64_t residue(const Integer& value, std::uint64_t prime) {
  const auto rest = static_cast<std::int64_t>(value % prime);  // sign of value
  return rest < 0 ? prime - static_cast<std::uint64_t>(-rest) : static_cast<std::uint64_t>(rest);
}

/// Gaussian elimination modulo `prime`, row after row: the first that vanishes, or -1.
int firstDependentModulo(const IntegerBasis& basis, std::uint64_t prime) {
  const auto columns = static_cast<std::size_t>(basis.columns);
  std::vector<std::vector<std::uint64_t>> echelon;  // each with a leading 1
  std::vector<std::size_t> pivots;
  for (int i = 0; i < basis.dimension; ++i) {
    std::vector<std::uint64_t> row(columns);
    for (std::size_t j = 0; j < columns; ++j) row[j] = residue(basis.at(i, static_cast<int>(j)), prime);
    for (std::size_t k = 0; k < echelon.size(); ++k) {
      const std::uint64_t factor = row[pivots[k]];
      if (factor == 0) continue;
      for (std::size_t j = pivots[k]; j < columns; ++j) {
        const std::uint64_t subtrahend = product(factor, echelon[k][j], prime);
        row[j] = row[j] >= subtrahend ? row[j] - subtrahend : row[j] + (prime - subtrahend);
      }
    }
    const auto pivot = std::find_if(row.begin(), row.end(), [](std::uint64_t v) { return v != 0; });
    if (pivot == row.end()) return i;
    const auto position = static_cast<std::size_t>(pivot - row.begin());
    const std::uint64_t scale = inverse(*pivot, prime);
    for (auto& value : row) value = product(value, scale, prime);
    echelon.push_back(std::move(row));
    pivots.push_back(position);
  }
  return -1;
}

/// The same over the integers, without fractions (Bareiss 1968).
int firstDependentExactly(const IntegerBasis& basis) {
  const auto columns = static_cast<std::size_t>(basis.columns);
  std::vector<std::vector<Integer>> echelon;
  std::vector<std::size_t> pivots;
  for (int i = 0; i < basis.dimension; ++i) {
    const auto begin = basis.entries.begin() + static_cast<std::ptrdiff_t>(i) * basis.columns;
    std::vector<Integer> row(begin, begin + basis.columns);
    Integer divisor = 1;
    for (std::size_t k = 0; k < echelon.size(); ++k) {
      const Integer factor = row[pivots[k]];
      const Integer& pivot = echelon[k][pivots[k]];
      for (std::size_t j = 0; j < columns; ++j)
        row[j] = Integer(row[j] * pivot - factor * echelon[k][j]) / divisor;
      divisor = pivot;
    }
    const auto pivot = std::find_if(row.begin(), row.end(), [](const Integer& v) { return v != 0; });
    if (pivot == row.end()) return i;
    pivots.push_back(static_cast<std::size_t>(pivot - row.begin()));
    echelon.push_back(std::move(row));
  }
  return -1;
}

}  // namespace

IntegerBasis parseBasis(std::string_view text, const std::string& name, int maximumRows) {
  return Parser(text, name, maximumRows).basis();
}

IntegerBasis readBasis(const std::string& path, int maximumRows) {
  return parseBasis(readTextFile(path, "basis", "a file that can be read, of at most 1 GiB", kMaximumBytes),
                    path, maximumRows);
}

IntegerBasis givenBasis(const std::string& text, const std::string& path, int maximumRows) {
  return text.empty() ? readBasis(path, maximumRows) : parseBasis(text, "basis", maximumRows);
}

std::uint64_t hashOfRows(const IntegerBasis& basis) {
  std::string text = basisText(basis);
  if (!basis.gram.empty()) text += "gram";
  for (const Integer& entry : basis.gram) text += " " + entry.str();
  return XXH3_64bits(text.data(), text.size());
}

std::string basisText(const IntegerBasis& basis) {
  std::string text = "[";
  for (int i = 0; i < basis.dimension; ++i) {
    text += i == 0 ? "[" : "\n[";
    for (int j = 0; j < basis.columns; ++j) {
      if (j != 0) text += ' ';
      text += basis.at(i, j).str();
    }
    text += "]";
  }
  return text + "]\n";
}

int firstDependentRow(const IntegerBasis& basis) {
  for (const std::uint64_t prime : kPrimes)
    if (firstDependentModulo(basis, prime) < 0) return -1;
  return firstDependentExactly(basis);
}

void requireIndependent(const IntegerBasis& basis, const std::string& name) {
  const int row = firstDependentRow(basis);
  if (row < 0) return;
  throw ConfigError(name,
                    fmt::format("row {} that is a combination of the rows before it ({} rows, {} columns)",
                                row + 1, basis.dimension, basis.columns),
                    "linearly independent rows");
}

std::vector<Integer> gramMatrix(const IntegerBasis& basis) {
  if (!basis.gram.empty()) return basis.gram;
  const auto d = static_cast<std::size_t>(basis.dimension);
  std::vector<Integer> gram(d * d);
  for (int i = 0; i < basis.dimension; ++i) {
    for (int j = 0; j <= i; ++j) {
      Integer sum = 0;
      for (int k = 0; k < basis.columns; ++k) sum += basis.at(i, k) * basis.at(j, k);
      gram[static_cast<std::size_t>(j) * d + static_cast<std::size_t>(i)] = sum;
      gram[static_cast<std::size_t>(i) * d + static_cast<std::size_t>(j)] = std::move(sum);
    }
  }
  return gram;
}

std::vector<Integer> squaredNorms(const IntegerBasis& basis) {
  std::vector<Integer> norms(static_cast<std::size_t>(basis.dimension));
  for (int i = 0; i < basis.dimension; ++i) {
    Integer& norm = norms[static_cast<std::size_t>(i)];
    if (!basis.gram.empty()) {
      norm = basis.gram[static_cast<std::size_t>(i) * norms.size() + static_cast<std::size_t>(i)];
      continue;
    }
    for (int j = 0; j < basis.columns; ++j) norm += basis.at(i, j) * basis.at(i, j);
  }
  return norms;
}

Integer leastSquaredNorm(const IntegerBasis& basis) {
  const std::vector<Integer> norms = squaredNorms(basis);
  return *std::min_element(norms.begin(), norms.end());
}

}  // namespace slicepool::lattice
