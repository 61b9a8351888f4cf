"""ModelQueries: what a fitted Doc2VecC answers about words and texts, and how a notebook shows it."""

import reprlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted

from doc2vecc.config import with_hints
from doc2vecc.console import counted
from doc2vecc.corpus.sources import TextBatches
from doc2vecc.corpus.text_column import bytes_array
from doc2vecc.errors import ParameterError
from doc2vecc.explanation import Explanation
from doc2vecc.model import Model, Vectors
from doc2vecc.notebook import table_html
from doc2vecc.similarity import Similar, nearest


class ModelQueries:
    """Words, similar texts, explanations and a score; for an estimator with ``model_`` and ``transform``."""

    model_: Model
    _read: Callable[..., TextBatches]
    _n_workers: Callable[[], int]

    def __getitem__(self, word: str) -> Vectors:
        """Return the vector of a word or n-gram: ``model["oil"]``."""
        check_is_fitted(self)
        if not isinstance(word, str):
            raise TypeError(
                f"{reprlib.repr(word)} is no word; give one word, or use word_vectors_ for rows of the table"
            )
        vector: Vectors = self.model_.word_vectors[self.model_.id_of(word)]
        return vector

    def __contains__(self, word: str) -> bool:
        """Tell whether a word or n-gram has a vector: ``"oil" in model``."""
        check_is_fitted(self)
        return self.model_.find(word) is not None

    __iter__ = None  # words are not numbered from 0 here; iterate over vocabulary_

    @with_hints
    def similar_words(
        self, words: str | Sequence[str], k: int = 10, min_count: int | None = None
    ) -> list[tuple[str, float]]:
        """Return the ``k`` nearest words with their cosine similarities.

        Several words are added: ["oil", "gas"]; "king - man + woman" subtracts too. The answers occur ``min_count``
        times in the training texts; by default 10 times if at least 1,000 words do.
        """
        check_is_fitted(self)
        words = words if isinstance(words, str) else [*words]
        for word in words:
            if not isinstance(word, str):
                raise ParameterError(
                    f"words hold a {type(word).__name__}; give words, not their vectors: ['oil', 'gas']"
                )
        return self.model_.similar_words(words, k, min_count)

    @with_hints
    def similar(self, query_texts: Any, corpus_vectors: npt.ArrayLike, k: int = 10) -> Similar:  # noqa: ANN401
        """Find for every query the ``k`` nearest of the document vectors -> (indices, cosine similarities).

        A single text is one query.
        """
        check_is_fitted(self)
        queries = [query_texts] if isinstance(query_texts, str) else query_texts
        if isinstance(queries, np.ndarray) and queries.dtype.kind in "fiu":
            raise ParameterError("query_texts are numbers; give texts, not their vectors")
        if np.asarray(corpus_vectors).dtype.kind in "OUST":
            raise ParameterError("corpus_vectors are texts; give their vectors, model.transform(texts)")
        # Without the container that set_output may ask for.
        vectors = np.asarray(self.transform(queries), np.float32)  # type: ignore[attr-defined]
        return nearest(vectors, np.asarray(corpus_vectors, np.float32), k)

    def explain(self, first: str, second: str) -> Explanation:
        """Split the cosine similarity of two texts into what each of their words contributes."""
        check_is_fitted(self)
        for text in (first, second):
            if not isinstance(text, str):
                raise ParameterError(
                    f"{reprlib.repr(text)} is no text; explain takes two str, such as ' '.join(tokens)"
                )
        return self.model_.explain(first, second)

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ANN401, ARG002, N803
        """Return how well halves of unseen texts find each other, from 0 to 1: :mod:`doc2vecc.evaluation.halves`."""
        from doc2vecc.evaluation import match_halves

        check_is_fitted(self)
        model, workers = self.model_, self._n_workers()
        texts = (text for batch in self._read(X).texts() for text in batch.to_pylist())
        return match_halves(texts, lambda some: model.embed(bytes_array([*map(str.encode, some)]), workers)[0]).score

    def _html_repr(self) -> str:
        """Show the parameters as scikit-learn does, and below them what a fitted model has learned."""
        shown = str(estimator_html_repr(self))
        model = self.__dict__.get("model_")
        return shown if model is None else shown + table_html(_summary(model))


def _summary(model: Model) -> list[tuple[str, str]]:
    """Return what a model has learned, as lines of a table."""
    vocabulary, history, report = model.vocabulary, model.record.history, model.record.report
    lines = [
        ("words", f"{vocabulary.n_words:,}"),
        ("n-grams", f"{len(vocabulary.ngrams):,}"),
        ("dimension", f"{model.dim}"),
    ]
    if "documents" in report:
        lines.append(("learned from", counted(report["documents"], "document")))
    if history:
        lines.append(("loss", f"{history[-1].loss:.3f} in the last of {counted(len(history), 'epoch')}"))
    frequent = [word for word in vocabulary.words[:1000] if word.isalpha()]
    return [*lines, ("frequent words", ", ".join(frequent[:12]))]
