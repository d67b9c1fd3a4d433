// `slicepool semigroup`: flags -> one JSON configuration -> a run.
#include "runtime/cli/commands.hpp"
#include "runtime/cli/options.hpp"
#include "runtime/cli/run_document.hpp"

namespace slicepool::cli {

Action addSemigroupCommand(CLI::App& app) {
  struct State {
    OptionValues values;
    Display display;
  };
  auto state = std::make_shared<State>();
  state->values.add(app, semigroupOptions());
  state->values.add(app, engineOptions());
  state->values.add(app, runOptions());
  addDisplay(app, state->display);
  app.footer(
      "Elements are numbered in shortlex order of their words; 0 is the identity, the empty word. Words act\n"
      "from left to right. Numbers, words, graphs and rules are the same in every mode.\n"
      "Examples:\n"
      "  slicepool semigroup --named bihecke:5 --idempotents\n"
      "  slicepool semigroup --generators maps.txt --elements elements.npy --words words.txt\n"
      "  slicepool semigroup --named full:4 --word-of 0,0,0,0 --right-cayley-graph graph.dot\n"
      "  slicepool semigroup --named bihecke:7 --max-stage 9 --checkpoint bihecke7.ckpt");
  return [state] {
    config::Json document = {{"workload", "semigroup"}};
    state->values.apply(document);
    return runDocument(document, state->display);
  };
}

}  // namespace slicepool::cli
