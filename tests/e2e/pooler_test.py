"""Everything works through a connection pooler in transaction mode."""

import json
import os
import signal
import subprocess
import unittest

import harness


class PoolerTest(harness.SystemTest):

    def start_postgres(self):
        """A private cluster on a Unix socket below the test's folder."""
        home = self.folder / "pg"
        home.mkdir()
        home.chmod(0o777)
        user = harness.unprivileged_user()
        binaries = harness.postgres_bin()
        subprocess.run([binaries / "initdb", "-D", home / "data", "-A", "trust", "-U", "regressd", "--no-sync"], check=True,
                       stdout=subprocess.DEVNULL, cwd="/", **user)
        server = subprocess.Popen(
            [binaries / "postgres", "-D", home / "data", "-k", str(home), "-c", "listen_addresses=", "-c", "fsync=off"],
            stdout=subprocess.DEVNULL, stderr=self.open_log("postgres.log"), cwd="/", **user)
        self.addCleanup(server.wait)
        self.addCleanup(server.send_signal, signal.SIGINT)
        ready = [binaries / "pg_isready", "-q", "-h", str(home)]
        harness.wait_for("PostgreSQL is ready", lambda: subprocess.run(ready, check=False).returncode == 0)
        return home

    def start_pooler(self, socket_dir):
        """PgBouncer in transaction mode with few connections; its socket lies in the same folder."""
        config = self.folder / "pgbouncer.ini"
        users = self.folder / "users.txt"
        users.write_text('"regressd" ""\n')
        config.write_text(f"""[databases]
regressd = host={socket_dir} port=5432 dbname=postgres user=regressd
[pgbouncer]
listen_addr =
unix_socket_dir = {socket_dir}
listen_port = 6432
auth_type = trust
auth_file = {users}
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
server_reset_query =
""")
        os.chmod(config, 0o644)
        os.chmod(users, 0o644)
        pooler = subprocess.Popen(["/usr/sbin/pgbouncer", "-q", str(config)], stdout=subprocess.DEVNULL,
                                  stderr=self.open_log("pgbouncer.log"), cwd="/", **harness.unprivileged_user())
        self.addCleanup(pooler.wait)
        self.addCleanup(pooler.send_signal, signal.SIGINT)
        harness.wait_for("PgBouncer listens", (socket_dir / ".s.PGSQL.6432").exists)
        return f"host={socket_dir} port=6432 dbname=regressd user=regressd"

    def test_runs_verdicts_and_reads_through_transaction_pooling(self):
        url = self.start_pooler(self.start_postgres())
        server = self.start_server(database_url=url)
        for wiggle in (-4, 3, 0):
            for commit, throughput in (("v1", 1000 + wiggle), ("v2", 900 - wiggle)):
                self.agent(server, "run", "--testcase", "vm-scalability", "--commit", commit, "--no-monitor", "perf-record",
                           "--no-monitor", "perf-stat", "--no-monitor", "vmstat", "--", "sh", "-c",
                           f"echo throughput {throughput} KB/s higher")
        harness.wait_for("the regression is flagged", lambda: json.loads(
            self.ctl(server, "regressions", "--format", "json"))["regressions"])
        self.assertIn("vm-scalability.throughput", self.ctl(server, "compare", "v1", "v2"))
        run = json.loads(self.ctl(server, "runs", "--format", "json"))["runs"][0]["run"]
        self.assertIn("proc-vmstat.pgfault", self.ctl(server, "run", run, "--metric", "pgfault"))
        self.assertEqual(server.stop(), 0, server.log_text())


if __name__ == "__main__":
    unittest.main(verbosity=2)
