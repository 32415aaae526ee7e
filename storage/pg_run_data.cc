// What a run recorded: samples, stacks, observations.

#include <algorithm>
#include <map>

#include "services/model/profile_name.h"
#include "storage/near_names.h"
#include "storage/pg_rows.h"
#include "storage/pg_run_rows.h"
#include "storage/pg_run_store.h"
#include "storage/pg_sample_columns.h"

namespace regressd::storage {
namespace {

constexpr int kObservationRowsAStatement = 4;  // Each may hold 100,000 values.

bool HoldsSamples(const DeclaredMetric& declared) {
  return declared.content == model::SourceContent::kIntSamples ||
         declared.content == model::SourceContent::kDoubleSamples;
}

// The metrics of the run's dictionary that are `wanted` and `fit`.
// Errors: NotFound when there is none, with near names among those that fit.
template <typename Fits>
absl::StatusOr<std::vector<DeclaredMetric>> Pick(pqxx::transaction_base& transaction,
                                                 std::int64_t run_id,
                                                 std::span<const std::string> wanted,
                                                 std::string_view what, Fits&& fits) {
  const auto dictionary = LoadDictionary(transaction, run_id);
  if (!dictionary.ok()) return dictionary.status();
  std::vector<DeclaredMetric> picked;
  std::vector<std::string> known;
  for (const DeclaredMetric& declared : *dictionary) {
    const bool is_wanted = std::find(wanted.begin(), wanted.end(), declared.name) != wanted.end();
    if (is_wanted && !declared.readable.ok()) return declared.readable;
    if (!declared.readable.ok() || !fits(declared)) continue;
    known.push_back(declared.name);
    if (is_wanted) picked.push_back(declared);
  }
  if (!picked.empty()) return picked;
  const std::string first = wanted.empty() ? "" : wanted.front();
  return absl::NotFoundError(fmt::format("run {} has no {} of {}{}", RunUuid(transaction, run_id),
                                         what, first, NearNamesHint(first, known)));
}

}  // namespace

absl::Status PgRunStore::ReadSamples(std::int64_t run_id, std::span<const std::string> metrics,
                                     const TimeRange& range,
                                     const std::function<absl::Status(SamplePart)>& take) {
  auto picked = InTransaction<SnapshotTransaction>(
      pool_,
      [&](pqxx::transaction_base& transaction) -> absl::StatusOr<std::vector<DeclaredMetric>> {
        return Pick(transaction, run_id, metrics, "samples", HoldsSamples);
      });
  if (!picked.ok()) return picked.status();
  // The metrics of one source stand together and are read together.
  for (auto begin = picked->begin(); begin != picked->end();) {
    const auto end = std::find_if(begin, picked->end(), [begin](const DeclaredMetric& d) {
      return d.source_id != begin->source_id;
    });
    SampleColumns columns(run_id, {begin, end}, range);
    while (columns.more()) {
      auto parts = InTransaction<SnapshotTransaction>(
          pool_,
          [&](pqxx::transaction_base& transaction) -> absl::StatusOr<std::vector<SamplePart>> {
            return columns.Next(transaction);
          });
      if (!parts.ok()) return parts.status();
      for (SamplePart& part : *parts) {
        if (part.samples.empty()) continue;
        if (auto status = take(std::move(part)); !status.ok()) return status;
      }
    }
    begin = end;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<StackCount>> PgRunStore::ReadStacks(std::int64_t run_id,
                                                               const TimeRange& range) {
  return InTransaction<SnapshotTransaction>(
      pool_, [&](pqxx::transaction_base& transaction) -> absl::StatusOr<std::vector<StackCount>> {
        if (auto status = CheckRunExists(transaction, run_id); !status.ok()) return status;
        Conditions where;
        where.Add("c.run_id = {}::int8", run_id);
        const auto instant = [&](model::Time time) {
          return InstantOf(where.Bind(ToMicros(time)));
        };
        if (range.begin) where.Add("c.begin_time >= " + instant(*range.begin));
        if (range.end) where.Add("c.begin_time < " + instant(*range.end));
        const pqxx::result rows = ExecParams(
            transaction,
            "SELECT coalesce(m.name, s.name), d.folded, sum(c.n)::int8 FROM stack_count c "
            "JOIN stack_dict d USING (run_id, stack_hash) JOIN run_source s USING (run_id, "
            "source_id) "
            "LEFT JOIN run_metric m ON m.run_id = c.run_id AND m.source_id = c.source_id "
            "AND m.ord = 1 " +
                where.clause() + " GROUP BY 1, 2 ",
            where.params());
        // Two sources may have sampled one event.
        std::map<std::pair<std::string, std::string>, std::int64_t> sums;
        for (const auto& row : rows) {
          sums[{std::string(model::ProfileEvent(Get<std::string>(row[0]))),
                Get<std::string>(row[1])}] += Get<std::int64_t>(row[2]);
        }
        std::vector<StackCount> stacks;
        for (const auto& [key, count] : sums) stacks.push_back({key.first, key.second, count});
        std::stable_sort(
            stacks.begin(), stacks.end(),
            [](const StackCount& a, const StackCount& b) { return a.count > b.count; });
        return stacks;
      });
}

absl::Status PgRunStore::ReadObservations(
    std::int64_t run_id, std::string_view metric,
    const std::function<absl::Status(const model::Metric&, std::vector<double>)>& take) {
  const std::string wanted[] = {std::string(metric)};
  auto picked = InTransaction<SnapshotTransaction>(
      pool_,
      [&](pqxx::transaction_base& transaction) -> absl::StatusOr<std::vector<DeclaredMetric>> {
        return Pick(transaction, run_id, wanted, "observations", [](const DeclaredMetric& d) {
          return d.content == model::SourceContent::kObservations;
        });
      });
  if (!picked.ok()) return picked.status();
  for (const DeclaredMetric& declared : *picked) {
    std::int64_t last_seq = 0;
    for (bool more = true; more;) {
      using Parts = std::vector<std::vector<double>>;
      auto parts = InTransaction<SnapshotTransaction>(
          pool_, [&](pqxx::transaction_base& transaction) -> absl::StatusOr<Parts> {
            const pqxx::result rows =
                Exec(transaction,
                     fmt::format("SELECT seq, reals FROM observation_row WHERE run_id = $1::int8 "
                                 "AND source_id = $2::int4 AND ord = $3::int4 AND seq > $4::int8 "
                                 "ORDER BY seq LIMIT {}",
                                 kObservationRowsAStatement),
                     run_id, declared.source_id, declared.ord, last_seq);
            Parts read;
            for (const auto& row : rows) {
              last_seq = Get<std::int64_t>(row[0]);
              auto values = TryRead([&] { return GetArray<double>(row[1]); });
              if (!values.ok()) {
                return CannotRead(
                    fmt::format("observation row {} of metric {}", last_seq, declared.name),
                    values.status());
              }
              read.push_back(*std::move(values));
            }
            more = static_cast<int>(rows.size()) == kObservationRowsAStatement;
            return read;
          });
      if (!parts.ok()) return parts.status();
      for (std::vector<double>& values : *parts) {
        if (auto status = take(declared.metric, std::move(values)); !status.ok()) return status;
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace regressd::storage
