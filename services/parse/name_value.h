#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "services/model/metric.h"
#include "services/parse/problem.h"

namespace regressd::parse {

/// One result of a command.
struct NameValue {
  int line = 0;
  std::string name;  ///< Without the testcase: "throughput".
  double value = 0;
  std::string unit;  ///< Empty when the line had none.
  model::Better better = model::Better::kNeither;
  bool says_better = false;  ///< The line said it; otherwise the catalogue decides.
};

enum class NameValueLine {
  kResult,
  kOther,   ///< Does not look like a result; ignored.
  kBroken,  ///< Looks like one, but its value is none.
};

/// Reads one line of a command's output as a result: "name value [unit] [higher|lower|neither]".
///
/// A line is a result when it has two to four words, where
/// - the first is a name: begins with a letter or '_', then letters, digits and _ . - / % @ +; one
/// ':' or
///   '=' at its end is dropped;
/// - the second is a finite decimal number ("12", "-0.5", "1.5e6"), without thousands separators;
/// - a third is a unit of at most 16 bytes, or a direction; a fourth can only be a direction.
/// It is broken when all of this holds but the second word, which begins like a number (or is nan
/// or inf) and is none: "throughput 12,5". Everything else is other output. So prose with a number
/// as its second word and more than four words is left alone.
NameValueLine ParseNameValue(std::string_view line, NameValue* out);

struct NameValues {
  std::vector<NameValue> results;  ///< In order; a name may occur again.
  Problems problems;               ///< One for each broken line.
};

/// All results of an output.
NameValues ParseNameValues(std::string_view text);

}  // namespace regressd::parse
