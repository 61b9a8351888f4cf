"""From the bytes of a text straight to its vector: scan, look up, add the row."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import called, inlined, kernel
from doc2vecc.kernels.base.instructions import Integer, prefetch_row
from doc2vecc.kernels.base.rows import Table, add_rows_to, clear_row, prefetch_vector, prefetch_vector_to_l2
from doc2vecc.kernels.text.encode import Seen, keep_first
from doc2vecc.kernels.text.tokens import Alphabet
from doc2vecc.kernels.text.words import (
    NONE_LEFT,
    UNKNOWN,
    Bytes,
    Ids,
    Int64s,
    NgramIndex,
    WordIndex,
    forget_tails,
    next_tail,
    next_word,
    prefetch_ngram,
)

# Rows are added in float32 for so many words at a time; the partial sums meet in float64. A document of
# millions of words keeps its precision, and rows are prefetched some time before they are needed.
STRETCH = 64

# The places of EmbeddingScratch.counters.
ADDED = 0
DISTINCT = 1
WORDS = 2


class EmbeddingModel(NamedTuple):
    """What turns bytes into a vector: the token rule, the words and n-grams, and their vectors by id."""

    rule: Alphabet
    words: WordIndex
    ngrams: NgramIndex | None  # None if there are none: what finds them is not compiled then
    vectors: Table
    n_words: int  # n-grams have the ids from this number on


class EmbeddingScratch(NamedTuple):
    """Scratch memory of one thread."""

    words: Ids  # (STRETCH,): words whose n-grams are to be looked up
    ids: Ids  # (STRETCH,): words and n-grams whose rows are to be added
    tails: Ids  # (longest n-gram,): what ended with the word before
    partial: Table  # (1, dim)
    total: npt.NDArray[np.float64]  # (1, dim)
    counters: Int64s  # (3,): rows in the total, waiting ids that are no repetitions, and how many rows are of words
    seen: Seen  # what the document has had already, if each word and n-gram counts once


def embedding_scratch(vectors: Table, longest: int = 1, *, distinct: bool = False) -> EmbeddingScratch:
    """Allocate the scratch memory for vectors like these and n-grams of up to ``longest`` words.

    With ``distinct`` a word or n-gram counts once in a document, however often it occurs.
    """
    dim = vectors.shape[1]
    return EmbeddingScratch(
        np.empty(STRETCH, np.int32),
        np.empty(STRETCH, np.int32),
        np.empty(longest, np.int32),
        np.empty((1, dim), vectors.dtype),
        np.empty((1, dim), np.float64),
        np.zeros(3, np.int64),
        np.zeros(len(vectors) if distinct else 0, np.int32),
    )


@inlined
def add_stretch(vectors: Table, ids: Ids, start: int, stop: int, scratch: EmbeddingScratch) -> None:
    """total += the sum of the vectors of ids[start:stop]."""
    clear_row(scratch.partial, 0)
    add_rows_to(scratch.partial, 0, vectors, ids, start, stop)
    for column in range(vectors.shape[1]):
        scratch.total[0, column] += scratch.partial[0, column]


@inlined
def drop_waiting(document: int, n_waiting: int, scratch: EmbeddingScratch) -> int:
    """Where each counts once, drop what waits although the document has had it -> how many wait."""
    if scratch.seen.shape[0] == 0:
        return n_waiting
    distinct = scratch.counters[DISTINCT]
    n_waiting = keep_first(scratch.ids, distinct, n_waiting, distinct, document, scratch.seen)
    scratch.counters[DISTINCT] = n_waiting
    return n_waiting


@inlined
def add_waiting(model: EmbeddingModel, n_waiting: int, scratch: EmbeddingScratch) -> None:
    """Add the rows that wait."""
    add_stretch(model.vectors, scratch.ids, 0, n_waiting, scratch)
    scratch.counters[ADDED] += n_waiting
    scratch.counters[DISTINCT] = 0
    for place in range(n_waiting):
        scratch.counters[WORDS] += scratch.ids[place] < model.n_words


@inlined
def add_feature(
    model: EmbeddingModel, feature: Integer, document: int, n_waiting: int, scratch: EmbeddingScratch
) -> int:
    """Let a word or an n-gram wait; rows are added once a stretch is full -> how many wait."""
    scratch.ids[n_waiting] = feature
    n_waiting += 1
    if n_waiting == STRETCH:
        n_waiting = drop_waiting(document, n_waiting, scratch)
    if n_waiting == STRETCH:
        add_waiting(model, n_waiting, scratch)
        return 0
    return n_waiting


@called
def add_words(
    text: Bytes, position: int, end: int, model: EmbeddingModel, document: int, scratch: EmbeddingScratch
) -> int:
    """Take in the known words of a document, text[position:end] -> how many still wait to be added."""
    n_waiting = 0
    while True:
        word, position = next_word(text, position, end, model.rule, model.words)
        if word == NONE_LEFT:
            return n_waiting
        if word != UNKNOWN:
            # Mostly a frequent word, whose row stays in the first level of the cache.
            prefetch_vector(model.vectors, word)
            n_waiting = add_feature(model, word, document, n_waiting, scratch)


@inlined
def read_stretch(
    text: Bytes, position: int, end: int, model: EmbeddingModel, ngrams: NgramIndex, scratch: EmbeddingScratch
) -> tuple[int, int]:
    """Write the next words into ``scratch.words`` -> (how many, where they end); fewer than STRETCH are the last.

    The table of n-grams does not fit into the near cache, so the slot of every pair is prefetched well before it is
    looked up.
    """
    before: Integer = scratch.tails[0]
    for n_words in range(STRETCH):
        word, position = next_word(text, position, end, model.rule, model.words)
        if word == NONE_LEFT:
            return n_words, position
        prefetch_ngram(ngrams, before, word)
        scratch.words[n_words] = word
        before = word
    return STRETCH, position


@called
def add_words_and_ngrams(
    text: Bytes,
    position: int,
    end: int,
    model: EmbeddingModel,
    ngrams: NgramIndex,
    document: int,
    scratch: EmbeddingScratch,
) -> int:
    """Take in the known words of a document, each followed by its n-grams -> how many still wait to be added."""
    vectors = model.vectors
    n_waiting = 0
    forget_tails(scratch.tails)
    while True:
        n_words, position = read_stretch(text, position, end, model, ngrams, scratch)
        for word in scratch.words[:n_words]:
            if word == UNKNOWN:
                forget_tails(scratch.tails)
                continue
            prefetch_vector_to_l2(vectors, word)
            prefetch_row(scratch.seen, word, 0)
            n_waiting = add_feature(model, word, document, n_waiting, scratch)
            for order in range(ngrams.longest - 1, 0, -1):
                ngram = next_tail(ngrams, scratch.tails, order, word)
                if ngram >= 0:
                    prefetch_vector_to_l2(vectors, ngram)
                    prefetch_row(scratch.seen, ngram, 0)
                    n_waiting = add_feature(model, ngram, document, n_waiting, scratch)
            scratch.tails[0] = word
        if n_words < STRETCH:
            return n_waiting


@inlined
def add_document(
    ngrams: NgramIndex | None,
    text: Bytes,
    position: int,
    end: int,
    model: EmbeddingModel,
    document: int,
    scratch: EmbeddingScratch,
) -> int:
    """Take in a document -> how many words and n-grams still wait to be added."""
    if ngrams is None:
        return add_words(text, position, end, model, document, scratch)
    return add_words_and_ngrams(text, position, end, model, ngrams, document, scratch)


@inlined
def write_mean(scratch: EmbeddingScratch, count: int, means: Table, document: int) -> None:
    """means[document] = total / count, zero for an empty document."""
    factor = 1.0 / max(count, 1)
    for column in range(means.shape[1]):
        means[document, column] = scratch.total[0, column] * factor


@kernel
def embed_texts(
    text: Bytes, offsets: Int64s, model: EmbeddingModel, means: Table, known: Int64s, scratch: EmbeddingScratch
) -> None:
    """means[d] = the mean vector of the known words and n-grams of document d, known[d] = how many words there are."""
    for document in range(means.shape[0]):
        clear_row(scratch.total, 0)
        scratch.counters[:] = 0
        start, end = offsets[document], offsets[document + 1]
        n_waiting = add_document(model.ngrams, text, start, end, model, document, scratch)
        add_waiting(model, drop_waiting(document, n_waiting, scratch), scratch)
        known[document] = scratch.counters[WORDS]
        write_mean(scratch, scratch.counters[ADDED], means, document)


@kernel
def embed_ids(ids: Ids, offsets: Int64s, vectors: Table, means: Table, scratch: EmbeddingScratch) -> None:
    """means[d] = the mean vector of ids[offsets[d] : offsets[d + 1]], summed as :func:`embed_texts` does."""
    for document in range(means.shape[0]):
        clear_row(scratch.total, 0)
        for start in range(offsets[document], offsets[document + 1], STRETCH):
            add_stretch(vectors, ids, start, min(start + STRETCH, offsets[document + 1]), scratch)
        write_mean(scratch, offsets[document + 1] - offsets[document], means, document)
