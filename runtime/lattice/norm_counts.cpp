// See norm_counts.hpp.
#include "runtime/lattice/norm_counts.hpp"

#include <algorithm>
#include <sstream>

#include "slicepool/core/error.hpp"

namespace slicepool::lattice {
namespace {

/// Below it a norm that was rounded to double is exact.
constexpr std::uint64_t kExactInDouble = std::uint64_t{1} << 53;

bool isNumber(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

bool NormCounts::add(const VectorMaker& maker, double rounded) {
  if (rounded < static_cast<double>(kExactInDouble))
    return ++small_[static_cast<std::uint64_t>(rounded)] == 1;
  return ++large_[maker.squaredNorm()] == 1;
}

void NormCounts::add(const Integer& norm, std::uint64_t vectors) {
  if (norm < kExactInDouble)
    small_[norm.convert_to<std::uint64_t>()] += vectors;
  else
    large_[norm] += vectors;
}

void NormCounts::add(const NormCounts& other) {
  for (const auto& [norm, vectors] : other.small_) small_[norm] += vectors;
  for (const auto& [norm, vectors] : other.large_) large_[norm] += vectors;
}

std::vector<std::pair<Integer, std::uint64_t>> NormCounts::sorted() const {
  std::vector<std::pair<Integer, std::uint64_t>> counts(small_.begin(), small_.end());
  std::sort(counts.begin(), counts.end());
  counts.insert(counts.end(), large_.begin(), large_.end());  // all of them longer
  return counts;
}

std::string NormCounts::text() const {
  std::string lines;
  for (const auto& [norm, vectors] : sorted()) lines += norm.str() + " " + std::to_string(vectors) + "\n";
  return lines;
}

NormCounts NormCounts::parse(const std::string& text) {
  NormCounts counts;
  std::istringstream lines(text);
  std::string norm;
  std::string vectors;
  while (lines >> norm) {
    constexpr std::size_t kMaximumDigits = 19;  // of what surely fits 64 bits
    if (!(lines >> vectors) || !isNumber(norm) || !isNumber(vectors) || vectors.size() > kMaximumDigits)
      throw CheckpointError("checkpoint: its numbers of vectors of each norm are damaged");
    counts.add(Integer(norm), std::stoull(vectors));
  }
  return counts;
}

}  // namespace slicepool::lattice
