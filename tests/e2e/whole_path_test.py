"""The main job with real processes: samples in over crashes, a regression out on every door."""

import json
import os
import re
import signal
import subprocess
import unittest
import urllib.request

import harness

harness.load_stubs()
import grpc  # noqa: E402
from regressd.v1 import model_pb2, run_service_pb2, run_service_pb2_grpc  # noqa: E402


class CrashTest(harness.SystemTest):

    def test_a_live_run_outlives_a_killed_server_and_a_killed_postgresql(self):
        server = self.start_server()
        agent = self.start_process(
            harness.BIN / "regress-agent", "run", "--testcase", "page-fault1", "--param", "nr_task=1", "--commit",
             "v6.18-crash", "--interval-ms", "250", "--", harness.BIN / "regress-agent", "workload", "page-fault1",
             "--tasks", "1", "--processes", "--size", "16M", "--runtime", "20",
            env=self.environment(server), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

        def stored():
            """Highest number stored of the source of /proc, over a channel of its own."""
            with grpc.insecure_channel(server.address) as channel:
                try:
                    runs = run_service_pb2_grpc.RunServiceStub(channel).ListRuns(
                        run_service_pb2.ListRunsRequest(), timeout=5).runs
                    if not runs:
                        return None
                    run = run_service_pb2_grpc.RunServiceStub(channel).GetRun(
                        run_service_pb2.GetRunRequest(run_uuid=runs[0].spec.run_uuid), timeout=5).run
                except grpc.RpcError:
                    return None
                proc = [s for s in run.sources if s.name == "proc"]
                return (run, proc[0].last_seq) if proc and proc[0].last_seq > 0 else None

        run, before = harness.wait_for("samples are stored while the command runs", stored)
        self.assertEqual(run.state, model_pb2.RUN_STATE_OPEN)

        server.kill()
        server.start()
        _, after_server = harness.wait_for("the agent goes on after the server was killed",
                                           lambda: (s := stored()) and s[1] > before + 2 and s)
        os.kill(server.postmaster_pid(), signal.SIGKILL)
        harness.wait_for("the agent goes on after PostgreSQL was killed",
                         lambda: (s := stored()) and s[1] > after_server + 2 and s)
        output, _ = agent.communicate(timeout=180)
        self.assertEqual(agent.returncode, 0, output)

        run, last = stored()
        self.assertEqual(run.state, model_pb2.RUN_STATE_COMPLETE)
        with grpc.insecure_channel(server.address) as channel:
            rows = harness.read_samples(channel, run.spec.run_uuid, ["proc-vmstat.pgfault", "vmstat.system.cs"])
        for metric, samples in rows.items():
            numbers = [r[0] for r in samples]
            self.assertEqual(numbers, list(range(1, len(numbers) + 1)), f"{metric}: lost or doubled")
            times = [r[1] for r in samples]
            self.assertEqual(times, sorted(set(times)), f"{metric}: times")
        pgfault = rows["proc-vmstat.pgfault"]
        self.assertEqual(len(pgfault), last)
        # 20 s at 4 a second; the machine may be slow to start and to stop, but no second is missing in between.
        self.assertGreaterEqual(len(pgfault), 70)
        self.assertLess(max(b[1] - a[1] for a, b in zip(pgfault, pgfault[1:])), 2_000_000)
        self.assertTrue(all(s.gap_count == 0 for s in run.sources))
        values = [int(r[3]) for r in pgfault]
        self.assertEqual(values, sorted(values), "a running total never falls")

    def test_sigterm_drains_and_the_agent_goes_on_with_the_next_server(self):
        server = self.start_server()
        agent = self.start_process(
            harness.BIN / "regress-agent", "run", "--testcase", "idle", "--commit", "v6.18-drain", "--interval-ms", "100",
             "--no-monitor", "perf-record", "--", "sh", "-c", "cat >/dev/null; echo waited 1 s neither",
            env=self.environment(server), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

        def sources():
            listed = json.loads(self.ctl(server, "runs", "--format", "json"))["runs"]
            return bool(listed)

        harness.wait_for("the run is known", sources)
        self.assertEqual(server.stop(), 0, server.log_text())
        server.start()
        harness.wait_for("the run is known to the next server", sources)
        output, _ = agent.communicate(input="", timeout=120)
        self.assertEqual(agent.returncode, 0, output)
        self.assertIn("complete", self.ctl(server, "runs"))


class FlagTest(harness.SystemTest):

    def test_a_regression_reaches_list_page_watch_report_and_exit_code(self):
        server = self.start_server()
        repo, (base, head) = self.make_repository("mm: keep batches of pages", "mm: drop batches of pages")
        self.ctl(server, "commits", "add", "--repo", repo, "HEAD", "--branch", "main")
        watch = self.start_process(harness.BIN / "regressctl", "watch", "--json", env=self.environment(server),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # The watch says on standard error that it stands.
        self.assertIn("watching", watch.stderr.readline())

        # Five runs a side, means 1000.4 and 899.6: -10.08 %, spread below 1 %.
        for index, wiggle in enumerate((-4, 3, 0, 5, -2)):
            for commit, throughput in ((base, 1000 + wiggle), (head, 900 - wiggle)):
                self.agent(server, "run", "--testcase", "vm-scalability", "--param", "test=swap-w-seq", "--commit", commit,
                           "--no-monitor", "perf-record", "--no-monitor", "perf-stat", "--no-monitor", "vmstat",
                           "--", "sh", "-c", f"echo throughput {throughput} KB/s higher; echo other {index} s neither")

        event = json.loads(watch.stdout.readline())
        regression_id = event["regression"]["regression_id"]

        def listed():
            found = json.loads(self.ctl(server, "regressions", "--format", "json"))["regressions"]
            return [r for r in found if r["state"] == "confirmed"]

        flagged = harness.wait_for("the regression is confirmed", listed)
        self.assertEqual([r["regression_id"] for r in flagged], [regression_id])
        self.assertEqual(flagged[0]["headline_metric"], "vm-scalability.throughput")
        self.assertEqual(flagged[0]["head"]["commit"], head)

        harness.wait_for("all ten runs are judged",
                         lambda: "5" in self.ctl(server, "regression", regression_id) and "-10." in self.ctl(
                             server, "regression", regression_id))
        table = self.ctl(server, "compare", base[:10], head[:10])
        self.assertRegex(table, r"1000 .*-10\.1% +899\.60 .*vm-scalability\.throughput")
        self.ctl(server, "compare", base[:10], head[:10], "--exit-code", status=1)
        self.ctl(server, "compare", head[:10], base[:10], "--exit-code", status=0)

        url = f"http://127.0.0.1:{server.http_port}/r/{regression_id}"
        with urllib.request.urlopen(url, timeout=30) as response:
            page = response.read().decode()
        self.assertIn("vm-scalability.throughput", page)
        self.assertIn("mm: drop batches of pages", page)

        mail = self.ctl(server, "report", regression_id)
        self.assertRegex(mail, r"-10\.\d% regression of vm-scalability\.throughput")
        self.assertIn(head, mail)
        mbox = self.folder / "out.mbox"
        for _ in range(2):
            self.ctl(server, "report", regression_id, "--mbox", mbox)
        self.assertEqual(len(re.findall(r"(?m)^From ", mbox.read_text())), 2)

        self.ctl(server, "regression", regression_id, "set", "acknowledged", "--comment", "looking")
        state = json.loads(watch.stdout.readline())
        while state["event"]["state"] != "acknowledged":
            state = json.loads(watch.stdout.readline())
        self.assertEqual(state["event"]["comment"], "looking")

    def test_a_failed_command_is_a_failed_run_and_never_compared(self):
        server = self.start_server()
        self.agent(server, "run", "--testcase", "t", "--commit", "v1", "--no-monitor", "perf-record", "--", "sh", "-c",
                   "echo throughput 1 KB/s higher; echo it broke >&2; exit 7", status=7)
        run = json.loads(self.ctl(server, "runs", "--format", "json"))["runs"][0]
        self.assertEqual(run["state"], "failed")
        shown = self.ctl(server, "run", run["run"])
        self.assertIn("it broke", shown)
        self.agent(server, "run", "--testcase", "t", "--commit", "v2", "--no-monitor", "perf-record", "--", "sh", "-c",
                   "echo throughput 1 KB/s higher")
        self.ctl(server, "compare", "v1", "v2", status=6)
        self.ctl(server, "compare", "v1", "v3", status=5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
