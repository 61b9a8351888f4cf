"""What all evaluations ask of the vectors they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from doc2vecc.errors import EvaluationError

Matrix = Any  # a NumPy array, or a scipy sparse matrix


def checked_vectors(vectors: object, rows: int, name: str) -> Matrix:
    """Return a matrix with so many rows of finite numbers, dense or sparse (then as CSR), or say what is wrong."""
    matrix: Matrix = _narrow(vectors) if sparse.issparse(vectors) else np.asarray(vectors)
    if matrix.ndim != 2 or matrix.shape[0] != rows:
        raise EvaluationError(
            f"{name} of shape {matrix.shape} do not fit; there must be {rows:,} rows, a vector each"
        )
    numbers = matrix.data if sparse.issparse(vectors) else matrix
    if numbers.dtype.kind not in "fiu":
        raise EvaluationError(f"{name} hold {numbers.dtype}; they must be numbers")
    if not np.isfinite(numbers).all():
        raise EvaluationError(f"{name} hold numbers that are not finite; replace or leave out such rows")
    return matrix


def require_one_kind(train: Matrix, test: Matrix) -> None:
    """Raise unless both matrices have vectors of the same length."""
    if train.shape[1] != test.shape[1]:
        raise EvaluationError(
            f"train_vectors have {train.shape[1]:,} columns and test_vectors {test.shape[1]:,}; "
            "they must be vectors of one kind"
        )


def checked_words(words: object, vectors: object, name: str = "vectors") -> npt.NDArray[np.float32]:
    """Return dense float32 vectors, one for each word."""
    rows = len(words)  # type: ignore[arg-type]
    return np.asarray(checked_vectors(vectors, rows, name), np.float32)


def _narrow(vectors: Matrix) -> Matrix:
    """Return a sparse matrix in rows, with the 32-bit indices that scikit-learn's solvers insist on."""
    rows = sparse.csr_matrix(vectors)
    indices, starts = (numbers.astype(np.int32, copy=False) for numbers in (rows.indices, rows.indptr))
    return sparse.csr_matrix((rows.data, indices, starts), shape=rows.shape)
