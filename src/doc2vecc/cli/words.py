"""``doc2vecc words`` and ``doc2vecc explain``: what a model knows about words, and why two texts are similar."""

from __future__ import annotations

import difflib
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from doc2vecc.cli.options import ModelFolder, Nearest, UserError
from doc2vecc.console import one_line, print_table, say, stdout

if TYPE_CHECKING:
    from doc2vecc.model import Contribution, Model

SIGNS = ("+", "-")
COMPARED_SPELLINGS = 20_000  # with the most frequent words of the same first letter: a fraction of a second
STRONGEST = 10


def words(
    model: ModelFolder,
    terms: Annotated[
        list[str],
        typer.Argument(metavar="WORD", help="Words, or sums such as king - man + woman.", show_default=False),
    ],
    k: Nearest = 10,
) -> None:
    """Show the nearest words of a word, or of a sum of words.

    Example: [bold]doc2vecc words reviews.d2v story -k 5[/bold]

    Example: [bold]doc2vecc words reviews.d2v actor - man + woman[/bold]
    """
    from doc2vecc.storage import load

    loaded = load(model)
    # All answers before the first is printed, so that a mistake is the only line.
    answers = [(expression, _nearest(loaded, expression, k)) for expression in expressions(terms)]
    console = stdout()
    for expression, nearest in answers:
        counts = [f"{loaded.vocabulary.counts[loaded.vocabulary[word]]:,}" for word, _ in nearest]
        rows = [[f"{score:.3f}", word, count] for (word, score), count in zip(nearest, counts, strict=True)]
        console.print(one_line(expression), style="bold")
        print_table(console, ["similarity", "word", "count"], rows, right=["similarity", "count"])
        console.print()


def expressions(arguments: list[str]) -> list[str]:
    """Put together what belongs together: ["good", "king", "-", "man"] -> ["good", "king - man"]."""
    found: list[list[str]] = []
    is_open = False
    for argument in arguments:
        if (is_open or argument in SIGNS) and found:
            found[-1].append(argument)
        else:
            found.append([argument])
        is_open = argument in SIGNS
    return [" ".join(parts) for parts in found]


def _nearest(model: Model, expression: str, k: int) -> list[tuple[str, float]]:
    """Ask the model; for a word that it does not know, offer those that are spelled alike."""
    from doc2vecc.console import counted
    from doc2vecc.model import signed_terms

    try:
        return model.similar_words(expression, k)
    except KeyError as error:
        terms = [term for _, term in signed_terms(expression)] if expression.strip("+- ") else []
        words = (" ".join(model.tokenize(word)) for term in terms for word in term.split())
        unknown = next((word for word in words if word not in model.vocabulary), None)
        if unknown is None:
            raise UserError(error.args[0]) from error
        close = close_spellings(unknown, model.vocabulary.words)
        remedy = f"did you mean {', '.join(close)}?" if close else "try another one"
        raise UserError(
            f"{unknown!r} is not among the {counted(len(model.vocabulary), 'word')} of the model; {remedy}"
        ) from error


def close_spellings(word: str, known: list[str]) -> list[str]:
    """Find up to three words that are spelled alike and share the first letter."""
    candidates = (other for other in known if other[:1] == word[:1] and abs(len(other) - len(word)) <= 2)
    few = [other for other, _ in zip(candidates, range(COMPARED_SPELLINGS), strict=False)]
    return difflib.get_close_matches(word, few, n=3)


def explain(
    model: ModelFolder,
    first: Annotated[str, typer.Argument(metavar="TEXT", help="A text.", show_default=False)],
    second: Annotated[str, typer.Argument(metavar="TEXT", help="Another text.", show_default=False)],
) -> None:
    """Show which words make two texts similar, or keep them apart.

    Example: [bold]doc2vecc explain reviews.d2v "a good story" "great actors"[/bold]
    """
    from doc2vecc.storage import load

    loaded = load(model)
    explanation = loaded.explain(first, second)
    both = (explanation.first, explanation.second)
    console = stdout()
    console.print(f"similarity {explanation.similarity:.3f}", style="bold")
    if console.color_system is not None and not console.no_color:
        largest = max((abs(one.share) for text in both for one in text), default=0.0)
        for text in both:
            console.print(_colored(text, loaded, largest))
    console.print()
    rows = _side_by_side([_strongest(text, loaded) for text in both])
    print_table(console, ["share", "in the first", "share ", "in the second"], rows, right=["share", "share "])
    for name, text in zip(("first", "second"), both, strict=True):
        if not any(one.token in loaded.vocabulary for one in text):
            say(f"note: no word of the {name} text is in the vocabulary, so there is nothing to compare")


def _colored(text: list[Contribution], model: Model, largest: float) -> Text:
    """Color words by their share: green for it, red against it, the stronger the larger; unknown words are dim."""
    shown = Text()
    for token, share in text:
        strength = abs(share) / largest if largest else 0.0
        strong, weak = round(120 + 110 * strength), round(120 * (1 - strength))
        style = f"rgb({weak},{strong},{weak})" if share >= 0 else f"rgb({strong},{weak},{weak})"
        shown.append(one_line(token) + " ", style=style if token in model.vocabulary else "dim")
    return shown


def _strongest(text: list[Contribution], model: Model) -> list[tuple[str, str]]:
    """Add up the shares of each word -> (share, word) of the strongest."""
    shares: Counter[str] = Counter()
    occurrences = Counter(one.token for one in text)
    for token, share in text:
        if token in model.vocabulary:
            shares[token] += share  # type: ignore[assignment]
    strongest = sorted(shares.items(), key=lambda item: -abs(item[1]))[:STRONGEST]
    return [
        (f"{share:+.3f}", word if occurrences[word] == 1 else f"{word} ×{occurrences[word]}")
        for word, share in strongest
    ]


def _side_by_side(columns: list[list[tuple[str, str]]]) -> list[list[str]]:
    """Put two lists of pairs beside each other, the shorter one filled up."""
    from itertools import zip_longest

    return [[*left, *right] for left, right in zip_longest(*columns, fillvalue=("", ""))]
