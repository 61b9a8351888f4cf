"""Real commands, killed at random moments: training with checkpoints, embedding, saving."""

import contextlib
import os
import random
import shutil
import signal
import time
from collections import Counter
from pathlib import Path

from doc2vecc import storage
from doc2vecc.cli import main
from doc2vecc.files import remove_leftovers
from tests.cli.commands import sentences

TRAIN = ["train", "reviews.txt", "-o", "m.d2v", "--vector-size", "16", "--workers", "1", "--epochs", "60"]
TRAIN += ["--checkpoint-every", "0.01s", "--resume"]
EMBED = ["embed", "expected.d2v", "many.txt", "-o", "v.npy", "--force", "--workers", "1"]


def run_child(arguments: list[str], kill_after: float | None, number: int) -> int:
    """Run a command in a child; it is sent a signal after some seconds -> its exit code, negative for a signal."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            code = main(arguments)
        finally:
            os._exit(code)
    if kill_after is not None:
        time.sleep(kill_after)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill_at_random(folder: Path, trials: int, seed: int = 0) -> Counter[str]:
    """Kill commands at random moments, and check after each what is left -> what was met."""
    met: Counter[str] = Counter()
    draw = random.Random(seed)
    os.chdir(folder)
    Path("reviews.txt").write_text("".join(f"{text}\n" for _, text in sentences(400)))
    Path("many.txt").write_text(Path("reviews.txt").read_text() * 50)
    assert main(TRAIN[: TRAIN.index("--checkpoint-every")]) == 0
    Path("m.d2v").rename("expected.d2v")
    assert main(EMBED) == 0
    expected = Path("expected.d2v/model.safetensors").read_bytes()
    vectors = Path("v.npy").read_bytes()
    known = {"reviews.txt", "many.txt", "expected.d2v", "v.npy", "m.d2v", "m.d2v.checkpoint"}
    started = time.monotonic()
    assert run_child(TRAIN, None, 0) == 0
    longest = time.monotonic() - started
    for _ in range(trials):
        number = draw.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM))
        if draw.random() < 0.7:
            shutil.rmtree("m.d2v", ignore_errors=True)
            code = run_child(TRAIN, draw.random() * longest, number)
            met[f"train, {'ended' if code == 0 else signal.Signals(abs(code) % 128).name}"] += 1
            assert code in (0, -number, 128 + number)
            if Path("m.d2v").exists():
                assert Path("m.d2v/model.safetensors").read_bytes() == expected
            if Path("m.d2v.checkpoint").exists():
                storage.load("m.d2v.checkpoint")
        else:
            Path("v.npy").write_bytes(b"old")
            code = run_child(EMBED, draw.random() * longest, number)
            met[f"embed, {'ended' if code == 0 else signal.Signals(abs(code) % 128).name}"] += 1
            assert code in (0, -number, 128 + number)
            assert Path("v.npy").read_bytes() in (b"old", vectors)
        remove_leftovers(Path())
        assert {path.name for path in Path().iterdir()} <= known, sorted(Path().iterdir())
    shutil.rmtree("m.d2v", ignore_errors=True)
    assert run_child(TRAIN, None, 0) == 0
    assert Path("m.d2v/model.safetensors").read_bytes() == expected
    assert not Path("m.d2v.checkpoint").exists()
    return met
