"""Training with checkpoints, embedding and saving, killed at random moments."""

import contextlib
import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from doc2vecc import storage
from doc2vecc.cli import main
from doc2vecc.files import remove_leftovers
from doc2vecc.model import Model
from tests.cli.commands import sentences
from tests.faults.steps import model, state_of

TRAIN = ["train", "reviews.txt", "-o", "m.d2v", "--vector-size", "16", "--workers", "1", "--epochs", "60"]
TRAIN += ["--checkpoint-every", "0.01s", "--resume"]
EMBED = ["embed", "expected.d2v", "many.txt", "-o", "v.npy", "--force", "--workers", "1"]
SAVED = Path("saved.d2v")


def run_child(act: Callable[[], int], kill_after: float | None, number: int) -> int:
    """Do something in a child; it is sent a signal after some seconds -> its exit code, negative for a signal."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            code = act()
        finally:
            os._exit(code)
    if kill_after is not None:
        time.sleep(kill_after)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def save_often(models: list[Model]) -> int:
    """Replace a model by another one, twenty times."""
    for one in models * 10:
        storage.save(one, SAVED)
    return 0


def prepare(folder: Path) -> None:
    """Write the texts, the model and the vectors that all trials expect."""
    os.chdir(folder)
    Path("reviews.txt").write_text("".join(f"{text}\n" for _, text in sentences(400)))
    Path("many.txt").write_text(Path("reviews.txt").read_text() * 50)
    assert main(TRAIN[: TRAIN.index("--checkpoint-every")]) == 0
    Path("m.d2v").rename("expected.d2v")
    assert main(EMBED) == 0


def kill_at_random(folder: Path, kills: int, seed: int = 0) -> Counter[str]:
    """Kill commands at random moments of their running time, and check after each what is left -> what was met.

    A command that ends before its signal arrives is counted as ended, and does not count as a kill.
    """
    met: Counter[str] = Counter()
    draw = random.Random(seed)
    prepare(folder)
    expected = Path("expected.d2v/model.safetensors").read_bytes()
    vectors = Path("v.npy").read_bytes()
    models = [model(0), model(1)]
    actions = {"train": lambda: main(TRAIN), "embed": lambda: main(EMBED), "save": lambda: save_often(models)}
    lasts = {}
    for name, act in actions.items():
        started = time.monotonic()
        assert run_child(act, None, 0) == 0
        lasts[name] = time.monotonic() - started
    known = {path.name for path in Path().iterdir()} | {"m.d2v.checkpoint"}
    saved = []
    for one in models:
        storage.save(one, SAVED)
        saved.append(state_of(SAVED))
    landed = 0
    while landed < kills:
        number = draw.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM))
        (name,) = draw.choices(list(actions), (6, 3, 1))
        if name == "train":
            shutil.rmtree("m.d2v", ignore_errors=True)
        Path("v.npy").write_bytes(b"old")
        code = run_child(actions[name], draw.random() * lasts[name], number)
        assert code in (0, -number, 128 + number)
        landed += code != 0
        met[f"{name}, {'ended' if code == 0 else signal.Signals(abs(code) % 128).name}"] += 1
        if Path("m.d2v").exists():
            assert Path("m.d2v/model.safetensors").read_bytes() == expected
        if Path("m.d2v.checkpoint").exists():
            storage.load("m.d2v.checkpoint")
        assert Path("v.npy").read_bytes() in (b"old", vectors)
        remove_leftovers(Path())
        assert state_of(SAVED) in saved
        assert {path.name for path in Path().iterdir()} <= known, sorted(Path().iterdir())
    shutil.rmtree("m.d2v", ignore_errors=True)
    assert run_child(actions["train"], None, 0) == 0
    assert Path("m.d2v/model.safetensors").read_bytes() == expected
    assert not Path("m.d2v.checkpoint").exists()
    return met
