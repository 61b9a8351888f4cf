"""The cost of a word of training in instructions and bytes, beside the limits of one core.

    python -m benchmarks.limits        needs valgrind for the instructions

A word reads and writes some rows of two tables, and does arithmetic on them. *Rows per word* follows from the
settings. Instructions are counted by callgrind, as the difference between two trainings of different length, so
that start and compilation do not count. The limits are measured beside it: cycles per second, and the bytes per
second of a loop that only multiplies rows, drawn at random from a few that stay in the cache, from tables as large
as those of training, and from a million. Three ways to draw negative samples are timed too.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import contestants, material
from benchmarks.contestants import config
from doc2vecc.config import TrainingConfig
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.kernels.base.compile import kernel
from doc2vecc.kernels.base.instructions import LANES
from doc2vecc.kernels.base.random import State, next_below
from doc2vecc.kernels.base.rows import Table, prefetch_vector, scale_row
from doc2vecc.kernels.base.sampling import AliasTable, draw_alias
from doc2vecc.kernels.training.start import alias_table
from doc2vecc.training.trainer import train
from doc2vecc_paper.environment import machine

ROUNDS = 5
_ROWS_AHEAD = 4
_CACHED_ROWS = 500

_TRAIN = """
import sys
from benchmarks.contestants import config
from benchmarks.material import synthetic
from doc2vecc.training.trainer import train
from doc2vecc.kernels.training.start import alias_table
vocabulary, documents, length, epochs = map(int, sys.argv[1:])
train(synthetic(vocabulary, documents, length), config(1, epochs=epochs))
"""
_DISTINCT, _DOCUMENTS, _LENGTH = 40_000, 400, 250
_EPOCHS = (1, 3)


def rows_per_word(corpus: EncodedCorpus, setting: TrainingConfig) -> dict[str, float]:
    """Count the rows that a target reads and writes on average, by what they are."""
    lengths = np.diff(corpus.offsets).astype(float)
    blocks = np.maximum(setting.keep * lengths // (3 * setting.shared_targets), 1)
    survivors = setting.keep * lengths / (setting.shared_targets * blocks)
    return {
        "words of the corrupted document": float(np.average(survivors, weights=lengths)),
        "target": 1.0,
        "negative samples": setting.negative / setting.shared_targets,
        "local words": (1 - setting.document_only) * (setting.window + 1),
    }


@kernel
def chain(value: np.uint64, steps: int) -> np.uint64:
    """Do ``steps`` times six operations of one cycle each, none of which can begin before the last has ended."""
    for _ in range(steps):
        value ^= value << np.uint64(13)
        value ^= value >> np.uint64(7)
        value ^= value << np.uint64(17)
    return value


@kernel
def touch_rows(table: Table, order: npt.NDArray[np.int32], factor: float) -> None:
    """Read and write one row after the other, each asked for some rows ahead."""
    last = order.shape[0] - 1
    for place in range(order.shape[0]):
        prefetch_vector(table, order[min(place + _ROWS_AHEAD, last)])
        scale_row(table, order[place], factor)


def best_seconds(work: Callable[[], object]) -> float:
    """Measure the shortest of several rounds, after one that compiles."""
    work()
    seconds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def cycles_per_second() -> float:
    """Measure the clock of the core."""
    steps = 20_000_000
    return 6 * steps / best_seconds(lambda: chain(np.uint64(1), steps))


def bytes_per_second(n_rows: int, columns: int) -> float:
    """Measure how fast rows of a table are read and written in random order."""
    table = np.ones((n_rows, columns), np.float32)
    order = np.random.default_rng(0).integers(0, n_rows, 500_000).astype(np.int32)
    return 2 * 4 * columns * len(order) / best_seconds(lambda: touch_rows(table, order, 1.0))


@kernel
def draw_from_alias(state: State, alias: AliasTable, draws: int) -> int:
    """Draw negative samples as training does."""
    total = 0
    for _ in range(draws):
        total += draw_alias(state, alias)
    return total


@kernel
def draw_from_table(state: State, table: Any, draws: int) -> int:  # noqa: ANN401 - an array of int32
    """Draw negative samples from a table in which each stands in proportion to its weight, as word2vec does."""
    total = 0
    for _ in range(draws):
        total += table[next_below(state, table.shape[0])]
    return total


def draw_times(corpus: EncodedCorpus, setting: TrainingConfig) -> dict[str, float]:
    """Measure nanoseconds per negative sample: by alias, and from tables of two sizes; best of several rounds."""
    weights = corpus.vocabulary.negative_weights(setting.ns_exponent)
    state, draws = np.array([1, 2], np.uint64), 2_000_000
    alias = alias_table(weights)
    ways = {"alias method": partial(draw_from_alias, state, alias, draws)}
    for size in (1_000_000, 100_000_000):
        bounds = np.searchsorted(np.cumsum(weights) / weights.sum(), (np.arange(size) + 0.5) / size)
        ways[f"table of {size:,}"] = partial(draw_from_table, state, bounds.astype(np.int32), draws)
    return {name: best_seconds(draw) / draws * 1e9 for name, draw in ways.items()}


def instructions_per_word() -> float | None:
    """Count instructions with callgrind, compiled for a processor that it knows; None without valgrind."""
    if shutil.which("valgrind") is None:
        return None
    environment = {**os.environ, "NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma"}
    counts = []
    with tempfile.TemporaryDirectory() as folder:
        for epochs in _EPOCHS:
            command = [sys.executable, "-c", _TRAIN, *map(str, (_DISTINCT, _DOCUMENTS, _LENGTH, epochs))]
            subprocess.run(command, env=environment, check=True, cwd=Path(__file__).parents[1])  # compiles
            output = Path(folder) / str(epochs)
            watched = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", *command]
            subprocess.run(watched, env=environment, check=True, cwd=Path(__file__).parents[1], capture_output=True)
            counts.append(int(re.findall(r"^(?:summary|totals): (\d+)", output.read_text(), re.MULTILINE)[-1]))
    return (counts[1] - counts[0]) / ((_EPOCHS[1] - _EPOCHS[0]) * _DOCUMENTS * _LENGTH)


def seconds_per_word(corpus: EncodedCorpus, setting: TrainingConfig) -> float:
    """Train several times, and return the shortest time of a word."""
    epochs = [train(corpus, setting).model.record.history[0] for _ in range(ROUNDS)]
    return min(epoch.seconds / epoch.words for epoch in epochs)


def measure() -> dict[str, Any]:
    """All values, for one worker."""
    setting = config(1)
    with tempfile.TemporaryDirectory() as folder:
        corpus = contestants.encoded(material.load(Path(folder), 25_000))
    rows = rows_per_word(corpus, setting)
    columns = -(-setting.dim // LANES) * LANES
    row_bytes = 2 * 4 * columns * sum(rows.values())
    cycles = cycles_per_second()
    seconds = seconds_per_word(corpus, setting)
    synthetic_seconds = seconds_per_word(material.synthetic(_DISTINCT, 20 * _DOCUMENTS, _LENGTH), setting)
    instructions = instructions_per_word()
    return {
        "GHz": cycles / 1e9,
        "rows per word": rows,
        "bytes read and written per word": row_bytes,
        "nanoseconds per word": seconds * 1e9,
        "GB/s of training": row_bytes / seconds / 1e9,
        "GB/s of rows at random": {
            f"{n_rows:,} rows": bytes_per_second(n_rows, columns) / 1e9
            for n_rows in (_CACHED_ROWS, 2 * len(corpus.vocabulary), 1_000_000)
        },
        "instructions per word, synthetic text": instructions,
        "nanoseconds per word, synthetic text": synthetic_seconds * 1e9,
        "instructions per cycle": instructions and instructions / (synthetic_seconds * cycles),
        "nanoseconds per negative sample": draw_times(corpus, setting),
    }


def main() -> None:
    result = {"machine": machine(), **measure()}
    print(json.dumps(result, indent=1))
    today = datetime.datetime.now(tz=datetime.UTC).date()
    path = Path(__file__).parent / "results" / f"limits-{today}.json"
    path.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
