import numpy as np
import pytest
from scipy import stats

from doc2vecc.kernels.base.random import seed_state
from doc2vecc.kernels.base.sampling import draw_alias
from doc2vecc.kernels.training.contexts import Rows, draw_survivors
from doc2vecc.kernels.training.start import alias_table, gap_table


@pytest.fixture
def state():
    state = np.zeros(2, np.uint64)
    seed_state(state, np.uint64(11), 0, 0)
    return state


def table_probabilities(table):
    """The exact distribution that an alias table draws from."""
    thresholds, aliases = table
    own = thresholds / 2.0**32
    probabilities = own.copy()
    np.add.at(probabilities, aliases, 1 - own)
    return probabilities / len(own)


@pytest.mark.parametrize("weights", [[1.0], [1, 1, 1], [0.2, 5, 0.7, 0.1], [1e-9, 1, 1e3]])
def test_alias_table_holds_the_weights_exactly(weights):
    expected = np.array(weights, float) / np.sum(weights)
    np.testing.assert_allclose(table_probabilities(alias_table(np.array(weights, float))), expected, atol=1e-9)


def test_alias_table_of_a_large_zipf_distribution():
    weights = (1 / np.arange(1, 20_001)) ** 0.75
    np.testing.assert_allclose(table_probabilities(alias_table(weights)), weights / weights.sum(), atol=1e-9)


def test_draws_follow_the_table(state):
    weights = np.array([3.0, 1.0, 0.5, 2.5])
    table = alias_table(weights)
    drawn = np.bincount([draw_alias(state, table) for _ in range(60_000)], minlength=4)
    assert stats.chisquare(drawn, weights / weights.sum() * drawn.sum()).pvalue > 1e-4


@pytest.mark.parametrize("keep", [1.0, 0.5, 0.1, 0.001])
def test_gaps_are_geometric_with_their_whole_tail(state, keep):
    words = np.arange(40_000 / keep, dtype=np.int32)
    survivors = np.empty(len(words), np.int32)
    n_survivors = draw_survivors(state, gap_table(keep), words, Rows(0, 0), survivors)
    drawn = np.diff(survivors[:n_survivors], prepend=-1) - 1
    assert len(drawn) == pytest.approx(40_000, abs=1_000)
    assert drawn.min() >= 0
    if keep == 1.0:
        assert drawn.max() == 0
        return
    quantiles = np.unique(stats.geom.ppf([0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999, 0.9999], keep, loc=-1))
    below = np.array([np.mean(drawn <= quantile) for quantile in quantiles])
    expected = stats.geom.cdf(quantiles, keep, loc=-1)
    spread = np.sqrt(expected * (1 - expected) / len(drawn))
    assert np.all(np.abs(below - expected) < 5 * spread + 1e-9)
