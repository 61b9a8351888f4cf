"""How good vectors are without labels: the two halves of a document should find each other among the others.

1. At most ``max_documents`` texts are drawn, with a fixed seed. Those with fewer than 8 tokens are left out and
   counted. Which ones does not depend on the vectors, so that settings are compared on the same documents.
2. A text is cut in two at the white space nearest to its middle character (:func:`halves`), and both halves are
   embedded as texts of their own.
3. Each first half ranks all second halves by cosine. The rank of its own is 1 + how many others are at least as
   similar: ties count against it, so a half without a known word, a zero vector, has the last rank. Each second half
   ranks the first halves in the same way.
4. The score is the mean of 1 / rank over both directions: 1 is perfect, about ln(n) / n is chance.

Texts that the vectors were learned from are too easy: their score is near 1 for good and bad vectors alike. The score
falls with the number of documents, so compare scores of the same texts only.
"""

import heapq
import random
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.config import require
from doc2vecc.errors import EvaluationError
from doc2vecc.evaluation.checking import checked_vectors
from doc2vecc.similarity import Vectors, normalized

MAX_DOCUMENTS = 2_000
MIN_TOKENS = 8
_QUERIES_AT_ONCE = 256

_WHITE_SPACE = re.compile(r"\s+")


class HalvesResult(NamedTuple):
    """The score, from 0 to 1, the documents it is the mean of, and those that were too short."""

    score: float
    documents: int
    short: int


def match_halves(
    texts: Iterable[str], embed: Callable[[list[str]], Any], *, max_documents: int = MAX_DOCUMENTS, seed: int = 0
) -> HalvesResult:
    """Return how well ``embed``, a function from texts to vectors, lets halves of documents find each other.

    >>> texts = ["ice and snow and snow and more ice", "sun and sand and sand and more sun"]
    >>> match_halves(texts, lambda halves: [[half.count("ice"), half.count("sun")] for half in halves])
    HalvesResult(score=1.0, documents=2, short=0)
    """
    from doc2vecc.corpus.tokenizer import tokenize

    require("max_documents", max_documents, low=2, whole=True)
    draw = random.Random(seed)  # noqa: S311 - a sample, no secret
    drawn = heapq.nsmallest(max_documents, ((draw.random(), place, text) for place, text in enumerate(texts)))
    pairs = [halves(text) for _, _, text in drawn if len(tokenize(text)) >= MIN_TOKENS]
    if len(pairs) < 2:
        raise EvaluationError(
            f"{len(pairs):,} of {len(drawn):,} documents have {MIN_TOKENS} tokens or more; "
            "halves need two such documents to be compared. Pass more or longer texts"
        )
    every_half = [half for pair in pairs for half in pair]
    unit = normalized(np.asarray(checked_vectors(embed(every_half), len(every_half), "the vectors"), np.float32))
    first, second = unit[::2], unit[1::2]
    score = float(np.mean([reciprocal_ranks(first, second), reciprocal_ranks(second, first)]))
    return HalvesResult(score, len(pairs), len(drawn) - len(pairs))


def halves(text: str) -> tuple[str, str]:
    """Cut a text at the white space nearest to its middle; without any in its middle half, at the middle character.

    >>> halves("two halves of a text"), halves("没有空格的文字")
    (('two halves', 'of a text'), ('没有空', '格的文字'))
    """
    text = text.strip()
    middle, reach = len(text) // 2, len(text) // 4
    spaces = _WHITE_SPACE.finditer(text, middle - reach, middle + reach + 1)
    cut = min((space.start() for space in spaces), key=lambda place: abs(place - middle), default=middle)
    return text[:cut].rstrip(), text[cut:].lstrip()


def reciprocal_ranks(queries: Vectors, candidates: Vectors) -> npt.NDArray[np.float64]:
    """Rank all candidates for each query by cosine; return 1 / the rank of the candidate in the query's own row.

    Rows have length one. Ties count against the own candidate.

    >>> reciprocal_ranks(np.eye(3), np.eye(3)[[0, 1, 1]]).tolist()
    [1.0, 0.5, 0.3333333333333333]
    """
    ranks = np.empty(len(queries))
    for start in range(0, len(queries), _QUERIES_AT_ONCE):
        similarities = queries[start : start + _QUERIES_AT_ONCE] @ candidates.T
        rows = np.arange(len(similarities))
        own = similarities[rows, start + rows]
        ranks[start + rows] = (similarities >= own[:, None]).sum(axis=1)  # its own is one of them
    return 1 / ranks
