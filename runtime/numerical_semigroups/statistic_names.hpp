// Names of the statistics in requests, conditions and records. Called by conditions.cpp and by the front of
// the workload.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "slicepool/numerical_semigroups/types.hpp"

namespace slicepool::numerical_semigroups {

struct StatisticInfo {
  Statistic statistic;
  const char* name;    ///< what --by takes: "embedding-dimension"
  const char* letter;  ///< in conditions: "e"
  const char* word;    ///< the other name there: "dimension"
};

/// In the order of the type.
inline constexpr std::array<StatisticInfo, kStatistics> kStatisticInfos{{
    {Statistic::multiplicity, "multiplicity", "m", "multiplicity"},
    {Statistic::embeddingDimension, "embedding-dimension", "e", "dimension"},
    {Statistic::type, "type", "t", "type"},
    {Statistic::frobenius, "frobenius", "F", "frobenius"},
    {Statistic::depth, "depth", "d", "depth"},
    {Statistic::second, "second", "u", "second"},
    {Statistic::children, "children", "children", "children"},
    {Statistic::genus, "genus", "g", "genus"},
    {Statistic::wilf, "wilf", "wilf", "wilf"},
    {Statistic::eliahou, "eliahou", "eliahou", "eliahou"},
}};

[[nodiscard]] inline const StatisticInfo& infoOf(Statistic statistic) {
  return kStatisticInfos.at(static_cast<std::size_t>(statistic));
}

/// By what --by takes; only statistics that can be counted by.
[[nodiscard]] inline std::optional<Statistic> countedStatistic(std::string_view name) {
  for (int i = 0; i < kCountedStatistics; ++i)
    if (name == kStatisticInfos.at(static_cast<std::size_t>(i)).name) return static_cast<Statistic>(i);
  return std::nullopt;
}

}  // namespace slicepool::numerical_semigroups
