"""How texts are split where not the built-in rule alone decides: by a pattern, stop words, a function of the user's.

Stop words are left out when the words of a vocabulary are chosen. They are unknown words from then on, so that texts
are scanned as fast as without them; as with all unknown words, no n-gram reaches across one.
"""

import importlib
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from doc2vecc.corpus.numbering import Tokenizer
from doc2vecc.corpus.tokenizer import BuiltinTokenizer
from doc2vecc.errors import ParameterError

LONGEST_PATTERN = 1000  # characters
# Patterns whose time is in proportion to the text, so that they may come from a folder of a stranger's.
SAFE_PATTERNS = (r"(?u)\b\w\w+\b", r"\b\w\w+\b", r"(?u)\b\w+\b", r"\b\w+\b", r"\w\w+", r"\w+", r"\S+")


@dataclass(frozen=True)
class PatternTokenizer:
    r"""Every match of a regular expression in the text in lower case is a token, or its group if it has one.

    >>> PatternTokenizer(r"\b\w\w+\b")("It's a well-made film")
    ['it', 'well', 'made', 'film']
    """

    pattern: str
    stop_words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        problem = ""
        try:
            if len(self.pattern) > LONGEST_PATTERN:
                problem = f"it has {len(self.pattern):,} characters, the most are {LONGEST_PATTERN:,}"
            elif self._compiled.groups > 1:
                problem = (
                    f"it has {self._compiled.groups} groups, one at most is the token; write (?:...) for the others"
                )
        except (re.error, RecursionError, OverflowError) as error:
            problem = f"it is no regular expression: {error}"
        if problem:
            raise ParameterError(f"token_pattern={self.pattern[:100]!r} does not fit; {problem}")

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern)

    def __call__(self, text: str) -> list[str]:
        """Split a text into tokens."""
        return [token for token in self._compiled.findall(text.lower()) if token]


def choose_tokenizer(
    tokenizer: Tokenizer | None,
    token_pattern: str | None = None,
    stop_words: str | Collection[str] | None = None,
    version: int | None = None,
) -> Tokenizer | None:
    """Return the tokenizer that the parameters say; None is the built-in rule, which may be of an earlier version.

    >>> choose_tokenizer(None, None, ["the"])
    BuiltinTokenizer(version=2, stop_words=('the',))
    """
    others = {"token_pattern": token_pattern, "stop_words": stop_words}
    for name, value in others.items():
        if tokenizer is not None and value is not None:
            raise ParameterError(
                f"{name} does not go with a tokenizer of your own, which decides what the tokens are; leave one out"
            )
    if token_pattern is None and stop_words is None:
        return tokenizer
    words = tuple(sorted(set(_english_stop_words() if stop_words == "english" else stop_words or ())))
    if token_pattern is not None:
        return PatternTokenizer(token_pattern, words)
    return BuiltinTokenizer(BuiltinTokenizer.version if version is None else version, words)


def _english_stop_words() -> Collection[str]:
    """Return scikit-learn's list."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    words: Collection[str] = ENGLISH_STOP_WORDS
    return words


def stop_words_of(tokenizer: Tokenizer | None) -> tuple[str, ...]:
    """Return the stop words of a tokenizer, as they were given."""
    return tokenizer.stop_words if isinstance(tokenizer, BuiltinTokenizer | PatternTokenizer) else ()


def stopped_tokens(tokenizer: Tokenizer) -> tuple[set[str], int]:
    """Return the tokens that are left out, and how many stop words are no token and do nothing.

    >>> stopped_tokens(BuiltinTokenizer(stop_words=("The", "Don’t", "New York")))[1]
    1
    """
    found: set[str] = set()
    words = stop_words_of(tokenizer)
    n_ignored = 0
    for word in words:
        tokens = tokenizer(word)
        if len(tokens) == 1 and (isinstance(tokenizer, BuiltinTokenizer) or tokens[0] == word.lower()):
            found.add(tokens[0])
        else:
            n_ignored += len(tokens) > 0  # what no text can hold does no harm
    return found, n_ignored


# ---- a function of the user's own


def find_tokenizer(name: str) -> Tokenizer:
    """Import ``package.module:function``; modules in the working folder are found too."""
    module_name, _, path = name.partition(":")
    if not module_name or not path:
        raise ParameterError(f"the tokenizer {name!r} does not fit; it must be package.module:function, like nlp:split")
    with _working_folder_importable():
        try:
            found: Any = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            raise ParameterError(
                f"the tokenizer {name!r} needs the module {error.name!r}, which is not found; install it, or run the "
                "command in the folder that holds it"
            ) from error
        except Exception as error:  # the user's own code
            reason = f"{type(error).__name__}: {error}"
            raise ParameterError(f"the module {module_name!r} of the tokenizer cannot be imported: {reason}") from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise ParameterError(f"there is no {path!r} in the module {module_name!r}; check the name of the tokenizer")
        found = getattr(found, part)
    if not callable(found):
        raise ParameterError(f"the tokenizer {name!r} is {found!r}, which cannot be called; it must be a function")
    tokenizer: Tokenizer = found
    return tokenizer


def tokenizer_name(tokenizer: Tokenizer) -> str:
    """Return how a model folder names a tokenizer of the user's own: "my_tokens:split"."""
    described = tokenizer if hasattr(tokenizer, "__qualname__") else type(tokenizer)
    module = getattr(described, "__module__", None)
    return f"{module}:{described.__qualname__}" if module else str(described.__qualname__)


@contextmanager
def _working_folder_importable() -> Iterator[None]:
    """Let modules of the working folder be imported, as ``python -m`` does."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)
