"""What a search gives back: the hits of a query, and how a notebook shows them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from doc2vecc.explanation import Contribution

SHOWN_WORDS = 3


@dataclass(frozen=True)
class Snippet:
    """A piece of a document around the words that count most, on one line.

    ``marks`` are the places (start, end) of these words in ``text``.
    """

    text: str
    marks: Sequence[tuple[int, int]] = ()

    def html(self) -> str:
        """Return the text with its words marked.

        >>> Snippet("a <dull> film", [(3, 7)]).html()
        'a &lt;<mark>dull</mark>&gt; film'
        """
        pieces, end = [], 0
        for start, stop in self.marks:
            pieces += [escape(self.text[end:start]), f"<mark>{escape(self.text[start:stop])}</mark>"]
            end = stop
        return "".join([*pieces, escape(self.text[end:])])


@dataclass(frozen=True)
class Hit:
    """A document that was found: its id, cosine similarity, text and chosen columns.

    ``words`` are the words and n-grams of the document with the largest shares in the score, all occurrences together.
    """

    id: int | str
    score: float
    text: str
    columns: dict[str, Any] = field(default_factory=dict)
    snippet: Snippet = Snippet("")
    words: Sequence[Contribution] = ()


@dataclass(frozen=True)
class Hits(Sequence[Hit]):
    """The hits of one query, the nearest first; with ``known_words == 0`` there was nothing to search for."""

    query: str
    known_words: int
    hits: Sequence[Hit]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401
        return self.hits[place]

    def _repr_html_(self) -> str:
        """Show the hits as a table in a notebook."""
        names = list(self.hits[0].columns) if self.hits else []
        left = 'style="text-align:left"'
        heading = "".join(f"<th {left}>{escape(name)}</th>" for name in ("score", "id", *names, "words", "text"))
        rows = [
            [*map(escape, (f"{hit.score:.3f}", str(hit.id), *map(str, hit.columns.values()), shown_words(hit)))]
            for hit in self.hits
        ]
        rows = [[*row, hit.snippet.html()] for row, hit in zip(rows, self.hits, strict=True)]
        cells = ("".join(f"<td {left}>{cell}</td>" for cell in row) for row in rows)
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<p>{escape(self.query)}</p><table><tr>{heading}</tr>{body}</table>"


def shown_words(hit: Hit, number: int = SHOWN_WORDS) -> str:
    """Name the words that count most, with their shares: "boring +0.21, dull +0.10"."""
    return ", ".join(f"{word} {share:+.2f}" for word, share in hit.words[:number])
