"""The words of a document that make it a hit, and the piece of its text where they stand together.

The similarity of query and document is a sum over the words of the document (`Model.explain`), so each place of the
text has a share in it, and the best piece is the one with the largest sum.
"""

import re

import numpy as np

from doc2vecc.console import one_line
from doc2vecc.corpus.tokenizer import HTML_LINE_BREAK
from doc2vecc.search.results import Snippet
from doc2vecc.search.shares import Shares

WIDTH = 160  # characters of a snippet
MARKED_SHARE = 0.4  # of the largest share of a word: what has more is marked
_EDGE = 12  # characters: how far a cut is moved to the next blank
_BREAK = 40  # characters of a line break, at most; one that is cut is still seen
_CUT = "…"


def make_snippet(shares: Shares, width: int = WIDTH) -> Snippet:
    """Cut the piece out of a text whose words have the largest sum of shares."""
    text = shares.text
    start, end = best_piece(shares, width)
    values = np.where(shares.is_word, shares.words, 0.0)
    least = MARKED_SHARE * float(values.max(initial=0.0))
    is_marked = (values > least) & (shares.starts >= start) & (shares.ends > shares.starts) & (shares.ends <= end)
    marked = zip(shares.starts[is_marked].tolist(), shares.ends[is_marked].tolist(), strict=True)
    # The pieces between the marks are put on one line one by one, so that the marks keep their places.
    shown, marks, last = _CUT + " " if start > 0 else "", [], start
    for mark_start, mark_end in marked:
        shown = _joined(shown, text[last:mark_start])
        word = "".join(filter(str.isprintable, text[mark_start:mark_end]))  # it may have a soft hyphen
        marks.append((len(shown), len(shown) + len(word)))
        shown, last = shown + word, mark_end
    shown = _joined(shown, text[last:end]).rstrip()
    return Snippet(shown + (" " + _CUT if end < len(text.rstrip()) else ""), tuple(marks))


def best_piece(shares: Shares, width: int) -> tuple[int, int]:
    """Return (start, end) of the piece of a text that counts most: about ``width`` characters, from blank to blank."""
    return _cut(shares.text, *_best_window(shares, width), width)


def _joined(before: str, piece: str) -> str:
    """Append a piece on one line; blanks at its ends stay one blank each."""
    piece = re.sub(HTML_LINE_BREAK, " ", piece)
    line = one_line(piece)
    lead = " " if piece[:1].isspace() and before and not before.endswith(" ") else ""
    tail = " " if line and piece[-1:].isspace() else ""
    return before + (lead + line + tail if line else lead)


def _best_window(shares: Shares, width: int) -> tuple[int, int]:
    """Return (start, end) of the words within ``width`` characters that have the largest sum of positive shares."""
    if not len(shares.words) or not (shares.words > 0).any():
        return 0, 0
    starts, ends = shares.starts, shares.ends
    sums = np.concatenate([[0.0], np.cumsum(np.maximum(shares.words, 0.0))])
    last = np.arange(len(starts))
    first = np.minimum(np.searchsorted(starts, ends - width), last)
    best = int(np.argmax(np.round(sums[1:] - sums[first], 12)))  # of equal ones, the first
    return int(starts[first[best]]), int(ends[best])


def _cut(text: str, start: int, end: int, width: int) -> tuple[int, int]:
    """Widen a window on both sides to the whole width, and move its ends to blanks; line breaks of HTML are blanks."""
    room = max(0, width - (end - start)) // 2
    first, last = max(0, start - room), min(len(text), end + room)
    first, last = max(0, min(first, last - width)), min(len(text), max(last, first + width))  # no room at one end
    offset = max(0, first - _BREAK)
    around = re.sub(HTML_LINE_BREAK, lambda found: " " * len(found[0]), text[offset : last + _BREAK])
    if first > 0 and not around[first - 1 - offset].isspace():
        candidates = range(first, min(last, first + _EDGE))
        first = next((place + 1 for place in candidates if around[place - offset].isspace()), first)
    if last < len(text) and not around[last - offset].isspace():
        candidates = range(last - 1, max(first, last - _EDGE) - 1, -1)
        last = next((place for place in candidates if around[place - offset].isspace()), last)
    return first, last
