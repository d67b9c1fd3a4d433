// Rows of ranges of ranks become the file of one run; a part that does not have the rows of its ranks is
// refused by name.
#include "runtime/factorizations/joined_rows.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "slicepool/core/error.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool;
using namespace slicepool::factorizations;
using namespace slicepool::test;

namespace {

constexpr std::uint64_t kFirstEnd = 100;

void replaceText(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// A search whose rows were written as a whole and in two parts.
struct TwoParts {
  TemporaryFolder folder;
  Request request;
  std::string whole;
  std::vector<RowsPart> parts;

  TwoParts(const std::string& suffix, bool header) {
    request.generators = {6, 9, 20};
    request.element = 1000;
    request.sink.kind = SinkKind::rows;
    request.output.header = header;
    whole = folder.path("whole" + suffix);
    request.output.path = whole;
    Enumeration one(request, EngineOptions{});
    one.run();
    const Rank total(one.outcome().count);
    parts = {{folder.path("0" + suffix), 0, kFirstEnd}, {folder.path("1" + suffix), kFirstEnd, total}};
    for (const auto& part : parts) {
      request.ranks = RankInterval{part.begin.str(), part.end.str()};
      request.output.path = part.path;
      Enumeration run(request, EngineOptions{});
      run.run();
    }
    request.ranks.reset();
    request.output.path = folder.path("joined" + suffix);
  }

  /// What joining says when the second part is `text`; the output must not be there then.
  [[nodiscard]] std::string refusal(const std::string& text) const {
    const std::string before = contentOf(parts[1].path);
    replaceText(parts[1].path, text);
    std::string said;
    try {
      (void)joinRows(request, parts);
    } catch (const ConfigError& error) {
      said = error.what();
    }
    replaceText(parts[1].path, before);
    CHECK_FALSE(std::filesystem::exists(request.output.path));
    return said;
  }
};

}  // namespace

TEST_CASE("parts of CSV are joined to the file of one run, and each has the lines of its ranks") {
  for (const bool header : {true, false}) {
    const TwoParts search(".csv", header);
    const std::string text = contentOf(search.parts[1].path);
    const std::string lastLine = text.substr(text.rfind('\n', text.size() - 2) + 1);
    const auto refused = [&](const std::string& other, const std::string& part) {
      const std::string said = search.refusal(other);
      CHECK_MESSAGE(contains(said, search.parts[1].path), said);
      CHECK_MESSAGE(contains(said, part), said);
    };
    refused(text + lastLine, "one for each of its ranks");
    refused(text.substr(0, text.size() - lastLine.size()), "one for each of its ranks");
    refused(text.substr(0, text.size() - 1), "and a part of one");
    refused(text + "1", "and a part of one");
    if (header) {
      refused("a1,a2,b3" + text.substr(8), "another line of names");
      refused(text.substr(9), "another line of names");
      refused("", "another line of names");
    }
    const JoinedRows joined = joinRows(search.request, search.parts);
    CHECK(contentOf(joined.path) == contentOf(search.whole));
    CHECK(joined.bytes == std::filesystem::file_size(search.whole));
  }
}

TEST_CASE("parts of an array are joined to the file of one run, and each has the shape of its ranks") {
  const TwoParts search(".npy", false);
  const std::string bytes = contentOf(search.parts[1].path);
  std::string type = bytes;
  type.replace(type.find("u1"), 2, "i1");
  for (const std::string& other : {type, bytes + "xyz", bytes.substr(0, bytes.size() - 3),
                                   bytes.substr(0, 20), contentOf(search.parts[0].path)})
    CHECK_MESSAGE(contains(search.refusal(other), "an array of another shape or type"), other.size());
  const JoinedRows joined = joinRows(search.request, search.parts);
  CHECK(contentOf(joined.path) == contentOf(search.whole));
}
