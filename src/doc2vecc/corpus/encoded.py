"""Documents as ids: batches that wait for the next step, and the finished corpus in memory-mapped files."""

from __future__ import annotations

import mmap
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from doc2vecc.console import counted
from doc2vecc.corpus.vocabulary import Vocabulary

IN_MEMORY = 16_000_000  # bytes of a spool that need no file
IN_FILE = np.empty(0, np.int32)
IDS_AT_ONCE = 1 << 20  # of a corpus, in memory


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


Upper = npt.NDArray[np.uint64] | npt.NDArray[np.uint16] | npt.NDArray[np.uint8]


class PackedIds:
    """Ids in two bytes each, and more for the few that need more; an array of int32 where they are read.

    Words are numbered by frequency, so most ids fit into 16 bits. ``upper`` holds the bits above those: either in
    uint64, only where there are some, as position << 16 | bits in the order of positions; or in a smaller type for
    every id. It is empty where all ids are small.

    >>> packed = PackedIds(*packed_ids(np.array([7, 65_536, 9], np.int32), np.dtype(np.uint64)))
    >>> packed[1:].tolist(), len(packed), np.asarray(packed).tolist()
    ([65536, 9], 3, [7, 65536, 9])
    """

    def __init__(self, lower: npt.NDArray[np.uint16], upper: Upper) -> None:
        self.lower = lower
        self.upper = upper

        self.shape = lower.shape

    def __len__(self) -> int:
        return len(self.lower)

    def __getitem__(self, part: slice) -> npt.NDArray[np.int32]:
        start, stop, _ = part.indices(len(self))
        ids = self.lower[start:stop].astype(np.uint32)
        if self.upper.dtype != np.uint64:
            ids |= self.upper[start:stop].astype(np.uint32) << np.uint32(16)
        elif len(self.upper):
            first, last = np.searchsorted(self.upper, np.array([start, stop], np.uint64) << np.uint64(16)).tolist()
            some = self.upper[first:last]
            bits = (some & np.uint64(0xFFFF)).astype(np.uint32)
            ids[(some >> np.uint64(16)) - np.uint64(start)] |= bits << np.uint32(16)
        return ids.view(np.int32)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:  # noqa: ANN401
        if copy is False:
            raise ValueError("ids are packed; an array of them is a copy")
        return self[:].astype(dtype or np.int32, copy=False)


def upper_type(vocabulary: Vocabulary) -> np.dtype[Any]:
    """Choose how the upper bits of ids are kept: 8 bytes for each that has some, or 1 or 2 for every id."""
    for_all = np.dtype(np.uint8 if len(vocabulary) <= 1 << 24 else np.uint16)
    n_upper = int(vocabulary.counts[1 << 16 :].sum())
    return np.dtype(np.uint64) if 8 * n_upper <= for_all.itemsize * vocabulary.counts.sum() else for_all


def packed_ids(
    ids: npt.NDArray[np.int32], upper: np.dtype[Any], start: int = 0
) -> tuple[npt.NDArray[np.uint16], npt.NDArray[Any]]:
    """Split ids, the first of which is at position ``start``, into lower and upper bits."""
    bits = ids.view(np.uint32) >> np.uint32(16)
    if upper == np.uint64:
        places = np.flatnonzero(bits).astype(np.uint64)
        return ids.astype(np.uint16), (places + np.uint64(start)) << np.uint64(16) | bits[bits > 0]
    return ids.astype(np.uint16), bits.astype(upper)


@dataclass(eq=False)
class EncodedCorpus:
    """Documents as ids: document d is ``ids[offsets[d] : offsets[d + 1]]``.

    >>> corpus = EncodedCorpus.of([[0, 1], [], [1]], Vocabulary.from_words(["a", "b"], [1, 2]))
    >>> len(corpus), corpus.document(0).tolist()
    (3, [0, 1])
    """

    ids: npt.NDArray[np.int32] | PackedIds
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

    def part(self, first: int, last: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Return ids and offsets of the documents [first, last), which begin at offset 0."""
        offsets = self.offsets[first : last + 1]
        return self.ids[int(offsets[0]) : int(offsets[-1])], offsets - offsets[0]

    def parts(self, first: int = 0, last: int | None = None) -> Iterator[tuple[int, int]]:
        """Cut the documents [first, last) into parts of about a million ids -> the first and last of each."""
        last = len(self) if last is None else last
        while first < last:
            enough = np.searchsorted(self.offsets, self.offsets[first] + IDS_AT_ONCE)
            stop = min(max(int(enough), first + 1), last)
            yield first, stop
            self.release()
            first = stop

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
            lower, upper = packed_ids(batch.ids, np.dtype(np.uint64))
            for array in (batch.lengths.astype(np.uint32), lower, upper):
                self._file.write(array.data)
            sizes = np.array([len(batch.lengths), len(lower), len(upper)])
            batch = batch._replace(ids=IN_FILE, lengths=sizes)
        self._waiting.append(batch)

    def __iter__(self) -> Iterator[Batch]:
        """Return the batches in order, in every pass anew."""
        position = 0
        for batch in self._waiting:
            if batch.ids is IN_FILE and self._file is not None:
                n_documents, n_ids, n_upper = batch.lengths.tolist()
                self._file.seek(position)
                lengths = np.fromfile(self._file, np.uint32, n_documents)
                lower, upper = np.fromfile(self._file, np.uint16, n_ids), np.fromfile(self._file, np.uint64, n_upper)
                position += lengths.nbytes + lower.nbytes + upper.nbytes
                yield batch._replace(ids=PackedIds(lower, upper)[:], lengths=lengths.astype(np.int64))
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
    """The files of a corpus, mapped; in a folder they have names and stay."""

    def __init__(self, folder: Path | None = None) -> None:
        self.n_empty = self.longest = 0  # documents without an id, ids of the longest one
        self.n_bytes = 0
        self._folder = folder

    def write(self, batches: Iterable[Batch], vocabulary: Vocabulary) -> tuple[PackedIds, npt.NDArray[np.int64]]:
        """Write the ids, and where each document begins among them, and map the files -> (ids, offsets)."""
        n_ids = 0
        kind = upper_type(vocabulary)
        with self._open("lower") as lower, self._open("upper") as upper, self._open("offsets") as offsets:
            offsets.write(np.zeros(1, np.int64).data)
            for batch in batches:
                for file, array in zip((lower, upper), packed_ids(batch.ids, kind, n_ids), strict=True):
                    file.write(array.data)
                offsets.write((n_ids + np.cumsum(batch.lengths)).data)
                n_ids += len(batch.ids)
                self.n_empty += int(np.count_nonzero(batch.lengths == 0))
                self.longest = max(self.longest, int(batch.lengths.max(initial=0)))
            self.n_bytes = lower.tell() + upper.tell() + offsets.tell()
            return self.mapped((lower, upper, offsets), kind)

    def mapped(self, files: Iterable[BinaryIO], kind: np.dtype[Any]) -> tuple[PackedIds, npt.NDArray[np.int64]]:
        """Map the files of lower and upper bits and of offsets -> (ids, offsets)."""
        mappings = [_map(file) for file in files]
        self._mappings = [one for one in mappings if one is not None]
        kinds: list[Any] = [np.uint16, kind, np.int64]
        lower, upper, offsets = (
            np.empty(0, one) if mapping is None else np.frombuffer(mapping, one)
            for mapping, one in zip(mappings, kinds, strict=True)
        )
        return PackedIds(lower, upper), offsets

    def release(self) -> None:
        """Drop the pages from memory; they stay in the files. Windows has no such call."""
        if hasattr(mmap, "MADV_DONTNEED"):
            for mapping in self._mappings:
                mapping.madvise(mmap.MADV_DONTNEED)

    def _open(self, name: str) -> BinaryIO:
        return nameless_file() if self._folder is None else (self._folder / name).open("w+b")


def nameless_file() -> BinaryIO:
    """Open a temporary file that goes away with the last handle or mapping of it, however the process ends."""
    return cast(BinaryIO, tempfile.TemporaryFile(prefix="doc2vecc-"))


def _map(file: BinaryIO) -> mmap.mmap | None:
    """Map a file; an empty one cannot be mapped."""
    # A private mapping counts as writable, so that kernels see the same kind of array as for data in memory.
    file.flush()
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) if file.seek(0, 2) else None
