#include "storage/pg_detection_writer.h"

#include <string>

#include "storage/pg_regression_rows.h"
#include "storage/regression_rules.h"

namespace regressd::storage {
namespace {

void Retract(pqxx::transaction_base& transaction, const KnownRegression& known,
             const char* comment) {
  const DetectionEffect effect = EffectOfNothing(known);
  if (!effect.changed) return;
  const std::int64_t regression_id = known.regression.regression_id;
  UpdateState(transaction, regression_id, effect.state, StateBy::kWorker);
  AddEvent(transaction, regression_id, effect.state, kWorkerName, comment);
}

void WriteFinding(pqxx::transaction_base& transaction, const Detection& detection,
                  const KnownRegression* known) {
  const model::Regression& found = *detection.regression;
  const DetectionEffect effect = EffectOfFinding(known, found);
  if (!effect.changed) return;
  std::int64_t regression_id = 0;
  if (known == nullptr) {
    regression_id = InsertRegression(transaction, detection.axes_id, detection.base_commit_id,
                                     detection.head_commit_id, effect.state, found);
  } else {
    regression_id = known->regression.regression_id;
    UpdateFinding(transaction, regression_id, effect.state, found);
  }
  if (effect.visible) AddEvent(transaction, regression_id, effect.state, kWorkerName, "");
}

absl::Status WriteOne(pqxx::transaction_base& transaction, const Detection& detection) {
  const auto known =
      SelectReadable(transaction,
                     "WHERE g.axes_id = $1::int8 AND g.base_commit_id = $2 "
                     "AND g.head_commit_id = $3",
                     Params(detection.axes_id, detection.base_commit_id, detection.head_commit_id),
                     MetricsWanted::kAll);
  if (!known.ok()) return known.status();
  if (detection.regression) {
    WriteFinding(transaction, detection, known->empty() ? nullptr : &known->front());
  } else if (!known->empty()) {
    Retract(transaction, known->front(), kNoLongerFound);
  }
  return absl::OkStatus();
}

// The detections as columns.
struct Judged {
  explicit Judged(const std::vector<Detection>& detections) {
    for (const Detection& detection : detections) {
      axes_ids.push_back(detection.axes_id);
      bases.push_back(detection.base_commit_id);
      heads.push_back(detection.head_commit_id);
    }
  }

  std::vector<std::int64_t> axes_ids;
  std::vector<std::string> bases;
  std::vector<std::string> heads;
};

// A head has one base: what was found against another one is no finding any more.
absl::Status RetractOtherBases(pqxx::transaction_base& transaction, const Judged& judged) {
  const auto others = SelectReadable(
      transaction,
      "WHERE g.state <> 'retracted' AND (g.axes_id, g.head_commit_id) IN "
      "(SELECT a, h FROM unnest($1::int8[], $3::text[]) AS j(a, h)) "
      "AND (g.axes_id, g.base_commit_id, g.head_commit_id) NOT IN "
      "(SELECT a, b, h FROM unnest($1::int8[], $2::text[], $3::text[]) AS k(a, b, h)) "
      "ORDER BY g.regression_id",
      Params(judged.axes_ids, judged.bases, judged.heads), MetricsWanted::kHeadline);
  if (!others.ok()) return others.status();
  for (const KnownRegression& other : *others) Retract(transaction, other, kOtherBase);
  return absl::OkStatus();
}

void RememberBases(pqxx::transaction_base& transaction, const Judged& judged) {
  Exec(transaction,
       "UPDATE run_group g SET base_commit_id = u.base "
       "FROM unnest($1::int8[], $2::text[], $3::text[]) AS u(axes_id, base, head) "
       "WHERE g.axes_id = u.axes_id AND g.commit_id = u.head "
       "AND g.base_commit_id IS DISTINCT FROM u.base",
       judged.axes_ids, judged.bases, judged.heads);
}

}  // namespace

absl::Status WriteDetections(pqxx::transaction_base& transaction,
                             const std::vector<Detection>& detections) {
  if (detections.empty()) return absl::OkStatus();
  LockEvents(transaction);
  for (const Detection& detection : detections) {
    if (auto status = WriteOne(transaction, detection); !status.ok()) return status;
  }
  const Judged judged(detections);
  RememberBases(transaction, judged);
  return RetractOtherBases(transaction, judged);
}

}  // namespace regressd::storage
