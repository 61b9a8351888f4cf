"""The errors that are written for a user to read: one sentence with the value, the rule and the remedy.

Catch :class:`Doc2VecCError` to catch them all. The command line prints them as one line and exits with code 2; any
other exception is a defect of the program.
"""

from typing import Any


class Doc2VecCError(ValueError):
    """A mistake that the user can mend: the message gives the value, the rule and the remedy."""


class ParameterError(Doc2VecCError):
    """A parameter is out of its range, or does not go with another one."""


class InputError(Doc2VecCError):
    """The texts, or the file they come from, cannot be read."""


class EmptyVocabularyError(Doc2VecCError):
    """No word is left to learn from."""


class DivergenceError(Doc2VecCError):
    """The learning rate is too high: the vectors grow beyond all bounds."""

    def __init__(self, alpha: float) -> None:
        super().__init__(f"the training diverged with alpha={alpha:g}; lower it, to {alpha / 4:g} say")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the message that was made; by default Python would make one of the message."""
        return type(self).__new__, (type(self), *self.args)


class UnknownWordError(Doc2VecCError, KeyError):
    """A word, or every word of a query, is not in the vocabulary."""

    __str__ = Exception.__str__  # a KeyError would print its message in quotes


class ModelFolderError(Doc2VecCError):
    """A folder cannot be read as a model, or must not be overwritten."""


class CheckpointError(ModelFolderError):
    """A checkpoint cannot be read, or belongs to another training."""


class ClusterError(Doc2VecCError):
    """A Ray cluster cannot be used, or its workers do not stay alive."""


class SearchIndexError(Doc2VecCError):
    """A folder cannot be read as a search index, or must not be overwritten."""


class OutputError(Doc2VecCError):
    """A file cannot be written as the user asked."""


class EvaluationError(Doc2VecCError):
    """Vectors, labels or ratings cannot be evaluated."""


class CorpusWarning(UserWarning):
    """Something about the texts that you should know: skipped lines, documents without a known word."""
