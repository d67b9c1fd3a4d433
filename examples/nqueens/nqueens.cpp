// usage: nqueens N [cpu|gpu|hybrid|emulated] - counts the placements of N queens and says who did the work.
#include "nqueens.hpp"

#include <slicepool/core/error.hpp>
#include <slicepool/core/run.hpp>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

int main(int argc, char** argv) {
  using slicepool::Mode;
  const std::map<std::string, Mode> modes{
      {"cpu", Mode::cpu}, {"gpu", Mode::gpu}, {"hybrid", Mode::hybrid}, {"emulated", Mode::emulated}};
  const NQueens::View view{argc > 1 ? std::atoi(argv[1]) : 0};
  const auto mode = modes.find(argc > 2 ? argv[2] : "cpu");
  if (view.n < 1 || view.n > NQueens::kMaximum || mode == modes.end()) {
    std::fprintf(stderr, "usage: nqueens N [cpu|gpu|hybrid|emulated], 1 <= N <= %d\n", NQueens::kMaximum);
    return 2;
  }
  try {
    slicepool::EngineOptions options;
    options.mode = mode->second;
    slicepool::Run<NQueens> run{view, {NQueens::root(view)}, options};
    run.run();
    std::printf("%llu\n", static_cast<unsigned long long>(run.results()));
    for (const auto& worker : run.report().workers)
      std::fprintf(stderr, "%s: %.1f %% of the steps\n", worker.name.c_str(), 100 * worker.share);
  } catch (const slicepool::Error& error) {
    std::fprintf(stderr, "nqueens: %s\n", error.what());
    return error.exitCode();
  }
}
