// Searches on ranks that are threads here, with real engines: the set that is found is that of one process,
// whichever rank dies and whenever the search is stopped. Deaths and stops are at commits, never after some
// time.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/cluster/rank_search.hpp"
#include "runtime/core/checkpoint.hpp"
#include "runtime/lattice/prepared_search.hpp"
#include "slicepool/core/error.hpp"
#include "slicepool/factorizations/enumeration.hpp"
#include "slicepool/lattice/enumeration.hpp"
#include "slicepool/semigroup/enumeration.hpp"
#include "slicepool/three_in_line/enumeration.hpp"
#include "support/cluster/thread_transport.hpp"
#include "support/collector.hpp"
#include "support/interval_workload.hpp"
#include "support/lattice/front.hpp"
#include "support/scale.hpp"
#include "support/small_turns.hpp"
#include "support/temporary_folder.hpp"
#include "support/text.hpp"

using namespace slicepool;
using slicepool::test::Killed;
using slicepool::test::ThreadRanks;
using slicepool::test::ThreadTransport;

namespace {

using CollectedInterval = TypedProblem<test::IntervalWorkload, Collect<std::uint64_t>>;

constexpr std::uint64_t kSalt = 9;
/// Each lease takes some hundred, in threads of its own, which are dear under ThreadSanitizer.
const std::uint64_t kValues = test::scaled(100) == 100 ? 100'000 : 10'000;

CollectedInterval intervalOfRanks() {
  ProblemTraits traits;
  traits.workload = "interval";
  traits.totalSteps = static_cast<double>(kValues);
  return {test::IntervalWorkload::View{kSalt, true}, {{0, kValues}}, traits};
}

EngineOptions rankOptions(Mode mode = Mode::cpu) {
  EngineOptions options = test::smallTurns(mode, 1, "salt 9");
  options.poolCapacity = 64;  // each lease makes an engine, and with it a pool
  return options;
}

/// Calls `body` on a thread for each rank; rethrows what rank 0 threw, else what another did. Killed is none.
void onRanks(const std::shared_ptr<ThreadRanks>& all,
             const std::function<void(const std::shared_ptr<cluster::Transport>&)>& body) {
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(all->ranks()));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < all->ranks(); ++rank) {
    threads.emplace_back([&, rank] {
      try {
        body(std::make_shared<ThreadTransport>(all, rank));
      } catch (const Killed&) {
      } catch (...) {
        errors[static_cast<std::size_t>(rank)] = std::current_exception();
        // As MPI_Abort: no rank waits for one that has failed.
        for (int other = 0; other < all->ranks(); ++other) all->kill(other);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

struct Found {
  test::Collector<std::uint64_t> results;
  RunReport report;
};

cluster::RankSearchOptions quickLeases() {
  cluster::RankSearchOptions tuning;
  tuning.shortestLease = 0;
  tuning.patience = 0;
  tuning.tick = 0.0005;
  return tuning;
}

/// What rank 0 of so many has in the end. Ranks with odd numbers have an emulated device beside a CPU worker.
template <class E, class R>
auto outcomeOnRanks(int ranks, const R& request) {
  decltype(std::declval<E&>().outcome()) outcome;
  onRanks(std::make_shared<ThreadRanks>(ranks), [&](const auto& transport) {
    EngineOptions options;
    options.mode = transport->rank() % 2 == 0 ? Mode::cpu : Mode::emulated;
    options.threads = 1;
    options.emulator.lanes = 64;
    options.cluster = transport;
    E enumeration(request, options);
    enumeration.run();
    if (transport->rank() == 0) outcome = enumeration.outcome();
  });
  CHECK(outcome.run.complete);
  return outcome;
}

void requireWhole(const Found& found) {
  CHECK(found.report.complete);
  CHECK(found.results.sorted() == test::IntervalWorkload::expected(kSalt, kValues));
  CHECK(found.report.words.at(0) == found.results.results.size());
  CHECK(found.report.steps == kValues);
}

}  // namespace

TEST_CASE(
    "a commit that settles the answer is the last one as well: the search is decided, and saves nothing") {
  ProblemTraits traits;
  traits.workload = "interval";
  traits.decided = [](const std::uint64_t* words) { return words[0] >= 1; };
  const TypedProblem<test::IntervalWorkload, Count> problem(test::IntervalWorkload::View{kSalt, true},
                                                            {{0, kValues}}, traits);
  const test::TemporaryFolder folder;
  onRanks(std::make_shared<ThreadRanks>(1), [&](const auto& transport) {
    EngineOptions options = rankOptions();
    options.cluster = transport;
    options.checkpointPath = folder.path("c");
    options.stepLimit = 1;
    cluster::RankSearchOptions tuning = quickLeases();
    tuning.tick = 1e6;  // seconds: no look after the commit
    cluster::RankSearch search(problem, options, nullptr, tuning);
    search.run();
    CHECK(search.report().decided);
    CHECK_FALSE(search.report().complete);
  });
  CHECK(folder.empty());
}

TEST_CASE("one to five ranks find what one engine finds, on CPU workers and on emulated devices") {
  const CollectedInterval problem = intervalOfRanks();
  for (const Mode mode : {Mode::cpu, Mode::emulated}) {
    for (const int ranks : {1, 2, 3, 5}) {
      CAPTURE(ranks);
      Found found;
      onRanks(std::make_shared<ThreadRanks>(ranks), [&](const auto& transport) {
        EngineOptions options = rankOptions(mode);
        options.cluster = transport;
        const bool leads = transport->rank() == 0;
        Found none;
        Found& own = leads ? found : none;
        cluster::RankSearch search(problem, options, &own.results, quickLeases());
        search.run();
        own.report = search.report();
        if (!leads) {
          CHECK_FALSE(own.report.complete);
          CHECK(own.report.words == problem.words().fresh());
        }
      });
      requireWhole(found);
      std::uint64_t steps = 0;
      for (const auto& worker : found.report.workers) {
        CHECK(worker.name.starts_with("rank"));
        steps += worker.steps;
      }
      CHECK(steps == kValues);
    }
  }
}

TEST_CASE("ranks that are killed at a commit lose nothing, and nothing counts twice") {
  const CollectedInterval problem = intervalOfRanks();
  const std::uint64_t cases = test::scaled(30);
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    CAPTURE(seed);
    const auto all = std::make_shared<ThreadRanks>(4);
    std::mt19937_64 random(seed);
    // Up to three of the four die; rank 0 goes on alone then.
    std::vector<std::uint64_t> deaths;
    for (int rank = 1; rank < 4; ++rank) deaths.push_back(rank == 1 ? 1 : 1 + random() % 12);
    Found found;
    onRanks(all, [&](const auto& transport) {
      EngineOptions options = rankOptions(seed % 2 == 0 ? Mode::cpu : Mode::emulated);
      options.cluster = transport;
      const bool leads = transport->rank() == 0;
      Found none;
      Found& own = leads ? found : none;
      auto tuning = quickLeases();
      std::uint64_t commits = 0;
      tuning.onCommit = [&] {
        ++commits;
        for (int rank = 1; rank < 4; ++rank)
          if (deaths[static_cast<std::size_t>(rank - 1)] == commits) all->kill(rank);
      };
      cluster::RankSearch search(problem, options, &own.results, tuning);
      search.run();
      own.report = search.report();
    });
    requireWhole(found);
    // The first one dies with the first commit, so that it cannot have left in time.
    const auto& warnings = found.report.warnings;
    CHECK(std::any_of(warnings.begin(), warnings.end(),
                      [](const std::string& warning) { return warning.starts_with("rank 1 was lost"); }));
  }
}

TEST_CASE("ranks that have lost rank 0 say so, instead of working in vain") {
  const CollectedInterval problem = intervalOfRanks();
  const auto all = std::make_shared<ThreadRanks>(3);
  const auto run = [&] {
    onRanks(all, [&](const auto& transport) {
      EngineOptions options = rankOptions();
      options.cluster = transport;
      auto tuning = quickLeases();
      tuning.onCommit = [&] { all->kill(0); };
      test::Collector<std::uint64_t> collector;
      cluster::RankSearch search(problem, options, &collector, tuning);
      search.run();
    });
  };
  CHECK_THROWS_WITH_AS(run(), doctest::Contains("--resume"), cluster::LeadLost);
}

TEST_CASE("a rank that falls silent is given up, where its death is not reported") {
  const CollectedInterval problem = intervalOfRanks();
  const auto all = std::make_shared<ThreadRanks>(3, false);
  Found found;
  onRanks(all, [&](const auto& transport) {
    EngineOptions options = rankOptions();
    options.cluster = transport;
    const bool leads = transport->rank() == 0;
    Found none;
    Found& own = leads ? found : none;
    auto tuning = quickLeases();
    tuning.silence = 0.5;
    tuning.onCommit = [&] { all->kill(1); };
    cluster::RankSearch search(problem, options, &own.results, tuning);
    search.run();
    own.report = search.report();
  });
  requireWhole(found);
  CHECK(all->givenUp().contains(1));
  const auto& warnings = found.report.warnings;  // on a busy machine the others may be silent for a while
  CHECK(std::count(warnings.begin(), warnings.end(),
                   "rank 1 was not heard of for 0.5 s; what it had not committed was searched by others") ==
        1);
}

TEST_CASE("ranks that do not hear of rank 0 any more say so, with work and without") {
  const CollectedInterval problem = intervalOfRanks();
  for (const int ranks : {2, 5}) {
    const auto all = std::make_shared<ThreadRanks>(ranks, false);
    const auto run = [&] {
      onRanks(all, [&](const auto& transport) {
        EngineOptions options = rankOptions();
        options.cluster = transport;
        auto tuning = quickLeases();
        tuning.silence = 0.05;
        tuning.onCommit = [&] { all->kill(0); };
        test::Collector<std::uint64_t> collector;
        cluster::RankSearch search(problem, options, &collector, tuning);
        search.run();
      });
    };
    CHECK_THROWS_WITH_AS(run(), doctest::Contains("rank 0 was not heard of for 0.5 s"), cluster::LeadLost);
  }
}

TEST_CASE("a search goes from ranks to one engine and back, by its checkpoint") {
  const CollectedInterval problem = intervalOfRanks();
  const test::TemporaryFolder folder;
  const std::string path = folder.path("search.checkpoint");
  std::uint64_t steps = 0;
  std::vector<std::uint64_t> results;
  int parts = 0;
  for (bool complete = false; !complete; ++parts) {
    REQUIRE(parts < 200);
    Found found;
    if (parts % 2 == 0) {
      onRanks(std::make_shared<ThreadRanks>(3), [&](const auto& transport) {
        EngineOptions options = rankOptions();
        options.cluster = transport;
        const bool leads = transport->rank() == 0;
        if (leads) options.checkpointPath = path;
        Found none;
        Found& own = leads ? found : none;
        auto tuning = quickLeases();
        cluster::RankSearch* self = nullptr;
        int commits = 0;
        tuning.onCommit = [&] {
          if (++commits == 4) self->cancel();
        };
        cluster::RankSearch search(problem, options, &own.results, tuning);
        self = &search;
        if (leads && parts != 0) search.loadCheckpoint(path);
        search.run();
        own.report = search.report();
      });
      if (!found.report.complete) CHECK(found.report.checkpoints == 1);
    } else {
      EngineOptions options = rankOptions();
      options.stepLimit = kValues / 7;
      options.checkpointPath = path;
      Engine engine(problem, options, &found.results);
      engine.loadCheckpoint(path);
      engine.run();
      found.report = engine.report();
    }
    CHECK(found.report.steps >= steps);
    steps = found.report.steps;
    complete = found.report.complete;
    if (complete) requireWhole(found);
  }
  CHECK(parts > 2);
}

namespace {

/// Warnings of it. On a busy machine others may be silent for a while.
std::ptrdiff_t lossesOfRank1(const RunReport& report) {
  return std::count_if(
      report.warnings.begin(), report.warnings.end(),
      [](const std::string& warning) { return warning.starts_with("rank 1 was "); });
}

bool rank1Worked(const RunReport& report) {
  return std::any_of(
      report.workers.begin(), report.workers.end(),
      [](const WorkerReport& worker) { return worker.name.starts_with("rank1/"); });
}

}  // namespace

TEST_CASE("searches follow one another, some are left out, and who was lost in one is lost to the next") {
  const CollectedInterval problem = intervalOfRanks();
  for (const bool tells : {true, false}) {
    CAPTURE(tells);
    const auto all = std::make_shared<ThreadRanks>(tells ? 3 : 2, tells);
    Found first;
    Found last;
    onRanks(all, [&](const auto& transport) {
      EngineOptions options = rankOptions();
      options.cluster = transport;
      auto tuning = quickLeases();
      tuning.followed = true;
      if (transport->rank() == 0) {
        const auto search = [&](Found& found) {
          cluster::RankSearch one(problem, options, &found.results, tuning);
          one.run();
          found.report = one.report();
        };
        tuning.onCommit = [&] { all->kill(1); };
        if (!tells) tuning.silence = 0.5;
        search(first);
        tuning.onCommit = {};
        tuning.silence = 1e6;  // the later ones do not wait for rank 1
        tuning.leftOut = true;
        Found none;
        search(none);
        CHECK(none.results.results.empty());
        tuning.leftOut = false;
        tuning.followed = false;
        search(last);
        return;
      }
      Found none;
      int searches = 0;
      for (bool goesOn = true; goesOn; ++searches) {
        cluster::RankSearch search(problem, options, &none.results, tuning);
        search.run();
        goesOn = search.followed();
      }
      CHECK(searches == 3);
    });
    requireWhole(first);
    requireWhole(last);
    CHECK(lossesOfRank1(first.report) == 1);
    CHECK(lossesOfRank1(last.report) == 0);
  }
}

TEST_CASE("a rank that sleeps beyond the end of a search takes part in a later one") {
  const CollectedInterval problem = intervalOfRanks();
  std::promise<void> ended;
  int made = 0;      // by rank 0
  int searches = 0;  // by rank 1
  Found found;
  onRanks(std::make_shared<ThreadRanks>(2, false), [&](const auto& transport) {
    EngineOptions options = rankOptions();
    options.cluster = transport;
    auto tuning = quickLeases();
    tuning.followed = true;
    if (transport->rank() == 1) {
      ended.get_future().wait();
      while (transport->receive()) {}  // as if rank 0 had given it up before the end
      for (bool goesOn = true; goesOn; ++searches) {
        Found none;
        cluster::RankSearch search(problem, options, &none.results, tuning);
        search.run();
        goesOn = search.followed();
      }
      return;
    }
    const auto searchOnce = [&] {
      ++made;
      found = {};
      cluster::RankSearch search(problem, options, &found.results, tuning);
      search.run();
      found.report = search.report();
      requireWhole(found);
    };
    tuning.silence = 0.05;
    searchOnce();
    CHECK_FALSE(rank1Worked(found.report));
    CHECK(lossesOfRank1(found.report) == 1);
    ended.set_value();
    tuning.silence = 1e6;
    do searchOnce();
    while (!rank1Worked(found.report));
    CHECK(lossesOfRank1(found.report) == 0);
    tuning.followed = false;
    searchOnce();
  });
  CHECK(searches == made);
}

TEST_CASE("a rank that begins the next search before rank 0 does has work in it, unless it dies") {
  const CollectedInterval problem = intervalOfRanks();
  for (const bool dies : {false, true}) {
    CAPTURE(dies);
    const auto all = std::make_shared<ThreadRanks>(3);
    std::promise<std::uint64_t> said;  // by rank 1, with its first word in the second search
    Found found;
    onRanks(all, [&](const auto& transport) {
      EngineOptions options = rankOptions();
      options.cluster = transport;
      auto tuning = quickLeases();
      tuning.silence = 1e6;
      if (transport->rank() == 1) tuning.tick = 1e6;  // it does not repeat what it has said
      if (transport->rank() == 2) {
        // Rank 0 waits in the first search. It asks this rank to stop with every look at who has died.
        const std::uint64_t messages = said.get_future().get();
        while (all->sentBy(1) < messages) std::this_thread::yield();
        if (dies) all->kill(1);
        const std::uint64_t looked = all->sentBy(0) + 2;
        while (all->sentBy(0) < looked) std::this_thread::yield();
      }
      for (const bool followed : {true, false}) {
        tuning.followed = followed;
        Found own;
        cluster::RankSearch search(problem, options, &own.results, tuning);
        search.run();
        own.report = search.report();
        if (transport->rank() == 0) found = own;
        if (transport->rank() == 1 && followed) said.set_value(all->sentBy(1) + 1);
      }
    });
    requireWhole(found);
    CHECK(rank1Worked(found.report) == !dies);
  }
}

TEST_CASE("ranks that are not of one search are refused with what they have") {
  const CollectedInterval problem = intervalOfRanks();
  const auto all = std::make_shared<ThreadRanks>(2);
  const auto run = [&] {
    onRanks(all, [&](const auto& transport) {
      EngineOptions options = rankOptions();
      options.cluster = transport;
      if (transport->rank() == 1) options.checkpointIdentity = "salt 8";
      test::Collector<std::uint64_t> collector;
      cluster::RankSearch search(problem, options, &collector, quickLeases());
      search.run();
    });
  };
  CHECK_THROWS_WITH_AS(run(), doctest::Contains("another search on rank 1"), ConfigError);
}

TEST_CASE(
    "three in line on ranks: findings, solutions and the bytes of the output are those of one process") {
  namespace til = three_in_line;
  const test::TemporaryFolder folder;
  const auto requestOf = [&](const std::string& name) {
    til::Request request;
    request.size = 9;
    request.solutions = true;
    request.outputPath = folder.path(name);
    return request;
  };
  til::Enumeration alone(requestOf("alone.json"), {.mode = Mode::cpu, .threads = 2});
  alone.run();
  const til::Outcome expected = alone.outcome();
  for (const int ranks : {1, 2, 4}) {
    const auto outcome = outcomeOnRanks<til::Enumeration>(ranks, requestOf("ranks.json"));
    CHECK(outcome.findings == expected.findings);
    CHECK(outcome.run.steps == expected.findings.nodes);
    CHECK(test::contentOf(folder.path("ranks.json")) == test::contentOf(folder.path("alone.json")));
  }
}

TEST_CASE("lattices on ranks: a fixed radius gives the same vectors, a shrinking one the same norm") {
  const test::TemporaryFolder folder;
  for (const bool fixed : {true, false}) {
    lattice::Request request;
    request.basisPath = test::latticePath("k40.txt");
    request.reduction = "none";
    request.fixedRadius = fixed;
    if (fixed) {
      request.ghFactor = 1.05;
      request.solutions = 20;
    }
    lattice::Enumeration alone(request, {.mode = Mode::cpu, .threads = 2});
    alone.run();
    const lattice::Outcome expected = alone.outcome();
    if (fixed) request.outputPath = folder.path("vectors.txt");
    const auto outcome = outcomeOnRanks<lattice::Enumeration>(3, request);
    CHECK(outcome.shortestSquaredNorm == expected.shortestSquaredNorm);
    REQUIRE(outcome.solutions.size() == expected.solutions.size());
    if (!fixed) continue;
    CHECK(outcome.count == expected.count);
    CHECK(outcome.nodesPerLevel == expected.nodesPerLevel);
    CHECK(outcome.fingerprint == expected.fingerprint);
    for (std::size_t i = 0; i < expected.solutions.size(); ++i)
      CHECK(outcome.solutions[i].text == expected.solutions[i].text);
    CHECK(outcome.outputRows == expected.solutions.size());
  }
}

TEST_CASE("lattices on ranks: the closest vector is that of one process, which looks in balls first") {
  lattice::Request request;
  request.basisPath = test::latticePath("leech.txt");
  for (int k = 0; k < 24; ++k) request.target += std::to_string(37 * k % 29) + "/5 ";
  request.target = "[" + request.target + "]";
  for (const bool close : {true, false}) {
    if (!close) request.target.clear();
    lattice::Enumeration alone(request, {.mode = Mode::cpu, .threads = 2});
    alone.run();
    const auto expected = alone.outcome();
    const auto outcome = outcomeOnRanks<lattice::Enumeration>(3, request);
    REQUIRE(outcome.solutions.size() == 1);
    CHECK(outcome.solutions[0].squaredNorm == expected.solutions.at(0).squaredNorm);
  }
}

TEST_CASE("lattices on ranks: a search in balls goes on from its checkpoint, on ranks and in one process") {
  const test::TemporaryFolder folder;
  lattice::Request request;
  request.basisPath = test::latticePath("leech.txt");
  std::vector<std::string> balls;
  for (auto search = lattice::prepareSearch(request);; search = search.wider()) {
    balls.push_back(search.identity);
    if (!search.wider) break;
  }
  REQUIRE(balls.size() == 3);
  const std::string checkpoint = folder.path("leech.checkpoint");
  const std::uint64_t nodes = test::runLattice(request).nodes;
  std::set<std::string> stoppedIn;
  lattice::Outcome outcome;
  bool finished = false;
  for (int runs = 0; !finished; ++runs) {
    REQUIRE(runs < 1000);
    const bool alone = runs % 3 == 2;
    onRanks(std::make_shared<ThreadRanks>(alone ? 1 : 3), [&](const auto& transport) {
      EngineOptions options;
      options.mode = transport->rank() % 2 == 0 ? Mode::cpu : Mode::emulated;
      options.threads = 1;
      options.cpuBudget = 64;
      options.emulator.lanes = 16;
      options.gpuBudget = 64;
      // The first ball has less than a hundredth of the nodes.
      options.stepLimit = nodes / (runs < 6 ? 1000 : 8);
      if (!alone) options.cluster = transport;
      const bool leads = transport->rank() == 0;
      if (leads) options.checkpointPath = checkpoint;
      lattice::Enumeration enumeration(request, options);
      if (leads) CHECK(enumeration.resumeIfSaved() == (runs != 0));
      enumeration.run();
      if (!leads) return;
      outcome = enumeration.outcome();
      finished = enumeration.finished();
    });
    if (!finished) stoppedIn.insert(readCheckpointHeader(checkpoint).identity);
  }
  CHECK(outcome.solutions.at(0).squaredNorm == "32");
  CHECK(stoppedIn.contains(balls[0]));
  CHECK(stoppedIn.size() > 1);
}

TEST_CASE("lattices on ranks: one that is lost in the first ball is not waited for in the others") {
  const test::TemporaryFolder folder;
  const std::string checkpoint = folder.path("leech.checkpoint");
  lattice::Request request;
  request.basisPath = test::latticePath("leech.txt");
  for (const bool resumes : {false, true}) {
    CAPTURE(resumes);
    if (resumes) {  // in the last ball, so that the first ones are left out
      EngineOptions options{.mode = Mode::cpu, .threads = 1, .cpuBudget = 64};
      options.checkpointPath = checkpoint;
      options.stepLimit = test::runLattice(request).nodes / 2;
      CHECK_FALSE(test::runLattice(request, options).run.complete);
    }
    const auto all = std::make_shared<ThreadRanks>(3);
    all->kill(2);
    lattice::Outcome outcome;
    onRanks(all, [&](const auto& transport) {
      EngineOptions options{.mode = Mode::cpu, .threads = 1};
      options.cluster = transport;
      lattice::Enumeration enumeration(request, options);
      if (resumes && transport->rank() == 0) enumeration.resumeFrom(checkpoint);
      enumeration.run();
      if (transport->rank() == 0) outcome = enumeration.outcome();
    });
    CHECK(outcome.solutions.at(0).squaredNorm == "32");
    CHECK(outcome.run.warnings ==
          std::vector<std::string>{"rank 2 was lost; what it had not committed was searched by others"});
  }
}

TEST_CASE("factorizations on ranks: reductions are those of one process") {
  namespace fac = factorizations;
  for (const fac::SinkKind kind :
       {fac::SinkKind::fingerprint, fac::SinkKind::lengths, fac::SinkKind::extremes}) {
    fac::Request request;
    request.generators = {13, 37, 38, 40};
    request.element = 1500;
    request.sink.kind = kind;
    fac::Enumeration alone(request, {.mode = Mode::cpu, .threads = 1});
    alone.run();
    const auto expected = alone.outcome();
    const auto outcome = outcomeOnRanks<fac::Enumeration>(3, request);
    CHECK(outcome.count == expected.count);
    CHECK(outcome.fingerprint == expected.fingerprint);
    CHECK(outcome.run.words == expected.run.words);
  }
}

TEST_CASE("what ranks cannot share is refused before any work") {
  const auto transport = std::make_shared<ThreadTransport>(std::make_shared<ThreadRanks>(2), 0);
  EngineOptions options{.mode = Mode::cpu, .threads = 1};
  options.cluster = transport;
  factorizations::Request rows;
  rows.generators = {5, 7};
  rows.element = 100;
  rows.sink.kind = factorizations::SinkKind::rows;
  CHECK_THROWS_WITH_AS(factorizations::Enumeration(rows, options), doctest::Contains("slicepool plan"),
                       ConfigError);
  semigroup::Request semigroup;
  semigroup.named = "full:3";
  CHECK_THROWS_WITH_AS(semigroup::Enumeration(semigroup, options), doctest::Contains("each round"),
                       ConfigError);
}
