// See generators.hpp. The named families are in families.cpp.
#include "runtime/semigroup/generators.hpp"

#include <charconv>

#include <fmt/format.h>

#include "cpu_workers/core/setup_stop.hpp"
#include "runtime/io/exact_json.hpp"
#include "runtime/io/json_text.hpp"
#include "runtime/io/shown.hpp"
#include "runtime/io/text_file.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::semigroup {
namespace {

constexpr std::uint64_t kMaximumBytes = std::uint64_t{4} << 30;

/// Numbers of a text, comments skipped; knows the line of the last one.
class NumberReader {
 public:
  NumberReader(const std::string& text, std::string source) : text_(text), source_(std::move(source)) {}

  [[nodiscard]] bool atEnd() {
    skip();
    return at_ >= text_.size();
  }
  /// `what` names the number in a message.
  template <class Name>
  std::uint64_t next(const Name& what, std::uint64_t low, std::uint64_t high) {
    const auto refuse = [&](const std::string& got) {
      throw ConfigError(place(), got, fmt::format("{}: an integer from {} to {}", what(), low, high));
    };
    if (atEnd()) refuse("the end of the text");
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n#", at_), text_.size());
    const std::string word = text_.substr(at_, end - at_);
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || stop != word.data() + word.size() || value < low || value > high)
      refuse(inQuotes(word));
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
      } else if (c == '\n' || c == ' ' || c == '\t' || c == '\r') {
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
  return shown(
      keptNumbersAsStrings(value).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

Generators fromJson(const std::string& text, const std::string& source) {
  const auto document = parseJsonText(text, source);
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
  if (images.empty() || images.size() > kMaximumGenerators) {
    throw ConfigError(field, fmt::format("{} generators", images.size()),
                      fmt::format("1 to {} generators", kMaximumGenerators));
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
                        fmt::format("images from 0 to {} (images count from 0)", points - 1));
    }
  }
  return {static_cast<std::uint32_t>(points), std::move(images)};
}

Generators parseGenerators(const std::string& text, const std::string& source) {
  constexpr std::uint64_t kImagesBetweenChecks = 1U << 16;
  constexpr std::uint64_t kMaximumPoints = std::uint64_t{1} << 31;
  NumberReader reader(text, source);
  const std::uint64_t count = reader.next([] { return "the number of generators"; }, 1, kMaximumGenerators);
  const std::uint64_t points = reader.next([] { return "the number of points n"; }, 1, kMaximumPoints);
  Generators result{static_cast<std::uint32_t>(points), {}};
  for (std::uint64_t g = 0; g < count; ++g) {
    Transformation list;
    for (std::uint64_t i = 0; i < points; ++i) {
      if (i % kImagesBetweenChecks == 0) checkSetup();
      list.push_back(static_cast<Image>(reader.next(
          [&] { return fmt::format("image of {} under generator {} (images count from 0)", i, g); }, 0,
          points - 1)));
    }
    result.images.push_back(std::move(list));
  }
  if (!reader.atEnd()) {
    throw ConfigError(reader.place(), inQuotes(reader.rest()),
                      fmt::format("nothing after {} generators of {} images", count, points));
  }
  return result;
}

Generators readGenerators(const std::string& path) {
  const std::string text =
      readTextFile(path, "generators", "a file of at most 4 GiB that can be read", kMaximumBytes);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start != std::string::npos && (text[start] == '[' || text[start] == '{')) return fromJson(text, path);
  return parseGenerators(text, path);
}

}  // namespace slicepool::semigroup
