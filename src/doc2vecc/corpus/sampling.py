"""Documents drawn at random from a stream: one pass, with at most twice as many in memory as are wanted."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc.corpus import text_column as columns


class Sample:
    """The rows of batches, as long as they are few; then those with the smallest of random keys, in their order.

    The seed and the number of rows decide which, not how they come in batches.
    """

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._random = np.random.default_rng(seed)
        self._tables: list[pa.Table] = []
        self._keys: list[npt.NDArray[np.float64]] = []
        self._rows: list[npt.NDArray[np.int64]] = []
        self._held = 0
        self.n_rows = 0  # of all batches

    def add(self, batch: pa.RecordBatch) -> None:
        """Take some of the rows of a batch."""
        self._tables.append(pa.Table.from_batches([batch]))
        self._keys.append(self._random.random(batch.num_rows))
        self._rows.append(self.n_rows + np.arange(batch.num_rows))
        self._held += batch.num_rows
        self.n_rows += batch.num_rows
        if self._held > 2 * self._size:
            self._shrink()

    def rows(self) -> npt.NDArray[np.int64]:
        """Return the places of the drawn rows in the input."""
        if self._held > self._size:
            self._shrink()
        return np.concatenate(self._rows) if self._rows else np.empty(0, np.int64)

    def batches(self, text: str) -> Iterator[pa.RecordBatch]:
        """Return the drawn rows, in batches of bounded size."""
        n_rows = len(self.rows())
        table = pa.concat_tables(self._tables).combine_chunks() if n_rows else pa.table({})
        for batch in table.to_batches(columns.MAX_DOCUMENTS):
            place = batch.schema.get_field_index(text)
            for first, texts in columns.bounded_slices(batch.column(place)):
                yield batch.slice(first, len(texts)).set_column(place, batch.schema.field(place), texts)

    def _shrink(self) -> None:
        keys, rows = np.concatenate(self._keys), np.concatenate(self._rows)
        kept = np.sort(np.argpartition(keys, self._size - 1)[: self._size])
        # Taking copies the rows that stay, so that the others leave the memory.
        self._tables = [pa.concat_tables(self._tables).take(pa.array(kept))]
        self._keys, self._rows, self._held = [keys[kept]], [rows[kept]], self._size
