"""Text -> words and their ids, for the recurrent networks, which read words in their order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from doc2vecc import EmptyVocabularyError

_TOKEN = re.compile(r"\w+(?:'\w+)*|[^\w\s]")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)]*\s+(?=[\"'“‘(]?[A-Z])")
_LINE_BREAK = "<br />"  # in the movie reviews
END, UNKNOWN = "</s>", "<unk>"  # the end of a text, and any word that is not in the vocabulary

Integers = npt.NDArray[np.int32]


def words_of(text: str) -> list[str]:
    """Divide a text into words in lower case and punctuation.

    >>> words_of("It's GREAT.<br />Really!")
    ["it's", 'great', '.', 'really', '!']
    """
    return _TOKEN.findall(text.replace(_LINE_BREAK, " ").lower())


def sentences_of(text: str) -> list[str]:
    """Divide a text at full stops, question and exclamation marks that are followed by a capital letter.

    >>> sentences_of('He ran. "Why?" She asked at 3.15 p.m. exactly!')
    ['He ran.', '"Why?', 'She asked at 3.15 p.m. exactly!']
    """
    return [part for part in _SENTENCE_END.split(text.replace(_LINE_BREAK, " ").strip()) if part]


@dataclass(frozen=True, eq=False)
class WordTable:
    """Words with their ids, the most frequent ones first; END and UNKNOWN are among them."""

    words: tuple[str, ...]
    counts: npt.NDArray[np.int64]
    ids: dict[str, int]

    @classmethod
    def of(cls, texts: Iterable[list[str]], min_count: int, max_words: int | None = None) -> WordTable:
        """Count the words of texts; those that occur less than ``min_count`` times are unknown, as all others are."""
        counts: Counter[str] = Counter()
        documents = 0
        for words in texts:
            counts.update(words)
            documents += 1
        kept = [(word, count) for word, count in counts.most_common(max_words) if count >= min_count]
        if not kept:
            raise EmptyVocabularyError(f"no word occurs {min_count} times in {documents} texts; lower min_count")
        unknown = max(counts.total() - sum(count for _, count in kept), 1)
        kept = sorted([*kept, (END, documents), (UNKNOWN, unknown)], key=lambda pair: -pair[1])
        found = tuple(word for word, _ in kept)
        numbers = np.array([count for _, count in kept], np.int64)
        return cls(found, numbers, {word: number for number, word in enumerate(found)})

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, words: list[str]) -> Integers:
        """Return the ids of the words and the end."""
        ids, unknown = self.ids, self.ids[UNKNOWN]
        found = [ids.get(word, unknown) for word in words]
        found.append(ids[END])
        return np.array(found, np.int32)


def strings(texts: Any) -> list[str]:  # noqa: ANN401
    """Return texts as a list: an Arrow array, or any iterable of strings."""
    return list(texts.to_pylist()) if hasattr(texts, "to_pylist") else [str(text) for text in texts]
