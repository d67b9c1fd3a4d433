// The semigroup workload as an object: limits, interruption and resume at any stage, membership and words,
// files, generators from text and JSON, memory limits, bad input.
#include <doctest/doctest.h>

#include <fstream>
#include <future>
#include <thread>

#include "runtime/semigroup/generators.hpp"
#include "slicepool/core/error.hpp"
#include "support/semigroup/front.hpp"
#include "support/semigroup/oracle.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool;
using namespace slicepool::test;

namespace {

std::string errorOf(const semigroup::Request& request) {
  try {
    semigroup::Enumeration enumeration(request, cpu(1));
    enumeration.run();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

std::string parseErrorOf(const std::string& text) {
  try {
    (void)semigroup::parseGenerators(text, "maps");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a run that is stopped at any stage and resumed finds the same, with every algorithm") {
  TemporaryFolder folder;
  using semigroup::Algorithm;
  for (const Algorithm algorithm : {Algorithm::fingerprint, Algorithm::froidurePin, Algorithm::words}) {
    auto request = named("bihecke:4");
    request.algorithm = algorithm;
    const Everything whole = explore(request, cpu(1));
    for (std::uint32_t stage = 0; stage < 9; ++stage) {
      CAPTURE(stage);
      EngineOptions options = cpu(2);
      options.checkpointPath = folder.path("checkpoint");
      auto first = request;
      first.maxStage = stage;
      semigroup::Enumeration stopped(first, options);
      stopped.run();
      CHECK(stopped.outcome().checkpointPath == options.checkpointPath);
      semigroup::Enumeration resumed(request, options);
      REQUIRE(resumed.resumeIfSaved());
      resumed.run();
      CHECK(everythingOf(resumed) == whole);
      CHECK(resumed.find(resumed.element(100)) == 100);
      CHECK_FALSE(std::filesystem::exists(options.checkpointPath));
    }
  }
}

TEST_CASE("a cancelled run leaves a checkpoint, and goes on in the same object and in another one") {
  TemporaryFolder folder;
  auto request = named("bihecke:5");
  request.smallStage = 500;
  EngineOptions options = cpu(2);
  options.checkpointPath = folder.path("checkpoint");
  request.onStage = nullptr;
  semigroup::Enumeration* running = nullptr;
  auto cancelled = request;
  cancelled.onStage = [&](const semigroup::StageReport& stage) {
    if (stage.stage == 11) running->cancel();
  };
  semigroup::Enumeration first(cancelled, options);
  running = &first;
  first.run();
  CHECK_FALSE(first.finished());
  CHECK(first.outcome().size == 26409);  // |F_11| of bihecke:5
  CHECK(first.outcome().checkpointPath == options.checkpointPath);
  semigroup::Enumeration second(request, cpu(1));
  second.resumeFrom(options.checkpointPath);
  second.run();
  CHECK(second.outcome().size == 31103);
  CHECK(second.outcome().rules == 8272);
  CHECK(second.outcome().idempotents == 7859);
  first.run();
  CHECK(first.outcome().size == 31103);
  CHECK(everythingOf(first) == everythingOf(second));
}

TEST_CASE("runFor returns after a stage and can be called until finished") {
  semigroup::Enumeration enumeration(named("bihecke:5"), cpu(1));
  int calls = 0;
  while (!enumeration.finished()) {
    enumeration.runFor(std::chrono::nanoseconds(1));
    ++calls;
  }
  CHECK(calls > 10);
  CHECK(enumeration.outcome().size == 31103);
  CHECK(enumeration.outcome().rules == 8272);
}

TEST_CASE("a checkpoint of other generators or another algorithm is refused, and a damaged one too") {
  TemporaryFolder folder;
  EngineOptions options = cpu(1);
  options.checkpointPath = folder.path("checkpoint");
  auto request = named("bihecke:4");
  request.maxStage = 4;
  semigroup::Enumeration(request, options).run();
  semigroup::Enumeration other(named("renner:4"), cpu(1));
  CHECK_THROWS_AS(other.resumeFrom(options.checkpointPath), CheckpointError);
  auto byWords = named("bihecke:4");
  byWords.algorithm = semigroup::Algorithm::words;
  semigroup::Enumeration words(byWords, cpu(1));
  CHECK_THROWS_AS(words.resumeFrom(options.checkpointPath), CheckpointError);
  std::filesystem::resize_file(options.checkpointPath,
                               std::filesystem::file_size(options.checkpointPath) / 2);
  semigroup::Enumeration same(named("bihecke:4"), cpu(1));
  CHECK_THROWS_AS(same.resumeFrom(options.checkpointPath), CheckpointError);
}

TEST_CASE("max-elements stops after the stage that reaches them") {
  auto request = named("bihecke:5");
  request.maxElements = 1000;
  semigroup::Enumeration enumeration(request, cpu(1));
  enumeration.run();
  CHECK(enumeration.outcome().limited);
  CHECK(enumeration.outcome().size == 1387);  // |F_5|
  request.maxElements = 31103;
  semigroup::Enumeration whole(request, cpu(1));
  whole.run();
  CHECK(whole.outcome().size == 31103);
}

TEST_CASE("membership and words: every element is found by its images, and nothing else is") {
  const SemigroupOracle oracle(semigroup::namedGenerators("order-preserving:5").images);
  semigroup::Enumeration enumeration(named("order-preserving:5"), cpu(1));
  enumeration.run();
  SemigroupOracle::Map map(5, 0);
  for (int code = 0; code < 3125; ++code) {
    for (int i = 0, rest = code; i < 5; ++i, rest /= 5)
      map[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(rest % 5);
    const auto found = enumeration.find(map);
    CHECK(found.has_value() == oracle.numbers.contains(map));
    if (found) CHECK(oracle.numbers.at(map) == *found);
  }
  CHECK_FALSE(enumeration.find({0, 1, 2}).has_value());
  CHECK_FALSE(enumeration.find({0, 1, 2, 3, 5}).has_value());
  CHECK_THROWS_AS((void)enumeration.word(oracle.elements.size() & 0xffffffffU), std::out_of_range);
}

TEST_CASE("a transformation with the fingerprint of an element that is none is not contained") {
  semigroup::Enumeration enumeration(named("bihecke:4"), cpu(1));
  enumeration.run();
  const auto& base = enumeration.outcome().base;
  auto images = enumeration.element(300);
  std::uint32_t point = 0;
  while (std::find(base.begin(), base.end(), point) != base.end()) ++point;
  images[point] = (images[point] + 1) % 24;
  CHECK_FALSE(enumeration.find(images).has_value());
}

TEST_CASE("files hold the elements, words, graphs and rules") {
  TemporaryFolder folder;
  const SemigroupOracle oracle(semigroup::namedGenerators("full:3").images);
  auto request = named("full:3");
  request.elementsPath = folder.path("e.npy");
  request.wordsPath = folder.path("w.txt");
  request.rightGraphPath = folder.path("r.csv");
  request.leftGraphPath = folder.path("l.dot");
  request.rulesPath = folder.path("rules.txt");
  semigroup::Enumeration enumeration(request, cpu(1));
  enumeration.run();
  CHECK(enumeration.outcome().files.size() == 5);
  const std::string elements = contentOf(request.elementsPath);
  CHECK(elements.find("'shape': (27, 3)") != std::string::npos);
  std::string words;
  std::string right = "element,g0,g1,g2\n";
  std::string left = "digraph left_cayley_graph {\n";
  for (std::size_t x = 0; x < oracle.elements.size(); ++x) {
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(elements[elements.size() - 81 + 3 * x + i] == static_cast<char>(oracle.elements[x][i]));
    for (const auto& letter : oracle.words[x])
      words += std::to_string(letter) + (&letter == &oracle.words[x].back() ? "" : " ");
    words += "\n";
    right += std::to_string(x);
    for (std::size_t g = 0; g < 3; ++g) {
      right += "," + std::to_string(oracle.right[x][g]);
      left += "  " + std::to_string(x) + " -> " + std::to_string(oracle.left[x][g]) + " [label=\"" +
              std::to_string(g) + "\"];\n";
    }
    right += "\n";
  }
  CHECK(contentOf(request.wordsPath) == words);
  CHECK(contentOf(request.rightGraphPath) == right);
  CHECK(contentOf(request.leftGraphPath) == left + "}\n");
  const std::string rules = contentOf(request.rulesPath);
  CHECK(rules.rfind("0 0 =\n", 0) == 0);  // the swap is an involution
  CHECK(static_cast<std::size_t>(std::count(rules.begin(), rules.end(), '\n')) == oracle.rules.size());
}

TEST_CASE("generators are read from text and JSON") {
  TemporaryFolder folder;
  const auto text = semigroup::parseGenerators("# two maps\n2 3\n1 0 2 # a swap\n1 2 0\n", "maps");
  CHECK(text.points == 3);
  CHECK(text.images == std::vector<semigroup::Transformation>{{1, 0, 2}, {1, 2, 0}});
  std::ofstream(folder.path("maps.json")) << R"({"generators": [[1, 0, 2], [1, 2, 0]]})";
  CHECK(semigroup::readGenerators(folder.path("maps.json")).images == text.images);
}

TEST_CASE("bad generators are refused with line, value and what is accepted") {
  CHECK(parseErrorOf("").find("maps:1: got the end of the text") == 0);
  CHECK(parseErrorOf("0 3").find("maps:1: got \"0\"") == 0);
  CHECK(parseErrorOf("1 3\n0 1").find("maps:2: got the end of the text") == 0);
  CHECK(parseErrorOf("1 3\n0 1 3").find("maps:2: got \"3\"") == 0);
  CHECK(parseErrorOf("1 3\n0 1 x").find("maps:2: got \"x\"") == 0);
  CHECK(parseErrorOf("1 3\n0 1 -1").find("maps:2: got \"-1\"") == 0);
  CHECK(parseErrorOf("1 3\n0 1 2\n\n7").find("maps:4: got \"7\"; accepted: nothing after") == 0);
}

TEST_CASE("bad requests name the field, the value and what is accepted") {
  CHECK(errorOf({}).find("generators: got nothing") == 0);
  CHECK(errorOf(named("bihecke")).find("named: got \"bihecke\"") == 0);
  CHECK(errorOf(named("bihecke:1")).find("named: got \"bihecke:1\"") == 0);
  CHECK(errorOf(named("bihecke:9")).find("named: got") == 0);
  CHECK(errorOf(named("hecke:3")).find("named: got") == 0);
  CHECK(errorOf(named("full:4x")).find("named: got") == 0);
  auto request = named("full:3");
  request.generators = {{0}};
  CHECK(errorOf(request).find("generators: got more than one") == 0);
  request = {};
  request.generators = {{0, 1}, {0}};
  CHECK(errorOf(request).find("generators[1]: got 1 images") == 0);
  request.generators = {{0, 2}};
  CHECK(errorOf(request).find("generators[0]: got 2") == 0);
  request = named("full:3");
  request.contains = semigroup::Transformation{0, 1};
  CHECK(errorOf(request).find("contains: got 2 images") == 0);
  request.contains = semigroup::Transformation{0, 1, 3};
  CHECK(errorOf(request).find("contains: got 3") == 0);
  request = named("full:3");
  request.wordOfNumber = 27;
  CHECK(errorOf(request).find("word_of: got 27; accepted: a number from 0 to 26") == 0);
  request = named("full:3");
  request.base = {3};
  CHECK(errorOf(request).find("base: got 3") == 0);
  request = named("full:3");
  request.rightGraphPath = "graph.png";
  CHECK(errorOf(request).find("output.right_cayley_graph: got") == 0);
  request.rightGraphPath = "/no/such/folder/graph.csv";
  CHECK(errorOf(request).find("output.right_cayley_graph: got") == 0);
}

TEST_CASE("a memory limit is kept, and says what would be needed") {
  auto request = named("bihecke:5");
  EngineOptions options = cpu(1);
  options.memoryLimit = 1U << 20;
  semigroup::Enumeration enumeration(request, options);
  CHECK_THROWS_WITH_AS(enumeration.run(), doctest::Contains("memory: "), LimitError);
}

TEST_CASE("a cancel from another thread ends a long run") {
  auto request = named("bihecke:6");
  std::promise<void> reached;
  std::promise<void> cancelled;
  request.onStage = [&](const semigroup::StageReport& stage) {
    if (stage.stage != 8) return;
    reached.set_value();
    cancelled.get_future().wait();
  };
  semigroup::Enumeration enumeration(request, cpu(2));
  std::jthread other([&] {
    reached.get_future().wait();
    enumeration.cancel();
    cancelled.set_value();
  });
  enumeration.run();
  CHECK_FALSE(enumeration.finished());
  CHECK(enumeration.outcome().size < 7505009);
}

TEST_CASE("a step limit ends a run in the middle of a stage, from where a checkpoint goes on") {
  TemporaryFolder folder;
  const auto whole = explore(named("bihecke:4"), cpu(1));
  std::size_t stages = 0;
  for (const bool parallel : {false, true}) {
    for (const std::uint64_t limit : {std::uint64_t{1}, std::uint64_t{500}, std::uint64_t{2000}}) {
      CAPTURE(parallel);
      CAPTURE(limit);
      auto request = named("bihecke:4");
      request.smallStage = parallel ? 10 : 100'000;
      EngineOptions options = cpu(2);
      options.cpuBudget = 100;
      options.stepLimit = limit;
      options.checkpointPath = folder.path("checkpoint");
      semigroup::Enumeration first(request, options);
      first.run();
      CHECK_FALSE(first.finished());
      CHECK(first.outcome().run.steps >= limit);
      CHECK(first.outcome().stages.size() >= (limit == 1 ? 0 : stages));
      stages = first.outcome().stages.size();
      options.stepLimit = 0;
      semigroup::Enumeration rest(request, options);
      CHECK(rest.resumeIfSaved());
      rest.run();
      CHECK(everythingOf(rest) == whole);
    }
  }
}
