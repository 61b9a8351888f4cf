"""Documents in memory as vectors, with their ids and how they begin: to be compared with each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from doc2vecc.config import available_cores
from doc2vecc.console import ProgressListener, zero_vectors_message
from doc2vecc.corpus.sources import TextBatches, read_files
from doc2vecc.errors import InputError
from doc2vecc.model import Model
from doc2vecc.outputs import VECTOR_COLUMN, python_values
from doc2vecc.search.stored import COLUMNAR, vectors_of
from doc2vecc.similarity import Vectors, normalized

SHOWN = 300  # characters of a text that are kept


class FittedEstimator(Protocol):
    """A fitted Doc2VecC: a model, and the parameters that say how texts are read."""

    model_: Model

    def _read(self, texts: Any, **options: Any) -> TextBatches: ...  # noqa: ANN401

    def _n_workers(self) -> int: ...


@dataclass(frozen=True)
class ComparedDocuments:
    """Vectors, ids and beginnings of texts, row for row; what was noticed while reading."""

    vectors: Vectors
    ids: Sequence[Any]
    texts: Sequence[str]
    messages: list[str]

    def similarities(self, rows: Sequence[int]) -> list[float]:
        """Return the cosine similarities of some rows to the first of them."""
        unit = normalized(self.vectors[rows])
        found: list[float] = (unit @ unit[0]).tolist()
        return found


def read_for_comparison(
    model: Model,
    inputs: Sequence[str],
    reading: Mapping[str, Any],
    id_column: str | None,
    workers: int | None,
    progress: ProgressListener,
) -> ComparedDocuments:
    """Read and embed files; ``reading`` are further arguments of read_files. Without ids, rows count from 0."""
    columnar = all(Path(one).suffix.lower() in COLUMNAR for one in inputs)
    keep = [*([id_column] if id_column is not None else []), *([VECTOR_COLUMN] if columnar else [])]
    batches = read_files(inputs, **reading, keep_columns=keep)
    vectors, texts = [], []
    ids: list[Any] = []
    for batch in batches:
        if id_column is not None and id_column not in batch.schema.names:
            raise InputError(f"there is no column {id_column!r} in the input; name another one with --id-column")
        vectors.append(vectors_of(model, batch, batches, workers or available_cores()))
        ids += python_values(batch.column(id_column)) if id_column is not None else []
        texts.append(pc.utf8_slice_codeunits(batch.column(batches.text_column), 0, SHOWN))
        progress.reading(batch.num_rows)
    if not vectors:
        raise InputError(f"there are no documents in {inputs[0]}; name a file that holds some")
    matrix = np.concatenate(vectors)
    zero = zero_vectors_message(int(np.count_nonzero(~matrix.any(axis=1))), len(matrix))
    messages = batches.report.messages() + zero
    rows = range(len(matrix)) if batches.rows is None else batches.rows.tolist()
    return ComparedDocuments(matrix, ids or rows, pa.chunked_array(texts).to_pylist(), messages)
