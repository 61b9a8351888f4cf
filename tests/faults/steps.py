"""What is written is interrupted before each of its calls to the operating system, in a child process each time.

Afterwards the old state or the new one must be there, and nothing else once the next program has started.
"""

import contextlib
import errno
import os
import signal
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from doc2vecc import storage
from doc2vecc.errors import OutputError
from doc2vecc.files import atomic_write, remove_folder, remove_leftovers
from doc2vecc.model import Model

MODULES = ("posix", "nt", "fcntl", "_io")  # whose functions and objects reach the operating system
FAILED = 3  # exit code of a child that met the error it was given
State = dict[str, bytes] | None  # the files of a folder; None: it is not there


class Scenario(NamedTuple):
    """What is there before, and what is done."""

    prepare: Callable[[Path], None]
    act: Callable[[Path], None]


def model(seed: int) -> Model:
    sound = storage.load(Path(__file__).parents[1] / "models" / "words.d2v")
    vectors = np.random.default_rng(seed).random(sound.word_vectors.shape, np.float32)
    return Model(sound.vocabulary, vectors, sound.dim, outputs=vectors, tokenizer=sound.tokenizer)


def _write(path: Path, data: bytes) -> None:
    with atomic_write(path) as file:
        for start in range(0, len(data), 1000):
            file.write(data[start : start + 1000])


def scenarios() -> dict[str, Scenario]:
    old, new = model(0), model(1)

    def save_old(place: Path) -> None:
        storage.save(old, place / "m.d2v", {"checkpoint.json": "{}"})

    return {
        "save": Scenario(lambda _: None, lambda place: storage.save(new, place / "m.d2v")),
        "replace": Scenario(save_old, lambda place: storage.save(new, place / "m.d2v")),
        "remove": Scenario(save_old, lambda place: remove_folder(place / "m.d2v")),
        "write": Scenario(lambda _: None, lambda place: _write(place / "v.npy", b"new" * 1000)),
        "overwrite": Scenario(
            lambda place: _write(place / "v.npy", b"old" * 1000), lambda place: _write(place / "v.npy", b"new" * 1000)
        ),
    }


def state_of(place: Path) -> State:
    return {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


@contextlib.contextmanager
def interrupted_at(call: int, fault: int | OSError) -> Iterator[list[int]]:
    """Send a signal, or raise an error, before call number ``call`` to the operating system; gives a count of them."""
    count = [0]

    def watch(_frame: types.FrameType, event: str, function: object) -> None:
        owner = getattr(function, "__self__", None)
        module = getattr(function, "__module__", None) or type(owner).__module__
        if event != "c_call" or (module not in MODULES and getattr(owner, "__name__", None) not in MODULES):
            return
        if count[0] == call:
            sys.setprofile(None)
            if isinstance(fault, OSError):
                raise fault
            os.kill(os.getpid(), fault)
        count[0] += 1

    sys.setprofile(watch)
    try:
        yield count
    finally:
        sys.setprofile(None)


def count_calls(scenario: Scenario, place: Path) -> int:
    """Return how many calls there are to interrupt."""
    place.mkdir()
    scenario.prepare(place)
    with interrupted_at(-1, signal.SIGKILL) as count:
        scenario.act(place)
    return count[0]


def interrupt(scenario: Scenario, place: Path, call: int, fault: int | OSError) -> None:
    """Act in a child that meets a fault at one call, and check what it leaves."""
    place.mkdir()
    scenario.prepare(place)
    before = state_of(place)
    child = os.fork()
    if child == 0:
        code = 0
        try:
            with interrupted_at(call, fault):
                scenario.act(place)
        except (OSError, OutputError):
            code = FAILED
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if isinstance(fault, OSError):
        assert os.WIFEXITED(status), f"call {call}: {status}"
        assert os.WEXITSTATUS(status) in (0, FAILED), f"call {call}: {status}"
    else:
        assert os.WTERMSIG(status) == fault, f"call {call}: {status}"
    remove_leftovers(place)  # what every command that writes there does first
    after = state_of(place)
    scenario.act(place)
    assert after in (before, state_of(place)), f"call {call} left {sorted(after)}"


def faults() -> dict[str, int | OSError]:
    return {
        "SIGKILL": signal.SIGKILL,
        "SIGTERM": signal.SIGTERM,
        "ENOSPC": OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
        "EIO": OSError(errno.EIO, os.strerror(errno.EIO)),
    }


def run_scenario(scenario: Scenario, fault: int | OSError, folder: Path) -> int:
    """Interrupt a scenario at every call -> how many there are."""
    calls = count_calls(scenario, folder / "count")
    for call in range(calls):
        interrupt(scenario, folder / str(call), call, fault)
    return calls


def two_writers(folder: Path, rounds: int) -> int:
    """Let two processes replace the same model again and again; at the end one of both is there, and nothing else."""
    models = [model(seed) for seed in (1, 2)]
    expected = []
    for one in models:
        storage.save(one, folder / "expected" / "m.d2v")
        expected.append(state_of(folder / "expected"))
    place = folder / "place"
    children = []
    for one in models:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                for _ in range(rounds):
                    storage.save(one, place / "m.d2v")
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    assert state_of(place) in expected
    return 2 * rounds
