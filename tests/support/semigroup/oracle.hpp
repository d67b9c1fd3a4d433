// An independent exploration of a monoid of transformations: plain breadth-first search with std::map over
// whole elements, every product computed. Slow, and nothing in common with the code under test. Used by tests
// of the semigroup workload.
#pragma once

#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace slicepool::test {

struct SemigroupOracle {
  using Map = std::vector<std::uint32_t>;
  using Word = std::vector<std::uint16_t>;

  std::vector<Map> elements;  ///< shortlex order; 0 is the identity
  std::vector<Word> words;
  std::vector<std::uint64_t> stages;
  std::vector<std::vector<std::uint32_t>> right;
  std::vector<std::vector<std::uint32_t>> left;
  std::vector<std::pair<Word, Word>> rules;
  std::uint64_t idempotents = 0;
  std::map<Map, std::uint32_t> numbers;

  bool tooMany = false;  ///< there are more than `most` elements: nothing else here means anything

  explicit SemigroupOracle(const std::vector<Map>& generators, std::size_t most = ~std::size_t{0}) {
    Map identity(generators.front().size());
    std::iota(identity.begin(), identity.end(), 0U);
    add(identity, {});
    // Elements are found in the order of their words, so that the queue is the list itself.
    for (std::size_t x = 0; x < elements.size(); ++x) {
      if (words[x].size() == stages.size()) stages.push_back(0);
      ++stages.back();
      right.emplace_back();
      tooMany = elements.size() > most;
      if (tooMany) return;
      for (std::size_t g = 0; g < generators.size(); ++g) {
        const Map image = product(elements[x], generators[g]);
        Word word = words[x];
        word.push_back(static_cast<std::uint16_t>(g));
        if (!numbers.contains(image)) add(image, word);
        right.back().push_back(numbers.at(image));
      }
    }
    for (const auto& element : elements) {
      left.emplace_back();
      for (const auto& generator : generators) left.back().push_back(numbers.at(product(generator, element)));
      idempotents += product(element, element) == element ? 1 : 0;
    }
    findRules();
  }

  /// From left to right.
  static Map product(const Map& x, const Map& y) {
    Map result(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) result[i] = y[x[i]];
    return result;
  }

 private:
  void add(const Map& map, const Word& word) {
    numbers.emplace(map, static_cast<std::uint32_t>(elements.size()));
    elements.push_back(map);
    words.push_back(word);
  }

  /// A rule for each word that is not the word of an element while all its proper factors are.
  void findRules() {
    const std::set<Word> minimal(words.begin(), words.end());
    for (std::size_t x = 0; x < elements.size(); ++x) {
      for (std::size_t g = 0; g < right[x].size(); ++g) {
        Word side = words[x];
        side.push_back(static_cast<std::uint16_t>(g));
        if (minimal.contains(side) || !minimal.contains(Word(side.begin() + 1, side.end()))) continue;
        rules.emplace_back(side, words[right[x][g]]);
      }
    }
  }
};

}  // namespace slicepool::test
