// The matcher of the schema's patterns against std::regex, and at lengths where std::regex overflows the
// stack.
#include "runtime/app/config/pattern.hpp"

#include <doctest/doctest.h>

#include <random>
#include <regex>
#include <set>
#include <string>

#include "runtime/app/config/schema.hpp"
#include "support/scale.hpp"

using slicepool::config::Json;
using slicepool::config::matchesPattern;

namespace {

void collectPatterns(const Json& node, std::set<std::string>& patterns) {
  if (node.is_object() && node.contains("pattern") && node["pattern"].is_string())
    patterns.insert(node["pattern"].get<std::string>());
  for (const auto& member : node)
    if (member.is_structured()) collectPatterns(member, patterns);
}

}  // namespace

TEST_CASE("every pattern of the schema matches what std::regex matches") {
  std::set<std::string> patterns{"^a(b|cd)*e?$", "^(x|)+y$", "^[^]$", "^[a-c0-9.]+z$"};
  collectPatterns(slicepool::config::schemaDocument(), patterns);
  patterns.erase("^[^]$");
  CHECK(patterns.size() > 8);
  std::mt19937_64 random(7);
  const std::string letters = "0123456789.:KMGTiBabcdexyzfirstanylbkz-coutrows";
  const std::vector<std::string> seeds = {"12",    "4GiB",     "1.5KB",       "first:3", "any:a1=2", "count",
                                          "12:34", "bkz-20",   "auto",        "all",     "abcdcdbe", "xxy",
                                          "lll",   "rowsrows", "published.x", ""};
  for (const auto& pattern : patterns) {
    const std::regex expected(pattern);
    for (std::uint64_t i = 0; i < slicepool::test::scaled(300); ++i) {
      std::string text = seeds[random() % seeds.size()];
      for (std::uint64_t edits = random() % 4; edits > 0; --edits) {
        const std::size_t at = random() % (text.size() + 1);
        if (random() % 2 == 0 && at < text.size())
          text.erase(at, 1);
        else
          text.insert(at, 1, letters[random() % letters.size()]);
      }
      CAPTURE(pattern);
      CAPTURE(text);
      CHECK(matchesPattern(text, pattern) == std::regex_search(text, expected));
    }
  }
}

TEST_CASE("a text of a million characters is matched") {
  const std::string digits(1'000'000, '9');
  CHECK(matchesPattern(digits, "^[0-9]+$"));
  CHECK_FALSE(matchesPattern(digits + "x", "^[0-9]+$"));
  CHECK(matchesPattern("any:" + digits, "^(count|any:.*|all:.*)$"));
}
