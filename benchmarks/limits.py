"""What a word of training costs: rows moved, instructions executed.

    python -m benchmarks.limits        needs valgrind for the instructions

A word costs reading and writing some rows of two tables, and some arithmetic on them. *Rows per word* follows from
the settings. Instructions are counted by callgrind, as the difference between two trainings of different length, so
that starting and compiling do not count. And noise words are drawn in three ways, to see which is fastest.
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
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import contestants, machine, material
from benchmarks.contestants import config
from doc2vecc.config import TrainingConfig
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.kernels.compile import kernel
from doc2vecc.kernels.lanes import LANES
from doc2vecc.kernels.random import State, next_below
from doc2vecc.kernels.sampling import AliasTable, alias_table, draw_alias

ROUNDS = 5

_TRAIN = """
import sys
from benchmarks.contestants import config
from benchmarks.material import synthetic
from doc2vecc.training.trainer import train
train(synthetic(40_000, 400, 250), config(1, epochs=int(sys.argv[1])))
"""
_WORDS = 400 * 250  # of that corpus
_EPOCHS = (1, 3)


def rows_per_word(corpus: EncodedCorpus, setting: TrainingConfig) -> dict[str, float]:
    """Count the rows that a target reads and writes on average, by what they are."""
    lengths = np.diff(corpus.offsets).astype(float)
    blocks = np.maximum(setting.keep * lengths // (3 * setting.shared_targets), 1)
    survivors = setting.keep * lengths / (setting.shared_targets * blocks)
    return {
        "words of the corrupted document": float(np.average(survivors, weights=lengths)),
        "target": 1.0,
        "noise words": setting.negative / setting.shared_targets,
        "local words": (1 - setting.document_only) * (setting.window + 1),
    }


@kernel
def draw_from_alias(state: State, alias: AliasTable, draws: int) -> int:
    """Draw noise words as training does."""
    total = 0
    for _ in range(draws):
        total += draw_alias(state, alias)
    return total


@kernel
def draw_from_table(state: State, table: Any, draws: int) -> int:  # noqa: ANN401 - an array of int32
    """Draw noise words from a table in which each stands in proportion to its weight, as word2vec does."""
    total = 0
    for _ in range(draws):
        total += table[next_below(state, table.shape[0])]
    return total


def draw_times(corpus: EncodedCorpus, setting: TrainingConfig) -> dict[str, float]:
    """Measure nanoseconds per noise word: by alias, and from tables of two sizes; the best of several rounds."""
    weights = corpus.vocabulary.noise_weights(setting.noise_power)
    state, draws = np.array([1, 2], np.uint64), 2_000_000
    alias = alias_table(weights)
    ways = {"alias method": partial(draw_from_alias, state, alias, draws)}
    for size in (1_000_000, 100_000_000):
        bounds = np.searchsorted(np.cumsum(weights) / weights.sum(), (np.arange(size) + 0.5) / size)
        ways[f"table of {size:,}"] = partial(draw_from_table, state, bounds.astype(np.int32), draws)
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS + 1):  # the first one compiles
        for name, draw in ways.items():
            started = time.perf_counter()
            draw()
            best[name] = min(best[name], (time.perf_counter() - started) / draws * 1e9)
    return best


def instructions_per_word() -> float | None:
    """Count instructions with callgrind, compiled for a processor that it knows; None without valgrind."""
    if shutil.which("valgrind") is None:
        return None
    environment = {**os.environ, "NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma"}
    counts = []
    with tempfile.TemporaryDirectory() as folder:
        for epochs in _EPOCHS:
            command = [sys.executable, "-c", _TRAIN, str(epochs)]
            subprocess.run(command, env=environment, check=True, cwd=Path(__file__).parents[1])  # compiles
            output = Path(folder) / str(epochs)
            watched = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", *command]
            subprocess.run(watched, env=environment, check=True, cwd=Path(__file__).parents[1], capture_output=True)
            counts.append(int(re.findall(r"^(?:summary|totals): (\d+)", output.read_text(), re.MULTILINE)[-1]))
    return (counts[1] - counts[0]) / ((_EPOCHS[1] - _EPOCHS[0]) * _WORDS)


def measure() -> dict[str, Any]:
    """All figures."""
    setting = config(1)
    with tempfile.TemporaryDirectory() as folder:
        corpus = contestants.encoded(material.load(Path(folder), 25_000))
    rows = rows_per_word(corpus, setting)
    columns = -(-setting.vector_size // LANES) * LANES
    found: dict[str, Any] = {
        "rows per word": rows,
        "bytes read and written per word": 2 * 4 * columns * sum(rows.values()),
    }
    found["nanoseconds per noise word"] = draw_times(corpus, setting)
    found["instructions per word"] = instructions_per_word()
    return found


def main() -> None:
    result = {"machine": machine.describe(), **measure()}
    print(json.dumps(result, indent=1))
    today = datetime.datetime.now(tz=datetime.UTC).date()
    path = Path(__file__).parent / "results" / f"limits-{today}.json"
    path.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
