// `slicepool semigroup`: the flags of the workload semigroup.
#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/options.hpp"
#include "runtime/app/cli/run_document.hpp"

namespace slicepool::cli {

Action addSemigroupCommand(CLI::App& app) {
  return addWorkloadCommand(
      app, {"semigroup",
            {semigroupOptions(), engineOptions(), runOptions(kSavesWork, Tracing::none)},
            "Elements are numbered in shortlex order of their words; 0 is the identity, the empty word. "
            "Words act\n"
            "from left to right. Numbers, words, graphs and rules are the same in every mode.\n"
            "Examples:\n"
            "  slicepool semigroup --named bihecke:5 --idempotents\n"
            "  slicepool semigroup --generators maps.txt --elements elements.npy --words words.txt\n"
            "  slicepool semigroup --named full:4 --word-of 0,0,0,0 --right-cayley-graph graph.dot\n"
            "  slicepool semigroup --named bihecke:7 --max-stage 9 --checkpoint bihecke7.ckpt"});
}

}  // namespace slicepool::cli
