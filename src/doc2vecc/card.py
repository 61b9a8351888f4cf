"""The model card: a README.md with front matter, as model hubs show it.

It holds what the model itself knows, so that the same model has the same card.
"""

from collections.abc import Sequence

from doc2vecc.console import counted
from doc2vecc.model import Model

CARD_FILE = "README.md"
DOC2VECC_USAGE = (
    "from doc2vecc import Doc2VecC",
    "",
    'model = Doc2VecC.load("path/of/this/folder")',
    'vectors = model.transform(["a text that the model has never seen"])',
)
_SHOWN_WORDS = 20
_COUNTS = {"documents": "document", "tokens": "token"}  # of the report, that a sentence tells


def model_card(model: Model, library: str, usage: Sequence[str]) -> str:
    """Return the card of a model that ``library`` loads; ``usage`` are the lines of Python that embed with it."""
    vocabulary, record = model.vocabulary, model.record
    front_matter = {"library_name": library, "pipeline_tag": "sentence-similarity"}
    words = counted(vocabulary.n_words, "word")
    if len(vocabulary.ngrams):
        words += f" and {counted(len(vocabulary.ngrams), 'n-gram')}"
    report = record.report
    learned = " with ".join(counted(report[name], noun) for name, noun in _COUNTS.items() if name in report)
    sentences = [f"Document vectors of dimension {model.dim}, learned with Doc2VecC: {words}"]
    sentences[0] += f" from {learned}." if learned else "."
    if record.history:
        epochs = counted(len(record.history), "epoch")
        sentences.append(f"The loss per word is {record.history[-1].loss:.3f} in the last of {epochs}.")
    shown = [word for word in vocabulary.words if word.isalpha() and len(word) > 3][:_SHOWN_WORDS]
    if shown:
        sentences.append(f"Frequent words: {', '.join(shown)}.")
    lines = [
        "---",
        *(f"{name}: {value}" for name, value in front_matter.items()),
        "tags:",
        *(f"- {tag}" for tag in ("doc2vecc", "document-embeddings", "static-embeddings")),
        "---",
        "",
        "# Document vectors with Doc2VecC",
        "",
        *sentences,
        "",
        "```python",
        *usage,
        "```",
        "",
        "A text is the mean of the vectors of its known words and n-grams. One without any is a zero vector.",
    ]
    counts = {name.replace("_", " "): f"{count:,}" for name, count in report.items() if count}
    for title, values in (("setting", record.settings), ("of the texts", counts)):
        if values:
            lines += ["", f"| {title} | value |", "|---|---|"]
            lines += [f"| {name} | {value} |" for name, value in values.items()]
    return "\n".join(lines) + "\n"
