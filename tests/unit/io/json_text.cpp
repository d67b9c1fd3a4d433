// The reader of JSON: what it takes, what it refuses and where, numbers of any width, and no depth or length
// that ends in anything but a message.
#include "runtime/io/json_text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "runtime/io/exact_json.hpp"
#include "runtime/io/shown.hpp"
#include "slicepool/core/error.hpp"

using namespace slicepool;
using Json = nlohmann::ordered_json;

namespace {

std::string refusal(const std::string& text) {
  try {
    (void)parseJsonText(text, "f.json");
    return {};
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("documents are read as another parser reads them") {
  for (const char* text : {"null",
                           "true",
                           " false ",
                           "0",
                           "-0",
                           "12",
                           "-7",
                           "0.5",
                           "-1.25e-3",
                           "1E5",
                           "\"\"",
                           "[]",
                           "{}",
                           "[[],{}]",
                           "[1, [2, [3]], {\"a\": [{}]}]",
                           "{\"b\": 1, \"a\": {\"b\": [true, null]}, \"c\": \"d\"}",
                           "\"a\\\"b\\\\c\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"",
                           "\"\xC3\xA9 \xE2\x82\xAC\"",
                           "\xEF\xBB\xBF[1]",
                           "{\"\": {\"\": 0}}",
                           "18446744073709551615",
                           "-9223372036854775808"}) {
    CAPTURE(text);
    CHECK(parseJsonText(text, "f") == Json::parse(text));
  }
}

TEST_CASE("what is no JSON is refused with its place and what was expected there") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "line 1, column 1: the end of the text; accepted: a value"},
      {"{\n \"a\": 1,\n oops\n}",
       "line 3, column 2: \"oops\"; accepted: a key in double quotes (no comma before })"},
      {"{\"a\": 1,}", "column 9: \"}\"; accepted: a key in double quotes (no comma before })"},
      {"{oops}", "column 2: \"oops\"; accepted: a key in double quotes or }"},
      {"[1, 2,]", "column 7: \"]\"; accepted: a value (no comma before ])"},
      {"[1 2]", "column 4: \"2\"; accepted: a comma or ]"},
      {"{\"a\": 1 \"b\": 2}", "accepted: a comma or }"},
      {"{\"a\" 1}", "accepted: a colon after the key \"a\""},
      {"{\"a\": }", "column 7: \"}\"; accepted: a value"},
      {"[1] [2]", "accepted: nothing after the document"},
      {"[01]", "accepted: a number such as"},
      {"[1.]", "accepted: a number such as"},
      {"[nan]", "\"nan\"; accepted: a value"},
      {"\"abc", "accepted: a closing double quote"},
      {"\"a\\x\"", "accepted: one of"},
      {"\"\\u12g4\"", "accepted: four hexadecimal digits"},
      {"\"\\ud83d!\"", "accepted: the second half of a surrogate pair"},
      {std::string("\"a\0b\"", 5), "accepted: no control character"},
      {"\"\xFF\"", "a byte that is not UTF-8 at line 1, column 2"},
      {"\"\xC0\xAF\"", "a byte that is not UTF-8"},
      {"\"\xED\xA0\x80\"", "a byte that is not UTF-8"},
      {"{\"a\": 1, \"a\": 2}", "the key \"a\" twice in one object; accepted: each key once"}};
  for (const auto& bad : cases) {
    CAPTURE(bad.first);
    CAPTURE(refusal(bad.first));
    CHECK(refusal(bad.first).starts_with("f.json: got "));
    CHECK(refusal(bad.first).find(bad.second) != std::string::npos);
  }
}

TEST_CASE("a document nested too deep is refused at any depth") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(refusal(nested(kMaximumJsonDepth)).empty());
  for (const std::size_t depth : {kMaximumJsonDepth + 1, std::size_t{48'000}, std::size_t{1'000'000}}) {
    CHECK(refusal(nested(depth)).find("accepted: at most 64 levels") != std::string::npos);
    CHECK(refusal(std::string(depth, '[')).find("at most 64 levels") != std::string::npos);
  }
}

TEST_CASE("no digit of a number is lost") {
  const std::string wide(400, '7');
  for (const std::string& literal :
       {std::string("18446744073709551616"), std::string("-9223372036854775809"), wide,
        std::string("4.99999999999999999999"), std::string("1e400"), std::string("1e-400"),
        std::string("1e99999999999999999999999"), std::string("9007199254740993.0")}) {
    const Json value = parseJsonText("[" + literal + "]", "f")[0];
    CAPTURE(literal);
    CHECK(isKeptNumber(value));
    CHECK(decimalText(value) == literal);
    CHECK(keptNumbersAsStrings(Json::array({value})) == Json::array({literal}));
    CHECK_FALSE(exactUnsigned(value).has_value());
  }
  for (const auto& known :
       {std::pair{"0.1", 0.1}, std::pair{"1e23", 1e23}, std::pair{"100.50", 100.5}, std::pair{"0.0", 0.0},
        std::pair{"1e22", 1e22}, std::pair{"0.00012e+3", 0.12}, std::pair{"5e-324", 5e-324}}) {
    CAPTURE(known.first);
    CHECK(parseJsonText(known.first, "f") == Json(known.second));
  }
  CHECK(parseJsonText("4.99999999999999999999", "f", Fractions::nearest) == Json(5.0));
}

TEST_CASE("clamped numbers keep sign and kind") {
  const auto clamped = [](const char* text) { return keptNumbersClamped(parseJsonText(text, "f")); };
  CHECK(clamped("18446744073709551615") == Json(INT64_MAX));
  CHECK(clamped("99999999999999999999") == Json(INT64_MAX));
  CHECK(clamped("-99999999999999999999") == Json(INT64_MIN));
  CHECK(clamped("1e400").get<double>() > 1e308);
  CHECK(clamped("-1e400").get<double>() < -1e308);
  CHECK(clamped("1e-400").get<double>() > 0);
  CHECK(clamped("4.99999999999999999999") == Json(5.0));
}

TEST_CASE("values in messages are short and have no control characters") {
  CHECK(shown("abc") == "abc");
  CHECK(inQuotes(std::string("a\0b\n", 4)) == "\"a\\x00b\\x0a\"");
  const std::string text = shown(std::string(30'000, '9'));
  CHECK(text.size() < 100);
  CHECK(text.ends_with("999 (30000 characters)"));
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "\xC3\xA9";
  for (std::size_t longest = 20; longest < 30; ++longest)
    CHECK_NOTHROW((void)Json(shown(accents, longest)).dump());  // throws where a character is cut
}
