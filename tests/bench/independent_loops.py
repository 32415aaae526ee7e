"""Small loops over mmap that do what a workload of regress-agent does, to set its figure against.

    python3 independent_loops.py LOOP [ARGUMENT...]

Each prints one number. Slice assignments and slices of a mapping run in C.
"""

import mmap
import os
import statistics
import sys
import tempfile
import time

PAGE = mmap.PAGESIZE
MIB = 1 << 20
MADV_PAGEOUT = 21  # Linux 5.4; Python 3.11 has no name for it.


def anonymous(size):
    mapping = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    mapping.madvise(mmap.MADV_NOHUGEPAGE)
    return mapping


def faults(kind, seconds):
    """Pages written a second: of new mappings of 128 MiB, one after the other."""
    size = 128 * MIB
    ones = b"\1" * (size // PAGE)
    with tempfile.TemporaryFile() as holes:
        holes.truncate(size)
        make = {
            "anonymous": lambda: anonymous(size),
            "private": lambda: mmap.mmap(holes.fileno(), size, flags=mmap.MAP_PRIVATE),
            "shared": lambda: mmap.mmap(holes.fileno(), size, flags=mmap.MAP_SHARED),
        }[kind]

        def write_once():
            with make() as mapping:
                mapping[::PAGE] = ones

        write_once()
        pages = 0
        begin = time.monotonic()
        while time.monotonic() - begin < float(seconds):
            write_once()
            pages += len(ones)
        return pages / (time.monotonic() - begin)


def swap_write(size):
    """KB a second of random bytes copied to memory beyond the limit."""
    source = os.urandom(MIB)
    with anonymous(int(size)) as mapping:
        begin = time.monotonic()
        for offset in range(0, int(size), MIB):
            mapping[offset : offset + MIB] = source
        return int(size) / 1024 / (time.monotonic() - begin)


def filled(size, content):
    mapping = anonymous(size)
    for offset in range(0, size, MIB):
        mapping[offset : offset + MIB] = bytes(MIB) if content == "zero" else os.urandom(MIB)
    return mapping


def swap_read(size):
    """KB a second of random content read back from swap, each eighth byte."""
    with filled(int(size), "random") as mapping:
        mapping.madvise(MADV_PAGEOUT)
        begin = time.monotonic()
        for offset in range(0, int(size), MIB):
            mapping[offset : offset + MIB : 8]
        return int(size) / 1024 / (time.monotonic() - begin)


def swap_rounds(direction, size, rounds, content):
    """Mean microseconds of sending a mapping to swap, or of reading it back, a byte a page."""
    times = []
    for _ in range(int(rounds)):
        with filled(int(size), content) as mapping:
            begin = time.monotonic()
            mapping.madvise(MADV_PAGEOUT)
            if direction == "in":
                begin = time.monotonic()
                mapping[::PAGE]
            times.append((time.monotonic() - begin) * 1e6)
    return statistics.mean(times)


def file_read(size):
    """KB a second of a file of holes read through a mapping, each eighth byte."""
    with tempfile.TemporaryFile() as holes:
        holes.truncate(int(size))
        with mmap.mmap(holes.fileno(), int(size), access=mmap.ACCESS_READ) as mapping:
            begin = time.monotonic()
            for offset in range(0, int(size), MIB):
                mapping[offset : offset + MIB : 8]
            return int(size) / 1024 / (time.monotonic() - begin)


def truncate(files, size):
    """Median microseconds of truncating a file of holes whose pages are in the page cache."""
    times = []
    with tempfile.TemporaryDirectory() as directory:
        opened = []
        for i in range(int(files)):
            file = open(os.path.join(directory, str(i)), "w+b", buffering=0)
            file.truncate(int(size))
            while file.read(MIB):
                pass
            opened.append(file)
        for file in opened:
            begin = time.perf_counter_ns()
            os.ftruncate(file.fileno(), 0)
            times.append((time.perf_counter_ns() - begin) / 1000)
            file.close()
    return statistics.median(times)


LOOPS = {
    "faults": faults,
    "swap-write": swap_write,
    "swap-read": swap_read,
    "swap-rounds": swap_rounds,
    "file-read": file_read,
    "truncate": truncate,
}

if __name__ == "__main__":
    print(LOOPS[sys.argv[1]](*sys.argv[2:]))
