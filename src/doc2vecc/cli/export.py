"""``doc2vecc export``: a model in the format of another program."""

from pathlib import Path
from typing import Annotated

import typer

from doc2vecc.cli.options import Force, ModelFolder, Tokenizer, with_tokenizer_options
from doc2vecc.console import say

KINDS = "sentence-transformers, model2vec, word2vec, word2vec-binary, glove or onnx"


@with_tokenizer_options
def export(
    model: ModelFolder,
    tokenizer: Tokenizer | None,
    kind: Annotated[str, typer.Option("--to", metavar="KIND", help=f"Format: {KINDS}.", show_default=False)],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="Folder to write; a file for word2vec, glove and onnx.",
            show_default=False,
        ),
    ],
    force: Force = False,
) -> None:
    """Write a model in the format of another program.

    Example: [bold]doc2vecc export reviews.d2v --to sentence-transformers -o reviews-st[/bold]

    Example: [bold]doc2vecc export reviews.d2v --to word2vec -o reviews.txt[/bold]
    """
    from doc2vecc import exports
    from doc2vecc.storage import load

    exports.check_place(output, kind, force=force)
    line = exports.export(load(model, tokenizer), output, kind)
    say(f"written to {output}; load it with {line}")
