"""``doc2vecc explain``: which words make two texts similar."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from doc2vecc.cli.options import ModelFolder, Tokenizer, with_tokenizer_options
from doc2vecc.console import one_line, say_notes, stdout
from doc2vecc.tables import print_table

if TYPE_CHECKING:
    from doc2vecc.explanation import Contribution
    from doc2vecc.model import Model

SHOWN_WORDS = 10


@with_tokenizer_options
def explain(
    model: ModelFolder,
    tokenizer: Tokenizer | None,
    first: Annotated[str, typer.Argument(metavar="TEXT", help="A text.", show_default=False)],
    second: Annotated[str, typer.Argument(metavar="TEXT", help="Another text.", show_default=False)],
) -> None:
    """Show which words make two texts similar, and which make them different.

    Example: [bold]doc2vecc explain reviews.d2v "a good story" "great actors"[/bold]
    """
    from doc2vecc.storage import load

    loaded = load(model, tokenizer)
    explanation = loaded.explain(first, second)
    both = (explanation.first, explanation.second)
    console = stdout()
    console.print(f"similarity {explanation.similarity:.3f}", style="bold")
    if console.color_system is not None and not console.no_color:
        largest = max((abs(one.share) for text in both for one in text), default=0.0)
        for text in both:
            console.print(_colored(text, loaded, largest))
    console.print()
    columns = [_strongest(text, loaded) for text in both]
    rows = [[*left, *right] for left, right in zip_longest(*columns, fillvalue=("", ""))]
    print_table(console, ["share", "in the first", "share ", "in the second"], rows, right=["share", "share "])
    say_notes(
        f"no word of the {name} text is in the vocabulary, so there is nothing to compare"
        for name, text in zip(("first", "second"), both, strict=True)
        if not any(one.token in loaded.vocabulary for one in text)
    )


def _colored(text: list[Contribution], model: Model, largest: float) -> Text:
    """Color words by their share: green if positive, red if negative, stronger if larger; unknown words are dim."""
    shown = Text()
    for token, share in text:
        strength = abs(share) / largest if largest else 0.0
        strong, weak = round(120 + 110 * strength), round(120 * (1 - strength))
        style = f"rgb({weak},{strong},{weak})" if share >= 0 else f"rgb({strong},{weak},{weak})"
        shown.append(one_line(token) + " ", style=style if token in model.vocabulary else "dim")
    return shown


def _strongest(text: list[Contribution], model: Model) -> list[tuple[str, str]]:
    """Add up the shares of each word -> (share, word) of those with the largest."""
    shares: dict[str, list[float]] = {}
    for token, share in text:
        if token in model.vocabulary:
            shares.setdefault(token, []).append(share)
    strongest = sorted(shares.items(), key=lambda item: -abs(sum(item[1])))[:SHOWN_WORDS]
    return [(f"{sum(own):+.3f}", word if len(own) == 1 else f"{word} ×{len(own)}") for word, own in strongest]
