// `slicepool schema`: what the tables of parameters make for files of this repository, configs/schema.json
// and the tables of docs/file-formats.md. Hidden in --help.
#include "runtime/app/cli/commands.hpp"
#include "runtime/app/config/key_table.hpp"
#include "runtime/app/config/schema.hpp"

namespace slicepool::cli {

Action addSchemaCommand(CLI::App& app) {
  auto table = std::make_shared<std::string>();
  app.add_option("--table", *table, "a table of keys for docs/file-formats.md instead")
      ->type_name("engine|run|WORKLOAD");
  app.footer("Examples:\n  slicepool schema > configs/schema.json\n  slicepool schema --table engine");
  return [table] {
    writeOut(table->empty() ? config::schemaText() : config::keyTableOf(*table));
    return static_cast<int>(kDone);
  };
}

}  // namespace slicepool::cli
