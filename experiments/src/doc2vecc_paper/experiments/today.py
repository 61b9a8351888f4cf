"""Doc2VecC beside tf-idf and a small transformer: error by the number of labeled documents, and speed.

Not in the paper. All vectors are evaluated by the same logistic regression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from doc2vecc_paper.cells import Cell, CellKey, Summary, summarize
from doc2vecc_paper.classification import cells_of
from doc2vecc_paper.datasets import LabeledTexts
from doc2vecc_paper.documents import pages, reviews
from doc2vecc_paper.drawing import METHOD_COLORS, panels, save
from doc2vecc_paper.environment import remedy
from doc2vecc_paper.experiment import Experiment, Picture, Scope, Section, Task
from doc2vecc_paper.experiments import language_models, skip_thoughts
from doc2vecc_paper.experiments.encoders import MiniLm, TfidfSvd
from doc2vecc_paper.experiments.few_labels import Sizes, measure
from doc2vecc_paper.methods import BOW, BYTES_OF_A_TOKEN, DOC2VECC, NGRAM_STEPS, Method
from doc2vecc_paper.published import Name
from doc2vecc_paper.tables import Column, ResultTable, Row, decimals

NAME = "today"
TFIDF, TFIDF_SVD, MINILM = "tf-idf", "tf-idf + SVD", "all-MiniLM-L6-v2"
NGRAMS, TFIDF_NGRAMS = f"{Name.DOC2VECC}, words and n-grams", f"{TFIDF}, words and n-grams"

SIZES = Sizes({100: 5, 500: 5, 2_500: 2}, pool=5_000, test=5_000)
QUICK_SIZES = Sizes({100: 2}, pool=200, test=200)
QUICK_PAGES = 6_000

_BAGS = Method(TFIDF, BOW.estimator, {**BOW.settings, "weighting": "tfidf"})
METHODS = (
    DOC2VECC,
    DOC2VECC.changed(NGRAMS, vector_size=200, ngram_range=(1, 2), **NGRAM_STEPS),
    _BAGS,
    _BAGS.changed(TFIDF_NGRAMS, ngram_range=(1, 2)),
    Method(TFIDF_SVD, TfidfSvd, {}),
    Method(MINILM, MiniLm, {}),
)
RECURRENT = (Name.RNN_LM, Name.SKIP_THOUGHT)  # on the movie reviews only
SLOW = (MINILM, Name.SKIP_THOUGHT)  # embed once, and not all reviews unless in a full scope
_SEEDED = (Name.DOC2VECC, NGRAMS, TFIDF_SVD)  # the others are deterministic
_COLORS = {
    **METHOD_COLORS,
    NGRAMS: "#0b3c49",
    TFIDF: "#b5651d",
    TFIDF_NGRAMS: "#6e3b0f",
    TFIDF_SVD: "#c9b79c",
    MINILM: "#7a5195",
    Name.RNN_LM: "#2a9d8f",
    Name.SKIP_THOUGHT: "#8d99ae",
}
_TITLES = {"imdb": "movie reviews, 2 classes", "wikipedia100": "Wikipedia pages, 100 classes"}
_SECONDS_OF_PROBES = {2: 20.0, 100: 240.0}  # by the number of classes
_SECONDS_OF_A_TOKEN = {MINILM: 1 / 6_000, TFIDF_SVD: 2e-6}


def tasks(data: Path, scope: Scope) -> list[Task]:
    """Return a task for each data set and method, and for each seed if the method has one."""
    sizes = QUICK_SIZES if scope.quick else SIZES
    wikipedia = pages(data).subset(QUICK_PAGES, seed=0) if scope.quick else pages(data)
    movies = reviews(data, scope)
    found = [
        _task(method.scoped(scope), texts, sizes, seed, with_all=scope.full or method.name not in SLOW)
        for texts in (movies, wikipedia)
        for method in METHODS
        for seed in (scope.seeds if method.name in _SEEDED else scope.seeds[:1])
    ]
    found += [language_models.few_labels_task(NAME, movies, sizes, seed, scope) for seed in scope.seeds]
    learned = skip_thoughts.method_for(data, scope)
    if learned is not None:
        method, novels = learned
        task = _task(method, movies, sizes, scope.seeds[0], with_all=scope.full)
        found.append(skip_thoughts.with_novels(task, novels, method, data))
    return found


def _task(method: Method, texts: LabeledTexts, sizes: Sizes, seed: int, *, with_all: bool) -> Task:
    sizes = sizes.for_classes(len(texts.classes))
    settings = {
        **method.all_settings(),
        "labels": {str(count): draws for count, draws in sizes.draws_by_labels.items()},
        "pool": sizes.pool,
        "test": sizes.test,
        "all labels": with_all,
    }
    key = CellKey(NAME, method.name, settings, seed, (texts.fingerprint,))
    run = partial(measure, method, texts, sizes, seed, with_all=with_all, repeats=1 if method.name in SLOW else 3)
    missing = _INSTALL if method.name == MINILM and not MiniLm.is_installed() else ""
    return Task(key, run, _seconds(method, texts, sizes, with_all=with_all), missing)


def _seconds(method: Method, texts: LabeledTexts, sizes: Sizes, *, with_all: bool) -> float:
    """Estimate the time of training, of embedding where that is slow, and of the regressions."""
    size = texts.fingerprint.text_bytes
    tokens = size / BYTES_OF_A_TOKEN / len(texts)
    train = int(np.count_nonzero(texts.split == "train"))
    documents = sizes.test + (train if with_all else min(sizes.pool, train))
    learning = 15.0 if method.name == MINILM else method.learning_seconds(size)
    embedding = documents * min(tokens, 256) * _SECONDS_OF_A_TOKEN.get(method.name, 0.0)
    return float(learning + embedding + _SECONDS_OF_PROBES.get(len(texts.classes), 20.0) * sizes.pool / 5_000)


def section(cells: Sequence[Cell]) -> Section:
    """Show the errors of each data set, and how fast documents are embedded."""
    if not cells:
        return Section()
    by_data = {name: [cell for cell in cells if cell.key.data[0].name == name] for name in _TITLES}
    found = {name: some for name, some in by_data.items() if some}
    picture = Picture(
        "today",
        "Error by the number of labeled documents; in parentheses the documents embedded per second.",
        partial(_draw, found),
    )
    tables = [_errors(name, some) for name, some in found.items()]
    return Section((*tables, _speeds(found)), (picture,), NOTES)


def errors(cells: Sequence[Cell], method: str, labels: str) -> Summary | None:
    """Return the error in percent over seeds and draws, None if it was not run."""
    some = cells_of(cells, method)
    return summarize(100 * value for cell in some for value in cell.result["errors"].get(labels, []))


def _labels(cells: Sequence[Cell]) -> list[str]:
    """Return the numbers of labels in ascending order, "all" last."""
    names = {name for cell in cells for name in cell.result["errors"]}
    return sorted(names - {"all"}, key=int) + sorted(names & {"all"})


def _errors(name: str, cells: Sequence[Cell]) -> ResultTable:
    labels = _labels(cells)
    rows = [
        Row.of(
            method.name,
            [None] * len(labels),
            [errors(cells, method.name, one) for one in labels],
            _INSTALL if method.name == MINILM and not cells_of(cells, MINILM) else None,
        )
        for method in METHODS
    ]
    if name == "imdb":
        for recurrent in RECURRENT:
            ours = [errors(cells, recurrent, one) for one in labels]
            rows.append(Row.of(recurrent, [None] * len(labels), ours))
    rows = [row.without(labels.index("all")) if row.method in SLOW and "all" in labels else row for row in rows]
    result = cells[0].result
    return ResultTable(
        f"Error % by the number of labeled documents: {_TITLES[name]} (not in the paper)",
        tuple(Column(f"{one} ({result['all']:,})" if one == "all" else f"{int(one):,}", decimals(1)) for one in labels),
        tuple(rows),
        (
            f"Evaluated on {result['test_documents']:,} test documents, the same for all. ± is over the draws of "
            "labeled documents and over the seeds; the last column counts both.",
        ),
    )


def _speeds(by_data: Mapping[str, Sequence[Cell]]) -> ResultTable:
    """Return the speed of embedding, and the time of training."""
    rows = []
    for name in (*(method.name for method in METHODS), *RECURRENT):
        ours = [
            summarize(measure(cell.result) for cell in cells_of(cells, name))
            for cells in by_data.values()
            for measure in (_documents_per_second, _training_seconds)
        ]
        left_out = [place for place in range(len(ours)) if name in RECURRENT and list(by_data)[place // 2] != "imdb"]
        rows.append(Row.of(name, [None] * len(ours), ours).without(*left_out))
    headings = [f"{heading}, {name}" for name in by_data for heading in ("documents/s", "training seconds")]
    return ResultTable(
        "Speed of embedding, from text to vectors (not in the paper)",
        tuple(Column(heading, decimals(0)) for heading in headings),
        tuple(rows),
        (
            f"All methods have the same number of threads. {MINILM} is not trained: its seconds are those of "
            "loading the weights.",
        ),
    )


def _documents_per_second(result: Mapping[str, Any]) -> float:
    return float(result["documents_per_second"])


def _training_seconds(result: Mapping[str, Any]) -> float:
    """Return the seconds of training; those of an encoder that was learned from other texts are its own."""
    return float(result.get("pretraining_seconds", result["learning_seconds"]))


def _draw(by_data: Mapping[str, Sequence[Cell]], path: Path) -> None:
    """Draw a curve for each method, a panel for each data set."""
    figure, axes_of = panels(len(by_data), width=5.0, height=5.4)
    for axes, (name, cells) in zip(axes_of, by_data.items(), strict=True):
        for method in (*(one.name for one in METHODS), *RECURRENT):
            some = cells_of(cells, method)
            points = [(_count(one, cells), errors(cells, method, one)) for one in _labels(cells)]
            known = [(count, error) for count, error in points if error is not None]
            speed = summarize(cell.result["documents_per_second"] for cell in some)
            if not known or speed is None:
                continue
            axes.errorbar(
                [count for count, _ in known],
                [error.mean for _, error in known],
                [error.spread or 0.0 for _, error in known],
                fmt="o-",
                markersize=4,
                capsize=2,
                color=_COLORS[method],
                label=f"{method} ({speed.mean:,.0f}/s)",
            )
        counts = [_count(one, cells) for one in _labels(cells)]
        axes.set_xscale("log")
        axes.set_xticks(counts, [f"{count:,}" for count in counts])
        axes.set_xticks([], minor=True)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("labeled documents")
        axes.set_title(_TITLES[name], fontsize=10)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.12))
    axes_of[0].set_ylabel("error %")
    save(figure, path)


def _count(labels: str, cells: Sequence[Cell]) -> int:
    return int(cells[0].result["all"] if labels == "all" else labels)


_INSTALL = f"needs torch and the weights of the network: {remedy('minilm')}"

NOTES = (
    f"{Name.DOC2VECC} (100 dimensions for words, 200 for words and n-grams of two), {TFIDF} and {TFIDF_SVD} learn "
    f"from the training and the unlabeled split, never from the test split; {MINILM} is pretrained, and reads the "
    "first 256 word pieces of a text.",
    "The labeled documents are drawn from 5,000 of the training split, with the same share of every class; 100 and "
    "500 are drawn five times, 2,500 twice. All methods have the same logistic regression, with C chosen on a "
    "fifth of the labeled documents; with one document of each class C cannot be chosen and is 1.",
    f"{Name.RNN_LM} learns a language model for each class from the labeled documents alone, and predicts the likelier "
    "class without a regression; one thread, and movie reviews only: 100 classes would need 100 models.",
    f"{Name.SKIP_THOUGHT} are learned from the novels (uni and bi side by side).",
    f"{MINILM} and {Name.SKIP_THOUGHT} are run with all labels only with --full: embedding all reviews takes long.",
)

EXPERIMENT = Experiment(
    name=NAME,
    title="Against tf-idf and a small transformer",
    place="not in the paper",
    tasks=tasks,
    section=section,
    needs=("imdb", "wikipedia100"),
)
