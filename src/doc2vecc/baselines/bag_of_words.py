"""BagOfWords: a column for every word, and every n-gram if asked for; no learning beyond counting."""

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils.validation import check_is_fitted

from doc2vecc.baselines.base import Baseline
from doc2vecc.config import require_choice
from doc2vecc.console import warn
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.training.learning import encode_documents

Weighting = Literal["binary", "tfidf", "counts"]


@dataclass(kw_only=True, repr=False, eq=False)
class BagOfWords(Baseline):
    """Represent a document by the words it holds: a sparse row with a column for every word of the vocabulary.

    Parameters
    ----------
    weighting
        ``"binary"``: 1 for a word that occurs. ``"counts"``: how often it does. ``"tfidf"``: that, times the
        inverse document frequency in the texts of :meth:`fit`, in rows of length one, as scikit-learn's
        ``TfidfTransformer`` has it.
    ngram_range, ngram_min_count
        ``ngram_range=(1, 2)`` adds a column for every n-gram of two words that occurs ``ngram_min_count`` times.

    The other parameters are those of :class:`doc2vecc.Doc2VecC`.

    Attributes
    ----------
    vocabulary_ : Vocabulary, a mapping from word or n-gram to column with ``counts``
    tfidf_ : TfidfTransformer, fitted to the counts

    Examples
    --------
    >>> bags = BagOfWords("counts", min_count=1, workers=1).fit(["a good film", "a bad, bad film"])
    >>> bags.get_feature_names_out().tolist()
    ['a', 'bad', 'film', ',', 'good']
    >>> bags.transform(["bad acting in a bad film"]).toarray().tolist()
    [[1.0, 2.0, 1.0, 0.0, 0.0]]
    """

    weighting: Weighting = field(default="binary", kw_only=False)
    ngram_range: tuple[int, int] = (1, 1)
    ngram_min_count: int = 10

    def _learn(self, texts: Any) -> EncodedCorpus:  # noqa: ANN401
        require_choice("weighting", self.weighting, get_args(Weighting))
        config = self._config()
        documents = self._read(texts)
        corpus = encode_documents(documents, config, tokenizer=self.tokenizer)
        warn(documents.report.messages() + corpus.report.messages())
        self.vocabulary_ = corpus.vocabulary
        self.tfidf_ = TfidfTransformer().fit(word_counts(corpus))
        return corpus

    def _represent(self, corpus: EncodedCorpus) -> sparse.csr_array:
        require_choice("weighting", self.weighting, get_args(Weighting))  # it may be changed after fit
        counts = word_counts(corpus)
        if self.weighting == "counts" or len(corpus) == 0:  # TfidfTransformer refuses a matrix without rows
            return counts
        return counts.sign() if self.weighting == "binary" else sparse.csr_array(self.tfidf_.transform(counts))

    def get_feature_names_out(self, input_features: Any = None) -> Any:  # noqa: ANN401, ARG002
        """Return the words, and after them the n-grams, one for every column."""
        check_is_fitted(self)
        return np.array(self.vocabulary_.words, object)


def word_counts(corpus: EncodedCorpus) -> sparse.csr_array:
    """Count the words of every document -> (n_documents, n_words) float32.

    >>> from doc2vecc.corpus.vocabulary import Vocabulary
    >>> corpus = EncodedCorpus.of([[1, 0, 1], []], Vocabulary.from_words(["a", "b"], [1, 2]))
    >>> word_counts(corpus).toarray().tolist()
    [[1.0, 2.0], [0.0, 0.0]]
    """
    # The ids are the columns and the offsets the rows already; a copy, because adding up moves them. Most of
    # scikit-learn takes 32-bit offsets only.
    occurrences = np.ones(len(corpus.ids), np.float32)
    offsets = corpus.offsets.astype(sparse.get_index_dtype(maxval=len(corpus.ids)))
    shape = (len(corpus), len(corpus.vocabulary))
    counts = sparse.csr_array((occurrences, np.array(corpus.ids), offsets), shape=shape)
    counts.sum_duplicates()
    return counts
