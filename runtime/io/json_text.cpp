// See json_text.hpp.
#include "runtime/io/json_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "runtime/io/digits.hpp"
#include "runtime/io/exact_json.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool {
namespace {

using Json = nlohmann::ordered_json;

/// A list or object that is not closed yet.
struct Open {
  Json value;
  std::string key;             ///< of the member whose value comes next
  std::set<std::string> keys;  ///< of an object, for duplicates
};

class Parser {
 public:
  Parser(const std::string& text, const std::string& source, Fractions fractions)
      : text_(text), source_(source), fractions_(fractions) {}

  Json parse() {
    checkEncoding();
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
    for (;;) {
      Json value = beginValue();
      // A list or object that is open waits for its first value; whatever is closed goes to its parent.
      while (!opened_) {
        if (open_.empty()) return finish(std::move(value));
        place(std::move(value));
        skipBlanks();
        if (take(',')) {
          if (inObject()) readKey("a key in double quotes (no comma before })");
          afterComma_ = true;
          break;
        }
        const char close = inObject() ? '}' : ']';
        if (!take(close)) fail(inObject() ? "a comma or }" : "a comma or ]");
        value = std::move(open_.back().value);
        open_.pop_back();
      }
      opened_ = false;
    }
  }

 private:
  [[nodiscard]] bool inObject() const { return open_.back().value.is_object(); }

  /// A whole value, or the empty list or object, or (opened_) the begin of one with content.
  Json beginValue() {
    skipBlanks();
    if (at_ >= text_.size()) fail("a value");
    const char c = text_[at_];
    if (c == '[' || c == '{') return beginContainer(c);
    const bool afterComma = afterComma_;
    afterComma_ = false;
    if (c == '"') return readString();
    if (c == '-' || isDigit(c)) return readNumber();
    const std::string_view word = wordHere();
    for (const auto& [name, value] :
         {std::pair{"true", Json(true)}, std::pair{"false", Json(false)}, std::pair{"null", Json(nullptr)}}) {
      if (word != name) continue;
      at_ += word.size();
      return value;
    }
    fail(afterComma && c == ']' ? "a value (no comma before ])" : "a value");
  }

  Json beginContainer(char c) {
    if (open_.size() >= kMaximumJsonDepth) {
      throw ConfigError(source_, fmt::format("lists and objects inside each other at {}", lineAndColumn()),
                        fmt::format("at most {} levels of them", kMaximumJsonDepth));
    }
    ++at_;
    afterComma_ = false;
    Json value = c == '[' ? Json::array() : Json::object();
    skipBlanks();
    if (take(c == '[' ? ']' : '}')) return value;
    open_.push_back({std::move(value), {}, {}});
    opened_ = true;
    if (c == '{') readKey("a key in double quotes or }");
    return {};
  }

  void readKey(const std::string& expected) {
    skipBlanks();
    if (at_ >= text_.size() || text_[at_] != '"') fail(expected);
    Open& object = open_.back();
    object.key = readString();
    if (!object.keys.insert(object.key).second)
      throw ConfigError(source_, "the key " + inQuotes(object.key) + " twice in one object", "each key once");
    skipBlanks();
    if (!take(':')) fail("a colon after the key " + inQuotes(object.key));
  }

  void place(Json value) {
    Open& parent = open_.back();
    if (parent.value.is_object()) {
      // Keys are distinct, so that the linear search of operator[] is not needed.
      parent.value.get_ref<Json::object_t&>().Container::emplace_back(parent.key, std::move(value));
    } else {
      parent.value.push_back(std::move(value));
    }
  }

  Json finish(Json value) {
    skipBlanks();
    if (at_ < text_.size()) fail("nothing after the document");
    return value;
  }

  Json readNumber() {
    const std::size_t end = std::min(text_.find_first_not_of("0123456789+-.eE", at_), text_.size());
    const std::string_view literal = std::string_view(text_).substr(at_, end - at_);
    if (!isNumberLiteral(literal)) fail("a number such as 12, -3, 0.5 or 1e9");
    at_ = end;
    if (fractions_ == Fractions::nearest && literal.find_first_of(".eE") != std::string_view::npos) {
      double value = 0;
      if (std::from_chars(literal.data(), literal.data() + literal.size(), value).ec == std::errc{})
        return value;
    }
    return numberFromLiteral(literal);
  }

  std::string readString() {
    const std::size_t begin = at_++;
    std::string result;
    for (;;) {
      if (at_ >= text_.size()) {
        at_ = begin;
        fail("a closing double quote");
      }
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20) fail("no control character in a text (write \\n or \\u000a)");
      ++at_;
      if (c == '"') return result;
      if (c == '\\')
        readEscape(result);
      else
        result += c;
    }
  }

  void readEscape(std::string& result) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (const std::size_t known = kNames.find(c); c != '\0' && known != std::string_view::npos) {
      result += kMeant[known];
      ++at_;
      return;
    }
    if (c != 'u') fail("one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX after a backslash");
    ++at_;
    std::uint32_t point = readHex();
    if (point >= 0xD800 && point < 0xDC00) {
      if (text_.compare(at_, 2, "\\u") != 0) fail("the second half of a surrogate pair");
      at_ += 2;
      const std::uint32_t low = readHex();
      if (low < 0xDC00 || low > 0xDFFF) fail("the second half of a surrogate pair");
      point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    } else if (point >= 0xDC00 && point <= 0xDFFF) {
      fail("the first half of a surrogate pair before its second");
    }
    appendUtf8(result, point);
  }

  std::uint32_t readHex() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = at_ < text_.size() ? text_[at_] : '\0';
      const int digit = isDigit(c)             ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) fail("four hexadecimal digits after \\u");
      value = value * 16 + static_cast<std::uint32_t>(digit);
    }
    return value;
  }

  static void appendUtf8(std::string& result, std::uint32_t point) {
    const auto add = [&](std::uint32_t byte) { result += static_cast<char>(byte); };
    if (point < 0x80) {
      add(point);
    } else if (point < 0x800) {
      add(0xC0U | point >> 6U);
      add(0x80U | (point & 0x3FU));
    } else if (point < 0x10000) {
      add(0xE0U | point >> 12U);
      add(0x80U | (point >> 6U & 0x3FU));
      add(0x80U | (point & 0x3FU));
    } else {
      add(0xF0U | point >> 18U);
      add(0x80U | (point >> 12U & 0x3FU));
      add(0x80U | (point >> 6U & 0x3FU));
      add(0x80U | (point & 0x3FU));
    }
  }

  void checkEncoding() {
    std::size_t at = 0;
    while (at < text_.size()) {
      const std::size_t size = characterSize(at);
      if (size == 0) {
        at_ = at;
        throw ConfigError(source_, "a byte that is not UTF-8 at " + lineAndColumn(),
                          "a JSON document in UTF-8");
      }
      at += size;
    }
  }

  /// Bytes of the character there; 0: it is none. Overlong forms and surrogates are none.
  [[nodiscard]] std::size_t characterSize(std::size_t at) const {
    const auto byte = [&](std::size_t i) -> std::uint32_t {
      return at + i < text_.size() ? static_cast<unsigned char>(text_[at + i]) : 0;
    };
    const std::uint32_t first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4) return 0;
    std::uint32_t point = first & (0xFFU >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
      if ((byte(i) & 0xC0U) != 0x80U) return 0;
      point = point << 6U | (byte(i) & 0x3FU);
    }
    constexpr std::uint32_t kMinimum[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    return point < kMinimum[size] || point > 0x10FFFF || surrogate ? 0 : size;
  }

  void skipBlanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  bool take(char wanted) {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  [[nodiscard]] std::string_view wordHere() const {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,:[]{}\"", at_), text_.size());
    return std::string_view(text_).substr(at_, std::max<std::size_t>(end - at_, at_ < text_.size() ? 1 : 0));
  }

  [[nodiscard]] std::string lineAndColumn() const {
    const std::string_view before = std::string_view(text_).substr(0, at_);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t newline = before.rfind('\n');
    const std::size_t column = newline == std::string_view::npos ? at_ + 1 : at_ - newline;
    return fmt::format("line {}, column {}", lines + 1, column);
  }

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string got = at_ < text_.size() ? inQuotes(wordHere(), 30) : "the end of the text";
    throw ConfigError(source_, "a syntax error at " + lineAndColumn() + ": " + got, expected);
  }

  const std::string& text_;
  const std::string& source_;
  Fractions fractions_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  bool opened_ = false;      ///< beginValue() has opened a list or object with content
  bool afterComma_ = false;  ///< the value that comes follows a comma
};

}  // namespace

Json parseJsonText(const std::string& text, const std::string& sourceName, Fractions fractions) {
  return Parser(text, sourceName, fractions).parse();
}

}  // namespace slicepool
