import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doc2vecc.kernels.training import start as module
from doc2vecc.training.start import Schedule, chunk_bounds


@given(st.lists(st.integers(0, 50), min_size=1).filter(sum), st.integers(1, 3))
def test_every_position_comes_once_in_every_epoch(lengths, epochs):
    offsets = np.cumsum([0, *lengths])
    seen = np.zeros((epochs, offsets[-1]), int)
    for chunk in Schedule(offsets, epochs=epochs, seed=1):
        seen[chunk.epoch, chunk.start : chunk.stop] += 1
        assert offsets[chunk.document] <= chunk.start < offsets[chunk.document + 1]
    assert np.all(seen == 1)


def test_progress_runs_from_zero_to_one_in_steps_of_the_words_handed_out():
    chunks = list(Schedule(np.arange(0, 3_001, 10), epochs=4, seed=0))
    done = 0
    for chunk in chunks:
        assert chunk.progress == pytest.approx(done / 12_000)
        done += chunk.stop - chunk.start
    assert done == 12_000


def test_order_is_shuffled_anew_and_repeats_with_the_seed():
    offsets = np.arange(0, 3_001, 10)
    first, again = ([c.number for c in Schedule(offsets, epochs=2, seed=3)] for _ in range(2))
    other = [c.number for c in Schedule(offsets, epochs=2, seed=4)]
    half = len(first) // 2
    assert first == again
    assert first != other
    assert first[:half] != first[half:]
    assert sorted(first[:half]) == sorted(first[half:])


def test_chunks_end_at_documents_and_split_huge_ones(monkeypatch):
    monkeypatch.setattr(module, "WORDS_PER_CHUNK", 100)
    bounds = chunk_bounds(np.array([0, 30, 60, 10_060, 10_090]))
    inside = [bound for bound in bounds.tolist() if bound not in {0, 30, 60, 10_060, 10_090}]
    assert len(inside) == module.PARTS_OF_A_DOCUMENT - 1
    assert all(60 < bound < 10_060 for bound in inside)
