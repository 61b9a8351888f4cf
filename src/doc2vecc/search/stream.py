"""Find the nearest documents in a stream: one pass, with one batch and the hits in memory."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from doc2vecc.config import require
from doc2vecc.corpus.sources import TextBatches, read_texts
from doc2vecc.errors import UnknownWordError
from doc2vecc.model import Model
from doc2vecc.search.stored import vectors_of
from doc2vecc.similarity import NearestRows

_SHOWN = 2_000  # characters of a hit that are kept: more than fits on a screen


class StreamHit(NamedTuple):
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
) -> list[list[StreamHit]]:
    """Return for every query the ``k`` documents of largest cosine similarity, the nearest first."""
    require("k", k, whole=True, low=1)
    (texts,) = read_texts(queries).texts()
    wanted = model.embed(texts)
    for query, known_words in zip(queries, wanted.known_words.tolist(), strict=True):
        if known_words == 0:
            raise UnknownWordError(f"no word of the query {query!r} is in the vocabulary; try other words")
    nearest = NearestRows(wanted.vectors, k)
    shown: dict[int, tuple[str | None, str]] = {}  # of the rows that are among the nearest
    for batch in batches:
        texts = batch.column(batches.text_column)
        # Only a folder of text files is read with a column of this name, the file of each document.
        files = batch.column("file") if "file" in batch.schema.names else None
        first_row = nearest.n_rows
        nearest.add(vectors_of(model, batch, batches, workers))
        rows = nearest.found.indices.ravel().tolist()
        for row in {row - first_row for row in rows if row >= first_row}:
            file = None if files is None else str(files[row].as_py())
            shown[first_row + row] = file, texts[row].as_py()[:_SHOWN]
        shown = {row: shown[row] for row in rows}
        if on_batch is not None:
            on_batch(batch.num_rows)
    places = range(nearest.n_rows) if batches.rows is None else batches.rows.tolist()
    return [
        [StreamHit(similarity, places[row], *shown[row]) for row, similarity in zip(rows, similarities, strict=True)]
        for rows, similarities in zip(*(one.tolist() for one in nearest.found), strict=True)
    ]
