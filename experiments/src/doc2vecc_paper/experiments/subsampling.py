"""The claim of section 4.2 that Word2Vec + AVG needs frequent words to be subsampled, and Doc2VecC does not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from doc2vecc_paper.cells import Cell
from doc2vecc_paper.claims import SUBSAMPLING
from doc2vecc_paper.classification import EVERYTHING, cells_of, classification_task, error
from doc2vecc_paper.documents import reviews
from doc2vecc_paper.experiment import Experiment, Scope, Section, Task
from doc2vecc_paper.methods import DOC2VECC, SUBSAMPLE, WORD2VEC, Method
from doc2vecc_paper.published import IMDB_ERROR, Name
from doc2vecc_paper.tables import Column, ResultTable, Row

SAMPLES = (SUBSAMPLE, 0.0)  # with and without


def tasks(data: Path, scope: Scope) -> list[Task]:
    """Return a training for each method and seed, with subsampling and without."""
    texts = reviews(data, scope)
    return [
        classification_task(method.changed(sample=sample), texts, EVERYTHING, seed, scope)
        for seed in scope.seeds
        for method in (WORD2VEC, DOC2VECC)
        for sample in SAMPLES
    ]


def section(cells: Sequence[Cell]) -> Section:
    """Show the errors with subsampling and without."""

    def row(name: str, method: Method, way: str, paper: tuple[float | None, float | None]) -> Row:
        ours = [error(cells_of(cells, method.name, sample=sample), way) for sample in SAMPLES]
        return Row.of(name, paper, ours)

    claimed = SUBSAMPLING.values["Word2Vec + AVG with"], SUBSAMPLING.values["Word2Vec + AVG without"]
    rows = (
        row(Name.WORD2VEC_AVG, WORD2VEC, "mean", claimed),
        row(Name.WORD2VEC_IDF, WORD2VEC, "idf", (IMDB_ERROR.value(Name.WORD2VEC_IDF, "include test"), None)),
        row(Name.DOC2VECC, DOC2VECC, "mean", (IMDB_ERROR.value(Name.DOC2VECC, "include test"), None)),
    )
    table = ResultTable(
        f"Error on IMDB with and without subsampling of frequent words ({SUBSAMPLING.place})",
        (Column("with %"), Column("without %")),
        rows,
        (
            f"with: sample={SUBSAMPLE:g} (the paper does not give its value); without: sample=0. Vectors are "
            "learned from all reviews.",
        ),
    )
    notes = (
        f"The paper says that {SUBSAMPLING.says}.",
        "The author's program also subsamples documents when it embeds them, so that frequent words count less in "
        "the mean. Here a document is always the mean of all its words.",
    )
    return Section((table,), notes=notes)


EXPERIMENT = Experiment(
    name="subsampling",
    title="With and without subsampling of frequent words",
    place=SUBSAMPLING.place,
    tasks=tasks,
    section=section,
    needs=("imdb",),
)
