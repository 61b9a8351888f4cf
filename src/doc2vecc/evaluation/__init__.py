"""How good vectors are, wherever they come from: the functions take plain matrices and labels, or an embedder.

classification.py   error of a linear SVM, of a logistic regression, of the vote of the nearest documents
pairs.py            how well the relatedness of two sentences is predicted (SICK)
halves.py           whether the halves of a document find each other: no labels needed
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
from doc2vecc.evaluation.halves import HalvesResult, match_halves
from doc2vecc.evaluation.pairs import Pairs, RelatednessResult, correlation, relatedness

__all__ = [
    "HalvesResult",
    "Matrix",
    "NeighborsResult",
    "Pairs",
    "ProbeResult",
    "RelatednessResult",
    "Split",
    "correlation",
    "linear_probe",
    "logistic_probe",
    "majority_error",
    "match_halves",
    "nearest_neighbors",
    "relatedness",
    "split_labeled",
]
