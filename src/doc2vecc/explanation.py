"""Which words make two texts similar: their cosine similarity is a sum over the words and n-grams of either."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.text.occurrences import share_out
from doc2vecc.notebook import colored_words_html

Ids = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


class Contribution(NamedTuple):
    """A token of a text and its share in the similarity; unknown words have none."""

    token: str
    share: float


@dataclass(frozen=True)
class Explanation:
    """The cosine similarity of two texts, split over the tokens of each; either list adds up to it."""

    similarity: float
    first: list[Contribution]
    second: list[Contribution]

    def _repr_html_(self) -> str:
        """Show both texts with colored words in a notebook."""
        largest = max((abs(share) for _, share in self.first + self.second), default=0.0)
        texts = "".join(f"<p>{colored_words_html(text, largest)}</p>" for text in (self.first, self.second))
        return f"<p>similarity {self.similarity:.3f}</p>{texts}"


def explain(
    first: Sequence[str], second: Sequence[str], vocabulary: Mapping[str, int], vectors: npt.NDArray[np.float32]
) -> Explanation:
    """Split the cosine similarity of two texts, given as words and n-grams, over what each of them holds."""
    texts = (first, second)
    ids = [np.array([vocabulary[token] for token in text if token in vocabulary], np.int32) for text in texts]
    directions = [shares_of(one, vectors, np.zeros(vectors.shape[1]))[1] for one in ids]
    found = [shares_of(one, vectors, other)[0] for one, other in zip(ids, reversed(directions), strict=True)]
    contributions = []
    for text, shares in zip(texts, found, strict=True):
        known = iter(shares.tolist())
        contributions.append([Contribution(token, next(known) if token in vocabulary else 0.0) for token in text])
    return Explanation(float(found[0].sum()), *contributions)


def shares_of(
    ids: Ids, vectors: npt.NDArray[np.float32], query: Floats, weights: Floats | None = None
) -> tuple[Floats, Floats]:
    """Divide the cosine similarity of a text and a query among its words and n-grams -> (shares, sum of its vectors).

    A document vector is a mean, hence linear in its words: each contributes its own vector times the direction of
    the query, divided by the length of the sum. No rows are gathered, so that a long text needs little memory.
    """
    weights = np.ones(len(ids)) if weights is None else weights
    shares, total, length = np.zeros(len(ids)), np.zeros(len(query)), float(np.linalg.norm(query))
    share_out(ids, weights, vectors, query / length if length else query, total, shares)
    return shares, total
