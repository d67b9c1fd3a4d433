// The library's front door to transformation semigroups: a request, and an enumeration object that explores
// the monoid which transformations generate, and answers questions about it. The command line is a thin user.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "slicepool/core/engine.hpp"
#include "slicepool/core/options.hpp"
#include "slicepool/core/run_handle.hpp"
#include "slicepool/semigroup/types.hpp"

namespace slicepool::semigroup {

/// Image list of length n: point i goes to entry i. Words act from left to right: (x.g)[i] = g[x[i]].
using Transformation = std::vector<Image>;
/// Numbers of generators; the empty word is the identity.
using Word = std::vector<Letter>;

/// How the run proves that images of a few base points determine the elements (docs/semigroup.md).
enum class Check : std::uint8_t { certificate, rules };

/// One stage, when it is finished.
struct StageReport {
  std::uint32_t stage = 0;     ///< length of the words
  std::uint64_t found = 0;     ///< |T_stage|: elements whose shortest word has this length
  std::uint64_t elements = 0;  ///< |F_stage|: elements so far
  double seconds = 0;
};

/// Generators: exactly one of the first three.
struct Request {
  std::string named;                       ///< a family: "bihecke:5"
  std::string generatorsPath;              ///< a file (docs/semigroup.md)
  std::vector<Transformation> generators;  ///< 1 .. 65535 of one length n >= 1
  Algorithm algorithm = Algorithm::fingerprint;
  std::vector<Image> base;  ///< fingerprint: points to start with, beside the sources
  bool fixedBase = false;   ///< fingerprint: a base that does not separate the elements is an error
  Check check = Check::certificate;
  std::uint64_t maxElements = 0;          ///< stop after the stage that reaches so many; 0: no limit
  std::optional<std::uint32_t> maxStage;  ///< last stage to find
  bool idempotents = false;
  std::optional<Transformation> contains;     ///< is it an element?
  std::optional<Transformation> wordOf;       ///< the word of an element given by its images
  std::optional<std::uint64_t> wordOfNumber;  ///< the word of an element given by its number
  std::string elementsPath;                   ///< .npy, shape (size, n), in shortlex order
  std::string wordsPath;                      ///< text, one word a line
  std::string rightGraphPath;                 ///< .csv, .dot, .gv or .npy
  std::string leftGraphPath;
  std::string rulesPath;  ///< text, one rule a line
  /// Called after each stage, on the thread of run(); again from stage 1 on after the base has grown.
  std::function<void(const StageReport&)> onStage;
  unsigned hashBits = 64;            ///< fewer provoke collisions (tests)
  std::uint64_t smallStage = 32768;  ///< stages of at most so many products stay on one thread
};

struct OutputFile {
  std::string what;
  std::string path;
  std::uint64_t bytes = 0;
};

struct Outcome {
  std::uint32_t points = 0;           ///< n
  std::uint32_t generators = 0;       ///< their number
  std::uint64_t size = 0;             ///< elements with the identity; of an unfinished or limited run: so far
  bool complete = false;              ///< `size` is the size of the monoid
  bool limited = false;               ///< stopped by maxElements or maxStage
  std::vector<std::uint64_t> stages;  ///< |T_k|, from k = 0
  std::uint64_t rules = 0;            ///< of the shortlex system, the identity being the empty word
  std::optional<std::uint64_t> idempotents;  ///< with the identity
  std::vector<Image> base;     ///< points whose images were the keys; empty where all points are
  std::uint32_t restarts = 0;  ///< times the base was grown
  std::vector<std::pair<std::string, double>> phaseSeconds;
  /// Of `contains`: the number of the element. Empty: it is none (of a limited run: none of those found).
  std::optional<std::uint64_t> containedAs;
  std::optional<std::uint64_t> wordOfNumber;  ///< of `wordOf`
  std::optional<Word> word;
  std::vector<OutputFile> files;
  std::string checkpointPath;  ///< what an unfinished or limited run can be resumed from; empty: nothing
  RunReport run;
};

/// A rule: the words of its two sides.
using Rule = std::pair<Word, Word>;

/// One exploration as an object. Construction validates the request (ConfigError), reads the generators and
/// asks for the devices that the mode needs (DeviceError). Elements, their numbers, words, graphs and rules
/// are the same in every mode, with every algorithm and number of threads.
///
///     slicepool::semigroup::Request request;
///     request.named = "bihecke:4";
///     slicepool::semigroup::Enumeration semigroup(request, {.mode = slicepool::Mode::cpu});
///     semigroup.run();
///     semigroup.size();        // 477
///     semigroup.word(476);     // a longest word
///
/// run() explores until complete, limited or cancelled, then writes the files of the request; it throws
/// LimitError when memory or disk is short, ConfigError when a fixed base fails. It can be called again after
/// a cancel: a stage that was given up is repeated. A checkpoint may be resumed with other limits. stepping()
/// is true from what is new: a resumed run first makes again what was saved.
class Enumeration : public RunHandle {
 public:
  Enumeration(Request request, EngineOptions options);
  /// Explores for about `duration`: until the stage that is in work then is finished. Call again to go on.
  void runFor(std::chrono::nanoseconds duration);
  /// Any thread; may be repeated. Like cancel(); but a resumed run first finishes a stage that it did not
  /// have, so that runs with a limit, one after another, come to an end.
  void timeIsOver() noexcept;
  /// After run() or runFor().
  [[nodiscard]] Outcome outcome() const;

  // Answers, after run() or runFor(), about what has been found. Numbers are checked: std::out_of_range.
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] std::uint32_t points() const;
  [[nodiscard]] std::uint32_t generatorCount() const;
  /// The shortest word, of these the first in lexicographic order. O(length).
  [[nodiscard]] Word word(Element x) const;
  /// Its images. O(n length).
  [[nodiscard]] Transformation element(Element x) const;
  /// The number of a transformation of n points, if it is an element.
  [[nodiscard]] std::optional<Element> find(const Transformation& images) const;
  /// The number of x.g and g.x. O(1). Rows of the last stage of a limited run are not there.
  [[nodiscard]] Element right(Element x, std::uint32_t g) const;
  [[nodiscard]] Element left(Element x, std::uint32_t g) const;
  /// The complete shortlex system, in the order of left sides. O(size |G|).
  [[nodiscard]] std::vector<Rule> rules() const;

  // The same for many elements at once: rows in C order, without a call for each number.

  /// Elements whose rows of the right Cayley graph are there: all of a complete exploration.
  [[nodiscard]] std::uint64_t rightRows() const;
  /// The left Cayley graph as it lies in memory: entry x * generatorCount() + g is the number of g.x, for all
  /// x whose row is there. Valid until the next run() and as long as the enumeration.
  [[nodiscard]] std::span<const Element> leftGraph() const;
  /// Writes the numbers of x.g for x < rightRows(): rightRows() * generatorCount() of them.
  void copyRightGraph(Element* numbers) const;
  /// Writes the images of the elements begin .. end-1: (end - begin) * points() of them. O(n length) each.
  /// Throws std::out_of_range.
  void copyElements(std::uint64_t begin, std::uint64_t end, Image* images) const;
  /// The numbers of the elements found with x.x = x, ascending. O(size length), and n times that for those
  /// whose squares lie beyond an unfinished graph.
  [[nodiscard]] std::vector<Element> idempotents() const;

 private:
  class Impl;
  [[nodiscard]] Impl& impl() const;
};

}  // namespace slicepool::semigroup
