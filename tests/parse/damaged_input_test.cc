#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "services/parse/folded.h"
#include "services/parse/name_value.h"
#include "services/parse/observations.h"
#include "services/parse/perf_script.h"
#include "services/parse/perf_stat.h"
#include "services/parse/proc_key_value.h"
#include "services/parse/vmstat.h"

namespace regressd::parse {
namespace {

constexpr const char* kSeeds[] = {
    " r  b   swpd   free  si so UTC\n 1  0 1 2 3 4 2026-11-30 17:30:53\n 1 0 1 2 3 4 x\n",
    "     1.0,S0,2,204.82,msec,cpu-clock,/a,7.35%,204824441,100.00,2.048,CPUs utilized\n",
    "{\"interval\" : 1.0, \"counter-value\" : \"4.0\", \"event\" : \"x\", \"socket\" : 3}\n",
    "#  time  counts unit events\n 0.1  201,2.72 msec cpu-clock  #  2.017 CPUs (62.51%)\n",
    " time,GHz,insn per cycle,\n  1.0,3.14,1.62,\n",
    "a b 1/2 [003] 965.694001: 50 cpu-clock: \n\tff x+0x19 (/a (deleted))\n\t1 [unknown] ()\n\n",
    "### 17.5\nnr_dirty -1\npgfault 18446744073709551615\n",
    "some avg10=0.25 avg60=1.50 avg300=2.00 total=18446744073709551615\nMemTotal: 3 kB\n",
    "a;b c 3\nthroughput 1.5 MB/s higher\n# x us lower\n12\nx 3\n",
};

// A problem names a line that exists, in text that is harmless on a terminal.
void ExpectSound(const Problems& problems, std::string_view text) {
  const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
  for (const Problem& problem : problems) {
    EXPECT_LE(problem.line, lines) << problem.message;
    EXPECT_TRUE(std::all_of(problem.message.begin(), problem.message.end(), [](char c) {
      return c >= 0x20 && c < 0x7f;
    })) << problem.message;
  }
}

void FeedEverything(std::string_view text) {
  ExpectSound(ParseVmstat(text).problems, text);
  ExpectSound(ParsePerfStat(text).problems, text);
  ExpectSound(ParsePerfStat(text, ' ').problems, text);
  ExpectSound(ParsePerfScript(text).problems, text);
  ExpectSound(ParseFolded(text).problems, text);
  ExpectSound(ParseMeminfo(text).problems, text);
  ExpectSound(ParsePressure(text).problems, text);
  ExpectSound(ParseNameValues(text).problems, text);
  ProcVmstatReader proc;
  std::vector<ProcVmstatValue> values;
  const Recording recording = SplitRecording(text);
  ExpectSound(recording.problems, text);
  for (const RecordedSnapshot& snapshot : recording.snapshots) {
    proc.Read(snapshot.text, &values, snapshot.first_line);
  }
  ExpectSound(proc.TakeProblems(), text);
  ObservationReader observations;
  Observation value;
  observations.Feed(text, &value);
  ExpectSound(observations.TakeProblems(), text);
}

// Under the sanitizers this also finds reads out of bounds and overflows. Every parser meets every
// format.
TEST(DamagedInputTest, NoParserFallsOverBytesThatWereCutOrChanged) {
  std::mt19937 random(20261130);
  for (const std::string seed : kSeeds) {
    for (std::size_t length = 0; length <= seed.size(); ++length) {
      FeedEverything(std::string_view(seed).substr(0, length));
    }
    for (int round = 0; round < 300; ++round) {
      std::string damaged = seed;
      for (int change = 0; change < 3; ++change) {
        constexpr std::string_view kBytes("\0\n \t,;:()[]<>#%/-+.019aEx\xff", 26);
        damaged[random() % damaged.size()] = kBytes[random() % kBytes.size()];
      }
      FeedEverything(damaged);
    }
  }
}

}  // namespace
}  // namespace regressd::parse
