// usage: nqueens N [cpu|gpu|hybrid|emulated] [counted|plain] - counts the placements of N queens and says who
// did the work. `plain` takes the search of nqueens.hpp, which knows where the queens stand.
#include "nqueens.hpp"
#include "counted_queens.hpp"

#include <slicepool/core/error.hpp>
#include <slicepool/core/run.hpp>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

template <class Search>
static void count(const typename Search::View& view, std::vector<typename Search::Slice> roots,
                  const slicepool::EngineOptions& options) {
  slicepool::Run<Search> run{view, std::move(roots), options};
  run.run();
  std::printf("%llu\n", static_cast<unsigned long long>(run.results()));
  for (const auto& worker : run.report().workers)
    std::fprintf(stderr, "%s: %.1f %% of the steps\n", worker.name.c_str(), 100 * worker.share);
}

int main(int argc, char** argv) {
  using slicepool::Mode;
  const std::map<std::string, Mode> modes{
      {"cpu", Mode::cpu}, {"gpu", Mode::gpu}, {"hybrid", Mode::hybrid}, {"emulated", Mode::emulated}};
  const int n = argc > 1 ? std::atoi(argv[1]) : 0;
  const auto mode = modes.find(argc > 2 ? argv[2] : "cpu");
  const std::string search = argc > 3 ? argv[3] : n == 1 ? "plain" : "counted";
  const bool plain = search == "plain";
  const int least = plain ? 1 : 2, most = plain ? NQueens::kMaximum : CountedQueens::kMaximum;
  if (n < least || n > most || mode == modes.end() || (!plain && search != "counted")) {
    std::fprintf(stderr,
                 "usage: nqueens N [cpu|gpu|hybrid|emulated] [counted|plain], 1 <= N <= %d (plain: %d)\n",
                 CountedQueens::kMaximum, NQueens::kMaximum);
    return 2;
  }
  try {
    slicepool::EngineOptions options;
    options.mode = mode->second;
    if (plain)
      count<NQueens>({n}, {NQueens::root({n})}, options);
    else
      count<CountedQueens>({n}, CountedQueens::roots({n}), options);
  } catch (const slicepool::Error& error) {
    std::fprintf(stderr, "nqueens: %s\n", error.what());
    return error.exitCode();
  }
}
