"""The words of a document that make it a hit, and the piece of its text where they stand together.

The similarity of query and document is a sum over the words of the document (`Model.explain`), so each place of the
text has a share in it, and the best piece is the one with the largest sum.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from doc2vecc.console import one_line
from doc2vecc.corpus.tokenizer import LINE_BREAK, fold_in_place
from doc2vecc.model import Contribution, Model
from doc2vecc.search.results import Snippet

WIDTH = 160  # characters of a snippet
MARKED_SHARE = 0.4  # of the largest share of a word: what has more is marked
KEPT_WORDS = 10
_LONGEST_GAP = 200  # characters between two tokens: one that seems to come later is not this one
_EDGE = 12  # characters: how far a cut is moved to the next blank
_CUT = "…"


class _Place(NamedTuple):
    """A token in the text, and its share together with those of the n-grams that end with it."""

    start: int
    end: int
    token: str
    share: float


def strongest_words(shares: Sequence[Contribution], number: int = KEPT_WORDS) -> list[Contribution]:
    """Add up the shares of each word and n-gram -> those with the largest positive ones, the largest first.

    Punctuation tokens count in the score, but say nothing here.

    >>> strongest_words([Contribution("a", 0.1), Contribution("b", 0.3), Contribution("a", 0.25)], 1)
    [Contribution(token='a', share=0.35)]
    """
    sums: dict[str, float] = {}
    for token, share in shares:
        if _is_word(token):
            sums[token] = sums.get(token, 0.0) + share
    best = sorted((item for item in sums.items() if item[1] > 0), key=lambda item: -item[1])
    return [Contribution(*item) for item in best[:number]]


def make_snippet(text: str, shares: Sequence[Contribution], model: Model, width: int = WIDTH) -> Snippet:
    """Cut the piece out of a text whose words have the largest sum of shares; ``shares`` are those of its features."""
    folded = fold_in_place(text, model.characters)
    places = _locate(folded, shares, model)
    start, end = _cut(folded, *_best_window(places, width), width)
    strongest = max((place.share for place in places if _is_word(place.token)), default=0.0)
    marked = [
        (place.start, place.end)
        for place in places
        if start <= place.start
        and place.end <= end
        and place.share > MARKED_SHARE * max(strongest, 0.0)
        and _is_word(place.token)
    ]
    # The pieces between the marks are put on one line one by one, so that the marks keep their places.
    shown, marks, last = _CUT + " " if start > 0 else "", [], start
    for mark_start, mark_end in marked:
        shown = _joined(shown, text[last:mark_start])
        word = one_line(text[mark_start:mark_end])
        marks.append((len(shown), len(shown) + len(word)))
        shown, last = shown + word, mark_end
    shown = _joined(shown, text[last:end]).rstrip()
    return Snippet(shown + (" " + _CUT if end < len(text.rstrip()) else ""), tuple(marks))


def _is_word(token: str) -> bool:
    return any(map(str.isalnum, token))


def _joined(before: str, piece: str) -> str:
    """Append a piece on one line; blanks at its ends stay one blank each."""
    piece = re.sub(LINE_BREAK, " ", piece)
    line = one_line(piece)
    lead = " " if piece[:1].isspace() and before and not before.endswith(" ") else ""
    tail = " " if line and piece[-1:].isspace() else ""
    return before + (lead + line + tail if line else lead)


def _locate(folded: str, shares: Sequence[Contribution], model: Model) -> list[_Place]:
    """Find the tokens in the folded text, one after the other; an n-gram counts where its last word stands.

    Tokens that a tokenizer of the user's own has changed beyond upper and lower case may not be found; they are left
    out.
    """
    vocabulary = model.vocabulary
    places: list[_Place] = []
    position = 0
    for token, share in shares:
        if vocabulary.get(token, -1) >= vocabulary.n_words:  # an n-gram
            if places:
                places[-1] = places[-1]._replace(share=places[-1].share + share)
            continue
        found = folded.find(token, position, position + _LONGEST_GAP + len(token))
        if found < 0 and model.binary:  # repeated words are left out, so the gap may be long
            found = folded.find(token, position)
        if found >= 0 and token:
            position = found + len(token)
            places.append(_Place(found, position, token, share))
    return places


def _best_window(places: Sequence[_Place], width: int) -> tuple[int, int]:
    """Return (start, end) of the tokens within ``width`` characters that have the largest sum of positive shares."""
    best, best_sum = (0, 0), 0.0
    first, total = 0, 0.0
    for last in places:
        total += max(last.share, 0.0)
        while first < len(places) and last.end - places[first].start > width and places[first] is not last:
            total -= max(places[first].share, 0.0)
            first += 1
        if total > best_sum + 1e-12:
            best, best_sum = (places[first].start, last.end), total
    return best


def _cut(folded: str, start: int, end: int, width: int) -> tuple[int, int]:
    """Widen a window on both sides to the whole width, and move its ends to blanks; line breaks of HTML are blanks."""
    room = max(0, width - (end - start)) // 2
    first, last = max(0, start - room), min(len(folded), end + room)
    first, last = max(0, min(first, last - width)), min(len(folded), max(last, first + width))  # no room at one end
    if first > 0 and not folded[first - 1].isspace():
        blank = next((i for i in range(first, min(last, first + _EDGE)) if folded[i].isspace()), None)
        first = first if blank is None else blank + 1
    if last < len(folded) and not folded[last].isspace():
        blank = next((i for i in range(last - 1, max(first, last - _EDGE) - 1, -1) if folded[i].isspace()), None)
        last = last if blank is None else blank
    return first, last
