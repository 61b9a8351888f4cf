"""TrainingConfig: every setting of a training, validated once, every default explained."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal, get_args

from doc2vecc.errors import ParameterError

Architecture = Literal["cbow", "skipgram"]
LONGEST_NGRAM = 5
DocumentContext = Literal["corrupted", "vector", "absent"]


# Documents of words and n-grams have many rare features, which need longer steps. See docs/experiments.md.
WORD_DEFAULTS: Mapping[str, float] = {"alpha": 0.1, "frequency_damping": 0.0}
NGRAM_DEFAULTS: Mapping[str, float] = {"alpha": 0.25, "frequency_damping": 0.2}


def resolve_defaults(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with what suits their ngram_range in place of None.

    >>> resolve_defaults({"alpha": None, "ngram_range": (1, 2)}), resolve_defaults({"alpha": None}), resolve_defaults({"alpha": 0.3})
    ({'alpha': 0.25, 'ngram_range': (1, 2)}, {'alpha': 0.1}, {'alpha': 0.3})
    """
    ngram_range = settings.get("ngram_range")
    has_ngrams = isinstance(ngram_range, tuple | list) and tuple(ngram_range) != (1, 1)
    suitable = NGRAM_DEFAULTS if has_ngrams else WORD_DEFAULTS
    return {name: suitable.get(name) if value is None else value for name, value in settings.items()}


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """The settings of a training; the defaults are measured in ``docs/algorithm.md``.

    Parameters
    ----------
    vector_size
        Length of the vectors.
    architecture
        ``"cbow"`` predicts a word from its local context and the document at once, ``"skipgram"`` from each
        word of the local context in turn, together with the document.
    window
        The local context reaches 1 to ``window`` words to either side, drawn anew for every target.
    document_only
        Share of the targets that are predicted from the document alone, without local context. The more there
        are, the more the document has to explain; the fewer, the better the vectors of single words.
    document
        What stands for the document: ``"corrupted"``, the words that survive, is Doc2VecC; ``"vector"``, one
        learned for every document, is Paragraph Vectors; ``"absent"`` is Word2Vec.
    keep
        Probability that a word of the document survives the corruption (the paper's 1 - q).
    negative
        Negative samples per target.
    ns_exponent
        Negative samples are drawn in proportion to count ** ns_exponent; 0 is uniform, as in the paper's text.
    sample
        Frequent words are subsampled during training: a word of relative frequency f stays with probability
        sqrt(sample / f) + sample / f. 0 keeps all. Embedding is never subsampled.
    min_count, max_final_vocab
        Words that occur less often are left out; of the others the ``max_final_vocab`` most frequent are kept.
    ngram_range
        ``(1, 2)`` makes n-grams of two words features of a document beside its words, ``(1, 3)`` of three as well:
        a row each, that survives the corruption like a word.
    ngram_min_count, max_ngrams
        N-grams that occur less often are left out; of the others the ``max_ngrams`` most frequent are kept.
    predict_ngrams
        N-grams are predicted from the document, as words are. If not, they only stand for the document, and are no
        noise either. To predict them helped where opinions are asked for, and did harm where topics are
        (docs/experiments.md).
    binary
        A document has each of its words and n-grams once, however often it occurs, in training and in embedding.
        (scikit-learn's word for it.) If not, it is the mean over all occurrences, as in the paper. It helped
        where opinions are asked for, and did harm where topics are (docs/experiments.md).
    epochs, alpha
        Passes over the corpus, and the learning rate, which falls linearly to a ten-thousandth of itself.
    frequency_damping
        The vectors of a word or n-gram learn at a rate in proportion to count ** -frequency_damping, so that
        frequent words weigh less in a document; over all occurrences the average is ``alpha``, and no rate is above
        sixteen times that. Above 0, steps that would throw a score too far are clipped. With 0 all learn alike.
    shared_targets
        How many neighboring targets share one set of negative samples and, at least, one corrupted document. 1 draws
        everything afresh for every target, as the authors' program does; 4 is as good and several times faster.
    workers
        Threads. One worker and one seed give bitwise the same model on every run.
    seed
        Names the stream of random numbers.
    """

    vector_size: int = 100
    architecture: Architecture = "cbow"
    window: int = 10
    document_only: float = 0.9
    document: DocumentContext = "corrupted"
    keep: float = 0.1
    negative: int = 5
    ns_exponent: float = 0.75
    sample: float = 0.0
    min_count: int = 5
    ngram_range: tuple[int, int] = (1, 1)
    ngram_min_count: int = 10
    max_ngrams: int | None = None
    max_final_vocab: int | None = None
    predict_ngrams: bool = True
    binary: bool = False
    epochs: int = 20
    alpha: float = WORD_DEFAULTS["alpha"]
    frequency_damping: float = WORD_DEFAULTS["frequency_damping"]
    shared_targets: int = 4
    workers: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        if self.architecture not in get_args(Architecture):
            choices = " or ".join(repr(name) for name in get_args(Architecture))
            raise ParameterError(f"architecture={self.architecture!r} is not known; use {choices}")
        if self.document not in get_args(DocumentContext):
            choices = " or ".join(repr(name) for name in get_args(DocumentContext))
            raise ParameterError(f"document={self.document!r} is not known; use {choices}")
        _require_ngram_range(self.ngram_range)
        for name in ("predict_ngrams", "binary"):
            if not isinstance(getattr(self, name), bool):
                raise ParameterError(f"{name}={getattr(self, name)!r} does not fit; it must be True or False")
        for name in ("vector_size", "window", "negative", "min_count", "ngram_min_count", "epochs", "workers"):
            require(name, getattr(self, name), whole=True, low=1)
        require("seed", self.seed, whole=True, low=0, high=2**64 - 1)
        require("shared_targets", self.shared_targets, whole=True, low=1, high=8)
        for name in ("max_final_vocab", "max_ngrams"):
            if getattr(self, name) is not None:
                require(name, getattr(self, name), whole=True, low=1)
        for name in ("document_only", "ns_exponent", "sample", "frequency_damping"):
            require(name, getattr(self, name), low=0, high=1)
        if self.document == "absent" and self.document_only > 0:
            raise ParameterError(
                f"document_only={self.document_only} does not fit document='absent': those targets have nothing "
                "to be predicted from; set it to 0"
            )
        require("keep", self.keep, low=1e-4, high=1)
        require("alpha", self.alpha, low=1e-9, high=10)


def _require_ngram_range(value: object) -> None:
    fits = (
        isinstance(value, tuple | list)
        and len(value) == 2
        and all(isinstance(number, Integral) and not isinstance(number, bool) for number in value)
    )
    if not fits or not 1 == value[0] <= value[1] <= LONGEST_NGRAM:  # type: ignore[index]
        raise ParameterError(
            f"ngram_range={value!r} does not fit; it must be (1, n) with n from 1 to {LONGEST_NGRAM}, like (1, 2)"
        )


def require(name: str, value: object, *, low: float, high: float = math.inf, whole: bool = False) -> None:
    """Raise a ValueError with the value, the rule and the remedy unless ``value`` is a number in [low, high]."""
    kind = "a whole number" if whole else "a number"
    limits = f"of at least {low}" if high == math.inf else f"from {low} to {high}"
    is_number = isinstance(value, Integral if whole else Real)
    if isinstance(value, bool) or not is_number or not low <= value <= high:  # type: ignore[operator]
        raise ParameterError(f"{name}={value!r} does not fit; it must be {kind} {limits}")


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
