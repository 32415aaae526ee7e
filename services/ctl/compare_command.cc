#include <fmt/format.h>

#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "services/ctl/arguments.h"
#include "services/ctl/command.h"
#include "services/ctl/compare_client.h"
#include "services/ctl/render_run.h"
#include "services/report/render_json.h"
#include "services/report/render_table.h"
#include "services/report/text.h"

namespace regressd::ctl {
namespace {

struct CompareOptions {
  std::vector<std::string> commits;
  std::vector<std::string> axes;
  std::string along;
  std::string metric_regex;
  Format format = Format::kTable;
  report::TableOptions table;
  bool exit_code = false;
};

// "nr_task=8,16" as one column a value.
std::vector<ColumnQuery> ColumnsAlong(const std::string& commit, const std::string& along) {
  const std::size_t equals = along.find('=');
  std::vector<ColumnQuery> columns;
  std::size_t begin = equals + 1;
  while (begin <= along.size()) {
    const std::size_t end = std::min(along.find(',', begin), along.size());
    ColumnQuery column{.commit = commit, .axes = {}};
    column.axes.Set(along.substr(0, equals), along.substr(begin, end - begin));
    columns.push_back(std::move(column));
    begin = end + 1;
  }
  return columns;
}

std::string CheckAlong(const std::string& text) {
  const std::size_t equals = text.find('=');
  bool good =
      equals != std::string::npos && equals > 0 && text.find(',', equals) != std::string::npos;
  if (good) {
    std::set<std::string> values;
    for (const ColumnQuery& column : ColumnsAlong("", text)) {
      const std::string& value = column.axes.list().front().value;
      good = good && !value.empty() && values.insert(value).second;
    }
  }
  return good ? ""
              : fmt::format(
                    "\"{}\" is not KEY=V1,V2; write two or more different values to compare, as in "
                    "nr_task=8,16",
                    report::OneLine(text));
}

std::string Optional(const std::optional<double>& number) {
  return number ? NumberText(*number) : std::string();
}

// One line for each metric and head, with what the verdict rests on.
std::string CsvLine(const model::ComparisonBlock& block, const model::Row& row, std::size_t head) {
  const std::optional<model::Judgement>& judged = row.cells[head].judgement;
  if (!judged) return "";
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                     CsvField(AxesText(block.axes)), CsvField(row.metric.name),
                     CsvField(row.metric.unit), ToString(row.metric.better),
                     CsvField(block.columns[0].commit.commit_id), judged->base.run_count,
                     NumberText(judged->base.mean), NumberText(judged->base.sample_stddev),
                     CsvField(block.columns[head].commit.commit_id), judged->head.run_count,
                     NumberText(judged->head.mean), NumberText(judged->head.sample_stddev),
                     NumberText(judged->absolute_change), Optional(judged->relative_change),
                     ToString(judged->verdict), CsvField(judged->reason), Optional(judged->p_value),
                     Optional(judged->q_value));
}

std::string RenderCsv(const std::vector<model::ComparisonBlock>& blocks) {
  std::string text =
      "axes,metric,unit,better,base_commit,base_runs,base_mean,base_sample_stddev,head_commit,"
      "head_runs,head_mean,head_sample_stddev,absolute_change,relative_change,verdict,reason,"
      "p_value,q_value\n";
  for (const model::ComparisonBlock& block : blocks) {
    for (const model::Row& row : block.rows) {
      for (std::size_t head = 1; head < row.cells.size(); ++head) {
        text += CsvLine(block, row, head);
      }
    }
  }
  return text;
}

bool HasRegression(const std::vector<model::ComparisonBlock>& blocks) {
  for (const model::ComparisonBlock& block : blocks) {
    for (const model::Row& row : block.rows) {
      for (const model::Cell& cell : row.cells) {
        if (cell.judgement && cell.judgement->verdict == model::Verdict::kRegression) return true;
      }
    }
  }
  return false;
}

absl::StatusOr<ExitCode> Compare(Context& context, CompareOptions options) {
  CompareQuery query{.columns = {}, .axes = AxesOf(options.axes), .metric_regex = {}};
  query.metric_regex = options.metric_regex;
  if (options.along.empty()) {
    for (const std::string& commit : options.commits) query.columns.push_back({commit, {}});
  } else {
    query.columns = ColumnsAlong(options.commits[0], options.along);
  }
  absl::StatusOr<std::vector<model::ComparisonBlock>> blocks;
  {
    Progress progress(context.progress, "rows", std::nullopt);
    blocks =
        CompareClient(context.connection, context.skipped).Compare(query, [&](std::int64_t rows) {
          progress.Set(rows);
        });
  }
  if (!blocks.ok()) return blocks.status();

  options.table.color = context.color;
  if (options.format == Format::kJson) {
    context.output.Write(report::RenderComparisonJson(*blocks));
  } else if (options.format == Format::kCsv) {
    context.output.Write(RenderCsv(*blocks));
  } else {
    for (const model::ComparisonBlock& block : *blocks) {
      if (&block != &blocks->front()) context.output.Write("\n");
      context.output.Write(report::RenderTable(block, options.table));
    }
  }
  if (!options.exit_code) return ExitCode::kOk;
  if (HasRegression(*blocks)) return ExitCode::kRegressionFound;
  if (context.skipped_count > 0) {
    // Silence must not be taken for a good result.
    return absl::InternalError("whether there is a regression cannot be said without those rows");
  }
  return ExitCode::kOk;
}

}  // namespace

void AddCompareCommand(Commands& commands) {
  CLI::App* compare = commands.app.add_subcommand(
      "compare", "Compare commits metric by metric; the first is the base");
  auto options = std::make_shared<CompareOptions>();
  compare
      ->add_option("commit", options->commits,
                   "BASE HEAD [HEAD...]: sha, its first digits, tag, describe, or patch Message-ID")
      ->required()
      ->type_name("COMMIT")
      ->check(NotEmpty());
  AddAxisOption(compare, &options->axes);
  compare
      ->add_option("--along", options->along,
                   "Compare one commit along an axis instead: nr_task=8,16")
      ->type_name("KEY=V1,V2")
      ->check(CLI::Validator(CheckAlong, ""));
  compare->add_option("--metric", options->metric_regex, "Only metrics that this RE2 finds")
      ->type_name("REGEX")
      ->check(NotEmpty());
  compare->add_flag("--all", options->table.all_metrics, "Also metrics that did not change");
  AddFormatOption(compare, &options->format, "lkp");
  compare->add_flag("--ascii", options->table.ascii, "Write +- in place of the plus-minus sign");
  compare->add_flag("--exit-code", options->exit_code, "Exit with 1 when a regression is found");
  compare->callback([options] {
    const bool along = !options->along.empty();
    if (along && options->commits.size() != 1) {
      throw CLI::ValidationError("compare", "--along compares one commit with itself: name one");
    }
    const std::string key = options->along.substr(0, options->along.find('='));
    if (along && AxesOf(options->axes).Find(key)) {
      throw CLI::ValidationError("compare", fmt::format("--along and --axis both give {}; leave it "
                                                        "to --along",
                                                        report::OneLine(key)));
    }
    if (!along && options->commits.size() < 2) {
      throw CLI::ValidationError("compare", "name a base and at least one head");
    }
  });
  compare->footer(
      "\nIn the table, %stddev is LKP's: of the runs as they are (divides by n), in percent of "
      "their "
      "mean.\nCSV, JSON and mails have the sample's (divides by n-1), on which verdicts rest.\n" +
      compare->get_footer());
  commands.work[compare] = [options](Context& context) { return Compare(context, *options); };
}

}  // namespace regressd::ctl
