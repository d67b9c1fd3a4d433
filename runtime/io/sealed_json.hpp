// JSON files that slicepool writes and reads back: the last member of the object, "xxh3", is the hash of all
// bytes before it, so that every change is seen; members are read strictly. Used by window checkpoints,
// manifests, records of shards and the results of sweeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace slicepool {

/// The text of a JSON object, with its seal as a further last member. A text whose last line is "}" gets a
/// line for it, and ends with a line feed; one that is a single line stays one, without a line feed. The hash
/// is XXH3 (64-bit) of everything before the comma in front of the seal. Precondition: the object is not
/// empty.
[[nodiscard]] std::string sealJson(std::string object);

/// Whether the text ends as a sealed object does.
[[nodiscard]] bool isSealed(std::string_view text);

/// The object of a sealed text, without the seal. Throws Error: no seal, content that does not match it.
[[nodiscard]] nlohmann::ordered_json openSealed(std::string_view text);

/// One object, read member by member. Every function throws Error with the name of the member: it is missing
/// or is not what is asked for.
class StrictObject {
 public:
  /// `name` of the object in errors; may be empty. Throws Error when `json` is not an object. Keeps a
  /// reference.
  explicit StrictObject(const nlohmann::ordered_json& json, std::string name = {});

  [[nodiscard]] bool has(const std::string& key) const { return json_.contains(key); }
  [[nodiscard]] const nlohmann::ordered_json& member(const std::string& key);
  [[nodiscard]] const nlohmann::ordered_json& object(const std::string& key);
  /// A JSON integer, or the decimal string that exactNumber() writes for large ones.
  [[nodiscard]] std::uint64_t count(const std::string& key, std::uint64_t low = 0,
                                    std::uint64_t high = UINT64_MAX);
  [[nodiscard]] std::string text(const std::string& key);
  /// The members "format" and "version" must be these.
  void requireFormat(const std::string& format, std::uint64_t version);
  [[nodiscard]] bool flag(const std::string& key);
  /// Finite and not negative.
  [[nodiscard]] double number(const std::string& key);
  [[nodiscard]] std::vector<std::uint64_t> counts(const std::string& key);
  /// 16 lower-case hexadecimal digits.
  [[nodiscard]] std::string hash(const std::string& key);
  /// Throws Error when there are members that were not asked for.
  void done() const;

 private:
  [[noreturn]] void refuse(const std::string& key, const std::string& expected) const;

  const nlohmann::ordered_json& json_;
  std::string name_;
  std::vector<std::string> read_;
};

}  // namespace slicepool
