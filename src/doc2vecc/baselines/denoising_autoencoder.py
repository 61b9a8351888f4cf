"""DenoisingAutoencoder: a document is reconstructed from a corrupted copy of itself."""

from dataclasses import dataclass
from typing import Any

from doc2vecc.baselines.base import TrainedBaseline
from doc2vecc.corpus.encoded import EncodedCorpus


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
