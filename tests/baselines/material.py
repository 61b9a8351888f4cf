"""Texts and small estimators for the tests of the baselines."""

import numpy as np

from doc2vecc.baselines import BagOfWords, DenoisingAutoencoder, ParagraphVectors, Word2Vec

TEXTS = ["the cat sat on the mat", "the dog sat on the log", "a cat and a dog", "don't sit on the cat !"] * 5
LABELS = [0, 1, 0, 1] * 5
NEW = ["A cat on a log", "the unknown dog", "cat"]

COUNTED = {"min_count": 1, "workers": 1}
TRAINED = {**COUNTED, "vector_size": 6, "epochs": 2, "sample": 0.0, "random_state": 0}

# Every way to use a baseline that has code of its own.
SMALL = {
    "binary": BagOfWords("binary", **COUNTED),
    "counts": BagOfWords("counts", **COUNTED),
    "tfidf bag": BagOfWords("tfidf", **COUNTED),
    "mean": Word2Vec(**TRAINED),
    "skipgram": Word2Vec(architecture="skipgram", **TRAINED),
    "idf": Word2Vec(weighting="idf", **TRAINED),
    "tfidf": Word2Vec(weighting="tfidf", **TRAINED),
    "autoencoder": DenoisingAutoencoder(**TRAINED),
    "dm": ParagraphVectors(variant="dm", **TRAINED),
    "dbow": ParagraphVectors(variant="dbow", **TRAINED),
}
LEARNING = ("mean", "skipgram", "idf", "autoencoder", "dm", "dbow")


def dense(matrix):
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
