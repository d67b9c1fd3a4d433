// `slicepool lattice`: flags -> one JSON configuration -> a run.
#include "runtime/app/cli/commands.hpp"
#include "runtime/app/cli/options.hpp"
#include "runtime/app/cli/run_document.hpp"

namespace slicepool::cli {

Action addLatticeCommand(CLI::App& app) {
  return addWorkloadCommand(
      app,
      {"lattice",
       {latticeOptions(), engineOptions(), runOptions(kSavesWork)},
       "Norms are exact. With a fixed radius the vectors and the nodes of each level are the same in every "
       "mode.\n"
       "Examples:\n"
       "  slicepool lattice --basis basis.txt\n"
       "  slicepool lattice --basis basis.txt --gh-factor 1.1 --fixed-radius\n"
       "  slicepool lattice --basis leech.txt --squared-radius 48 --solutions all --output vectors.npy\n"
       "  slicepool lattice --basis basis.txt --squared-radius 12000 --first 1 --pruning fplll:0.3\n"
       "  slicepool lattice --basis basis.txt --reduce bkz-30 --checkpoint search.ckpt --resume auto"});
}

}  // namespace slicepool::cli
