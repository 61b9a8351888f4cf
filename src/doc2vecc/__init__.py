"""Document vectors learned from your own text; unseen documents are embedded in one pass over their bytes.

text -> tokens -> vocabulary -> encoded corpus -> training -> model -> vectors

    from doc2vecc import Doc2VecC

    model = Doc2VecC(vector_size=100).fit(texts)
    vectors = model.transform(["a text that the model has never seen"])

Public are the names in ``__all__`` here, in ``doc2vecc.evaluation``, ``doc2vecc.baselines``, ``doc2vecc.search``,
``doc2vecc.map``, ``doc2vecc.bertopic`` and ``doc2vecc.cluster``, the command line and the format of model folders.
Everything else may change without notice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from doc2vecc.errors import (
    CheckpointError,
    ClusterError,
    CorpusWarning,
    DivergenceError,
    Doc2VecCError,
    EmptyVocabularyError,
    EvaluationError,
    InputError,
    ModelFolderError,
    OutputError,
    ParameterError,
    SearchIndexError,
    UnknownWordError,
)

if TYPE_CHECKING:
    from doc2vecc.estimator import Doc2VecC as Doc2VecC

__version__ = "0.1.0"
__all__ = [
    "CheckpointError",
    "ClusterError",
    "CorpusWarning",
    "DivergenceError",
    "Doc2VecC",
    "Doc2VecCError",
    "EmptyVocabularyError",
    "EvaluationError",
    "InputError",
    "ModelFolderError",
    "OutputError",
    "ParameterError",
    "SearchIndexError",
    "UnknownWordError",
    "__version__",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Import the estimator, and with it NumPy, Numba and scikit-learn, only when it is used."""
    if name == "Doc2VecC":
        from doc2vecc.estimator import Doc2VecC

        return Doc2VecC
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
