"""What has no peer to compare with: memory of training, time of import and start."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

_PEAK_OF_TRAINING = """
import json, re, sys
from pathlib import Path
from benchmarks.material import synthetic
from doc2vecc.config import TrainingConfig
from doc2vecc.corpus.encoding import encode
import pyarrow as pa
documents_in_all = int(sys.argv[1])
words = synthetic(20_000, 2_000, 200)
names = words.vocabulary.words
texts = [" ".join(names[i] for i in words.document(d)) for d in range(len(words))]
batch = pa.array(texts, pa.large_string())
times = documents_in_all // len(texts)
del words, names, texts
corpus = encode((batch for _ in range(times)), min_count=1, workers=2)
from doc2vecc.training.trainer import train
model = train(corpus, TrainingConfig(vector_size=100, epochs=1, workers=2)).model
tables = 2 * model._rows.nbytes
# Not ru_maxrss, which starts at the memory of the parent process.
peak = 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
print(json.dumps({"beyond_tables": peak - tables, "words": len(corpus.ids)}))
"""


def measure() -> dict[str, Any]:
    """Peak memory beyond the tables for two sizes, import times, time of embedding one line."""
    _peak_of_training(2_000)  # compiles, which takes more memory than training
    peaks = {}
    for documents in (20_000, 100_000):
        answer = _peak_of_training(documents)
        peaks[f"{answer['words'] / 1e6:.0f} M words"] = f"{answer['beyond_tables'] / 1e6:.0f} MB"
    return {
        "peak memory of training beyond the two tables, compiled before": peaks,
        "import doc2vecc (s)": _best_seconds("-c", "import doc2vecc"),
        "import doc2vecc and Doc2VecC (s)": _best_seconds("-c", "from doc2vecc import Doc2VecC"),
        "import sklearn (s)": _best_seconds("-c", "import sklearn"),
        "doc2vecc embed of one line, compiled before (s)": _embed_one_line(),
    }


def _peak_of_training(documents: int) -> dict[str, int]:
    answer: dict[str, int] = json.loads(_python("-c", _PEAK_OF_TRAINING, str(documents)))
    return answer


def _python(*arguments: str, given: str = "") -> str:
    finished = subprocess.run(
        [sys.executable, *arguments], input=given, capture_output=True, text=True, check=True,
        cwd=Path(__file__).parents[1],
    )  # fmt: skip
    return finished.stdout


def _best_seconds(*arguments: str, rounds: int = 5, given: str = "") -> float:
    best = float("inf")
    for _ in range(rounds):
        started = time.perf_counter()
        _python(*arguments, given=given)
        best = min(best, time.perf_counter() - started)
    return round(best, 2)


def _embed_one_line() -> float:
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "demo.d2v")
        _python("-m", "doc2vecc", "demo", "--output", model)
        return _best_seconds("-m", "doc2vecc", "embed", model, "-", "-o", "-", given="read a file\n")
