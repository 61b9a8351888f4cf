"""Figures 3 and 4: maps of Wikipedia pages by t-SNE, Paragraph Vectors beside Doc2VecC.

A map alone proves little, so its quality is measured: the error of the majority vote of the ten nearest training
pages on the class of a test page, by the vectors and by the map.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from doc2vecc.evaluation import nearest_neighbors
from doc2vecc_paper.cells import Cell, CellKey, summarize
from doc2vecc_paper.claims import COARSE_CATEGORIES
from doc2vecc_paper.classification import cells_of, noting_warnings
from doc2vecc_paper.datasets import LabeledTexts
from doc2vecc_paper.datasets.places import data_errors
from doc2vecc_paper.datasets.wikipedia import LABELED_PAGES
from doc2vecc_paper.documents import pages
from doc2vecc_paper.environment import is_installed, remedy
from doc2vecc_paper.experiment import Experiment, Picture, Scope, Section, Task
from doc2vecc_paper.experiments.maps import PageMap, draw_classes, draw_groups, draw_page
from doc2vecc_paper.experiments.wikipedia_groups import PAPER_GROUPS, group_of
from doc2vecc_paper.methods import DOC2VECC, PV_DBOW, PV_DM, Method
from doc2vecc_paper.published import Name
from doc2vecc_paper.tables import Column, ResultTable, Row, decimals

Vectors = npt.NDArray[np.float32]

NAME = "tsne"
METHODS = (PV_DM, PV_DBOW, DOC2VECC)
NEIGHBORS = 10
PERPLEXITY = 30
QUICK_PAGES, QUICK_STEP = 4_000, 8  # every eighth class
LONGEST_TITLE = 60
_SECONDS_OF_A_PAGE = 0.008  # of the map
_MEASURES = ("vectors", "map")


def tasks(data: Path, scope: Scope) -> list[Task]:
    """Return a training and a map for each method and seed."""
    texts = pages(data)
    titles = _titles(data, texts)
    if scope.quick:
        rows = _sample(texts)
        texts, titles = texts.take(rows), titles.take(pa.array(rows))
    return [_task(method.scoped(scope), texts, titles, seed) for seed in scope.seeds for method in METHODS]


def _titles(data: Path, texts: LabeledTexts) -> pa.Array:
    """Return the title of each page or, if the file has no titles, the beginning of its text."""
    path = data / LABELED_PAGES
    with data_errors(path):
        has_titles = "title" in pa.parquet.read_schema(path).names
        column = pa.parquet.read_table(path, columns=["title"])["title"] if has_titles else None
        titles = texts.texts if column is None else column.cast(pa.large_string()).combine_chunks()
    return pc.utf8_slice_codeunits(pc.replace_substring(pc.fill_null(titles, ""), "\n", " "), 0, LONGEST_TITLE)


def _sample(texts: LabeledTexts) -> npt.NDArray[np.int64]:
    """Choose rows for a quick run: whole classes, because a few pages of each of 100 classes would show nothing."""
    random = np.random.default_rng(0)
    labeled = np.flatnonzero(np.isin(texts.label, np.arange(0, len(texts.classes), QUICK_STEP)))
    others = np.flatnonzero(texts.label == -1)
    count = min(len(others), max(QUICK_PAGES - len(labeled), 0))
    return np.sort(np.concatenate([labeled, random.choice(others, count, replace=False)]))


def _task(method: Method, texts: LabeledTexts, titles: pa.Array, seed: int) -> Task:
    settings = {**method.all_settings(), "perplexity": PERPLEXITY, "neighbors": NEIGHBORS}
    key = CellKey(NAME, method.name, settings, seed, (texts.fingerprint,))
    labeled = int(np.count_nonzero(texts.label >= 0))
    seconds = method.learning_seconds(texts.fingerprint.text_bytes) + _SECONDS_OF_A_PAGE * labeled
    missing = "" if is_installed("openTSNE") else f"needs openTSNE: {remedy('figures')}"
    return Task(key, partial(_measure, method, texts, titles, seed), seconds, missing)


def _measure(method: Method, texts: LabeledTexts, titles: pa.Array, seed: int) -> Mapping[str, Any]:
    """Learn from all pages, as the paper does; map the labeled ones, and let the nearest pages vote."""
    estimator = method.build(seed)
    labeled = texts.label >= 0
    with noting_warnings() as messages:
        clock = time.perf_counter()
        vectors = _unit(estimator.fit_transform(texts.texts)[labeled])
        learned = time.perf_counter()
    places = tsne(vectors, seed, estimator.workers)
    mapped = time.perf_counter()
    classes, is_train = np.array(texts.classes)[texts.label[labeled]], texts.split[labeled] == "train"
    groups = np.array([group_of().get(name, "") for name in classes])
    shown = np.isin(groups, PAPER_GROUPS)
    return {
        "errors": _errors(vectors, places, classes, is_train),
        "group_errors": _errors(vectors[shown], places[shown], groups[shown], is_train[shown]),
        "learning_seconds": learned - clock,
        "map_seconds": mapped - learned,
        "map": PageMap(places, classes, titles.filter(pa.array(labeled)).to_pylist()).as_json(),
        "messages": messages,
    }


def tsne(vectors: Vectors, seed: int, workers: int | None) -> Vectors:
    """Map unit vectors to two dimensions by t-SNE (van der Maaten and Hinton 2008)."""
    from openTSNE import TSNE

    perplexity = min(PERPLEXITY, (len(vectors) - 1) / 3)  # t-SNE uses three times as many neighbors
    layout = TSNE(perplexity=perplexity, random_state=seed, n_jobs=workers or -1)
    return np.asarray(layout.fit(vectors), np.float32)


def _unit(vectors: Vectors) -> Vectors:
    """Scale rows to length one; a zero row stays zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return unit


def _errors(
    vectors: Vectors, places: Vectors, classes: npt.NDArray[np.str_], is_train: npt.NDArray[np.bool_]
) -> dict[str, float]:
    """Let the nearest training pages vote on each test page, by the vectors and on the map."""
    from sklearn.neighbors import KNeighborsClassifier

    train, test = classes[is_train], classes[~is_train]
    if not (len(train) and len(test)):  # no page belongs to one of the paper's groups
        return {}
    k = min(NEIGHBORS, len(train))
    by_vectors = nearest_neighbors(vectors[is_train], train, vectors[~is_train], test, k=k)
    on_map = KNeighborsClassifier(k).fit(places[is_train], train).predict(places[~is_train])
    return {"vectors": by_vectors.error, "map": float(np.mean(on_map != test))}


def section(cells: Sequence[Cell]) -> Section:
    """Show the maps of the first seed, and the error of the vote over all seeds."""
    return Section((_table(cells),), _pictures(cells), _NOTES) if cells else Section()


def _pictures(cells: Sequence[Cell]) -> tuple[Picture, ...]:
    """Return the figures and the page; none if the cells are stored without their large maps."""
    first = min(cell.key.seed for cell in cells)
    maps = {
        cell.key.method: PageMap.from_json(cell.result["map"])
        for cell in cells
        if cell.key.seed == first and "map" in cell.result
    }
    if not maps:
        return ()
    pictures = [
        Picture(
            "tsne-classes",
            "Maps of Wikipedia pages by t-SNE, like the paper's figure 3: twelve classes in color, the others in gray.",
            partial(draw_classes, maps),
        ),
        Picture("tsne", "The maps with all groups of classes and the titles of the pages.", partial(draw_page, maps)),
    ]
    if Name.DOC2VECC in maps and any(cell.result["group_errors"] for cell in cells_of(cells, Name.DOC2VECC)):
        caption = (
            "The map of Doc2VecC, like the paper's figure 4: its seven groups, made of our classes. Pages of other "
            "classes are left out."
        )
        pictures.insert(1, Picture("tsne-groups", caption, partial(draw_groups, maps[Name.DOC2VECC])))
    return tuple(pictures)


def _table(cells: Sequence[Cell]) -> ResultTable:
    rows = []
    for method in METHODS:
        some = cells_of(cells, method.name)
        ours = [
            summarize(100 * cell.result[kind][measure] for cell in some if cell.result[kind])
            for kind in ("errors", "group_errors")
            for measure in _MEASURES
        ]
        rows.append(Row.of(method.name, [None] * len(ours), ours))
    headings = [f"{of}, {where}" for of in ("classes", "groups") for where in _MEASURES]
    return ResultTable(
        f"Error % of the vote of the {NEIGHBORS} nearest pages ({COARSE_CATEGORIES.place}: maps without values)",
        tuple(Column(heading, decimals(1)) for heading in headings),
        tuple(rows),
        (
            "vectors: nearest by cosine similarity; map: nearest on the map. The training pages vote on the test "
            "pages.",
            f"classes: all 100; groups: the paper's seven ({', '.join(PAPER_GROUPS)}), other pages left out.",
        ),
    )


_NOTES = (
    "The paper's pages are not published; these replace them. The class is the head noun of a page's first "
    "sentence, and some classes overlap (footballer, football player), so no map can separate all of them.",
    "The paper does not say which variant of Paragraph Vectors it used, so both are shown, with the vectors "
    "learned in training.",
)

EXPERIMENT = Experiment(
    name=NAME,
    title="Maps of Wikipedia pages",
    place="Figures 3 and 4, section 4.4",
    tasks=tasks,
    section=section,
    needs=("wikipedia100",),
)
