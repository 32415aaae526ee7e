#include "services/parse/proc_tables.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace regressd::parse {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using Numbers = std::map<std::string, std::uint64_t>;

TEST(ProcTablesTest, DiskstatsNamesFieldsOfTheKernelsDocumentation) {
  // A line of Linux 6.18: 17 numbers, Documentation/admin-guide/iostats.rst.
  Numbers got;
  const Problems problems = ReadDiskstats(
      " 254 0 vda 110985 25507 11272034 41954 987812 523585 190216912 1646009 3 149288 1757994 "
      "325138 "
      "13 128821752 57882 247667 12148\n   7 0 loop0 0 0 0 0 0 0 0 0 0 0 0\n short line\n",
      [](std::string_view device) { return device == "vda"; },
      [&](std::string_view name, std::uint64_t value) { got[std::string(name)] = value; });
  EXPECT_EQ(got.size(), 17u);
  EXPECT_EQ(got["read_ios.vda"], 110985u);
  EXPECT_EQ(got["write_sectors.vda"], 190216912u);
  EXPECT_EQ(got["in_flight.vda"], 3u);
  EXPECT_EQ(got["io_ticks.vda"], 149288u);
  EXPECT_EQ(got["flush_ticks.vda"], 12148u);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].line, 3);
}

TEST(ProcTablesTest, ZoneinfoKeepsWatermarksOfZonesThatHavePages) {
  Numbers got;
  const Problems problems = ReadZoneinfo(
      "Node 0, zone      DMA\n  per-node stats\n      nr_inactive_anon 373618\n"
      "  pages free     3840\n        boost    0\n        min      10\n        low      13\n"
      "        high     16\n        spanned  4095\n        present  3998\n"
      "      nr_free_pages 3840\n      nr_zone_active_file 5\n        protection: (0, 1)\n"
      "  pagesets\n    cpu: 0\n              count:    62\n              high:     77\n"
      "Node 1, zone  Movable\n  pages free     0\n        min      32\n        present  0\n",
      [&](std::string_view name, std::uint64_t value) { got[std::string(name)] = value; });
  EXPECT_THAT(problems, IsEmpty());
  EXPECT_THAT(got, ElementsAre(Pair("node0.DMA.pages.boost", 0), Pair("node0.DMA.pages.free", 3840),
                               Pair("node0.DMA.pages.high", 16), Pair("node0.DMA.pages.low", 13),
                               Pair("node0.DMA.pages.min", 10),
                               Pair("node0.DMA.pages.nr_zone_active_file", 5)));
}

TEST(ProcTablesTest, SchedstatSumsCpusAndRefusesAnUnknownVersion) {
  const std::string cpus =
      "timestamp 4\ncpu0 0 0 1 2 3 4 1000 200 7\ndomain0 3 1 2\ncpu1 0 0 1 2 3 4 10 20 30\n";
  Numbers got;
  const auto take = [&](std::string_view name, std::uint64_t value) {
    got[std::string(name)] = value;
  };
  EXPECT_THAT(ReadSchedstat("version 17\n" + cpus, take), IsEmpty());
  EXPECT_THAT(got,
              ElementsAre(Pair("run_delay", 220), Pair("run_time", 1010), Pair("timeslices", 37)));
  got.clear();
  EXPECT_EQ(ReadSchedstat("version 18\n" + cpus, take).size(), 1u);
  EXPECT_THAT(got, IsEmpty());
}

TEST(ProcTablesTest, SwapsGoByTheLastPartOfThePath) {
  Numbers got;
  const Problems problems = ReadSwaps(
      "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
      "/dev/zram0                              partition\t262140\t\t1024\t\t-2\n"
      "/var/swap\\040file                       file\t\t65532\t\t0\t\t-3\n",
      [&](std::string_view name, std::uint64_t value) { got[std::string(name)] = value; });
  EXPECT_THAT(problems, IsEmpty());
  EXPECT_THAT(got, ElementsAre(Pair("swap\\040file.size", 65532), Pair("swap\\040file.used", 0),
                               Pair("zram0.size", 262140), Pair("zram0.used", 1024)));
}

TEST(ProcTablesTest, ANodesMeminfoLosesTheNode) {
  Numbers got;
  const Problems problems = ReadNodeMeminfo(
      "Node 0 MemTotal:       24731708 kB\nNode 0 HugePages_Total:     0\nrubbish\n",
      [&](std::string_view name, std::uint64_t value) { got[std::string(name)] = value; });
  EXPECT_EQ(problems.size(), 1u);
  EXPECT_THAT(got, ElementsAre(Pair("HugePages_Total", 0), Pair("MemTotal", 24731708)));
}

TEST(ProcTablesTest, InterruptsAreSummedOverCpusUnderLkpsNames) {
  InterruptsReader reader;
  Numbers got;
  const auto take = [&](std::string_view name, std::uint64_t value) {
    got[std::string(name)] = value;
  };
  EXPECT_THAT(
      reader.Read("           CPU0       CPU1       \n"
                  " 36:          1    1179697 PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0\n"
                  "LOC:    2957174    2931636   Local timer interrupts\n"
                  "ERR:          5\n",
                  take),
      IsEmpty());
  EXPECT_THAT(got, ElementsAre(Pair("36:PCI-MSIX-0000:00:02.0.1-edge.virtio1-req.0", 1179698),
                               Pair("ERR", 5), Pair("LOC:Local_timer_interrupts", 5888810)));
}

TEST(ProcTablesTest, InterruptsOfABigMachineAreBoundedAndNoneIsLost) {
  std::string text = "  CPU0\n";
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    text += fmt::format("{}: {} PCI-MSI {}-edge q{}\n", i, i, i, i);
    total += i;
  }
  InterruptsReader reader;
  for (int round = 0; round < 2; ++round) {
    std::size_t count = 0;
    std::uint64_t sum = 0;
    reader.Read(text, [&](std::string_view /*name*/, std::uint64_t value) {
      ++count;
      sum += value;
    });
    EXPECT_EQ(count, InterruptsReader::kMaxDeviceLines + 1);
    EXPECT_EQ(sum, total);
  }
}

TEST(ProcTablesTest, CpuStatNeedsWhatVmstatShows) {
  CpuStat stat;
  EXPECT_THAT(ReadCpuStat("cpu  10 2 30 400 5 1 2 3 4 6\ncpu0 1 1 1 1\nintr 999 1 2 3\nctxt 77\n"
                          "btime 1\nprocesses 9\nprocs_running 3\nprocs_blocked 1\n",
                          &stat),
              IsEmpty());
  EXPECT_EQ(stat.user, 10u);
  EXPECT_EQ(stat.guest_nice, 6u);
  EXPECT_EQ(stat.interrupts, 999u);
  EXPECT_EQ(stat.context_switches, 77u);
  EXPECT_EQ(stat.procs_running, 3u);
  EXPECT_EQ(ReadCpuStat("cpu  10 2 30 400\n", &stat).size(), 1u);
}

TEST(ProcTablesTest, ACgroupOfVersion1SaysEverythingOnceUnderTheNamesOfVersion2) {
  Numbers got;
  const Problems problems = ReadCgroupStat(
      "cache 1\nrss 2\nswap 3\npgfault 4\nhierarchical_memory_limit 99\n"
      "total_cache 11\ntotal_rss 12\ntotal_rss_huge 13\ntotal_mapped_file 14\ntotal_dirty 15\n"
      "total_writeback 16\ntotal_swap 17\ntotal_pgfault 18\ntotal_inactive_anon 19\n",
      [&](std::string_view name, std::uint64_t value) {
        EXPECT_TRUE(got.emplace(name, value).second) << name << " twice";
      });
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(got, (Numbers{{"hierarchical_memory_limit", 99},
                          {"file", 11},
                          {"anon", 12},
                          {"anon_thp", 13},
                          {"file_mapped", 14},
                          {"file_dirty", 15},
                          {"file_writeback", 16},
                          {"swap", 17},
                          {"pgfault", 18},
                          {"inactive_anon", 19}}));
}

TEST(ProcTablesTest, ACgroupOfVersion2IsTakenAsItIs) {
  Numbers got;
  ReadCgroupStat("anon 8192\nfile 4096\npgfault 7\n",
                 [&](std::string_view name, std::uint64_t value) { got.emplace(name, value); });
  EXPECT_EQ(got, (Numbers{{"anon", 8192}, {"file", 4096}, {"pgfault", 7}}));
}

TEST(ProcTablesTest, NegativeNumbersKeepTheirBits) {
  Numbers got;
  ReadNameNumbers("nr_x -3\nbad\nlow 7\n", [&](std::string_view name, std::uint64_t value) {
    got[std::string(name)] = value;
  });
  EXPECT_EQ(static_cast<std::int64_t>(got["nr_x"]), -3);
  EXPECT_EQ(got["low"], 7u);
}

}  // namespace
}  // namespace regressd::parse
