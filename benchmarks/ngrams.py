"""The cost of n-grams when embedding: documents per second from raw text, one thread, beside words alone.

    python -m benchmarks.ngrams

prints a line for each kind of document, with vectors of 100 dimensions learned from the same texts: the fastest of
many rounds in turn, and the time relative to words alone. Reads the folder named by DOC2VECC_DATA; without it,
docstrings.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import contestants, material
from benchmarks.run import Contest, interleaved
from doc2vecc.config import resolve_defaults
from doc2vecc.corpus.sources import read_texts
from doc2vecc.model import Model
from doc2vecc.parameters import WORD_DEFAULTS
from doc2vecc.training.learning import learn

DOCUMENTS, ROUNDS = 25_000, 15
KINDS: dict[str, dict[str, Any]] = {
    "words": {},
    "words, each once": {"binary": True},
    "words and n-grams of two": {"ngram_range": (1, 2)},
    "words and n-grams of two, each once": {"ngram_range": (1, 2), "binary": True},
    "words and n-grams of two and three": {"ngram_range": (1, 3)},
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        texts = material.load(Path(folder), DOCUMENTS)
        models = {name: learned(texts, changes) for name, changes in KINDS.items()}
        contests = {
            name: Contest(float(len(texts.texts)), contestants.doc2vecc_embedding(model, texts))
            for name, model in models.items()
        }
        rates = interleaved(contests, ROUNDS)
    for name, model in models.items():
        shown = {
            "texts": texts.name,
            "kind": name,
            "rows": len(model.vocabulary),
            "documents_per_second": round(max(rates[name])),
            "times_as_long": round(max(rates["words"]) / max(rates[name]), 2),
        }
        print(json.dumps(shown))


def learned(texts: material.Material, changes: dict[str, Any]) -> Model:
    """Train for one epoch: the speed of embedding does not depend on the quality of the vectors."""
    config = contestants.config(1, **resolve_defaults({**dict.fromkeys(WORD_DEFAULTS), **changes}))
    documents = read_texts(text for batch in contestants.in_batches(texts) for text in batch.to_pylist())
    return learn(documents, replace(config, min_count=contestants.MIN_COUNT)).model


if __name__ == "__main__":
    main()
