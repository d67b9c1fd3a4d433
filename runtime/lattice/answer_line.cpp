// A line of answers about many lattices. Declared in lattice_line.hpp; called by many_lattices.cpp and tests.
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/lattice/lattice_line.hpp"

namespace slicepool::lattice {
namespace {

constexpr std::int64_t kExactInJson = std::int64_t{1} << 53;

void appendNumber(std::int64_t value, std::string& text) {
  std::array<char, 24> digits;  // of 64 bits and a sign there are at most 20
  text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

/// A number where every reader of JSON gets it exactly, else its digits.
void appendElement(std::int64_t value, std::string& text) {
  const bool exact = value <= kExactInJson && value >= -kExactInJson;
  if (!exact) text += '"';
  appendNumber(value, text);
  if (!exact) text += '"';
}

void appendElements(const std::vector<std::int64_t>& elements, std::string& text) {
  text += '[';
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i != 0) text += ',';
    appendElement(elements[i], text);
  }
  text += ']';
}

void appendVector(const LatticeVector& vector, bool close, std::string& text) {
  text += close ? "\"squared_distance\":\"" : "\"squared_norm\":\"";
  text += vector.squaredNorm;
  text += "\",\"vector\":";
  if (vector.text.empty()) {
    appendElements(vector.vector, text);
  } else {
    text += '[';
    for (std::size_t at = 1; at + 1 < vector.text.size();) {
      const std::size_t end = vector.text.find_first_of(" ]", at);
      if (at != 1) text += ',';
      text += '"';
      text.append(vector.text, at, end - at);
      text += '"';
      at = end + 1;
    }
    text += ']';
  }
  if (vector.coefficients.empty()) return;
  text += ",\"coefficients\":";
  appendElements(vector.coefficients, text);
}

}  // namespace

void appendAnswerLine(const LatticeAnswer& answer, std::uint64_t number, const std::string& id,
                      std::string& text) {
  text += "{\"line\":";
  appendNumber(static_cast<std::int64_t>(number), text);
  if (!id.empty()) {
    text += ",\"id\":";
    text += id;
  }
  if (!answer.error.empty()) {
    text += ",\"field\":";
    text += nlohmann::json(answer.field).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    text += ",\"error\":";
    text += nlohmann::json(answer.error).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  } else {
    text += ",\"dimension\":";
    appendNumber(answer.dimension, text);
    text += ',';
    if (!answer.byRadius) {
      appendVector(answer.vectors.front(), answer.close, text);
    } else {
      text += "\"count\":";
      appendNumber(static_cast<std::int64_t>(answer.count), text);
      text += ",\"vectors\":[";
      for (std::size_t i = 0; i < answer.vectors.size(); ++i) {
        text += i == 0 ? "{" : ",{";
        appendVector(answer.vectors[i], answer.close, text);
        text += '}';
      }
      text += ']';
    }
  }
  text += "}\n";
}

}  // namespace slicepool::lattice
