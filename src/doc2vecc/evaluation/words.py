"""Words of a vocabulary, looked up as test sets spell them."""

from __future__ import annotations

from collections.abc import Sequence


class WordRows:
    """The row of every word; a word that is not there as it stands is looked up in lower case.

    >>> rows = WordRows(["the", "athens", "US"])
    >>> rows.of(["Athens", "US"]), rows.of(["Athens", "us"])
    ([1, 2], None)
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._rows: dict[str, int] = {}
        for row, word in enumerate(words):
            self._rows.setdefault(word, row)

    def of(self, words: Sequence[str]) -> list[int] | None:
        """Return the rows of all these words, or None if one of them is not known."""
        rows = [self._rows.get(word, self._rows.get(word.lower())) for word in words]
        return None if None in rows else rows  # type: ignore[return-value]
