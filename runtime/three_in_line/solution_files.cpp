// See solution_files.hpp.
#include "runtime/three_in_line/solution_files.hpp"

#include <fmt/format.h>

#include "runtime/io/durable_file.hpp"
#include "runtime/io/text_output.hpp"
#include "runtime/three_in_line/points.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::three_in_line {
namespace {

constexpr std::size_t kRleLine = 70;  ///< characters, the limit of the format

/// Runs of one tag, wrapped into lines.
class RleWriter {
 public:
  void add(char tag, int count) {
    if (count == 0) return;
    if (tag == tag_) {
      count_ += count;
      return;
    }
    flush();
    tag_ = tag;
    count_ = count;
  }
  [[nodiscard]] std::string finish() {
    if (tag_ != '$' && tag_ != 'b') flush();  // what is empty at the end is not written
    tag_ = '!';
    count_ = 1;
    flush();
    return body_ + line_ + "\n";
  }

 private:
  void flush() {
    if (tag_ == '\0') return;
    const std::string token = (count_ == 1 ? std::string{} : std::to_string(count_)) + tag_;
    if (line_.size() + token.size() > kRleLine) {
      body_ += line_ + "\n";
      line_.clear();
    }
    line_ += token;
  }

  std::string body_;
  std::string line_;
  char tag_ = '\0';
  int count_ = 0;
};

/// One line of cells through the boards `first` to `end` - 1 of a row of the grid.
void addCells(RleWriter& writer, const SolutionList& list, std::size_t first, std::size_t end, int y) {
  int empty = 0;
  for (std::size_t i = first; i < end; ++i) {
    for (int x = 0; x < list.size; ++x) {
      if ((list.solutions[i].rows[y] >> x & 1U) == 0) {
        ++empty;
        continue;
      }
      writer.add('b', empty);
      writer.add('o', 1);
      empty = 0;
    }
    empty += kRleGap;
  }
}

std::string classText(const Configuration& solution, int size) {
  const auto& info = infoOf(classOf(stabilizerOf(pointsOf(solution, size), size)));
  return fmt::format("{}, {}", info.name, info.orbit == 1 ? "alone" : fmt::format("one of {}", info.orbit));
}

}  // namespace

SolutionFormat solutionFormat(const std::string& path) {
  if (path.empty()) return SolutionFormat::none;
  if (path == "-" || path.ends_with(".txt")) return SolutionFormat::text;
  if (path.ends_with(".rle")) return SolutionFormat::rle;
  if (path.ends_with(".json")) return SolutionFormat::json;
  if (path.ends_with(".svg")) return SolutionFormat::svg;
  throw ConfigError(
      "output.path", "\"" + path + "\"",
      "a file name that ends in .rle, .txt, .json or .svg, or - for pictures on standard output");
}

std::string captionOf(const SolutionList& list) {
  const ClassCounts classes = classCountsOf(list.solutions, list.size);
  return fmt::format("n = {}{}{}: {} solution{} up to symmetry, {} in all", list.size,
                     list.scope.empty() ? "" : ", ", list.scope, countOf(classes),
                     countOf(classes) == 1 ? "" : "s", totalOf(classes));
}

int rleColumns(std::size_t boards) {
  int columns = 1;
  while (static_cast<std::size_t>(columns) * static_cast<std::size_t>(columns) < boards) ++columns;
  return columns;
}

std::string rleText(const SolutionList& list) {
  const std::size_t boards = list.solutions.size();
  const auto columns = static_cast<std::size_t>(rleColumns(boards));
  const std::size_t lines = (boards + columns - 1) / columns;
  const auto extent = [&](std::size_t count) {
    return count == 0 ? 0 : static_cast<int>(count) * (list.size + kRleGap) - kRleGap;
  };
  RleWriter writer;
  for (std::size_t line = 0; line < lines; ++line) {
    for (int y = 0; y < list.size; ++y) {
      addCells(writer, list, line * columns, std::min(boards, (line + 1) * columns), y);
      writer.add('$', 1);
    }
    writer.add('$', kRleGap);
  }
  return fmt::format(
      "#N No three in line, {}\n#C {} boards of {} x {} cells in rows of {}, {} cells apart, in the order of "
      "the other outputs\nx = {}, y = {}, rule = B3/S23\n{}",
      captionOf(list), boards, list.size, list.size, columns, kRleGap, extent(std::min(boards, columns)),
      extent(lines), writer.finish());
}

std::string pictureText(const SolutionList& list) {
  std::string text = "No three in line, " + captionOf(list) + "\n";
  for (std::size_t i = 0; i < list.solutions.size(); ++i) {
    text += fmt::format("\n{}: {}\n", i + 1, classText(list.solutions[i], list.size));
    for (int y = 0; y < list.size; ++y) {
      for (int x = 0; x < list.size; ++x) {
        text += x == 0 ? "" : " ";
        text += (list.solutions[i].rows[y] >> x & 1U) != 0 ? 'o' : '.';
      }
      text += '\n';
    }
  }
  return text;
}

std::string jsonText(const SolutionList& list) {
  std::string text = fmt::format("{{\"n\": {}, \"solutions\": [", list.size);
  for (std::size_t i = 0; i < list.solutions.size(); ++i) {
    text += i == 0 ? "\n[" : ",\n[";
    bool first = true;
    for (const Point point : pointsOf(list.solutions[i], list.size)) {
      text += fmt::format("{}[{}, {}]", first ? "" : ", ", point.x, point.y);
      first = false;
    }
    text += ']';
  }
  return text + "\n]}\n";
}

std::string solutionText(const SolutionList& list, SolutionFormat format) {
  switch (format) {
    case SolutionFormat::rle: return rleText(list);
    case SolutionFormat::json: return jsonText(list);
    case SolutionFormat::svg: return svgText(list);
    case SolutionFormat::text: return pictureText(list);
    case SolutionFormat::none: break;
  }
  return {};
}

std::uint64_t writeSolutions(const SolutionList& list, const std::string& path) {
  const std::string text = solutionText(list, solutionFormat(path));
  if (path != "-") {
    writeTextOrThrow("output", path, text);
  } else {
    writeToStandardOutput(text);
    flushStandardOutput();
  }
  return text.size();
}

}  // namespace slicepool::three_in_line
