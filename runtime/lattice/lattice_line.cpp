// See lattice_line.hpp.
#include "runtime/lattice/lattice_line.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "runtime/io/digits.hpp"
#include "runtime/io/exact_json.hpp"
#include "runtime/io/json_text.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/lattice/types.hpp"

namespace slicepool::lattice {
namespace {

constexpr int kMaximumLineColumns = 1 << 20;
constexpr std::size_t kMaximumLineDigits = 20000;
constexpr std::size_t kMaximumIdBytes = 1000;
/// Integers of up to so many digits fit 64 bits.
constexpr std::size_t kSurelyNarrow = 18;

class LineParser {
 public:
  LineParser(std::string_view text, LatticeLine& line) : text_(text), line_(line) {}

  void parse() {
    expect('{', "an object such as {\"basis\": [[1, 0], [0, 2]]}");
    if (next() == '}') refuse("line", "an object without members", kMembers);
    for (;;) {
      member();
      if (next() == ',') {
        ++at_;
        continue;
      }
      expect('}', ", or } after a member");
      break;
    }
    if (next() != '\0' || at_ != text_.size()) refuse("line", found(), "nothing after the object");
    if (!matrix_ && !target_) refuse("line", "an object without a matrix and without a target", kMembers);
  }

 private:
  static constexpr const char* kMembers = "\"basis\" or \"gram\", \"target\", \"id\" and \"squared_radius\"";

  /// The next character that is no white space; '\0' at the end.
  char next() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n'))
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void expect(char wanted, const char* accepted) {
    if (next() != wanted || at_ == text_.size()) refuse("line", found(), accepted);
    ++at_;
  }
  [[nodiscard]] std::string found() const {
    if (at_ >= text_.size()) return "the end of the line";
    std::size_t end = at_ + 1;
    while (end < text_.size() && end - at_ < 24 &&
           std::string_view(" \t,:[]{}").find(text_[end]) == std::string_view::npos)
      ++end;
    return inQuotes(text_.substr(at_, end - at_));
  }
  [[noreturn]] void refuse(const std::string& field, const std::string& got,
                           const std::string& accepted) const {
    throw ConfigError(fmt::format("{}: column {}", field, at_ + 1), got, accepted);
  }

  /// The text between the quotes of a string without escapes; one with escapes only where `raw`.
  std::string_view string(const char* field, const char* accepted, bool raw = false) {
    if (next() != '"') refuse(field, found(), accepted);
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && raw) ++at_;
      ++at_;
    }
    if (at_ >= text_.size()) {
      at_ = text_.size();
      refuse(field, found(), "\" at the end of a string");
    }
    return text_.substr(begin, at_++ - begin);
  }

  void member() {
    (void)next();
    const std::size_t begin = at_;
    const std::string_view name = string("line", "the name of a member in quotes");
    const auto once = [&](bool& seen) {
      if (!seen) {
        seen = true;
        return;
      }
      at_ = begin;
      refuse("line", fmt::format("{} a second time", inQuotes(name)), "each member once");
    };
    if (name == "basis" || name == "gram") {
      if (matrix_) {
        at_ = begin;
        refuse(std::string(name), "a second matrix", "one of basis and gram");
      }
      matrix_ = true;
      line_.lattice.gram = name == "gram";
      colon();
      matrix(line_.lattice.gram ? "gram" : "basis");
    } else if (name == "target") {
      once(target_);
      colon();
      target();
    } else if (name == "id") {
      once(id_);
      colon();
      identifier();
    } else if (name == "squared_radius") {
      once(radius_);
      colon();
      line_.lattice.squaredRadius = SquaredRadius(radiusText());
      if (!line_.lattice.squaredRadius.given())
        throw ConfigError("squared_radius", "\"\"", "a number above 0, from 1e-300 to 1e300");
    } else {
      at_ = begin;
      refuse("line", inQuotes(name), kMembers);
    }
  }
  void colon() { expect(':', ": after the name of a member"); }

  void identifier() {
    (void)next();
    const std::size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '"')
      (void)string("id", "a string", true);
    else
      word();
    const std::string id(text_.substr(begin, at_ - begin));
    const std::size_t end = at_;
    at_ = begin;
    if (id.empty() || id.size() > kMaximumIdBytes)
      refuse("id", id.empty() ? found() : fmt::format("{} bytes", id.size()),
             fmt::format("a string or an integer of at most {} bytes", kMaximumIdBytes));
    checkIdentifier(id);
    at_ = end;
    line_.id = id;
  }
  /// It is written into the answer as it stands.
  void checkIdentifier(const std::string& id) const {
    const bool plain =
        std::all_of(id.begin(), id.end(), [](char c) { return c >= ' ' && c < 127 && c != '\\'; });
    if (plain && id.front() == '"') return;
    nlohmann::ordered_json value;
    try {
      value = parseJsonText(id, "id");
    } catch (const ConfigError&) {
      refuse("id", inQuotes(id), "a string or an integer");
    }
    const bool integer = id.find_first_of(".eE") == std::string::npos && id.front() != '"';
    if (!value.is_string() && !(value.is_number() && integer))
      refuse("id", inQuotes(id), "a string or an integer");
  }

  /// A literal that is no string: up to what cannot be a part of one.
  std::string_view word() {
    (void)next();
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n,:[]{}\"").find(text_[at_]) == std::string_view::npos)
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string radiusText() {
    constexpr const char* kAccepted = "a number above 0, or one as a string, a fraction only as one";
    if (next() == '"') return std::string(string("squared_radius", kAccepted));
    const std::size_t begin = at_;
    const std::string_view number = word();
    if (!isNumberLiteral(number)) {
      at_ = begin;
      refuse("squared_radius", found(), kAccepted);
    }
    return std::string(number);
  }

  void matrix(const char* field) {
    GivenLattice& lattice = line_.lattice;
    if (next() != '[') refuse(field, found(), "[ at the start of rows such as [[1, 0], [0, 2]]");
    const std::size_t begin = at_++;
    bool wide = false;
    for (;;) {
      if (next() != '[' || at_ >= text_.size())
        refuse(field, found(), lattice.rows == 0 ? "[ of the first row" : "[ of the next row");
      if (lattice.rows == kMaximumDimension)
        refuse(field, "one more row", fmt::format("1 to {} rows", kMaximumDimension));
      row(field, wide);
      if (next() == ',') {
        ++at_;
        continue;
      }
      expect(']', ", or ] after a row");
      break;
    }
    if (lattice.gram && lattice.rows != lattice.columns)
      throw ConfigError(field, fmt::format("{} rows of {} numbers", lattice.rows, lattice.columns),
                        "a square matrix, the inner products of the vectors of a basis");
    if (!wide) return;
    lattice.entries.clear();
    lattice.text.assign(text_.substr(begin, at_ - begin));
    std::replace(lattice.text.begin(), lattice.text.end(), ',', ' ');
  }

  void row(const char* field, bool& wide) {
    GivenLattice& lattice = line_.lattice;
    const std::size_t begin = at_++;
    int columns = wide ? 0 : takePlainNumbers();
    for (;; ++columns) {
      if (columns == kMaximumLineColumns)
        refuse(field, "one more number", fmt::format("at most {} in a row", kMaximumLineColumns));
      integer(field, wide);
      const char after = next();
      if (after == ',') {
        ++at_;
        continue;
      }
      if (after != ']') refuse(field, found(), ", or ] after an integer");
      ++at_;
      ++columns;
      break;
    }
    ++lattice.rows;
    if (lattice.rows == 1) {
      lattice.columns = columns;
      const auto width = static_cast<std::size_t>(columns);
      if (columns <= kMaximumDimension) lattice.entries.reserve(width * width);  // most are square
    }
    if (columns == lattice.columns) return;
    at_ = begin;
    refuse(field, fmt::format("row {} with {} numbers", lattice.rows, columns),
           fmt::format("{} numbers, as in the rows before", lattice.columns));
  }

  /// An integer as it is written.
  struct Digits {
    bool negative = false;
    bool padded = false;      ///< by a zero, which JSON does not allow
    std::size_t count = 0;    ///< of digits
    std::uint64_t value = 0;  ///< of up to kSurelyNarrow digits

    [[nodiscard]] bool isInteger() const { return count != 0 && !padded; }
    [[nodiscard]] std::int64_t number() const {
      return negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
    }
  };
  /// From `at` on, which is then behind it.
  static Digits readDigits(const char*& at, const char* end) {
    Digits digits;
    digits.negative = at != end && *at == '-';
    if (digits.negative) ++at;
    const char* const first = at;
    for (; at != end && isDigit(*at); ++at)
      digits.value = digits.value * 10 + static_cast<std::uint64_t>(*at - '0');
    digits.count = static_cast<std::size_t>(at - first);
    digits.padded = digits.count > 1 && *first == '0';
    return digits;
  }

  /// Up to seven digits and what is behind them, all at once, and none where there are more: eight bytes of a
  /// text, the first one lowest. A byte is a digit where its high half is that of '0' and its low half is
  /// below
  /// 10. Without a branch for each digit, which the numbers of a lattice make hard to foresee.
  static Digits readWord(const char* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    word ^= 0x3030303030303030U;
    const std::uint64_t others = ((word + 0x7676767676767676U) | word) & 0x8080808080808080U;
    Digits digits;
    if (others == 0) return digits;
    const auto bits = static_cast<unsigned>(std::countr_zero(others)) & ~7U;
    if (bits == 0) return digits;
    digits.count = bits / 8;
    digits.padded = digits.count > 1 && (word & 0xff) == 0;
    word <<= 64 - bits;  // zeros in front
    word = (word * 10 + (word >> 8U)) & 0x00ff00ff00ff00ffU;
    word = (word * 100 + (word >> 16U)) & 0x0000ffff0000ffffU;
    digits.value = (word * 10000 + (word >> 32U)) & 0xffffffffU;
    return digits;
  }

  /// Takes numbers that are written plainly, as most are: one blank before them at most, and a comma behind.
  /// The first that is not is left to integer(), and so is the end of a text.
  int takePlainNumbers() {
    constexpr std::ptrdiff_t kLongest = 10;  // a blank, a sign, and a word
    static_assert(std::endian::native == std::endian::little);
    std::array<std::int64_t, 256> numbers;  // not a vector's, whose end would be stored each time
    std::size_t count = 0;
    const auto give = [&] {
      line_.lattice.entries.insert(line_.lattice.entries.end(), numbers.begin(),
                                   numbers.begin() + static_cast<std::ptrdiff_t>(count));
      count = 0;
    };
    const char* at = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    int taken = 0;
    for (; taken < kMaximumLineColumns && end - at >= kLongest; ++taken) {
      if (count == numbers.size()) give();
      if (at[0] == ' ' && at[2] == ',' && isDigit(at[1])) {
        numbers[count++] = at[1] - '0';
        at += 3;
        continue;
      }
      const char* first = at + (*at == ' ' ? 1 : 0);
      const bool negative = *first == '-';
      first += negative ? 1 : 0;
      if (!isDigit(*first)) break;
      Digits digits = readWord(first);
      const char* behind = first + digits.count;
      if (digits.count == 0) digits = readDigits(behind, end);
      if (!digits.isInteger() || digits.count > kSurelyNarrow || behind == end || *behind != ',') break;
      digits.negative = negative;
      numbers[count++] = digits.number();
      at = behind + 1;
    }
    give();
    at_ = static_cast<std::size_t>(at - text_.data());
    return taken;
  }

  void integer(const char* field, bool& wide) {
    (void)next();
    const std::size_t begin = at_;
    const char* at = text_.data() + at_;
    const Digits digits = readDigits(at, text_.data() + text_.size());
    at_ = static_cast<std::size_t>(at - text_.data());
    const char after = at_ < text_.size() ? text_[at_] : ' ';
    const bool ended = after == ',' || after == ']' || after == ' ' || after == '\t' || after == '\r';
    if (!digits.isInteger() || !ended) {
      at_ = begin;
      refuse(field, found(), "an integer");
    }
    if (digits.count > kMaximumLineDigits) {
      at_ = begin;
      refuse(field, fmt::format("an integer of {} digits", digits.count),
             fmt::format("at most {} digits", kMaximumLineDigits));
    }
    wide = wide || digits.count > kSurelyNarrow;
    if (!wide) line_.lattice.entries.push_back(digits.number());
  }

  /// Numbers, of which fractions are in quotes, and others may be.
  void target() {
    GivenLattice& lattice = line_.lattice;
    if (next() != '[') refuse("target", found(), "[ at the start of numbers such as [1, \"1/2\", -0.25]");
    ++at_;
    std::string all = "[";
    bool narrow = true;
    for (int count = 1;; ++count) {
      if (count > kMaximumLineColumns)
        refuse("target", "one more number", fmt::format("at most {}", kMaximumLineColumns));
      (void)next();
      const std::size_t begin = at_;
      const bool quoted = at_ < text_.size() && text_[at_] == '"';
      const std::string_view number = quoted ? string("target", "a number") : word();
      if (number.empty() || number.find_first_not_of("+-0123456789./eE") != std::string_view::npos ||
          (!quoted && !isJsonNumber(number))) {
        at_ = begin;
        refuse("target", found(), "a number such as 3, -0.25, 1e2 or \"1/3\"");
      }
      narrow = narrow && appendNarrow(number, lattice.target);
      (all += number) += ' ';
      if (next() == ',') {
        ++at_;
        continue;
      }
      expect(']', ", or ] after a number");
      break;
    }
    if (narrow) return;
    lattice.target.clear();
    all.back() = ']';
    lattice.targetText = std::move(all);
  }

  /// What JSON has for numbers; the parser of targets takes more.
  static bool isJsonNumber(std::string_view number) {
    const auto takeDigits = [&number] {
      const std::size_t end = std::min(number.find_first_not_of("0123456789"), number.size());
      number.remove_prefix(end);
      return end;
    };
    if (number.starts_with('-')) number.remove_prefix(1);
    const bool zero = number.starts_with('0');
    const std::size_t whole = takeDigits();
    if (whole == 0 || (zero && whole > 1)) return false;
    if (number.starts_with('.')) {
      number.remove_prefix(1);
      if (takeDigits() == 0) return false;
    }
    if (number.empty() || (number.front() != 'e' && number.front() != 'E')) return number.empty();
    number.remove_prefix(1);
    if (number.starts_with('-') || number.starts_with('+')) number.remove_prefix(1);
    return takeDigits() != 0 && number.empty();
  }
  /// False where it is no integer of 64 bits.
  static bool appendNarrow(std::string_view number, std::vector<std::int64_t>& numbers) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size()) return false;
    numbers.push_back(value);
    return true;
  }

  std::string_view text_;
  LatticeLine& line_;
  std::size_t at_ = 0;
  bool matrix_ = false;
  bool target_ = false;
  bool id_ = false;
  bool radius_ = false;
};

}  // namespace

void parseLatticeLine(std::string_view text, LatticeLine& line) { LineParser(text, line).parse(); }

}  // namespace slicepool::lattice
