"""Every parameter once: name, type, default, rule, help and group.

The constructor and the docstring of Doc2VecC, the options of ``doc2vecc train`` and all validation come from the
fields below. A new parameter is a field here and the code that uses it; ``make docstrings`` writes the docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from doc2vecc.rules import (
    COLUMNS,
    DELIMITER,
    FLAG,
    FUNCTION,
    MAX_SEED,
    NGRAM_RANGE,
    PATTERN,
    STOP_WORDS,
    Choice,
    Number,
    Setting,
    Whole,
    WholeOrAuto,
    without_types,
)
from doc2vecc.rules import parameters_of as parameters_of

if TYPE_CHECKING:
    from numpy.random import RandomState
else:  # the command line describes its options without importing NumPy
    RandomState = type("RandomState", (), {})

Architecture = Literal["cbow", "skipgram"]
Start = Literal["spectral", "random"]
Auto = Literal["auto"]

# N-grams are many rare features, which need longer steps: what None stands for, without and with them.
WORD_DEFAULTS: Mapping[str, float] = {"alpha": 0.1, "frequency_damping": 0.0}
NGRAM_DEFAULTS: Mapping[str, float] = {"alpha": 0.25, "frequency_damping": 0.2}


def _with_ngrams(name: str) -> str:
    return f"{WORD_DEFAULTS[name]}, with n-grams {NGRAM_DEFAULTS[name]}"


@dataclass(kw_only=True, eq=False, repr=False)
class TrainingParameters:
    """What decides how the vectors are learned."""

    vector_size: Annotated[
        int | None,
        Setting(
            "vectors",
            Whole(1, 65_536),
            "Dimension of the vectors. 100 is faster and smaller, and as good for a few classes; 500 helps with "
            "many classes and with n-grams.",
            "500 below ten million tokens, else 300",
        ),
    ] = field(default=None, kw_only=False)
    min_count: Annotated[
        int | None,
        Setting("vectors", Whole(), "Ignore words that occur less often.", "2 below a million tokens, else 5"),
    ] = None
    max_final_vocab: Annotated[
        int | None, Setting("vectors", Whole(), "Keep only this many words, the most frequent. Limits memory.", "all")
    ] = None
    ngram_range: Annotated[
        tuple[int, int] | None,
        Setting(
            "vectors",
            NGRAM_RANGE,
            "Shortest and longest n-gram; (1, 2) adds bigrams to the words. N-grams such as 'not good' capture word"
            " order; they help most with opinions. In scripts without spaces, such as Chinese, each character is a"
            " word; if these are 1 % of the tokens, pairs that occur min_count times are n-grams by default (in Thai,"
            " Lao, Khmer and Burmese, also runs of 3).",
            "words; in scripts without spaces also pairs of characters",
        ),
    ] = None
    ngram_min_count: Annotated[
        int | None,
        Setting("vectors", Whole(), "Ignore n-grams that occur less often.", "4 below a million tokens, else 10"),
    ] = None
    max_ngrams: Annotated[
        int | None, Setting("vectors", Whole(), "Keep only this many n-grams, the most frequent. Limits memory.", "all")
    ] = None
    binary: Annotated[
        bool,
        Setting(
            "vectors",
            FLAG,
            "Count each word and n-gram of a document once. This helps with opinions and hurts with topics. Otherwise,"
            " a document is the mean over all occurrences, as in the paper.",
        ),
    ] = False
    idf_exponent: Annotated[
        float | None,
        Setting(
            "vectors",
            Number(0, 2),
            "Multiply each word vector by the word's inverse document frequency to this power, after training. Rare "
            "words then have more weight, which helps longer texts and hurts short ones; the paper uses 0.",
            "tokens per document / 50, at most 1; at most 0.5 for 10 million tokens or more",
        ),
    ] = None
    init: Annotated[
        Start,
        Setting(
            "training",
            Choice(get_args(Start)),
            "Start from latent semantic analysis (spectral) or from random vectors (random). The spectral start needs "
            "fewer epochs and helps longer documents most; the paper uses random.",
        ),
    ] = "spectral"
    epochs: Annotated[
        int | Auto,
        Setting(
            "training",
            WholeOrAuto(),
            "Passes over the texts, or auto. auto is 340,000 / words ** (2 / 3), from 3 to 100, for a corpus of this "
            "many words: 86 for 250,000 words, 26 for 1.5 million, 4 for 26 million.",
        ),
    ] = "auto"
    max_seconds: Annotated[
        float | None,
        Setting(
            "training",
            Number(1e-3, 1e9),
            "End the training after this time. The learning rate then falls with time, if that is faster. Reading is "
            "not included, and a seed no longer determines the vectors.",
            "no limit",
        ),
    ] = None
    alpha: Annotated[
        float | None,
        Setting(
            "training",
            Number(1e-9, 10),
            "Learning rate at the start; it falls linearly to a ten-thousandth. Lower it if the training diverges.",
            _with_ngrams("alpha"),
        ),
    ] = None
    window: Annotated[
        int,
        Setting(
            "training",
            Whole(1, 65_536),
            "Maximum number of words of local context on either side. The actual number is drawn for every target, "
            "from 1 to `window`.",
        ),
    ] = 10
    negative: Annotated[
        int, Setting("training", Whole(1, 65_536), "Negative samples per target. More is slower and rarely better.")
    ] = 5
    sample: Annotated[
        float,
        Setting(
            "training",
            Number(),
            "Subsample words more frequent than this share of the text; 0 keeps all. A word of frequency f is "
            "kept with probability sqrt(sample / f) + sample / f. Embedding never subsamples.",
        ),
    ] = 0.0
    architecture: Annotated[
        Architecture,
        Setting(
            "training",
            Choice(get_args(Architecture)),
            "Predict a target from its whole local context at once (cbow), or from each word of it in turn "
            "(skipgram). cbow is faster and better for documents.",
        ),
    ] = "cbow"
    keep: Annotated[
        float,
        Setting(
            "advanced",
            Number(1e-4),
            "Probability that a word of the document survives the corruption. It is 1 - q in the paper. Values "
            "from 0.05 to 0.5 are about equally good.",
        ),
    ] = 0.1
    document_only: Annotated[
        float,
        Setting(
            "advanced",
            Number(),
            "Share of the targets predicted from the document alone, without local context. A larger share gives "
            "better document vectors, a smaller one better word vectors.",
        ),
    ] = 0.9
    ns_exponent: Annotated[
        float,
        Setting(
            "advanced",
            Number(),
            "Draw negative samples in proportion to count ** ns_exponent. 0 is uniform, as in the paper's text; "
            "the author's program uses 0.75.",
        ),
    ] = 0.75
    frequency_damping: Annotated[
        float | None,
        Setting(
            "advanced",
            Number(),
            "Make the learning rate of a word proportional to count ** -frequency_damping. Above 0, frequent words "
            "have less weight in a document, and steps that are too long are clipped.",
            _with_ngrams("frequency_damping"),
        ),
    ] = None
    predict_ngrams: Annotated[
        bool,
        Setting(
            "advanced",
            FLAG,
            "Predict n-grams from the document, like words. This helps with opinions and hurts with topics. "
            "Otherwise, n-grams only represent the document.",
        ),
    ] = True
    shared_targets: Annotated[
        int,
        Setting(
            "advanced",
            Whole(1, 8),
            "Number of neighboring targets that share a corrupted document and negative samples. 1 draws both for "
            "every target, like the author's program; 4 is as good and several times faster.",
        ),
    ] = 4
    reproducible: Annotated[
        bool,
        Setting("advanced", FLAG, "Bitwise the same model with any number of workers. Slower; uses at most 4 workers."),
    ] = False


@without_types
@dataclass(kw_only=True, eq=False, repr=False)
class Parameters(TrainingParameters):
    """All parameters of Doc2VecC: how the vectors are learned, and how texts are read."""

    tokenizer: Annotated[
        Callable[[str], list[str]] | None,
        Setting("input", FUNCTION, "A function from a text to its tokens.", "the built-in rule"),
    ] = None
    token_pattern: Annotated[
        str | None,
        Setting(
            "input",
            PATTERN,
            "Regular expression of a token, such as [a-z]+, applied to the lowercased text. If it has a group, that is "
            "the token. It is slower than the built-in rule.",
            "the built-in rule",
        ),
    ] = None
    stop_words: Annotated[
        str | Collection[str] | None,
        Setting(
            "input",
            STOP_WORDS,
            "Words to ignore: a list, or 'english' for scikit-learn's list. N-grams do not extend across them.",
            "none",
        ),
    ] = None
    text_column: Annotated[
        str | Sequence[str] | None,
        Setting(
            "input",
            COLUMNS,
            "Column with the texts, or several such as title,body. The texts of several are joined by a line break.",
            "a column named 'text', or the only one with text",
        ),
    ] = None
    no_header: Annotated[
        bool, Setting("input", FLAG, "Csv files have no header line; their columns are named 1, 2, 3 and so on.")
    ] = False
    strict: Annotated[
        bool, Setting("input", FLAG, "Stop at undecodable bytes and malformed lines instead of counting them.")
    ] = False
    skip_malformed: Annotated[
        bool, Setting("input", FLAG, "Skip any number of malformed lines. Otherwise, more than 1 % are an error.")
    ] = False
    delimiter: Annotated[
        str | None, Setting("input", DELIMITER, "Character between the cells of csv files.", "detected")
    ] = None
    max_document_mb: Annotated[
        int, Setting("input", Whole(1, 4000), "Refuse documents of more megabytes. Memory grows with the longest.")
    ] = 1000
    workers: Annotated[int | None, Setting("input", Whole(1, 1024), "Threads.", "all cores")] = None
    random_state: Annotated[
        int | RandomState | None,
        Setting(
            "input",
            Whole(0, MAX_SEED),
            "Seed of the random numbers. The same seed and one worker give bitwise the same model on every run. "
            "With several workers, the vectors differ from run to run, but the quality does not.",
            "a new seed",
        ),
    ] = 0
    verbose: Annotated[bool, Setting("input", FLAG, "Show progress in a notebook or terminal.")] = False
