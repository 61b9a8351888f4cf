"""What goes into the files of an index: rows of documents with their vectors, the graph, the measured recall."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from doc2vecc.console import ProgressListener
from doc2vecc.corpus.sources import TextBatches
from doc2vecc.corpus.text_column import OpenTable, Texts, joined_name
from doc2vecc.errors import InputError
from doc2vecc.model import Model
from doc2vecc.search import folder as files
from doc2vecc.search import graph as graphs
from doc2vecc.search.folder import Description, Part
from doc2vecc.similarity import NearestRows, Vectors, normalized

if TYPE_CHECKING:
    from usearch.index import Index

REMOVED_SHARE = 0.2  # of the nodes of a graph: with more that are gone, it is built anew
SAMPLED_QUERIES = 200
WORDS_OF_A_QUERY = 8

Rows = Iterator[tuple[pa.RecordBatch, Vectors]]


# ---- documents


def embedded_rows(
    model: Model, batches: TextBatches, description: Description, workers: int, progress: ProgressListener
) -> Rows:
    """Embed documents -> batches of what is stored of them, with their vectors."""
    number, n_documents = description.next_number, description.documents
    for batch in batches:
        _check_columns(batch, description, batches.input_columns)
        n_documents += batch.num_rows
        if n_documents >= graphs.EXACT_BELOW:
            graphs.usearch()  # what is not installed is said now, not after everything was embedded
        vectors = normalized(model.embed(batch.column(batches.text_column), workers).vectors)
        yield _stored(batch, batches.text_columns, description, number), vectors
        number += batch.num_rows
        progress.reading(batch.num_rows)


def columns_of_before(before: Texts, table: OpenTable, where: str) -> Texts | None:
    """Choose the columns that the texts of an index came from; None if the usual rule finds the text.

    A column of another name than "text" is taken only if the user names it: it may hold something else.
    """
    missing = [name for name in before if name not in {*table.text_names, *table.text_on_demand}]
    if not missing:
        return before
    if table.is_nameless or "text" in table.text_names or (before == ("text",) and len(table.text_names) == 1):
        return None
    raise InputError(
        f"the text of this index comes from {' and '.join(map(repr, before))}, but {where} has no text column "
        f"{missing[0]!r}; it has: {', '.join(table.names)}. Add it, or name another one with --text-column"
    )


def kept_rows(part: Part, is_kept: npt.NDArray[np.bool_]) -> Rows:
    """Return the rows of a part that stay."""
    done = 0
    for batch in part.documents.to_batches():
        own = is_kept[done : done + batch.num_rows]
        if own.any():
            yield batch.filter(pa.array(own)), part.vectors[done : done + batch.num_rows][own]
        done += batch.num_rows


def with_schema(rows: Rows, schema: pa.Schema) -> Rows:
    """Give added documents the columns and types of those before."""
    for batch, vectors in rows:
        columns = [_cast(column, field, schema) for column, field in zip(batch.columns, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(columns, schema=schema), vectors


def _cast(column: pa.Array, field: pa.Field, schema: pa.Schema) -> pa.Array:
    try:
        return column.cast(field.type)
    except pa.ArrowException as error:
        if field.equals(schema.field(files.ID)):
            raise InputError(
                f"the ids of this index are integers, those of the added documents are not: {error}; "
                f"put integers into the column {field.name!r}"
            ) from error
        raise InputError(
            f"the column {field.name!r} of the added documents is {column.type}, but the index has other types "
            f"({field.type}): {error}; convert the column"
        ) from error


def _check_columns(batch: pa.RecordBatch, description: Description, input_columns: list[str]) -> None:
    """Refuse documents without the columns that are stored, before anything is compiled or embedded."""
    needed = [name for name in (description.id_column, *description.columns) if name is not None]
    missing = [name for name in needed if name not in batch.schema.names]
    if not missing:
        return
    there = f"the input has: {', '.join(input_columns)}" if input_columns else "the input has texts only"
    if description.documents:
        names = ", ".join(needed)
        raise InputError(
            f"new documents need the columns of the index: {names}; {missing[0]!r} is missing, and {there}"
        )
    raise InputError(f"there is no column {missing[0]!r}; {there}")


def _stored(batch: pa.RecordBatch, texts: Texts, description: Description, first: int) -> pa.RecordBatch:
    """Choose what is stored of a batch: number, id, text, columns; documents are numbered from ``first``."""
    numbers = pa.array(np.arange(first, first + batch.num_rows))
    id_column, names = description.id_column, description.columns
    ids = numbers if id_column is None else _ids(batch.column(id_column), id_column)
    text = joined_name(texts)
    columns = [numbers, ids, batch.column(text), *(_decoded(batch.column(name)) for name in names)]
    stored = pa.RecordBatch.from_arrays(columns, ["number", id_column or "id", text, *names])
    return pa.RecordBatch.from_arrays(columns, schema=files.with_text_columns(stored.schema, texts))


def _decoded(column: pa.Array) -> pa.Array:
    """Return a column without a dictionary, of which a file could hold only one."""
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _ids(column: pa.Array, name: str) -> pa.Array:
    """Return ids as whole numbers or strings."""
    column = _decoded(column)
    if column.null_count:
        raise InputError(f"the column {name!r} lacks an id in some rows; every document needs one")
    kinds = pa.types
    try:
        if kinds.is_integer(column.type):
            return pc.cast(column, pa.int64())
        if kinds.is_string(column.type) or kinds.is_large_string(column.type) or kinds.is_string_view(column.type):
            return pc.cast(column, pa.large_string())
    except pa.ArrowException as error:
        raise InputError(f"the ids in the column {name!r} cannot be used: {error}") from error
    raise InputError(f"the ids in the column {name!r} are {column.type}; use whole numbers or strings")


# ---- the rest of the folder


def finish(folder: Path, model: Model, description: Description, workers: int, progress: ProgressListener) -> None:
    """Check the ids, make or change the graph if there are enough documents, and write ``index.json``."""
    parts = files.read_parts(folder, description)
    ids = pa.chunked_array([chunk for part in parts for chunk in part.documents.column(files.ID).chunks])
    if len(pc.unique(ids)) < len(ids):
        raise _repeated_id(ids, len(parts[-1].vectors))
    graph_file = folder / files.GRAPH_FILE
    description = replace(description, expansion=None, recall=None)
    if len(ids) >= graphs.EXACT_BELOW:
        graph = _graph(graph_file if graph_file.exists() else None, parts, model.dim, workers, progress)
        expansion, recall = measure_recall(graph, model, parts, workers)
        description = replace(description, expansion=expansion, recall=recall)
        graph_file.unlink(missing_ok=True)  # it shares its content with the old folder
        graph.save(str(graph_file))
    else:
        graph_file.unlink(missing_ok=True)
    files.write_description(folder, description)


def _repeated_id(ids: pa.ChunkedArray, n_last: int) -> InputError:
    """Make the error for ids that are not unique; the last ``n_last`` may be those of added documents."""
    old, last = ids.slice(0, len(ids) - n_last), ids.slice(len(ids) - n_last)
    taken = last.filter(pc.is_in(last, old.combine_chunks())).unique().to_pylist()
    if taken:
        if len(taken) == 1:
            remedy = (
                f"to replace the document, delete it first: add --delete {taken[0]}, or call delete([{taken[0]!r}])"
            )
        else:
            remedy = (
                "to replace these documents, delete them first: add --delete-from FILE with an id per line, or call "
                f"delete([{taken[0]!r}, ...])"
            )
        is_there = "is" if len(taken) == 1 else f"and {len(taken) - 1:,} more are"
        return InputError(f"the id {taken[0]!r} {is_there} already in the index; {remedy}")
    counts = pc.value_counts(ids)
    twice = counts.filter(pc.greater(counts.field("counts"), 1))[0].as_py()["values"]
    return InputError(f"the id {twice!r} stands for several documents; ids must differ")


def _graph(old: Path | None, parts: list[Part], dim: int, workers: int, progress: ProgressListener) -> Index:
    """Bring the graph of an earlier state up to date, or build one."""
    numbers = np.concatenate([part.documents.column(files.NUMBER).to_numpy() for part in parts])
    vectors = [part.vectors for part in parts]
    graph = None if old is None else graphs.open_graph(old, writable=True)
    if graph is not None:
        there = np.asarray(graph.keys[:]).astype(np.int64)
        gone = np.setdiff1d(there, numbers)
        if len(gone) <= REMOVED_SHARE * len(there):
            if len(gone):
                graph.remove(gone.astype(np.uint64))
            is_new = ~np.isin(numbers, there)
            places = np.split(is_new, np.cumsum([len(one) for one in vectors])[:-1])
            added = [one[own] for one, own in zip(vectors, places, strict=True) if own.any()]
            graphs.extend_graph(graph, numbers[is_new], added, workers, progress)
            return graph
    graph = graphs.new_graph(dim)
    graphs.extend_graph(graph, numbers, vectors, workers, progress)
    return graph


def measure_recall(graph: Index, model: Model, parts: list[Part], workers: int) -> tuple[int, float]:
    """Search for pieces of documents with the graph and without -> (expansion, share of the nearest that is found).

    The expansion is the smallest with enough recall, else the largest.
    """
    draw = np.random.default_rng(0)
    pieces = list(_sampled_pieces(parts, draw))
    queries = normalized(model.embed(pa.array(pieces, pa.large_string())).vectors)
    queries = queries[queries.any(axis=1)]
    nearest = NearestRows(queries, graphs.RECALL_K)
    for part in parts:
        nearest.add(part.vectors, are_unit=True)
    numbers = np.concatenate([part.documents.column(files.NUMBER).to_numpy() for part in parts])
    expected = numbers[nearest.found.indices]
    recall, expansion = 0.0, graphs.EXPANSIONS[0]
    for expansion in graphs.EXPANSIONS:
        found = graphs.search_graph(graph, queries, graphs.RECALL_K, expansion, workers)
        recall = float(np.mean([np.isin(row, near).mean() for row, near in zip(expected, found, strict=True)]))
        if recall >= graphs.WANTED_RECALL:
            break
    return expansion, recall


def _sampled_pieces(parts: Iterable[Part], draw: np.random.Generator) -> Iterator[str]:
    """Return some words in a row out of random documents: what a query looks like."""
    texts = pa.chunked_array([chunk for part in parts for chunk in part.documents.column(files.TEXT).chunks])
    for row in draw.integers(len(texts), size=SAMPLED_QUERIES).tolist():
        words = texts[row].as_py()[:100_000].split()
        start = int(draw.integers(max(1, len(words) - WORDS_OF_A_QUERY)))
        yield " ".join(words[start : start + WORDS_OF_A_QUERY])
