"""What all transformers of texts share: reading, checking, warnings, and the contract of scikit-learn."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state

from doc2vecc.console import progress_bar
from doc2vecc.corpus.sources import TextBatches, read_texts
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.errors import CorpusWarning
from doc2vecc.model import EpochRecord, Model, Vectors
from doc2vecc.parameters import TrainingConfig, available_cores, check_parameters, resolve_defaults
from doc2vecc.training.learning import Learned, learn


class TextTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A scikit-learn transformer whose ``X`` is texts."""

    tokenizer: Callable[[str], list[str]] | None
    text_column: str | None
    strict: bool
    workers: int | None

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _read(self, texts: Any) -> TextBatches:  # noqa: ANN401
        return read_texts(texts, text_column=self.text_column, strict=self.strict)

    def _n_workers(self) -> int:
        check_parameters(self)
        return available_cores() if self.workers is None else self.workers

    def _config(self, **fixed: Any) -> TrainingConfig:  # noqa: ANN401
        """Validate all parameters before any text is read; ``fixed`` is what they do not decide."""
        names = {field.name for field in fields(TrainingConfig)} & set(self._get_param_names()) - {"workers"}
        workers = self._n_workers()
        seed = getattr(self, "random_state", 0)
        if seed is None or isinstance(seed, np.random.RandomState):
            seed = int(check_random_state(seed).randint(2**31 - 1))
        settings = resolve_defaults({name: getattr(self, name) for name in names} | fixed)
        return TrainingConfig(**settings, workers=workers, seed=seed)


class ModelTransformer(TextTransformer):
    """A transformer that trains a model, ``model_``, and shows what it has learned."""

    verbose: bool
    model_: Model

    @property
    def word_vectors_(self) -> Vectors:
        """The vector of every word, in the order of ``vocabulary_``."""
        return self._fitted().word_vectors

    @property
    def vocabulary_(self) -> Vocabulary:
        """Words, most frequent first, with their counts."""
        return self._fitted().vocabulary

    @property
    def history_(self) -> list[EpochRecord]:
        """Loss, words and seconds of every epoch."""
        return self._fitted().record.history

    @property
    def report_(self) -> dict[str, int]:
        """What was read, and what was left out."""
        return self._fitted().record.report

    @property
    def _n_features_out(self) -> int:
        return self._fitted().dim

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _fitted(self) -> Model:
        # An AttributeError, not a NotFittedError, so that hasattr and scikit-learn's own checks work.
        try:
            model: Model = self.__dict__["model_"]
        except KeyError:
            raise AttributeError(f"this {type(self).__name__} is not fitted yet; call fit first") from None
        return model

    def _train(self, texts: Any, config: TrainingConfig, start: Model | None = None) -> Learned:  # noqa: ANN401
        """Read the texts and learn ``model_`` from them."""
        documents = self._read(texts)
        with progress_bar(self.verbose) as progress:
            learned = learn(documents, config, progress, self.tokenizer, start)
        self.model_ = learned.model
        warn(learned.messages)
        return learned


def warn(messages: list[str]) -> None:
    """Issue one warning with all messages, at the line of the user's own code."""
    if not messages:
        return
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in {"doc2vecc", "sklearn"}:
        level, frame = level + 1, frame.f_back
    warnings.warn("; ".join(messages), CorpusWarning, stacklevel=level)
