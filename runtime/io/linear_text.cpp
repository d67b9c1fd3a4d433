// See linear_text.hpp.
#include "runtime/io/linear_text.hpp"

#include <cctype>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "runtime/io/digits.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

// Sums are kept in 128 bits so that moving terms across the relation cannot overflow before the final check.
using Wide = __int128;

class LinearParser {
 public:
  LinearParser(const std::string& text, const LinearNames& names) : text_(text), names_(names) {}

  /// One condition; the text may go on.
  LinearText parse() {
    coefficients_.assign(names_.size, 0);
    constant_ = 0;
    strict_ = 0;
    parseSum(1);
    parseRelation();
    parseSum(-1);
    skipSpace();
    return normalised();
  }

  [[nodiscard]] bool atEnd() const { return position_ == text_.size(); }
  /// A whole word.
  bool takeWord(std::string_view wanted) {
    const std::size_t start = position_;
    if (take(wanted) && (atEnd() || std::isspace(static_cast<unsigned char>(text_[position_])) != 0))
      return true;
    position_ = start;
    return false;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw ConfigError(names_.field,
                      inQuotes(text_) + " (at character " + std::to_string(position_ + 1) + ": " + what + ")",
                      names_.accepted);
  }

 private:
  void parseSum(int side) {
    int sign = parseSign(false);
    while (true) {
      parseTerm(side * sign);
      sign = parseSign(true);
      if (sign == 0) return;
    }
  }

  /// +1 or -1; without a sign 0 when one is `required` to go on, else +1.
  int parseSign(bool required) {
    skipSpace();
    if (take("+")) return 1;
    if (take("-")) return -1;
    return required ? 0 : 1;
  }

  void parseTerm(int sign) {
    skipSpace();
    const std::size_t start = position_;
    Wide factor = 1;
    bool number = false;
    if (atDigit()) {
      factor = parseInteger();
      number = true;
    }
    skipSpace();
    const bool star = number && take("*");
    skipSpace();
    // Between conditions "and" and "or" are no names.
    const std::size_t before = position_;
    const bool joins = number && !star && (takeWord("and") || takeWord("or"));
    position_ = before;
    const LinearName name = joins ? LinearName{} : names_.read(std::string_view(text_).substr(position_));
    if (!name.error.empty()) {
      position_ += name.errorAt;
      fail(name.error);
    }
    if (name.length != 0) {
      position_ += name.length;
      for (const std::size_t member : name.members) coefficients_.at(member) += sign * factor;
    } else if (number && !star) {
      constant_ += sign * factor;
    } else {
      if (!star) position_ = start;
      fail(star ? "expected " + names_.listed : "expected a term: an integer, " + names_.listed);
    }
    checkRange(start);
  }

  Wide parseInteger() {
    const std::size_t start = position_;
    Wide value = 0;
    while (atDigit()) {
      value = value * 10 + (text_[position_++] - '0');
      if (value > std::numeric_limits<std::int64_t>::max()) {
        position_ = start;
        fail("integers go up to 2^63-1");
      }
    }
    return value;
  }

  void parseRelation() {
    skipSpace();
    if (take("<="))
      relation_ = -1;
    else if (take(">="))
      relation_ = 1;
    else if (take("==") || take("="))
      relation_ = 0;
    else if (take("<")) {
      relation_ = -1;
      strict_ = -1;
    } else if (take(">")) {
      relation_ = 1;
      strict_ = 1;
    } else
      fail("expected one of <= >= = == < >");
  }

  /// Everything moved to the form  sum <relation> bound.
  [[nodiscard]] LinearText normalised() const {
    LinearText linear;
    const Wide bound = -constant_ + strict_;
    if (!fits(bound)) fail("the bound does not fit 64 bits");
    linear.bound = static_cast<std::int64_t>(bound);
    linear.relation = relation_;
    for (const Wide coefficient : coefficients_)
      linear.coefficients.push_back(static_cast<std::int64_t>(coefficient));
    return linear;
  }

  void checkRange(std::size_t termStart) {
    for (const Wide coefficient : coefficients_) {
      if (fits(coefficient) && fits(constant_)) continue;
      position_ = termStart;
      fail("the sum of the coefficients does not fit 64 bits");
    }
  }
  static bool fits(Wide value) {
    return value >= std::numeric_limits<std::int64_t>::min() &&
           value <= std::numeric_limits<std::int64_t>::max();
  }

  [[nodiscard]] bool atDigit() const { return !atEnd() && isDigit(text_[position_]); }
  void skipSpace() {
    while (!atEnd() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0) ++position_;
  }
  bool take(std::string_view wanted) {
    if (std::string_view(text_).substr(position_, wanted.size()) != wanted) return false;
    position_ += wanted.size();
    return true;
  }

  const std::string& text_;
  const LinearNames& names_;
  std::size_t position_ = 0;
  std::vector<Wide> coefficients_;
  Wide constant_ = 0;
  int relation_ = 0;
  int strict_ = 0;
};

}  // namespace

LinearName readIndexedName(std::string_view text, const IndexedNames& names) {
  LinearName name;
  if (text.starts_with(names.sum)) {
    name.length = std::string_view(names.sum).size();
    name.members.resize(names.size);
    std::iota(name.members.begin(), name.members.end(), std::size_t{0});
    return name;
  }
  if (!text.starts_with(names.letter)) return name;
  std::size_t end = 1;
  std::uint64_t index = 0;
  for (; end < text.size() && isDigit(text[end]); ++end)
    if (index <= names.size) index = index * 10 + static_cast<std::uint64_t>(text[end] - '0');
  name.errorAt = 1;
  if (end == 1)
    name.error = fmt::format("expected {} after '{}'", names.number, names.letter);
  else if (index < 1 || index > names.size)
    name.error = fmt::format("{0} are {1}1 .. {1}{2}", names.plural, names.letter, names.size);
  name.length = end;
  name.members = {static_cast<std::size_t>(index - 1)};
  return name;
}

LinearText parseLinear(const std::string& text, const LinearNames& names) {
  LinearParser parser(text, names);
  LinearText linear = parser.parse();
  if (!parser.atEnd()) parser.fail("expected '+', '-' or the end");
  return linear;
}

std::vector<LinearText> parseJoinedLinear(const std::string& text, const LinearNames& names) {
  LinearParser parser(text, names);
  std::vector<LinearText> joined;
  bool alternative = false;
  while (true) {
    joined.push_back(parser.parse());
    joined.back().alternative = alternative;
    if (parser.atEnd()) return joined;
    alternative = parser.takeWord("or");
    if (!alternative && !parser.takeWord("and")) parser.fail("expected '+', '-', 'and', 'or' or the end");
  }
}

}  // namespace slicepool
