#pragma once

#include <set>
#include <string>

#include "services/model/comparison.h"

namespace regressd::report {

struct TableOptions {
  bool all_metrics = false;  ///< Also metrics that did not change; otherwise those whose verdict is
                             ///< a change, and headlines.
  bool ascii = false;        ///< "+-" in place of the plus-minus sign.
  bool color =
      false;  ///< ANSI colour on regressions and improvements; sign and word are there without it.
  bool short_ids = false;  ///< Commits as mails name them: 10 digits and the subject.
  bool notes = true;  ///< Lines above the table: which facts of the machines differ; and under it:
                      ///< which rows are worse or better, what is hidden, which runs failed.
  std::string all_metrics_hint =
      "--all shows them";  ///< Ends the note on hidden rows; may be empty.

  /// LKP to the byte, its oddities included: a metric that a column lacks is 0, a base of 0 is
  /// 1e-100, reproduction is divided by the runs of the column before, rows may come in any order,
  /// no notes.
  bool lkp_exact = false;
  /// Families that are printed first, beside the testcase's own.
  std::set<std::string, std::less<>> test_families = {};
};

/// The LKP-like text table of one block: common axes, columns, and a row a metric with mean, +-
/// stddev in percent and change, in the layout and row order of lkp.md sections 3.6 and 5. Means of
/// the stddev are LKP's (population). A metric that a column lacks is blank there; "new" stands for
/// a change from nothing or 0, "gone" for one to nothing. Names are escaped against terminals:
/// control characters are shown as \xNN.
std::string RenderTable(const model::ComparisonBlock& block, const TableOptions& options);

/// A commit for people: "<id> v6.12-rc3 ("subject")"; a patch "patch:<message-id> on <base>
/// ("subject")". `short_id` cuts 40-digit ids to 10.
std::string CommitLine(const model::Commit& commit, bool short_id);

/// The shortest id that people use: 10 digits, a tag, or "patch:<message-id>". Not escaped.
std::string ShortCommit(const model::Commit& commit);

}  // namespace regressd::report
