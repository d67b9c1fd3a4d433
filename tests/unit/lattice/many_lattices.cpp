// Many lattices at once: against single runs and boxes of coefficients that are tried in integers; the way in
// doubles against the way by big integers; lines that are refused; order, stops and files.
// One file, because most cases share the lattices and the boxes.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/lattice/device_groups.hpp"
#include "runtime/lattice/lattice_group.hpp"
#include "runtime/lattice/lattice_line.hpp"
#include "runtime/lattice/one_lattice.hpp"
#include "runtime/lattice/reduction.hpp"
#include "slicepool/core/devices.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/detail/lattice_reducer.hpp"
#include "slicepool/lattice/enumeration.hpp"
#include "slicepool/lattice/many_lattices.hpp"
#include "support/gpu_list.hpp"
#include "support/json_lines.hpp"
#include "support/lattice/given_lattices.hpp"
#include "support/lattice/many_runs.hpp"
#include "support/scale.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

namespace {
namespace many_test {

using namespace slicepool;
using namespace slicepool::lattice;
using test::below;
using test::given;
using test::gramOf;
using test::randomRows;
using test::Rows;
using test::textsOf;

std::vector<LatticeAnswer> answersTo(std::vector<GivenLattice> lattices, const SquaredRadius& radius = {},
                                     std::uint64_t solutions = 1, int threads = 2) {
  ManyRequest request;
  request.lattices = std::move(lattices);
  request.squaredRadius = radius;
  request.solutions = solutions;
  EngineOptions options;
  options.threads = threads;
  ManyLattices many(std::move(request), options);
  many.run();
  CHECK(many.finished());
  return many.outcome().answers;
}

Outcome single(const GivenLattice& lattice, const SquaredRadius& radius, std::uint64_t solutions) {
  Request request;
  (lattice.gram ? request.gram : request.basis) = matrixText(lattice);
  request.squaredRadius = radius;
  request.fixedRadius = radius.given();
  request.solutions = solutions;
  EngineOptions options;
  options.threads = 1;
  Enumeration enumeration(request, options);
  enumeration.run();
  return enumeration.outcome();
}

std::string refusalOf(const std::string& text) {
  LatticeLine line;
  try {
    parseLatticeLine(text, line);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

struct Searched {
  Way way = Way::stopped;
  LatticeAnswer answer;
};

Searched searched(const GivenLattice& lattice, const ManyWanted& wanted, bool certified, bool exact) {
  const std::atomic<bool> stop{false};
  OneLattice searcher(stop, {certified, exact});
  Searched result;
  result.way = searcher.search(lattice, wanted, result.answer);
  return result;
}

/// By doubles where that is certain, or by big integers alone. A matrix that is none has an error.
Searched searchedOrRefused(const GivenLattice& lattice, bool certified) {
  try {
    return searched(lattice, {}, certified, true);
  } catch (const std::exception& error) {
    Searched refused;
    refused.answer.error = error.what();
    return refused;
  }
}

TEST_CASE("each lattice of many has the shortest norm of a single run, whatever it is of and by whom given") {
  if (!fplllLinked()) return;
  const std::uint64_t seed = 2901;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::vector<GivenLattice> lattices;
  for (std::size_t i = 0; i < test::scaled(120); ++i) {
    const int d = 2 + static_cast<int>(random() % 26);
    const Rows rows = randomRows(random, d, static_cast<int>(i % 4));
    lattices.push_back(i % 3 == 0 && i % 4 != 3 ? given(gramOf(rows), true) : given(rows));
  }
  const auto answers = answersTo(lattices);
  REQUIRE(answers.size() == lattices.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    CAPTURE(i);
    CAPTURE(answers[i].error);
    REQUIRE(answers[i].vectors.size() == 1);
    CHECK(answers[i].vectors[0].squaredNorm == single(lattices[i], {}, 1).shortestSquaredNorm);
    CHECK(answers[i].dimension == lattices[i].rows);
  }
}

TEST_CASE("vectors within a radius are those of every coefficient vector of a box, in dimensions up to 4") {
  if (!fplllLinked()) return;
  const std::uint64_t seed = 2902;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (std::size_t round = 0; round < test::scaled(60); ++round) {
    const int d = 1 + static_cast<int>(random() % 4);
    Rows rows(static_cast<std::size_t>(d), std::vector<std::int64_t>(static_cast<std::size_t>(d)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (auto& entry : rows[i]) entry = below(random, 5) - 2;
      rows[i][i] += 7;  // more than the rest of the row: |x B| is at least |x|
    }
    const std::int64_t most = 60 + below(random, 80);
    std::uint64_t count = 0;
    const std::int64_t reach = 12;  // |x_i| <= sqrt(139) where the least singular value is at least 1
    std::vector<std::int64_t> x(rows.size(), -reach);
    for (bool more = true; more;) {
      std::int64_t norm = 0;
      for (std::size_t j = 0; j < rows.size(); ++j) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) sum += x[i] * rows[i][j];
        norm += sum * sum;
      }
      count += norm > 0 && norm <= most ? 1 : 0;
      std::size_t i = 0;
      for (; i < x.size() && x[i] == reach; ++i) x[i] = -reach;
      more = i < x.size();
      if (more) ++x[i];
    }
    CAPTURE(round);
    const auto answers = answersTo({given(rows), given(gramOf(rows), true)}, most, 5);
    for (const auto& answer : answers) {
      CHECK(answer.error == "");
      CHECK(2 * answer.count == count);
      CHECK(answer.vectors.size() == std::min<std::uint64_t>(5, answer.count));
    }
  }
}

TEST_CASE("the way in doubles and the way by big integers keep the same vectors, to the last one") {
  if (!fplllLinked()) return;
  const std::uint64_t seed = 2903;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (std::size_t round = 0; round < test::scaled(60); ++round) {
    const int d = 2 + static_cast<int>(random() % 16);
    GivenLattice lattice = given(randomRows(random, d, static_cast<int>(round % 3)));
    const Searched first = searched(lattice, {}, true, false);
    CHECK(first.way == Way::certified);
    // A radius on which vectors lie.
    const ManyWanted wanted{SquaredRadius(first.answer.vectors[0].squaredNorm), 30};
    const ManyWanted wider{SquaredRadius(2 * std::stoll(first.answer.vectors[0].squaredNorm)), 30};
    for (const ManyWanted& each : {wanted, wider}) {
      const Searched fast = searched(lattice, each, true, false);
      const Searched exact = searched(lattice, each, false, true);
      CHECK(fast.way == Way::certified);
      CHECK(exact.way == Way::exact);
      CHECK(fast.answer.count == exact.answer.count);
      CHECK(fast.answer.count > 0);
      CHECK(textsOf(fast.answer) == textsOf(exact.answer));
    }
    CHECK(searched(lattice, {}, false, true).answer.vectors[0].squaredNorm ==
          first.answer.vectors[0].squaredNorm);
  }
}

TEST_CASE("a lattice that is said to be reduced and is not is reduced") {
  std::mt19937_64 random(2912);
  for (int i = 0; i < 40; ++i) {
    GivenLattice lattice = given(randomRows(random, 20, i % 3));
    const auto wanted = answersTo({lattice})[0];
    lattice.reduced = true;
    const auto got = answersTo({lattice})[0];
    CHECK(got.vectors[0].squaredNorm == wanted.vectors[0].squaredNorm);
    CHECK(got.nodes < 20 * wanted.nodes + 1000);
  }
}

TEST_CASE("one unit of a squared norm near 2^80 decides") {
  // Rows (a, 0) and (0, b) with b^2 = a^2 + 1 do not exist; two Gram matrices that differ by one do.
  const std::int64_t large = (std::int64_t{1} << 61) - 1;
  for (const std::int64_t more : {-1, 1}) {
    const auto answers = answersTo({given({{large, 0}, {0, large + more}}, true)});
    CHECK(answers[0].vectors[0].squaredNorm == std::to_string(std::min(large, large + more)));
  }
  const std::int64_t edge = (std::int64_t{1} << 40) - 1;
  const auto rows = answersTo({given({{edge, 0, 1}, {0, edge, 0}})});
  CHECK(rows[0].vectors[0].squaredNorm == "1208925819612430151450625");  // (2^40 - 1)^2
  CHECK(rows[0].vectors[0].vector == std::vector<std::int64_t>{0, edge, 0});
}

TEST_CASE("a lattice that is none has an error in its place, and the others their answers") {
  GivenLattice wide;
  wide.text = "[[100000000000000000000 0] [0 200000000000000000000]]";
  const auto answers =
      answersTo({given({{1, 2}, {2, 4}}), given({{2, 0}, {0, 3}}), given({{2, 1}, {0, 2}}, true),
                 given({{1, 2}, {2, 1}}, true), given({{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}), wide,
                 given({{2, 1}, {1, 2}}, true)});
  REQUIRE(answers.size() == 7);
  CHECK(test::contains(answers[0].error, "row 2 that is a combination of the rows before it"));
  CHECK(answers[0].field == "basis");
  CHECK(answers[1].vectors[0].vector == std::vector<std::int64_t>{2, 0});
  CHECK(test::contains(answers[2].error, "gram: row 2, column 1: got 0"));
  CHECK(test::contains(answers[3].error, "positive definite"));
  CHECK(test::contains(answers[4].error, "row 3"));
  CHECK(answers[5].vectors[0].squaredNorm == "10000000000000000000000000000000000000000");
  CHECK(answers[5].vectors[0].text == "[100000000000000000000 0]");
  CHECK(answers[6].vectors[0].squaredNorm == "2");
  for (const std::size_t good : {1, 5, 6}) CHECK(answers[good].error == "");
}

TEST_CASE("large matrices are Gram matrices or refused, as big integers have it") {
  if (!fplllLinked()) return;
  std::mt19937_64 random(2904);
  for (std::size_t round = 0; round < test::scaled(200); ++round) {
    CAPTURE(round);
    const int d = 2 + static_cast<int>(random() % 11);
    const std::int64_t diagonal = std::int64_t{1} << (20 + random() % 41);
    // Definite for certain, or as it comes: indefinite sooner or later in its rows.
    const std::int64_t beside = round % 3 == 0 ? diagonal / (2 * d) : diagonal >> (random() % 4);
    GivenLattice lattice;
    lattice.gram = true;
    lattice.rows = lattice.columns = d;
    lattice.entries.resize(static_cast<std::size_t>(d * d));
    const auto set = [&](int i, int j, std::int64_t value) {
      lattice.entries[static_cast<std::size_t>(i * d + j)] =
          lattice.entries[static_cast<std::size_t>(j * d + i)] = value;
    };
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < i; ++j)
        set(i, j, static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(beside)) - beside / 2);
    for (int i = 0; i < d; ++i) set(i, i, diagonal);
    if (round % 3 == 1) set(d - 1, 0, diagonal);  // never definite
    const Searched exact = searchedOrRefused(lattice, false);
    const Searched fast = searchedOrRefused(lattice, true);
    CHECK(fast.answer.error == exact.answer.error);
    if (round % 3 == 0) CHECK(exact.answer.error == "");
    if (round % 3 == 1) CHECK(exact.answer.error != "");
    if (exact.answer.error == "")
      CHECK(fast.answer.vectors[0].squaredNorm == exact.answer.vectors[0].squaredNorm);
  }
}

TEST_CASE("a radius of a lattice goes before that of all, and one that is impossible is its own error") {
  GivenLattice lattice = given({{1, 0}, {0, 1}});
  GivenLattice wider = lattice;
  wider.squaredRadius = 4;
  GivenLattice huge = lattice;
  huge.squaredRadius = "1e40";
  const auto answers = answersTo({lattice, wider, huge}, 1);
  CHECK(answers[0].count == 2);
  CHECK(answers[1].count == 6);
  CHECK(test::contains(answers[2].error, "coefficient"));
}

TEST_CASE("answers do not depend on the number of threads, and a lattice too large for a core is pooled") {
  std::mt19937_64 random(2904);
  std::vector<GivenLattice> lattices;
  for (int i = 0; i < 40; ++i) lattices.push_back(given(randomRows(random, 12, i % 3)));
  const auto one = answersTo(lattices, {}, 1, 1);
  const auto three = answersTo(lattices, {}, 1, 3);
  for (std::size_t i = 0; i < lattices.size(); ++i) CHECK(textsOf(one[i]) == textsOf(three[i]));
  const std::atomic<bool> stop{false};
  OneLattice searcher(stop, {.maximumNodes = 10});
  LatticeAnswer answer;
  CHECK(searcher.search(lattices[0], {}, answer) == Way::tooLarge);
}

TEST_CASE("a device that fails or answers wrongly costs a warning and no answer") {
  std::mt19937_64 random(2908);
  ManyRequest request;
  for (int i = 0; i < 40; ++i) request.lattices.push_back(given(randomRows(random, 26, 0)));
  const auto wanted = answersTo(request.lattices);
  struct Fault {
    std::int64_t fails, spoils;
    std::string warning;
  };
  for (const Fault& fault :
       {Fault{0, -1, "lattices are reduced by cores: emulated device: injected fault"},
        Fault{1, -1, "lattices are searched by cores: emulated device: injected fault"},
        Fault{-1, 1, "vectors that a device found do not have the norms that it computed"}}) {
    CAPTURE(fault.warning);
    EngineOptions options;
    options.mode = Mode::emulated;
    options.threads = 1;
    options.emulator.failAtLaunch = fault.fails;
    options.emulator.spoilAtLaunch = fault.spoils;
    ManyLattices many(request, options);
    many.run();
    const ManyOutcome outcome = many.outcome();
    REQUIRE(outcome.run.warnings.size() == 1);
    CHECK(test::contains(outcome.run.warnings[0], fault.warning));
    REQUIRE(outcome.answers.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      REQUIRE(outcome.answers[i].error.empty());
      CHECK(outcome.answers[i].vectors[0].squaredNorm == wanted[i].vectors[0].squaredNorm);
    }
    CHECK(outcome.searchedByDevice == (fault.spoils >= 0 ? 39 : 0));
  }
}

TEST_CASE("groups wait for a GPU, not for its emulator, which is work of the cores") {
  const std::atomic<bool> stop{false};
  const ManyRequest request;
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    EngineOptions options;
    options.mode = mode;
    const GroupSolver solver(request, options, 2, {}, nullptr, stop);
    CHECK(solver.seats() == 2);
    CHECK(solver.hasDevice() == (mode == Mode::emulated));
  }
}

TEST_CASE(
    "many lattices in mode hybrid ask for the driver when the search has lasted, or others have asked") {
  const test::DriverWithoutGpus driver;
  registerLatticeReducerMaker([](int) { return makeEmulatedReducer(); });
  EngineOptions options;
  options.mode = Mode::hybrid;
  {
    DeviceGroups devices(options, 1, 0, {});
    CHECK(devices.wanted());
    CHECK_FALSE(devices.choice().value().devices);
    CHECK_FALSE(driverWasAsked());
    while (!devices.choice()->devices) CHECK_FALSE(devices.ready());
    CHECK(devices.choice()->askedSeconds.value() > 0.04);
  }
  awaitGpuStart();
  CHECK(driverWasAsked());
  DeviceGroups second(options, 1, 0, {});
  CHECK_FALSE(second.ready());
  CHECK(second.choice().value().reason == "the process had asked for them before");
  registerLatticeReducerMaker({});
}

TEST_CASE(
    "many lattices in mode auto start a GPU for half a second of all cores, and take one that is ready") {
  struct Driver {
    Driver() {
      GpuProvider provider;
      provider.list = [] { return test::gpuList(1); };
      provider.warmUp = [](int) {};
      registerGpuProvider(provider);
      registerLatticeReducerMaker([](int) { return makeEmulatedReducer(); });
    }
    ~Driver() {
      registerGpuProvider({});
      registerLatticeReducerMaker({});
    }
  };
  const Driver driver;
  EngineOptions options;
  options.mode = Mode::automatic;
  const auto choiceFor = [&](double seconds) {
    const DeviceGroups devices(options, 1, seconds, {});
    CHECK(devices.wanted() == devices.choice().value().devices);
    return devices.choice().value();
  };
  CHECK_FALSE(choiceFor(0.3).devices);
  CHECK(choiceFor(0.3).reason == "CPU workers take about 0.3 s for what devices would do");
  CHECK_FALSE(driverWasAsked());
  CHECK(choiceFor(0.6).devices);
  awaitGpuStart();
  while (!gpuIsReady(0)) std::this_thread::yield();
  CHECK(choiceFor(0.3).reason == "the GPUs were ready");
  CHECK(choiceFor(0.3).devices);
  CHECK_FALSE(choiceFor(0.05).devices);
}

TEST_CASE("with a test of vectors mode auto expects as much to be reduced as without one") {
  const test::DriverWithoutGpus driver;
  registerLatticeReducerMaker([](int) { return makeEmulatedReducer(); });
  std::mt19937_64 random(2918);
  ManyRequest request;
  for (std::size_t i = 0; i < 32; ++i) request.lattices.push_back(given(randomRows(random, 20, 0)));
  request.squaredRadius = SquaredRadius(100);
  std::string reason;
  for (const bool tested : {false, true}) {
    if (tested) request.accept = [](std::uint64_t, const LatticeVector&) { return true; };
    EngineOptions options;
    options.mode = Mode::automatic;
    options.threads = 1;
    ManyLattices many(request, options);
    many.run();
    const std::string said = many.outcome().run.automatic.value().reason;
    CHECK(said.starts_with("CPU workers take about "));
    CHECK((!tested || said == reason));
    reason = said;
  }
  registerLatticeReducerMaker({});
}

TEST_CASE("cores search a group until the device is there, and the device the rest of it") {
  std::mt19937_64 random(2917);
  ManyRequest request;
  constexpr std::size_t kCount = 12;
  for (std::size_t i = 0; i < kCount; ++i) request.lattices.push_back(given(randomRows(random, 20, 0)));
  const std::atomic<bool> stop{false};
  EngineOptions options;
  options.mode = Mode::emulated;
  const auto nodesAfter = [&](std::size_t late) {
    std::size_t asked = 0;
    GroupSolver solver(request, options, 1, {}, nullptr, stop, [&] { return asked++ >= late; });
    LatticeGroup group;
    group.count = kCount;
    solver.solve(group, 0);
    CHECK(solver.searchedByDevice() == kCount - std::min(late, kCount));
    CHECK(solver.reducedByDevice() == kCount - std::min(late, kCount));
    std::vector<std::uint64_t> nodes;
    for (const LatticeAnswer& answer : group.answers) {
      REQUIRE(answer.vectors.size() == 1);
      nodes.push_back(answer.nodes);
    }
    return nodes;
  };
  const auto device = nodesAfter(0);
  const auto cores = nodesAfter(kCount);
  CHECK(device != cores);
  for (const std::size_t late : {std::size_t{1}, std::size_t{5}, kCount - 1, kCount + 3}) {
    CAPTURE(late);
    auto wanted = cores;
    for (std::size_t i = late; i < kCount; ++i) wanted[i] = device[i];
    CHECK(nodesAfter(late) == wanted);
  }
}

TEST_CASE("groups that are used again have nothing of what was in them") {
  const test::TemporaryFolder folder;
  std::mt19937_64 random(2916);
  std::vector<GivenLattice> lattices;
  std::string text;
  for (int i = 0; i < 3500; ++i) {  // more than fit in the groups of one thread, and of its emulator
    const int kind = i % 5;
    lattices.push_back(given(randomRows(random, 1 + kind * 2, kind % 3)));
    text += "{\"basis\":" + matrixText(lattices.back());
    std::replace(text.begin() + static_cast<std::ptrdiff_t>(text.rfind(':')), text.end(), ' ', ',');
    if (kind == 1) text += R"(,"id":"x")";
    if (kind == 2) text += R"(,"squared_radius":1)";
    text += "}\n";
    if (kind == 3) text += "\n";
  }
  std::size_t at = 0;
  while ((at = text.find("][", at)) != std::string::npos) text.replace(at, 2, "],[");
  ManyRequest request;
  request.batchPath = folder.path("lattices");
  request.outputPath = folder.path("answers");
  std::ofstream(request.batchPath) << text;
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    EngineOptions options;
    options.threads = 1;
    options.mode = mode;
    ManyLattices many(request, options);
    many.run();
    REQUIRE(many.finished());
    const auto answers = test::jsonLinesOf(test::contentOf(request.outputPath));
    REQUIRE(answers.size() == lattices.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      CAPTURE(answers[i].dump());
      REQUIRE_FALSE(answers[i].contains("error"));
      REQUIRE(answers[i]["dimension"] == lattices[i].rows);
      REQUIRE(answers[i].contains("id") == (i % 5 == 1));
      REQUIRE(answers[i].contains("count") == (i % 5 == 2));
    }
  }
}

TEST_CASE("a search that is stopped says so") {
  const std::atomic<bool> stop{true};
  OneLattice searcher(stop);
  LatticeAnswer answer;
  std::mt19937_64 random(2905);
  CHECK(searcher.search(given(randomRows(random, 20, 0)), {}, answer) == Way::stopped);
}

TEST_CASE("a line is read as JSON says, and refused with the member and the column") {
  LatticeLine line;
  parseLatticeLine(R"( {"id" : "a\"b", "basis":[[1,-2],[ 3 , 4 ]] , "squared_radius":"12.5"} )", line);
  CHECK(line.id == R"("a\"b")");
  CHECK(line.lattice.rows == 2);
  CHECK(line.lattice.entries == std::vector<std::int64_t>{1, -2, 3, 4});
  CHECK(line.lattice.squaredRadius.text() == "12.5");
  LatticeLine fraction;
  parseLatticeLine(R"({"basis":[[1]],"squared_radius":"4/6"})", fraction);
  CHECK(fraction.lattice.squaredRadius.text() == "2/3");
  LatticeLine large;
  parseLatticeLine(R"({"gram":[[1,0],[0,123456789012345678901]],"id":-7})", large);
  CHECK(large.lattice.gram);
  CHECK(large.id == "-7");
  CHECK(large.lattice.text == "[[1 0] [0 123456789012345678901]]");
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"", "line: column 1: got the end of the line"},
      {"[]", "line: column 1: got \"[\""},
      {"{}", "line: column 2: got an object without members"},
      {R"({"id":1})", "an object without a matrix"},
      {R"({"basis":[[1,2],[3]]})", "basis: column 17: got row 2 with 1 numbers; accepted: 2 numbers"},
      {R"({"basis":[[1.5]]})", "basis: column 12: got \"1.5\"; accepted: an integer"},
      {R"({"basis":[[01]]})", "an integer"},
      {R"({"basis":[[1e3]]})", "an integer"},
      {R"({"basis":[[]]})", "an integer"},
      {R"({"basis":[]})", "[ of the first row"},
      {R"({"basis":[[1,]]})", "an integer"},
      {R"({"basis":[[1]],})", "the name of a member"},
      {R"({"basis":[[1]]} x)", "nothing after the object"},
      {R"({"basis":[[1]],"basis":[[1]]})", "a second matrix"},
      {R"({"basis":[[1]],"gram":[[1]]})", "a second matrix"},
      {R"({"basis":[[1]],"bases":1})", "column 16: got \"bases\""},
      {R"({"basis":[[1]],"id":1.5})", "a string or an integer"},
      {R"({"basis":[[1]],"id":true})", "a string or an integer"},
      {R"({"basis":[[1]],"id":"\x"})", "a string or an integer"},
      {"{\"basis\":[[1]],\"id\":\"\xff\"}", "a string or an integer"},
      {R"({"basis":[[1]],"id":1,"id":2})", "a second time"},
      {R"({"basis":[[1]],"squared_radius":0})", "squared_radius"},
      {R"({"basis":[[1]],"squared_radius":-1})", "squared_radius"},
      {R"({"basis":[[1]],"squared_radius":2/3})", "squared_radius"},
      {R"({"basis":[[1]],"squared_radius":5.})", "squared_radius"},
      {R"({"basis":[[1]],"squared_radius":"1/0"})", "squared_radius"},
      {R"({"basis":[[1]],"squared_radius":""})", "squared_radius"},
      {R"({"gram":[[1,2]]})", "gram: got 1 rows of 2 numbers"},
      {R"({"basis":[[1],[2])", "the end of the line"},
  };
  for (const auto& one : refused) {
    CAPTURE(one.first);
    const std::string message = refusalOf(one.first);
    CAPTURE(message);
    CHECK(test::contains(message, one.second));
  }
}

TEST_CASE("an integer is read the same wherever it stands in its row, and however blanks stand around it") {
  for (const char* blanks : {"", " ", "  ", "\t"})
    for (const char* number : {"0", "-7", "10", "1234567", "-9999999", "12345678", "-87654321",
                               "123456789012345678", "-123456789012345678", "1234567890123456789", "-0"}) {
      CAPTURE(number);
      CAPTURE(blanks);
      const std::string spaced = blanks + std::string(number) + blanks;
      LatticeLine first;
      parseLatticeLine("{\"basis\":[[" + spaced + ",1],[0,1]]}", first);
      LatticeLine last;
      parseLatticeLine("{\"basis\":[[1," + spaced + "],[0,1]]}", last);
      const bool wide = std::string(number).size() == 19 && number[0] != '-';
      CHECK(first.lattice.text.empty() != wide);
      CHECK(last.lattice.text.empty() != wide);
      if (wide) continue;
      CHECK(first.lattice.entries == std::vector<std::int64_t>{std::stoll(number), 1, 0, 1});
      CHECK(last.lattice.entries == std::vector<std::int64_t>{1, std::stoll(number), 0, 1});
    }
  for (const char* number : {"", "-", "007", "00", "-01", "+1", "1x", "1.5", "12:4", "/3", "1\xb2"}) {
    CAPTURE(number);
    const std::string text(number);
    CHECK(test::contains(refusalOf("{\"basis\":[[" + text + ",1],[0,1]]}"), "accepted: an integer"));
    CHECK(test::contains(refusalOf("{\"basis\":[[1," + text + "],[0,1]]}"), "accepted: an integer"));
  }
}

TEST_CASE("mutated lines are read as the JSON library reads them, or refused by both") {
  const std::string good = R"({"id":"x","basis":[[10,-25,30],[4, 56,6]],"squared_radius":9})";
  std::mt19937_64 random(2906);
  const std::string letters = R"({}[]",:0123456789-.e\ xbasig)";
  int accepted = 0;
  const std::size_t rounds = std::max<std::size_t>(test::scaled(4000), 400);  // some are accepted
  for (std::size_t round = 0; round < rounds; ++round) {
    std::string text = good;
    for (int change = 0; change < 1 + static_cast<int>(round % 3); ++change) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0)
        text[at] = letters[random() % letters.size()];
      else
        text.erase(at, 1);
    }
    if (refusalOf(text) != "accepted") continue;
    ++accepted;
    CAPTURE(text);
    LatticeLine line;
    parseLatticeLine(text, line);
    const auto json = nlohmann::json::parse(text);  // throws where it is none
    const auto& rows = json.contains("basis") ? json["basis"] : json["gram"];
    std::vector<std::int64_t> entries;
    for (const auto& row : rows)
      for (const auto& entry : row) entries.push_back(entry.get<std::int64_t>());
    CHECK(entries == line.lattice.entries);
  }
  CHECK(accepted > 0);
}

TEST_CASE("an answer is one line of JSON with exact numbers") {
  LatticeAnswer answer;
  answer.dimension = 2;
  answer.vectors = {{"5", {1, -2}, ""}};
  std::string text;
  appendAnswerLine(answer, 3, "\"a\"", text);
  CHECK(text == "{\"line\":3,\"id\":\"a\",\"dimension\":2,\"squared_norm\":\"5\",\"vector\":[1,-2]}\n");
  text.clear();
  answer.byRadius = true;
  answer.count = 2;
  answer.vectors = {{"9007199254740993", {9007199254740993, 0}, ""}, {"1", {}, "[123456789012345678901 -1]"}};
  appendAnswerLine(answer, 1, "", text);
  CHECK(text ==
        "{\"line\":1,\"dimension\":2,\"count\":2,\"vectors\":[{\"squared_norm\":\"9007199254740993\","
        "\"vector\":[\"9007199254740993\",0]},{\"squared_norm\":\"1\","
        "\"vector\":[\"123456789012345678901\",\"-1\"]}]}\n");
  text.clear();
  answer.error = "basis: got \"\xff\"";
  answer.field = "basis";
  appendAnswerLine(answer, 2, "", text);
  const auto json = nlohmann::json::parse(text);
  CHECK(json["line"] == 2);
  CHECK(json["field"] == "basis");
}

TEST_CASE(
    "a file of lattices is answered in its order, blank lines and a last line without an end included") {
  const test::TemporaryFolder folder;
  const std::string in = folder.path("in.jsonl");
  {
    std::ofstream file(in);
    file << "{\"basis\":[[2,0],[0,3]],\"id\":1}\n\n  \n{\"basis\":[[1,2],[2,4]]}\nnonsense\n";
    for (int i = 0; i < 100; ++i) file << "{\"gram\":[[" << i + 1 << ",0],[0,1000]]}\n";
    file << "{\"basis\":[[7]]}";
  }
  ManyRequest request;
  request.batchPath = in;
  request.outputPath = folder.path("out.jsonl");
  EngineOptions options;
  options.threads = 3;
  {
    ManyLattices many(request, options);
    many.run();
    const ManyOutcome outcome = many.outcome();
    CHECK(outcome.lattices == 104);
    CHECK(outcome.failed == 2);
    CHECK(test::contains(outcome.firstError, "line 4: basis: got row 2"));
    const auto lines = test::jsonLinesOf(test::contentOf(request.outputPath));
    REQUIRE(lines.size() == 104);
    CHECK(lines[0]["id"] == 1);
    CHECK(lines[1]["line"] == 4);
    CHECK(lines[2]["line"] == 5);
    for (std::size_t i = 0; i < 100; ++i) {
      CHECK(lines[3 + i]["line"] == 6 + i);
      CHECK(lines[3 + i]["squared_norm"] == std::to_string(i + 1));
    }
    CHECK(lines.back()["squared_norm"] == "49");
  }
  // A stop leaves complete lines, a beginning of the whole, and no file of the final name.
  {
    std::ofstream file(in);
    std::mt19937_64 random(2907);
    for (int i = 0; i < 200; ++i) {
      const Rows rows = randomRows(random, 10, 0);
      file << nlohmann::json{{"basis", rows}}.dump() << "\n";
    }
  }
  ManyLattices(request, options).run();
  const std::string whole = test::contentOf(request.outputPath);
  request.outputPath = folder.path("stopped.jsonl");
  options.stepLimit = 1000;
  const std::string part = test::partOfStopped(request, options);
  CHECK(part.size() < whole.size());
  CHECK(whole.starts_with(part));
}

TEST_CASE("a step limit that the last lattice reaches stops nothing: all answers are there") {
  const test::TemporaryFolder folder;
  ManyRequest request;
  request.batchPath = folder.path("in.jsonl");
  request.outputPath = folder.path("out.jsonl");
  EngineOptions options;
  options.mode = Mode::cpu;
  options.threads = 2;
  // Also as many as the first look at a file takes: then its end has not been read.
  for (const int count : {1, 4, 20}) {
    CAPTURE(count);
    std::mt19937_64 random(2908);
    std::string lines;
    for (int i = 0; i < count; ++i)
      lines += nlohmann::json{{"basis", randomRows(random, 10, 0)}}.dump() + "\n";
    { std::ofstream(request.batchPath) << lines; }
    ManyLattices all(request, EngineOptions{.mode = Mode::cpu});
    all.run();
    const std::string whole = test::contentOf(request.outputPath);
    // One node less, and the last one is still searched: by what it needs the limit is passed.
    for (const std::uint64_t less : {0, 1}) {
      options.stepLimit = all.outcome().run.steps - less;
      ManyLattices limited(request, options);
      limited.run();
      CHECK(limited.finished());
      CHECK(test::contentOf(request.outputPath) == whole);
    }
    // With lines more there are some without an answer, read already or not.
    { std::ofstream(request.batchPath) << lines << lines; }
    ManyRequest more = request;
    more.outputPath = folder.path("more.jsonl");
    CHECK(test::partOfStopped(more, options) == whole);
  }
}

TEST_CASE("a request for many lattices that is none is refused before anything is searched") {
  const test::TemporaryFolder folder;
  ManyRequest request;
  request.batchPath = folder.path("missing.jsonl");
  CHECK(test::refusedField(request) == "output.path");
  request.outputPath = folder.path("out.jsonl");
  CHECK(test::refusedField(request) == "batch");
  { std::ofstream file(request.batchPath); }
  CHECK(test::refusedField(request) == "");
  request.solutions = kAllSolutions;
  CHECK(test::refusedField(request) == "solutions");
  request.solutions = 1;
  EngineOptions saves;
  saves.checkpointPath = folder.path("a.ckpt");
  CHECK(test::refusedField(request, saves) == "checkpoint");
  request.outputPath = request.batchPath;
  CHECK(test::refusedField(request) != "");
}

}  // namespace many_test
}  // namespace
