// The sheet of solutions as SVG (svgText of solution_files.hpp): a grid of small boards, coloured by symmetry
// class.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "runtime/three_in_line/points.hpp"
#include "runtime/three_in_line/solution_files.hpp"

namespace slicepool::three_in_line {
namespace {

// Lengths in user units, which are pixels at scale 1.
constexpr int kMargin = 32;
constexpr int kHeaderHeight = 64;
constexpr int kLegendLine = 22;
constexpr int kLegendColumn = 240;
constexpr int kGap = 22;          ///< between boards, the number below a board included
constexpr int kLabel = 16;        ///< height of that number
constexpr int kBoardWidth = 132;  ///< aimed at
constexpr int kMaximumColumns = 20;
constexpr int kMinimumWidth = 560;  ///< caption and legend need it

/// One colour for each of kClasses: after Okabe and Ito, so that they differ for colour-blind eyes too; the
/// class of most solutions is the quiet one.
constexpr std::array<const char*, kSymmetryClasses> kColours = {"#5b6675", "#0072b2", "#009e73", "#33a6de",
                                                                "#d55e00", "#b8578f", "#c98a00", "#a4161a"};

const char* colourOf(SymmetryClass symmetry) { return kColours.at(static_cast<std::size_t>(symmetry)); }

constexpr const char* kStyle = R"(<style>
text { font-family: "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; fill: #1f2933; }
.title { font-size: 22px; font-weight: 600; }
.caption { font-size: 14px; fill: #52606d; }
.legend { font-size: 13px; }
.number { font-size: 10px; fill: #7b8794; text-anchor: middle; }
.paper { fill: #ffffff; }
.frame { fill: #fbfcfd; stroke: #cbd2d9; stroke-width: 1; }
.grid { stroke: #e4e7eb; stroke-width: 1; fill: none; }
.axis { stroke-width: 1; stroke-dasharray: 4 3; opacity: 0.55; }
</style>
)";

struct Board {
  std::size_t number;  ///< in the order of all outputs, from 0
  Points points;
  unsigned stabilizer;
  SymmetryClass symmetry;
};

/// Most symmetric first; within a class in the order of all outputs.
std::vector<Board> boardsOf(const SolutionList& list) {
  std::vector<Board> boards;
  for (std::size_t i = 0; i < list.solutions.size(); ++i) {
    Points points = pointsOf(list.solutions[i], list.size);
    const unsigned stabilizer = stabilizerOf(points, list.size);
    boards.push_back({i, std::move(points), stabilizer, classOf(stabilizer)});
  }
  std::stable_sort(boards.begin(), boards.end(),
                   [](const Board& a, const Board& b) { return a.symmetry > b.symmetry; });
  return boards;
}

/// Where everything goes.
struct Layout {
  Layout(int size, std::size_t boards, std::size_t legendEntries)
      : cell(std::clamp(kBoardWidth / std::max(1, size), 5, 22)), side(cell * size) {
    // A little taller than wide, as paper is.
    const int wanted = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(boards))));
    columns = std::clamp(wanted, 1, kMaximumColumns);
    lines = (static_cast<int>(boards) + columns - 1) / columns;
    const int boardsWidth = columns * (side + kGap) - kGap;
    width = std::max(kMinimumWidth, boardsWidth + 2 * kMargin);
    legendColumns = std::max(1, (width - 2 * kMargin) / kLegendColumn);
    const int legendLines = (static_cast<int>(legendEntries) + legendColumns - 1) / legendColumns;
    top = kMargin + kHeaderHeight + legendLines * kLegendLine + 12;
    height = top + lines * (side + kLabel + kGap) + kMargin / 2;
  }

  int cell;  ///< side of a cell
  int side;  ///< of a board
  int columns = 1;
  int lines = 0;
  int width = 0;
  int height = 0;
  int top = 0;  ///< of the first board
  int legendColumns = 1;
};

/// The empty board, drawn once and used by all.
std::string boardDefinition(const Layout& layout) {
  std::string grid;
  for (int at = layout.cell; at < layout.side; at += layout.cell)
    grid += fmt::format("M{0} 0V{1}M0 {0}H{1}", at, layout.side);
  return fmt::format(
      "<defs><g id=\"board\"><rect class=\"frame\" x=\"-3\" y=\"-3\" width=\"{0}\" height=\"{0}\" rx=\"4\"/>"
      "<path class=\"grid\" d=\"{1}\"/></g></defs>\n",
      layout.side + 6, grid);
}

/// A dashed line for each mirror of the board.
std::string mirrorLines(const Board& board, const Layout& layout) {
  const double middle = layout.side / 2.0;
  std::string path;
  for (const Image image : kPointImages) {
    if ((board.stabilizer >> static_cast<unsigned>(image) & 1U) == 0) continue;
    if (image == Image::mirrorColumns) path += fmt::format("M{} 0V{}", middle, layout.side);
    if (image == Image::mirrorRows) path += fmt::format("M0 {}H{}", middle, layout.side);
    if (image == Image::mirrorDiagonal) path += fmt::format("M0 0L{0} {0}", layout.side);
    if (image == Image::mirrorAntidiagonal) path += fmt::format("M0 {0}L{0} 0", layout.side);
  }
  if (path.empty()) return {};
  return fmt::format("<path class=\"axis\" stroke=\"{}\" d=\"{}\"/>", colourOf(board.symmetry), path);
}

std::string boardGroup(const Board& board, const Layout& layout, int x, int y) {
  const char* name = infoOf(board.symmetry).name;
  std::string text = fmt::format(
      "<g transform=\"translate({} {})\"><title>solution {}, {}</title><use href=\"#board\"/>{}"
      "<g fill=\"{}\">",
      x, y, board.number + 1, name, mirrorLines(board, layout), colourOf(board.symmetry));
  for (const Point point : board.points) {
    text += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>", (point.x + 0.5) * layout.cell,
                        (point.y + 0.5) * layout.cell, 0.36 * layout.cell);
  }
  return text + fmt::format("</g><text class=\"number\" x=\"{}\" y=\"{}\">{} {}</text></g>\n",
                            layout.side / 2.0, layout.side + kLabel, board.number + 1, name);
}

std::string header(const SolutionList& list, std::size_t shown) {
  std::string caption = captionOf(list);
  if (shown < list.solutions.size()) caption += fmt::format("; the first {}, most symmetric first", shown);
  return fmt::format(
      "<text class=\"title\" x=\"{0}\" y=\"{1}\">No three in line</text>\n"
      "<text class=\"caption\" x=\"{0}\" y=\"{2}\">{3}</text>\n",
      kMargin, kMargin + 18, kMargin + 42, caption);
}

std::vector<std::size_t> presentClasses(const ClassCounts& counts) {
  std::vector<std::size_t> present;
  for (std::size_t i = kSymmetryClasses; i-- > 0;)
    if (counts.at(i) != 0) present.push_back(i);
  return present;
}

std::string legend(const ClassCounts& counts, const Layout& layout) {
  std::string text;
  int entry = 0;
  for (const std::size_t symmetry : presentClasses(counts)) {
    const int x = kMargin + entry % layout.legendColumns * kLegendColumn;
    const int y = kMargin + kHeaderHeight + entry / layout.legendColumns * kLegendLine;
    text += fmt::format(
        "<circle cx=\"{}\" cy=\"{}\" r=\"5\" fill=\"{}\"/><text class=\"legend\" x=\"{}\" y=\"{}\">{} {}, {}"
        "</text>\n",
        x + 5, y, kColours.at(symmetry), x + 17, y + 4, counts.at(symmetry), kClasses.at(symmetry).name,
        kClasses.at(symmetry).description);
    ++entry;
  }
  return text;
}

}  // namespace

std::string svgText(const SolutionList& list) {
  const auto boards = boardsOf(list);
  const ClassCounts counts = classCountsOf(list.solutions, list.size);
  const std::size_t shown = std::min(boards.size(), kMaximumBoards);
  const Layout layout(list.size, shown, presentClasses(counts).size());
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
      "<title>No three in line, {2}</title>\n",
      layout.width, layout.height, captionOf(list));
  text += kStyle + boardDefinition(layout);
  text += fmt::format("<rect class=\"paper\" width=\"{}\" height=\"{}\"/>\n", layout.width, layout.height);
  text += header(list, shown) + legend(counts, layout);
  for (std::size_t i = 0; i < shown; ++i) {
    const int column = static_cast<int>(i) % layout.columns;
    const int line = static_cast<int>(i) / layout.columns;
    text += boardGroup(boards[i], layout, kMargin + column * (layout.side + kGap),
                       layout.top + line * (layout.side + kLabel + kGap));
  }
  return text + "</svg>\n";
}

}  // namespace slicepool::three_in_line
