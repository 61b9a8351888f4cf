"""What all baselines share: parameters with the names of Doc2VecC, one way to read texts, one way to be fitted."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from doc2vecc.console import warn, zero_vectors_message
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.corpus.encoding import encode_known
from doc2vecc.estimator import ModelTransformer, TextTransformer
from doc2vecc.model import Vectors
from doc2vecc.naming import ATTRIBUTES_OF_BASELINES


# A dataclass writes the __init__ that scikit-learn wants: it stores every parameter under its name, nothing else.
@dataclass(kw_only=True, repr=False, eq=False)
class Baseline(TextTransformer, ABC):
    """A transformer that takes what :class:`doc2vecc.Doc2VecC` takes, as ``X`` and as parameters."""

    hints: ClassVar = ATTRIBUTES_OF_BASELINES
    min_count: int = 10
    max_final_vocab: int | None = None
    tokenizer: Callable[[str], list[str]] | None = None
    text_column: str | Sequence[str] | None = None
    strict: bool = False
    workers: int | None = None

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ANN401, ARG002, N803
        """Learn from texts; ``y`` is ignored."""
        self._learn(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # noqa: ANN401, ARG002, N803
        """Learn from texts and represent them; they are read once, so an iterator will do."""
        return self._represent(self._learn(X))

    def transform(self, X: Any) -> Any:  # noqa: ANN401, N803
        """Represent texts by what was learned, a row each; a document without known words is a zero row."""
        check_is_fitted(self)
        documents = self._read(X)
        corpus = encode_known(documents.texts(), self.vocabulary_, tokenizer=self.tokenizer, workers=self._n_workers())
        warn(documents.report.messages() + zero_vectors_message(corpus.report.empty_documents, len(corpus)))
        return self._represent(corpus)

    @abstractmethod
    def _learn(self, texts: Any) -> EncodedCorpus:  # noqa: ANN401
        """Check the parameters, read the texts, learn from them; returns them encoded."""

    @abstractmethod
    def _represent(self, corpus: EncodedCorpus) -> Any:  # noqa: ANN401
        """Return a row for every document of a corpus of the known words."""


@dataclass(kw_only=True, repr=False, eq=False)
class TrainedBaseline(ModelTransformer, Baseline):
    """A baseline that trains word vectors with the loop of Doc2VecC and has the same learned attributes."""

    vector_size: int = field(default=100, kw_only=False)
    negative: int = 5
    ns_exponent: float = 0.75
    sample: float = 0.0
    epochs: int = 20
    random_state: int | np.random.RandomState | None = 0
    verbose: bool = False

    def _represent(self, corpus: EncodedCorpus) -> Vectors:
        return self.model_.embed_corpus(corpus)
