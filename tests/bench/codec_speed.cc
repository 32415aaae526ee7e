#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "services/codec/block.h"
#include "tests/bench/recorded_rows.h"
#include "tests/bench/subject.h"

namespace regressd::bench {
namespace {

constexpr std::size_t kSamplesABlock = 60;
constexpr std::int64_t kPeriodUs = 1'000'000;
constexpr double kEncodeMustNs = 5;
constexpr double kDecodeMustNs = 1.5;

/// CPU time of this thread: others that run beside it do not count.
double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Blocks {
  std::vector<codec::BlockShape> shapes;
  std::vector<codec::RowsView> rows;
  std::vector<std::string> encoded;
  std::size_t value_count = 0;
};

Blocks BlocksOf(const RecordedRows& recorded) {
  Blocks blocks;
  const std::size_t width = recorded.metric_count;
  for (std::size_t first = 0; first + kSamplesABlock <= recorded.times_us.size();
       first += kSamplesABlock) {
    blocks.shapes.push_back({.sample_count = kSamplesABlock,
                             .metric_count = width,
                             .begin_us = recorded.times_us[first],
                             .period_us = kPeriodUs});
    blocks.rows.push_back(
        {.times_us = std::span(recorded.times_us).subspan(first, kSamplesABlock),
         .values = std::span(recorded.values).subspan(first * width, kSamplesABlock * width),
         .missing = {}});
    blocks.value_count += kSamplesABlock * width;
  }
  return blocks;
}

/// Nanoseconds a value of `work` over all blocks: of several rounds the median and all of them.
Figure Time(std::string name, const Blocks& blocks, bool quick, std::optional<double> must,
            const std::function<void(std::size_t)>& work) {
  const int rounds = quick ? 5 : 21;
  const double round_s = quick ? 0.05 : 0.2;
  Figure figure;
  figure.name = std::move(name);
  figure.unit = "ns/value";
  figure.must = must;
  for (int round = 0; round < rounds; ++round) {
    const double begin = ThreadSeconds();
    double took = 0;
    std::size_t passes = 0;
    do {
      for (std::size_t i = 0; i < blocks.shapes.size(); ++i) work(i);
      ++passes;
      took = ThreadSeconds() - begin;
    } while (took < round_s);
    figure.runs.push_back(took * 1e9 / static_cast<double>(passes * blocks.value_count));
  }
  std::vector<double> sorted = figure.runs;
  std::sort(sorted.begin(), sorted.end());
  figure.value = sorted[sorted.size() / 2];
  figure.note = fmt::format("{:.2f} to {:.2f} in {} rounds", sorted.front(), sorted.back(), rounds);
  return figure;
}

}  // namespace

absl::StatusOr<std::vector<Figure>> MeasureCodec(const SubjectOptions& options) {
  const absl::StatusOr<RecordedRows> recorded = ReadRecordedRows();
  if (!recorded.ok()) return recorded.status();
  Blocks blocks = BlocksOf(*recorded);
  if (blocks.shapes.empty()) return absl::NotFoundError("the recording is shorter than a block");
  std::size_t encoded_bytes = 0;
  for (std::size_t i = 0; i < blocks.shapes.size(); ++i) {
    blocks.encoded.push_back(codec::EncodeBlock(blocks.shapes[i], blocks.rows[i]));
    encoded_bytes += blocks.encoded.back().size();
  }
  codec::Columns columns;
  std::vector<std::int64_t> times_us;
  bool all_ok = true;
  // What is promised is promised of real samples.
  const auto must = [&](double ns) {
    return recorded->is_recorded ? std::optional(ns) : std::nullopt;
  };
  std::vector<Figure> figures;
  figures.push_back(
      Time("block encode", blocks, options.quick, must(kEncodeMustNs), [&](std::size_t i) {
        blocks.encoded[i] = codec::EncodeBlock(blocks.shapes[i], blocks.rows[i]);
      }));
  figures.push_back(
      Time("block decode", blocks, options.quick, must(kDecodeMustNs), [&](std::size_t i) {
        all_ok = all_ok && codec::DecodeBlock(blocks.shapes[i], blocks.encoded[i], &columns).ok();
      }));
  figures.push_back(Time("block check", blocks, options.quick, {}, [&](std::size_t i) {
    all_ok =
        all_ok && codec::CheckBlock(blocks.shapes[i], blocks.encoded[i], false, &times_us).ok();
  }));
  figures.push_back(
      Time("one metric out of a block", blocks, options.quick, {}, [&](std::size_t i) {
        all_ok =
            all_ok && codec::DecodeColumn(blocks.shapes[i], blocks.encoded[i], 0, &columns).ok();
      }));
  if (!all_ok) return absl::InternalError("a block that was just made cannot be decoded");
  figures.push_back(
      {.name = "block size",
       .value = static_cast<double>(encoded_bytes) / static_cast<double>(blocks.value_count),
       .unit = "bytes/value",
       .must = {},
       .want = {},
       .note = recorded->origin});
  return figures;
}

}  // namespace regressd::bench
