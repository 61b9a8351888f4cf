"""Find the nearest documents in a stream: one pass, and never more in memory than one batch and the hits."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import NamedTuple

from doc2vecc.corpus.sources import TextBatches, read_texts
from doc2vecc.errors import UnknownWordError
from doc2vecc.model import Model

_SHOWN = 2_000  # characters of a hit that are kept: more than fits on a screen


class Hit(NamedTuple):
    """A document near a query: its row in the input, counted from 0, its file in a folder, how it begins."""

    similarity: float
    row: int
    file: str | None
    text: str


def nearest_documents(
    model: Model,
    batches: TextBatches,
    queries: Sequence[str],
    k: int = 10,
    *,
    workers: int = 1,
    on_batch: Callable[[int], None] | None = None,
) -> list[list[Hit]]:
    """Return for every query the ``k`` documents of largest cosine similarity, the nearest first."""
    (texts,) = read_texts(queries).texts()
    wanted = model.embed(texts)
    for query, known_words in zip(queries, wanted.known_words.tolist(), strict=True):
        if known_words == 0:
            raise UnknownWordError(f"no word of the query {query!r} is in the vocabulary; try other words")
    best: list[list[Hit]] = [[] for _ in queries]
    first_row = 0
    for batch in batches:
        texts = batch.column(batches.text_column)
        # Only a folder of text files is read with a column of this name that says where a document is from.
        files = batch.column("file") if "file" in batch.schema.names else None
        found = model.similar(wanted.vectors, model.embed(texts, workers).vectors, k)
        for number, hits in enumerate(best):
            for row, similarity in zip(
                found.indices[number].tolist(), found.similarities[number].tolist(), strict=True
            ):
                # Only the hits that are still among the best are turned into Python strings.
                if len(hits) < k or similarity > hits[-1].similarity:
                    file = None if files is None else str(files[row].as_py())
                    hits.append(Hit(similarity, first_row + row, file, texts[row].as_py()[:_SHOWN]))
                    hits[:] = heapq.nlargest(k, hits, key=lambda hit: hit.similarity)
        first_row += batch.num_rows
        if on_batch is not None:
            on_batch(batch.num_rows)
    return best
