#pragma once

#include <string>

#include "services/model/comparison.h"
#include "services/model/regression.h"

namespace regressd::report {

/// Who writes, and where the pages are.
struct MailOptions {
  std::string bot_name = "regressd";
  std::string bot_address = "regressd@localhost";
  std::string base_url;  ///< "http://127.0.0.1:8080", without a slash at the end; empty: no links.
};

struct Mail {
  std::string subject;
  std::string
      message_id;  ///< Without < and >; derived from the regression, so a repeat is the same mail.
  std::string body;     ///< Plain text, UTF-8, LF.
  std::string rfc5322;  ///< Headers and body.
};

/// The mail that a maintainer gets about `regression` (lkp.md section 7): one-line finding, commit,
/// testcase and machine, parameters, tags to add, table of `block`, how to reproduce, links. In
/// reply to the patch when the head is one. All numbers are those of `block`, as long as its
/// verdict on the headline is that of the regression; otherwise the mail says that runs came since.
/// A retracted regression is taken back, not told again. Pure: the Date is the regression's update
/// time. No input, line ends in subjects and names included, can add a header.
Mail RenderMail(const model::Regression& regression, const model::ComparisonBlock& block,
                const MailOptions& options);

/// The same message as an entry of an mbox file (mboxrd): "From " line, "From " lines of the body
/// and those that were escaped before escaped once more, an empty line at the end.
std::string ToMbox(const Mail& mail, const model::Regression& regression);

/// "-9.8% regression of vm-scalability.throughput": the title of a regression by its headline
/// metric. An improvement has no sign; a metric that was 0 is told "from 0.00 to 12.50".
std::string Title(const model::RegressionMetric& headline);

/// A number as in the tables, without blanks.
std::string CompactNumber(double value);

}  // namespace regressd::report
