#include "services/parse/perf_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "services/parse/folded.h"
#include "services/parse/perf_script_line.h"
#include "services/parse/text.h"

namespace regressd::parse {

const PerfScriptSample* PerfScriptReader::Feed(std::string_view line) {
  ++line_number_;
  if (refused_) return nullptr;
  const std::string_view text = Trim(line);
  if (text.empty()) {
    skipping_ = false;
    return Complete();
  }
  if (text.front() == '#') {
    ReadComment(text);
    return nullptr;
  }
  const bool indented = line.front() == ' ' || line.front() == '\t';
  // Frames are indented by a tab; by blanks too, but so are headers of samples without callchain.
  const PerfScriptSample* completed = nullptr;
  if (line.front() != '\t' && ReadHeader(line, &completed)) return completed;
  if (indented && (has_pending_ || skipping_)) {
    if (has_pending_) ReadFrame(text);
    return nullptr;
  }
  return ReadStray(line);
}

bool PerfScriptReader::ReadHeader(std::string_view line, const PerfScriptSample** completed) {
  PerfScriptSample sample;
  std::string_view payload;
  if (!ParsePerfHeader(line, &sample, &payload)) return false;
  *completed = Complete();
  skipping_ = false;
  pending_ = std::move(sample);
  pending_.line = line_number_;
  has_pending_ = true;
  last_frame_whole_ = true;
  // Without a callchain the one frame stands on the header's line; a tracepoint's arguments do not
  // count.
  PerfFrameText frame;
  if (ParsePerfFrame(payload, &frame) && frame.has_address && !frame.dso.empty()) AddFrame(frame);
  return true;
}

void PerfScriptReader::ReadFrame(std::string_view text) {
  PerfFrameText frame;
  last_frame_whole_ = true;
  if (!ParsePerfFrame(text, &frame)) return;  // A source line of -F +srcline.
  last_frame_whole_ = !frame.dso.empty();
  last_frame_line_ = line_number_;
  AddFrame(frame);
}

void PerfScriptReader::AddFrame(const PerfFrameText& frame) {
  pending_.frames.push_back({.name = FrameName(frame),
                             .dso = std::string(frame.inlined ? std::string_view() : frame.dso),
                             .inlined = frame.inlined});
}

const PerfScriptSample* PerfScriptReader::ReadStray(std::string_view line) {
  if (sample_count_ == 0 && !has_pending_ && ParseFoldedLine(line) &&
      line.find(';') != std::string_view::npos) {
    problems_.push_back(Error(line_number_, "looks_folded",
                              fmt::format("{} is a folded stack, not perf script output; send it "
                                          "as format folded",
                                          Quote(line))));
    refused_ = true;
    return nullptr;
  }
  const PerfScriptSample* sample = Complete();
  skipping_ = true;
  problems_.push_back(Error(line_number_, "unrecognized_line",
                            fmt::format("{} is neither the header of a sample nor a frame; it is "
                                        "left out with its frames",
                                        Quote(line))));
  return sample;
}

const PerfScriptSample* PerfScriptReader::Finish(bool last_line_complete) {
  if (refused_) return nullptr;
  const bool on_last_line =
      has_pending_ && (pending_.line == line_number_ || last_frame_line_ == line_number_);
  const bool header_cut = pending_.line == line_number_ && pending_.frames.empty();
  if (!last_line_complete && on_last_line && (header_cut || !last_frame_whole_)) {
    problems_.push_back(Warning(line_number_, "truncated_sample",
                                "the text was cut here; the sample that it was in is left out"));
    has_pending_ = false;
    return nullptr;
  }
  const PerfScriptSample* sample = Complete();
  if (sample_count_ == 0 && problems_.empty()) {
    problems_.push_back(Error(0, "no_samples",
                              "there is no sample here: perf script failed or perf recorded "
                              "nothing; see its exit status and what it said"));
  }
  return sample;
}

void PerfScriptReader::ReadComment(std::string_view line) {
  const std::size_t colon = line.find(" : ");
  if (colon == std::string_view::npos) return;
  std::string key(Trim(line.substr(1, colon - 1)));
  std::replace(key.begin(), key.end(), ' ', '_');
  if (!key.empty()) facts_.emplace_back(std::move(key), Trim(line.substr(colon + 3)));
}

const PerfScriptSample* PerfScriptReader::Complete() {
  if (!std::exchange(has_pending_, false)) return nullptr;
  // An inlined frame is in the file of the next real frame, which comes after it.
  std::string dso;
  for (auto frame = pending_.frames.rbegin(); frame != pending_.frames.rend(); ++frame) {
    if (frame->inlined) {
      frame->dso = dso;
    } else {
      dso = frame->dso;
    }
  }
  std::swap(complete_, pending_);
  ++sample_count_;
  return &complete_;
}

Problems PerfScriptReader::TakeProblems() { return std::exchange(problems_, {}); }

PerfScriptText ParsePerfScript(std::string_view text) {
  PerfScriptReader reader;
  PerfScriptText result;
  std::string_view line;
  bool terminated = true;
  while (NextLine(&text, &line, &terminated)) {
    if (const PerfScriptSample* sample = reader.Feed(line)) result.samples.push_back(*sample);
  }
  if (const PerfScriptSample* sample = reader.Finish(terminated)) {
    result.samples.push_back(*sample);
  }
  result.facts = reader.facts();
  result.problems = reader.TakeProblems();
  return result;
}

void AppendFolded(const PerfScriptSample& sample, std::string* out) {
  const auto append = [out](std::string_view name) {
    for (const char c : name) out->push_back(c == ';' ? ':' : c);
  };
  append(sample.comm);
  for (auto frame = sample.frames.rbegin(); frame != sample.frames.rend(); ++frame) {
    out->push_back(';');
    append(frame->name);
  }
}

std::string Fold(const PerfScriptSample& sample) {
  std::string folded;
  AppendFolded(sample, &folded);
  return folded;
}

}  // namespace regressd::parse
