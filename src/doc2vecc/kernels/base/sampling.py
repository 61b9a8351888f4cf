"""Drawing from a discrete distribution in constant time: Walker's alias method.

One sampler serves both the negative samples and the gaps between the surviving words of a document.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined
from doc2vecc.kernels.base.instructions import Integer
from doc2vecc.kernels.base.random import State, next_uint64


class AliasTable(NamedTuple):
    """Column i stands for i with probability thresholds[i] / 2**32, otherwise for aliases[i]."""

    thresholds: npt.NDArray[np.uint32]
    aliases: npt.NDArray[np.int32]


@inlined
def index_of_bits(bits: np.uint64, table: AliasTable) -> Integer:
    """Turn random bits into an index: the upper half picks the column, the lower half decides its alias."""
    column = ((bits >> np.uint64(32)) * np.uint64(table.thresholds.shape[0])) >> np.uint64(32)
    alias = table.aliases[column]  # read in any case: a branch on a random number is mispredicted half the time
    return np.int64(column) if np.uint32(bits) < table.thresholds[column] else np.int64(alias)


@inlined
def draw_alias(state: State, table: AliasTable) -> Integer:
    """Draw one index."""
    return index_of_bits(next_uint64(state), table)
