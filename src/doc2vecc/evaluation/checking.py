"""Checks of the vectors that every evaluation is given."""

from typing import Any

import numpy as np
from scipy import sparse

from doc2vecc.errors import EvaluationError

Matrix = Any  # a NumPy array, or a scipy sparse matrix


def checked_vectors(vectors: object, rows: int, name: str) -> Matrix:
    """Return a matrix of finite values with so many rows, dense or sparse (as CSR); anything else is an error."""
    matrix: Matrix = _narrow(vectors) if sparse.issparse(vectors) else np.asarray(vectors)
    if matrix.ndim != 2 or matrix.shape[0] != rows:
        raise EvaluationError(f"{name} of shape {matrix.shape} do not fit; there must be {rows:,} rows, a vector each")
    values = matrix.data if sparse.issparse(vectors) else matrix
    if values.dtype.kind not in "fiu":
        raise EvaluationError(f"{name} hold {values.dtype}; they must be numbers")
    if not np.isfinite(values).all():
        raise EvaluationError(f"{name} hold values that are not finite; replace or leave out such rows")
    return matrix


def checked_splits(train_vectors: object, n_train: int, test_vectors: object, n_test: int) -> tuple[Matrix, Matrix]:
    """Return the vectors of both splits; an error unless they have so many rows and the same dimension."""
    train = checked_vectors(train_vectors, n_train, "train_vectors")
    test = checked_vectors(test_vectors, n_test, "test_vectors")
    if train.shape[1] != test.shape[1]:
        raise EvaluationError(
            f"train_vectors have {train.shape[1]:,} dimensions and test_vectors {test.shape[1]:,}; "
            "both must come from the same model"
        )
    return train, test


def _narrow(vectors: Matrix) -> Matrix:
    """Return a sparse matrix as CSR with 32-bit indices, which the solvers of scikit-learn need."""
    rows = sparse.csr_matrix(vectors)
    indices, starts = (array.astype(np.int32, copy=False) for array in (rows.indices, rows.indptr))
    return sparse.csr_matrix((rows.data, indices, starts), shape=rows.shape)
