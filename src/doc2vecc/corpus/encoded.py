"""EncodedCorpus: the ids of all documents in one memory-mapped file, larger than memory if need be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from doc2vecc.corpus.mapped_files import MappedFiles
from doc2vecc.corpus.vocabulary import Vocabulary


@dataclass
class EncodingReport:
    """What was read, and what was left out."""

    documents: int = 0
    empty_documents: int = 0  # without a word of the vocabulary
    tokens: int = 0
    known_tokens: int = 0
    distinct_words: int = 0
    forgotten_words: int = 0  # rare words that were dropped while counting, to bound the memory
    forgotten_tokens: int = 0
    ngrams: int = 0
    forgotten_ngrams: int = 0
    forgotten_ngram_occurrences: int = 0

    def messages(self) -> list[str]:
        """Say in plain sentences what a user should know."""
        found = []
        if self.empty_documents:
            found.append(
                f"{self.empty_documents:,} of {self.documents:,} documents have no word of the vocabulary "
                "and taught nothing"
            )
        if self.forgotten_words:
            found.append(
                f"more distinct words than memory was set aside for: {self.forgotten_words:,} of the rarest "
                f"({self.forgotten_tokens:,} occurrences) were forgotten while counting"
            )
        if self.forgotten_ngrams:
            found.append(
                f"more distinct n-grams than memory was set aside for: {self.forgotten_ngrams:,} of the rarest "
                f"({self.forgotten_ngram_occurrences:,} occurrences) were forgotten while counting"
            )
        return found


class EncodedCorpus:
    """Documents as ids: document d is ``ids[offsets[d] : offsets[d + 1]]``.

    >>> corpus = EncodedCorpus.of([[0, 1], [], [1]], Vocabulary.from_words(["a", "b"], [1, 2]))
    >>> len(corpus), corpus.document(0).tolist()
    (3, [0, 1])
    """

    def __init__(
        self,
        ids: npt.NDArray[np.int32],
        offsets: npt.NDArray[np.int64],
        vocabulary: Vocabulary,
        report: EncodingReport,
        files: MappedFiles | None = None,
    ) -> None:
        self.ids = ids
        self.offsets = offsets
        self.vocabulary = vocabulary
        self.report = report
        self._files = files

    @classmethod
    def of(cls, documents: list[list[int]], vocabulary: Vocabulary) -> EncodedCorpus:
        """Hold documents that are lists of ids already."""
        offsets = np.cumsum([0, *map(len, documents)], dtype=np.int64)
        ids = np.asarray([word_id for document in documents for word_id in document], np.int32)
        report = EncodingReport(len(documents), documents.count([]), len(ids), len(ids), len(vocabulary))
        return cls(ids, offsets, vocabulary, report)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def document(self, number: int) -> npt.NDArray[np.int32]:
        """Return the ids of one document."""
        return self.ids[self.offsets[number] : self.offsets[number + 1]]

    def release(self) -> None:
        """Give back the memory behind the ids; a later access reads it from the file again."""
        if self._files is not None:
            self._files.release()
