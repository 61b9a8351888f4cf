"""Each word and phrase of a document once, however often it occurs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.compile import Integer, inlined, kernel

# For every word and phrase 1 + the number of the document that had it last; empty where every occurrence counts.
Seen = npt.NDArray[np.int32]


@inlined
def is_repeated(seen: Seen, feature: Integer, document: int) -> bool:
    """Tell whether a document has had this word or phrase before, and note that it has it now."""
    if seen.shape[0] == 0:
        return False
    if seen[feature] == document + 1:
        return True
    seen[feature] = document + 1
    return False


@kernel
def drop_repeated(ids: npt.NDArray[np.int32], lengths: npt.NDArray[np.int64], seen: Seen) -> int:
    """Move the first occurrences in every document together -> how many ids are left.

    ``lengths`` holds the lengths of the documents and is corrected in place.
    """
    n_left = 0
    position = 0
    for document in range(lengths.shape[0]):
        first = n_left
        for _ in range(lengths[document]):
            feature = ids[position]
            position += 1
            if not is_repeated(seen, feature, document):
                ids[n_left] = feature
                n_left += 1
        lengths[document] = n_left - first
    return n_left
