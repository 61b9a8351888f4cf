"""Documents as ids: batches that wait for the next step, and the finished corpus in memory-mapped files."""

from __future__ import annotations

import mmap
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from doc2vecc.console import counted
from doc2vecc.corpus.vocabulary import Vocabulary

IN_MEMORY = 16_000_000  # bytes of a spool that need no file
IN_FILE = np.empty(0, np.int32)


class Batch(NamedTuple):
    """Some documents as ids, one document after the other: provisional numbers first, ids of the vocabulary last.

    In between they are ids of words, -1 for an unknown word, which no n-gram reaches across.
    """

    ids: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int64]  # how many ids each document has
    numbering: int = 0  # which of several numberings gave the provisional numbers
    generation: int = 0  # how often that numbering had forgotten rare words before


@dataclass
class EncodingReport:
    """What was read, and what was left out."""

    documents: int = 0
    empty_documents: int = 0  # without a word of the vocabulary
    tokens: int = 0
    known_tokens: int = 0
    distinct_words: int = 0
    stopped_tokens: int = 0  # occurrences of stop words
    ignored_stop_words: int = 0  # that are no token
    unspaced_tokens: int = 0  # characters of scripts without spaces
    forgotten_words: int = 0  # rare words that were dropped while counting, to bound the memory
    forgotten_tokens: int = 0
    ngrams: int = 0
    forgotten_ngrams: int = 0
    forgotten_ngram_occurrences: int = 0

    def messages(self) -> list[str]:
        """Return one sentence for each thing that a user should know."""
        found = []
        if self.empty_documents:
            documents = counted(self.documents, "document")
            found.append(f"{self.empty_documents:,} of {documents} without a known word: ignored in training")
        if self.ignored_stop_words:
            found.append(f"{counted(self.ignored_stop_words, 'stop word')} not a single token: ignored")
        words = "word", self.forgotten_words, self.forgotten_tokens
        ngrams = "n-gram", self.forgotten_ngrams, self.forgotten_ngram_occurrences
        return found + [
            f"too many distinct {what}s to count all of them in memory: dropped "
            f"{counted(forgotten, f'rare {what}')} ({counted(occurrences, 'occurrence')})"
            for what, forgotten, occurrences in (words, ngrams)
            if forgotten
        ]


@dataclass(eq=False)
class EncodedCorpus:
    """Documents as ids: document d is ``ids[offsets[d] : offsets[d + 1]]``.

    >>> corpus = EncodedCorpus.of([[0, 1], [], [1]], Vocabulary.from_words(["a", "b"], [1, 2]))
    >>> len(corpus), corpus.document(0).tolist()
    (3, [0, 1])
    """

    ids: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]
    vocabulary: Vocabulary
    report: EncodingReport
    files: CorpusFiles | None = None

    @classmethod
    def of(cls, documents: list[list[int]], vocabulary: Vocabulary) -> EncodedCorpus:
        """Make a corpus of documents that are lists of ids already."""
        offsets = np.cumsum([0, *map(len, documents)], dtype=np.int64)
        ids = np.array([*chain(*documents)], np.int32)
        report = EncodingReport(len(documents), documents.count([]), len(ids), len(ids), len(vocabulary))
        return cls(ids, offsets, vocabulary, report)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def document(self, number: int) -> npt.NDArray[np.int32]:
        """Return the ids of one document."""
        return self.ids[self.offsets[number] : self.offsets[number + 1]]

    @property
    def longest(self) -> int:
        """How many ids the longest document has."""
        return int(np.diff(self.offsets).max(initial=0)) if self.files is None else self.files.longest

    def release(self) -> None:
        """Free the memory behind ids and offsets; a later access reads the files again."""
        if self.files is not None:
            self.files.release()


# ---- files


class Spool:
    """Batches that wait for the next step: the first ones in memory, the others in a file."""

    def __init__(self) -> None:
        self.n_documents = self.n_ids = 0
        self._file: BinaryIO | None = None
        self._waiting: list[Batch] = []  # with IN_FILE, and how many documents and ids, for those in the file

    def append(self, batch: Batch) -> None:
        """Keep another batch."""
        self.n_documents += len(batch.lengths)
        self.n_ids += len(batch.ids)
        if 4 * self.n_ids + 8 * self.n_documents > IN_MEMORY:
            if self._file is None:
                self._file = nameless_file()
                weakref.finalize(self, self._file.close)  # also where an error ends the reading
            self._file.write(batch.lengths.data)
            self._file.write(batch.ids.data)
            sizes = np.array([len(batch.lengths), len(batch.ids)])
            batch = batch._replace(ids=IN_FILE, lengths=sizes)
        self._waiting.append(batch)

    def __iter__(self) -> Iterator[Batch]:
        """Return the batches in order, in every pass anew."""
        position = 0
        for batch in self._waiting:
            if batch.ids is IN_FILE and self._file is not None:
                n_documents, n_ids = batch.lengths.tolist()
                self._file.seek(position)
                lengths = np.fromfile(self._file, np.int64, n_documents)
                ids = np.fromfile(self._file, np.int32, n_ids)
                position += lengths.nbytes + ids.nbytes
                yield batch._replace(ids=ids, lengths=lengths)
            else:
                yield batch._replace(lengths=batch.lengths.copy())  # the last step corrects them in place

    def clear(self) -> None:
        """Forget everything, and the file."""
        self.n_documents = self.n_ids = 0
        self._waiting.clear()
        if self._file is not None:
            self._file.close()
            self._file = None


class CorpusFiles:
    """The files of a corpus, mapped."""

    def __init__(self) -> None:
        self.n_empty = self.longest = 0  # documents without an id, ids of the longest one

    def write(self, batches: Iterable[Batch]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Write the ids, and where each document begins among them, and map the files -> (ids, offsets)."""
        n_ids = 0
        with nameless_file() as ids, nameless_file() as offsets:
            offsets.write(np.zeros(1, np.int64).data)
            for batch in batches:
                ids.write(batch.ids.data)
                offsets.write((n_ids + np.cumsum(batch.lengths)).data)
                n_ids += len(batch.ids)
                self.n_empty += int(np.count_nonzero(batch.lengths == 0))
                self.longest = max(self.longest, int(batch.lengths.max(initial=0)))
            ids.write(np.zeros(1, np.int32).data)  # an empty file could not be mapped
            self._mappings = _map(ids), _map(offsets)
        return np.frombuffer(self._mappings[0], np.int32)[:n_ids], np.frombuffer(self._mappings[1], np.int64)

    def release(self) -> None:
        """Drop the pages from memory; they stay in the files. Windows has no such call."""
        if hasattr(mmap, "MADV_DONTNEED"):
            for mapping in self._mappings:
                mapping.madvise(mmap.MADV_DONTNEED)


def nameless_file() -> BinaryIO:
    """Open a temporary file that goes away with the last handle or mapping of it, however the process ends."""
    return cast(BinaryIO, tempfile.TemporaryFile(prefix="doc2vecc-"))


def _map(file: BinaryIO) -> mmap.mmap:
    # A private mapping counts as writable, so that kernels see the same kind of array as for data in memory.
    file.flush()
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
