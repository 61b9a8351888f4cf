"""Doc2VecC, the front door: a scikit-learn transformer that wires the parts together and holds no algorithm."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from doc2vecc.cluster.fitting import Cluster, ClusterFitting
from doc2vecc.config import TrainingConfig, available_cores, check_parameters, require, resolve_defaults, with_hints
from doc2vecc.console import notify_on_compile, progress_bar, warn, zero_vectors_message
from doc2vecc.corpus.numbering import Tokenizer
from doc2vecc.corpus.sources import ReadingRules, TextBatches, read_texts
from doc2vecc.corpus.token_rules import choose_tokenizer
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.errors import ParameterError
from doc2vecc.exchange import ModelExchange
from doc2vecc.model import EpochRecord, Model, Vectors
from doc2vecc.naming import NamedParameters
from doc2vecc.parameters import Parameters
from doc2vecc.queries import ModelQueries
from doc2vecc.training.checkpoint import EVERY, Checkpoints
from doc2vecc.training.learning import Learned, learn


class TextTransformer(NamedParameters, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A scikit-learn transformer whose ``X`` is texts: Doc2VecC and the baselines."""

    tokenizer: Callable[[str], list[str]] | None
    text_column: str | Sequence[str] | None
    strict: bool
    workers: int | None

    if not TYPE_CHECKING:  # else every name would be an attribute to type checkers

        def __getattr__(self, name):  # noqa: ANN001, ANN204
            if name in type(self).hints:
                raise AttributeError(f"there is no attribute {name!r}; use {type(self).hints[name]}")
            return object.__getattribute__(self, name)  # raises the usual error, or that of a property

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _read(self, texts: Any, **options: Any) -> TextBatches:  # noqa: ANN401
        own = {one.name: getattr(self, one.name) for one in fields(ReadingRules) if hasattr(self, one.name)}
        return read_texts(texts, text_column=self.text_column, rules=ReadingRules(**own), **options)

    def _n_workers(self) -> int:
        if self.workers is not None:
            require("workers", self.workers, low=1, whole=True)
        return self.workers or available_cores()

    def _tokenizer(self, start: Model | None = None) -> Tokenizer | None:
        """Return what the parameters say about tokens; None is the rule of the model to start from, or the built-in."""
        pattern, stop_words = (getattr(self, name, None) for name in ("token_pattern", "stop_words"))
        if pattern is None and stop_words is None:
            return self.tokenizer
        return choose_tokenizer(self.tokenizer, pattern, stop_words, start.characters if start else None)

    def _config(self, **fixed: Any) -> TrainingConfig:  # noqa: ANN401
        """Validate all parameters before any text is read; ``fixed`` is what they do not decide."""
        check_parameters(self)
        names = {field.name for field in fields(TrainingConfig)} & set(self._get_param_names()) - {"workers"}
        seed = getattr(self, "random_state", 0)
        if seed is None or isinstance(seed, np.random.RandomState):
            seed = int(check_random_state(seed).randint(2**31 - 1))
        own = {name: getattr(self, name) for name in names}
        paper = {"init": "random", "ngram_range": (1, 1), "idf_exponent": 0.0}  # for the baselines
        return TrainingConfig(**resolve_defaults(paper | own | fixed), workers=self._n_workers(), seed=seed)


class ModelTransformer(TextTransformer):
    """A transformer that trains a model, ``model_``, and shows what it has learned."""

    verbose: bool
    model_: Model

    @property
    def word_vectors_(self) -> Vectors:
        """The vector of every word, in the order of ``vocabulary_``."""
        return self.model_.word_vectors

    @property
    def vocabulary_(self) -> Vocabulary:
        """Words, most frequent first, with their counts."""
        return self.model_.vocabulary

    @property
    def history_(self) -> list[EpochRecord]:
        """Loss, words and seconds of every epoch."""
        return self.model_.record.history

    @property
    def report_(self) -> dict[str, int]:
        """What was read, and what was left out."""
        return self.model_.record.report

    @property
    def _n_features_out(self) -> int:
        return self.model_.dim

    if not TYPE_CHECKING:

        def __getattr__(self, name):  # noqa: ANN001, ANN204
            if name == "model_":
                raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit first")
            return super().__getattr__(name)

    def _train(self, texts: Any, config: TrainingConfig, **options: Any) -> Learned:  # noqa: ANN401
        """Read the texts and learn ``model_`` from them; options are those of :func:`learn`."""
        documents = self._read(texts)
        with notify_on_compile(), progress_bar(self.verbose) as progress:
            learned = learn(documents, config, progress, self._tokenizer(options.get("start")), **options)
        self.model_ = learned.model
        warn(learned.messages)
        return learned


class Doc2VecC(Parameters, ModelQueries, ModelExchange, ClusterFitting, ModelTransformer):
    """Learn document vectors with Doc2VecC (Chen, ICLR 2017); a document is the mean of the vectors of its words.

    ``X`` is an iterable of str or of token lists, a pandas or polars Series, an Arrow array or table, any object with
    the Arrow C interface, or a ``pathlib.Path`` of a file or folder.

    Parameters
    ----------
    vector_size : int, default None (500 below ten million tokens, else 300)
        Dimension of the vectors. 100 is faster and smaller, and as good for a few classes; 500 helps with many
        classes and with n-grams.
    min_count : int, default None (2 below a million tokens, else 5)
        Ignore words that occur less often.
    max_final_vocab : int, default None (all)
        Keep only this many words, the most frequent. Limits memory.
    ngram_range : (int, int), default None (words; in scripts without spaces also pairs of characters)
        Shortest and longest n-gram; (1, 2) adds bigrams to the words. N-grams such as 'not good' capture word
        order; they help most with opinions. In scripts without spaces, such as Chinese, each character is a word;
        if these are 1 % of the tokens, pairs that occur min_count times are n-grams by default (in Thai, Lao, Khmer
        and Burmese, also runs of 3).
    ngram_min_count : int, default None (4 below a million tokens, else 10)
        Ignore n-grams that occur less often.
    max_ngrams : int, default None (all)
        Keep only this many n-grams, the most frequent. Limits memory.
    binary : bool, default False
        Count each word and n-gram of a document once. This helps with opinions and hurts with topics. Otherwise, a
        document is the mean over all occurrences, as in the paper.
    idf_exponent : float, default None (tokens per document / 50, at most 1; at most 0.5 for 10 million tokens or more)
        Multiply each word vector by the word's inverse document frequency to this power, after training. Rare words
        then have more weight, which helps longer texts and hurts short ones; the paper uses 0.
    init : 'spectral' or 'random', default 'spectral'
        Start from latent semantic analysis (spectral) or from random vectors (random). The spectral start needs
        fewer epochs and helps longer documents most; the paper uses random.
    epochs : int or 'auto', default 'auto'
        Passes over the texts, or auto. auto is 340,000 / words ** (2 / 3), from 3 to 100, for a corpus of this many
        words: 86 for 250,000 words, 26 for 1.5 million, 4 for 26 million.
    max_seconds : float, default None (no limit)
        End the training after this time. The learning rate then falls with time, if that is faster. Reading is not
        included, and a seed no longer determines the vectors.
    alpha : float, default None (0.1, with n-grams 0.25)
        Learning rate at the start; it falls linearly to a ten-thousandth. Lower it if the training diverges.
    window : int, default 10
        Maximum number of words of local context on either side. The actual number is drawn for every target, from 1
        to `window`.
    negative : int, default 5
        Negative samples per target. More is slower and rarely better.
    sample : float, default 0.0
        Subsample words more frequent than this share of the text; 0 keeps all. A word of frequency f is kept with
        probability sqrt(sample / f) + sample / f. Embedding never subsamples.
    architecture : 'cbow' or 'skipgram', default 'cbow'
        Predict a target from its whole local context at once (cbow), or from each word of it in turn (skipgram).
        cbow is faster and better for documents.
    keep : float, default 0.1
        Probability that a word of the document survives the corruption. It is 1 - q in the paper. Values from 0.05
        to 0.5 are about equally good.
    document_only : float, default 0.9
        Share of the targets predicted from the document alone, without local context. A larger share gives better
        document vectors, a smaller one better word vectors.
    ns_exponent : float, default 0.75
        Draw negative samples in proportion to count ** ns_exponent. 0 is uniform, as in the paper's text; the
        author's program uses 0.75.
    frequency_damping : float, default None (0.0, with n-grams 0.2)
        Make the learning rate of a word proportional to count ** -frequency_damping. Above 0, frequent words have
        less weight in a document, and steps that are too long are clipped.
    predict_ngrams : bool, default True
        Predict n-grams from the document, like words. This helps with opinions and hurts with topics. Otherwise,
        n-grams only represent the document.
    shared_targets : int, default 4
        Number of neighboring targets that share a corrupted document and negative samples. 1 draws both for every
        target, like the author's program; 4 is as good and several times faster.
    reproducible : bool, default False
        Bitwise the same model with any number of workers. Slower; uses at most 4 workers.
    tokenizer : callable, default None (the built-in rule)
        A function from a text to its tokens.
    token_pattern : str, default None (the built-in rule)
        Regular expression of a token, such as [a-z]+, applied to the lowercased text. If it has a group, that is
        the token. It is slower than the built-in rule.
    stop_words : str or list of str, default None (none)
        Words to ignore: a list, or 'english' for scikit-learn's list. N-grams do not extend across them.
    text_column : str or list of str, default None (a column named 'text', or the only one with text)
        Column with the texts, or several such as title,body. The texts of several are joined by a line break.
    no_header : bool, default False
        Csv files have no header line; their columns are named 1, 2, 3 and so on.
    strict : bool, default False
        Stop at undecodable bytes and malformed lines instead of counting them.
    skip_malformed : bool, default False
        Skip any number of malformed lines. Otherwise, more than 1 % are an error.
    delimiter : str, default None (detected)
        Character between the cells of csv files.
    max_document_mb : int, default 1000
        Refuse documents of more megabytes. Memory grows with the longest.
    workers : int, default None (all cores)
        Threads.
    random_state : int or RandomState, default 0; None is a new seed
        Seed of the random numbers. The same seed and one worker give bitwise the same model on every run. With
        several workers, the vectors differ from run to run, but the quality does not.
    verbose : bool, default False
        Show progress in a notebook or terminal.

    Attributes
    ----------
    word_vectors_ : (n_words, vector_size) float32; the rows of n-grams follow those of words
    vocabulary_ : Vocabulary, a mapping from word or n-gram to row, with ``counts``
    history_ : list of (loss, words, seconds), one per epoch
    report_ : dict, what was read and what was left out

    Examples
    --------
    >>> texts = ["the cat sat on the mat", "the dog sat on the log"] * 50
    >>> model = Doc2VecC(vector_size=8, epochs=2, workers=1).fit(texts)
    >>> model.transform(["a cat on a log"]).shape
    (1, 8)
    """

    @with_hints
    def fit(
        self,
        X: Any,  # noqa: ANN401, N803
        y: Any = None,  # noqa: ANN401, ARG002
        *,
        checkpoint: str | Path | None = None,
        checkpoint_every: float = EVERY,
        cluster: str | Cluster | None = None,
    ) -> Self:
        """Learn word vectors from texts; ``y`` is ignored.

        ``checkpoint`` is a folder to keep what has been learned in, every so many seconds and at Ctrl-C. The same
        call continues from there; one with other texts or parameters is refused. At the end the folder is removed.
        ``cluster`` is a :class:`doc2vecc.cluster.Cluster`, or its address; ``X`` is then paths, patterns or URIs.
        """
        self._fit(X, checkpoint, checkpoint_every, cluster)
        return self

    @with_hints
    def partial_fit(self, X: Any, y: Any = None) -> Self:  # noqa: ANN401, ARG002, N803
        """Continue training on further texts; the first call is a fit.

        Known words keep their vectors as a start; new words that occur ``min_count`` times join the vocabulary. Every
        call makes ``epochs`` passes over its own texts. Embed all documents again before you compare them.
        """
        self._train(X, self._config(), start=self.__dict__.get("model_"))
        return self

    @with_hints
    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Vectors:  # noqa: ANN401, ARG002, N803
        """Learn from texts, as :meth:`fit` does, and embed them; they are read once, so an iterator will do."""
        if fit_params.get("cluster") is not None:
            raise ParameterError("a cluster does not embed what it learns from; call fit, then embed the files")
        learned = self._fit(X, **fit_params)
        return cast("Vectors", learned.model.embed_corpus(learned.corpus))

    def _fit(self, texts: Any, checkpoint: Any = None, checkpoint_every: float = EVERY, cluster: Any = None) -> Any:  # noqa: ANN401
        any_seed = self.random_state is None
        checkpoints = None if checkpoint is None else Checkpoints(Path(checkpoint), checkpoint_every, any_seed=any_seed)
        train = self._train if cluster is None else partial(self._train_on, cluster)
        learned = train(texts, self._config(), checkpoints=checkpoints)
        if checkpoints is not None:
            checkpoints.remove()
        return learned

    @with_hints
    def transform(self, X: Any) -> Vectors:  # noqa: ANN401, N803
        """Embed texts -> (n_documents, vector_size) float32; a document without known words is a zero row.

        The tokens of one document need a list around them: ``transform([tokens])[0]``.
        """
        check_is_fitted(self)
        batches, workers = self._read(X), self._n_workers()
        with notify_on_compile():
            parts = [self.model_.embed(texts, workers) for texts in batches.texts()]
        empty = sum(int(np.count_nonzero(part.known_words == 0)) for part in parts)
        warn(batches.report.messages() + zero_vectors_message(empty, batches.report.documents))
        return np.concatenate([np.empty((0, self.model_.dim), np.float32), *(part.vectors for part in parts)])
