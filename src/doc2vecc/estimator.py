"""Doc2VecC: the front door, a scikit-learn transformer. It wires the parts together and holds no algorithm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from doc2vecc import storage
from doc2vecc.console import progress_bar
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.errors import CorpusWarning
from doc2vecc.model import Explanation, Model, Vectors
from doc2vecc.parameters import Architecture, TrainingConfig
from doc2vecc.similarity import Similar, nearest
from doc2vecc.training.learning import learn
from doc2vecc.transformer import ModelTransformer, unknown_documents, warn

__all__ = ["CorpusWarning", "Doc2VecC"]

_DEFAULTS = TrainingConfig()


class Doc2VecC(ModelTransformer):
    """Learn document vectors with Doc2VecC (Chen, ICLR 2017) and embed unseen documents as means of word vectors.

    ``X`` is an iterable of str, a pandas or polars Series, an Arrow array, anything that speaks the Arrow C
    interface, or a ``pathlib.Path`` to a file or folder.

    Parameters
    ----------
    vector_size, architecture, window, document_only, keep, negative, ns_exponent, sample, min_count, max_final_vocab, \
ngram_range, ngram_min_count, max_ngrams, predict_ngrams, binary, epochs, alpha, frequency_damping, shared_targets
        See :class:`doc2vecc.parameters.TrainingConfig`, where each default is explained. ``alpha`` and
        ``frequency_damping`` are by default, None, what suits words alone or, if ``ngram_range`` asks for them,
        words and n-grams.
    tokenizer
        A callable ``str -> list[str]`` in place of the built-in rule.
    text_column
        The column to read when ``X`` has several.
    strict
        Make undecodable bytes and malformed lines an error instead of counting them.
    workers
        Threads; None takes all cores. Only one worker gives bitwise the same model on every run.
    random_state
        Seed, or a numpy RandomState, or None for a fresh one.
    verbose
        Show progress on stderr when it is a terminal.

    Attributes
    ----------
    word_vectors_ : (n_words, vector_size) float32; the rows of n-grams follow those of words
    vocabulary_ : Vocabulary, a mapping from word or n-gram to row with ``counts``
    history_ : list of (loss, words, seconds), one per epoch
    report_ : dict, what was read and what was left out

    Examples
    --------
    >>> texts = ["the cat sat on the mat", "the dog sat on the log"] * 50
    >>> model = Doc2VecC(vector_size=8, epochs=2, workers=1, random_state=0).fit(texts)
    >>> model.transform(["a cat on a log"]).shape
    (1, 8)
    """

    def __init__(
        self,
        vector_size: int = _DEFAULTS.vector_size,
        *,
        architecture: Architecture = _DEFAULTS.architecture,
        window: int = _DEFAULTS.window,
        document_only: float = _DEFAULTS.document_only,
        keep: float = _DEFAULTS.keep,
        negative: int = _DEFAULTS.negative,
        ns_exponent: float = _DEFAULTS.ns_exponent,
        sample: float = _DEFAULTS.sample,
        min_count: int = _DEFAULTS.min_count,
        max_final_vocab: int | None = _DEFAULTS.max_final_vocab,
        ngram_range: tuple[int, int] = _DEFAULTS.ngram_range,
        ngram_min_count: int = _DEFAULTS.ngram_min_count,
        max_ngrams: int | None = _DEFAULTS.max_ngrams,
        predict_ngrams: bool = _DEFAULTS.predict_ngrams,
        binary: bool = _DEFAULTS.binary,
        epochs: int = _DEFAULTS.epochs,
        alpha: float | None = None,
        frequency_damping: float | None = None,
        shared_targets: int = _DEFAULTS.shared_targets,
        tokenizer: Callable[[str], list[str]] | None = None,
        text_column: str | None = None,
        strict: bool = False,
        workers: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: bool = False,
    ) -> None:
        self.vector_size = vector_size
        self.architecture = architecture
        self.window = window
        self.document_only = document_only
        self.keep = keep
        self.negative = negative
        self.ns_exponent = ns_exponent
        self.sample = sample
        self.min_count = min_count
        self.max_final_vocab = max_final_vocab
        self.ngram_range = ngram_range
        self.ngram_min_count = ngram_min_count
        self.max_ngrams = max_ngrams
        self.predict_ngrams = predict_ngrams
        self.binary = binary
        self.epochs = epochs
        self.alpha = alpha
        self.frequency_damping = frequency_damping
        self.shared_targets = shared_targets
        self.tokenizer = tokenizer
        self.text_column = text_column
        self.strict = strict
        self.workers = workers
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ANN401, ARG002, N803
        """Learn word vectors from texts; ``y`` is ignored."""
        self._learn(X)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:  # noqa: ANN401, ARG002, N803
        """Go on learning from further texts; the first call is a fit.

        Vectors of known words go on from where they are. Words that occur ``min_count`` times in these texts and
        were unknown so far join the vocabulary, whose counts and order follow. Every call makes ``epochs`` passes
        over its own texts, the learning rate falling from ``alpha`` anew. Words that do not occur in these texts
        hardly change, so vectors of documents embedded before the call no longer compare with later ones.
        """
        self._learn(X, self.__dict__.get("model_"))
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Vectors:  # noqa: ANN401, ARG002, N803
        """Learn from texts and embed them; they are read once, so an iterator will do."""
        corpus = self._learn(X)
        return self.model_.embed_corpus(corpus)

    def _learn(self, texts: Any, start: Model | None = None) -> EncodedCorpus:  # noqa: ANN401
        config = self._config()
        documents = self._read(texts)
        with progress_bar(self.verbose) as progress:
            learned = learn(documents, config, progress, self.tokenizer, start)
        self.model_ = learned.model
        warn(learned.messages)
        return learned.corpus

    def transform(self, X: Any) -> Vectors:  # noqa: ANN401, N803
        """Embed texts -> (n_documents, vector_size) float32; a document without known words is a zero row."""
        check_is_fitted(self)
        batches = self._read(X)
        workers = self._n_workers()
        parts = [self.model_.embed(texts, workers) for texts in batches.texts()]
        empty = sum(int(np.count_nonzero(part.known_words == 0)) for part in parts)
        warn(batches.report.messages() + unknown_documents(empty, batches.report.documents))
        if not parts:
            return np.empty((0, self.model_.dim), np.float32)
        return np.concatenate([part.vectors for part in parts])

    def similar_words(self, words: str, k: int = 10) -> list[tuple[str, float]]:
        """Return the ``k`` nearest words with their cosine similarities; also of "king - man + woman"."""
        check_is_fitted(self)
        return self.model_.similar_words(words, k)

    def similar(self, query_texts: Any, corpus_vectors: npt.ArrayLike, k: int = 10) -> Similar:  # noqa: ANN401
        """Find for every query the ``k`` nearest of the document vectors -> (indices, cosine similarities)."""
        check_is_fitted(self)
        return nearest(self._vectors(query_texts), np.asarray(corpus_vectors, np.float32), k)

    def explain(self, first: str, second: str) -> Explanation:
        """Split the cosine similarity of two texts into what each of their words contributes."""
        check_is_fitted(self)
        return self.model_.explain(first, second)

    def save(self, folder: str | Path) -> None:
        """Write the model as a folder of safetensors and JSON; see :mod:`doc2vecc.storage`."""
        check_is_fitted(self)
        storage.save(self.model_, folder)

    @classmethod
    def load(cls, folder: str | Path, *, tokenizer: Callable[[str], list[str]] | None = None) -> Self:
        """Read a model folder; ``tokenizer`` is needed if the model was trained with one."""
        model = storage.load(folder, tokenizer)
        settings = {name: value for name, value in model.record.settings.items() if name in cls._get_param_names()}
        seed = model.record.settings.get("seed")
        settings |= {"binary": model.binary, "workers": None}
        estimator = cls(**settings, tokenizer=tokenizer, random_state=seed)
        estimator.model_ = model
        return estimator

    def _vectors(self, texts: Any) -> Vectors:  # noqa: ANN401
        """Embed without the container that set_output may ask for."""
        return np.asarray(self.transform(texts), np.float32)
