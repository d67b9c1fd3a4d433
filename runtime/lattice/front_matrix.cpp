// See front_matrix.hpp.
#include "runtime/lattice/front_matrix.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "runtime/io/exact_json.hpp"

namespace slicepool::config {
namespace {

constexpr std::size_t kShownColumns = 20;

bool isWrittenOut(const std::string& value) {
  const std::size_t begin = value.find_first_not_of(" \t\r\n");
  return begin != std::string::npos && value[begin] == '[';
}

}  // namespace

Parameter basisParameter(int maximumRows) {
  return {.member = "basis",
          .flag = "--basis",
          .type = "FILE",
          .help = fmt::format("a file with the basis, or the basis itself: fplll's matrix text, [[1 0] [0 "
                              "2]], or as fpylll prints it; rows "
                              "are vectors of integers, 1 to {} of them",
                              maximumRows),
          .domain = domain::text(
              "the name of a file with a matrix as fplll writes it, or the matrix itself, such as "
              "\"[[1 0] [0 2]]\""),
          .sweep = Sweep::axis,
          .label = matrixLabel,
          .namesFile = true};
}

Parameter gramParameter() {
  return {.member = "gram",
          .flag = "--gram",
          .type = "FILE",
          .help =
              "in place of a basis its Gram matrix, in the same form: symmetric, positive definite; vectors "
              "are then rows of coefficients",
          .domain = domain::text("the name of a file with a symmetric matrix of integers, or the matrix "
                                 "itself, such as \"[[2 1] [1 2]]\""),
          .sweep = Sweep::axis,
          .label = matrixLabel,
          .namesFile = true};
}

std::string matrixLabel(const Json& value) {
  const auto text = value.get<std::string>();
  return isWrittenOut(text) ? "basis " + documentHash(value).substr(0, 8)
                            : std::filesystem::path(text).stem().string();
}

void setMatrix(const Json& document, const char* member, std::string& text, std::string& path) {
  if (!document.contains(member)) return;
  const auto given = document[member].get<std::string>();
  (isWrittenOut(given) ? text : path) = given;
}

Json elementsOf(const std::string& text) {
  Json list = Json::array();
  for (std::size_t at = 1; at + 1 < text.size();) {
    const std::size_t end = text.find_first_of(" ]", at);
    const std::string word = text.substr(at, end - at);
    const bool negative = word.starts_with('-');
    const Json magnitude = exactNumber(negative ? word.substr(1) : word);
    if (!negative)
      list.push_back(magnitude);
    else
      list.push_back(magnitude.is_string() ? Json(word) : Json(-magnitude.get<std::int64_t>()));
    at = end + 1;
  }
  return list;
}

std::string shortenedVector(const std::string& text) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < kShownColumns && end != std::string::npos; ++i) end = text.find(' ', end + 1);
  return end == std::string::npos ? text : text.substr(0, end) + " ..]";
}

}  // namespace slicepool::config
