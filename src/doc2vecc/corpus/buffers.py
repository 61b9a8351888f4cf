"""Arrow strings as the two arrays that the kernels read: all bytes, and where each text begins."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a view that cannot be written, so that kernels are compiled for one kind of array only."""
    view = array.view()
    view.flags.writeable = False
    return view


def text_buffers(texts: Any) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:  # noqa: ANN401
    """Return (bytes, offsets) of a ``pa.LargeStringArray`` without nulls, without copying.

    >>> import pyarrow as pa
    >>> text_buffers(pa.array(["ab", "", "c"], pa.large_string()))[1].tolist()
    [0, 2, 2, 3]
    """
    _, offsets, data = texts.buffers()
    text = np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(0, np.uint8)
    if offsets is None or len(texts) == 0:
        return read_only(text), read_only(np.zeros(1, np.int64))
    starts = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return read_only(text), read_only(starts)
