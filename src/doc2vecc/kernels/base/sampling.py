"""Drawing from a discrete distribution in constant time: Walker's alias method.

One sampler serves both the negative samples and the gaps between the surviving words of a document.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined, kernel
from doc2vecc.kernels.base.instructions import Integer
from doc2vecc.kernels.base.random import State, next_uint64


class AliasTable(NamedTuple):
    """Column i stands for i with probability thresholds[i] / 2**32, otherwise for aliases[i]."""

    thresholds: npt.NDArray[np.uint32]
    aliases: npt.NDArray[np.int32]


@kernel
def fill_alias_table(
    weights: npt.NDArray[np.float64],
    thresholds: npt.NDArray[np.uint32],
    aliases: npt.NDArray[np.int32],
    small: npt.NDArray[np.int32],
    large: npt.NDArray[np.int32],
) -> None:
    """Vose's construction; ``weights`` must sum to the number of columns and is used up, as are the two stacks."""
    count = weights.shape[0]
    n_small = n_large = 0
    for column in range(count):
        thresholds[column] = np.uint32(0xFFFFFFFF)
        aliases[column] = column
        if weights[column] < 1.0:
            small[n_small] = column
            n_small += 1
        else:
            large[n_large] = column
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        poor = small[n_small]
        rich = large[n_large - 1]
        thresholds[poor] = np.uint32(weights[poor] * 4294967295.0)
        aliases[poor] = rich
        weights[rich] -= 1.0 - weights[poor]
        if weights[rich] < 1.0:
            n_large -= 1
            small[n_small] = rich
            n_small += 1


def alias_table(weights: npt.NDArray[np.float64]) -> AliasTable:
    """Prepare draws of i with probability weights[i] / sum(weights)."""
    count = len(weights)
    table = AliasTable(np.empty(count, np.uint32), np.empty(count, np.int32))
    scaled = np.asarray(weights, np.float64) * (count / np.sum(weights, dtype=np.float64))
    fill_alias_table(scaled, *table, np.empty(count, np.int32), np.empty(count, np.int32))
    return table


def gap_table(keep: float) -> AliasTable:
    """Prepare draws of the number of words that fall out before the next survivor.

    That number is geometric: P(gap) = keep * (1 - keep)**gap. The last column gathers the whole tail and means
    "this many fell out, draw again", which is exact because the geometric distribution has no memory.
    """
    columns = int(np.clip(8.0 / keep, 1, 4096))
    gaps = np.arange(columns)
    return alias_table(np.append(keep * (1.0 - keep) ** gaps, (1.0 - keep) ** columns))


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
