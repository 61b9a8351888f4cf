"""How far training is from what the machine can do: rows moved and instructions executed per word.

    python -m benchmarks.limits        needs valgrind for the instructions

A word costs reading and writing some rows of two tables, and some arithmetic on them. *Rows per word* follows from
the settings. What the machine can do at most is measured: a loop that does nothing but add a number to rows, drawn
from the same words with the same frequencies. Instructions are counted by callgrind, as the difference between two
trainings of different length, so that starting and compiling do not count.
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
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import contestants, machine, material
from benchmarks.contestants import config
from doc2vecc.config import TrainingConfig
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.kernels.compile import kernel
from doc2vecc.kernels.random import State, next_below
from doc2vecc.kernels.rows import Table, load_soon
from doc2vecc.kernels.sampling import AliasTable, alias_table, draw_alias
from doc2vecc.training.trainer import ROW_MULTIPLE, first_tables, train

AHEAD = 8  # rows that are asked for before they are needed, as training does
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


@kernel
def touch_rows(table: Table, rows: Any) -> None:  # noqa: ANN401 - an array of int32
    """Read and write rows, and nothing else."""
    for place in range(rows.shape[0] - AHEAD):
        load_soon(table, rows[place + AHEAD])
        for column in range(table.shape[1]):
            table[rows[place], column] += np.float32(1)


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


def row_limit(corpus: EncodedCorpus, setting: TrainingConfig, workers: int) -> float:
    """Measure how many rows a second can be read and written, drawn as words occur; the best of several rounds."""
    table, _ = first_tables(len(corpus.vocabulary), 0, setting)
    rows = np.random.default_rng(0).permutation(corpus.ids)[:2_000_000]
    touch_rows(table, rows[: 2 * AHEAD])
    best = 0.0
    with ThreadPoolExecutor(workers) as pool:
        for _ in range(ROUNDS):
            started = time.perf_counter()
            list(pool.map(lambda part: touch_rows(table, part), np.array_split(rows, workers)))
            best = max(best, len(rows) / (time.perf_counter() - started))
    return best


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
    """All figures, for one worker and two."""
    setting = config(1)
    with tempfile.TemporaryDirectory() as folder:
        corpus = contestants.encoded(material.load(Path(folder), 25_000))
    rows = rows_per_word(corpus, setting)
    columns = -(-setting.vector_size // ROW_MULTIPLE) * ROW_MULTIPLE
    found: dict[str, Any] = {
        "rows per word": rows,
        "bytes read and written per word": 2 * 4 * columns * sum(rows.values()),
    }
    for workers in (1, 2):
        limit = row_limit(corpus, setting, workers) / sum(rows.values())
        rates = [train(corpus, config(workers)).record.history[0] for _ in range(ROUNDS)]
        ours = max(epoch.words / epoch.seconds for epoch in rates)
        found[f"{workers} worker{'s' * (workers > 1)}"] = {
            "million words/s": ours / 1e6,
            "million words/s if moving rows were all": limit / 1e6,
            "share of the limit": ours / limit,
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
