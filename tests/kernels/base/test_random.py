import numpy as np
from scipy import stats

from doc2vecc.kernels.base.random import next_below, next_uint64, next_uniform, seed_state


def stream(seed, epoch=0, chunk=0):
    state = np.zeros(2, np.uint64)
    seed_state(state, np.uint64(seed), epoch, chunk)
    return state


def test_reference_values_of_xoroshiro128_plus_plus():
    """The first outputs for state (1, 2), worked out by hand from the published recurrence."""
    state = np.array([1, 2], np.uint64)
    mask = 2**64 - 1

    def rotate(x, k):
        return ((x << k) | (x >> (64 - k))) & mask

    first, second = 1, 2
    for _ in range(100):
        expected = (rotate((first + second) & mask, 17) + first) & mask
        second ^= first
        first, second = rotate(first, 49) ^ second ^ ((second << 21) & mask), rotate(second, 28)
        assert int(next_uint64(state)) == expected


def test_streams_of_neighboring_names_differ_and_repeat():
    names = [(seed, epoch, chunk) for seed in range(3) for epoch in range(3) for chunk in range(3)]
    firsts = [int(next_uint64(stream(*name))) for name in names]
    assert len(set(firsts)) == len(names)
    assert firsts == [int(next_uint64(stream(*name))) for name in names]


def test_next_below_is_uniform():
    state = stream(5)
    drawn = np.array([next_below(state, 7) for _ in range(70_000)])
    assert drawn.min() == 0
    assert drawn.max() == 6
    assert stats.chisquare(np.bincount(drawn)).pvalue > 1e-4


def test_next_uniform_is_uniform_in_the_half_open_interval():
    state = stream(6)
    drawn = np.array([next_uniform(state) for _ in range(50_000)])
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert stats.kstest(drawn, "uniform").pvalue > 1e-4
