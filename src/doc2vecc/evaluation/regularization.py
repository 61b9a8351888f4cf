"""How strongly a linear classifier is clipped: C, chosen on documents that it has not seen."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

GRID = (0.001, 0.01, 0.1, 1.0, 10.0)
_PATIENCE = 2  # one worse value may be chance


def losses_by_c(loss_at: Callable[[float], float]) -> dict[float, float]:
    """Try one C after the other, from the strongest restraint on, until two in a row are worse than the best.

    The loss falls and then rises with C, and each C takes longer than the one before: with many classes, those
    that are left out would take most of the time.

    >>> losses_by_c({0.001: 3.0, 0.01: 1.0, 0.1: 2.0, 1.0: 1.5}.__getitem__)
    {0.001: 3.0, 0.01: 1.0, 0.1: 2.0, 1.0: 1.5}
    """
    losses: dict[float, float] = {}
    for c in GRID:
        losses[c] = loss_at(c)
        if min(list(losses.values())[-_PATIENCE:]) > min(losses.values()):
            break
    return losses


def best_c(losses: dict[float, float]) -> float:
    """Return the C of the smallest loss; of several, the smallest C.

    >>> best_c({0.1: 0.3, 1.0: 0.2, 10.0: 0.2})
    1.0
    """
    return min(losses, key=lambda c: (losses[c], c))


@contextmanager
def fitting(c: float, unconverged: list[float]) -> Iterator[None]:
    """Surround the work of a solver: add ``c`` to the list if it gives up before it has converged.

    BLAS works with one thread, because the solvers call it many times for little at a time. Several threads gain
    nothing, and wait for each other where they have to share cores: measured on SICK, 29 s instead of 2.
    """
    with threadpool_limits(1, user_api="blas"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        # Few documents of many classes are no mistake here: the labels are known to be classes.
        warnings.filterwarnings("ignore", "The number of unique classes is greater than 50%", UserWarning)
        yield
    for one in caught:
        if not issubclass(one.category, ConvergenceWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        elif c not in unconverged:
            unconverged.append(c)
