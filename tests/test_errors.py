import pickle

import pytest

from doc2vecc import errors

CLASSES = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, Exception)]


@pytest.mark.parametrize("kind", CLASSES)
def test_an_error_comes_from_another_process_as_it_was(kind: type[Exception]) -> None:
    error = kind(0.5) if kind is errors.DivergenceError else kind("the message")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.args) == (kind, str(error), error.args)
    error.args = ("node a: the message",)  # as workers of a cluster write it
    assert str(pickle.loads(pickle.dumps(error))) == "node a: the message"
