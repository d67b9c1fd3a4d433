// The tree of numerical semigroups as SVG (treePicture of semigroup_files.hpp): a column for each genus, a
// semigroup by its generators, those above its Frobenius number in colour, because each is a child's.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "runtime/numerical_semigroups/semigroup_files.hpp"

namespace slicepool::numerical_semigroups {
namespace {

// Lengths in user units, which are pixels at scale 1.
constexpr double kMargin = 24;
constexpr double kHeader = 64;
constexpr double kLine = 17;        ///< from leaf to leaf
constexpr double kCharacter = 6.2;  ///< of a label, about
constexpr double kBranch = 40;      ///< from the end of a label to the next column

constexpr const char* kStyle = R"(<style>
text { font-family: "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; fill: #1f2933; font-size: 11px; }
.title { font-size: 18px; font-weight: 600; }
.caption { fill: #52606d; font-size: 12px; }
.genus { fill: #7b8794; }
.removable { fill: #0072b2; font-weight: 600; }
.paper { fill: #ffffff; }
path { fill: none; stroke: #9aa5b1; }
</style>
)";

struct TreeNode {
  GapSet gaps;
  std::vector<int> generators;
  int genus = 0;
  std::vector<std::size_t> children;
  double y = 0;
};

std::size_t labelLength(const TreeNode& node) {
  return fmt::format("{}", fmt::join(node.generators, " ")).size();
}

std::vector<TreeNode> treeOf(const std::vector<GapSet>& semigroups) {
  std::vector<TreeNode> nodes;
  std::map<std::vector<int>, std::size_t> places;
  for (const GapSet& gaps : semigroups) {
    const std::size_t place = nodes.size();
    nodes.push_back({gaps, generatorsOf(gaps), genusOf(gaps), {}, 0});
    std::vector<int> list = gapsOf(gaps);
    places.emplace(list, place);
    if (list.empty()) continue;
    list.pop_back();
    nodes.at(places.at(list)).children.push_back(place);
  }
  return nodes;
}

/// Leaves one below the other, the others in the middle of their children. Returns where the next leaf goes.
double place(std::vector<TreeNode>& nodes, std::size_t at, double y) {
  if (nodes[at].children.empty()) {
    nodes[at].y = y;
    return y + kLine;
  }
  for (const std::size_t child : nodes[at].children) y = place(nodes, child, y);
  nodes[at].y = (nodes[nodes[at].children.front()].y + nodes[nodes[at].children.back()].y) / 2;
  return y;
}

std::string labelOf(const TreeNode& node, double x) {
  const int frobenius = frobeniusOf(node.gaps);
  std::string text = fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">", x, node.y + 4);
  const char* space = "";
  for (const int generator : node.generators) {
    text += generator > frobenius ? fmt::format("{}<tspan class=\"removable\">{}</tspan>", space, generator)
                                  : fmt::format("{}{}", space, generator);
    space = " ";
  }
  return text + "</text>\n";
}

}  // namespace

std::string treePicture(const std::vector<GapSet>& semigroups) {
  std::vector<TreeNode> nodes = treeOf(semigroups);
  const double bottom = place(nodes, 0, kMargin + kHeader);
  const int last = nodes.back().genus;
  std::vector<double> columns{kMargin};
  for (int genus = 0; genus <= last; ++genus) {
    std::size_t longest = 1;
    for (const TreeNode& node : nodes)
      if (node.genus == genus) longest = std::max(longest, labelLength(node));
    columns.push_back(columns.back() + kCharacter * static_cast<double>(longest) + kBranch);
  }
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\">\n{2}<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
      "<text class=\"title\" x=\"{3:.0f}\" y=\"{4:.0f}\">Numerical semigroups to genus {5}: {6}</text>\n"
      "<text class=\"caption\" x=\"{3:.0f}\" y=\"{7:.0f}\">Each by its generators. Removing one above the "
      "Frobenius number (blue) gives a child.</text>\n",
      columns.back() - kBranch + kMargin, bottom + kMargin, kStyle, kMargin, kMargin + 14, last, nodes.size(),
      kMargin + 34);
  for (int genus = 0; genus <= last; ++genus)
    svg += fmt::format("<text class=\"genus\" x=\"{:.1f}\" y=\"{:.1f}\">g = {}</text>\n",
                       columns[static_cast<std::size_t>(genus)], kMargin + kHeader - 10, genus);
  for (const TreeNode& node : nodes) {
    const auto column = static_cast<std::size_t>(node.genus);
    const double begin = columns[column] + kCharacter * static_cast<double>(labelLength(node)) + 4;
    const double end = columns[column + 1] - 4;
    for (const std::size_t child : node.children)
      svg += fmt::format("<path d=\"M{0:.1f} {1:.1f}C{2:.1f} {1:.1f} {2:.1f} {3:.1f} {4:.1f} {3:.1f}\"/>\n",
                         begin, node.y, end - kBranch / 2, nodes[child].y, end);
    svg += labelOf(node, columns[column]);
  }
  return svg + "</svg>\n";
}

}  // namespace slicepool::numerical_semigroups
