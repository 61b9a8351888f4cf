"""The texts of all workers, as the driver knows them: their words and n-grams, and what was read. No text is here.

Every worker counts the words of its pieces. The counts are added, and the words are chosen by the same rules as on one
machine, so the vocabulary is the same too. Then every worker writes its texts as ids to its own disk.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc.cluster.crew import Call, Crew
from doc2vecc.cluster.worker import Counts, Encoded, Keys
from doc2vecc.config import TrainingConfig
from doc2vecc.corpus.encoded import EncodingReport
from doc2vecc.corpus.encoding import applicable_rule, choose_kept_words, joined_words
from doc2vecc.corpus.ngrams import Counted, choose_ngrams
from doc2vecc.corpus.numbering import Tokenizer, is_among_most_frequent
from doc2vecc.corpus.report import ReadReport
from doc2vecc.corpus.text_column import text_buffers
from doc2vecc.corpus.vocabulary import Vocabulary, choose_words
from doc2vecc.kernels.training.start import inverse_document_frequency
from doc2vecc.training.checkpoint import Origin, digest, vocabulary_digest
from doc2vecc.training.learning import ngram_rule

DISTINCT_WORDS = 1 << 24  # that the driver counts; some gigabytes when full


class ClusterCorpus:
    """The texts of all workers, as the driver knows them: their words, and what was read."""

    vocabulary: Vocabulary
    idf: npt.NDArray[np.float32]

    def __init__(self, crew: Crew, config: TrainingConfig, tokenizer: Tokenizer) -> None:
        self.crew, self.config, self.tokenizer = crew, config, tokenizer
        self.report, self.reading = EncodingReport(), ReadReport()
        self.n_ids = 0
        self._digests: list[str] = []

    def count(self, watch: Callable[[float], None]) -> None:
        """Count the words and n-grams of all workers, and choose those that get a row."""
        found: list[Counts] = self.crew.run("count", watch=watch)
        self.crew.history = [Call("count")]
        for one in found:
            _add(self.report, one.report)
            _add(self.reading, one.reading)
        self.reading.documents = self.report.documents
        words = self._merged([one.words for one in found])
        choose = partial(choose_words, min_count=self.config.min_count, max_final_vocab=self.config.max_final_vocab)
        self.vocabulary, ids = choose_kept_words(choose, words, self.tokenizer, self.report)
        self.report.distinct_words, self.report.known_tokens = len(words), int(words.counts[ids >= 0].sum())
        rule = applicable_rule(ngram_rule(self.config), self.report)
        if rule is not None:
            shared = self.crew.share(self.vocabulary)
            self.crew.run("to_word_ids", shared)
            self.crew.history.append(Call("to_word_ids", lambda: (shared,)))
            is_joined = joined_words(self.vocabulary, self.tokenizer, rule, self.report)
            self.vocabulary, *forgotten = choose_ngrams(self.vocabulary, rule, self._count_ngrams, is_joined)
            self.report.forgotten_ngrams, self.report.forgotten_ngram_occurrences = forgotten
        self.report.ngrams = len(self.vocabulary.ngrams)

    def _merged(self, counted: list[Vocabulary]) -> Vocabulary:
        """Add the counts of the workers; above a limit the rarest words are forgotten, and reported."""
        words = counted[0]
        for other in counted[1:]:
            words = add_counts(words, other)
            if len(words) > DISTINCT_WORDS:
                kept = is_among_most_frequent(words.counts, DISTINCT_WORDS // 2)
                self.report.forgotten_words += int(np.count_nonzero(~kept))
                self.report.forgotten_tokens += int(words.counts[~kept].sum())
                words = words.select(kept)
        return words

    def _count_ngrams(
        self, known: npt.NDArray[np.int32], order: int, min_count: int, is_joined: npt.NDArray[np.bool_]
    ) -> tuple[Counted, int, int]:
        """Count the n-grams that are frequent in the texts of all workers, without sending all of them.

        An n-gram that occurs min_count times in all occurs at least min_count / workers times in one worker; only those
        are sent. A worker that had to forget rare n-grams reports it.
        """
        arguments = (known, order, is_joined, -(-min_count // self.crew.size))
        found: list[tuple[Keys, int, int]] = self.crew.run("count_ngrams", *arguments)
        candidates = np.unique(np.concatenate([keys for keys, _, _ in found]))
        self.crew.history.append(Call("count_ngrams", lambda: arguments))
        counts = _sum(self.crew.run("counts_of", candidates))
        self.crew.history.pop()
        keys, counts = candidates[counts >= min_count], counts[counts >= min_count]
        ngrams = np.stack([keys >> np.uint64(32), keys & np.uint64(0xFFFFFFFF)], axis=1).astype(np.int32)
        return (ngrams, counts), sum(one[1] for one in found), sum(one[2] for one in found)

    def encode(self) -> None:
        """Let the workers write their texts as ids."""
        shared = self.crew.share(self.vocabulary)
        encoded: list[Encoded] = self.crew.run("encode", shared)
        self.crew.history = [Call("count"), Call("encode", lambda: (shared,))]
        self.n_ids = sum(one.words for one in encoded)
        self.report.empty_documents = sum(one.report.empty_documents for one in encoded)
        frequencies = _sum([one.frequencies for one in encoded])
        self.idf = inverse_document_frequency(frequencies, self.report.documents)
        self._digests = [one.digest for one in encoded]

    def origin(self) -> Origin:
        """Return digests of what is learned from."""
        texts = digest(np.frombuffer(" ".join(self._digests).encode(), np.uint8))
        return Origin(texts, vocabulary_digest(self.vocabulary), "")


def _sum(counts: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    return np.asarray(np.sum(counts, axis=0, dtype=np.int64))


def add_counts(first: Vocabulary, second: Vocabulary) -> Vocabulary:
    """Add the counts of two lists of words.

    >>> one, two = Vocabulary.from_words(["a", "b"], [3, 2]), Vocabulary.from_words(["c", "a"], [1, 5])
    >>> added = add_counts(one, two)
    >>> added.words, added.counts.tolist()
    (['a', 'b', 'c'], [8, 2, 1])
    """
    joined = pa.concat_arrays([first.as_arrow(), second.as_arrow()]).dictionary_encode()
    counts = np.zeros(len(joined.dictionary), np.int64)
    np.add.at(counts, joined.indices.to_numpy(), np.concatenate([first.counts, second.counts]))
    return Vocabulary(*text_buffers(joined.dictionary), counts)


def _add(total: Any, one: Any) -> None:  # noqa: ANN401
    """Add the counts of a report to those of another one."""
    for name in (field.name for field in fields(total)):
        setattr(total, name, getattr(total, name) + getattr(one, name))
