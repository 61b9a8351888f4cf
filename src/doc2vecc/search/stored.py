"""Vectors that a file already holds, as `doc2vecc embed` writes them: used instead of embedding the texts again."""

from typing import Any

import numpy as np
import pyarrow as pa

from doc2vecc.corpus.sources import TextBatches
from doc2vecc.errors import InputError
from doc2vecc.model import Model
from doc2vecc.outputs import VECTOR_COLUMN
from doc2vecc.similarity import Vectors

COMPARED = 8  # documents of a batch that are embedded to see whether the vectors are those of the model
COLUMNAR = (".parquet", ".arrow", ".feather", ".ipc")  # text formats hold numbers that are slower to read than to make


def vectors_of(model: Model, batch: pa.RecordBatch, batches: TextBatches, workers: int = 1) -> Vectors:
    """Return the vectors of the documents of a batch: those in its column ``vector``, else embedded now."""
    texts = batch.column(batches.text_column)
    stored = _stored_vectors(batch, model.dim)
    if stored is None:
        return model.embed(texts, workers).vectors
    some = np.linspace(0, len(stored) - 1, min(COMPARED, len(stored))).astype(np.int64)
    # Taken and joined, so that the array has an offset of 0, as the kernels expect.
    expected = model.embed(pa.array(texts.take(pa.array(some)).to_pylist(), pa.large_string())).vectors
    if not np.allclose(stored[some], expected, rtol=1e-3, atol=1e-5):
        raise InputError(
            f"the column {VECTOR_COLUMN!r} of the input does not hold the vectors that this model gives to the texts; "
            "embed them again, or leave the column out"
        )
    return stored


def _stored_vectors(batch: pa.RecordBatch, dim: int) -> Vectors | None:
    """Return the column of vectors as a matrix, without a copy; None if there is none of this dimension."""
    place = batch.schema.get_field_index(VECTOR_COLUMN)
    if place < 0:
        return None
    column: Any = batch.column(place)
    if column.type != pa.list_(pa.float32(), dim) or column.null_count:
        return None
    values = column.flatten()
    matrix: Vectors = np.asarray(values).reshape(-1, dim)
    return matrix if not values.null_count and np.isfinite(matrix).all() else None
