"""Table 5: the error of a linear SVM on 100 classes of Wikipedia pages, by dimensions of the vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from doc2vecc_paper.cells import Cell
from doc2vecc_paper.claims import WIKIPEDIA_DATA
from doc2vecc_paper.classification import EVERYTHING, LEARNED, cells_of, classification_task, error
from doc2vecc_paper.documents import pages
from doc2vecc_paper.experiment import Experiment, Scope, Section, Task
from doc2vecc_paper.methods import BOW, DEA, DOC2VECC, PV_DBOW, PV_DM, WORD2VEC, Method
from doc2vecc_paper.published import WIKIPEDIA_ERROR, Name
from doc2vecc_paper.tables import Column, ResultTable, Row

SIZES = (100, 200, 500)
FULL_SIZES = (*SIZES, 1000)
QUICK_SIZES = (100,)
QUICK_PAGES = 15_000  # about three training pages of each class
# Pages have fewer words than reviews, so Word2Vec needs a higher learning rate.
TRAINED = (DEA, WORD2VEC.changed(alpha=0.1), PV_DM, PV_DBOW, DOC2VECC)

REPLACEMENT = (
    "The paper's data are not published. A replacement: second paragraphs of 151,871 Wikipedia pages of 2014. The "
    "class is the head noun of the page's first sentence, not Wikipedia's category; some classes overlap. There "
    "are half as many training pages as in the paper, a tenth as many test pages, and a third as many words in the "
    "vocabulary. Compare the methods with each other, not with the paper's values."
)


def tasks(data: Path, scope: Scope) -> list[Task]:
    """Return a training for each method, size and seed, on all pages; a bag of words needs one."""
    texts = pages(data).subset(QUICK_PAGES, seed=0) if scope.quick else pages(data)
    sizes = QUICK_SIZES if scope.quick else FULL_SIZES if scope.full else SIZES
    found = [classification_task(BOW, texts, EVERYTHING, 0, scope)]
    for size in sizes:  # small ones first: they finish soonest
        for seed in scope.seeds:
            for method in TRAINED:
                sized = method.changed(vector_size=size)
                found.append(classification_task(sized, texts, EVERYTHING, seed, scope))
    return found


def section(cells: Sequence[Cell]) -> Section:
    """Show the errors by size, the paper's beside ours; the largest size if it was run."""
    is_full = any(cell.key.settings.get("vector_size") == FULL_SIZES[-1] for cell in cells)
    columns = WIKIPEDIA_ERROR.columns if is_full else WIKIPEDIA_ERROR.columns[: len(SIZES)]

    def row(name: str, published: str | None, method: Method, way: str = "mean") -> Row:
        paper = [WIKIPEDIA_ERROR.value(published or "", column) for column in columns]
        sizes = [{} if method is BOW else {"vector_size": size} for size, _ in zip(FULL_SIZES, columns, strict=False)]
        return Row.of(name, paper, [error(cells_of(cells, method.name, **sized), way) for sized in sizes])

    rows = (
        row(f"{Name.BOW}, binary", Name.BOW, BOW, "binary"),
        row(f"{Name.BOW}, tf-idf", None, BOW, "tfidf"),
        row(Name.DEA, Name.DEA, DEA),
        row(Name.WORD2VEC_AVG, Name.WORD2VEC_AVG, WORD2VEC),
        row(Name.WORD2VEC_IDF, Name.WORD2VEC_IDF, WORD2VEC, "idf"),
        row(f"{Name.WORD2VEC} + tf-idf", Name.WORD2VEC_IDF, WORD2VEC, "tfidf"),
        row(PV_DM.name, Name.PARAGRAPH_VECTORS, PV_DM, LEARNED),
        row(PV_DBOW.name, Name.PARAGRAPH_VECTORS, PV_DBOW, LEARNED),
        row(Name.DOC2VECC, Name.DOC2VECC, DOC2VECC),
    )
    table = ResultTable(
        f"Error in % on a replacement of the paper's Wikipedia pages ({WIKIPEDIA_ERROR.place})",
        tuple(Column(column) for column in columns),
        rows,
        ("Linear SVM; vectors are learned from all pages. h = 1000 of the paper is run with --full only.",),
    )
    notes = (REPLACEMENT, f"The paper's data ({WIKIPEDIA_DATA.place}): {WIKIPEDIA_DATA.says}.")
    return Section((table,), notes=notes)


EXPERIMENT = Experiment(
    name="wikipedia",
    title="100 classes of Wikipedia pages",
    place=WIKIPEDIA_ERROR.place,
    tasks=tasks,
    section=section,
    needs=("wikipedia100",),
)
