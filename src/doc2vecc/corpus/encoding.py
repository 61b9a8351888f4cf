"""Encoding: texts are read once, their words and n-grams chosen, and their ids written to a file.

texts  --numbering-->  provisional numbers  --choice of words (and n-grams)-->  ids of what stays
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc.corpus.encoded import EncodedCorpus, EncodingReport
from doc2vecc.corpus.mapped_files import MappedFiles
from doc2vecc.corpus.ngrams import NgramRule
from doc2vecc.corpus.numbering import (
    CallableNumbering,
    NumberedTexts,
    ScannedNumbering,
    Tokenizer,
    WordNumbering,
    merge,
)
from doc2vecc.corpus.vocabulary import Vocabulary, add_words, choose_words, find_words
from doc2vecc.corpus.writing import NumberedBatch, in_threads, write_offsets, write_words, write_words_and_ngrams

OnBatch = Callable[[int], None]
ChosenWords = tuple[Vocabulary, npt.NDArray[np.int32]]  # and the id of every word that was counted, or -1


def encode(
    batches: Iterable[Any],
    *,
    min_count: int = 1,
    max_final_vocab: int | None = None,
    tokenizer: Tokenizer | None = None,
    workers: int = 1,
    on_batch: OnBatch | None = None,
    ngrams: NgramRule | None = None,
    distinct: bool = False,
) -> EncodedCorpus:
    """Read batches of texts (``pa.LargeStringArray``) once -> vocabulary and encoded corpus.

    With ``distinct`` a document has each of its words and n-grams once; counts are of all occurrences even so.
    ``on_batch`` is told the number of documents after each batch. With a tokenizer of the user's own one
    thread does the work, because Python code does not run side by side.
    """

    def cut_off(words: Vocabulary, documents: int) -> ChosenWords:
        return choose_words(words, min_count, max_final_vocab, documents)

    return _encode(batches, cut_off, tokenizer, workers, on_batch, ngrams, distinct=distinct)


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
    ngrams: NgramRule | None = None,
    *,
    distinct: bool = False,
) -> EncodedCorpus:
    """Number all tokens, choose the words and n-grams that stay, and translate the numbers into their ids."""
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
        numbered.append(NumberedBatch(number, batch.generation, len(batch.ids), lengths))
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
    if ngrams is None and not len(vocabulary.ngrams):
        written = write_words(files, numbered, final, vocabulary, workers, distinct=distinct)
    else:
        written, chosen = write_words_and_ngrams(
            files, numbered, final, vocabulary, ngrams, workers, distinct=distinct
        )
        vocabulary = chosen.vocabulary
        report.forgotten_ngrams = chosen.forgotten
        report.forgotten_ngram_occurrences = chosen.forgotten_occurrences
    write_offsets(files, written)
    report.ngrams = len(vocabulary.ngrams)
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
    return in_threads(work, batches, len(numberings))
