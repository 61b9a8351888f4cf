"""BagOfWords: a column for every word, and every n-gram if asked for; no learning beyond counting."""

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils.validation import check_is_fitted

from doc2vecc.baselines.base import Baseline
from doc2vecc.baselines.counting import presence, word_counts
from doc2vecc.config import require_choice
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.estimator import warn
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
    min_count, max_final_vocab, ngram_range, ngram_min_count, tokenizer, text_column, strict, workers
        As in :class:`doc2vecc.Doc2VecC`: ``ngram_range=(1, 2)`` adds a column for every n-gram of two words that
        occurs ``ngram_min_count`` times.

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
        return presence(counts) if self.weighting == "binary" else sparse.csr_array(self.tfidf_.transform(counts))

    def _known_words(self) -> Vocabulary:
        return self.vocabulary_

    def get_feature_names_out(self, input_features: Any = None) -> Any:  # noqa: ANN401, ARG002
        """Return the words, and after them the n-grams, one for every column."""
        check_is_fitted(self)
        return np.array(self.vocabulary_.words, object)
