"""Classification of documents, and similarity of words: what the settings of a method do to both.

parquet file  --split, shuffle-->  learned texts  --fit-->  vectors  --linear SVM-->  errors of each seed
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sklearn.model_selection import StratifiedKFold

from doc2vecc import ParameterError
from doc2vecc.evaluation import linear_probe
from doc2vecc_paper.classification import noting_warnings
from doc2vecc_paper.console import say_notes
from doc2vecc_paper.datasets import DataError, LabeledTexts, load_ratings
from doc2vecc_paper.datasets.places import read_columns, text_column
from doc2vecc_paper.datasets.texts import SPLITS
from doc2vecc_paper.measure.lines import Line, similarities, summary
from doc2vecc_paper.measure.weights import REPRESENTATIONS, weighted_vectors
from doc2vecc_paper.methods import BOW, DEA, DOC2VECC, PV_DBOW, PV_DM, SKIPGRAM, WORD2VEC, Method

METHODS = (DOC2VECC, DEA, WORD2VEC, SKIPGRAM, PV_DM, PV_DBOW, BOW)
HELD_OUT = 5  # parts of the training split, one of which is held out
VALIDATION, UNSEEN, TEST = "validation", "unseen", "test"
ON = (VALIDATION, UNSEEN, TEST, f"{VALIDATION}+{TEST}")


class Choices(NamedTuple):
    """The file, the splits to learn from, what to evaluate on, further representations, and the repetitions."""

    path: Path
    learn_from: tuple[str, ...]
    on: str
    ways: tuple[str, ...]
    seeds: int
    workers: int


def checked(choices: Choices) -> Choices:
    """Return the choices if their names are known."""
    for option, chosen, known in (
        ("--learn-from", choices.learn_from, SPLITS),
        ("--on", (choices.on,), ON),
        ("--represent", choices.ways, REPRESENTATIONS),
    ):
        unknown = [name for name in chosen if name not in known]
        if unknown:
            raise ParameterError(f"{option} {unknown[0]!r} is unknown; choose from {', '.join(known)}")
    if not choices.path.is_file():
        raise DataError(f"there is no {choices.path}; it must have the columns split, label and text")
    return choices


def measure(lines: Sequence[tuple[str, Line]], choices: Choices) -> Iterator[dict[str, Any]]:
    """Yield a result for each line and representation, means over the seeds."""
    data, ratings = in_file_order(choices.path), load_ratings(choices.path.parent)
    for text, line in lines:
        method = line.changed.changed(workers=choices.workers)
        results: dict[str, list[dict[str, float]]] = {way: [] for way in (*method.ways, *choices.ways)}
        for seed in range(choices.seeds):
            texts = held_out(data, seed) if choices.on == UNSEEN else data
            with noting_warnings() as messages:
                learned = shuffled(texts, choices.learn_from)
                estimator = method.build(seed).fit(learned)
                common = {name: 100 * value for name, value in similarities(estimator, ratings).items()}
                for way, found in results.items():
                    vectors = represented(method, estimator, learned, texts, way)
                    found.append({**errors(vectors, texts, choices.on), **common, **effort(estimator)})
            say_notes(messages)
        for way, found in results.items():
            yield {
                "texts": choices.path.stem,
                "settings": text,
                "way": way,
                "learn_from": sorted(choices.learn_from),
                **summary(found),
                "config": method.all_settings(),
            }


def in_file_order(path: Path) -> LabeledTexts:
    """Read the columns split, label and text. IMDB is sorted by film in its files; ``held_out`` relies on it."""
    table = read_columns(path, ["split", "label", "text"])
    split, labels = np.array(table["split"].to_pylist()), table["label"].to_pylist()
    is_labeled = split != "unlabeled"
    classes = sorted({label for label, known in zip(labels, is_labeled, strict=True) if known})
    numbers = {label: number for number, label in enumerate(classes)}
    label = np.array([numbers[one] if known else -1 for one, known in zip(labels, is_labeled, strict=True)])
    return LabeledTexts.of(path.stem, text_column(table, path), split, label, tuple(map(str, classes)))


def held_out(data: LabeledTexts, seed: int) -> LabeledTexts:
    """Drop the test split, and put a fifth of the training split in its place, another fifth with each seed.

    It is a contiguous fifth of every class: the test split of IMDB has other films than the training split.
    """
    rest = data.only("train", "unlabeled")
    split = rest.split.copy()
    for label in range(len(data.classes)):
        of_class = np.flatnonzero((rest.split == "train") & (rest.label == label))
        split[np.array_split(of_class, HELD_OUT)[seed % HELD_OUT]] = "test"
    return LabeledTexts.of(data.fingerprint.name, rest.texts, split, rest.label, data.classes)


def shuffled(data: LabeledTexts, learn_from: tuple[str, ...]) -> pa.LargeStringArray:
    """Return the texts to learn from in random order, because files are sorted by split and label.

    Documents that are evaluated as unseen are marked "test", so learning from "train" leaves them out.
    """
    rows = np.flatnonzero(np.isin(data.split, learn_from))
    return data.texts.take(pa.array(np.random.default_rng(0).permutation(rows)))


def represented(
    method: Method,
    estimator: Any,  # noqa: ANN401 - a fitted transformer
    learned: pa.LargeStringArray,
    data: LabeledTexts,
    way: str,
) -> dict[str, Any]:
    """Return the vectors of the training and the test documents."""
    texts = {split: data.only(split).texts for split in ("train", "test")}
    if way in method.ways:
        if len(method.ways) > 1:
            estimator.set_params(weighting=way)
        return {split: estimator.transform(some) for split, some in texts.items()}
    if method.estimator is not DOC2VECC.estimator:
        raise ParameterError(f"--represent is for {DOC2VECC.name} only; leave out '{method.name}'")
    return weighted_vectors(estimator, learned, texts, way)


def errors(vectors: dict[str, Any], data: LabeledTexts, on: str) -> dict[str, float]:
    """Return the errors in percent."""
    train_labels, test_labels = (data.label[data.split == split] for split in ("train", "test"))
    found = {}
    for name in on.split("+"):
        if name == VALIDATION:
            error = cross_validated(vectors["train"], train_labels)
        else:
            error = linear_probe(vectors["train"], train_labels, vectors["test"], test_labels).error
        found[f"{name}_error"] = 100 * error
    return found


def cross_validated(vectors: Any, labels: npt.NDArray[np.int64]) -> float:  # noqa: ANN401 - dense or sparse
    """Return the mean error over five folds; all documents were learned from, without labels."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(vectors, labels)
    return float(np.mean([linear_probe(vectors[a], labels[a], vectors[b], labels[b]).error for a, b in folds]))


def effort(estimator: Any) -> dict[str, float]:  # noqa: ANN401
    """Return the last loss and the seconds of training of a method that has epochs."""
    if not hasattr(estimator, "history_"):
        return {}
    history = estimator.history_
    return {"loss": history[-1].loss, "seconds": sum(epoch.seconds for epoch in history)}
