"""What to type next: commands that make sense for a model, with words that it knows well."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from doc2vecc.cli.options import ReadingOptions, as_options, given_rules
from doc2vecc.cli.terminal import program
from doc2vecc.console import say

if TYPE_CHECKING:
    from doc2vecc.model import Model
    from doc2vecc.overview import TellingWords

FEWEST_DOCUMENTS = 30  # of a map or topics that are worth looking at


def say_commands(title: str, commands: list[list[str]]) -> None:
    """Write commands to stderr, a line each, as they are typed."""
    if commands:
        say(title)
    for command in commands:
        say(f"  {program()} {shlex.join(command)}")


def after_training(model: Model, folder: Path, inputs: list[str], reading: ReadingOptions) -> list[list[str]]:
    """Return commands to try with a model that learned from ``inputs``; none if it has no word to try."""
    from doc2vecc.overview import TellingWords

    telling = TellingWords(model)
    word, again = _first_word(model, telling), _options_again(model)
    if word is None:
        return []
    first = ["words", str(folder), word, *again]
    queries = example_queries(telling) or [word]
    if "-" in inputs:  # cannot be read again
        return [first, ["explain", str(folder), queries[0], queries[-1], *again], ["inspect", str(folder), *again]]
    source = [str(folder), inputs[0], *as_options(given_rules(reading)), *again]
    similar = ["similar", *source, "--query", queries[0]]
    if model.record.report["documents"] < FEWEST_DOCUMENTS:
        return [first, similar, ["inspect", str(folder), *again]]
    kind = "map" if find_spec("openTSNE") is not None else "topics"
    index = ["index", *source, "-o", str(folder.with_suffix(".index"))]
    return [first, similar, index, [kind, *source, "-o", f"{kind}.html"]]


def after_indexing(model: Model, folder: Path, index: Path) -> list[list[str]]:
    """Return commands to try with a new index: a search, and the page."""
    from doc2vecc.overview import TellingWords

    telling, again = TellingWords(model), _options_again(model)
    word = _first_word(model, telling)
    query = next(iter(example_queries(telling)), word)
    search = [] if query is None else [["search", str(index), query, *again]]
    return [*search, ["serve", str(folder), "--index", str(index)]]


def example_queries(telling: TellingWords, number: int = 3, n_words: int = 2) -> list[str]:
    """Return queries of a few words that belong together, the most telling first: "zombie zombies"."""
    rank = {word: place for place, word in enumerate(telling.words)}
    groups = sorted(telling.groups(), key=lambda group: rank[group[0]])
    return [" ".join(group[:n_words]) for group in groups[:number]]


def _first_word(model: Model, telling: TellingWords) -> str | None:
    """Choose the most telling word, or in a tiny model any word with letters."""
    with_letters = (word for word in model.vocabulary.words if word.isalnum() and not word.isnumeric())
    return telling.words[0] if telling.words else next(with_letters, None)


def _options_again(model: Model) -> list[str]:
    """Return the options that a command needs again to use a model with a tokenizer or pattern of the user's own."""
    from doc2vecc.corpus.stored_tokenizer import BUILTIN, describe_tokenizer

    said = describe_tokenizer(model.tokenizer)
    if "token_pattern" in said:
        return ["--token-pattern", said["token_pattern"]]
    return [] if said["tokenizer"] == BUILTIN else ["--tokenizer", said["tokenizer"]]
