"""Every parameter once: name, type, default, rule, help and group.

The constructor and the docstring of Doc2VecC, the options of ``doc2vecc train`` and all validation come from the
fields below. A new parameter is a field here and the code that uses it; ``make docstrings`` writes the docstring.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from doc2vecc import rules
from doc2vecc.errors import ParameterError

if TYPE_CHECKING:
    from numpy.random import RandomState
else:  # the command line describes its options without importing NumPy
    RandomState = type("RandomState", (), {})

Architecture = Literal["cbow", "skipgram"]
DocumentContext = Literal["corrupted", "vector", "absent"]
Group = Literal["vectors", "training", "advanced", "input"]

# N-grams are many rare features, which need longer steps: what None stands for, without and with them.
WORD_DEFAULTS: Mapping[str, float] = {"alpha": 0.1, "frequency_damping": 0.0}
NGRAM_DEFAULTS: Mapping[str, float] = {"alpha": 0.25, "frequency_damping": 0.2}


# ---- the parameters


def _with_ngrams(name: str) -> str:
    return f"{WORD_DEFAULTS[name]}, with n-grams {NGRAM_DEFAULTS[name]}"


class Setting(NamedTuple):
    """What is said and checked about a parameter; its name, type and default are those of its field."""

    group: Group
    rule: rules.Rule
    text: str  # what it is, in one sentence, which is the help on the command line; then when to change it
    default: str = ""  # what None stands for

    @property
    def help(self) -> str:
        """The first sentence."""
        return self.text.split(". ")[0].rstrip(".") + "."


@dataclass(kw_only=True, eq=False, repr=False)
class TrainingParameters:
    """What decides how the vectors are learned."""

    vector_size: Annotated[
        int,
        Setting(
            "vectors", rules.whole(), "Dimension of the vectors. 200 to 500 help with many classes and n-grams."
        ),
    ] = field(default=100, kw_only=False)
    min_count: Annotated[
        int,
        Setting(
            "vectors", rules.whole(), "Leave out words that occur less often. Set 2 below a thousand documents."
        ),
    ] = 5
    max_final_vocab: Annotated[
        int | None,
        Setting("vectors", rules.whole(), "Keep this many words, the most frequent. It bounds the memory.", "all"),
    ] = None
    ngram_range: Annotated[
        tuple[int, int],
        Setting(
            "vectors",
            rules.ngram_range,
            "Shortest and longest n-gram; (1, 2) adds bigrams to the words. N-grams keep word order, such as 'not"
            " good'; they help most with opinions.",
        ),
    ] = (1, 1)
    ngram_min_count: Annotated[
        int, Setting("vectors", rules.whole(), "Leave out n-grams that occur less often.")
    ] = 10
    max_ngrams: Annotated[
        int | None,
        Setting(
            "vectors", rules.whole(), "Keep this many n-grams, the most frequent. It bounds the memory.", "all"
        ),
    ] = None
    binary: Annotated[
        bool,
        Setting(
            "vectors",
            rules.flag,
            "Count each word and n-gram of a document once. It helps with opinions and hurts with topics. If not,"
            " a document is the mean over all occurrences, as in the paper.",
        ),
    ] = False
    epochs: Annotated[
        int, Setting("training", rules.whole(), "Passes over the texts. Small corpora gain from 50 to 200.")
    ] = 20
    alpha: Annotated[
        float | None,
        Setting(
            "training",
            rules.number(1e-9, 10),
            "Learning rate at the start; it falls linearly to a ten-thousandth. Lower it if the training diverges.",
            _with_ngrams("alpha"),
        ),
    ] = None
    window: Annotated[
        int,
        Setting(
            "training",
            rules.whole(),
            "Words of local context to either side, at most. The local context of a target reaches 1 to `window` "
            "words, drawn for every target.",
        ),
    ] = 10
    negative: Annotated[
        int, Setting("training", rules.whole(), "Negative samples per target. More are slower and rarely better.")
    ] = 5
    sample: Annotated[
        float,
        Setting(
            "training",
            rules.number(),
            "Subsample words more frequent than this share of the text; 0 keeps all. A word of frequency f is "
            "kept with probability sqrt(sample / f) + sample / f. Embedding never subsamples.",
        ),
    ] = 0.0
    architecture: Annotated[
        Architecture,
        Setting(
            "training",
            rules.choice(Architecture),
            "Predict a target from all of its local context at once (cbow), or from each word of it in turn "
            "(skipgram). cbow is faster, and better for documents.",
        ),
    ] = "cbow"
    keep: Annotated[
        float,
        Setting(
            "advanced",
            rules.number(1e-4),
            "Probability that a word of the document survives the corruption. It is 1 - q in the paper. Values "
            "from 0.05 to 0.5 are about equally good.",
        ),
    ] = 0.1
    document_only: Annotated[
        float,
        Setting(
            "advanced",
            rules.number(),
            "Share of the targets predicted from the document alone, without local context. A larger share makes "
            "better document vectors, a smaller one better word vectors.",
        ),
    ] = 0.9
    ns_exponent: Annotated[
        float,
        Setting(
            "advanced",
            rules.number(),
            "Negative samples are drawn in proportion to count ** ns_exponent. 0 is uniform, as in the paper's "
            "text; 0.75 is what its program does.",
        ),
    ] = 0.75
    frequency_damping: Annotated[
        float | None,
        Setting(
            "advanced",
            rules.number(),
            "Words learn at a rate in proportion to count ** -frequency_damping. Above 0 frequent words weigh "
            "less in a document, and steps that are too long are clipped.",
            _with_ngrams("frequency_damping"),
        ),
    ] = None
    predict_ngrams: Annotated[
        bool,
        Setting(
            "advanced",
            rules.flag,
            "Predict n-grams from the document, as words are. It helps with opinions and hurts with topics. If "
            "not, n-grams only represent the document.",
        ),
    ] = True
    shared_targets: Annotated[
        int,
        Setting(
            "advanced",
            rules.whole(1, 8),
            "Neighboring targets that share a corrupted document and negative samples. 1 draws both for every "
            "target, as the authors' program does; 4 is as good and several times faster.",
        ),
    ] = 4


@dataclass(kw_only=True, eq=False, repr=False)
class Parameters(TrainingParameters):
    """All parameters of Doc2VecC: how the vectors are learned, and how texts are read."""

    tokenizer: Annotated[
        Callable[[str], list[str]] | None,
        Setting("input", rules.tokenizer, "A function from a text to its tokens.", "the built-in rule"),
    ] = None
    text_column: Annotated[
        str | None,
        Setting(
            "input", rules.column, "Column with the texts.", "a column called 'text', or the only one with text"
        ),
    ] = None
    strict: Annotated[
        bool,
        Setting("input", rules.flag, "Stop at undecodable bytes and malformed lines instead of counting them."),
    ] = False
    workers: Annotated[int | None, Setting("input", rules.whole(), "Threads.", "all cores")] = None
    random_state: Annotated[
        int | RandomState | None,
        Setting(
            "input",
            rules.seed,
            "Seed of the random numbers. The same seed and one worker give bitwise the same model on every run. "
            "Several workers write in an order that the seed does not decide: the vectors differ, the quality not.",
            "a fresh seed",
        ),
    ] = 0
    verbose: Annotated[bool, Setting("input", rules.flag, "Show progress on stderr when it is a terminal.")] = False


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
        rules.require("workers", self.workers, low=1, whole=True)
        rules.require("seed", self.seed, low=0, high=rules.MAX_SEED, whole=True)
        rules.require_choice("document", self.document, get_args(DocumentContext))
        if self.document == "absent" and self.document_only > 0:
            raise ParameterError(
                f"document_only={self.document_only} does not fit document='absent': those targets have nothing "
                "to be predicted from; set it to 0"
            )


# ---- what is done with them


class Parameter(NamedTuple):
    """A parameter with everything that is known about it."""

    name: str
    kind: Any
    default: Any
    setting: Setting


def parameters_of(cls: type) -> Iterator[Parameter]:
    """Go through the described parameters of a class, in their order."""
    hints = get_type_hints(cls, include_extras=True)
    for one in fields(cls):
        kind = hints[one.name]
        if get_origin(kind) is Annotated:
            default = None if one.default is MISSING else one.default
            yield Parameter(one.name, kind.__origin__, default, kind.__metadata__[0])


def check_parameters(settings: object) -> None:
    """Raise a ParameterError for the first parameter that breaks its rule; None fits where it stands for something."""
    for name, _, default, setting in _ALL:
        value = getattr(settings, name, default)
        if value is not None or not setting.default:
            setting.rule(name, value)


def resolve_defaults(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with the default for their ngram_range in place of None.

    >>> resolve_defaults({"alpha": None, "ngram_range": (1, 2)}), resolve_defaults({"alpha": None})
    ({'alpha': 0.25, 'ngram_range': (1, 2)}, {'alpha': 0.1})
    """
    ngram_range = settings.get("ngram_range")
    has_ngrams = isinstance(ngram_range, tuple | list) and tuple(ngram_range) != (1, 1)
    defaults = NGRAM_DEFAULTS if has_ngrams else WORD_DEFAULTS
    return {name: defaults.get(name) if value is None else value for name, value in settings.items()}


def available_cores() -> int:
    """Return how many cores this process may use; only Linux tells more than how many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_ALL = tuple(parameters_of(Parameters))
