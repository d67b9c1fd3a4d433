// See files.hpp.
#include "runtime/semigroup/files.hpp"

#include <fmt/format.h>

#include "runtime/factorizations/npy.hpp"
#include "runtime/io/text_output.hpp"
#include "slicepool/core/error.hpp"

namespace slicepool::semigroup {
namespace {

using factorizations::NpyFile;

template <class Out>
void formatWord(Out out, const Graph& graph, Element x) {
  for (const char* blank = ""; x != 0; x = graph.suffix[x], blank = " ")
    fmt::format_to(out, "{}{}", blank, graph.first[x]);
}

template <class Point>
void fillElements(std::byte* into, const Graph& graph, const Generators& generators) {
  auto* rows = reinterpret_cast<Point*>(into);
  const std::size_t n = generators.points;
  for (std::size_t i = 0; i < n; ++i) rows[i] = static_cast<Point>(i);
  for (Element x = 1; x < graph.size(); ++x) {
    const Point* shorter = rows + graph.parent[x] * n;
    const auto& images = generators.images[graph.last[x]];
    for (std::size_t i = 0; i < n; ++i) rows[x * n + i] = static_cast<Point>(images[shorter[i]]);
  }
}

std::uint64_t writeCsv(const std::string& path, const Graph& graph, bool left) {
  TextFile file(path);
  fmt::format_to(file.out(), "element");
  for (std::uint32_t g = 0; g < graph.generators; ++g) fmt::format_to(file.out(), ",g{}", g);
  fmt::format_to(file.out(), "\n");
  for (Element x = 0; x < graph.complete; ++x) {
    fmt::format_to(file.out(), "{}", x);
    for (std::uint32_t g = 0; g < graph.generators; ++g)
      fmt::format_to(file.out(), ",{}", left ? graph.leftOf(x, g) : graph.rightOf(x, g));
    fmt::format_to(file.out(), "\n");
    file.flushIfLarge();
  }
  return file.publish();
}

std::uint64_t writeDot(const std::string& path, const Graph& graph, bool left) {
  TextFile file(path);
  fmt::format_to(file.out(), "digraph {}_cayley_graph {{\n", left ? "left" : "right");
  for (Element x = 0; x < graph.complete; ++x) {
    for (std::uint32_t g = 0; g < graph.generators; ++g) {
      fmt::format_to(file.out(), "  {} -> {} [label=\"{}\"];\n", x,
                     left ? graph.leftOf(x, g) : graph.rightOf(x, g), g);
    }
    file.flushIfLarge();
  }
  fmt::format_to(file.out(), "}}\n");
  return file.publish();
}

std::uint64_t writeMatrix(const std::string& path, const Graph& graph, bool left) {
  NpyFile file(path, graph.complete, graph.generators, sizeof(std::uint32_t), false);
  auto* rows = reinterpret_cast<std::uint32_t*>(file.rows());
  for (Element x = 0; x < graph.complete; ++x)
    for (std::uint32_t g = 0; g < graph.generators; ++g)
      *rows++ = left ? graph.leftOf(x, g) : graph.rightOf(x, g);
  file.publish();
  return file.fileBytes();
}

}  // namespace

void requireGraphFormat(const std::string& path, const std::string& field) {
  if (path.empty()) return;
  for (const char* suffix : {".csv", ".dot", ".gv", ".npy"})
    if (path.ends_with(suffix)) return;
  throw ConfigError(field, "\"" + path + "\"", "a file name that ends in .csv, .dot, .gv (GraphViz) or .npy");
}

std::uint64_t writeElements(const std::string& path, const Graph& graph, const Generators& generators) {
  const unsigned bytes = generators.points <= 1U << 8 ? 1 : generators.points <= 1U << 16 ? 2 : 4;
  NpyFile file(path, graph.size(), generators.points, bytes, false);
  if (bytes == 1) fillElements<std::uint8_t>(file.rows(), graph, generators);
  if (bytes == 2) fillElements<std::uint16_t>(file.rows(), graph, generators);
  if (bytes == 4) fillElements<std::uint32_t>(file.rows(), graph, generators);
  file.publish();
  return file.fileBytes();
}

std::uint64_t writeWords(const std::string& path, const Graph& graph) {
  TextFile file(path);
  for (Element x = 0; x < graph.size(); ++x) {
    formatWord(file.out(), graph, x);
    fmt::format_to(file.out(), "\n");
    file.flushIfLarge();
  }
  return file.publish();
}

std::uint64_t writeGraph(const std::string& path, const Graph& graph, bool left) {
  if (path.ends_with(".csv")) return writeCsv(path, graph, left);
  if (path.ends_with(".npy")) return writeMatrix(path, graph, left);
  return writeDot(path, graph, left);
}

std::uint64_t writeRules(const std::string& path, const Graph& graph) {
  TextFile file(path);
  for (Element x = 0; x < graph.complete; ++x) {
    for (std::uint32_t g = 0; g < graph.generators; ++g) {
      if (!graph.isRule(x, g)) continue;
      formatWord(file.out(), graph, x);
      fmt::format_to(file.out(), "{}{} =", x == 0 ? "" : " ", g);
      if (graph.rightOf(x, g) != 0) fmt::format_to(file.out(), " ");
      formatWord(file.out(), graph, graph.rightOf(x, g));
      fmt::format_to(file.out(), "\n");
    }
    file.flushIfLarge();
  }
  return file.publish();
}

}  // namespace slicepool::semigroup
