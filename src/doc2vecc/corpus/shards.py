"""One share of the documents of an input, for a job that is one of many."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc.corpus.sources import TextBatches
from doc2vecc.errors import ParameterError


class Shard(NamedTuple):
    """Shard ``number`` of so many: documents number, number + of, number + 2 * of, ... of the input.

    That depends neither on how the input is cut into batches nor on how long it is.
    """

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Read "I/N", where I counts from 0.

        >>> Shard.parse("0/4")
        Shard(number=0, of=4)
        """
        found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text, re.ASCII)
        if found is None or int(found[1]) >= int(found[2]):
            raise ParameterError(f"shard {text!r} must be I/N with I from 0 to N-1, such as 0/4 for the first of four")
        return cls(int(found[1]), int(found[2]))

    def rows(self, before: int, count: int) -> npt.NDArray[np.int64]:
        """Return which rows of the next ``count`` belong to the shard, after ``before`` documents.

        >>> Shard(1, 4).rows(before=6, count=8).tolist()
        [3, 7]
        """
        return np.arange((self.number - before) % self.of, count, self.of, dtype=np.int64)


class ShardedBatches:
    """The documents of an input that belong to one shard; can be read once, like the input itself."""

    def __init__(self, batches: TextBatches, shard: Shard) -> None:
        self.report = batches.report
        self._batches = batches
        self._shard = shard

    @property
    def text_column(self) -> str | None:
        """The column of the texts, known after the first batch."""
        return self._batches.text_column

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Return a part of each batch; one without rows still has the columns."""
        before = 0
        for batch in self._batches:
            yield batch.take(pa.array(self._shard.rows(before, batch.num_rows)))
            before += batch.num_rows
