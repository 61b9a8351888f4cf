"""What the settings do to the vectors: classification and word similarity, for the documentation's tables.

    python -m benchmarks.quality "alpha=0.1" "alpha=0.1 document_only=0.5" --seeds 3 --epochs 20
    python -m benchmarks.quality "ngram_range=[1,2] alpha=0.25" --texts wikipedia100 --blind

prints one line per setting: error of a linear SVM on the test documents, mean and standard deviation over the
seeds; error in cross-validation on the training documents, by which settings should be chosen (--blind leaves the
test documents alone); rank correlation of word similarities with three human ratings; seconds of training. Vectors
are learned from all documents, with --exclude-test from all but the test documents, with --train-only from the
training documents. With --hold-out a fifth of the training documents, others with each seed, takes the place of the
test documents, which are not looked at: the error on documents that nothing was learned from, and no other. It is a
fifth of every class that stands together in the file: IMDB is sorted by film, and its test part has other films.
--represent names other ways to make a document of the same rows than their plain mean, a line each.
Reads imdb.parquet, or another file with columns split, label and text, in the folder named by DOC2VECC_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.model_selection import StratifiedKFold

from benchmarks.weights import MEAN, REPRESENTATIONS, represented
from doc2vecc.corpus.encoding import encode
from doc2vecc.evaluation import Matrix, linear_probe, read_ratings, word_similarity
from doc2vecc.model import Model
from doc2vecc.config import TrainingConfig, resolve_defaults
from doc2vecc.parameters import WORD_DEFAULTS
from doc2vecc.training.learning import ngram_rule
from doc2vecc.training.trainer import train

MIN_COUNT = 10
HELD_OUT = 5  # parts, one of which is held out
ALL_SPLITS = {"train", "test", "unlabeled"}
ERRORS = ("validation", "unseen", "test")
RATINGS = ("WS-353-ALL", "SIMLEX-999", "MEN-TR-3k")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("settings", nargs="*", default=[""], help='e.g. "alpha=0.1 document_only=0.5"')
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--texts", default="imdb", help="name of the parquet file")
    parser.add_argument("--blind", action="store_true", help="leave the test documents alone")
    parser.add_argument("--exclude-test", action="store_true", help="learn from the other documents only")
    parser.add_argument("--train-only", action="store_true", help="learn from the training documents only")
    parser.add_argument("--hold-out", action="store_true", help="ask about unseen training documents, not the test")
    parser.add_argument(
        "--represent",
        nargs="+",
        choices=REPRESENTATIONS,
        default=[MEAN],
        metavar="WAY",
        help=", ".join(REPRESENTATIONS),
    )
    parser.add_argument("--table", type=Path, metavar="FILE", help="show such lines as a table, measure nothing")
    arguments = parser.parse_args()
    if arguments.table:
        print(table([json.loads(line) for line in arguments.table.read_text().splitlines()]))
        return
    data = Path(os.environ["DOC2VECC_DATA"])
    splits = {"train"} if arguments.train_only else {"train", "unlabeled"} if arguments.exclude_test else ALL_SPLITS
    table_of_texts = pq.read_table(data / f"{arguments.texts}.parquet", columns=["split", "label", "text"])
    asked = ["unseen"] if arguments.hold_out else ["validation"] if arguments.blind else ["validation", "test"]
    for words in arguments.settings:
        results: dict[str, list[dict[str, float]]] = {way: [] for way in arguments.represent}
        for seed in range(arguments.seeds):
            texts = LabeledTexts.of(table_of_texts, splits, hold_out=seed if arguments.hold_out else None)
            fixed = {"epochs": arguments.epochs, "min_count": MIN_COUNT, "workers": arguments.workers, "seed": seed}
            config = TrainingConfig(
                **resolve_defaults({**dict.fromkeys(WORD_DEFAULTS), **fixed, **changes_of(words)})
            )
            corpus = encode(
                texts.learned,
                min_count=config.min_count,
                workers=config.workers,
                ngrams=ngram_rule(config),
                binary=config.binary,
            )
            model = train(corpus, config)
            for way in arguments.represent:
                results[way].append(measured(model, texts, data, asked, way))
        for way, found in results.items():
            shown = {
                "texts": arguments.texts,
                "settings": words if way == MEAN else f"{words} --represent {way}".strip(),
                "learn_from": sorted(splits),
                **summary(found),
            }
            print(json.dumps({**shown, "config": asdict(config)}), flush=True)


def changes_of(words: str) -> dict[str, Any]:
    """Read settings: "alpha=0.1 ngram_range=[1,2]" -> {"alpha": 0.1, "ngram_range": [1, 2]}."""
    return {name: json.loads(value) for name, value in (word.split("=") for word in words.split())}


def table(lines: list[dict[str, Any]]) -> str:
    """Lay lines out in Markdown, with the difference from the first line: mean and spread over pairs of seeds."""
    headings = ["settings", "dim", "epochs", "workers", "seeds"]
    for part in ERRORS:
        headings += [f"{part} error %", "difference"]
    rows = [headings, ["---"] * len(headings)]
    for line in lines:
        config = line["config"]
        sizes = [config["vector_size"], config["epochs"], config["workers"], line["seeds"]]
        row = [f"`{line['settings']}`", *map(str, sizes)]
        for part in ERRORS:
            row += [error(line, part), difference(line, lines[0], part)]
        rows.append(row)
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def error(line: dict[str, Any], part: str) -> str:
    """Write an error with its spread, nothing where it was not measured."""
    return f"{line[f'{part}_error']:.2f} ± {line.get(f'{part}_spread', 0):.2f}" if f"{part}_error" in line else ""


def difference(line: dict[str, Any], first: dict[str, Any], part: str) -> str:
    """Write how much larger the errors are than those of the first line, if both asked the same with each seed."""
    ours, theirs = (one.get(f"{part}_errors", []) for one in (line, first))
    is_comparable = (
        all(line.get(name) == first.get(name) for name in ("texts", "learn_from", "seeds")) and ours and theirs
    )
    if line is first or not is_comparable:
        return ""
    pairs = np.subtract(ours, theirs)
    return f"{pairs.mean():+.2f} ± {pairs.std(ddof=len(pairs) > 1):.2f}"


@dataclass(frozen=True)
class LabeledTexts:
    """The labeled documents by split, and the batches of text that vectors are learned from."""

    texts: dict[str, pa.LargeStringArray]
    labels: dict[str, npt.NDArray[Any]]
    learned: list[pa.LargeStringArray]

    @classmethod
    def of(cls, table: pa.Table, learn_from: set[str], *, hold_out: int | None) -> LabeledTexts:
        """Take the parts, and mix the order of what is learned from: it is sorted by split and label."""
        split = np.array(table["split"].to_pylist())
        label = np.array(table["label"].to_pylist(), dtype=object)
        if hold_out is not None:
            split[split == "test"] = "unused"
            for one in set(label[split == "train"]):
                of_class = np.flatnonzero((split == "train") & (label == one))
                split[np.array_split(of_class, HELD_OUT)[hold_out % HELD_OUT]] = "test"
            learn_from = learn_from - {"test"}
        text = table["text"].cast(pa.large_string()).combine_chunks()
        rows = {name: np.flatnonzero(split == name) for name in ("train", "test")}
        mixed = np.random.default_rng(0).permutation(np.flatnonzero(np.isin(split, list(learn_from))))
        return cls(
            {name: text.take(pa.array(places)) for name, places in rows.items()},
            {name: np.array(label[places].tolist()) for name, places in rows.items()},
            [text.take(pa.array(mixed[start : start + 1024])) for start in range(0, len(mixed), 1024)],
        )


def measured(
    model: Model, texts: LabeledTexts, data: Path, asked: list[str], representation: str
) -> dict[str, float]:
    """All figures of one model; ``asked`` are the errors to measure."""
    needed = {"train"} if asked == ["validation"] else {"train", "test"}
    vectors = represented(model, {name: texts.texts[name] for name in needed}, representation)
    known, classes = vectors["train"], texts.labels["train"]
    figures = {}
    for part in asked:
        if part == "validation":
            error = cross_validated(known, classes)
        else:
            error = linear_probe(known, classes, vectors["test"], texts.labels["test"]).error
        figures[f"{part}_error"] = 100 * error
    for name in RATINGS:
        ratings = read_ratings(data / "wordsim" / f"EN-{name}.txt")
        found = word_similarity(model.vocabulary.words, model.word_vectors, ratings)
        figures[name] = 100 * found.spearman
    history = model.record.history
    return {**figures, "loss": history[-1].loss, "seconds": sum(epoch.seconds for epoch in history)}


def cross_validated(vectors: Matrix, classes: npt.NDArray[Any]) -> float:
    """Mean error over five folds of documents that were all learned from."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(vectors, classes)
    return float(np.mean([linear_probe(vectors[a], classes[a], vectors[b], classes[b]).error for a, b in folds]))


def summary(results: list[dict[str, float]]) -> dict[str, Any]:
    """Mean of every figure, the spread of the errors, and each seed's error, to compare in pairs."""
    figures: dict[str, Any] = {name: round(float(np.mean([r[name] for r in results])), 2) for name in results[0]}
    for name in ERRORS:
        if f"{name}_error" in figures:
            errors = [result[f"{name}_error"] for result in results]
            figures[f"{name}_spread"] = round(float(np.std(errors, ddof=len(results) > 1)), 2)
            figures[f"{name}_errors"] = [round(error, 2) for error in errors]
    return {**figures, "seeds": len(results)}


if __name__ == "__main__":
    main()
