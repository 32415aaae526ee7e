#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

#include "services/agent/child_process.h"
#include "services/agent/setup/memory_cgroup.h"
#include "services/agent/setup/run_setup.h"
#include "services/agent/setup/size.h"
#include "services/agent/setup/swap_header.h"
#include "tests/agent/fake_machine.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using testing::FakeMachine;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kUuid = "6f1d2a34-0000-4abc-8def-0123456789ab";
constexpr const char* kOtherUuid = "11111111-2222-4333-8444-555555555555";

TEST(SizeTest, AreReadWithTheirUnitAndHaveOneSpelling) {
  EXPECT_EQ(ParseSize("65536"), 65536);
  EXPECT_EQ(ParseSize("1.5G"), 1536LL * 1024 * 1024);
  EXPECT_EQ(ParseSize("2t"), 2LL << 40);
  EXPECT_EQ(SizeText(*ParseSize("1.5G")), "1536M");
  EXPECT_EQ(SizeText(*ParseSize("2048M")), "2G");
  EXPECT_EQ(SizeText(1025), "1025");
}

TEST(SizeTest, RefusesWhatIsNoSize) {
  for (const char* text : {"", "G", "-1G", "1.00001K", "1GB", "0", "1e3", "nan", "99999999T"}) {
    EXPECT_EQ(ParseSize(text), std::nullopt) << text;
  }
}

TEST(SwapSpecTest, IsAKindAndASize) {
  const auto spec = ParseSwapSpec("zram:0.25G");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(SwapSpecText(*spec), "zram:256M");
  for (const char* text : {"zram", "zram:", "disk:1G", "file:12K", "256M"}) {
    const auto bad = ParseSwapSpec(text);
    ASSERT_FALSE(bad.ok()) << text;
    EXPECT_THAT(std::string(bad.status().message()), HasSubstr("file:SIZE or zram:SIZE"));
  }
}

TEST(KernelSettingTest, OnlyKnobsOfMemoryManagementCanBeSet) {
  EXPECT_TRUE(ParseKernelSetting("vm.swappiness=10").ok());
  EXPECT_TRUE(ParseKernelSetting("transparent_hugepage.enabled=never").ok());
  for (const char* text : {"kernel.panic=1", "vm.=1", "vm.../../kernel/panic=1", "vm.swappiness",
                           "vm.swappiness=", "/proc/sys/vm/swappiness=1"}) {
    EXPECT_FALSE(ParseKernelSetting(text).ok()) << text;
  }
}

class SwapHeaderTest : public ::testing::Test {
 protected:
  SwapHeaderTest() : directory_(*PrivateDirectory::Create()) {
    std::ofstream(file_) << std::string(64 * 1024, '\0');
  }
  const PrivateDirectory directory_;
  const fs::path file_ = directory_.path() / "swap";
};

TEST_F(SwapHeaderTest, StandsWhereTheKernelLooksForIt) {
  ASSERT_TRUE(WriteSwapHeader(file_, 64 * 1024, kUuid).ok());
  // include/uapi and include/linux/swap.h of Linux: version and last_page behind 1024 bytes of boot
  // block, then the UUID; "SWAPSPACE2" in the last ten bytes of the first page.
  std::ifstream in(file_, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::uint32_t version = 0;
  std::uint32_t last_page = 0;
  std::memcpy(&version, text.data() + 1024, 4);
  std::memcpy(&last_page, text.data() + 1028, 4);
  EXPECT_EQ(version, 1u);
  EXPECT_EQ(last_page, 64 * 1024 / page - 1);
  EXPECT_EQ(text.substr(1036, 4), "\x6f\x1d\x2a\x34");
  EXPECT_EQ(text.substr(page - 10, 10), "SWAPSPACE2");
}

TEST_F(SwapHeaderTest, GivesItsUuidBack) {
  EXPECT_EQ(ReadSwapUuid(file_), "") << "no header yet";
  ASSERT_TRUE(WriteSwapHeader(file_, 64 * 1024, kUuid).ok());
  EXPECT_EQ(ReadSwapUuid(file_), kUuid);
}

class SetupTest : public ::testing::Test {
 protected:
  SetupTest() {
    machine_.Put("/proc/sys/kernel/random/boot_id", "boot-1\n");
    machine_.Put("/proc/sys/vm/swappiness", "60\n");
    machine_.Put("/proc/sys/vm/page-cluster", "3\n");
    machine_.Put("/proc/sys/vm/drop_caches", "0");
    fs::create_directories(machine_.At("/var/tmp"));
  }

  absl::StatusOr<std::unique_ptr<RunSetup>> Make(const SetupOptions& options,
                                                 const char* uuid = kUuid) {
    return RunSetup::Make(options, uuid, state_, machine_);
  }
  std::vector<fs::path> Journals() const { return Journal::List(state_); }

  /// What a killed agent leaves: its journal without a lock, nothing undone.
  void Leave(const std::vector<Change>& changes, std::string_view boot_id = "boot-1") {
    absl::StatusOr<Journal> journal = Journal::Create(state_, kUuid, boot_id);
    ASSERT_TRUE(journal.ok()) << journal.status();
    for (const Change& change : changes) ASSERT_TRUE(journal->Record(change).ok());
  }

  FakeMachine machine_;
  const fs::path state_ = machine_.At("/var/lib/agent");
};

TEST_F(SetupTest, NothingAskedForTouchesNothing) {
  const auto setup = Make({});
  ASSERT_TRUE(setup.ok());
  EXPECT_THAT(Journals(), IsEmpty());
  EXPECT_EQ((*setup)->cgroup_directory(), fs::path());
}

TEST_F(SetupTest, ACgroupOfVersion2HasTheLimitAndIsRemovedWithWhatIsInIt) {
  machine_.HaveCgroupV2("cpu memory\n");
  auto setup = Make({.memory_limit_bytes = 1536 << 20});
  ASSERT_TRUE(setup.ok()) << setup.status();
  const fs::path directory = (*setup)->cgroup_directory();
  EXPECT_EQ(directory, machine_.At(std::string("/sys/fs/cgroup/regressd-") + kUuid));
  EXPECT_EQ(*machine_.Read(directory / "memory.max"), "1610612736");
  std::ofstream(directory / "cgroup.procs") << "4242\n";
  EXPECT_TRUE((*setup)->Undo().ok());
  EXPECT_THAT(machine_.killed, ElementsAre(4242));
  EXPECT_FALSE(fs::exists(directory));
  EXPECT_THAT(Journals(), IsEmpty());
  EXPECT_EQ(machine_.Get("/sys/fs/cgroup/cgroup.subtree_control"), "cpu memory");
}

TEST_F(SetupTest, TheMemoryControllerIsHandedDownForTheRunAlone) {
  machine_.HaveCgroupV2("cpu\n");
  auto setup = Make({.memory_limit_bytes = 1 << 30});
  ASSERT_TRUE(setup.ok()) << setup.status();
  EXPECT_EQ(machine_.Get("/sys/fs/cgroup/cgroup.subtree_control"), "+memory");
  EXPECT_TRUE((*setup)->Undo().ok());
  EXPECT_EQ(machine_.Get("/sys/fs/cgroup/cgroup.subtree_control"), "-memory");
}

TEST_F(SetupTest, ACgroupOfVersion1HasItsOwnNameForTheLimit) {
  machine_.HaveCgroupV1();
  const auto setup = Make({.memory_limit_bytes = 1 << 30});
  ASSERT_TRUE(setup.ok()) << setup.status();
  const fs::path directory = (*setup)->cgroup_directory();
  EXPECT_EQ(directory.parent_path(), machine_.At("/sys/fs/cgroup/memory"));
  EXPECT_EQ(*machine_.Read(directory / "memory.limit_in_bytes"), "1073741824");
}

TEST_F(SetupTest, AMachineWithoutMemoryControllerSaysWhatIsMissing) {
  auto setup = Make({.memory_limit_bytes = 1 << 30});
  ASSERT_TRUE(absl::IsFailedPrecondition(setup.status())) << setup.status();
  EXPECT_THAT(std::string(setup.status().message()), HasSubstr("mount -t cgroup2"));
  machine_.Put("/sys/fs/cgroup/cgroup.controllers", "cpu pids\n");
  setup = Make({.memory_limit_bytes = 1 << 30});
  ASSERT_FALSE(setup.ok());
  EXPECT_THAT(std::string(setup.status().message()), HasSubstr("cgroup_disable=memory"));
  EXPECT_THAT(Journals(), IsEmpty());
}

TEST_F(SetupTest, ASwapFileHasItsBlocksAndAHeaderAndIsGoneAfterwards) {
  auto setup = Make({.swap = SwapSpec{SwapSpec::Kind::kFile, 2 << 20}});
  ASSERT_TRUE(setup.ok()) << setup.status();
  const fs::path file = machine_.At(std::string("/var/tmp/regress-agent-swap-") + kUuid + "/swap");
  EXPECT_THAT(machine_.swaps, ElementsAre(file));
  EXPECT_EQ(machine_.last_priority, 32767) << "before every other swap space";
  EXPECT_EQ(fs::file_size(file), 2u << 20);
  EXPECT_EQ(ReadSwapUuid(file), kUuid);
  EXPECT_TRUE((*setup)->Undo().ok());
  EXPECT_THAT(machine_.swaps, IsEmpty());
  EXPECT_FALSE(fs::exists(file.parent_path()));
}

TEST_F(SetupTest, AFileSystemWithoutSwapFilesIsNamed) {
  machine_.swap_on_error = EINVAL;
  const auto setup = Make({.swap = SwapSpec{SwapSpec::Kind::kFile, 2 << 20}});
  ASSERT_FALSE(setup.ok());
  EXPECT_THAT(std::string(setup.status().message()), HasSubstr("--swap-dir"));
  EXPECT_TRUE(fs::is_empty(machine_.At("/var/tmp"))) << "what was made is undone";
}

TEST_F(SetupTest, ZramIsAddedSizedSwappedOnAndRemoved) {
  machine_.HaveZram("7");
  auto setup = Make({.swap = SwapSpec{SwapSpec::Kind::kZram, 256 << 20}});
  ASSERT_TRUE(setup.ok()) << setup.status();
  EXPECT_EQ(machine_.Get("/sys/block/zram7/disksize"), "268435456");
  EXPECT_EQ(ReadSwapUuid(machine_.At("/dev/zram7")), kUuid);
  EXPECT_THAT(machine_.swaps, ElementsAre(machine_.At("/dev/zram7")));
  EXPECT_TRUE((*setup)->Undo().ok());
  EXPECT_THAT(machine_.swaps, IsEmpty());
  EXPECT_EQ(machine_.Get("/sys/block/zram7/reset"), "1");
  EXPECT_EQ(machine_.Get("/sys/class/zram-control/hot_remove"), "7");
  EXPECT_EQ(machine_.Get("/sys/block/zram0/disksize"), "1073741824") << "another's stays";
}

TEST_F(SetupTest, AKernelWithoutZramSaysHowToLoadIt) {
  const auto setup = Make({.swap = SwapSpec{SwapSpec::Kind::kZram, 256 << 20}});
  ASSERT_TRUE(absl::IsNotFound(setup.status())) << setup.status();
  EXPECT_THAT(std::string(setup.status().message()), HasSubstr("sudo modprobe zram"));
}

TEST_F(SetupTest, MissingRightsForSwapNameTheCapability) {
  machine_.HaveZram("7");
  machine_.swap_on_error = EPERM;
  const auto setup = Make({.swap = SwapSpec{SwapSpec::Kind::kZram, 256 << 20}});
  ASSERT_TRUE(absl::IsPermissionDenied(setup.status()));
  const std::string message(setup.status().message());
  EXPECT_THAT(message, HasSubstr("/dev/zram7"));
  EXPECT_THAT(message, HasSubstr("EPERM"));
  EXPECT_THAT(message, HasSubstr("CAP_SYS_ADMIN"));
  EXPECT_EQ(machine_.Get("/sys/class/zram-control/hot_remove"), "7") << "undone";
}

TEST_F(SetupTest, SettingsArePutBack) {
  auto setup = Make({.settings = {{"vm.swappiness", "10"}, {"vm.page-cluster", "0"}}});
  ASSERT_TRUE(setup.ok()) << setup.status();
  EXPECT_EQ(machine_.Get("/proc/sys/vm/swappiness"), "10");
  EXPECT_EQ(machine_.Get("/proc/sys/vm/page-cluster"), "0");
  setup->reset();
  EXPECT_EQ(machine_.Get("/proc/sys/vm/swappiness"), "60");
  EXPECT_EQ(machine_.Get("/proc/sys/vm/page-cluster"), "3");
}

TEST_F(SetupTest, OfAPairOfSettingsTheOneThatHeldIsPutBack) {
  machine_.Put("/proc/sys/vm/dirty_ratio", "20\n");
  machine_.Put("/proc/sys/vm/dirty_bytes", "0\n");
  auto setup = Make({.settings = {{"vm.dirty_bytes", "8388608"}}});
  ASSERT_TRUE(setup.ok()) << setup.status();
  // As the kernel does (Documentation/admin-guide/sysctl/vm.rst): setting one makes the other 0,
  // and 0 cannot be written to dirty_bytes.
  machine_.Put("/proc/sys/vm/dirty_ratio", "0\n");
  setup->reset();
  EXPECT_EQ(machine_.Get("/proc/sys/vm/dirty_ratio"), "20");
}

TEST_F(SetupTest, HugePagesHaveTheChosenWordPutBack) {
  machine_.Put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  auto setup = Make({.settings = {{"transparent_hugepage.enabled", "never"}}});
  ASSERT_TRUE(setup.ok()) << setup.status();
  EXPECT_EQ(machine_.Get("/sys/kernel/mm/transparent_hugepage/enabled"), "never");
  setup->reset();
  EXPECT_EQ(machine_.Get("/sys/kernel/mm/transparent_hugepage/enabled"), "madvise");
}

TEST_F(SetupTest, ASettingThatThisKernelLacksIsAnErrorAndTheOthersArePutBack) {
  const auto setup = Make({.settings = {{"vm.swappiness", "10"}, {"vm.swapiness", "0"}}});
  ASSERT_TRUE(absl::IsNotFound(setup.status()));
  EXPECT_THAT(std::string(setup.status().message()), HasSubstr("no setting vm.swapiness"));
  EXPECT_EQ(machine_.Get("/proc/sys/vm/swappiness"), "60");
}

TEST_F(SetupTest, TwoRunsCannotHoldOneSetting) {
  const auto first = Make({.settings = {{"vm.swappiness", "10"}}});
  ASSERT_TRUE(first.ok());
  const auto second = Make({.settings = {{"vm.swappiness", "90"}}}, kOtherUuid);
  EXPECT_TRUE(absl::IsAborted(second.status())) << second.status();
  EXPECT_EQ(machine_.Get("/proc/sys/vm/swappiness"), "10");
  EXPECT_TRUE(Make({.settings = {{"vm.page-cluster", "0"}}}, kOtherUuid).ok());
}

TEST_F(SetupTest, CachesAreDroppedAfterASync) {
  const auto setup = Make({.drop_caches = true});
  ASSERT_TRUE(setup.ok()) << setup.status();
  EXPECT_EQ(machine_.sync_count, 1);
  EXPECT_EQ(machine_.Get("/proc/sys/vm/drop_caches"), "3");
}

TEST_F(SetupTest, WhatAKilledAgentLeftIsUndoneByTheNext) {
  machine_.HaveCgroupV2("memory");
  machine_.HaveZram("7");
  const fs::path cgroup = machine_.At(std::string("/sys/fs/cgroup/regressd-") + kUuid);
  ASSERT_TRUE(machine_.MakeDirectory(cgroup).ok());
  std::ofstream(cgroup / "cgroup.procs") << "4242\n4243\n";
  machine_.Put("/proc/sys/vm/swappiness", "10\n");
  machine_.Put("/sys/block/zram7/disksize", "268435456\n");
  ASSERT_TRUE(WriteSwapHeader(machine_.At("/dev/zram7"), 256 << 20, kUuid).ok());
  machine_.swaps.insert(machine_.At("/dev/zram7"));
  const fs::path swap = machine_.At(std::string("/var/tmp/regress-agent-swap-") + kUuid);
  fs::create_directory(swap);
  std::ofstream(swap / "swap") << "x";
  machine_.swaps.insert(swap / "swap");
  Leave({{ChangeKind::kSetting, "vm.swappiness", "60"},
         {ChangeKind::kZram, "", "0"},
         {ChangeKind::kZramDevice, "7"},
         {ChangeKind::kSwapDirectory, swap.string()},
         {ChangeKind::kCgroup, cgroup.string()}});

  EXPECT_EQ(CleanLeftovers(state_, machine_), 0);
  EXPECT_THAT(machine_.killed, ElementsAre(4242, 4243));
  EXPECT_FALSE(fs::exists(cgroup));
  EXPECT_THAT(machine_.swaps, IsEmpty());
  EXPECT_FALSE(fs::exists(swap));
  EXPECT_EQ(machine_.Get("/sys/class/zram-control/hot_remove"), "7");
  EXPECT_EQ(machine_.Get("/proc/sys/vm/swappiness"), "60");
  EXPECT_THAT(Journals(), IsEmpty());
}

TEST_F(SetupTest, WhatWasNotedAndNeverMadeIsNoProblem) {
  Leave({{ChangeKind::kSwapDirectory, machine_.At("/var/tmp/regress-agent-swap-x").string()},
         {ChangeKind::kCgroup, machine_.At("/sys/fs/cgroup/regressd-x").string()}});
  EXPECT_EQ(CleanLeftovers(state_, machine_), 0);
  EXPECT_THAT(Journals(), IsEmpty());
}

TEST_F(SetupTest, ALiveAgentsSetupIsLeftAlone) {
  const auto setup = Make({.settings = {{"vm.swappiness", "10"}}});
  ASSERT_TRUE(setup.ok());
  EXPECT_EQ(CleanLeftovers(state_, machine_), 0);
  EXPECT_EQ(machine_.Get("/proc/sys/vm/swappiness"), "10");
  EXPECT_THAT(Journals(), SizeIs(1));
}

TEST_F(SetupTest, AfterABootOnlyFilesAreLeft) {
  const fs::path swap = machine_.At("/var/tmp/regress-agent-swap-x");
  fs::create_directory(swap);
  std::ofstream(swap / "swap") << "x";
  machine_.Put("/proc/sys/vm/swappiness", "42\n");
  Leave(
      {{ChangeKind::kSetting, "vm.swappiness", "60"}, {ChangeKind::kSwapDirectory, swap.string()}},
      "boot-0");
  EXPECT_EQ(CleanLeftovers(state_, machine_), 0);
  EXPECT_FALSE(fs::exists(swap));
  EXPECT_EQ(machine_.Get("/proc/sys/vm/swappiness"), "42") << "the new boot's own value";
}

TEST_F(SetupTest, AZramNumberThatAnotherHasByNowIsLeftAlone) {
  machine_.HaveZram("7");
  machine_.Put("/sys/block/zram7/disksize", "268435456\n");
  ASSERT_TRUE(WriteSwapHeader(machine_.At("/dev/zram7"), 256 << 20, kOtherUuid).ok());
  Leave({{ChangeKind::kZram, "", "0"}, {ChangeKind::kZramDevice, "7"}});
  EXPECT_EQ(CleanLeftovers(state_, machine_), 0);
  EXPECT_EQ(machine_.Get("/sys/class/zram-control/hot_remove"), "");
}

TEST_F(SetupTest, ADeviceThatWasAddedAndNeverNotedIsFoundByItsLackOfSize) {
  machine_.HaveZram("7");
  Leave({{ChangeKind::kZram, "", "0"}});
  EXPECT_EQ(CleanLeftovers(state_, machine_), 0);
  EXPECT_EQ(machine_.Get("/sys/class/zram-control/hot_remove"), "7");
}

TEST_F(SetupTest, WhatCannotBeUndoneStaysNotedForTheNextTry) {
  const fs::path swap = machine_.At("/var/tmp/regress-agent-swap-x");
  fs::create_directory(swap);
  std::ofstream(swap / "swap") << "x";
  Leave(
      {{ChangeKind::kSetting, "vm.swappiness", "60"}, {ChangeKind::kSwapDirectory, swap.string()}});
  machine_.Put("/proc/sys/vm/swappiness", "10\n");
  machine_.swap_off_error = ENOMEM;
  EXPECT_EQ(CleanLeftovers(state_, machine_), 1);
  EXPECT_EQ(machine_.Get("/proc/sys/vm/swappiness"), "60") << "the rest is undone";
  EXPECT_THAT(Journals(), SizeIs(1));
  machine_.swap_off_error = 0;
  EXPECT_EQ(CleanLeftovers(state_, machine_), 0);
  EXPECT_FALSE(fs::exists(swap));
}

TEST_F(SetupTest, ALineTornByADeathIsNotTaken) {
  Leave({{ChangeKind::kSetting, "vm.swappiness", "61"}});
  std::ofstream(Journals().front(), std::ios::app) << R"({"kind":"setting","what":"vm.page)";
  EXPECT_EQ(CleanLeftovers(state_, machine_), 0);
  EXPECT_EQ(machine_.Get("/proc/sys/vm/swappiness"), "61");
  EXPECT_EQ(machine_.Get("/proc/sys/vm/page-cluster"), "3");
}

TEST_F(SetupTest, OnlyWhatBearsOurNameIsRemoved) {
  const fs::path foreign = machine_.At("/var/tmp/home");
  fs::create_directory(foreign);
  Leave({{ChangeKind::kSwapDirectory, foreign.string()}, {ChangeKind::kCgroup, foreign.string()}});
  EXPECT_EQ(CleanLeftovers(state_, machine_), 1);
  EXPECT_TRUE(fs::exists(foreign));
}

TEST(CgroupChildTest, IsInItsCgroupBeforeItExecutesAnything) {
  const PrivateDirectory cgroup = *PrivateDirectory::Create();
  const fs::path procs = cgroup.path() / "cgroup.procs";
  std::ofstream(procs) << "";
  // Its first act is to look: "0" stands for the writer itself, so the write was the child's own.
  auto child = ChildProcess::Start(
      {.arguments = {"grep", "-qx", "0", procs.string()}, .cgroup_directory = cgroup.path()});
  ASSERT_TRUE(child.ok()) << child.status();
  EXPECT_EQ(child->WaitOrKill(std::chrono::seconds(60)).exit_status, 0);
}

TEST(CgroupChildTest, DoesNotStartOutsideOfACgroupThatIsGone) {
  const auto child = ChildProcess::Start({.arguments = {"true"}, .cgroup_directory = "/no/such"});
  ASSERT_TRUE(absl::IsUnavailable(child.status()));
  EXPECT_THAT(std::string(child.status().message()), HasSubstr("/no/such/cgroup.procs"));
}

// Else two agents with different spools would change one machine behind each other's back.
TEST(SetupDirectoryTest, RootsJournalsLieInOnePlaceWhateverTheSpool) {
  const Machine machine("/fake");
  const bool is_root = geteuid() == 0;
  EXPECT_EQ(SetupDirectory("/a", machine), is_root ? "/fake/var/lib/regress-agent" : "/a");
  EXPECT_EQ(SetupDirectory("/b", machine), is_root ? "/fake/var/lib/regress-agent" : "/b");
}

}  // namespace
}  // namespace regressd::agent
