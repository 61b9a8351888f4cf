"""How a model splits texts, as its folder says it: names, a pattern and words, all checked before they are used."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from doc2vecc.console import shortened
from doc2vecc.corpus.numbering import Tokenizer
from doc2vecc.corpus.token_rules import LONGEST_PATTERN, SAFE_PATTERNS, PatternTokenizer, stop_words_of, tokenizer_name
from doc2vecc.corpus.tokenizer import CHARACTERS_VERSION, BuiltinTokenizer
from doc2vecc.errors import ModelFolderError, ParameterError

BUILTIN = "builtin"
PATTERN = "pattern"
OURS = BuiltinTokenizer | PatternTokenizer


def describe_tokenizer(tokenizer: Tokenizer) -> dict[str, Any]:
    """Return what the configuration of a model folder says about its tokenizer."""
    said: dict[str, Any] = {"tokenizer": tokenizer_name(tokenizer), "characters": None}
    if isinstance(tokenizer, BuiltinTokenizer):
        said |= {"tokenizer": BUILTIN, "characters": tokenizer.version}
    elif isinstance(tokenizer, PatternTokenizer):
        said |= {"tokenizer": PATTERN, "token_pattern": tokenizer.pattern}
    stop_words = stop_words_of(tokenizer)
    return said | ({"stop_words": list(stop_words)} if stop_words else {})


def restore_tokenizer(folder: Path, config: Mapping[str, Any], given: Tokenizer | None) -> Tokenizer:
    """Return the tokenizer of a model: what its folder says, and what the user has given again.

    Of a stranger's folder no code runs, and no pattern that could take forever: the user gives both again.
    """
    name, pattern, stop_words = config["tokenizer"], config.get("token_pattern"), config.get("stop_words", [])
    if not isinstance(stop_words, list) or not all(isinstance(word, str) for word in stop_words):
        raise ModelFolderError(f"{folder} is damaged: stop_words must be a list of words; save the model again")
    if pattern is not None:
        if not isinstance(pattern, str) or len(pattern) > LONGEST_PATTERN:
            raise ModelFolderError(
                f"{folder} is damaged: token_pattern must be a text of at most {LONGEST_PATTERN:,} characters"
            )
        _check_pattern(folder, pattern, given)
        try:
            return PatternTokenizer(pattern, tuple(stop_words))
        except ParameterError as error:
            raise ModelFolderError(f"{folder} is damaged: {error}; save the model again") from error
    if name == BUILTIN:
        if given is not None and not isinstance(given, BuiltinTokenizer):
            raise ModelFolderError(f"{folder} was trained with the built-in tokenizer; load it without tokenizer=")
        return _builtin_tokenizer(config.get("characters", 1), folder, tuple(stop_words))
    if given is None or isinstance(given, OURS):
        raise ModelFolderError(
            f"{folder} was trained with the tokenizer {name}; pass it again as --tokenizer MODULE:FUNCTION / tokenizer="
        )
    return given


def _check_pattern(folder: Path, pattern: str, given: Tokenizer | None) -> None:
    """Refuse a pattern that could run without end, unless the user has given it too."""
    shown = shortened(repr(pattern), 200)
    if given is None and pattern not in SAFE_PATTERNS:
        raise ModelFolderError(
            f"{folder} splits texts with the regular expression {shown}, and one of a stranger's could run without "
            "end; if you trust it, pass it again as --token-pattern / token_pattern="
        )
    if given is not None and not (isinstance(given, PatternTokenizer) and given.pattern == pattern):
        raise ModelFolderError(f"{folder} was trained with the token_pattern {shown}; pass this one and no tokenizer")


def _builtin_tokenizer(version: object, folder: Path, stop_words: tuple[str, ...]) -> BuiltinTokenizer:
    """Return the built-in rule with the version of the table of characters that a folder names."""
    if type(version) is not int or not 1 <= version <= CHARACTERS_VERSION:
        raise ModelFolderError(
            f"{folder} has version {version!r} of the table of characters, this program knows 1 to "
            f"{CHARACTERS_VERSION}; upgrade doc2vecc"
        )
    return BuiltinTokenizer(version, stop_words)
