#include "storage/pg_metric_rows.h"

#include <optional>
#include <string>

#include "storage/pg_rows.h"
#include "storage/pg_run_rows.h"

namespace regressd::storage {
namespace {

// In the order of Judgement; ReadMetrics and InsertMetrics keep it.
constexpr char kColumns[] =
    "name, unit, kind, better, reduction, verdict, reason, rule, base_count, base_mean, "
    "base_stddev, head_count, head_mean, head_stddev, absolute_change, relative_change, "
    "t_statistic, degrees_of_freedom, p_value, q_value, rank_p_value, shift, max_q_value, "
    "min_relative_change, min_absolute_change, family_size";

// Reads a row that has regression_id before kColumns.
model::RegressionMetric ReadMetricRow(const pqxx::row& row) {
  model::RegressionMetric read;
  read.metric = ReadMetric(row, 1);
  model::Judgement& j = read.judgement;
  j.verdict = GetEnum<model::Verdict>(row[6]);
  j.reason = Get<std::string>(row[7]);
  j.rule = Get<std::string>(row[8]);
  j.base = {Get<std::int32_t>(row[9]), Get<double>(row[10]), Get<double>(row[11])};
  j.head = {Get<std::int32_t>(row[12]), Get<double>(row[13]), Get<double>(row[14])};
  j.absolute_change = Get<double>(row[15]);
  j.relative_change = GetOptional<double>(row[16]);
  j.t_statistic = GetOptional<double>(row[17]);
  j.degrees_of_freedom = GetOptional<double>(row[18]);
  j.p_value = GetOptional<double>(row[19]);
  j.q_value = GetOptional<double>(row[20]);
  j.rank_p_value = GetOptional<double>(row[21]);
  j.shift = GetOptional<double>(row[22]);
  j.max_q_value = Get<double>(row[23]);
  j.min_relative_change = Get<double>(row[24]);
  j.min_absolute_change = Get<double>(row[25]);
  j.family_size = Get<std::int32_t>(row[26]);
  return read;
}

// One column of all metrics.
template <typename Take>
auto Column(const std::vector<model::RegressionMetric>& metrics, Take&& take) {
  std::vector<std::remove_cvref_t<decltype(take(metrics.front()))>> column;
  for (const model::RegressionMetric& metric : metrics) column.push_back(take(metric));
  return column;
}

}  // namespace

MetricsById LoadMetrics(pqxx::transaction_base& transaction,
                        const std::vector<std::int64_t>& regression_ids, bool headline_only) {
  const pqxx::result rows =
      Exec(transaction,
           fmt::format("SELECT regression_id, {} FROM regression_metric "
                       "WHERE regression_id = ANY($1::int8[]) {} ORDER BY regression_id, ord",
                       kColumns, headline_only ? "AND ord = 1" : ""),
           regression_ids);
  MetricsById metrics;
  for (const std::int64_t id : regression_ids) metrics[id] = std::vector<model::RegressionMetric>();
  for (const auto& row : rows) {
    auto& of_regression = metrics.at(Get<std::int64_t>(row[0]));
    if (!of_regression.ok()) continue;
    auto metric = TryRead([&] { return ReadMetricRow(row); });
    if (metric.ok()) {
      of_regression->push_back(*std::move(metric));
    } else {
      of_regression = CannotRead("its metric " + Get<std::string>(row[1]), metric.status());
    }
  }
  return metrics;
}

void InsertMetrics(pqxx::transaction_base& transaction, std::int64_t regression_id,
                   const std::vector<model::RegressionMetric>& metrics) {
  using M = model::RegressionMetric;
  Params params(regression_id);
  const auto add = [&](auto&& take) { params.Add(Column(metrics, take)); };
  add([](const M& m) { return m.metric.name; });
  add([](const M& m) { return m.metric.unit; });
  add([](const M& m) { return std::string(model::ToString(m.metric.kind)); });
  add([](const M& m) { return std::string(model::ToString(m.metric.better)); });
  add([](const M& m) { return std::string(model::ToString(m.metric.reduction)); });
  add([](const M& m) { return std::string(model::ToString(m.judgement.verdict)); });
  add([](const M& m) { return m.judgement.reason; });
  add([](const M& m) { return m.judgement.rule; });
  add([](const M& m) { return m.judgement.base.run_count; });
  add([](const M& m) { return m.judgement.base.mean; });
  add([](const M& m) { return m.judgement.base.sample_stddev; });
  add([](const M& m) { return m.judgement.head.run_count; });
  add([](const M& m) { return m.judgement.head.mean; });
  add([](const M& m) { return m.judgement.head.sample_stddev; });
  add([](const M& m) { return m.judgement.absolute_change; });
  add([](const M& m) { return m.judgement.relative_change; });
  add([](const M& m) { return m.judgement.t_statistic; });
  add([](const M& m) { return m.judgement.degrees_of_freedom; });
  add([](const M& m) { return m.judgement.p_value; });
  add([](const M& m) { return m.judgement.q_value; });
  add([](const M& m) { return m.judgement.rank_p_value; });
  add([](const M& m) { return m.judgement.shift; });
  add([](const M& m) { return m.judgement.max_q_value; });
  add([](const M& m) { return m.judgement.min_relative_change; });
  add([](const M& m) { return m.judgement.min_absolute_change; });
  add([](const M& m) { return m.judgement.family_size; });
  ExecParams(transaction,
             fmt::format("INSERT INTO regression_metric (regression_id, {0}, ord) "
                         "SELECT $1::int8, u.* FROM unnest($2::text[], $3::text[], $4::text[], "
                         "$5::text[], $6::text[], $7::text[], $8::text[], $9::text[], "
                         "$10::int4[], $11::float8[], $12::float8[], $13::int4[], $14::float8[], "
                         "$15::float8[], $16::float8[], $17::float8[], $18::float8[], "
                         "$19::float8[], $20::float8[], $21::float8[], $22::float8[], "
                         "$23::float8[], $24::float8[], $25::float8[], $26::float8[], "
                         "$27::int4[]) WITH ORDINALITY AS u",
                         kColumns),
             params);
}

}  // namespace regressd::storage
