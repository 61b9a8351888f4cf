"""TrainingConfig: the settings of one training, validated and complete; and the checks of all parameters."""

import math
import os
import reprlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from numbers import Integral, Real
from typing import Any, Literal, Self, TypeVar, cast, get_args

from doc2vecc.errors import ParameterError
from doc2vecc.naming import unknown_argument
from doc2vecc.parameters import NGRAM_DEFAULTS, WORD_DEFAULTS, Parameters, TrainingParameters, parameters_of
from doc2vecc.rules import (
    COLUMNS,
    DELIMITER,
    FLAG,
    FUNCTION,
    MAX_NGRAM,
    MAX_SEED,
    PATTERN,
    STOP_WORDS,
    Choice,
    Number,
    Rule,
    Whole,
    WholeOrAuto,
)

Method = TypeVar("Method", bound=Callable[..., Any])
DocumentContext = Literal["corrupted", "vector", "absent"]
# Small corpora need more epochs, large ones fewer: measured from 500 documents to 100,000.
EPOCHS_OF_ONE_WORD, MIN_EPOCHS, MAX_EPOCHS = 340_000, 3, 100
SMALL_TEXT, LARGE_TEXT = 1_000_000, 10_000_000  # tokens
LONG_DOCUMENT = 50  # tokens
_PARAMETERS = tuple(parameters_of(Parameters))


@dataclass(kw_only=True, eq=False)
class TrainingConfig(TrainingParameters):
    """The validated settings of one training; nothing is left to be resolved.

    ``document`` is what represents the document in a context: ``"corrupted"``, the words that survive, is Doc2VecC;
    ``"vector"``, one learned for every document, is Paragraph Vectors; ``"absent"`` is Word2Vec.
    """

    alpha: float = WORD_DEFAULTS["alpha"]
    frequency_damping: float = WORD_DEFAULTS["frequency_damping"]
    document: DocumentContext = "corrupted"
    workers: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.ngram_range is not None:
            shortest, longest = self.ngram_range
            self.ngram_range = (shortest, longest)  # a list would not equal what a file gives back
        require("workers", self.workers, low=1, whole=True)
        require("seed", self.seed, low=0, high=MAX_SEED, whole=True)
        require_choice("document", self.document, get_args(DocumentContext))
        if self.reproducible and (self.max_seconds is not None or self.document == "vector"):
            name = "document" if self.max_seconds is None else "max_seconds"
            raise ParameterError(
                f"{name}={getattr(self, name)} does not fit reproducible=True: the vectors would depend on more than "
                "the seed; leave one of them out"
            )
        if self.document == "absent" and self.document_only > 0:
            raise ParameterError(
                f"document_only={self.document_only} does not fit document='absent': those targets have nothing "
                "to be predicted from; set it to 0"
            )

    def sized(self, tokens: int) -> Self:
        """Return the settings for texts of so many tokens, with ``vector_size`` decided."""
        return replace(self, vector_size=auto_vector_size(tokens)) if self.vector_size is None else self

    @property
    def dim(self) -> int:
        """The dimension of the vectors; :meth:`sized` has decided it."""
        if self.vector_size is None:
            raise ValueError("the size of the texts decides the dimension; call sized first")
        return self.vector_size

    def idf_power(self, tokens: int, documents: int) -> float:
        """Return ``idf_exponent``, or what it is by default for texts of this size."""
        return auto_idf_exponent(tokens, documents) if self.idf_exponent is None else self.idf_exponent


def check_parameters(settings: object) -> None:
    """Raise a ParameterError for the first parameter that breaks its rule; None fits where it stands for something."""
    for name, _, default, setting in _PARAMETERS:
        value = getattr(settings, name, default)
        if value is not None or not setting.default:
            _check(name, value, setting.rule)


def _check(name: str, value: object, rule: Rule) -> None:
    if isinstance(rule, Choice):
        require_choice(name, value, rule.choices)
    elif isinstance(rule, WholeOrAuto):
        if value != "auto":
            require(name, value, low=1, high=rule.high, whole=True, other=" or 'auto'")
    elif isinstance(rule, Whole | Number):
        if name != "random_state" or not _is_of_numpy(value, "RandomState"):  # to draw a seed from
            require(name, value, low=rule.low, high=rule.high, whole=isinstance(rule, Whole))
    elif not _fits(value, rule):
        raise ParameterError(f"{name}={value!r} does not fit; it must be {rule}")


def _is_of_numpy(value: object, *names: str) -> bool:
    """Tell whether a value is of one of these types of NumPy, which is not imported for this."""
    return type(value).__module__.partition(".")[0] == "numpy" and type(value).__name__ in names


def is_sized_iterable(value: object) -> bool:
    """Return whether a value is a list, a set or the like, and no string."""
    return isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping)


def _is_unicode(value: object) -> bool:
    """Return whether a value is a string that can be written: without lone surrogates, such as bytes of a shell."""
    return isinstance(value, str) and value == value.encode(errors="replace").decode()


def _fits(value: Any, rule: str) -> bool:  # noqa: ANN401
    if rule == FLAG:
        return isinstance(value, bool) or _is_of_numpy(value, "bool", "bool_")
    if rule == FUNCTION:
        return callable(value)
    if rule == PATTERN:
        return _is_unicode(value)
    if rule in (COLUMNS, STOP_WORDS):
        fits_alone = _is_unicode(value) and (rule == COLUMNS or value == "english")
        return fits_alone or (is_sized_iterable(value) and all(map(_is_unicode, value)))
    if rule == DELIMITER:
        return isinstance(value, str) and len(value) == 1 and value.isascii() and value not in '"\r\n'
    is_pair = isinstance(value, tuple | list) and len(value) == 2
    is_whole = is_pair and all(isinstance(n, Integral) and not isinstance(n, bool) for n in value)
    return bool(is_whole and 1 == value[0] <= value[1] <= MAX_NGRAM)


def require(
    name: str, value: object, *, low: float, high: float = math.inf, whole: bool = False, other: str = ""
) -> None:
    """Raise a ParameterError unless ``value`` is a number in [low, high]; ``other`` says what else fits."""
    kind = "a whole number" if whole else "a number"
    limits = f"of at least {low}" if high == math.inf else f"from {low} to {high}"
    is_number = isinstance(value, Integral if whole else Real)
    if isinstance(value, bool) or not is_number or not low <= value <= high:  # type: ignore[operator]
        raise ParameterError(f"{name}={reprlib.repr(value)} does not fit; it must be {kind} {limits}{other}")


def require_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise a ParameterError unless ``value`` is one of the choices."""
    if value not in choices:
        raise ParameterError(f"{name}={value!r} is not known; use {' or '.join(map(repr, choices))}")


def resolve_defaults(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with the default for their ngram_range in place of None.

    >>> resolve_defaults({"alpha": None, "ngram_range": (1, 2)}), resolve_defaults({"alpha": None})
    ({'alpha': 0.25, 'ngram_range': (1, 2)}, {'alpha': 0.1})
    """
    ngram_range = settings.get("ngram_range")
    has_ngrams = isinstance(ngram_range, tuple | list) and tuple(ngram_range) != (1, 1)
    defaults = NGRAM_DEFAULTS if has_ngrams else WORD_DEFAULTS
    return {name: defaults.get(name) if value is None else value for name, value in settings.items()}


def auto_epochs(words: int) -> int:
    """Return how many epochs ``epochs="auto"`` takes over so many words: 340,000 / words ** (2 / 3), from 3 to 100.

    >>> [auto_epochs(words) for words in (20_000, 250_000, 1_500_000, 26_000_000, 10**10)]
    [100, 86, 26, 4, 3]
    """
    return min(max(round(EPOCHS_OF_ONE_WORD / math.pow(max(words, 1), 2 / 3)), MIN_EPOCHS), MAX_EPOCHS)


def auto_min_count(tokens: int) -> int:
    """Return how often a word must occur in texts of so many tokens where ``min_count`` is None.

    >>> auto_min_count(250_000), auto_min_count(26_000_000)
    (2, 5)
    """
    return 2 if tokens < SMALL_TEXT else 5


def auto_ngram_min_count(tokens: int, *, only_unspaced: bool = False) -> int:
    """Return how often an n-gram must occur where ``ngram_min_count`` is None.

    In scripts without spaces, n-grams are the words, so they must occur as often as words.
    """
    return (1 if only_unspaced else 2) * auto_min_count(tokens)


def auto_vector_size(tokens: int) -> int:
    """Return the dimension of vectors for texts of so many tokens where ``vector_size`` is None.

    >>> auto_vector_size(250_000), auto_vector_size(26_000_000)
    (500, 300)
    """
    return 500 if tokens < LARGE_TEXT else 300


def auto_idf_exponent(tokens: int, documents: int) -> float:
    """Return the power of the inverse document frequency where ``idf_exponent`` is None.

    Short documents have less of it, and large corpora, where the vectors of frequent words are short already.

    >>> auto_idf_exponent(280_000, 14_000), auto_idf_exponent(500_000, 2_000), auto_idf_exponent(26_000_000, 100_000)
    (0.4, 1.0, 0.5)
    """
    return min(tokens / max(documents, 1) / LONG_DOCUMENT, 1.0 if tokens < LARGE_TEXT else 0.5)


def in_effect(settings: Mapping[str, Any], tokens: int, documents: int) -> dict[str, Any]:
    """Return settings with what None and "auto" stand for in texts of this size.

    >>> in_effect({"epochs": "auto", "min_count": None, "alpha": 0.1, "max_ngrams": None}, 250_000, 1_000)
    {'epochs': 86, 'min_count': 2, 'alpha': 0.1, 'max_ngrams': None}
    """
    decided = {
        "vector_size": auto_vector_size(tokens),
        "min_count": auto_min_count(tokens),
        "ngram_min_count": auto_ngram_min_count(tokens, only_unspaced=settings.get("ngram_range") is None),
        "idf_exponent": auto_idf_exponent(tokens, documents),
        "epochs": auto_epochs(tokens),
    }
    return {name: decided.get(name) if value in (None, "auto") else value for name, value in settings.items()}


def with_hints(method: Method) -> Method:
    """Decorate a method: an argument that gensim has and it does not is an error that says what to use."""

    @wraps(method)
    def hinted(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401
        for name in named:
            if hint := unknown_argument(method.__name__, name):
                raise TypeError(hint)
        return method(*arguments, **named)

    return cast("Method", hinted)


def available_cores() -> int:
    """Return how many cores this process may use; only Linux tells more than how many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
