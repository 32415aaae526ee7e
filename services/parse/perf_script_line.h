#pragma once

#include <string>
#include <string_view>

#include "services/parse/perf_script.h"

namespace regressd::parse {

/// Reads "comm tid [cpu] time: period event: payload" from its right end, as comm may hold
/// anything. cpu, time, period and "pid/" are optional. `*payload` is what follows the event.
bool ParsePerfHeader(std::string_view line, PerfScriptSample* sample, std::string_view* payload);

/// A line of a callchain; views into it.
struct PerfFrameText {
  std::string_view symbol;  ///< Without its offset.
  std::string_view dso;     ///< Without its parentheses; empty when the line has none.
  bool has_address = false;
  bool inlined = false;
};

/// Reads "address symbol+0xoffset (dso)". The DSO is the last balanced (...) of the line. False for
/// a line with neither an address nor a DSO.
bool ParsePerfFrame(std::string_view text, PerfFrameText* frame);

/// The name under which a frame is counted: see PerfFrame::name.
std::string FrameName(const PerfFrameText& frame);

}  // namespace regressd::parse
