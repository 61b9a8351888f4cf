"""The relatedness protocol: distributions by hand, the loss, and pairs whose score is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr

from doc2vecc.errors import EvaluationError
from doc2vecc.evaluation.pairs import Pairs, relatedness, soft_labels


def pairs(number, seed, noise=0.0):
    """Pairs of sentences that are the less related, the further apart their vectors are."""
    draw = np.random.default_rng(seed)
    first, step = draw.normal(size=(number, 4)), draw.normal(size=(number, 4))
    amount = draw.uniform(0, 1.5, size=(number, 1))
    scores = 5 - 4 * amount[:, 0] / 1.5 + noise * draw.normal(size=number)
    return Pairs(first, first + amount * step, np.clip(scores, 1, 5))


@given(st.lists(st.floats(1, 5), min_size=1, max_size=20))
def test_a_score_is_the_mean_of_its_distribution(scores):
    rows, labels, weights = soft_labels(np.array(scores))
    np.testing.assert_allclose(np.bincount(rows, weights, minlength=len(scores)), 1)
    np.testing.assert_allclose(np.bincount(rows, weights * labels, minlength=len(scores)), scores)
    assert set(labels.tolist()) <= {1, 2, 3, 4, 5}


def test_related_pairs_are_found():
    test = pairs(200, 2, noise=0.1)
    result = relatedness(pairs(800, 0, noise=0.1), pairs(100, 1, noise=0.1), test)
    assert result.pearson > 0.6
    assert result.pearson == pytest.approx(pearsonr(result.predictions, test.scores).statistic)
    assert result.spearman == pytest.approx(spearmanr(result.predictions, test.scores).statistic)
    assert result.mse == pytest.approx(np.mean((result.predictions - test.scores) ** 2))
    assert (result.predictions > 1).all()
    assert (result.predictions < 5).all()
    assert result.trial_pearson[result.c] == max(result.trial_pearson.values())
    assert result.unconverged == ()


def test_the_trial_pairs_choose_c_and_the_test_pairs_change_nothing():
    train, trial = pairs(200, 0), pairs(100, 1)
    result = relatedness(train, trial, pairs(50, 2))
    other = relatedness(train, trial, pairs(50, 3))
    assert (result.c, result.trial_pearson) == (other.c, other.trial_pearson)
    assert relatedness(train, trial, trial).pearson == pytest.approx(result.trial_pearson[result.c])


def test_order_and_scale_do_not_matter():
    train, trial, test = pairs(150, 0), pairs(50, 1), pairs(50, 2)
    result = relatedness(train, trial, test)
    swapped = relatedness(*(Pairs(second, first, scores) for first, second, scores in (train, trial, test)))
    np.testing.assert_allclose(swapped.predictions, result.predictions, atol=1e-6)
    large = relatedness(*(Pairs(1e3 * first, 1e3 * second, scores) for first, second, scores in (train, trial, test)))
    np.testing.assert_allclose(large.predictions, result.predictions, atol=1e-3)


def test_vectors_that_say_nothing_correlate_with_nothing():
    nothing = [Pairs(np.zeros((20, 3)), np.zeros((20, 3)), pairs(20, seed).scores) for seed in range(3)]
    result = relatedness(*nothing)
    assert (result.pearson, result.spearman) == (0, 0)
    np.testing.assert_allclose(result.predictions, np.mean(nothing[0].scores), atol=1e-2)


def test_what_does_not_fit():
    good = pairs(10, 0)
    with pytest.raises(EvaluationError, match="the scores of the trial pairs must be numbers from 1 to 5"):
        relatedness(good, good._replace(scores=np.zeros(10)), good)
    with pytest.raises(EvaluationError, match=r"the vectors of the test pairs of shape \(10, 4\) do not fit"):
        relatedness(good, good, good._replace(scores=np.ones(9)))
