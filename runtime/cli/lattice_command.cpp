// `slicepool lattice`: flags -> one JSON configuration -> a run.
#include "runtime/cli/commands.hpp"
#include "runtime/cli/options.hpp"
#include "runtime/cli/run_document.hpp"

namespace slicepool::cli {

using config::Json;

Action addLatticeCommand(CLI::App& app) {
  struct State {
    OptionValues values;
    Display display;
  };
  auto state = std::make_shared<State>();
  state->values.add(app, latticeOptions());
  state->values.add(app, engineOptions());
  state->values.add(app, runOptions());
  addDisplay(app, state->display);
  app.footer(
      "Norms are exact. With a fixed radius the vectors and the nodes of each level are the same in every "
      "mode.\n"
      "Examples:\n"
      "  slicepool lattice --basis basis.txt\n"
      "  slicepool lattice --basis basis.txt --gh-factor 1.1 --fixed-radius\n"
      "  slicepool lattice --basis leech.txt --squared-radius 48 --solutions all --output vectors.npy\n"
      "  slicepool lattice --basis basis.txt --squared-radius 12000 --first 1 --pruning fplll:0.3\n"
      "  slicepool lattice --basis basis.txt --reduce bkz-30 --checkpoint search.ckpt --resume auto");
  return [state] {
    Json document = {{"workload", "lattice"}};
    state->values.apply(document);
    return runDocument(document, state->display);
  };
}

}  // namespace slicepool::cli
