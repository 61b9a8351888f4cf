"""What stays the same during a training: settings, learning rates of rows, distributions to draw from."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.rows import Rates
from doc2vecc.kernels.base.sampling import AliasTable

# Settings.architecture: a target is predicted from its local words together, or from one at a time. Only one of them
# is compiled: None is a type of its own.
CBOW = None
SKIPGRAM = 1

# Settings.document: what stands for the document in every context.
CORRUPTED = 0  # the words that survive the corruption: Doc2VecC
VECTOR = 1  # a vector of its own: Paragraph Vectors
ABSENT = 2  # nothing: Word2Vec


class Learning(NamedTuple):
    """What learns, and how fast."""

    rates: Rates  # of every row, in both tables, as a multiple of the learning rate
    clips_steps: bool = False  # long steps are clipped; only then may the rates of output rows differ
    has_document: bool = True  # the document is part of every context
    moves_words: bool = True  # the vectors of words learn; if not, only the document does


class Settings(NamedTuple):
    """The settings of a training."""

    architecture: int | None
    document: int
    learning: Learning
    n_words: int  # ids from here on are n-grams: no local context, and no part of one
    n_predicted: int  # ids from here on are never predicted: they only stand for the document
    window: int
    document_only: float  # share of the targets that have no local context
    keep: float  # probability that an occurrence of a word survives the corruption
    shared_targets: int  # targets of a block: they share negative samples; a span shares the corrupted document
    alpha: float
    final_alpha: float
    seed: np.uint64


class Samplers(NamedTuple):
    """The distributions to draw from, prepared once."""

    negatives: AliasTable  # ids
    gaps: AliasTable  # words that fall out between two survivors
    stay: npt.NDArray[np.float32]  # probability that a word stays when frequent words are subsampled; empty: all do
