"""Campaigns: a worker tries case after case and says which one it is at; when it dies, the case is kept.

A case follows from its target, seed and number, so the parent can make it again after the worker has crashed.
"""

import contextlib
import hashlib
import json
import mmap
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

CRASHES = Path(__file__).parents[1] / "crashes"
CPU_SECONDS = 60  # of one case
WALL_SECONDS = 600  # of one case, on a machine that may be busy
MEMORY = 6 << 30  # bytes of address space of a worker
GROWTH = 500  # megabytes that a case may add to the largest memory of its worker; all cases are far smaller
EXTENSION = ".case"


@dataclass
class Result:
    """What came of the cases of one target."""

    target: str
    seed: int
    cases: int = 0
    seconds: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, str]] = field(default_factory=list)  # the number of a case, and what happened


def make_case(target: str, seed: int, number: int) -> dict[str, bytes]:
    from tests.fuzz.targets import TARGETS

    return TARGETS[target].make(random.Random(f"{target} {seed} {number}"))


def scratch() -> Path:
    """Make a folder in memory, where the system has such a place."""
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="doc2vecc-fuzz-", dir=memory if os.access(memory, os.W_OK) else None))


def work(target: str, seed: int, first: int, last: int, seconds: float, place: Path) -> None:
    """Try cases in this process; the line of a failure goes to stdout, the number of the case into a mapped file."""
    import resource  # Unix has it

    from tests.fuzz.targets import try_case

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    folder = place / "case"
    folder.mkdir(exist_ok=True)
    outcomes: Counter[str] = Counter()

    def largest_memory() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10  # of kilobytes, on Linux

    until = time.monotonic() + seconds
    with (place / "state").open("r+b") as file, mmap.mmap(file.fileno(), 8) as state:
        for number in range(first, last):
            state[:] = struct.pack("<q", number)
            if time.monotonic() > until:
                break
            signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)  # ends a process that computes for so long
            before = largest_memory()
            try:
                outcomes[try_case(target, make_case(target, seed, number), folder)] += 1
                if (growth := largest_memory() - before) > GROWTH:
                    raise AssertionError(f"{growth} MB of memory")
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
                where = traceback.extract_tb(error.__traceback__)[-1]
                line = f"{type(error).__name__}: {str(error)[:300]} ({Path(where.filename).name}:{where.lineno})"
                print(json.dumps([number, line]), flush=True)
                outcomes["failed"] += 1
        else:
            state[:] = struct.pack("<q", last)
    print(json.dumps(outcomes), flush=True)


def run(target: str, *, seed: int = 0, seconds: float = 600, cases: int = 1 << 40, at_once: int = 2000) -> Result:
    """Try cases in child processes until the time is over, or so many have been tried."""
    result = Result(target, seed)
    started = time.monotonic()
    place = scratch()
    number = 0
    try:
        while number < cases and time.monotonic() - started < seconds:
            number = _run_worker(result, number, min(number + at_once, cases), place, started + seconds)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    result.cases, result.seconds = number, time.monotonic() - started
    return result


def _run_worker(result: Result, first: int, last: int, place: Path, until: float) -> int:
    """Let one child try some cases -> the number of the next one."""
    state = place / "state"
    state.write_bytes(struct.pack("<q", first))
    output = place / "stdout"
    numbers = map(str, (result.seed, first, last, max(0.0, until - time.monotonic())))
    command = [sys.executable, "-m", "tests.fuzz", "--work", result.target, *numbers, str(place)]
    with output.open("wb") as out, subprocess.Popen(command, stdout=out, cwd=CRASHES.parents[1]) as child:
        at, since = first, time.monotonic()
        while child.poll() is None:
            time.sleep(0.05)
            (now,) = struct.unpack("<q", state.read_bytes())
            if now != at:
                at, since = now, time.monotonic()
            if time.monotonic() - since > WALL_SECONDS:
                child.kill()
                child.wait()
                result.failures.append((at, f"no answer in {WALL_SECONDS} s"))
    (at,) = struct.unpack("<q", state.read_bytes())
    for line in output.read_text().splitlines():
        with contextlib.suppress(json.JSONDecodeError):
            found = json.loads(line)
            if isinstance(found, list):
                result.failures.append((found[0], found[1]))
            else:
                result.outcomes.update(found)
    if child.returncode == 0:
        return int(at)
    if child.returncode != -signal.SIGKILL:
        name = signal.Signals(-child.returncode).name if child.returncode < 0 else f"exit code {child.returncode}"
        result.failures.append((at, name))
    return at + 1


# ---- cases that are kept


def keep(target: str, case: dict[str, bytes], what: str, folder: Path = CRASHES) -> Path:
    """Write a case as one file: a line of JSON with its target and the sizes of its files, then the files."""
    header = {"target": target, "what": what, "files": {name: len(data) for name, data in case.items()}}
    data = json.dumps(header).encode() + b"\n" + b"".join(case.values())
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{target}-{hashlib.blake2b(data, digest_size=6).hexdigest()}{EXTENSION}"
    path.write_bytes(data)
    return path


def kept(path: Path) -> tuple[str, dict[str, bytes]]:
    """Read a case that was kept -> target, files."""
    line, _, data = path.read_bytes().partition(b"\n")
    header = json.loads(line)
    case, position = {}, 0
    for name, size in header["files"].items():
        case[name] = data[position : position + size]
        position += size
    return header["target"], case
