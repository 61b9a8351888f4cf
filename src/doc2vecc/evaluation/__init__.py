"""How good vectors are, wherever they come from: every function takes plain matrices, labels and words.

classification.py    error of a linear SVM or of a logistic regression on document vectors
neighbors.py        error of the vote of the nearest documents
relatedness.py       how well pairs of sentences are rated (SICK)
analogy.py           "man is to king as woman is to ...?"
word_similarity.py   agreement of word similarities with human ratings
word_norms.py        which words have short vectors, and how frequent they are
labeled.py          documents with their classes, from files
"""

from doc2vecc.evaluation.analogy import analogies, read_questions
from doc2vecc.evaluation.classification import ProbeResult, linear_probe, logistic_probe
from doc2vecc.evaluation.neighbors import nearest_neighbors
from doc2vecc.evaluation.relatedness import Pairs, relatedness
from doc2vecc.evaluation.word_norms import norms_by_frequency, smallest_norms
from doc2vecc.evaluation.word_similarity import Rating, read_ratings, word_similarity

__all__ = [
    "Pairs",
    "ProbeResult",
    "Rating",
    "analogies",
    "linear_probe",
    "logistic_probe",
    "nearest_neighbors",
    "norms_by_frequency",
    "read_questions",
    "read_ratings",
    "relatedness",
    "smallest_norms",
    "word_similarity",
]
