// See generators.hpp. The named families are in families.cpp.
#include "runtime/semigroup/generators.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "runtime/core/exact_json.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::semigroup {
namespace {

/// Numbers of a text, comments skipped; knows the line of the last one.
class NumberReader {
 public:
  NumberReader(const std::string& text, std::string source) : text_(text), source_(std::move(source)) {}

  [[nodiscard]] bool atEnd() {
    skip();
    return at_ >= text_.size();
  }
  std::uint64_t next(const std::string& what, std::uint64_t low, std::uint64_t high) {
    const std::string accepted = fmt::format("{}: an integer from {} to {}", what, low, high);
    if (atEnd()) throw ConfigError(place(), "the end of the text", accepted);
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n#,", at_), text_.size());
    const std::string word = text_.substr(at_, end - at_);
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || stop != word.data() + word.size() || value < low || value > high)
      throw ConfigError(place(), "\"" + word + "\"", accepted);
    at_ = end;
    return value;
  }
  [[nodiscard]] std::string place() const { return fmt::format("{}:{}", source_, line_); }
  [[nodiscard]] std::string rest() const {
    return text_.substr(at_, std::min<std::size_t>(20, text_.find_first_of("\r\n", at_) - at_));
  }

 private:
  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '\n' || c == ' ' || c == '\t' || c == '\r' || c == ',') {
        if (c == '\n') ++line_;
        ++at_;
      } else {
        return;
      }
    }
  }

  const std::string& text_;
  std::string source_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

std::string shortText(const nlohmann::ordered_json& value) {
  constexpr std::size_t kShown = 60;
  const std::string text = value.dump();
  return text.size() <= kShown ? text : text.substr(0, kShown) + "..";
}

Generators fromJson(const std::string& text, const std::string& source) {
  const auto document = nlohmann::ordered_json::parse(text, nullptr, false);
  if (document.is_discarded())
    throw ConfigError(source, "text that is not JSON",
                      "a list of image lists, or the text form of generators");
  const bool wrapped = document.is_object() && document.contains("generators");
  const auto& lists = wrapped ? document["generators"] : document;
  if (!lists.is_array())
    throw ConfigError(source, shortText(document), "a list of image lists, or {\"generators\": ..}");
  std::vector<Transformation> images;
  for (std::size_t g = 0; g < lists.size(); ++g) {
    const std::string field = fmt::format("{}: generators[{}]", source, g);
    if (!lists[g].is_array()) throw ConfigError(field, shortText(lists[g]), "a list of images");
    Transformation list;
    for (const auto& value : lists[g]) {
      const auto image = exactUnsigned(value);
      if (!image || *image > 0xffffffffU) throw ConfigError(field, shortText(value), "images from 0");
      list.push_back(static_cast<Image>(*image));
    }
    images.push_back(std::move(list));
  }
  return checkedGenerators(std::move(images), source + ": generators");
}

}  // namespace

Generators checkedGenerators(std::vector<Transformation> images, const std::string& field) {
  if (images.empty() || images.size() > kMostGenerators) {
    throw ConfigError(field, fmt::format("{} generators", images.size()),
                      fmt::format("1 to {} generators", kMostGenerators));
  }
  const std::size_t points = images.front().size();
  if (points == 0) throw ConfigError(field + "[0]", "an empty list", "at least one image");
  for (std::size_t g = 0; g < images.size(); ++g) {
    if (images[g].size() != points) {
      throw ConfigError(fmt::format("{}[{}]", field, g), fmt::format("{} images", images[g].size()),
                        fmt::format("{} images, as the first generator has", points));
    }
    for (const Image image : images[g]) {
      if (image < points) continue;
      throw ConfigError(fmt::format("{}[{}]", field, g), std::to_string(image),
                        fmt::format("images from 0 to {}", points - 1));
    }
  }
  return {static_cast<std::uint32_t>(points), std::move(images)};
}

Generators parseGenerators(const std::string& text, const std::string& source) {
  constexpr std::uint64_t kMostPoints = 1U << 31;
  NumberReader reader(text, source);
  const std::uint64_t count = reader.next("the number of generators", 1, kMostGenerators);
  const std::uint64_t points = reader.next("the number of points n", 1, kMostPoints);
  Generators result{static_cast<std::uint32_t>(points), {}};
  for (std::uint64_t g = 0; g < count; ++g) {
    Transformation list;
    for (std::uint64_t i = 0; i < points; ++i) {
      const std::string what = fmt::format("image of {} under generator {}", i, g);
      list.push_back(static_cast<Image>(reader.next(what, 0, points - 1)));
    }
    result.images.push_back(std::move(list));
  }
  if (!reader.atEnd()) {
    throw ConfigError(reader.place(), "\"" + reader.rest() + "\"",
                      fmt::format("nothing after {} generators of {} images", count, points));
  }
  return result;
}

Generators readGenerators(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const auto refused = ConfigError("generators", "\"" + path + "\"", "a file that can be read");
  if (!file || std::filesystem::is_directory(path)) throw refused;
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start != std::string::npos && (text[start] == '[' || text[start] == '{')) return fromJson(text, path);
  return parseGenerators(text, path);
}

}  // namespace slicepool::semigroup
