"""Encoding: texts are read once, their words and phrases chosen, and their ids written to a file.

texts  --numbering-->  provisional numbers  --choice of words (and phrases)-->  ids of what stays
"""

from __future__ import annotations

import contextlib
import ctypes
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc.corpus.encoded import EncodedCorpus, EncodingReport
from doc2vecc.corpus.mapped_files import Ids, MappedFiles, Spool
from doc2vecc.corpus.numbering import (
    CallableNumbering,
    NumberedTexts,
    ScannedNumbering,
    Tokenizer,
    Translation,
    WordNumbering,
    merge,
)
from doc2vecc.corpus.phrases import ChosenPhrases, PhraseRule, WordBatch, choose_phrases
from doc2vecc.corpus.vocabulary import Vocabulary, add_words, choose_words, find_words
from doc2vecc.kernels.distinct import drop_repeated
from doc2vecc.kernels.numbering import renumber
from doc2vecc.kernels.phrases import write_features

OnBatch = Callable[[int], None]
Lengths = npt.NDArray[np.int64]
ChosenWords = tuple[Vocabulary, npt.NDArray[np.int32]]  # and the id of every word that was counted, or -1
Item = TypeVar("Item")
Result = TypeVar("Result")


class _NumberedBatch(NamedTuple):
    """A batch in the file of provisional numbers: who numbered it, and the lengths of its documents."""

    numbering: int
    generation: int
    n_ids: int
    lengths: npt.NDArray[np.int32]


def encode(
    batches: Iterable[Any],
    *,
    min_count: int = 1,
    max_vocab: int | None = None,
    tokenizer: Tokenizer | None = None,
    workers: int = 1,
    on_batch: OnBatch | None = None,
    phrases: PhraseRule | None = None,
    distinct: bool = False,
) -> EncodedCorpus:
    """Read batches of texts (``pa.LargeStringArray``) once -> vocabulary and encoded corpus.

    With ``distinct`` a document has each of its words and phrases once; counts are of all occurrences even so.
    ``on_batch`` is told the number of documents after each batch. With a tokenizer of the user's own one
    thread does the work, because Python code does not run side by side.
    """

    def cut_off(words: Vocabulary, documents: int) -> ChosenWords:
        return choose_words(words, min_count, max_vocab, documents)

    return _encode(batches, cut_off, tokenizer, workers, on_batch, phrases, distinct=distinct)


def encode_further(
    batches: Iterable[Any],
    known: Vocabulary,
    *,
    min_count: int = 1,
    tokenizer: Tokenizer | None = None,
    workers: int = 1,
    on_batch: OnBatch | None = None,
    distinct: bool = False,
) -> EncodedCorpus:
    """Encode further texts with a known vocabulary, extended by their words that occur ``min_count`` times."""

    def extend(words: Vocabulary, documents: int) -> ChosenWords:  # noqa: ARG001
        return add_words(known, words, min_count)

    return _encode(batches, extend, tokenizer, workers, on_batch, distinct=distinct)


def encode_known(
    batches: Iterable[Any],
    known: Vocabulary,
    *,
    tokenizer: Tokenizer | None = None,
    workers: int = 1,
    on_batch: OnBatch | None = None,
) -> EncodedCorpus:
    """Encode texts with a known vocabulary as it is; other words are left out."""

    def find(words: Vocabulary, documents: int) -> ChosenWords:  # noqa: ARG001
        return known, find_words(words, known)

    return _encode(batches, find, tokenizer, workers, on_batch)


def _encode(
    batches: Iterable[Any],
    choose: Callable[[Vocabulary, int], ChosenWords],
    tokenizer: Tokenizer | None,
    workers: int,
    on_batch: OnBatch | None,
    phrases: PhraseRule | None = None,
    *,
    distinct: bool = False,
) -> EncodedCorpus:
    """Number all tokens, choose the words and phrases that stay, and translate the numbers into their ids."""
    numberings: list[WordNumbering]
    if tokenizer is None:
        numberings = [ScannedNumbering() for _ in range(workers)]
    else:
        numberings = [CallableNumbering(tokenizer)]
    files = MappedFiles()
    numbered = []
    for number, batch in _number_in_threads(batches, numberings):
        files.numbered.append(batch.ids)
        # Lengths wait in memory until the end: four bytes per document.
        lengths = batch.lengths.astype(np.int32)
        numbered.append(_NumberedBatch(number, batch.generation, len(batch.ids), lengths))
        if on_batch is not None:
            on_batch(len(lengths))
    all_words, translations = merge(numberings)
    report = EncodingReport(
        documents=sum(len(batch.lengths) for batch in numbered),
        tokens=sum(batch.n_ids for batch in numbered),
        distinct_words=len(all_words),
        forgotten_words=sum(numbering.forgotten_words for numbering in numberings),
        forgotten_tokens=sum(numbering.forgotten_tokens for numbering in numberings),
    )
    numberings.clear()  # their look-up tables are not needed any more
    vocabulary, ids_of_words = choose(all_words, report.documents)
    final = [
        [np.where(numbers >= 0, ids_of_words[numbers], -1).astype(np.int32) for numbers in generations]
        for generations in translations
    ]
    if phrases is None and not len(vocabulary.phrases):
        written = _write_words(files, numbered, final, vocabulary, workers, distinct=distinct)
    else:
        written, chosen = _write_words_and_phrases(
            files, numbered, final, vocabulary, phrases, workers, distinct=distinct
        )
        vocabulary = chosen.vocabulary
        report.forgotten_phrases = chosen.forgotten
        report.forgotten_phrase_occurrences = chosen.forgotten_occurrences
    _write_offsets(files, written)
    report.phrases = len(vocabulary.phrases)
    report.known_tokens = int(all_words.counts[ids_of_words >= 0].sum())
    report.empty_documents = sum(int(np.count_nonzero(batch.lengths == 0)) for batch in written)
    del numbered, written, all_words, translations, final, ids_of_words
    _return_free_memory()
    return EncodedCorpus(*files.map(), vocabulary, report, files)


def _return_free_memory() -> None:
    """Ask the C library for the memory that counting has freed; glibc would keep it while the tables are made."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _number_in_threads(
    batches: Iterable[Any], numberings: list[WordNumbering]
) -> Iterator[tuple[int, NumberedTexts]]:
    """Number batches on all threads, and return the results in the order of the batches."""
    free: SimpleQueue[int] = SimpleQueue()
    for number in range(len(numberings)):
        free.put(number)

    def work(texts: Any) -> tuple[int, NumberedTexts]:  # noqa: ANN401
        number = free.get()
        try:
            return number, numberings[number].number(texts)
        finally:
            free.put(number)

    numberings[0].number(pa.array([], pa.large_string()))  # compiles here: a pool cannot be interrupted at it
    return _in_threads(work, batches, len(numberings))


def _in_threads(work: Callable[[Item], Result], items: Iterable[Item], workers: int) -> Iterator[Result]:
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
    batches: list[_NumberedBatch],
    translate: Callable[[_NumberedBatch, Ids], tuple[Ids, Lengths]],
    workers: int,
) -> list[_NumberedBatch]:
    """Translate numbers into others and write them, batch by batch, on all threads -> the batches of the others."""

    def work(batch_and_ids: tuple[_NumberedBatch, Ids]) -> tuple[_NumberedBatch, Ids]:
        batch, ids = batch_and_ids
        new_ids, lengths = translate(batch, ids)
        return batch._replace(n_ids=len(new_ids), lengths=lengths.astype(np.int32)), new_ids

    translated = []
    for batch, ids in _in_threads(work, zip(batches, source, strict=True), workers):
        write(ids)
        translated.append(batch)
    source.clear()
    return translated


def _write_ids(
    files: MappedFiles,
    source: Spool,
    batches: list[_NumberedBatch],
    translate: Callable[[_NumberedBatch, Ids], tuple[Ids, Lengths]],
    vocabulary: Vocabulary,
    workers: int,
    *,
    distinct: bool,
) -> list[_NumberedBatch]:
    """Translate numbers into ids of the vocabulary and write them, with ``distinct`` each once for a document."""

    def translate_once(batch: _NumberedBatch, numbers: Ids) -> tuple[Ids, Lengths]:
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


def _write_words(
    files: MappedFiles,
    numbered: list[_NumberedBatch],
    final: list[list[Translation]],
    vocabulary: Vocabulary,
    workers: int,
    *,
    distinct: bool,
) -> list[_NumberedBatch]:
    """Write the ids of the words that have one."""

    def known_words(batch: _NumberedBatch, ids: Ids) -> tuple[Ids, Lengths]:
        lengths = batch.lengths.astype(np.int64)
        n_known = renumber(ids, lengths, final[batch.numbering][batch.generation], ids)
        return ids[:n_known], lengths

    return _write_ids(files, files.numbered, numbered, known_words, vocabulary, workers, distinct=distinct)


def _write_words_and_phrases(
    files: MappedFiles,
    numbered: list[_NumberedBatch],
    final: list[list[Translation]],
    vocabulary: Vocabulary,
    rule: PhraseRule | None,
    workers: int,
    *,
    distinct: bool,
) -> tuple[list[_NumberedBatch], ChosenPhrases]:
    """Write the ids of words and phrases; without a rule to choose them, phrases are the vocabulary's own."""

    def all_words(batch: _NumberedBatch, ids: Ids) -> tuple[Ids, Lengths]:
        return final[batch.numbering][batch.generation][ids], batch.lengths.astype(np.int64)

    words = _translate(files.numbered, files.words.append, numbered, all_words, workers)

    def read() -> Iterator[WordBatch]:
        for batch, ids in zip(words, files.words, strict=True):
            yield WordBatch(ids, batch.lengths.astype(np.int64))

    chosen = choose_phrases(vocabulary, read, rule, workers) if rule else ChosenPhrases(vocabulary, 0, 0)
    index = chosen.vocabulary.phrase_index

    def words_and_phrases(batch: _NumberedBatch, ids: Ids) -> tuple[Ids, Lengths]:
        lengths = batch.lengths.astype(np.int64)
        features = np.empty(index.longest * len(ids), np.int32)
        n_features = write_features(ids, lengths, index, np.empty(index.longest, np.int32), features)
        return features[:n_features], lengths

    written = _write_ids(
        files, files.words, words, words_and_phrases, chosen.vocabulary, workers, distinct=distinct
    )
    return written, chosen


def _write_offsets(files: MappedFiles, batches: list[_NumberedBatch]) -> None:
    position = 0
    with files.offsets_path.open("wb") as file:
        file.write(np.zeros(1, np.int64).data)
        for batch in batches:
            file.write((position + np.cumsum(batch.lengths, dtype=np.int64)).data)
            position += batch.n_ids
