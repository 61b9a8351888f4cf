"""Each word and n-gram of a document once, however often it occurs."""

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined, kernel
from doc2vecc.kernels.base.instructions import Integer, prefetch_row

# For every word and n-gram 1 + the number of the document that had it last; empty where every occurrence counts.
Seen = npt.NDArray[np.int32]


@inlined
def prefetch_seen(seen: Seen, feature: Integer) -> None:
    """Ask the cache for what :func:`keep_first` will want to know about a word or n-gram."""
    prefetch_row(seen, feature, 0)


@inlined
def keep_first(ids: npt.NDArray[np.int32], start: int, stop: int, kept: int, document: int, seen: Seen) -> int:
    """Move those of ids[start:stop] that a document has not had before to ids[kept:] -> where they end."""
    for position in range(start, stop):
        feature = ids[position]
        if seen[feature] != document + 1:
            seen[feature] = document + 1
            ids[kept] = feature
            kept += 1
    return kept


@kernel
def drop_repeated(ids: npt.NDArray[np.int32], lengths: npt.NDArray[np.int64], seen: Seen) -> int:
    """Move the first occurrences in every document together -> how many ids are left.

    ``lengths`` holds the lengths of the documents and is corrected in place.
    """
    n_left = 0
    position = 0
    for document in range(lengths.shape[0]):
        end = position + lengths[document]
        first = n_left
        n_left = keep_first(ids, position, end, n_left, document, seen)
        position = end
        lengths[document] = n_left - first
    return n_left
