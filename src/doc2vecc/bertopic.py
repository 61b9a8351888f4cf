"""Models for the topic programs BERTopic and Top2Vec.

    from bertopic import BERTopic
    from doc2vecc.bertopic import Doc2VecCBackend

    BERTopic(embedding_model=Doc2VecCBackend(model)).fit(texts)

BERTopic does not know what a bare Doc2VecC is, and loads another model without a word.
Top2Vec takes a function: ``Top2Vec(texts, embedding_model=embedder(model))``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from doc2vecc.errors import CorpusWarning, ParameterError
from doc2vecc.estimator import Doc2VecC
from doc2vecc.model import Vectors

__all__ = ["Doc2VecCBackend", "embedder"]

if TYPE_CHECKING:

    class Doc2VecCBackend:
        """The model of BERTopic; see :func:`_backend_class`."""

        def __init__(self, model: Doc2VecC) -> None: ...

        def embed(self, documents: Sequence[str], verbose: bool = False) -> Vectors:
            """Return a vector for every text."""


def embedder(model: Doc2VecC) -> Callable[[Sequence[str]], Vectors]:
    """Return a function from texts to vectors, none of them zero.

    These programs divide by the length of a vector. A text without a known word gets a tiny vector of its own
    direction, the same every time, so that it is near to nothing.
    """

    def embed(texts: Sequence[str]) -> Vectors:
        with warnings.catch_warnings(action="ignore", category=CorpusWarning):  # what it says is done here
            vectors = np.array(model.transform(list(texts)), np.float32)
        for row in np.flatnonzero(~vectors.any(axis=1)).tolist():
            draw = np.random.default_rng([*texts[row].encode("utf-8", "replace")])
            vectors[row] = 1e-6 * draw.standard_normal(vectors.shape[1])
        return vectors

    return embed


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Import BERTopic only when its class is asked for."""
    if name == "Doc2VecCBackend":
        return _backend_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _backend_class() -> type:
    try:
        from bertopic.backend import BaseEmbedder
    except ImportError as error:
        raise ParameterError("bertopic is not installed; pip install bertopic") from error

    class Doc2VecCBackend(BaseEmbedder):  # type: ignore[misc]
        """A Doc2VecC model as the embedding model of BERTopic."""

        def __init__(self, model: Doc2VecC) -> None:
            super().__init__(embedding_model=model)
            self._embed = embedder(model)

        def embed(self, documents: Sequence[str], verbose: bool = False) -> Vectors:  # noqa: ARG002
            """Return a vector for every text; BERTopic also embeds the words of topics so."""
            return self._embed(documents)

    return Doc2VecCBackend
