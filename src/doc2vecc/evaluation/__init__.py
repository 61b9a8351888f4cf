"""How good vectors are, wherever they come from: every function takes plain matrices, labels and words.

classification.py   error of a linear SVM, of a logistic regression, of the vote of the nearest documents
pairs.py            how well the relatedness of two sentences is predicted (SICK)
words.py            analogies, agreement with human ratings, norms of word vectors
comparison.py       labeled documents from files, and vectors beside tf-idf: `doc2vecc evaluate`
"""

from doc2vecc.evaluation.checking import Matrix
from doc2vecc.evaluation.classification import (
    NeighborsResult,
    ProbeResult,
    Split,
    linear_probe,
    logistic_probe,
    majority_error,
    nearest_neighbors,
    split_labeled,
)
from doc2vecc.evaluation.pairs import Pairs, RelatednessResult, correlation, relatedness
from doc2vecc.evaluation.words import (
    QUANTILES,
    SYNTACTIC,
    AnalogyResult,
    NormsByFrequency,
    Question,
    Rating,
    SectionScore,
    WordNorm,
    WordSimilarity,
    analogies,
    norms_by_frequency,
    read_questions,
    read_ratings,
    smallest_norms,
    word_similarity,
)

__all__ = [
    "QUANTILES", "SYNTACTIC", "AnalogyResult", "Matrix", "NeighborsResult", "NormsByFrequency", "Pairs",
    "ProbeResult", "Question", "Rating", "RelatednessResult", "SectionScore", "Split", "WordNorm",
    "WordSimilarity", "analogies", "correlation", "linear_probe", "logistic_probe", "majority_error",
    "nearest_neighbors", "norms_by_frequency", "read_questions", "read_ratings", "relatedness", "smallest_norms",
    "split_labeled", "word_similarity",
]  # fmt: skip
