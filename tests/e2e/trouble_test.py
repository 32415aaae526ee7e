"""What happens when things go wrong around a run: the outcomes that README.md promises, with the real agent."""

import json
import os
import pathlib
import resource
import signal
import subprocess
import unittest

import harness

harness.load_stubs()
import grpc  # noqa: E402

NOBODY = "127.0.0.1:1"
FULL = r"\S+\.spool: (File too large|No space left on device)"


def processes_with(text):
    """Pids whose command line holds `text`."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text in path.read_bytes().replace(b"\0", b" ").decode(errors="replace"):
                found.append(int(path.parent.name))
        except OSError:
            pass
    return found


class TroubleTest(harness.SystemTest):

    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.spool = self.folder / "spool"
        # What never ends by itself, and is known among all processes.
        self.endless = f"sleep 9{os.getpid()}.{len(self.id())}"
        self.addCleanup(self.end_endless)
        self.tools = self.folder / "tools"
        self.tools.mkdir()

    def end_endless(self):
        for pid in processes_with(self.endless):
            os.kill(pid, signal.SIGKILL)

    def agent_environment(self, server, **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("REGRESSD_", "REGRESS_"))}
        env["REGRESSD_SERVER"] = server.address if server else NOBODY
        env["REGRESS_AGENT_SPOOL_DIR"] = str(self.spool)
        env["TMPDIR"] = str(self.temporary)
        env["PATH"] = f"{self.tools}:{env['PATH']}"
        return dict(env, **more)

    def run_agent(self, server, *arguments, more=None, **options):
        return subprocess.run([harness.BIN / "regress-agent", *map(str, arguments)],
                              env=self.agent_environment(server, **(more or {})), capture_output=True, text=True,
                              timeout=300, **options)

    def run_job(self, server, *arguments, script, **options):
        """A run of `script`; its end as the agent's JSON, and what it said."""
        done = self.run_agent(server, "run", "--testcase", "t", "--commit", "v6.18", "--json", *arguments, "--",
                              "sh", "-c", script, **options)
        self.assertNotEqual(done.stdout, "", done.stderr)
        return done, json.loads(done.stdout.splitlines()[-1])

    def start_job(self, server, *arguments, script):
        """The same, going on; its command makes the file "ready"."""
        process = self.start_process(harness.BIN / "regress-agent", "run", "--testcase", "t", "--commit", "v6.18",
                                     *arguments, "--", "sh", "-c", script, env=self.agent_environment(server),
                                     stderr=subprocess.PIPE, text=True)
        harness.wait_for("the command runs", (self.folder / "ready").exists)
        return process

    def write_tool(self, name, script):
        path = self.tools / name
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)

    def stored(self, server):
        return json.loads(self.ctl(server, "runs", "--format", "json"))["runs"]

    def values(self, server, uuid):
        return {v["metric"] for v in json.loads(
            self.ctl(server, "run", uuid, "--metric", ".", "--format", "json"))["values"]}

    def samples(self, server, uuid, metrics):
        with grpc.insecure_channel(server.address) as channel:
            return harness.read_samples(channel, uuid, metrics)

    def assert_nothing_left(self):
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertEqual(list(self.spool.iterdir()), [])
        self.assertEqual(processes_with(self.endless), [])

    def test_a_killed_workload_is_a_failed_run_that_names_the_signal(self):
        server = self.start_server()
        process = self.start_job(server, "--monitor", "proc", "--interval-ms", "50", script=(
            f"{self.endless} & echo $$ >{self.folder}/pid; mv {self.folder}/pid {self.folder}/ready; echo last words; wait"))
        os.kill(int((self.folder / "ready").read_text()), signal.SIGKILL)
        _, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 128 + signal.SIGKILL, said)
        self.assertIn("failed: killed by signal 9 (Killed)", said)
        run = self.stored(server)[0]
        self.assertEqual(run["state"], "failed")
        shown = self.ctl(server, "run", run["run"])
        self.assertRegex(shown, r"(?m)^killed by: +9$")
        self.assertIn("last words", shown)
        self.assert_nothing_left()

    def test_what_a_killed_agent_had_spooled_is_delivered_as_a_failed_run(self):
        process = self.start_job(None, "--monitor", "proc", "--interval-ms", "50", script=(
            f"setsid {self.endless} & until [ -s {self.spool}/*.spool ]; do sleep 0.05; done; sleep 1;"
            f" touch {self.folder}/ready; {self.endless}"))
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.assertEqual(len(list(self.temporary.iterdir())), 1)
        server = self.start_server()
        delivered = self.run_agent(server, "deliver")
        self.assertEqual(delivered.returncode, 0, delivered.stderr)
        self.assertRegex(delivered.stderr, rf"removed: {self.temporary}/\S+, left by an agent that was killed")
        run = self.stored(server)[0]
        self.assertEqual(run["state"], "failed")
        self.assertIn("the agent died before the run ended", self.ctl(server, "run", run["run"]))
        self.assertGreater(len(self.samples(server, run["run"], ["proc-vmstat.pgfault"])["proc-vmstat.pgfault"]), 1)
        self.assert_nothing_left()

    def test_the_next_run_removes_what_a_killed_agent_left_and_keeps_its_spool(self):
        server = self.start_server()
        process = self.start_job(None, "--monitor", "proc", script=f"touch {self.folder}/ready; {self.endless}")
        process.send_signal(signal.SIGKILL)
        process.wait()
        spools = list(self.spool.iterdir())
        done, _ = self.run_job(server, "--no-monitor", "all", script="true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(", left by an agent that was killed", done.stderr)
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertEqual(processes_with(self.endless), [])
        self.assertEqual(list(self.spool.iterdir()), spools)

    def test_without_a_server_the_run_waits_and_the_message_has_the_command(self):
        done, report = self.run_job(None, "--monitor", "proc", "--interval-ms", "50", "--deliver-timeout", "0",
                                    script="sleep 0.3; echo throughput 5 MB/s higher")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual((report["state"], report["delivery"]), ("complete", "unreachable"))
        command = f"regress-agent deliver --server {NOBODY} --spool-dir {self.spool}"
        self.assertIn(command, done.stderr)
        server = self.start_server()
        words = command.replace(NOBODY, server.address).split()[1:]
        delivered = self.run_agent(None, *words)
        self.assertEqual(delivered.returncode, 0, delivered.stderr)
        run = self.stored(server)[0]
        self.assertEqual((run["run"], run["state"]), (report["run_uuid"], "complete"))
        self.assertIn("t.throughput", self.values(server, run["run"]))
        self.assert_nothing_left()

    def test_tools_that_never_answer_are_left_out(self):
        server = self.start_server()
        for name in ("vmstat", "perf"):
            self.write_tool(name, f"exec {self.endless}\n")
        done, report = self.run_job(server, "--monitor", "proc", "--monitor", "vmstat-tool", "--monitor", "perf-stat",
                                    "--monitor", "perf-record", script="echo throughput 5 MB/s higher")
        self.assertEqual(done.returncode, 0, done.stderr)
        for monitor in ("vmstat-tool", "perf-stat", "perf-record"):
            self.assertRegex(report["monitor_notes"][monitor], r"^(vmstat|perf) did not end within \d+ ms")
        values = self.values(server, report["run_uuid"])
        self.assertIn("proc-vmstat.pgfault", values)
        self.assertIn("t.throughput", values)
        self.assert_nothing_left()

    def test_a_tool_that_falls_silent_is_started_once_more_and_what_it_said_is_kept(self):
        server = self.start_server()
        starts = self.folder / "starts"
        self.write_tool("vmstat", (
            'case "$*" in *--version*) echo "vmstat from procps-ng 4.0.4"; exit;; esac\n'
            f"echo $$ >>{starts}\n"
            # vmstat -n -t 1 of procps 4: two lines of header, the row since boot, then a row a second.
            "echo 'procs -----------memory---------- ---swap-- -----io---- -system-- -------cpu------- -----timestamp-----'\n"
            "echo ' r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC'\n"
            "for so in 1 22 33; do\n"
            "  echo \" 1  0      0 800000  10000 200000    0   $so     0     0  100  200  1  1 98  0  0 $(date -u '+%F %T')\"\n"
            "done\n"
            f"exec {self.endless}\n"))
        done, report = self.run_job(server, "--monitor", "vmstat-tool", script=(
            f"until [ $(wc -l <{starts}) = 2 ]; do sleep 0.1; done; while kill -0 $(tail -n 1 {starts}); do sleep 0.1; done;"
            " echo throughput 5 MB/s higher"))
        self.assertEqual(done.returncode, 0, done.stderr)
        note = report["monitor_notes"]["vmstat-tool"]
        self.assertRegex(note, r"silent for \d+ ms, killed, started again; silent for \d+ ms, killed, given up$")
        self.assertEqual(self.stored(server)[0]["state"], "complete")
        rows = self.samples(server, report["run_uuid"], ["vmstat.swap.so"])["vmstat.swap.so"]
        self.assertEqual([(seq, value) for seq, _, value, _ in rows], [(1, 22), (2, 33), (3, 22), (4, 33)])
        self.assert_nothing_left()

    def test_a_clock_that_is_set_moves_doubles_and_loses_no_sample(self):
        libraries = sorted(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
        self.assertTrue(libraries, "install Debian's package faketime")
        server = self.start_server()
        step = self.folder / "step"
        step.write_text("+0")
        # The agent and its tools live by a clock that the command sets; written aside, so that nobody reads half a file.
        steps = "".join(f"sleep 2.5; echo {s} >{step}.new; mv {step}.new {step}; " for s in ("-3600", "+7200", "+0"))
        done, report = self.run_job(server, "--monitor", "proc", "--monitor", "vmstat-tool", "--interval-ms", "100",
                                    script=steps + "sleep 2.5; echo throughput 5 MB/s higher",
                                    more={"LD_PRELOAD": str(libraries[0]), "DONT_FAKE_MONOTONIC": "1",
                                          "FAKETIME_TIMESTAMP_FILE": str(step), "FAKETIME_NO_CACHE": "1",
                                          "ASAN_OPTIONS": "verify_asan_link_order=0"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((report["delivery"], report["lost_sample_count"]), ("delivered", 0))
        self.assertGreaterEqual(report["elapsed_seconds"], 10)
        self.assertLess(report["elapsed_seconds"], 1800)
        note = report["monitor_notes"]["clock"]
        sizes = [(words.split()[5], round(float(words.split()[7]))) for words in note.split("the run go on without the step")
                 if "was set" in words for words in [words[words.index("the wall clock"):]]]
        self.assertEqual(sizes, [("back", 3600), ("forward", 10800), ("back", 7200)], note)
        self.assertIn("was set back by 3600.", self.ctl(server, "run", report["run_uuid"]))
        found = self.samples(server, report["run_uuid"], ["proc-vmstat.pgfault", "vmstat.swap.so"])
        for metric, rows in found.items():
            self.assertEqual([seq for seq, *_ in rows], list(range(1, len(rows) + 1)), metric)
            times = [time_us for _, time_us, *_ in rows]
            gaps = [after - before for before, after in zip(times, times[1:])]
            self.assertGreater(min(gaps), 0, metric)
            self.assertLess(max(gaps), 1800 * 1_000_000, metric)
            # As far apart as they were: from the first to the last nearly the whole run.
            self.assertGreater(times[-1] - times[0], 5_000_000, metric)
        self.assert_nothing_left()

    def fill_disk(self, server, *arguments):
        """A run with 9 MB of observations whose agent may write no file beyond 200 KiB, as on a full disk."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (200 << 10, resource.RLIM_INFINITY))

        return self.run_job(server, "--monitor", "proc", "--interval-ms", "50", *arguments, preexec_fn=limit, script=(
            "ulimit -f unlimited; sleep 0.3; echo throughput 5 MB/s higher; awk 'BEGIN { print \"# latency us lower\";"
            " for (i = 1; i <= 1200000; i++) print i }' >$REGRESS_OBSERVATIONS"))

    def test_on_a_full_disk_samples_reach_a_server_that_is_there(self):
        server = self.start_server()
        done, report = self.fill_disk(server)
        self.assertRegex(report["monitor_notes"]["spool"], FULL)
        lost = report["lost_sample_count"]
        self.assertEqual(done.returncode, 6 if lost else 0, done.stderr)
        self.assertEqual(self.stored(server)[0]["state"], "complete")
        self.assertIn("t.throughput", self.values(server, report["run_uuid"]))
        self.assertEqual(" of them lost" in self.ctl(server, "run", report["run_uuid"]), lost > 0)
        self.assert_nothing_left()

    def test_on_a_full_disk_without_a_server_a_gap_says_what_was_lost_and_why(self):
        done, report = self.fill_disk(None, "--deliver-timeout", "0")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertGreater(report["lost_sample_count"], 0)
        self.assertRegex(done.stderr, r"kept in \S+\.spool, without \d+ samples \(cannot write " + FULL)
        server = self.start_server()
        delivered = self.run_agent(server, "deliver")
        self.assertEqual(delivered.returncode, 0, delivered.stderr)
        run = self.stored(server)[0]
        self.assertEqual(run["state"], "complete")
        shown = self.ctl(server, "run", run["run"])
        self.assertRegex(shown, r"[1-9]\d* of them lost")
        self.assertRegex(shown, FULL)
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main(verbosity=2)
