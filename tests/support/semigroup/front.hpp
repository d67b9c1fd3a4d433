// What the tests of the semigroup workload share: requests, and everything an enumeration says about its
// elements in one value that can be compared.
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "slicepool/semigroup/enumeration.hpp"

namespace slicepool::test {

inline semigroup::Request named(const std::string& name) {
  semigroup::Request request;
  request.named = name;
  request.idempotents = true;
  return request;
}

/// Stages of more products than this use all workers.
inline semigroup::Request largeFrom(const std::string& name, std::uint64_t products) {
  auto request = named(name);
  request.smallStage = products;
  return request;
}

inline EngineOptions cpu(int threads) {
  EngineOptions options;
  options.mode = Mode::cpu;
  options.threads = threads;
  return options;
}

/// Words of all elements, both graphs, rules, idempotents.
struct Everything {
  std::vector<std::uint64_t> stages;
  std::vector<semigroup::Word> words;
  std::vector<std::vector<std::uint32_t>> right;
  std::vector<std::vector<std::uint32_t>> left;
  std::vector<semigroup::Rule> rules;
  std::uint64_t idempotents = 0;
  friend bool operator==(const Everything&, const Everything&) = default;
};

/// Of a complete run.
inline Everything everythingOf(const semigroup::Enumeration& enumeration) {
  Everything all;
  all.stages = enumeration.outcome().stages;
  for (semigroup::Element x = 0; x < enumeration.size(); ++x) {
    all.words.push_back(enumeration.word(x));
    all.right.emplace_back();
    all.left.emplace_back();
    for (std::uint32_t g = 0; g < enumeration.generatorCount(); ++g) {
      all.right.back().push_back(enumeration.right(x, g));
      all.left.back().push_back(enumeration.left(x, g));
    }
  }
  all.rules = enumeration.rules();
  all.idempotents = enumeration.outcome().idempotents.value_or(0);
  return all;
}

inline Everything explore(const semigroup::Request& request, const EngineOptions& options) {
  semigroup::Enumeration enumeration(request, options);
  enumeration.run();
  return everythingOf(enumeration);
}

}  // namespace slicepool::test
