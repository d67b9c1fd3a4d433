// Reads the solutions out of the files that `slicepool three-in-line` writes, each format by its own rules.
// Included by unit and CLI tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/three_in_line/oracle.hpp"

namespace slicepool::test {

using GridSolutions = std::vector<GridPoints>;

/// {"n": N, "solutions": [[[x, y], ..], ..]}; the points must be sorted in the file.
inline GridSolutions solutionsOfJson(const std::string& text) {
  GridSolutions solutions;
  const auto document = nlohmann::json::parse(text);
  for (const auto& item : document.at("solutions")) {
    GridPoints points;
    for (const auto& point : item) {
      if (point.size() != 2) throw std::runtime_error("a point has two coordinates");
      points.emplace_back(point.at(0).get<int>(), point.at(1).get<int>());
    }
    if (!std::is_sorted(points.begin(), points.end())) throw std::runtime_error("points are not sorted");
    solutions.push_back(std::move(points));
  }
  return solutions;
}

/// Blocks of lines of "o" and "." with a blank between cells, each after a line with a number.
inline GridSolutions solutionsOfPictures(const std::string& text) {
  GridSolutions solutions;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);  // the caption
  int y = 0;
  while (std::getline(lines, line)) {
    if (line.empty()) continue;
    if (line[0] != 'o' && line[0] != '.') {
      solutions.emplace_back();
      y = 0;
      continue;
    }
    for (std::size_t at = 0; at < line.size(); at += 2)
      if (line[at] == 'o') solutions.back().emplace_back(static_cast<int>(at / 2), y);
    ++y;
  }
  for (auto& points : solutions) std::sort(points.begin(), points.end());
  return solutions;
}

/// Boards of size x size cells in a grid with 4 empty cells between them, as many in a row as the comment
/// says.
inline GridSolutions solutionsOfRle(const std::string& text, int size) {
  std::istringstream lines(text);
  std::string line;
  std::string body;
  std::size_t boards = 0;
  int columns = 1;
  while (std::getline(lines, line)) {
    if (line.rfind("#C ", 0) == 0) {
      boards = std::strtoul(line.c_str() + 3, nullptr, 10);
      columns = std::atoi(line.c_str() + line.find("rows of ") + 8);
    }
    if (line[0] != '#' && line[0] != 'x') body += line;
  }
  const int pitch = size + 4;
  GridSolutions solutions(boards);
  int x = 0;
  int y = 0;
  int run = 0;
  for (const char tag : body) {
    if (tag >= '0' && tag <= '9') {
      run = 10 * run + (tag - '0');
      continue;
    }
    const int count = std::max(1, run);
    run = 0;
    if (tag == '$') {
      y += count;
      x = 0;
    } else if (tag == 'b') {
      x += count;
    } else if (tag == 'o') {
      for (int i = 0; i < count; ++i, ++x) {
        if (x % pitch >= size || y % pitch >= size) throw std::runtime_error("a point between the boards");
        const int board = y / pitch * columns + x / pitch;
        solutions.at(static_cast<std::size_t>(board)).emplace_back(x % pitch, y % pitch);
      }
    } else if (tag != '!') {
      throw std::runtime_error("unknown tag");
    }
  }
  for (auto& points : solutions) std::sort(points.begin(), points.end());
  return solutions;
}

/// A group with a <title> "solution .." for each board; its circles are the points.
inline GridSolutions solutionsOfSvg(const std::string& text, int size) {
  const auto number = [&](std::size_t from, const std::string& name) {
    const std::size_t at = text.find(name + "=\"", from);
    return std::strtod(text.c_str() + at + name.size() + 2, nullptr);
  };
  const std::string start = "<title>solution ";
  GridSolutions solutions;
  for (std::size_t at = text.find(start); at != std::string::npos;) {
    const std::size_t next = text.find(start, at + 1);
    GridPoints points;
    for (std::size_t circle = text.find("<circle", at); circle < next && circle != std::string::npos;
         circle = text.find("<circle", circle + 1)) {
      const double cell = number(circle, "r") / 0.36;
      points.emplace_back(static_cast<int>(std::floor(number(circle, "cx") / cell)),
                          static_cast<int>(std::floor(number(circle, "cy") / cell)));
      if (points.back().first >= size || points.back().second >= size)
        throw std::runtime_error("a point off its board");
    }
    std::sort(points.begin(), points.end());
    solutions.push_back(std::move(points));
    at = next;
  }
  return solutions;
}

}  // namespace slicepool::test
