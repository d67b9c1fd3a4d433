// Times fplll with and without the plug-in, in turn: BKZ of random q-ary lattices, SVP of a given basis, a
// shortest vector of the dual of a reduced basis, a shortest vector with subsolutions.
//
//   slicepool_bench_fplll bkz DIMENSION BLOCK REPETITIONS [TOURS [THREADS]]
//   slicepool_bench_fplll svp FILE REPETITIONS
//   slicepool_bench_fplll dual FILE REPETITIONS
//   slicepool_bench_fplll subsolutions FILE REPETITIONS
//
// THREADS reduce a lattice each at the same time, by at most TOURS tours (0: until fplll gives up).
// Prints every time and processor time, medians, and how many blocks the plug-in took. Settings come from the
// environment (SLICEPOOL_FPLLL_..., see plugins/fplll/slicepool_fplll.h).
#include <fplll/fplll.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "plugins/fplll/slicepool_fplll.h"
#include "slicepool/detail/seconds.hpp"

namespace {

using Matrix = fplll::ZZ_mat<mpz_t>;

double processorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Of many runs.
struct Times {
  std::vector<double> seconds;
  std::vector<double> processor;

  void add(const std::function<void()>& work) {
    const double before = processorSeconds();
    const auto begin = std::chrono::steady_clock::now();
    work();
    seconds.push_back(slicepool::secondsSince(begin));
    processor.push_back(processorSeconds() - before);
  }
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Both ways in turn, so that a slower machine is slower for both.
void compare(int repetitions, const std::function<void(int)>& work) {
  Times without;
  Times with;
  for (int i = 0; i < repetitions; ++i) {
    without.add([&] { work(i); });
    slicepool_fplll_register();
    with.add([&] { work(i); });
    slicepool_fplll_unregister();
    fmt::print("{:.3f} s without, {:.3f} s with; of processors {:.3f} s without, {:.3f} s with\n",
               without.seconds.back(), with.seconds.back(), without.processor.back(), with.processor.back());
  }
  slicepool_fplll_counts counts{};
  slicepool_fplll_statistics(&counts);
  const auto medians = [](const std::vector<double>& before, const std::vector<double>& after) {
    return fmt::format("{:.3f} s without, {:.3f} s with, {:.2f} times as fast", median(before), median(after),
                       median(before) / median(after));
  };
  fmt::print("median: {}\nof processors: {}\n{} blocks declined, {} alone, {} by a pool, {} nodes\n",
             medians(without.seconds, with.seconds), medians(without.processor, with.processor),
             counts.declined, counts.sequential, counts.pooled, counts.nodes);
}

void reduceRandom(Matrix matrix, int block, int tours, std::vector<fplll::Strategy> strategies) {
  fplll::BKZParam parameters(block, strategies);
  parameters.flags |= tours > 0 ? fplll::BKZ_MAX_LOOPS : fplll::BKZ_AUTO_ABORT;
  parameters.max_loops = tours;
  fplll::bkz_reduction(&matrix, nullptr, parameters);
}

void compareBkz(int dimension, int block, int repetitions, int tours, int threads) {
  const auto strategies = fplll::load_strategies_json(fplll::strategy_full_path(fplll::default_strategy()));
  compare(repetitions, [&](int seed) {
    // The generator is one of the process.
    fplll::RandGen::init_with_seed(static_cast<unsigned long>(seed));
    std::vector<std::thread> reductions;
    std::vector<Matrix> matrices;
    for (int t = 0; t < threads; ++t) {
      Matrix& matrix = matrices.emplace_back(dimension, dimension);
      matrix.gen_qary(dimension / 2, 20);
      fplll::lll_reduction(matrix);
    }
    for (const Matrix& matrix : matrices)
      reductions.emplace_back([&] { reduceRandom(matrix, block, tours, strategies); });
    for (std::thread& reduction : reductions) reduction.join();
  });
}

void compareSvp(const std::string& path, int repetitions) {
  Matrix basis;
  std::ifstream(path) >> basis;
  compare(repetitions, [&](int) {
    Matrix matrix = basis;
    std::vector<fplll::Z_NR<mpz_t>> coefficients;
    fplll::shortest_vector(matrix, coefficients, fplll::SVPM_FAST);
  });
}

void compareDual(const std::string& path, int repetitions) {
  slicepool_fplll_set("dual", "1");
  Matrix basis;
  std::ifstream(path) >> basis;
  Matrix none;
  fplll::MatGSO<fplll::Z_NR<mpz_t>, fplll::FP_NR<double>> gso(basis, none, none, fplll::GSO_DEFAULT);
  gso.update_gso();
  const int d = basis.get_rows();
  fplll::FP_NR<double> last;
  gso.get_r(last, d - 1, d - 1);
  compare(repetitions, [&](int) {
    fplll::FastEvaluator<fplll::FP_NR<double>> evaluator;
    fplll::Enumeration<fplll::Z_NR<mpz_t>, fplll::FP_NR<double>> enumeration(gso, evaluator);
    fplll::FP_NR<double> radius = 1.0001 / last.get_d();
    enumeration.enumerate(0, d, radius, 0, {}, {}, {}, true);
  });
}

void compareSubsolutions(const std::string& path, int repetitions) {
  Matrix basis;
  std::ifstream(path) >> basis;
  Matrix none;
  fplll::MatGSO<fplll::Z_NR<mpz_t>, fplll::FP_NR<double>> gso(basis, none, none, fplll::GSO_DEFAULT);
  gso.update_gso();
  fplll::FP_NR<double> first;
  gso.get_r(first, 0, 0);
  compare(repetitions, [&](int) {
    fplll::FastEvaluator<fplll::FP_NR<double>> evaluator(1, fplll::EVALSTRATEGY_BEST_N_SOLUTIONS, true);
    fplll::Enumeration<fplll::Z_NR<mpz_t>, fplll::FP_NR<double>> enumeration(gso, evaluator);
    fplll::FP_NR<double> radius = 1.0001 * first.get_d();
    enumeration.enumerate(0, basis.get_rows(), radius, 0);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() >= 4 && words.size() <= 6 && words[0] == "bkz") {
    compareBkz(std::stoi(words[1]), std::stoi(words[2]), std::stoi(words[3]),
               words.size() > 4 ? std::stoi(words[4]) : 0, words.size() > 5 ? std::stoi(words[5]) : 1);
  } else if (words.size() == 3 && words[0] == "svp") {
    compareSvp(words[1], std::stoi(words[2]));
  } else if (words.size() == 3 && words[0] == "dual") {
    compareDual(words[1], std::stoi(words[2]));
  } else if (words.size() == 3 && words[0] == "subsolutions") {
    compareSubsolutions(words[1], std::stoi(words[2]));
  } else {
    fmt::print(stderr,
               "usage: slicepool_bench_fplll bkz DIMENSION BLOCK REPETITIONS [TOURS [THREADS]] | "
               "svp FILE REPETITIONS | dual FILE REPETITIONS | subsolutions FILE REPETITIONS\n");
    return 2;
  }
  return 0;
}
