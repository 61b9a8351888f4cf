"""``doc2vecc demo``: from text to answers, on text that is on every machine."""

import shlex
import time
from pathlib import Path
from typing import Annotated

import typer

from doc2vecc.cli.options import Force
from doc2vecc.cli.train import check_model_folder, say_what_was_learned
from doc2vecc.console import notify_on_compile, print_table, program, progress_bar, say, stdout

DEFAULT_OUTPUT = Path("demo.d2v")  # the only model that is replaced without --force


def demo(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where to save the model.")
    ] = DEFAULT_OUTPUT,
    force: Force = False,
) -> None:
    """Learn from the docstrings of Python's standard library and answer three questions; under a minute.

    Example: [bold]doc2vecc demo --output demo.d2v[/bold]
    """
    check_model_folder(output, force=force or output == DEFAULT_OUTPUT)

    from doc2vecc import storage
    from doc2vecc.demo import QUERIES, WORDS, answer, learn_from, standard_library

    started = time.perf_counter()
    say("collecting the docstrings of Python's standard library")
    documents = standard_library()
    with notify_on_compile(), progress_bar(True) as progress:
        model = learn_from(documents, progress)
        say_what_was_learned(model, time.perf_counter() - started)
        answers = answer(model, documents, QUERIES)
    console = stdout()
    for query, found in zip(QUERIES, answers, strict=True):
        rows = [[f"{similarity:.2f}", document.name, document.docstring] for similarity, document in found]
        console.print(f'\n"{query}"', style="bold")
        print_table(console, ["similarity", "document", "begins"], rows, right=["similarity"])
    console.print("\nnearest words", style="bold")
    known = [word for word in WORDS if word in model.vocabulary]
    rows = [[word, ", ".join(near for near, _ in model.similar_words(word, 6))] for word in known]
    print_table(console, ["word", "nearest"], rows)
    console.print()
    storage.save(model, output)
    folder = shlex.quote(str(output))
    say(f"saved to {output}")
    say(f"try: {program()} words {folder} file")
    say(f'     {program()} explain {folder} "compress a file" "a smaller archive"')
