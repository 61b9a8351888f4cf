"""Spools: what does not fit into memory waits in a file, and nothing else changes."""

import numpy as np
import pyarrow as pa
import pytest
from doc2vecc.corpus.encoded import Spool

from doc2vecc.corpus import encoded
from doc2vecc.corpus.encoding import encode
from doc2vecc.corpus.ngrams import NgramRule


@pytest.mark.parametrize("room", [0, 50, 1_000])
def test_a_spool_returns_its_arrays_in_order_and_again(tmp_path, monkeypatch, room):
    monkeypatch.setattr(encoded, "IN_MEMORY", room)
    arrays = [np.arange(size, dtype=np.int32) + size for size in (3, 0, 9, 1, 30)]
    spool = Spool(tmp_path / "spool")
    for array in arrays:
        spool.append(array)
    for _ in range(2):
        assert [array.tolist() for array in spool] == [array.tolist() for array in arrays]
    assert (tmp_path / "spool").exists() == (room < 1_000)
    spool.clear()
    assert list(spool) == []
    assert not (tmp_path / "spool").exists()
    spool.append(arrays[0])
    assert [array.tolist() for array in spool] == [arrays[0].tolist()]
    spool.clear()


@pytest.mark.parametrize("ngrams", [None, NgramRule(2, 2)])
def test_a_corpus_is_the_same_whether_it_waits_in_memory_or_in_a_file(monkeypatch, ngrams):
    generator = np.random.default_rng(0)
    texts = [" ".join(f"w{word}" for word in generator.zipf(1.5, 30) % 50) for _ in range(200)]
    batches = [pa.array(texts[start : start + 20], pa.large_string()) for start in range(0, 200, 20)]
    in_memory = encode(batches, min_count=2, workers=2, ngrams=ngrams)
    monkeypatch.setattr(encoded, "IN_MEMORY", 3_000)
    in_files = encode(batches, min_count=2, workers=2, ngrams=ngrams)
    words = [corpus.vocabulary.words for corpus in (in_memory, in_files)]
    texts_again = [[words[i][number] for number in corpus.ids] for i, corpus in enumerate((in_memory, in_files))]
    assert texts_again[0] == texts_again[1]
    np.testing.assert_array_equal(in_memory.offsets, in_files.offsets)
