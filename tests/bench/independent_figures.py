#!/usr/bin/env python3
"""Sets each workload's figure beside what another program, or the kernel's counters, say.

    sudo tests/bench/independent_figures.py --bin-dir build/release/bin > table.md

Prints a Markdown table: medians, ranges in parentheses, and the ratio of ours to the independent
figure, pair by pair. The pairs are run in turn, in sweeps, and who of a pair begins alternates.
Needs Python 3.9, and for single rows stress-ng, perf, gcc, dd and GNU time; rows about swap and
memory limits need root, for which a cgroup and a swap space are made and removed again. About ten
minutes. With --check only counts that need no rights are compared, and the exit status says whether
they agree.
"""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from independent_setup import SIGNALS, NotMeasured, Setup

MIB = 1 << 20
PAGE = os.sysconf("SC_PAGE_SIZE")
LIMIT = 256 * MIB
BEYOND = 512 * MIB  # What is written or read where half of it fits.
FILE = 2048 * MIB
LOOPS = pathlib.Path(__file__).with_name("independent_loops.py")


class Bench:
    """Runs programs, one at a time, and reads what they say."""

    def __init__(self, bin_dir, setup):
        self.agent = str(pathlib.Path(bin_dir).resolve() / "regress-agent")
        self.setup = setup
        self.cpu = max(os.sched_getaffinity(0))

    def run(self, arguments, limited=False, pinned=True, environment=None):
        """Its output, stderr behind stdout. Its usage is left in self.usage, its time in self.wall.

        limited: in the cgroup. pinned: on one CPU, since which one should not matter to a pair.
        """
        if limited and not self.setup:
            raise NotMeasured("needs root, for a memory limit and swap")
        if not shutil.which(arguments[0]):
            raise NotMeasured(f"{arguments[0]} is not installed")

        def prepare():
            if limited:
                (self.setup.cgroup / "cgroup.procs").write_text("0")
            if pinned:
                os.sched_setaffinity(0, {self.cpu})

        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            begin = time.monotonic()
            child = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                     env={**os.environ, "LC_ALL": "C", **(environment or {})},
                                     start_new_session=True, preexec_fn=prepare)
            try:
                _, status, self.usage = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
            self.wall = time.monotonic() - begin
            out.seek(0)
            err.seek(0)
            said, complaint = out.read(), err.read()
        if child.returncode != 0:
            last = (complaint or said).strip().splitlines()[-1:] or ["no word"]
            name = pathlib.Path(arguments[0]).name
            raise NotMeasured(f"{name} ended with {child.returncode}: {last[0]}")
        return said + complaint

    def workload(self, text, before=(), **how):
        """The results of `regress-agent workload TEXT`, by name. before: a program around it."""
        said = self.run([*before, self.agent, "workload", *text.split()], **how)
        found = re.findall(r"^(\S+) ([-+.0-9e]+) \S+(?: \S+)?$", said, re.MULTILINE)
        return {name: float(value) for name, value in found}

    def loop(self, text, **how):
        return float(self.run([sys.executable, str(LOOPS), *text.split()], **how))

    def dd(self, arguments, **how):
        """KB a second."""
        said = self.run(["dd", *arguments], **how)
        copied = re.search(r"^(\d+) bytes.*copied, ([.0-9e-]+) s", said, re.MULTILINE)
        return int(copied[1]) / 1024 / float(copied[2])

    def need_swap(self):
        if not self.setup:
            raise NotMeasured("needs root, for swap")

    def perf_stat(self, events, arguments):
        """Counts of the events over all of a program, and what it said."""
        with tempfile.NamedTemporaryFile("r") as counts:
            said = self.run(["perf", "stat", "-x", ",", "-o", counts.name, "-e", ",".join(events),
                             "--", *arguments])
            lines = [line.split(",") for line in counts if line.count(",") > 2]
        if len(lines) != len(events) or any("<" in line[0] for line in lines):
            raise NotMeasured("perf could not count " + ", ".join(events))
        return [float(line[0]) for line in lines], said


def vmstat():
    lines = (line.split() for line in open("/proc/vmstat"))
    return {name: int(value) for name, value in lines}


@contextlib.contextmanager
def counted(*names):
    """A list that holds, behind the block, by how much these of /proc/vmstat have grown."""
    before, grown = vmstat(), []
    missing = [name for name in names if name not in before]
    if missing:
        raise NotMeasured(f"this kernel's /proc/vmstat has no {', '.join(missing)}")
    yield grown
    after = vmstat()
    grown += [after[name] - before[name] for name in names]


class Pair:
    """Two measurements that take turns."""

    def __init__(self, title, unit, ours, independent, words):
        self.rows = [(title, unit, words)]
        self.ours, self.independent = ours, independent

    def measure(self, bench, ours_first):
        """[(ours, independent)], one for each row."""
        if ours_first:
            ours = self.ours(bench)
            return [(ours, self.independent(bench))]
        independent = self.independent(bench)
        return [(self.ours(bench), independent)]


class Joint:
    """One run, seen from inside and outside: both(bench) gives (ours, independent) for each row."""

    def __init__(self, both, *rows):
        self.rows = rows
        self.both = both

    def measure(self, bench, _):
        return self.both(bench)



def fault_pair(number, kind):
    title = f"`A page-fault{number} --thp never`" if number == 1 else f"`A page-fault{number}`"
    options = "--runtime 1 --warm-up 0.3" + (" --thp never" if number == 1 else "")
    return Pair(title, "pages/s",
                lambda b: b.workload(f"page-fault{number} {options}")["processes_ops"],
                lambda b: b.loop(f"faults {kind} 1"),
                f"Python writing `m[::4096]` of a new `mmap`, {kind}, 128 MiB")


def fault_count(bench):
    arguments = [bench.agent, "workload", "page-fault1", "--thp", "never", "--warm-up", "0",
                 "--runtime", "1"]
    (faults,), said = bench.perf_stat(["minor-faults"], arguments)
    return [(float(re.search(r"^workload (\S+)", said, re.MULTILINE).group(1)), faults)]


def faults_per_cpu_second(bench, arguments):
    (faults, task_clock_ms), _ = bench.perf_stat(["minor-faults", "task-clock"], arguments)
    return faults / task_clock_ms * 1000


def stress_ng(words):
    return ["stress-ng", "--temp-path", tempfile.gettempdir(), *words.split()]


def stress_pair(words, does):
    ours = ["workload", "page-fault1", "--thp", "never", "--runtime", "1", "--warm-up", "0"]
    return Pair("`A page-fault1 --thp never`, per CPU second", "faults",
                lambda b: faults_per_cpu_second(b, [b.agent, *ours]),
                lambda b: faults_per_cpu_second(b, stress_ng(words)),
                f"`stress-ng {words}`, {does}")


def swap_count(bench):
    with counted("pgsteal_anon", "pswpout") as grown:
        ours = bench.workload(f"swap-w-seq --size {BEYOND} --content random", limited=True)
    return [(ours["swapped_out"], grown[0]), (ours["swapped_out"], grown[1])]


def rounds_pair(direction, content):
    bench_run = f"swap{direction}-seq --rounds 3 --content {content}"

    def ours(bench):
        bench.need_swap()
        return bench.workload(bench_run)["mean"] / 1000

    def independent(bench):
        bench.need_swap()
        return bench.loop(f"swap-rounds {direction} {LIMIT} 3 {content}") / 1000

    does = "`madvise(21)` over 256 MiB" if direction == "out" else "reading `m[::4096]`"
    return Pair(f"`A {bench_run}`", "ms", ours, independent, f"Python, {does}")


def pageout_rate(bench):
    bench.need_swap()
    return bench.workload("swapout-seq --rounds 3 --content random")["throughput"] * 1024 / PAGE


def pageswap_rate(bench):
    bench.need_swap()
    with counted("pswpout") as grown:
        bench.run(stress_ng("--pageswap 1 -t 2"))
    return grown[0] / bench.wall


def dd_of_file(bench):
    with tempfile.NamedTemporaryFile(dir="/var/tmp") as holes:
        holes.truncate(FILE)
        return bench.dd([f"if={holes.name}", "of=/dev/null", "bs=4k"], limited=True)


def reclaimed(name):
    def measure(bench):
        with counted("pgsteal_file") as grown:
            ours = bench.workload(f"{name} --size {FILE} --dir /var/tmp", limited=True)
        return [(ours["reclaimed"], grown[0])]

    return measure


def gnu_time(bench, arguments):
    """Its user and elapsed seconds, and what it said."""
    with tempfile.NamedTemporaryFile("r") as times:
        said = bench.run(["/usr/bin/time", "-f", "%U %e", "-o", times.name, *arguments],
                         pinned=False)
        user, elapsed = times.read().split()
    return float(user), float(elapsed), said


def result(said, name):
    return float(re.search(rf"^{name}(?:-\d+)? (\S+)", said, re.MULTILINE).group(1))


def compile_once(bench):
    with tempfile.TemporaryDirectory() as directory:
        source = pathlib.Path(directory, "many.c")
        source.write_text("".join(
            f"int f{i}(int *a, int n) {{ int s = {i}; for (int k = 0; k < n; ++k) "
            f"s = s * {i + 3} + a[k] / ({i} + k); return s; }}\n" for i in range(300)))
        compiler = ["gcc", "-O2", "-c", str(source), "-o", f"{directory}/many.o"]
        said = bench.run([bench.agent, "workload", "memcg-build", "--", *compiler], pinned=False)
        user, elapsed, _ = gnu_time(bench, compiler)
    return [(result(said, "user"), user), (result(said, "elsp"), elapsed)]


def build_tree(bench):
    user, elapsed, said = gnu_time(bench, [bench.agent, "workload", "memcg-build", "--files", "12"])
    return [(result(said, "user"), user), (result(said, "elsp"), elapsed)]


def truncate_median(bench):
    with tempfile.NamedTemporaryFile("r") as single:
        bench.workload("sparsetruncate", environment={"REGRESS_OBSERVATIONS": single.name})
        values = [line.split()[-1] for line in single if line.strip() and line[0] != "#"]
    return statistics.median(map(float, values))


def limited_rate(workload):
    """KB a second of a workload in the cgroup."""
    return lambda bench: bench.workload(workload, limited=True)["throughput"]


def pairs():
    beyond = f"--size {BEYOND // MIB}m"
    file_size = f"--size {FILE // MIB}m"
    return [
        fault_pair(1, "anonymous"),
        fault_pair(2, "private"),
        fault_pair(3, "shared"),
        Joint(fault_count, ("`A page-fault1 --thp never --warm-up 0`, count", "pages",
                            "`perf stat -e minor-faults` over all of it, start and end, too")),
        stress_pair("--vm 1 --vm-bytes 128m --vm-method write64 --vm-madvise nohugepage -t 2",
                    "which also fills and checks each page"),
        stress_pair("--fault 1 -t 1", "each of whose faults opens, maps and removes a file"),
        Pair(f"`A swap-w-seq {beyond} --content zero`", "KB/s",
             limited_rate(f"swap-w-seq {beyond} --content zero"),
             lambda b: b.dd(["if=/dev/zero", "of=/dev/null", f"bs={BEYOND}", "count=1"],
                            limited=True),
             "`dd if=/dev/zero of=/dev/null bs=512M count=1`, whose buffer goes beyond the limit"),
        Pair(f"`A swap-w-seq {beyond} --content random`", "KB/s",
             limited_rate(f"swap-w-seq {beyond} --content random"),
             lambda b: b.loop(f"swap-write {BEYOND}", limited=True),
             "Python copying a random MiB over and over into an `mmap`"),
        Joint(swap_count, (f"`A swap-w-seq {beyond} --content random`, swapped out", "pages",
                           "`pgsteal_anon` of `/proc/vmstat`"),
              ("the same", "pages", "`pswpout` of `/proc/vmstat`")),
        Pair(f"`A swap-r-seq {beyond} --content random`", "KB/s",
             limited_rate(f"swap-r-seq {beyond} --content random"),
             lambda b: b.loop(f"swap-read {BEYOND}", limited=True),
             "Python, `madvise(21)`, reading `m[::8]`"),
        rounds_pair("out", "zero"),
        rounds_pair("out", "random"),
        Pair("`A swapout-seq --rounds 3 --content random`, a second", "pages",
             pageout_rate, pageswap_rate,
             "`stress-ng --pageswap 1 -t 2`, by `pswpout`, which reads all of them back in that "
             "time"),
        rounds_pair("in", "zero"),
        rounds_pair("in", "random"),
        Pair(f"`A lru-file-readonce {file_size}`", "KB/s",
             limited_rate(f"lru-file-readonce {file_size} --dir /var/tmp"),
             dd_of_file, "`dd bs=4k` of a file of holes"),
        Joint(reclaimed("lru-file-readonce"),
              ("the same, reclaimed", "pages", "`pgsteal_file` of `/proc/vmstat`")),
        Pair(f"`A lru-file-mmap-read {file_size}`", "KB/s",
             limited_rate(f"lru-file-mmap-read {file_size} --dir /var/tmp"),
             lambda b: b.loop(f"file-read {FILE}", limited=True,
                              environment={"TMPDIR": "/var/tmp"}),
             "Python reading `m[::8]`"),
        Joint(reclaimed("lru-file-mmap-read"),
              ("the same, reclaimed", "pages", "`pgsteal_file` of `/proc/vmstat`")),
        Joint(compile_once, ("`A memcg-build -- gcc -O2 -c F`, user", "s", "GNU time"),
              ("the same, elapsed", "s", "GNU time")),
        Joint(build_tree, ("`A memcg-build --files 12`, user", "s", "GNU time around all of it"),
              ("the same, elapsed", "s", "GNU time around all of it")),
        Pair("`A sparsetruncate`, median", "us", truncate_median,
             lambda b: b.loop(f"truncate 256 {4 * MIB}"), "Python timing `os.ftruncate`"),
    ]


def number(value):
    if value >= 1e6:
        return f"{value / 1e6:.3g}M" if value < 1e9 else f"{value:.3g}"
    return f"{value / 1e3:.4g}k" if value >= 1e4 else f"{value:.4g}"


def cell(values, exact):
    form = (lambda v: f"{v:.0f}") if exact else number
    return f"{form(statistics.median(values))} ({form(min(values))}-{form(max(values))})"


def table_line(row, values, failures, repeats):
    title, unit, words = row
    lost = f"; {len(failures)} of {repeats} runs failed: {failures[-1]}" if failures else ""
    if not values:
        return f"| {title} | not measured: {failures[-1]} | {words} | |"
    ours, independent = zip(*values)
    # Counts are worth every digit.
    exact = unit == "pages"
    ratios = [a / b for a, b in values if b]
    ratio = (f"{statistics.median(ratios):.4g} ({min(ratios):.4g}-{max(ratios):.4g})" if ratios
             else "none: the other is 0")
    beside = f"{cell(independent, exact)}: {words}"
    return f"| {title} | {cell(ours, exact)} {unit}{lost} | {beside} | {ratio} |"


def print_table(bench, repeats):
    asked = pairs()
    values = [[[] for _ in pair.rows] for pair in asked]
    failures = [[] for _ in asked]
    load = open("/proc/loadavg").read().split()[0]
    for sweep in range(repeats):
        for index, pair in enumerate(asked):
            print(f"sweep {sweep + 1} of {repeats}: {pair.rows[0][0]}", file=sys.stderr)
            try:
                for row, both in enumerate(pair.measure(bench, sweep % 2 == 0)):
                    values[index][row].append(both)
            except NotMeasured as why:
                failures[index].append(str(why))
    setup = bench.setup
    print(f"{os.cpu_count()} CPUs, {os.uname().sysname} {os.uname().release}, "
          f"{os.sysconf('SC_PHYS_PAGES') * PAGE / 1e9:.0f} GB; load at the start {load}; "
          + (f"swap on {setup.swap_kind}, {LIMIT // MIB} MiB by `{setup.limit_file}`" if setup
             else "no swap") + f"; {repeats} sweeps.\n")
    print("| workload | ours | independent | ours / independent |\n| --- | --- | --- | --- |")
    for index, pair in enumerate(asked):
        for row, of_row in zip(pair.rows, values[index]):
            print(table_line(row, of_row, failures[index], repeats))


def check_counts(bench):
    """Compares what needs no rights and no quiet machine. Returns the disagreements."""
    wrong = []

    def compare(what, ours, kernel, start, late=1.0):
        # The kernel also counts the program's own start.
        agrees = ours <= kernel <= late * ours + start
        verdict = "agree" if agrees else "DISAGREE"
        print(f"{what}: ours {ours:.6g}, the kernel {kernel:.6g}: {verdict}")
        if not agrees:
            wrong.append(what)

    # Tasks write on between the end of the window and the word to stop, which on a busy machine
    # comes late.
    for name in ("page-fault1 --thp never", "page-fault2"):
        said = bench.workload(f"{name} --size 4m --warm-up 0 --runtime 0.5")
        compare(f"faults of {name}", said["workload"], bench.usage.ru_minflt, 5000, late=1.5)
    spin = "import time\nwhile time.process_time() < 1: pass"
    said = bench.run([bench.agent, "workload", "memcg-build", "--", sys.executable, "-c", spin])
    used = bench.usage.ru_utime + bench.usage.ru_stime
    compare("CPU seconds of memcg-build", result(said, "user") + result(said, "syst"), used, 0.2)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin-dir", default="build/release/bin", help="where regress-agent is")
    parser.add_argument("--repeats", type=int, default=5, help="sweeps over all pairs (5)")
    parser.add_argument("--swap", choices=["zram", "file"], help="zram where the kernel has it")
    parser.add_argument("--check", action="store_true", help="only compare counts; no table")
    options = parser.parse_args()

    def leave(signum, _):
        raise SystemExit(128 + signum)

    for signum in SIGNALS:
        signal.signal(signum, leave)
    if options.check:
        raise SystemExit(1 if check_counts(Bench(options.bin_dir, None)) else 0)
    if os.geteuid() != 0:
        print_table(Bench(options.bin_dir, None), options.repeats)
        return
    with Setup(LIMIT, 2048 * MIB, options.swap) as setup:
        print_table(Bench(options.bin_dir, setup), options.repeats)


if __name__ == "__main__":
    main()
