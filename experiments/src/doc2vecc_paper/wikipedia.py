"""Table 5: the error of a linear SVM that tells 100 classes of Wikipedia pages apart, by size of the vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from doc2vecc_paper.cells import Cell
from doc2vecc_paper.classification import EVERYTHING, LEARNED, cells_of, classification_task, error
from doc2vecc_paper.documents import pages
from doc2vecc_paper.experiment import Experiment, Scope, Section, Task
from doc2vecc_paper.methods import BAG, BAG_OF_WORDS, CORRUPTED, DENOISING, MEMORY, NEIGHBORS, Method
from doc2vecc_paper.published import (
    BOW,
    DEA,
    DOC2VECC,
    PARAGRAPH_VECTORS,
    WIKIPEDIA_DATA,
    WIKIPEDIA_ERROR,
    WORD2VEC,
    WORD2VEC_AVG,
    WORD2VEC_IDF,
)
from doc2vecc_paper.tables import Column, Comparison, Figure, Row

SIZES = (100, 200, 500)
FULL_SIZES = (*SIZES, 1000)
QUICK_SIZES = (100,)
QUICK_PAGES = 15_000  # some three for training in each of the classes
# Pages have fewer words than reviews to leave zero by, so the steps of Word2Vec are longer here.
TRAINED = (DENOISING, NEIGHBORS.changed(alpha=0.1), MEMORY, BAG, CORRUPTED)

STAND_IN = (
    "A stand-in for the paper's data, which are not published: second paragraphs of 151,871 Wikipedia pages of "
    "2014, whose classes are the head noun of the page's first sentence, not Wikipedia's categories. Some classes "
    "are weak or overlap. There are half as many training pages as in the paper, a tenth as many test pages, and a "
    "third as many words in the vocabulary. Compare the methods with each other, not with the paper's figures."
)


def tasks(data: Path, scope: Scope) -> list[Task]:
    """Return a training for each method, size and seed, on all pages; a bag of words needs one."""
    texts = pages(data).subset(QUICK_PAGES, seed=0) if scope.quick else pages(data)
    sizes = QUICK_SIZES if scope.quick else FULL_SIZES if scope.full else SIZES
    found = [classification_task(BAG_OF_WORDS, texts, EVERYTHING, 0, scope)]
    for size in sizes:  # the small ones first: they tell soonest
        for seed in scope.seeds:
            for method in TRAINED:
                sized = method.changed(vector_size=size)
                found.append(classification_task(sized, texts, EVERYTHING, seed, scope))
    return found


def section(cells: Sequence[Cell]) -> Section:
    """Lay the errors out by size, the paper's beside ours."""

    def row(name: str, published: str | None, method: Method, way: str = "mean") -> Row:
        figures = []
        for column, size in zip(WIKIPEDIA_ERROR.columns, FULL_SIZES, strict=True):
            sized = {} if method is BAG_OF_WORDS else {"vector_size": size}
            ours = error(cells_of(cells, method.name, **sized), way)
            figures.append(Figure(WIKIPEDIA_ERROR.figure(published or "", column), ours))
        return Row(name, tuple(figures))

    rows = (
        row(f"{BOW}, binary", BOW, BAG_OF_WORDS, "binary"),
        row(f"{BOW}, tf-idf", None, BAG_OF_WORDS, "tfidf"),
        row(DEA, DEA, DENOISING),
        row(WORD2VEC_AVG, WORD2VEC_AVG, NEIGHBORS),
        row(WORD2VEC_IDF, WORD2VEC_IDF, NEIGHBORS, "idf"),
        row(f"{WORD2VEC} + tf-idf", WORD2VEC_IDF, NEIGHBORS, "tfidf"),
        row(MEMORY.name, PARAGRAPH_VECTORS, MEMORY, LEARNED),
        row(BAG.name, PARAGRAPH_VECTORS, BAG, LEARNED),
        row(DOC2VECC, DOC2VECC, CORRUPTED),
    )
    table = Comparison(
        f"Error in % on a stand-in for the paper's Wikipedia pages ({WIKIPEDIA_ERROR.place})",
        tuple(Column(column) for column in WIKIPEDIA_ERROR.columns),
        rows,
        ("Linear SVM; vectors are learned from all pages. h = 1000 is run with --full only.",),
    )
    notes = (STAND_IN, f"The paper's data ({WIKIPEDIA_DATA.place}): {WIKIPEDIA_DATA.says}.")
    return Section((table,), notes=notes)


EXPERIMENT = Experiment(
    name="wikipedia",
    title="Telling 100 classes of Wikipedia pages apart",
    place=WIKIPEDIA_ERROR.place,
    tasks=tasks,
    section=section,
    needs=("wikipedia100",),
)
