"""Table 6: relatedness of sentences (SICK), predicted from vectors learned from novels.

novels  --fit-->  word vectors  --partial_fit on the sentences, without scores-->  vectors of sentences
|a - b| and a * b of a pair  -->  multinomial logistic regression over the scores 1 to 5  -->  their mean
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse
from sklearn.preprocessing import normalize

from doc2vecc.evaluation import Pairs, relatedness
from doc2vecc_paper.cells import Cell, CellKey
from doc2vecc_paper.classification import cells_of, not_converged, noting_warnings
from doc2vecc_paper.datasets import SentencePairs, Texts, load_novels, load_sick
from doc2vecc_paper.datasets.parses import ParsedPairs, missing_for_trees
from doc2vecc_paper.experiment import Experiment, Scope, Section, Task
from doc2vecc_paper.experiments import sick_networks, skip_thoughts
from doc2vecc_paper.experiments.sick_networks import rating
from doc2vecc_paper.methods import BOW, DEA, DOC2VECC, PV_DBOW, PV_DM, WORD2VEC, Method
from doc2vecc_paper.published import SICK, SICK_SOURCES, Name
from doc2vecc_paper.tables import Column, ResultTable, Row, decimals, published_row

NAME = "relatedness"
QUICK_PARAGRAPHS, QUICK_PAIRS = 8_000, 1_000
SICK_SPLITS = ("train", "trial", "test")
_SECONDS_OF_A_REGRESSION = 20.0
_COMMON: Mapping[str, Any] = {"vector_size": 300, "min_count": 5}

# What to learn from; the values are in the keys of cells.
ALONE, FURTHER, TOGETHER = "novels", "novels, then sentences", "novels and sentences at once"
SENTENCES = "sentences"
GLOVE, GLOVE_FURTHER = "GloVe vectors", "GloVe vectors, then sentences"

# For continued training on the sentences: all of their words, no subsampling, and a higher learning rate, because
# there are few of them; see NOTES. `python -m doc2vecc_paper.measure sentences` compares settings.
FURTHER_SETTINGS: Mapping[str, Any] = {"min_count": 1, "sample": 0.0, "alpha": 0.2}
# GloVe vectors are much longer than ours; a smaller rate moves them less.
GLOVE_SETTINGS: Mapping[str, Any] = {**FURTHER_SETTINGS, "alpha": 0.05}


class Course(NamedTuple):
    """A method, and the texts it learns from."""

    method: Method
    learn_from: str


# The paper subsamples frequent words for all methods, and predicts every word from its neighbors and the document;
# both together helped in cross-validation on the training pairs.
_SUBSAMPLED: Mapping[str, Any] = {**_COMMON, "sample": 1e-3}
OUR_DOC2VECC = DOC2VECC.changed(**_SUBSAMPLED, document_only=0.0)
OUR_WORD2VEC = WORD2VEC.changed(**_SUBSAMPLED, alpha=0.1)
COURSES = (
    Course(OUR_DOC2VECC, FURTHER),
    Course(OUR_DOC2VECC, ALONE),
    Course(OUR_DOC2VECC, TOGETHER),
    Course(OUR_WORD2VEC, ALONE),
    Course(OUR_WORD2VEC, TOGETHER),
    Course(DEA.changed(**_SUBSAMPLED), TOGETHER),
    Course(PV_DM.changed(**_COMMON), TOGETHER),
    Course(PV_DBOW.changed(**_COMMON), TOGETHER),
    Course(BOW.changed(min_count=1), SENTENCES),
)


def tasks(data: Path, scope: Scope) -> list[Task]:
    """Return a training for each course and seed; a bag of words has no seed."""
    novels, pairs = load_novels(data), load_sick(data)
    if scope.quick:
        novels, pairs = novels.subset(QUICK_PARAGRAPHS, seed=0), pairs.subset(QUICK_PAIRS, seed=0)
    learned = [
        _task(course._replace(method=course.method.scoped(scope)), novels, pairs, seed)
        for seed in scope.seeds
        for course in COURSES
        if course.method.name != Name.BOW or seed == scope.seeds[0]
    ]
    glove = None if missing_for_trees(data) else sick_networks.parses(data)
    learned += _glove_tasks(glove, pairs, scope)
    learned += sick_networks.tasks(data, scope, QUICK_PAIRS)
    return learned + skip_thoughts.relatedness_task(data, NAME, pairs, glove, scope)


def _glove_tasks(glove: ParsedPairs | None, pairs: SentencePairs, scope: Scope) -> list[Task]:
    """Return Doc2VecC from GloVe vectors, as they are and further trained; none if they are not there."""
    if glove is None:
        return []
    method = OUR_DOC2VECC.scoped(scope)
    sources = (glove.fingerprint(), pairs.fingerprint)
    found = []
    for seed, learn_from in [(scope.seeds[0], GLOVE), *((seed, GLOVE_FURTHER) for seed in scope.seeds)]:
        settings = {**method.all_settings(), "learn from": learn_from}
        if learn_from == GLOVE_FURTHER:
            settings["further"] = dict(GLOVE_SETTINGS)
        key = CellKey(NAME, method.name, settings, seed, sources)
        run = partial(_measure_glove, Course(method, learn_from), glove, pairs, seed)
        found.append(Task(key, run, _SECONDS_OF_A_REGRESSION + 10))
    return found


def _measure_glove(course: Course, glove: ParsedPairs, pairs: SentencePairs, seed: int) -> Mapping[str, Any]:
    with noting_warnings() as messages:
        clock = time.perf_counter()
        estimator = sick_networks.from_glove(glove, {**course.method.settings, "random_state": seed})
        if course.learn_from == GLOVE_FURTHER:
            continue_training(estimator, pairs, GLOVE_SETTINGS)
        learning_seconds = time.perf_counter() - clock
        ways = {"mean": _rated(*sentence_vectors(estimator, pairs), pairs)}
    return _result(estimator, ways, pairs, learning_seconds, messages)


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
    """Learn, then rate the test pairs with each representation of the method."""
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
    return _result(estimator, ways, pairs, learning_seconds, messages)


def _result(
    estimator: Any,  # noqa: ANN401
    ways: Mapping[str, Mapping[str, Any]],
    pairs: SentencePairs,
    learning_seconds: float,
    messages: list[str],
) -> dict[str, Any]:
    return {
        "ways": ways,
        "pairs": {split: int(np.count_nonzero(pairs.split == split)) for split in SICK_SPLITS},
        "vocabulary": len(estimator.vocabulary_),
        "learning_seconds": learning_seconds,
        "messages": messages + not_converged(c for rated in ways.values() for c in rated["unconverged"]),
    }


def learn(estimator: Any, learn_from: str, novels: Texts, pairs: SentencePairs) -> None:  # noqa: ANN401
    """Learn from the texts in their order; the scores of the pairs are not used."""
    first = {TOGETHER: pa.concat_arrays([novels.texts, pairs.sentences]), SENTENCES: pairs.sentences}
    estimator.fit(first.get(learn_from, novels.texts))
    if learn_from == FURTHER:
        continue_training(estimator, pairs, FURTHER_SETTINGS)


def continue_training(estimator: Any, pairs: SentencePairs, settings: Mapping[str, Any]) -> None:  # noqa: ANN401
    """Continue training on the sentences of all pairs, with other settings."""
    estimator.set_params(**settings).partial_fit(pairs.sentences)


def sentence_vectors(estimator: Any, pairs: SentencePairs) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:  # noqa: ANN401
    """Return the vectors of the first and the second sentences; for bags of words, their cosine c and 1.

    Bags have thousands of columns for ten words. With c and 1 as vectors, the features of a pair are 1 - c and c.
    """
    first, second = estimator.transform(pairs.first), estimator.transform(pairs.second)
    if not sparse.issparse(first):
        return first, second
    cosine = np.asarray(normalize(first).multiply(normalize(second)).sum(axis=1)).reshape(-1, 1)
    return cosine, np.ones_like(cosine)


def _rated(first: npt.NDArray[Any], second: npt.NDArray[Any], pairs: SentencePairs) -> dict[str, Any]:
    """Fit the regression on the training pairs, choose C on the trial pairs, and rate the test pairs."""
    splits = [pairs.split == split for split in SICK_SPLITS]
    found = relatedness(*(Pairs(first[rows], second[rows], pairs.score[rows]) for rows in splits))
    return {
        "Pearson": found.pearson,
        "Spearman": found.spearman,
        "MSE": found.mse,
        "c": found.c,
        "trial Pearson": found.trial_pearson[found.c],
        "unconverged": list(found.unconverged),
    }


def section(cells: Sequence[Cell]) -> Section:
    """Show the ratings as in the paper: rows it quotes from others, then what was run."""

    def row(name: str, published: str | None, course: Course, way: str = "mean", note: str | None = None) -> Row:
        some = cells_of(cells, course.method.name, **{"learn from": course.learn_from})
        paper = [SICK.value(published or "", column) for column in SICK.columns]
        ours = [rating(some, way, column) for column in SICK.columns]
        return Row.of(name, paper, ours, note)

    quoted = [
        published_row(SICK, name, [None] * len(SICK.columns), f"quoted by the paper, not run: {source}")
        for name, source in SICK_SOURCES.items()
        if source.startswith("submission")
    ]
    further, alone, together, word2vec_alone, word2vec, dea, pv_dm, pv_dbow, bow = COURSES
    quoted_average = f"the paper's value: {SICK_SOURCES[Name.WORD2VEC_AVG]}, not learned from these texts"
    run = [
        row(f"{Name.BOW}, cosine", None, bow, "binary"),
        row(f"{Name.BOW}, tf-idf cosine", None, bow, "tfidf"),
        row(f"{Name.WORD2VEC_AVG}, novels alone", Name.WORD2VEC_AVG, word2vec_alone, note=quoted_average),
        row(f"{Name.WORD2VEC_AVG}, all at once", None, word2vec),
        row(f"{Name.WORD2VEC_IDF}, all at once", None, word2vec, "idf"),
        row(Name.DEA, None, dea),
        row(pv_dm.method.name, None, pv_dm),
        row(pv_dbow.method.name, None, pv_dbow),
        row(f"{Name.DOC2VECC}, novels alone", None, alone),
        row(f"{Name.DOC2VECC}, all at once", None, together),
        row(Name.DOC2VECC, Name.DOC2VECC, further),
        row(f"{Name.DOC2VECC}, GloVe vectors alone", None, Course(OUR_DOC2VECC, GLOVE), note=_GLOVE),
        row(f"{Name.DOC2VECC}, from GloVe vectors", None, Course(OUR_DOC2VECC, GLOVE_FURTHER), note=_GLOVE),
    ]
    table = ResultTable(
        f"{SICK.caption} ({SICK.place})",
        tuple(Column(column, decimals(4)) for column in SICK.columns),
        (*quoted, *sick_networks.rows(cells), *skip_thoughts.rows(cells), *run),
        _pairs(cells),
    )
    return Section((table,), notes=(*NOTES, *sick_networks.times(cells), *skip_thoughts.curve(cells)))


def _pairs(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Say how the ratings are made, and with how many pairs."""
    if not cells:
        return ()
    count = cells[0].result["pairs"]
    return (
        f"Evaluated on {count['test']:,} test pairs; a logistic regression over the scores 1 to 5 is fitted on "
        f"{count['train']:,} pairs, C is chosen on {count['trial']:,}. Pearson, Spearman: higher is better.",
    )


_GLOVE = (
    "started from GloVe vectors of 840 billion words in place of vectors of the novels, as they are and with "
    "continued training on the sentences"
)

NOTES = (
    f"{Name.DOC2VECC} learns from the novels and continues training on the sentences of all pairs, whose words are "
    "added to the vocabulary; scores are not used. The paper does the same. The two rows above it are without that "
    "step, and with all texts at once. The other methods learn from novels and sentences at once, except for the "
    "bag of words, which learns from the sentences alone, and one row of Word2Vec.",
    "The paper's book corpus of 11,038 books and one billion words is no longer published; 100 novels of 14M words "
    "replace it. The paper does not give its dimension; here it is "
    f"{_COMMON['vector_size']}, with words that occur {_COMMON['min_count']} times.",
    "The settings were chosen among few by cross-validation on the training pairs, one seed, without the test "
    "pairs: sample=1e-3 (1e-4 was worse for Word2Vec, no subsampling for DEA); for Doc2VecC the best of five "
    "combinations of sample and document_only is sample=1e-3 with every word predicted from its neighbors and the "
    "document, as in the paper. The continued training has no subsampling and a learning rate of 0.2, which is "
    "lowered where a document has few words (docs/algorithm.md).",
    "Paragraph Vectors of sentences are inferred after training.",
    "Mean vectors with the head, DT-RNN, SDT-RNN and the LSTMs are learned from the scored pairs, with fixed GloVe "
    "vectors of words and the settings of Tai et al. 2015: 150 dimensions, Adagrad with a learning rate of 0.05, "
    "batches of 25 pairs, L2 of 1e-4, no output gate, weights shared between the directions of the bidirectional "
    "LSTM, at most 10 epochs, the best by the trial pairs. Mean vectors have 30 epochs, DT-RNN and SDT-RNN 30 with a "
    "learning rate of 0.01; Tai et al. do not give theirs. All have the same head.",
)

EXPERIMENT = Experiment(
    name=NAME,
    title="Semantic relatedness of sentences",
    place=SICK.place,
    tasks=tasks,
    section=section,
    needs=("novels", "sick"),
)
