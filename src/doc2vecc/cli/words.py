"""``doc2vecc words``: the nearest words."""

from itertools import pairwise
from typing import Annotated

import typer

from doc2vecc.cli.options import ModelFolder, Nearest, Tokenizer, with_tokenizer_options
from doc2vecc.console import one_line, stdout
from doc2vecc.tables import print_table

SIGNS = ("+", "-")


@with_tokenizer_options
def words(
    model: ModelFolder,
    tokenizer: Tokenizer | None,
    terms: Annotated[
        list[str], typer.Argument(metavar="WORD", help="Words, or sums such as king - man + woman.", show_default=False)
    ],
    k: Nearest = 10,
    min_count: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Show words that occur at least N times. Default: 10 if 1,000 words do."),
    ] = None,
) -> None:
    """Show the words nearest to a word, or to a sum of words.

    Example: [bold]doc2vecc words reviews.d2v story -k 5[/bold]

    Example: [bold]doc2vecc words reviews.d2v actor - man + woman[/bold]
    """
    from doc2vecc.storage import load

    loaded = load(model, tokenizer)
    # All words are searched before the first is printed, so that an error is the only line.
    answers = [(expression, loaded.similar_words(expression, k, min_count)) for expression in expressions(terms)]
    console = stdout()
    for expression, nearest in answers:
        counts = loaded.vocabulary.counts
        rows = [[f"{score:.3f}", word, f"{counts[loaded.vocabulary[word]]:,}"] for word, score in nearest]
        console.print(one_line(expression), style="bold")
        print_table(console, ["similarity", "word", "count"], rows, right=["similarity", "count"])
        console.print()


def expressions(arguments: list[str]) -> list[str]:
    """Join the terms of each sum: ["good", "king", "-", "man"] -> ["good", "king - man"]."""
    found: list[str] = []
    for before, argument in pairwise(["", *arguments]):
        if found and (argument in SIGNS or before in SIGNS):
            found[-1] += f" {argument}"
        else:
            found.append(argument)
    return found
