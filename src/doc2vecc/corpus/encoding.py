"""Encoding: texts are read once, their words and n-grams are chosen, and their ids are written to a file.

texts  --numbering-->  provisional numbers  --choice of words-->  ids of words  --n-grams, if any-->  ids
"""

import contextlib
import ctypes
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc.console import counted
from doc2vecc.corpus.encoded import Batch, CorpusFiles, EncodedCorpus, EncodingReport, Spool
from doc2vecc.corpus.ngrams import UNSPACED_SHARE, NgramRule, choose_ngrams, count_frequent_ngrams
from doc2vecc.corpus.numbering import CallableNumbering, ScannedNumbering, Tokenizer, Translation, WordNumbering, merge
from doc2vecc.corpus.token_rules import PatternTokenizer, stopped_tokens
from doc2vecc.corpus.tokenizer import BuiltinTokenizer, symbol_table
from doc2vecc.corpus.vocabulary import Vocabulary, add_words, choose_words, find_words
from doc2vecc.errors import EmptyVocabularyError
from doc2vecc.kernels.text.encode import find_unspaced, write_features
from doc2vecc.kernels.text.words import NgramIndex, WordIndex

FIXED_PARTS = 4  # of the counting where its result shall not depend on the number of threads

ChosenWords = tuple[Vocabulary, npt.NDArray[np.int32]]  # and the id of every word that was counted, or -1
Item = TypeVar("Item")
Result = TypeVar("Result")


class Threads(NamedTuple):
    """How many threads count words, and in how many parts: one for each thread, or a fixed number.

    Where there are too many distinct words to count all of them, the rare ones are forgotten in each part by itself.
    """

    workers: int
    parts: int


def encode(
    batches: Iterable[Any],
    *,
    min_count: int | None = 1,
    max_final_vocab: int | None = None,
    tokenizer: Tokenizer | None = None,
    workers: int | Threads = 1,
    ngrams: NgramRule | None = None,
    binary: bool = False,
) -> EncodedCorpus:
    """Read batches of texts (``pa.LargeStringArray``) once -> vocabulary and encoded corpus.

    With ``binary`` a document has each of its words and n-grams once; the counts are of all occurrences.
    A tokenizer of the user's own runs in one thread, because Python code does not run in parallel.
    """
    choose = partial(choose_words, min_count=min_count, max_final_vocab=max_final_vocab)
    return _encode(batches, choose, tokenizer, workers, ngrams, binary=binary)


def encode_further(
    batches: Iterable[Any],
    known: Vocabulary,
    *,
    min_count: int | None = 1,
    tokenizer: Tokenizer | None = None,
    workers: int | Threads = 1,
    binary: bool = False,
) -> EncodedCorpus:
    """Encode further texts with a known vocabulary, extended by their words that occur ``min_count`` times."""
    return _encode(batches, lambda words, _: add_words(known, words, min_count), tokenizer, workers, binary=binary)


def encode_known(
    batches: Iterable[Any], known: Vocabulary, *, tokenizer: Tokenizer | None = None, workers: int = 1
) -> EncodedCorpus:
    """Encode texts with a known vocabulary as it is; other words are left out."""
    return _encode(batches, lambda words, _: (known, find_words(words, known)), tokenizer, workers)


def _encode(
    batches: Iterable[Any],
    choose: Callable[[Vocabulary, int], ChosenWords],
    tokenizer: Tokenizer | None,
    threads: int | Threads,
    ngrams: NgramRule | None = None,
    *,
    binary: bool = False,
) -> EncodedCorpus:
    """Number all tokens, choose the words and n-grams that stay, and translate the numbers into their ids."""
    workers, parts = threads if isinstance(threads, Threads) else Threads(threads, threads)
    tokenizer = tokenizer or BuiltinTokenizer()
    texts = number_texts(batches, tokenizer, threads)
    vocabulary, ids_of_words = choose_kept_words(choose, texts.words, tokenizer, texts.report)
    ngrams = applicable_rule(ngrams, texts.report)
    if ngrams is not None or len(vocabulary.ngrams):
        texts.to_word_ids(ids_of_words, workers)
        if ngrams is not None:
            is_joined = joined_words(vocabulary, tokenizer, ngrams, texts.report)
            count = partial(count_frequent_ngrams, texts.spool, n_words=len(vocabulary), threads=(workers, parts))
            vocabulary, *forgotten = choose_ngrams(vocabulary, ngrams, count, is_joined)
            texts.report.forgotten_ngrams, texts.report.forgotten_ngram_occurrences = forgotten
    return texts.to_corpus(vocabulary, ids_of_words, workers, binary=binary)


class NumberedTexts:
    """Texts that were read: a provisional number for every token, on disk; all words, counted; what was found."""

    def __init__(self, spool: Spool, numberings: list[WordNumbering], tokenizer: Tokenizer) -> None:
        self.spool = spool
        self.words, self._translations = merge(numberings)
        self.has_word_ids = False
        self.report = EncodingReport(
            documents=spool.n_documents,
            tokens=spool.n_ids,
            distinct_words=len(self.words),
            unspaced_tokens=int(self.words.counts[are_unspaced(self.words, tokenizer)].sum()),
            forgotten_words=sum(numbering.forgotten_words for numbering in numberings),
            forgotten_tokens=sum(numbering.forgotten_tokens for numbering in numberings),
        )

    def to_word_ids(self, ids_of_words: npt.NDArray[np.int32], workers: int) -> None:
        """Translate the numbers into the ids of words, -1 for an unknown one, which no n-gram reaches across."""
        source = Spool()
        for batch in _in_threads(partial(_word_ids, self._final(ids_of_words)), self.spool, workers):
            source.append(batch)
        self.spool.clear()
        self.spool, self.has_word_ids = source, True

    def to_corpus(
        self, vocabulary: Vocabulary, ids_of_words: npt.NDArray[np.int32], workers: int, *, binary: bool = False
    ) -> EncodedCorpus:
        """Write the ids of words and n-grams, unknown words left out; the texts are used up."""
        files = CorpusFiles()
        self.report.known_tokens = int(self.words.counts[ids_of_words >= 0].sum())
        self.report.ngrams = len(vocabulary.ngrams)
        final = self._final(ids_of_words)
        if self.has_word_ids:
            final = [
                [np.append(np.arange(vocabulary.n_words, dtype=np.int32), np.int32(-1))]
            ]  # ids stay as they are; -1 stays unknown
        step = partial(_features, final, vocabulary.ngram_index, len(vocabulary) if binary else 0)
        ids, offsets = files.write(_in_threads(step, self.spool, workers), vocabulary)
        self.report.empty_documents = files.n_empty
        self.spool, self._translations = Spool(), []
        self.words = self.words.select(np.zeros(len(self.words), np.bool_))
        del final, step
        _return_free_memory()
        return EncodedCorpus(ids, offsets, vocabulary, self.report, files)

    def _final(self, ids_of_words: npt.NDArray[np.int32]) -> list[list[Translation]]:
        return [
            [np.where(numbers >= 0, ids_of_words[numbers], -1).astype(np.int32) for numbers in generations]
            for generations in self._translations
        ]


def number_texts(batches: Iterable[Any], tokenizer: Tokenizer, threads: int | Threads) -> NumberedTexts:
    """Read batches of texts once, number their tokens and count their words."""
    spool = Spool()
    numberings: list[WordNumbering] = [CallableNumbering(tokenizer)]
    if isinstance(tokenizer, BuiltinTokenizer):
        parts = threads.parts if isinstance(threads, Threads) else threads
        numberings = [ScannedNumbering(tokenizer.version) for _ in range(parts)]
    number = partial(_number_in_turn, workers=threads.workers) if isinstance(threads, Threads) else _number_in_threads
    for batch in number(batches, numberings):
        spool.append(batch)
    return NumberedTexts(spool, numberings, tokenizer)


def choose_kept_words(
    choose: Callable[[Vocabulary, int], ChosenWords], words: Vocabulary, tokenizer: Tokenizer, report: EncodingReport
) -> ChosenWords:
    """Choose among all words, or among those that are no stop words."""
    if isinstance(tokenizer, BuiltinTokenizer | PatternTokenizer) and tokenizer.stop_words:
        return _choose_without_stop_words(choose, tokenizer, report, words, report.documents)
    return choose(words, report.documents)


def applicable_rule(ngrams: NgramRule | None, report: EncodingReport) -> NgramRule | None:
    """Return the rule of n-grams, or None if it is only for scripts without spaces and these are rare here."""
    is_rare = report.unspaced_tokens < UNSPACED_SHARE * report.tokens
    return None if ngrams is not None and ngrams.longest is None and is_rare else ngrams


def joined_words(
    words: Vocabulary, tokenizer: Tokenizer, ngrams: NgramRule, report: EncodingReport
) -> npt.NDArray[np.bool_] | None:
    """Tell which words n-grams are made of; None is all, also where most tokens are of scripts without spaces."""
    is_all = ngrams.longest is not None or 2 * report.unspaced_tokens > report.tokens
    return None if is_all else are_unspaced(words, tokenizer)


def _choose_without_stop_words(
    choose: Callable[[Vocabulary, int], ChosenWords],
    tokenizer: Tokenizer,
    report: EncodingReport,
    words: Vocabulary,
    documents: int,
) -> ChosenWords:
    """Choose among the words that are no stop words; these are unknown words from here on."""
    stopped, report.ignored_stop_words = stopped_tokens(tokenizer)
    is_stopped = find_words(words, Vocabulary.from_words(sorted(stopped), np.ones(len(stopped)))) >= 0
    report.stopped_tokens = int(words.counts[is_stopped].sum())
    if len(words) and is_stopped.all():
        raise EmptyVocabularyError(f"all words of {counted(documents, 'document')} are stop words; pass fewer of them")
    vocabulary, ids_of_others = choose(words.select(~is_stopped), documents)
    ids = np.full(len(words), -1, np.int32)
    ids[~is_stopped] = ids_of_others
    return vocabulary, ids


def are_unspaced(words: Vocabulary, tokenizer: Tokenizer) -> npt.NDArray[np.bool_]:
    """Tell which words are characters of scripts without spaces; a tokenizer of the user's own has made whole words."""
    found = np.zeros(words.n_words, np.bool_)
    if isinstance(tokenizer, BuiltinTokenizer):
        index = WordIndex(np.empty((0, 2), np.uint64), words.word_bytes, words.word_offsets)
        find_unspaced(index, symbol_table(tokenizer.version), found)
    return found


def _return_free_memory() -> None:
    """Let glibc return the memory that counting has freed; it would keep it while the tables are made."""
    if sys.platform == "linux":  # other systems return it by themselves, or have no such function
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


# ---- threads


def _in_threads(work: Callable[[Item], Result], items: Iterable[Item], workers: int) -> Iterator[Result]:
    """Do the work on all threads, a few items ahead of the caller, and return the results in order."""
    with ThreadPoolExecutor(workers) as pool:
        pending: deque[Future[Result]] = deque()
        for item in items:
            pending.append(pool.submit(work, item))
            if len(pending) > workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def _number_in_threads(batches: Iterable[Any], numberings: list[WordNumbering]) -> Iterator[Batch]:
    """Number batches on all threads, and return the results in the order of the batches."""
    free = list(range(len(numberings)))  # as many as there are threads

    def work(texts: Any) -> Batch:  # noqa: ANN401
        number = free.pop()
        try:
            return numberings[number].number(texts)._replace(numbering=number)
        finally:
            free.append(number)

    return _in_threads(work, _compiled_after_first(batches, numberings[0]), len(numberings))


def _compiled_after_first(batches: Iterable[Any], numbering: WordNumbering) -> Iterator[Any]:
    """Read the first batch, which finds mistakes in files and columns, and compile before a pool has work.

    Ctrl-C cannot interrupt a pool that compiles.
    """
    for place, batch in enumerate(batches):
        if place == 0:
            numbering.number(pa.array([], pa.large_string()))
        yield batch


def _number_in_turn(batches: Iterable[Any], numberings: list[WordNumbering], workers: int) -> Iterator[Batch]:
    """Deal batches to the numberings in turn, whatever the number of threads."""
    remaining = _compiled_after_first(batches, numberings[0])
    with ThreadPoolExecutor(workers) as pool:
        while group := list(islice(remaining, len(numberings))):
            numbered = pool.map(lambda numbering, texts: numbering.number(texts), numberings, group)
            yield from (batch._replace(numbering=number) for number, batch in enumerate(numbered))


# ---- steps: a batch becomes another one; each has its own arrays of ids and lengths


def _word_ids(final: list[list[Translation]], batch: Batch) -> Batch:
    """Provisional numbers become the ids of words, -1 for an unknown one."""
    return Batch(final[batch.numbering][batch.generation][batch.ids], batch.lengths)


def _features(final: list[list[Translation]], index: NgramIndex, n_distinct: int, batch: Batch) -> Batch:
    """Leave out unknown words, and put each n-gram after its last word; with ``n_distinct`` ids, keep each id once."""
    ids = batch.ids if index.longest == 1 else np.empty(index.longest * len(batch.ids), np.int32)
    tails, seen = np.empty(index.longest, np.int32), np.zeros(n_distinct, np.int32)
    numbers = final[batch.numbering][batch.generation]
    n_ids = write_features(batch.ids, numbers, batch.lengths, index, tails, seen, ids)
    return batch._replace(ids=ids[:n_ids])
