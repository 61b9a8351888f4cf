"""Word2Vec and DenoisingAutoencoder: word vectors are learned, and a document is a mean of its words afterwards."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from doc2vecc.baselines.bag_of_words import word_counts
from doc2vecc.baselines.base import TrainedBaseline
from doc2vecc.config import require_choice
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.model import Vectors
from doc2vecc.parameters import Architecture

Weighting = Literal["mean", "idf", "tfidf"]

ALPHAS = {"cbow": 0.1, "skipgram": 0.025}


@dataclass(kw_only=True, repr=False, eq=False)
class Word2Vec(TrainedBaseline):
    """Learn word vectors with Word2Vec (Mikolov et al. 2013) and represent a document by their (weighted) mean.

    Parameters
    ----------
    weighting
        ``"mean"``: every occurrence counts the same; the paper's "Word2Vec + AVG". ``"idf"``: every distinct word
        counts once, with its inverse document frequency. ``"tfidf"``: every occurrence counts with that. The
        paper's "Word2Vec + IDF" is "a weighted average of word vectors" and not described further; it may be
        either of the two. The weights are divided by their sum, so the mean stays one.
    architecture
        ``"cbow"`` predicts a word from the mean of its neighbors, ``"skipgram"`` from each of them in turn.
    window
        The neighbors are the 1 to ``window`` words to either side, drawn anew for every word.
    sample
        Frequent words are subsampled in training, as in the paper. Without it they fill the neighborhoods, and means
        of vectors tell documents apart much worse.
    alpha
        The learning rate; None takes 0.1 for ``"cbow"``, which divides a gradient among the neighbors, and 0.025
        for ``"skipgram"``, which does not.

    The other parameters are those of :class:`doc2vecc.Doc2VecC`.

    Attributes
    ----------
    idf_ : (n_words,), the inverse document frequencies: ln((1 + documents) / (1 + documents with the word)) + 1

    Examples
    --------
    >>> texts = ["the cat sat on the mat", "the dog sat on the log"] * 50
    >>> Word2Vec(8, weighting="idf", epochs=2, workers=1, random_state=0).fit(texts).transform(["a cat"]).shape
    (1, 8)
    """

    weighting: Weighting = "mean"
    architecture: Architecture = "cbow"
    window: int = 10
    sample: float = 1e-4
    alpha: float | None = None

    def _learn(self, texts: Any) -> EncodedCorpus:  # noqa: ANN401
        require_choice("weighting", self.weighting, get_args(Weighting))
        require_choice("architecture", self.architecture, get_args(Architecture))
        alpha = ALPHAS[self.architecture] if self.alpha is None else self.alpha
        corpus = self._train(texts, self._config(document="absent", document_only=0.0, alpha=alpha)).corpus
        self.idf_ = TfidfTransformer().fit(word_counts(corpus)).idf_
        return corpus

    def _represent(self, corpus: EncodedCorpus) -> Vectors:
        require_choice("weighting", self.weighting, get_args(Weighting))  # it may be changed after fit
        if self.weighting == "mean":
            return super()._represent(corpus)
        counts = word_counts(corpus)
        words = counts.sign() if self.weighting == "idf" else counts
        return weighted_means(words, self.idf_, self.word_vectors_)


@dataclass(kw_only=True, repr=False, eq=False)
class DenoisingAutoencoder(TrainedBaseline):
    """Learn to predict the words of a document from those that survive a corruption; no word sees its neighbors.

    It is Doc2VecC without local context: the encoder is the mean of word vectors, the decoder the second table.
    A document is then the mean of the vectors of its words.

    The paper's DEA has the same noise, an affine encoder and the Kullback-Leibler divergence as its loss, taken
    over the words that occur, with negative sampling for the rest. Here

    - every occurrence is a target of its own, told from ``negative`` negative samples by logistic loss, as everywhere
      else in this package: the gradient of a word grows with its frequency in the document, as it does in the
      divergence from the document's distribution of words, but no probabilities are normalized over the vocabulary;
    - the encoder is linear: it has no bias.

    Parameters
    ----------
    keep
        Probability that a word survives the corruption (the paper's 1 - q).

    The other parameters are those of :class:`doc2vecc.Doc2VecC`.

    Examples
    --------
    >>> texts = ["the cat sat on the mat", "the dog sat on the log"] * 50
    >>> DenoisingAutoencoder(8, epochs=2, workers=1, random_state=0).fit_transform(texts).shape
    (100, 8)
    """

    keep: float = 0.1
    alpha: float = 0.1

    def _learn(self, texts: Any) -> EncodedCorpus:  # noqa: ANN401
        return self._train(texts, self._config(document="corrupted", document_only=1.0)).corpus


def weighted_means(words: sparse.csr_array, weights: npt.NDArray[np.float64], word_vectors: Vectors) -> Vectors:
    """Return the mean vector of the words of every row, a word counting its entry times its weight.

    >>> words = sparse.csr_array([[2.0, 1.0], [0.0, 0.0]])
    >>> weighted_means(words, np.array([1.0, 2.0]), np.array([[4.0], [8.0]])).tolist()
    [[6.0], [0.0]]
    """
    weighted = words @ sparse.diags_array(weights)
    totals = weighted.sum(axis=1)[:, None]
    sums = weighted @ word_vectors
    means = np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)
    return np.asarray(means, word_vectors.dtype)
