"""Writing an encoded corpus: provisional numbers become ids of words and n-grams, batch by batch, on all threads.

batches of numbers  --translation to ids-->  words  --n-grams, if any; each once, if asked for-->  ids and offsets
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from doc2vecc.corpus.mapped_files import Ids, MappedFiles, Spool
from doc2vecc.corpus.ngrams import ChosenNgrams, NgramRule, WordBatch, choose_ngrams
from doc2vecc.corpus.numbering import Translation
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.kernels.text.distinct import drop_repeated
from doc2vecc.kernels.text.ngrams import write_features
from doc2vecc.kernels.text.numbering import renumber

Lengths = npt.NDArray[np.int64]
Item = TypeVar("Item")
Result = TypeVar("Result")


class NumberedBatch(NamedTuple):
    """A batch in the file of provisional numbers: who numbered it, and the lengths of its documents."""

    numbering: int
    generation: int
    n_ids: int
    lengths: npt.NDArray[np.int32]


def in_threads(work: Callable[[Item], Result], items: Iterable[Item], workers: int) -> Iterator[Result]:
    """Do the work on all threads, a little ahead of who asks, and return the results in order."""
    with ThreadPoolExecutor(workers) as pool:
        pending: deque[Future[Result]] = deque()
        for item in items:
            pending.append(pool.submit(work, item))
            if len(pending) > workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def _translate(
    source: Spool,
    write: Callable[[Ids], object],
    batches: list[NumberedBatch],
    translate: Callable[[NumberedBatch, Ids], tuple[Ids, Lengths]],
    workers: int,
) -> list[NumberedBatch]:
    """Translate numbers into others and write them, batch by batch, on all threads -> the batches of the others."""

    def work(batch_and_ids: tuple[NumberedBatch, Ids]) -> tuple[NumberedBatch, Ids]:
        batch, ids = batch_and_ids
        new_ids, lengths = translate(batch, ids)
        return batch._replace(n_ids=len(new_ids), lengths=lengths.astype(np.int32)), new_ids

    translated = []
    for batch, ids in in_threads(work, zip(batches, source, strict=True), workers):
        write(ids)
        translated.append(batch)
    source.clear()
    return translated


def _write_ids(
    files: MappedFiles,
    source: Spool,
    batches: list[NumberedBatch],
    translate: Callable[[NumberedBatch, Ids], tuple[Ids, Lengths]],
    vocabulary: Vocabulary,
    workers: int,
    *,
    distinct: bool,
) -> list[NumberedBatch]:
    """Translate numbers into ids of the vocabulary and write them, with ``distinct`` each once for a document."""

    def translate_once(batch: NumberedBatch, numbers: Ids) -> tuple[Ids, Lengths]:
        ids, lengths = translate(batch, numbers)
        n_left = drop_repeated(ids, lengths, np.zeros(len(vocabulary), np.int32))
        return ids[:n_left], lengths

    with files.ids_path.open("wb") as file:
        return _translate(
            source,
            lambda ids: file.write(ids.data),
            batches,
            translate_once if distinct else translate,
            workers,
        )


def write_words(
    files: MappedFiles,
    numbered: list[NumberedBatch],
    final: list[list[Translation]],
    vocabulary: Vocabulary,
    workers: int,
    *,
    distinct: bool,
) -> list[NumberedBatch]:
    """Write the ids of the words that have one."""

    def known_words(batch: NumberedBatch, ids: Ids) -> tuple[Ids, Lengths]:
        lengths = batch.lengths.astype(np.int64)
        n_known = renumber(ids, lengths, final[batch.numbering][batch.generation], ids)
        return ids[:n_known], lengths

    return _write_ids(files, files.numbered, numbered, known_words, vocabulary, workers, distinct=distinct)


def write_words_and_ngrams(
    files: MappedFiles,
    numbered: list[NumberedBatch],
    final: list[list[Translation]],
    vocabulary: Vocabulary,
    rule: NgramRule | None,
    workers: int,
    *,
    distinct: bool,
) -> tuple[list[NumberedBatch], ChosenNgrams]:
    """Write the ids of words and n-grams; without a rule to choose them, n-grams are the vocabulary's own."""

    def all_words(batch: NumberedBatch, ids: Ids) -> tuple[Ids, Lengths]:
        return final[batch.numbering][batch.generation][ids], batch.lengths.astype(np.int64)

    words = _translate(files.numbered, files.words.append, numbered, all_words, workers)

    def read() -> Iterator[WordBatch]:
        for batch, ids in zip(words, files.words, strict=True):
            yield WordBatch(ids, batch.lengths.astype(np.int64))

    chosen = choose_ngrams(vocabulary, read, rule, workers) if rule else ChosenNgrams(vocabulary, 0, 0)
    index = chosen.vocabulary.ngram_index

    def words_and_ngrams(batch: NumberedBatch, ids: Ids) -> tuple[Ids, Lengths]:
        lengths = batch.lengths.astype(np.int64)
        features = np.empty(index.longest * len(ids), np.int32)
        n_features = write_features(ids, lengths, index, np.empty(index.longest, np.int32), features)
        return features[:n_features], lengths

    written = _write_ids(files, files.words, words, words_and_ngrams, chosen.vocabulary, workers, distinct=distinct)
    return written, chosen


def write_offsets(files: MappedFiles, batches: list[NumberedBatch]) -> None:
    """Write where each document begins among the ids, and where the last one ends."""
    position = 0
    with files.offsets_path.open("wb") as file:
        file.write(np.zeros(1, np.int64).data)
        for batch in batches:
            file.write((position + np.cumsum(batch.lengths, dtype=np.int64)).data)
            position += batch.n_ids
