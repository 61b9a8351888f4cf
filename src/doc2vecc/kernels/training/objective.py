"""The objective: how well a hidden vector tells the target word from negative samples.

For one prediction with hidden vector h, target row v and noise rows v_1 .. v_k the loss is
``-log sigmoid(v . h) - sum_i log sigmoid(-v_i . h)``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.base.compile import inlined

SCORE_LIMIT = 16.0  # sigmoid(16) differs from 1 by 1.1e-7, about the resolution of float32
SIGMOID_ERROR = 4e-6  # the largest absolute error of `sigmoid`, tested over the whole range


@inlined
def sigmoid(scores: npt.NDArray[np.float32], row: int, count: int) -> None:
    """Replace the first ``count`` scores s of a row by 1 / (1 + exp(-s)), to within ``SIGMOID_ERROR``.

    exp(s) is the 64th power of exp(s / 64), and that is a short Taylor series, because |s| / 64 <= 1/4. There is
    no table and no branch, so the loop runs eight scores at a time.
    """
    one = scores.dtype.type(1)
    for position in range(count):
        score = min(max(scores[row, position], scores.dtype.type(-SCORE_LIMIT)), scores.dtype.type(SCORE_LIMIT))
        x = score * scores.dtype.type(1 / 64)
        series = x * scores.dtype.type(1 / 120) + scores.dtype.type(1 / 24)
        series = x * series + scores.dtype.type(1 / 6)
        series = x * series + scores.dtype.type(1 / 2)
        series = x * series + one
        power = x * series + one
        power *= power
        power *= power
        power *= power
        power *= power
        power *= power
        power *= power
        scores[row, position] = power / (one + power)
