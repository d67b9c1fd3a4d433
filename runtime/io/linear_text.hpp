// The reader of linear conditions in words, such as "2*a1 - a3 >= 5", over names that the workload knows.
// Called by the predicates of factorizations, and the conditions of integer points and numerical semigroups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace slicepool {

/// sum_i coefficients[i] * x_i  <relation>  bound, with -1: <=, 0: =, 1: >=.
struct LinearText {
  std::vector<std::int64_t> coefficients;
  int relation = 0;
  std::int64_t bound = 0;
  bool alternative = false;  ///< "or" stands before it
};

/// A name at the beginning of a text.
struct LinearName {
  std::size_t length = 0;            ///< characters; 0: no name is there
  std::vector<std::size_t> members;  ///< the x_i that it is the sum of
  std::string error{};               ///< it begins like a name and is none: why
  std::size_t errorAt = 0;           ///< and where in the text
};

/// The names x1 .. xn, and another one for the sum of all.
struct IndexedNames {
  char letter;
  const char* sum;     ///< "sum"
  const char* number;  ///< for messages: "the number of a column"
  const char* plural;  ///< "columns"
  std::size_t size;    ///< n
};
/// One of them at the beginning of `text`.
[[nodiscard]] LinearName readIndexedName(std::string_view text, const IndexedNames& names);

/// What a condition may speak of.
struct LinearNames {
  std::size_t size = 0;  ///< of the coefficients
  std::function<LinearName(std::string_view)> read;
  std::string listed;    ///< for messages: "a1 .. a3 or 'length'"
  std::string field;     ///< of the ConfigErrors
  std::string accepted;  ///< by the field
};

/// Reads  sum relation sum,  where a sum has terms  integer,  name,  integer name  and  integer * name,  and
/// a relation is one of <= >= = == < >. Throws ConfigError, with the place, also for numbers beyond 64 bits.
[[nodiscard]] LinearText parseLinear(const std::string& text, const LinearNames& names);

/// The same for several of them, joined by "and" and "or"; "and" binds more tightly.
[[nodiscard]] std::vector<LinearText> parseJoinedLinear(const std::string& text, const LinearNames& names);

}  // namespace slicepool
