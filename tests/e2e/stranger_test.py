"""A client that nobody here wrote: Debian's grpcio with stubs of grpc-proto and of the published protos."""

import unittest

import harness

harness.load_stubs()
import grpc  # noqa: E402
import health_pb2  # noqa: E402
import health_pb2_grpc  # noqa: E402
import reflection_pb2  # noqa: E402
import reflection_pb2_grpc  # noqa: E402
from regressd.v1 import run_service_pb2, run_service_pb2_grpc  # noqa: E402

SERVICES = ["IngestService", "RunService", "CommitService", "CompareService", "RegressionService", "ReportService"]


class StrangerTest(harness.SystemTest):

    def test_health_reflection_runs_and_samples(self):
        server = self.start_server()
        self.agent(server, "run", "--testcase", "idle", "--commit", "v6.18", "--no-monitor", "perf-record", "--",
                   "sh", "-c", "sleep 2; echo ops 5 ops/s higher")
        with grpc.insecure_channel(server.address) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            for name in [""] + [f"regressd.v1.{s}" for s in SERVICES]:
                answer = health.Check(health_pb2.HealthCheckRequest(service=name), timeout=10)
                self.assertEqual(answer.status, health_pb2.HealthCheckResponse.SERVING, name)
            with self.assertRaises(grpc.RpcError) as unknown:
                health.Check(health_pb2.HealthCheckRequest(service="no.such.Service"), timeout=10)
            self.assertEqual(unknown.exception.code(), grpc.StatusCode.NOT_FOUND)

            reflection = reflection_pb2_grpc.ServerReflectionStub(channel)
            answers = reflection.ServerReflectionInfo(
                iter([reflection_pb2.ServerReflectionRequest(list_services="")]), timeout=10)
            listed = {s.name for s in next(answers).list_services_response.service}
            self.assertLessEqual({f"regressd.v1.{s}" for s in SERVICES}, listed)

            runs = run_service_pb2_grpc.RunServiceStub(channel)
            page = runs.ListRuns(run_service_pb2.ListRunsRequest(page_size=10), timeout=10)
            self.assertEqual(len(page.runs), 1)
            uuid = page.runs[0].spec.run_uuid
            values = [s.value for part in runs.ReadSamples(
                run_service_pb2.ReadSamplesRequest(run_uuid=uuid, metrics=["meminfo.MemTotal"]), timeout=10)
                for s in part.samples]
            with open("/proc/meminfo", encoding="ascii") as meminfo:
                total_kib = int(meminfo.readline().split()[1])
            self.assertGreaterEqual(len(values), 2)
            self.assertEqual(set(values), {float(total_kib)})

            with self.assertRaises(grpc.RpcError) as missing:
                list(runs.ReadSamples(run_service_pb2.ReadSamplesRequest(
                    run_uuid=uuid, metrics=["proc-vmstat.pgfalt"]), timeout=10))
            self.assertEqual(missing.exception.code(), grpc.StatusCode.NOT_FOUND)
            self.assertIn("proc-vmstat.pgfault", missing.exception.details())


if __name__ == "__main__":
    unittest.main(verbosity=2)
