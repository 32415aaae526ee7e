"""Jobs with real processes: printed and run again, and the machine set up for them, or the exact word why not."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import unittest

import harness

PROC_SWAPS = pathlib.Path("/proc/swaps")
MEMORY_V1 = pathlib.Path("/sys/fs/cgroup/memory")
CGROUP_V2 = pathlib.Path("/sys/fs/cgroup/cgroup.controllers")
SWAPPINESS = pathlib.Path("/proc/sys/vm/swappiness")
ZRAM = pathlib.Path("/sys/class/zram-control")


def memory_hierarchy():
    """Where this machine has cgroups with a memory limit, or None."""
    if CGROUP_V2.is_file():
        return CGROUP_V2.parent if "memory" in CGROUP_V2.read_text().split() else None
    return MEMORY_V1 if (MEMORY_V1 / "cgroup.procs").is_file() else None


def can_make_cgroups():
    """Tries it: rights, read-only mounts and busy roots of containers are told by nothing else."""
    hierarchy = memory_hierarchy()
    if hierarchy is None:
        return False
    probe = hierarchy / f"regressd-probe-{os.getpid()}"
    try:
        probe.mkdir()
    except OSError:
        return False
    try:
        limit = probe / ("memory.max" if CGROUP_V2.is_file() else "memory.limit_in_bytes")
        limit.write_text(str(64 << 20))
        return True
    except OSError:
        return False
    finally:
        probe.rmdir()


def can_write(path):
    """By opening it: root in a container may be refused what its mode allows."""
    try:
        os.close(os.open(path, os.O_WRONLY))
        return True
    except OSError:
        return False


def has_capability(number):
    status = dict(line.split(":\t", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines())
    return int(status["CapEff"], 16) >> number & 1 == 1


CAP_SYS_ADMIN = 21


class JobTest(harness.SystemTest):

    def machine_state(self):
        cgroups = sorted(p.name for p in memory_hierarchy().glob("regressd-*")) if memory_hierarchy() else []
        return {
            "swaps": sorted(line.split()[0] for line in PROC_SWAPS.read_text().splitlines()[1:]),
            "cgroups": cgroups,
            "swappiness": SWAPPINESS.read_text(),
            "zram": sorted(p.name for p in pathlib.Path("/sys/block").glob("zram*")),
            "files": sorted(p.name for p in pathlib.Path("/var/tmp").glob("regress-agent-swap-*")),
        }

    def run_agent(self, server, *arguments):
        return subprocess.run([harness.BIN / "regress-agent", *map(str, arguments)], env=self.environment(server),
                              capture_output=True, text=True, timeout=300)

    def stored(self, server):
        return json.loads(self.ctl(server, "runs", "--format", "json"))["runs"]

    def test_a_printed_job_run_again_gives_the_same_axes_metrics_and_group(self):
        server = self.start_server()
        first = self.run_agent(server, "run", "--testcase", "t", "--param", "nr_task=2", "--param", "a b='c\"d",
                               "--axis", "kconfig=x", "--commit", "v6.18-job", "--interval-ms", "250",
                               "--no-monitor", "all", "--monitor", "proc", "--timeout", "60",
                               "--", "sh", "-c", "echo throughput 5 MB/s higher; echo 'say \"no\"' \\\\ >&2")
        self.assertEqual(first.returncode, 0, first.stderr)
        run = self.stored(server)[0]
        job = self.ctl(server, "run", run["run"], "--job")
        self.assertIn('testcase = "t"', job)
        path = self.folder / "job.toml"
        path.write_text(job)
        second = self.run_agent(server, "run", "--job", path)
        self.assertEqual(second.returncode, 0, second.stderr)

        runs = self.stored(server)
        self.assertEqual(len(runs), 2)
        self.assertEqual(runs[0]["axes"], runs[1]["axes"])
        self.assertEqual(runs[0]["tested"], runs[1]["tested"])
        self.assertEqual(runs[0]["command"], runs[1]["command"])
        self.assertEqual(self.ctl(server, "run", runs[0]["run"], "--job"), job)

        def names(uuid):
            values = json.loads(self.ctl(server, "run", uuid, "--metric", ".", "--format", "json"))["values"]
            return [v["metric"] for v in values]

        self.assertEqual(names(runs[0]["run"]), names(runs[1]["run"]))

    def test_options_stand_over_a_job_and_mistakes_in_it_are_named_with_their_line(self):
        server = self.start_server()
        path = self.folder / "job.toml"
        path.write_text('testcase = "t"\ncommit = "v1"\ncommand = ["true"]\nmonitors = []\n[params]\nx = "1"\n')
        done = self.run_agent(server, "run", "--job", path, "--commit", "v2", "--param", "x=2", "--", "sh", "-c", "echo hi")
        self.assertEqual(done.returncode, 0, done.stderr)
        run = self.stored(server)[0]
        self.assertEqual(run["command"], ["sh", "-c", "echo hi"])
        self.assertEqual(len(self.ctl(server, "runs", "--axis", "x=2", "--commit", "v2").splitlines()), 2)  # The heading, and one.
        path.write_text('testcase = "t"\ncomit = "v1"\n')
        wrong = self.run_agent(server, "run", "--job", path, "--", "true")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("job.toml:2: unknown key comit; did you mean commit?", wrong.stderr)

    def test_a_pushed_recording_has_no_job(self):
        server = self.start_server()
        recording = self.folder / "vmstat.txt"
        recording.write_text("### 1764500000\npgfault 1\npswpin 0\n### 1764500001\npgfault 5\npswpin 0\n")
        pushed = self.run_agent(server, "push", recording, "--testcase", "t", "--commit", "v1", "--format", "proc-vmstat")
        self.assertEqual(pushed.returncode, 0, pushed.stderr)
        uuid = self.stored(server)[0]["run"]
        asked = subprocess.run([harness.BIN / "regressctl", "run", uuid, "--job"], env=self.environment(server),
                               capture_output=True, text=True)
        self.assertNotEqual(asked.returncode, 0)
        self.assertEqual(asked.stdout, "")
        self.assertIn("has no job: it was pushed from recordings", asked.stderr)

    def test_another_kernel_than_the_expected_one_is_refused_in_one_line(self):
        server = self.start_server()
        refused = self.run_agent(server, "run", "--testcase", "t", "--commit", "v1", "--expect-kernel", "v1.2.3", "--", "true")
        self.assertEqual(refused.returncode, 3)
        self.assertEqual(len(refused.stderr.strip().splitlines()), 1, refused.stderr)
        self.assertIn(f"kernel v1.2.3 is expected, and {os.uname().release} runs", refused.stderr)
        self.assertEqual(self.stored(server), [])
        done = self.run_agent(server, "run", "--testcase", "t", "--commit", "v1", "--no-monitor", "all",
                              "--expect-kernel", os.uname().release, "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_memory_limit_holds_the_command_or_the_missing_part_is_named(self):
        server = self.start_server()
        before = self.machine_state()
        done = self.run_agent(server, "run", "--testcase", "t", "--commit", "v1", "--memcg", "0.0625G", "--no-monitor", "all",
                              "--", "sh", "-c", "cat /proc/self/cgroup >&2")
        self.assertEqual(self.machine_state(), before)
        if not can_make_cgroups():
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertRegex(done.stderr, r"/sys/fs/cgroup.*(sudo|--privileged|run on the host|cgroup_disable)")
            self.assertEqual(self.stored(server), [])
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        uuid = self.stored(server)[0]["run"]
        self.assertIn(f"/regressd-{uuid}", done.stderr)
        self.assertIn('memcg = "64M"', self.ctl(server, "run", uuid, "--job"))
        self.assertEqual(len(self.ctl(server, "runs", "--axis", "memcg=64M").splitlines()), 2)  # The heading, and one.

    def test_swap_of_a_run_is_there_for_it_alone_or_the_missing_part_is_named(self):
        server = self.start_server()
        before = self.machine_state()
        for kind in ("file", "zram"):
            with self.subTest(kind=kind):
                stored = len(self.stored(server))
                done = self.run_agent(server, "run", "--testcase", "t", "--commit", "v1", "--setup-swap", f"{kind}:16M",
                                      "--no-monitor", "all", "--", "sh", "-c", "cat /proc/swaps >&2")
                self.assertEqual(self.machine_state(), before)
                able = has_capability(CAP_SYS_ADMIN) and (kind == "file" or can_write(ZRAM / "hot_remove"))
                if done.returncode != 0:
                    # A file system may take no swap files; that is named, too.
                    self.assertFalse(able and kind == "zram", done.stderr)
                    self.assertRegex(done.stderr, r"(CAP_SYS_ADMIN|sudo|--privileged|--swap-dir|modprobe zram)")
                    self.assertEqual(len(self.stored(server)), stored)
                    continue
                name = "/regress-agent-swap-" if kind == "file" else "/dev/zram"
                self.assertRegex(done.stderr, name + r".*\s32767")

    def test_a_plain_user_is_told_what_right_is_missing_and_leaves_nothing(self):
        server = self.start_server()
        before = self.machine_state()
        spool = self.folder / "plain-spool"
        spool.mkdir()
        spool.chmod(0o777)
        environment = dict(self.environment(server), REGRESS_AGENT_SPOOL_DIR=str(spool))
        # The build may be in a home directory, where the plain user cannot go.
        agent = shutil.copy(harness.BIN / "regress-agent", self.folder)
        wanted = {("--set", "vm.swappiness=37"): r"/proc/sys/vm/swappiness: .*(EACCES|EPERM).*sudo regress-agent run",
                  ("--setup-swap", "file:16M"): r"swap on /var/tmp/.*EPERM.*CAP_SYS_ADMIN: sudo regress-agent run"}
        if memory_hierarchy() is not None:
            wanted[("--memcg", "64M")] = r"/sys/fs/cgroup/.*(EACCES|EPERM|EROFS).*(sudo regress-agent run|host)"
        if ZRAM.is_dir():
            wanted[("--setup-swap", "zram:16M")] = r"/sys/class/zram-control/hot_add: .*sudo regress-agent run"
        for options, message in wanted.items():
            with self.subTest(options=options):
                refused = subprocess.run(
                    [agent, "run", "--testcase", "t", "--commit", "v1", *options, "--", "true"],
                    env=environment, capture_output=True, text=True, timeout=120, cwd="/", **harness.unprivileged_user())
                self.assertEqual(refused.returncode, 3, refused.stderr)
                self.assertRegex(refused.stderr, message)
                self.assertEqual(len(refused.stderr.strip().splitlines()), 1, refused.stderr)
                self.assertEqual(list(spool.iterdir()), [])
        self.assertEqual(self.machine_state(), before)

    def test_what_a_killed_agent_left_is_undone_by_the_next(self):
        server = self.start_server()
        before = self.machine_state()
        setup = []
        if can_write(SWAPPINESS):
            setup += ["--set", "vm.swappiness=37"]
        if has_capability(CAP_SYS_ADMIN) and can_write(ZRAM / "hot_remove"):
            setup += ["--setup-swap", "zram:16M"]
        if can_make_cgroups():
            setup += ["--memcg", "64M"]
        if not setup:
            # Nothing can be changed here: the refusal has its own line, and nothing is left.
            refused = self.run_agent(server, "run", "--testcase", "t", "--commit", "v1", "--set", "vm.swappiness=37", "--", "true")
            self.assertEqual(refused.returncode, 3)
            self.assertIn("/proc/sys/vm/swappiness", refused.stderr)
            self.assertEqual(self.machine_state(), before)
            return
        ready = self.folder / "ready"
        agent = self.start_process(harness.BIN / "regress-agent", "run", "--testcase", "t", "--commit", "v1", *setup,
                                   "--no-monitor", "all", "--", "sh", "-c",
                                   f"setsid sleep 1000 & touch {ready}; sleep 1000", env=self.environment(server))
        harness.wait_for("the command runs", ready.exists)
        self.assertNotEqual(self.machine_state(), before)
        agent.send_signal(signal.SIGKILL)
        agent.wait()
        self.assertNotEqual(self.machine_state(), before)
        done = self.run_agent(server, "run", "--testcase", "t", "--commit", "v1", "--no-monitor", "all", "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("undone: what run ", done.stderr)
        self.assertEqual(self.machine_state(), before)


class SeriesTest(harness.SystemTest):

    def test_a_killed_series_goes_on_with_the_run_that_is_not_done(self):
        server = self.start_server()
        log, gate = self.folder / "log", self.folder / "gate"
        plan = self.folder / "plan.toml"
        command = f"echo $0 >>{log}; test $(wc -l <{log}) != 3 || while test ! -e {gate}; do sleep 0.05; done"
        plan.write_text("rounds = 2\n" + "".join(
            f'[[job]]\ntestcase = "t"\nmonitors = []\ncommit = "{c}"\ncommand = ["sh", "-c", "{command}", "{c}"]\n'
            for c in ("v1", "v2")))
        series = self.start_process(harness.BIN / "regress-agent", "series", "--plan", plan, env=self.environment(server))
        harness.wait_for("the third run is under way", lambda: log.exists() and len(log.read_text().split()) == 3)
        series.send_signal(signal.SIGKILL)
        series.wait()
        gate.touch()
        done = subprocess.run([harness.BIN / "regress-agent", "series", "--plan", plan], env=self.environment(server),
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(log.read_text().split(), ["v1", "v2", "v1", "v1", "v2"])

    def test_aa_prints_the_noise_of_a_job(self):
        server = self.start_server()
        job = self.folder / "job.toml"
        job.write_text('testcase = "t"\ncommit = "v1"\nmonitors = []\ncommand = ["sh", "-c", "echo x 5 s lower"]\n')
        done = subprocess.run([harness.BIN / "regress-agent", "series", "--aa", "4", "--job", job],
                              env=self.environment(server), capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^t\.x +4 +5 +0\.00% +\+0\.00%$")
        self.assertRegex(done.stdout, r"(?m)^t\.time\.elapsed_time +4 ")
        self.assertEqual(len(json.loads(self.ctl(server, "runs", "--axis", "aa=A'", "--format", "json"))["runs"]), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
