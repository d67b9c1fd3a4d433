// Numbers and fingerprints of records and configurations: what is written is read back, and nothing that is
// only nearly a number is taken for one.
#include "runtime/io/exact_json.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "runtime/core/fingerprint_text.hpp"
#include "slicepool/core/error.hpp"

using namespace slicepool;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kExact = std::uint64_t{1} << 53;  ///< every double up to here is one integer
constexpr std::uint64_t kMaximum = std::numeric_limits<std::uint64_t>::max();

}  // namespace

TEST_CASE("counts are numbers as long as a double holds them, then decimal strings, and are read back") {
  CHECK(exactNumber(0).dump() == "0");
  CHECK(exactNumber(kExact).dump() == "9007199254740992");
  CHECK(exactNumber(kExact + 1).dump() == "\"9007199254740993\"");
  CHECK(exactNumber(kMaximum).dump() == "\"18446744073709551615\"");
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{7}, kExact, kExact + 1, kMaximum})
    CHECK(exactUnsigned(Json::parse(exactNumber(value).dump())) == value);
}

TEST_CASE("decimals of any length are exact") {
  CHECK(exactNumber(std::string("9007199254740992")).is_number_unsigned());
  CHECK(exactNumber(std::string("9007199254740993")) == Json("9007199254740993"));
  CHECK(exactNumber(std::string("18446744073709551616")) == Json("18446744073709551616"));
}

TEST_CASE("only exact integers of 64 bits are counts") {
  CHECK(exactUnsigned(Json(std::int64_t{5})) == 5);
  CHECK(exactUnsigned(Json("12")) == 12);
  for (const char* text : {"-1", "1.0", "1e3", "\"-1\"", "\"+1\"", "\" 1\"", "\"1 \"", "\"\"", "\"0x1\"",
                           "\"18446744073709551616\"", "null", "true", "[1]", "{}"}) {
    CAPTURE(text);
    CHECK_FALSE(exactUnsigned(Json::parse(text)).has_value());
  }
}

TEST_CASE("fingerprints are read back from their 32 digits, and from nothing else") {
  const Fingerprint fingerprint{0x0123456789abcdefULL, 0x00000000000000ffULL};
  CHECK(fingerprintText(fingerprint) == "0123456789abcdef00000000000000ff");
  CHECK(fingerprintFromText(fingerprintText(fingerprint)) == fingerprint);
  for (const char* text : {"", "0123456789abcdef", "0123456789abcdef00000000000000f",
                           "0123456789abcdef00000000000000fff", "0123456789abcdefg0000000000000ff"}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)fingerprintFromText(text), Error);
  }
}
