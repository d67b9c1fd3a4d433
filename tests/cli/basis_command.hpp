// A command that takes a basis, as its tests run it. Included by the tests of svp and reduce.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/command_runner.hpp"
#include "support/lattice/front.hpp"

namespace slicepool::test {

class BasisCommand {
 public:
  explicit constexpr BasisCommand(const char* name) : name_(name) {}

  [[nodiscard]] std::vector<std::string> words(const std::string& basis,
                                               const std::vector<std::string>& more) const {
    std::vector<std::string> words = {name_, "--basis", basis, "--progress", "none"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  [[nodiscard]] nlohmann::json record(const std::string& basis, std::vector<std::string> more) const {
    more.push_back("--json");
    const CommandResult result = runCommand(words(basis, more));
    CAPTURE(result.err);
    REQUIRE(result.code == 0);
    return onlyObject(result.out);
  }

  /// What it says of bad input.
  [[nodiscard]] std::string refusal(const std::string& basis, const std::vector<std::string>& more) const {
    const CommandResult result = runCommand(words(basis, more));
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    return result.err;
  }

 private:
  const char* name_;
};

/// What the command itself says of its build.
inline bool commandHasFplll() {
  return onlyObject(runCommand({"info", "--json"}).out)["build"]["fplll"] == true;
}

}  // namespace slicepool::test
