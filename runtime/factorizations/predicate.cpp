// The parser of linear predicates ("2*a1 - a3 >= 5") that the sinks any:EXPR and all:EXPR take. Called by the
// command line, by JSON configurations and by library users.
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/io/digits.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/enumeration.hpp"

namespace slicepool::factorizations {
namespace {

// Sums are kept in 128 bits so that moving terms across the relation cannot overflow before the final check.
using Wide = __int128;

/// Recursive descent over
///   predicate := sum relation sum
///   sum       := [sign] term { sign term }
///   term      := integer | [integer ['*']] ( 'a' integer | 'length' )
///   relation  := '<=' | '>=' | '=' | '==' | '<' | '>'
class PredicateParser {
 public:
  PredicateParser(const std::string& text, std::size_t dimension)
      : text_(text), coefficients_(dimension, 0) {}

  LinearPredicate parse() {
    parseSum(1);
    parseRelation();
    parseSum(-1);
    skipSpace();
    if (position_ != text_.size()) fail("expected '+', '-' or the end");
    return normalised();
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
    if (take('+')) return 1;
    if (take('-')) return -1;
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
    const bool star = number && take('*');
    skipSpace();
    if (take("length")) {
      for (auto& coefficient : coefficients_) coefficient += sign * factor;
    } else if (take('a')) {
      coefficients_[parseIndex()] += sign * factor;
    } else if (number && !star) {
      constant_ += sign * factor;
    } else {
      if (!star) position_ = start;
      fail(star ? "expected a1 .. a" + std::to_string(coefficients_.size()) + " or 'length'"
                : "expected a term: an integer, a1 .. a" + std::to_string(coefficients_.size()) +
                      " or 'length'");
    }
    checkRange(start);
  }

  std::size_t parseIndex() {
    const std::size_t start = position_;
    if (!atDigit()) fail("expected the index of a coordinate after 'a'");
    const Wide index = parseInteger();
    if (index < 1 || index > static_cast<Wide>(coefficients_.size())) {
      position_ = start;
      fail("coordinates are a1 .. a" + std::to_string(coefficients_.size()));
    }
    return static_cast<std::size_t>(index - 1);
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
      relation_ = Relation::lessEqual;
    else if (take(">="))
      relation_ = Relation::greaterEqual;
    else if (take("==") || take("="))
      relation_ = Relation::equal;
    else if (take("<")) {
      relation_ = Relation::lessEqual;
      strict_ = -1;
    } else if (take(">")) {
      relation_ = Relation::greaterEqual;
      strict_ = 1;
    } else
      fail("expected one of <= >= = == < >");
  }

  /// Everything moved to the form  sum <relation> bound.
  LinearPredicate normalised() {
    LinearPredicate predicate;
    const Wide bound = -constant_ + strict_;
    if (!fits(bound)) fail("the bound does not fit 64 bits");
    predicate.bound = static_cast<std::int64_t>(bound);
    predicate.relation = relation_;
    for (const Wide coefficient : coefficients_)
      predicate.coefficients.push_back(static_cast<std::int64_t>(coefficient));
    return predicate;
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

  [[nodiscard]] bool atDigit() const { return position_ < text_.size() && isDigit(text_[position_]); }
  void skipSpace() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0)
      ++position_;
  }
  bool take(char wanted) { return take(std::string_view(&wanted, 1)); }
  bool take(std::string_view wanted) {
    if (std::string_view(text_).substr(position_, wanted.size()) != wanted) return false;
    position_ += wanted.size();
    return true;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw ConfigError("sink",
                      inQuotes(text_) + " (at character " + std::to_string(position_ + 1) + ": " + what + ")",
                      "a linear predicate such as 2*a1 - a3 >= 5 over a1 .. a" +
                          std::to_string(coefficients_.size()) + " and length, with <=, >=, =, < or >");
  }

  const std::string& text_;
  std::size_t position_ = 0;
  std::vector<Wide> coefficients_;
  Wide constant_ = 0;
  Relation relation_ = Relation::equal;
  int strict_ = 0;
};

}  // namespace

LinearPredicate parsePredicate(const std::string& text, std::size_t dimension) {
  return PredicateParser(text, dimension).parse();
}

}  // namespace slicepool::factorizations
