"""``python -m tests.faults.interrupts``: Ctrl-C at random moments of real commands, and how long each takes to end.

Moments and delays are measured in the computing time of the process, which a busy machine does not change; the time on
the wall is given too.
"""

import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from doc2vecc.kernels.base.cache import CACHE_VARIABLE

TICKS = os.sysconf("SC_CLK_TCK")
TRAIN = ("train", "texts.txt", "-o", "m.d2v", "--workers", "1", "--vector-size", "100", "--epochs", "2", "--force")
# What is run, and whether it has to compile first.
SCENARIOS = {
    "compile and train": (TRAIN, True),
    "train": (TRAIN, False),
    "train with n-grams": ((*TRAIN, "--ngram-range", "1", "2"), False),
    "embed": (("embed", "model.d2v", "texts.txt", "-o", "v.npy", "--workers", "1", "--force"), False),
}


def write_texts(path: Path, documents: int) -> None:
    """Write texts with a vocabulary as texts have it: few frequent words, many rare ones."""
    draw = random.Random(0)
    words = [f"{draw.choice('bcdfgklmnprst')}{draw.choice('aeiou')}{number:x}" for number in range(50_000)]
    with path.open("w") as file:
        for _ in range(documents):
            numbers = (int(50_000 ** draw.random()) - 1 for _ in range(80))
            file.write(" ".join(words[number] for number in numbers) + "\n")


def computed(process: int) -> float:
    """Return the computing time of a process so far, in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def run(
    arguments: tuple[str, ...], cache: Path, interrupt_at: float = float("inf")
) -> tuple[float, tuple[float, float] | None]:
    """Run a command, with Ctrl-C after some seconds of computing -> computing time, and delays: computing, by the wall.

    A command that ends before has no delays.
    """
    command = [sys.executable, "-m", "doc2vecc", *arguments]
    environment = {**os.environ, CACHE_VARIABLE: str(cache)}
    child = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    at, sent = 0.0, 0.0
    while os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        at = computed(child.pid)
        if at >= interrupt_at:
            child.send_signal(signal.SIGINT)
            sent = time.monotonic()
            break
        time.sleep(0.002)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    # The signal itself ends a process that has not got as far as our code.
    assert child.returncode in (0, -signal.SIGINT, 128 + signal.SIGINT), child.returncode
    total = usage.ru_utime + usage.ru_stime
    return total, (total - at, time.monotonic() - sent) if child.returncode != 0 else None


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.interrupts", description=__doc__)
    parser.add_argument("commands", nargs="*", choices=[*SCENARIOS, []], help="default: all")
    parser.add_argument("--tries", type=int, default=20, help="of each command (20)")
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--verbose", action="store_true", help="print each delay")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it may be ignored, and by children
    draw = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="doc2vecc-interrupts-") as folder:
        os.chdir(folder)
        write_texts(Path("texts.txt"), arguments.documents)
        warm = Path(folder) / "warm"
        if not all(SCENARIOS[name][1] for name in arguments.commands or SCENARIOS):
            run((*TRAIN[:3], "model.d2v", *TRAIN[4:]), warm)
        for name in arguments.commands or SCENARIOS:
            command, is_cold = SCENARIOS[name]
            caches = iter(Path(folder) / f"{name}-{number}" if is_cold else warm for number in range(10**6))
            longest, *_ = run(command, next(caches))
            delays = []
            for _ in range(arguments.tries):
                at = draw.random() * longest
                _, delay = run(command, next(caches), at)
                if delay is not None:
                    delays.append(delay)
                if arguments.verbose:
                    said = (
                        "it had ended"
                        if delay is None
                        else f"{delay[0]:.2f} s of computing, {delay[1]:.2f} on the wall"
                    )
                    print(f"{name}, after {at:.2f} s: {said}", flush=True)
            if not delays:
                raise SystemExit(f"{name}: no try was interrupted before its end; give more --tries")
            computing, wall = zip(*delays, strict=True)
            print(f"{name} ({longest:.1f} s of computing), {len(delays)} times Ctrl-C: ends after "
                  f"{statistics.median(computing):.2f} s of computing, at most {max(computing):.2f}; on the wall "
                  f"{statistics.median(wall):.2f} and {max(wall):.2f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
