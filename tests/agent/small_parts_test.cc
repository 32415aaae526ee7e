#include <gtest/gtest.h>
#include <signal.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "services/agent/clean_text.h"
#include "services/agent/facts.h"
#include "services/agent/line_splitter.h"
#include "services/agent/monitors/perf_stat_rows.h"
#include "services/agent/private_directory.h"
#include "services/agent/ticker.h"
#include "services/agent/wake_event.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;

/// Uses up wall-clock time, so that turns are missed.
void BusyFor(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

TEST(TickerTest, TurnsStandAtFixedDistancesFromItsBirthHoweverLongTheWorkTakes) {
  const std::chrono::milliseconds interval(20);
  const WakeEvent stop;
  const auto before = std::chrono::steady_clock::now();
  Ticker ticker(interval);
  const auto born_by = std::chrono::steady_clock::now();
  std::int64_t turn = 0;
  std::int64_t missed = 0;
  for (int i = 0; i < 5; ++i) {
    const std::optional<Tick> tick = ticker.Wait(stop);
    ASSERT_TRUE(tick);
    turn += 1 + tick->missed_count;
    missed += tick->missed_count;
    const auto now = std::chrono::steady_clock::now();
    EXPECT_GE(now, before + turn * interval) << "too early";
    // What it says of its lateness agrees with the clock.
    EXPECT_GE(now - born_by - turn * interval + std::chrono::microseconds(1),
              tick->lateness - (born_by - before));
    EXPECT_GE(tick->lateness.count(), 0);
    if (i == 1) BusyFor(interval * 3);
  }
  EXPECT_GE(missed, 2)
      << "work over three intervals misses at least two turns, never makes them up";
}

TEST(TickerTest, AStopEndsTheWait) {
  WakeEvent stop;
  stop.Set();
  Ticker ticker(std::chrono::hours(1));
  EXPECT_FALSE(ticker.Wait(stop));
}

class FactsTest : public ::testing::Test {
 protected:
  FactsTest() : root_(*PrivateDirectory::Create()) {}

  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((root_.path() / path).parent_path());
    std::ofstream(root_.path() / path) << text;
  }

  PrivateDirectory root_;
};

TEST_F(FactsTest, ReadsWhatTheKernelSaysOfTheMachine) {
  // Forms of Documentation/filesystems/proc.rst; two sockets of two logical CPUs.
  std::string cpuinfo;
  for (int cpu = 0; cpu < 4; ++cpu) {
    cpuinfo += "processor\t: " + std::to_string(cpu) +
               "\nmodel name\t: Some CPU @ 2.10GHz\nmicrocode\t: 0x5003604\nphysical id\t: " +
               std::to_string(cpu / 2) + "\n\n";
  }
  Write("proc/cpuinfo", cpuinfo);
  Write("proc/meminfo", "MemTotal:       24731832 kB\nMemFree:        1 kB\n");
  Write("proc/swaps",
        "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
        "/swapfile                               file\t\t2097148\t\t4096\t\t-2\n"
        "/tmp/regress-agent-swap-1d9c1450-a611-4fad-8902-830c7b5df4bc/swap file 1572860 0 32767\n"
        "/dev/zram0                              partition\t8388604\t\t0\t\t100\n");
  Write("proc/sys/kernel/random/boot_id", "0b0a1d7e-3f4e-4b0c-8a53-2a4a9d7b7c11\n");
  Write("proc/cmdline", "root=/dev/vda console=ttyS0\n");
  Write("proc/sys/vm/swappiness", "60\n");
  Write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  const model::MachineFacts facts = GatherFacts(root_.path());
  EXPECT_EQ(facts.cpu_count, 4);
  EXPECT_EQ(facts.socket_count, 2);
  EXPECT_EQ(facts.cpu_model, "Some CPU @ 2.10GHz");
  EXPECT_EQ(facts.microcode, "0x5003604");
  EXPECT_EQ(facts.memory_size_bytes, 25325395968);  // 24731832 * 1024.
  EXPECT_EQ(facts.swap_devices,
            (std::vector<std::string>{"/swapfile file 2097148 KiB priority -2",
                                      "(of the run) file 1572860 KiB priority 32767",
                                      "/dev/zram0 partition 8388604 KiB priority 100"}));
  EXPECT_EQ(facts.boot_id, "0b0a1d7e-3f4e-4b0c-8a53-2a4a9d7b7c11");
  EXPECT_EQ(facts.kernel_cmdline, "root=/dev/vda console=ttyS0");
  EXPECT_EQ(facts.settings.at("swappiness"), "60");
  EXPECT_EQ(facts.settings.at("thp_enabled"), "madvise");
  EXPECT_FALSE(facts.settings.contains("governor")) << "what is not there is not said";
}

TEST_F(FactsTest, AKernelsConfigurationHasOneHashWhereverItStands) {
  utsname names = {};
  ASSERT_EQ(uname(&names), 0);
  const std::string options = "CONFIG_SWAP=y\n# CONFIG_ZSWAP is not set\n";
  Write(std::string("boot/config-") + names.release,
        "# Linux/x86 6.12.0 Kernel Configuration\n" + options);
  const std::string plain = GatherFacts(root_.path()).settings.at("kernel_config_hash");
  EXPECT_EQ(plain.size(), 16u);
  Write("proc/config", "#\n# Linux/x86 6.13.0 Kernel Configuration\n#\n" + options);
  ASSERT_EQ(std::system(("gzip " + (root_.path() / "proc/config").string()).c_str()), 0);
  fs::remove_all(root_.path() / "boot");
  EXPECT_EQ(GatherFacts(root_.path()).settings.at("kernel_config_hash"), plain);
  Write(std::string("boot/config-") + names.release, "CONFIG_SWAP=y\nCONFIG_ZSWAP=y\n");
  fs::remove(root_.path() / "proc/config.gz");
  EXPECT_NE(GatherFacts(root_.path()).settings.at("kernel_config_hash"), plain);
}

TEST_F(FactsTest, NamesTheCompressionOfEachZramInUse) {
  Write("sys/block/zram0/disksize", "1048576\n");
  Write("sys/block/zram0/comp_algorithm", "lzo lzo-rle [zstd]\n");
  Write("sys/block/zram1/disksize", "0\n");
  Write("sys/block/zram1/comp_algorithm", "[lzo-rle] zstd\n");
  const model::MachineFacts facts = GatherFacts(root_.path());
  EXPECT_EQ(facts.settings.at("zram0_algorithm"), "zstd");
  EXPECT_FALSE(facts.settings.contains("zram1_algorithm"));
}

TEST_F(FactsTest, AFileThatOpensAndCannotBeReadIsNotSaid) {
  // As a device that goes while it is asked: read fails, here with EISDIR.
  fs::create_directories(root_.path() / "proc/sys/vm/swappiness");
  fs::create_directories(root_.path() / "sys/block/zram0/comp_algorithm");
  const model::MachineFacts facts = GatherFacts(root_.path());
  EXPECT_FALSE(facts.settings.contains("swappiness"));
  EXPECT_FALSE(facts.settings.contains("zram0_algorithm"));
}

TEST_F(FactsTest, AMachineThatSaysNothingGivesEmptyFacts) {
  const model::MachineFacts facts = GatherFacts(root_.path());
  EXPECT_EQ(facts.cpu_count, 0);
  EXPECT_EQ(facts.memory_size_bytes, 0);
  EXPECT_TRUE(facts.settings.empty());
  EXPECT_FALSE(facts.kernel_release.empty()) << "uname is always there";
}

TEST(RunUuidTest, IsARandomUuidOfVersion4) {
  // RFC 9562 section 5.4.
  const std::regex form("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  const std::string first = DrawRunUuid();
  EXPECT_TRUE(std::regex_match(first, form)) << first;
  EXPECT_NE(first, DrawRunUuid());
}

TEST(PrivateDirectoryTest, ThatOfAKilledOwnerIsRemovedAndNobodyElses) {
  const PrivateDirectory parent = *PrivateDirectory::Create();
  const PrivateDirectory living = *PrivateDirectory::Create(parent.path());
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t owner = fork();
  ASSERT_GE(owner, 0);
  if (owner == 0) {
    const PrivateDirectory own = *PrivateDirectory::Create(parent.path());
    std::ofstream(own.path() / "profile.data") << "x";
    const std::string path = own.path().string() + "\n";
    if (write(ends[1], path.data(), path.size()) < 0) _exit(1);
    raise(SIGKILL);
  }
  close(ends[1]);
  std::array<char, 4096> buffer{};
  const ssize_t size = read(ends[0], buffer.data(), buffer.size());
  ASSERT_GT(size, 1);
  const fs::path dead(std::string(buffer.data(), static_cast<std::size_t>(size - 1)));
  close(ends[0]);
  waitpid(owner, nullptr, 0);
  ASSERT_TRUE(fs::exists(dead / "profile.data"));
  // By name and lock these two might be a dead agent's; others may look into one, and of the other
  // the name is longer.
  const fs::path open_to_others = parent.path() / "regress-agent-tmp-abcdef";
  fs::create_directory(open_to_others);
  fs::permissions(open_to_others, fs::perms(0755));
  const fs::path longer = parent.path() / "regress-agent-tmp-abcdefg";
  fs::create_directory(longer);
  fs::permissions(longer, fs::perms(0700));
  fs::create_directory_symlink(longer, parent.path() / "regress-agent-tmp-ghijkl");

  EXPECT_EQ(PrivateDirectory::RemoveAbandoned(parent.path()), std::vector<fs::path>{dead});
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(living.path()));
  EXPECT_TRUE(fs::exists(open_to_others));
  EXPECT_TRUE(fs::exists(longer));
  EXPECT_EQ(PrivateDirectory::RemoveAbandoned(parent.path() / "missing"), std::vector<fs::path>{});
}

TEST(CleanTextTest, AnArgumentShowsItsLineEnds) {
  EXPECT_EQ(ArgumentText("a\nb\tc"), "a\\nb\\tc");
  EXPECT_EQ(Utf8Text("a\nb\xff\xc3\xbc"), "a\nb?\xc3\xbc");
}

TEST(CleanTextTest, TakesTheBytesOfAnyToolToOneLineOfUtf8) {
  EXPECT_EQ(CleanText("a\tb\x1b[0m\x07 c"), "a b[0m c");
  EXPECT_EQ(CleanText("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(CleanText("\xff\xfe x \xc3"), "?? x ?");
  EXPECT_EQ(CleanText("\xc3\xbc\xc3\xbc", 3), "\xc3\xbc") << "no half character";
}

TEST(LineSplitterTest, CutsLinesWhereverTheBytesAreDivided) {
  const std::string text = "one\r\n\ntwo\nlast";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    LineSplitter splitter;
    std::vector<std::string> lines;
    const auto take = [&](std::string_view line) { lines.emplace_back(line); };
    splitter.Feed(text.substr(0, cut), take);
    splitter.Feed(text.substr(cut), take);
    splitter.Finish(take);
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "", "two", "last"})) << "cut at " << cut;
  }
}

TEST(LineSplitterTest, AnEndlessLineCostsBoundedMemory) {
  LineSplitter splitter;
  std::vector<std::size_t> sizes;
  const auto take = [&](std::string_view line) { sizes.push_back(line.size()); };
  for (int i = 0; i < 100; ++i) splitter.Feed(std::string(4096, 'x'), take);
  splitter.Feed("\nshort\n", take);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{LineSplitter::kMaxLineBytes, 5}));
}

TEST(PerfStatRowsTest, AValueThatNoCounterHasIsMissingAndSaid) {
  PerfStatRows rows(1'000'000);
  const auto take = [&](const std::string& event, double value) {
    parse::PerfStatRow row;
    row.time_s = 1;
    row.event = event;
    row.value = value;
    row.status = parse::PerfCount::kCounted;
    rows.Take(row);
  };
  take("cycles", 5);
  EXPECT_EQ(rows.Faults(), "");
  take("faults", 1e23);  // Beyond 2^63, which is 9.2e18.
  take("switches", -7);
  take("loads", 0);
  const auto interval = rows.TakeIfComplete(0);
  ASSERT_TRUE(interval.has_value());
  EXPECT_EQ(interval->row.ints, (std::vector<std::int64_t>{5, 0}));
  EXPECT_EQ(rows.Faults(),
            "left out 1e+23 of perf-stat.i.faults (and 1 more values): not between 0 and 2^63");
}

}  // namespace
}  // namespace regressd::agent
