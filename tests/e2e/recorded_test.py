"""Real recordings go in and come back value for value and time for time."""

import datetime
import json
import lzma
import unittest

import harness

harness.load_stubs()
import grpc  # noqa: E402
from regressd.v1 import run_service_pb2, run_service_pb2_grpc  # noqa: E402


class RecordedTest(harness.SystemTest):

    def setUp(self):
        super().setUp()
        self.recorded = harness.shared_dir("corpus") / "recorded"
        self.server = self.start_server()

    def push(self, name):
        self.agent(self.server, "push", "--testcase", "swapload", "--commit", "v6.18.44", self.recorded / name)
        runs = json.loads(self.ctl(self.server, "runs", "--format", "json"))["runs"]
        self.assertEqual(len(runs), 1)
        self.assertEqual(runs[0]["state"], "complete")
        return runs[0]["run"]

    def read(self, uuid, metrics):
        with grpc.insecure_channel(self.server.address) as channel:
            return harness.read_samples(channel, uuid, metrics)

    def test_snapshots_of_proc_vmstat(self):
        uuid = self.push("proc-vmstat.txt.xz")
        expected = {}
        with lzma.open(self.recorded / "proc-vmstat.txt.xz", "rt") as text:
            for line in text:
                if line.startswith("### "):
                    seconds, _, micros = line[4:].strip().partition(".")
                    time_us = int(seconds) * 1_000_000 + int(micros)
                    continue
                name, value = line.split()
                expected.setdefault(f"proc-vmstat.{name}", []).append((time_us, value))
        self.assertEqual(len(expected), 192)
        found = self.read(uuid, sorted(expected))
        self.assertEqual({m: [(t, e) for _, t, _, e in rows] for m, rows in found.items()}, expected)

    def test_vmstat_with_its_own_times(self):
        uuid = self.push("vmstat-nt1.txt")
        lines = (self.recorded / "vmstat-nt1.txt").read_text().splitlines()
        names = lines[1].split()[:17]
        groups = ["procs"] * 2 + ["memory"] * 4 + ["swap"] * 2 + ["io"] * 2 + ["system"] * 2 + ["cpu"] * 5
        expected = {}
        for line in lines[3:]:  # Two header lines, then the row since boot.
            fields = line.split()
            when = datetime.datetime.fromisoformat(f"{fields[17]} {fields[18]}+00:00")
            for group, name, value in zip(groups, names, fields):
                expected.setdefault(f"vmstat.{group}.{name}", []).append((int(when.timestamp()) * 1_000_000, value))
        found = self.read(uuid, sorted(expected))
        self.assertEqual({m: [(t, e) for _, t, _, e in rows] for m, rows in found.items()}, expected)

    def test_perf_stat_intervals(self):
        uuid = self.push("perf-stat-I1000.csv")
        lines = (self.recorded / "perf-stat-I1000.csv").read_text().splitlines()
        # "# started on Mon Nov 30 17:30:53 2026": recorded on a machine in UTC.
        start = datetime.datetime.strptime(lines[0], "# started on %a %b %d %H:%M:%S %Y").replace(
            tzinfo=datetime.timezone.utc)
        expected = {}
        for line in lines[2:]:
            fields = line.split(",")
            offset = float(fields[0])
            expected.setdefault(f"perf-stat.i.{fields[3]}", []).append((offset, float(fields[1])))
        found = self.read(uuid, sorted(expected))
        self.assertEqual(set(found), set(expected))
        for metric, rows in expected.items():
            got = found[metric]
            self.assertEqual([v for _, v in rows], [round(v, 2) for _, _, v, _ in got], metric)
            for (offset, _), (_, time_us, _, _) in zip(rows, got):
                self.assertAlmostEqual(time_us / 1e6, start.timestamp() + offset, delta=1e-5)

    def test_folded_stacks(self):
        uuid = self.push("perf-folded.txt")
        expected = {}
        for line in (self.recorded / "perf-folded.txt").read_text().splitlines():
            stack, _, count = line.rpartition(" ")
            expected[stack] = expected.get(stack, 0) + int(count)
        with grpc.insecure_channel(self.server.address) as channel:
            found = {s.folded: s.count
                     for part in run_service_pb2_grpc.RunServiceStub(channel).ReadStacks(
                         run_service_pb2.ReadStacksRequest(run_uuid=uuid), timeout=60) for s in part.stacks}
        self.assertEqual(found, expected)
        self.assertEqual(sum(found.values()), 1442)


if __name__ == "__main__":
    unittest.main(verbosity=2)
