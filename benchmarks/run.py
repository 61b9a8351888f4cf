"""All speed benchmarks in one run: side by side, interleaved, best and median of several rounds.

    make bench          everything, at most 15 minutes
    make bench-quick    at most 2 minutes

Prints the table, writes benchmarks/results/<date>.json and the figures of docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import contestants, curves, figures, footprint, material
from benchmarks.contestants import Timed
from doc2vecc.training.trainer import train
from doc2vecc_paper.environment import machine, versions

RESULTS = Path(__file__).parent / "results"


@dataclass
class SpeedRatio:
    """The same work done by us and by a peer."""

    work: str
    against: str
    unit: str
    goal: float | None
    ours: list[float] = field(default_factory=list)  # in `unit`, one per round
    theirs: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """Ours against theirs, best against best."""
        return max(self.ours) / max(self.theirs)

    @property
    def median_ratio(self) -> float:
        """Ours against theirs, median against median."""
        return median(self.ours) / median(self.theirs)


@dataclass(frozen=True)
class Contest:
    """The work of a contestant: its amount, and how to time it."""

    amount: float
    timed: Timed

    def rate(self) -> float:
        """Do the work once -> amount per second."""
        return self.amount / self.timed()


def interleaved(contests: dict[str, Contest], rounds: int) -> dict[str, list[float]]:
    """Let all run in turn, round after round, so that other load on the machine affects all of them."""
    rates: dict[str, list[float]] = {name: [] for name in contests}
    for number in range(rounds):
        for name, contest in contests.items():
            rates[name].append(contest.rate())
            print(f"  round {number + 1}: {name} {rates[name][-1]:,.3g}/s", file=sys.stderr, flush=True)
    return rates


def compare_training(texts: material.Material, rounds: int) -> list[SpeedRatio]:
    """Words per second of training, one and two workers."""
    corpus = contestants.encoded(texts)
    words = float(len(corpus.ids))
    comparisons = []
    for workers in (1, 2):
        rates = interleaved(
            {
                "doc2vecc": Contest(words, contestants.doc2vecc_training(corpus, workers)),
                "PV-DM": Contest(words, contestants.gensim_training(texts, workers, distributed_memory=True)),
                "PV-DBOW": Contest(words, contestants.gensim_training(texts, workers, distributed_memory=False)),
                "fastText": Contest(words, contestants.fasttext_training(texts, workers)),
            },
            rounds,
        )
        work = f"training, {workers} worker{'s' if workers > 1 else ''}"
        goals = {"PV-DM": 6.0, "PV-DBOW": 3.0 if workers == 1 else 2.0, "fastText": 8.0}
        names = {"PV-DM": "gensim PV-DM (mean)", "PV-DBOW": "gensim PV-DBOW", "fastText": "fastText CBOW, no subwords"}
        for peer, goal in goals.items():
            comparisons.append(SpeedRatio(work, names[peer], "words/s", goal, rates["doc2vecc"], rates[peer]))
    return comparisons


def compare_workers(texts: material.Material, rounds: int) -> list[SpeedRatio]:
    """Words per second of training with two workers against one, in turn."""
    corpus = contestants.encoded(texts)
    words = float(len(corpus.ids))
    one, two = interleaved(
        {f"doc2vecc, {workers}": Contest(words, contestants.doc2vecc_training(corpus, workers)) for workers in (1, 2)},
        rounds,
    ).values()
    return [SpeedRatio("training, 2 workers", "itself, 1 worker", "words/s", 1.85, two, one)]


def compare_embedding(texts: material.Material, rounds: int, inferred: int) -> list[SpeedRatio]:
    """Documents per second from raw text to vectors, one thread."""
    model = train(contestants.encoded(texts), contestants.config(2)).model
    documents = float(len(texts.texts))
    rates = interleaved(
        {
            "doc2vecc": Contest(documents, contestants.doc2vecc_embedding(model, texts)),
            "model2vec": Contest(documents, contestants.model2vec_embedding(model, texts)),
            "scikit-learn": Contest(documents, contestants.sklearn_embedding(texts)),
            "gensim": Contest(float(inferred), contestants.gensim_inference(texts, inferred)),
        },
        rounds,
    )
    peers = {
        "model2vec": ("model2vec, same vectors", 25.0),
        "scikit-learn": ("scikit-learn TF-IDF + SVD", 12.0),
        "gensim": ("gensim infer_vector, 20 epochs", 300.0),
    }
    return [
        SpeedRatio("raw text to vectors, 1 thread", name, "documents/s", goal, rates["doc2vecc"], rates[peer])
        for peer, (name, goal) in peers.items()
    ]


def compare_encoding(texts: material.Material, rounds: int) -> list[SpeedRatio]:
    """Megabytes of text per second into vocabulary and encoded corpus."""
    size = texts.megabytes
    rates = interleaved(
        {
            "doc2vecc": Contest(size, contestants.doc2vecc_encoding(texts, 2)),
            "gensim": Contest(size, contestants.gensim_vocabulary(texts, 2)),
        },
        rounds,
    )
    return [
        SpeedRatio(
            "raw text to vocabulary and corpus, 2 workers", "gensim build_vocab, corpus_file", "MB/s", 10.0,
            rates["doc2vecc"], rates["gensim"],
        )
    ]  # fmt: skip


def show(comparisons: list[SpeedRatio]) -> str:
    """The table, in Markdown."""
    lines = ["| work | against | ours | theirs | ratio | median ratio | goal |", "|---|---|---|---|---|---|---|"]
    for entry in comparisons:
        goal = f"{entry.goal:g}x" if entry.goal else "-"
        lines.append(
            f"| {entry.work} | {entry.against} | {max(entry.ours):,.0f} {entry.unit} | {max(entry.theirs):,.0f} | "
            f"**{entry.ratio:.1f}x** | {entry.median_ratio:.1f}x | {goal} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the documents, one round")
    quick = parser.parse_args().quick
    rounds = 1 if quick else 5
    single: dict[str, Any] = footprint.measure()
    with tempfile.TemporaryDirectory() as folder:
        texts = material.load(Path(folder), 2_500 if quick else 25_000)
        steps: list[Callable[[], list[SpeedRatio]]] = [
            lambda: compare_encoding(texts, 2 * rounds),  # each takes seconds only
            lambda: compare_embedding(texts, rounds, 40 if quick else 100),
            lambda: compare_training(texts, rounds),
            lambda: compare_workers(texts, 2 * rounds),
        ]
        comparisons = [comparison for step in steps for comparison in step()]
    curve = curves.measure(quick=quick)
    print(show(comparisons))
    print("\n".join(f"{name}: {value}" for name, value in single.items()))
    result = {
        "date": datetime.datetime.now(tz=datetime.UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "versions": versions(),
        "material": {"name": texts.name, "documents": len(texts.texts), "megabytes": round(texts.megabytes, 1)},
        "comparisons": [
            {**asdict(entry), "ratio": entry.ratio, "median_ratio": entry.median_ratio} for entry in comparisons
        ],
        "single": single,
        "curves": curve,
    }
    RESULTS.mkdir(exist_ok=True)
    name = f"{datetime.datetime.now(tz=datetime.UTC).date()}{'-quick' if quick else ''}"
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1))
    if not quick:
        figures.draw(result, Path(__file__).parents[1] / "docs" / "figures")
    print(f"written to {RESULTS / name}.json", file=sys.stderr)


if __name__ == "__main__":
    main()
