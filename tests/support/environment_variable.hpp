// A variable of the environment for the time of a test, and as it was afterwards. No other thread may run.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace slicepool::test {

[[nodiscard]] inline std::optional<std::string> environmentVariable(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::optional<std::string>(text) : std::nullopt;
}

class WithEnvironment {
 public:
  /// Nothing: without the variable.
  WithEnvironment(const char* name, const std::optional<std::string>& value)
      : name_(name), before_(environmentVariable(name)) {
    set(value);
  }
  ~WithEnvironment() { set(before_); }
  WithEnvironment(const WithEnvironment&) = delete;
  WithEnvironment& operator=(const WithEnvironment&) = delete;

 private:
  void set(const std::optional<std::string>& value) {
    (void)(value ? setenv(name_, value->c_str(), 1) : unsetenv(name_));
  }

  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace slicepool::test
