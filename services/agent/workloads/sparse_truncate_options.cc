#include <memory>

#include "services/agent/workloads/options.h"
#include "services/agent/workloads/sparse_truncate.h"

namespace regressd::agent {

void AddSparseTruncateWorkload(CLI::App& workload, int* exit_code) {
  const auto options = std::make_shared<SparseTruncateOptions>();
  const auto directory = std::make_shared<std::string>();
  const auto operation = std::make_shared<std::string>("truncate");
  CLI::App* app = workload.add_subcommand(
      "sparsetruncate", "Truncate sparse files whose pages are in the page cache (mmtests)");
  AddCount(*app, "--files", &options->file_count, "Files, each one observation a round");
  AddBytes(*app, "--file-size", &options->file_size_bytes, "Bytes of each; 64k, 4m");
  app->add_option("--directories", options->directory_count, "Spread over so many directories")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  AddCount(*app, "--rounds", &options->round_count, "Make, fill and truncate so many times");
  app->add_option("--op", *operation,
                  "What is timed: ftruncate(2) to 0, or unlink(2) as mmtests does")
      ->type_name("truncate|unlink")
      ->check(CLI::IsMember({"truncate", "unlink"}))
      ->capture_default_str();
  AddDirectory(*app, directory.get());
  app->callback([options, directory, operation, exit_code] {
    SparseTruncateOptions chosen = *options;
    chosen.directory = ChosenDirectory(*directory);
    chosen.unlink = *operation == "unlink";
    *exit_code = Finish(RunSparseTruncate(chosen));
  });
}

}  // namespace regressd::agent
