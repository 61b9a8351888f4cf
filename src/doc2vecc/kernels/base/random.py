"""Random numbers with an explicit state: xoroshiro128++ (Blackman and Vigna), seeded by SplitMix64.

The state is an array of two uint64 that the caller owns. A stream is named by what it is for, for instance
(seed, epoch, chunk), so that the draws do not depend on which thread happens to do the work.
"""

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined
from doc2vecc.kernels.base.instructions import Integer

State = npt.NDArray[np.uint64]


@inlined
def scramble(value: np.uint64) -> np.uint64:
    """SplitMix64's output function: neighboring numbers become unrelated ones."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@inlined
def seed_state(state: State, seed: np.uint64, epoch: int, chunk: int) -> None:
    """Set the state to the start of the stream named (seed, epoch, chunk)."""
    golden = np.uint64(0x9E3779B97F4A7C15)
    name = scramble(np.uint64(seed) + golden)
    name = scramble(name ^ (np.uint64(epoch) + golden))
    name = scramble(name ^ (np.uint64(chunk) + golden))
    state[0] = scramble(name + golden)
    state[1] = scramble(name + golden + golden) | np.uint64(1)  # an all-zero state would stay zero


@inlined
def advance(first: np.uint64, second: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """One step of the generator -> 64 random bits, and the two words of the next state."""
    total = first + second
    result = ((total << np.uint64(17)) | (total >> np.uint64(47))) + first
    second ^= first
    first = ((first << np.uint64(49)) | (first >> np.uint64(15))) ^ second ^ (second << np.uint64(21))
    return result, first, (second << np.uint64(28)) | (second >> np.uint64(36))


@inlined
def next_uint64(state: State) -> np.uint64:
    """Draw 64 random bits."""
    result, state[0], state[1] = advance(state[0], state[1])
    return result


@inlined
def next_below(state: State, bound: int) -> Integer:
    """Draw an integer in 0 .. bound-1 by multiply and shift; its bias is below bound / 2**32."""
    return np.int64(((next_uint64(state) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@inlined
def next_uniform(state: State) -> float:
    """Draw a float64 in [0, 1) with 53 random bits."""
    return np.float64(next_uint64(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
