#pragma once

#include "services/model/comparison.h"
#include "services/model/regression.h"

namespace regressd::report {

/// The regression with the judgements of `block` in place of its own wherever both come to the same
/// verdict: a report tells one set of runs, although runs may have ended since the regression was
/// stored. A metric on which they disagree keeps what was found.
model::Regression WithNumbersOf(const model::ComparisonBlock& block, model::Regression regression);

/// What `block` says of the headline where that is another verdict than the regression's; null when
/// it is the same, or when the block does not have it.
const model::Judgement* OtherVerdict(const model::Regression& regression,
                                     const model::ComparisonBlock& block);

}  // namespace regressd::report
