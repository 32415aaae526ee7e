"""Starts the real programs for whole-system tests, and talks to them as a stranger would.

Every process is started here and ended here, by pid. Ports are chosen by the programs. Stubs are made on the spot from
the protos of the tree and of Debian's grpc-proto.
"""

import atexit
import contextlib
import json
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TREE = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("REGRESSD_BIN_DIR", TREE / "build/release/bin"))
# Debian 12 has them in the package grpc-proto, Debian 13 among the sources of golang-google-grpc-dev.
GRPC_PROTO = next((p for p in map(pathlib.Path, (
    "/usr/share/grpc-proto",
    "/usr/share/gocode/src/google.golang.org/grpc/debian/missing-sources/grpc/grpc-proto/master")) if p.is_dir()), None)


def load_stubs():
    """Generates Python stubs and puts them on the import path."""
    out = tempfile.mkdtemp(prefix="regressd-stubs-")
    protos = sorted((TREE / "proto").rglob("*.proto"))
    plugin = ["--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin", f"--grpc_python_out={out}"]
    own = [str(p.relative_to(TREE / "proto")) for p in protos]
    subprocess.run(["protoc", "-I", str(TREE / "proto"), f"--python_out={out}", *plugin, *own], check=True)
    foreign = ["grpc/health/v1/health.proto", "grpc/reflection/v1alpha/reflection.proto"]
    for name in foreign:
        # The package "grpc" of the library hides a folder of that name: give the stubs flat names.
        flat = os.path.basename(name)
        shutil.copy(GRPC_PROTO / name, os.path.join(out, flat))
        subprocess.run(["protoc", "-I", out, f"--python_out={out}", *plugin, flat], check=True)
    sys.path.insert(0, out)
    atexit.register(shutil.rmtree, out, ignore_errors=True)


def read_samples(channel, uuid, metrics):
    """metric -> [(seq, time in us, value or None, exact text)], over all parts."""
    from regressd.v1 import run_service_pb2, run_service_pb2_grpc
    stub = run_service_pb2_grpc.RunServiceStub(channel)
    found = {}
    for at in range(0, len(metrics), 100):
        request = run_service_pb2.ReadSamplesRequest(run_uuid=uuid, metrics=metrics[at:at + 100])
        for part in stub.ReadSamples(request, timeout=60):
            rows = found.setdefault(part.metric.name, [])
            for s in part.samples:
                rows.append((s.seq, s.sample_time.seconds * 1_000_000 + s.sample_time.nanos // 1000,
                             s.value if s.HasField("value") else None, s.exact_value))
    return found


def wait_for(what, condition, seconds=60.0, every=0.05):
    """Polls until `condition` is true; its value. Fails with `what` after a generous time."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: still not so after {seconds} s")
        time.sleep(every)


def shared_dir(name):
    """The folder of shared test data, or a skip (a failure where skips are not allowed)."""
    path = pathlib.Path(os.environ.get(f"REGRESSD_{name.upper()}_DIR", TREE.parent / "shared" / name))
    if path.is_dir():
        return path
    message = f"{path} is not here; set REGRESSD_{name.upper()}_DIR"
    if os.environ.get("REGRESSD_REQUIRE_SHARED") == "1":
        raise AssertionError(message)
    raise unittest.SkipTest(message)


class Server:
    """A regressd with its own data directory, which may be killed and started again on the same ports."""

    def __init__(self, folder, database_url=None):
        self.folder = pathlib.Path(folder)
        self.data_dir = self.folder / "data"
        self.ports_file = self.folder / "ports.json"
        self.database_url = database_url
        self.grpc_port = 0
        self.http_port = 0
        self.process = None
        self.log = None

    def start(self):
        self.ports_file.unlink(missing_ok=True)
        if self.log:
            self.log.close()
        env = {k: v for k, v in os.environ.items() if not k.startswith(("REGRESSD_", "PG")) and k != "DATABASE_URL"}
        env["REGRESSD_DATA_DIR"] = str(self.data_dir)
        env["REGRESSD_GRPC_LISTEN"] = f"127.0.0.1:{self.grpc_port}"
        env["REGRESSD_HTTP_LISTEN"] = f"127.0.0.1:{self.http_port}"
        env["REGRESSD_DETECT_POLL_INTERVAL_MS"] = "100"
        if self.database_url:
            env["REGRESSD_DATABASE_URL"] = self.database_url
        self.log = open(self.folder / "regressd.log", "ab")
        self.process = subprocess.Popen(
            [BIN / "regressd", "--ports-file", str(self.ports_file)], env=env, stdout=self.log, stderr=self.log)

        def ports():
            if self.process.poll() is not None:
                raise AssertionError(f"regressd ended with {self.process.returncode}:\n{self.log_text()[-4000:]}")
            with contextlib.suppress(OSError, ValueError):
                return json.loads(self.ports_file.read_text())
            return None

        found = wait_for("regressd listens", ports)
        self.grpc_port = found["grpc_port"]
        self.http_port = found["http_port"]
        return self

    def log_text(self):
        return (self.folder / "regressd.log").read_text(errors="replace")

    @property
    def address(self):
        return f"127.0.0.1:{self.grpc_port}"

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """SIGTERM; the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)

    def postmaster_pid(self):
        for path in self.data_dir.rglob("postmaster.pid"):
            return int(path.read_text().split()[0])
        raise AssertionError(f"no postmaster.pid below {self.data_dir}")

    def close(self):
        if self.process and self.process.poll() is None:
            self.stop()
        if self.process and self.process.returncode == -signal.SIGKILL:
            # A killed server leaves its PostgreSQL, for the next start to find; here there is none.
            with contextlib.suppress(Exception):
                os.kill(self.postmaster_pid(), signal.SIGQUIT)
        self.log.close()


class SystemTest(unittest.TestCase):
    """A test with a folder of its own that an unprivileged PostgreSQL may enter."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="regressd-e2e-"))
        self.folder.chmod(0o711)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start_server(self, **arguments):
        server = Server(self.folder, **arguments)
        server.start()
        self.addCleanup(server.close)
        return server

    def start_process(self, *arguments, **options):
        """A process that ends with the test; its pipes are closed."""
        process = subprocess.Popen(list(map(str, arguments)), **options)

        def end():
            if process.poll() is None:
                process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe:
                    pipe.close()

        self.addCleanup(end)
        return process

    def open_log(self, name):
        """A file in the test's folder for a process's output."""
        log = open(self.folder / name, "wb")
        self.addCleanup(log.close)
        return log

    def environment(self, server):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("REGRESSD_", "REGRESS_"))}
        env["REGRESSD_SERVER"] = server.address
        env["XDG_STATE_HOME"] = str(self.folder / "state")
        env["REGRESS_AGENT_SPOOL_DIR"] = str(self.folder / "spool")
        env["NO_COLOR"] = "1"
        return env

    def ctl(self, server, *arguments, status=0):
        """Runs regressctl and returns its standard output."""
        done = subprocess.run([BIN / "regressctl", *map(str, arguments)], env=self.environment(server),
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, f"regressctl {arguments}:\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def agent(self, server, *arguments, status=0):
        """Runs regress-agent to its end and returns its standard output."""
        done = subprocess.run([BIN / "regress-agent", *map(str, arguments)], env=self.environment(server),
                              capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, status, f"regress-agent {arguments}:\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def make_repository(self, *subjects):
        """A git tree with one commit a subject, each the child of the one before; their shas."""
        repo = self.folder / "tree"
        env = dict(os.environ, GIT_AUTHOR_NAME="A. Hacker", GIT_AUTHOR_EMAIL="hacker@example.org",
                   GIT_COMMITTER_NAME="A. Hacker", GIT_COMMITTER_EMAIL="hacker@example.org", HOME=str(self.folder))
        subprocess.run(["git", "init", "-q", "-b", "main", repo], check=True, env=env)
        shas = []
        for subject in subjects:
            subprocess.run(["git", "-C", repo, "commit", "-q", "--allow-empty", "-m", subject], check=True, env=env)
            shas.append(subprocess.check_output(["git", "-C", repo, "rev-parse", "HEAD"], text=True).strip())
        return repo, shas


def unprivileged_user():
    """Runs a child as the user that PostgreSQL wants: arguments for Popen."""
    if os.geteuid() != 0:
        return {}
    entry = pwd.getpwnam("postgres")
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def postgres_bin():
    """The folder of the newest installed PostgreSQL server."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda p: int(p.parts[-3]))
    return found[-1].parent
