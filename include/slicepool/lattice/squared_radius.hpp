// R^2 of a lattice search as an exact number. Part of Request and Outcome (enumeration.hpp); read by the
// runtime of the workload.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace slicepool::lattice {

struct ExactRatio;

/// A rational number above 0, from 1e-300 to 1e300, or none. Norms of lattice vectors are integers, so
/// whether one is within R is decided by comparing it with the integer part of R^2, exactly. Squared
/// distances of a rational target are fractions.
class SquaredRadius {
 public:
  SquaredRadius() = default;  ///< none
  /// 0: none. All of these throw ConfigError for field "squared_radius" when the value is not accepted.
  template <std::integral I>
  SquaredRadius(I value) : SquaredRadius(value == 0 ? std::string() : std::to_string(value)) {}
  /// The shortest decimal that is this double; beyond 2^53 the integer that the double is. 0: none.
  SquaredRadius(double value);
  /// "1234", "1234.5", "1e30", "2/3". Empty: none.
  SquaredRadius(std::string_view text);
  SquaredRadius(const std::string& text) : SquaredRadius(std::string_view(text)) {}
  SquaredRadius(const char* text) : SquaredRadius(std::string_view(text)) {}

  [[nodiscard]] bool given() const { return !text_.empty(); }
  /// All digits, without an exponent and without needless zeros: "1234.5". A fraction whose decimals do not
  /// end is in lowest terms: "2/3". Empty: none.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// The greatest integer that is not above R^2. "0" below 1.
  [[nodiscard]] std::string integerPart() const;
  [[nodiscard]] bool isInteger() const { return text_.find_first_of("./") == std::string::npos; }
  /// To the nearest double. 0: none.
  [[nodiscard]] double rounded() const;
  friend bool operator==(const SquaredRadius&, const SquaredRadius&) = default;

 private:
  friend SquaredRadius squaredRadiusOf(const ExactRatio& ratio);

  std::string text_;
};

}  // namespace slicepool::lattice
