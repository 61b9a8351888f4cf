"""Table 6: how related two sentences are (SICK), rated by vectors learned from novels.

novels  --fit-->  word vectors  --partial_fit on the sentences, scores unseen-->  vectors of sentences
|a - b| and a * b of a pair  -->  multinomial logistic regression over the scores 1 to 5  -->  their mean
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse
from sklearn.preprocessing import normalize

from doc2vecc.evaluation import Pairs, relatedness
from doc2vecc_paper.cells import Cell, CellKey, Summary, summarize
from doc2vecc_paper.classification import cells_of, not_converged, noting_warnings
from doc2vecc_paper.datasets import SentencePairs, Texts, load_novels, load_sick
from doc2vecc_paper.experiment import Experiment, Scope, Section, Task
from doc2vecc_paper.methods import BAG, BAG_OF_WORDS, CORRUPTED, DENOISING, MEMORY, NEIGHBORS, Method
from doc2vecc_paper.published import BOW, DEA, DOC2VECC, SICK, SICK_SOURCES, WORD2VEC_AVG, WORD2VEC_IDF
from doc2vecc_paper.tables import Column, Comparison, Figure, Row, decimals

NAME = "relatedness"
QUICK_PARAGRAPHS, QUICK_PAIRS = 8_000, 1_000
PARTS = ("train", "trial", "test")
_SECONDS_OF_A_REGRESSION = 20.0
_COMMON: Mapping[str, Any] = {"vector_size": 300, "min_count": 5}

# What to learn from.
ALONE, FURTHER, TOGETHER = "novels", "novels, then sentences", "novels and sentences at once"
SENTENCES = "sentences"


# For going on with the sentences: none of their words is left out, none is subsampled, and the rate is higher, because
# there are few of them; see NOTES. benchmarks/relatedness.py compares settings without the test pairs.
FURTHER_SETTINGS: Mapping[str, Any] = {"min_count": 1, "sample": 0.0, "alpha": 0.2}


class Course(NamedTuple):
    """A method, and what it learns from."""

    method: Method
    learn_from: str


# The paper thins frequent words for all methods, and predicts every word from its neighbors and the document; in
# cross-validation on the training pairs both together helped.
_THINNED: Mapping[str, Any] = {**_COMMON, "sample": 1e-3}
OURS = CORRUPTED.changed(**_THINNED, document_only=0.0)
THEIRS = NEIGHBORS.changed(**_THINNED, alpha=0.1)
COURSES = (
    Course(OURS, FURTHER),
    Course(OURS, ALONE),
    Course(OURS, TOGETHER),
    Course(THEIRS, ALONE),
    Course(THEIRS, TOGETHER),
    Course(DENOISING.changed(**_THINNED), TOGETHER),
    Course(MEMORY.changed(**_COMMON), TOGETHER),
    Course(BAG.changed(**_COMMON), TOGETHER),
    Course(BAG_OF_WORDS.changed(min_count=1), SENTENCES),
)


def tasks(data: Path, scope: Scope) -> list[Task]:
    """Return a training for each method, what it learns from, and seed; a bag of words has no seed."""
    novels, pairs = load_novels(data), load_sick(data)
    if scope.quick:
        novels, pairs = novels.subset(QUICK_PARAGRAPHS, seed=0), pairs.subset(QUICK_PAIRS, seed=0)
    return [
        _task(course._replace(method=course.method.scoped(scope)), novels, pairs, seed)
        for seed in scope.seeds
        for course in COURSES
        if course.method.name != BOW or seed == scope.seeds[0]
    ]


def _task(course: Course, novels: Texts, pairs: SentencePairs, seed: int) -> Task:
    method = course.method
    settings = {**method.all_settings(), "learn from": course.learn_from}
    if course.learn_from == FURTHER:
        settings["further"] = dict(FURTHER_SETTINGS)
    key = CellKey(NAME, method.name, settings, seed, (novels.fingerprint, pairs.fingerprint))
    seconds = method.learning_seconds(novels.fingerprint.text_bytes + pairs.fingerprint.text_bytes)
    seconds += _SECONDS_OF_A_REGRESSION * len(method.ways) * len(pairs) / 9_927
    return Task(key, partial(_measure, course, novels, pairs, seed), seconds)


def _measure(course: Course, novels: Texts, pairs: SentencePairs, seed: int) -> Mapping[str, Any]:
    """Learn, then rate the test pairs in each way that the method has to represent a sentence."""
    estimator = course.method.build(seed)
    ways = {}
    with noting_warnings() as messages:
        clock = time.perf_counter()
        learn(estimator, course.learn_from, novels, pairs)
        learning_seconds = time.perf_counter() - clock
        for way in course.method.ways:
            if len(course.method.ways) > 1:
                estimator.set_params(weighting=way)
            ways[way] = _rated(*sentence_vectors(estimator, pairs), pairs)
    return {
        "ways": ways,
        "pairs": {part: int(np.count_nonzero(pairs.split == part)) for part in PARTS},
        "vocabulary": len(estimator.vocabulary_),
        "learning_seconds": learning_seconds,
        "messages": messages + not_converged(c for rated in ways.values() for c in rated["unconverged"]),
    }


def learn(estimator: Any, learn_from: str, novels: Texts, pairs: SentencePairs) -> None:  # noqa: ANN401
    """Learn from the texts in their order; the scores of the pairs are never seen."""
    first = {TOGETHER: pa.concat_arrays([novels.texts, pairs.sentences]), SENTENCES: pairs.sentences}
    estimator.fit(first.get(learn_from, novels.texts))
    if learn_from == FURTHER:
        learn_further(estimator, pairs, FURTHER_SETTINGS)


def learn_further(estimator: Any, pairs: SentencePairs, settings: Mapping[str, Any]) -> None:  # noqa: ANN401
    """Go on with the sentences of all pairs, with other settings than before."""
    estimator.set_params(**settings).partial_fit(pairs.sentences)


def sentence_vectors(estimator: Any, pairs: SentencePairs) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:  # noqa: ANN401
    """Return the vectors of the first and of the second sentences; of bags of words, only their cosine.

    The bags have thousands of columns for ten words. With the cosine c of a pair as one vector and 1 as the other,
    the features of the pair are 1 - c and c.
    """
    first, second = estimator.transform(pairs.first), estimator.transform(pairs.second)
    if not sparse.issparse(first):
        return first, second
    cosine = np.asarray(normalize(first).multiply(normalize(second)).sum(axis=1)).reshape(-1, 1)
    return cosine, np.ones_like(cosine)


def _rated(first: npt.NDArray[Any], second: npt.NDArray[Any], pairs: SentencePairs) -> dict[str, Any]:
    """Learn to rate from the training pairs, choose C on the trial pairs, and rate the test pairs."""
    parts = [pairs.split == part for part in PARTS]
    found = relatedness(*(Pairs(first[rows], second[rows], pairs.score[rows]) for rows in parts))
    return {
        "Pearson": found.pearson,
        "Spearman": found.spearman,
        "MSE": found.mse,
        "c": found.c,
        "trial Pearson": found.trial_pearson[found.c],
        "unconverged": list(found.unconverged),
    }


def section(cells: Sequence[Cell]) -> Section:
    """Lay the ratings out as the paper does: what it quotes from others, and what was run."""

    def row(name: str, published: str | None, course: Course, way: str = "mean", note: str | None = None) -> Row:
        some = cells_of(cells, course.method.name, **{"learn from": course.learn_from})
        paper = [SICK.figure(published or "", column) for column in SICK.columns]
        ours = [rating(some, way, column) for column in SICK.columns]
        return Row(name, tuple(Figure(*pair) for pair in zip(paper, ours, strict=True)), note)

    quoted = [
        Row(
            name, tuple(Figure(value, None) for value in SICK.rows[name]), f"quoted by the paper, not run: {source}"
        )
        for name, source in SICK_SOURCES.items()
        if name != WORD2VEC_AVG
    ]
    further, alone, together, neighbors_alone, neighbors, denoising, memory, bag, words = COURSES
    quoted_average = f"the paper's figure: {SICK_SOURCES[WORD2VEC_AVG]}, not learned from these texts"
    run = [
        row(f"{BOW}, cosine", None, words, "binary"),
        row(f"{BOW}, tf-idf cosine", None, words, "tfidf"),
        row(f"{WORD2VEC_AVG}, novels alone", WORD2VEC_AVG, neighbors_alone, note=quoted_average),
        row(f"{WORD2VEC_AVG}, all at once", None, neighbors),
        row(f"{WORD2VEC_IDF}, all at once", None, neighbors, "idf"),
        row(DEA, None, denoising),
        row(memory.method.name, None, memory),
        row(bag.method.name, None, bag),
        row(f"{DOC2VECC}, novels alone", None, alone),
        row(f"{DOC2VECC}, all at once", None, together),
        row(DOC2VECC, DOC2VECC, further),
    ]
    table = Comparison(
        f"{SICK.caption} ({SICK.place})",
        tuple(Column(column, decimals(4)) for column in SICK.columns),
        (*quoted, *run),
        _pairs(cells),
    )
    return Section((table,), notes=NOTES)


def _pairs(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Say how the ratings come about, and with how many pairs."""
    if not cells:
        return ()
    count = cells[0].result["pairs"]
    return (
        f"Rated are {count['test']:,} test pairs; a logistic regression over the scores 1 to 5 learns from "
        f"{count['train']:,} pairs, C is chosen on {count['trial']:,}. Pearson, Spearman: more is better.",
    )


def rating(cells: Iterable[Cell], way: str, measure: str) -> Summary | None:
    """Return a measure over the seeds."""
    return summarize(cell.result["ways"][way][measure] for cell in cells if way in cell.result["ways"])


NOTES = (
    f"{DOC2VECC} learns from the novels and then goes on with the sentences of all pairs, whose words join the "
    "vocabulary; scores are not seen. The paper does the same. The two rows above it are without that step, and "
    "with everything learned at once. All other methods learn from novels and sentences at once, but for the "
    "bag of words, which learns from the sentences alone, and one row of Word2Vec.",
    "100 novels of 14M words stand in for the paper's book corpus of 11,038 books and one billion words, which is "
    "no longer published. The paper does not say how long its vectors are; here they have "
    f"{_COMMON['vector_size']} numbers, of words that occur {_COMMON['min_count']} times.",
    "Settings were chosen by cross-validation on the training pairs, one seed, without the test pairs, among few: "
    "frequent words subsampled by 1e-3, rather than by 1e-4 for Word2Vec, rather than not at all for DEA; for "
    "Doc2VecC the best of five combinations of subsampling and document_only is to thin by 1e-3 and to predict every "
    "word from its neighbors and the document, as the paper does. To go on with the sentences it thins nothing "
    "and learns at a rate of 0.2, which is lowered where a document has few words (docs/algorithm.md).",
    "Paragraph Vectors of sentences are inferred after training.",
)

EXPERIMENT = Experiment(
    name=NAME,
    title="Semantic relatedness of sentences",
    place=SICK.place,
    tasks=tasks,
    section=section,
    needs=("novels", "sick"),
)
