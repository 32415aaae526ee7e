"""A memory cgroup and a swap space of independent_figures.py's own, without regressd's code."""

import errno
import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

STATE = pathlib.Path("/var/lib/regressd-independent-figures")
ZRAM_CONTROL = pathlib.Path("/sys/class/zram-control")
SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


class NotMeasured(Exception):
    """Why a figure cannot be had on this machine, or was not in one run."""


def boot_id():
    return pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def cgroup_directory():
    """Where the cgroup is or will be, and the file of its limit."""
    unified = pathlib.Path("/sys/fs/cgroup")
    if (unified / "cgroup.controllers").exists():
        return unified / STATE.name, "memory.max"
    return unified / "memory" / STATE.name, "memory.limit_in_bytes"


class Setup:
    """With-block in which a cgroup and a swap space are there; for root.

    Removed at the end, after a signal too; what SIGKILL left is removed by the next start.
    """

    def __init__(self, limit_bytes, swap_bytes, swap_kind):
        self.limit_bytes = limit_bytes
        self.swap_bytes = swap_bytes
        self.swap_kind = swap_kind or ("zram" if ZRAM_CONTROL.exists() else "file")
        self.cgroup, self.limit_file = cgroup_directory()

    def __enter__(self):
        STATE.mkdir(mode=0o700, exist_ok=True)
        self.lock = open(STATE / "lock", "w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"{STATE} is in use: another independent_figures.py runs; wait for it")
        self.remove()
        try:
            self.make_swap()
            self.make_cgroup()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        # A second signal must not end the first one's clearing up.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        self.remove()
        shutil.rmtree(STATE)
        self.lock.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def make_swap(self):
        if self.swap_kind == "zram":
            number = (ZRAM_CONTROL / "hot_add").read_text().strip()
            (STATE / "zram").write_text(json.dumps({"number": number, "boot": boot_id()}))
            device = f"/dev/zram{number}"
            pathlib.Path(f"/sys/block/zram{number}/disksize").write_text(str(self.swap_bytes))
        else:
            device = str(STATE / "swap")
            with open(os.open(device, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
                os.posix_fallocate(file.fileno(), 0, self.swap_bytes)
        subprocess.run(["mkswap", device], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["swapon", "-p", "32767", device], check=True)

    def make_cgroup(self):
        if self.limit_file == "memory.max":
            control = self.cgroup.parent / "cgroup.subtree_control"
            if "memory" not in control.read_text().split():
                (STATE / "controller").touch()
                control.write_text("+memory")
        self.cgroup.mkdir()
        (self.cgroup / self.limit_file).write_text(str(self.limit_bytes))

    def remove(self):
        self.remove_cgroup()
        if (STATE / "swap").exists():
            swap_off(str(STATE / "swap"))
            (STATE / "swap").unlink()
        if (STATE / "zram").exists():
            self.remove_zram(json.loads((STATE / "zram").read_text()))
            (STATE / "zram").unlink()

    def remove_cgroup(self):
        while self.cgroup.exists():
            for pid in (self.cgroup / "cgroup.procs").read_text().split():
                try:
                    os.kill(int(pid), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            try:
                self.cgroup.rmdir()
            except OSError as error:
                if error.errno != errno.EBUSY:
                    raise
                time.sleep(0.01)
        if (STATE / "controller").exists():
            (self.cgroup.parent / "cgroup.subtree_control").write_text("-memory")
            (STATE / "controller").unlink()

    @staticmethod
    def remove_zram(made):
        if made["boot"] != boot_id():
            return
        swap_off(f"/dev/zram{made['number']}")
        pathlib.Path(f"/sys/block/zram{made['number']}/reset").write_text("1")
        (ZRAM_CONTROL / "hot_remove").write_text(made["number"])


def swap_off(path):
    if any(line.split()[0] == path for line in open("/proc/swaps")):
        subprocess.run(["swapoff", path], check=True)
