"""Words get numbers in order of appearance; numberings of several threads come together."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from doc2vecc.corpus.numbering import CallableNumbering, ScannedNumbering, merge
from doc2vecc.corpus.tokenizer import tokenize
from tests.kernels.text.test_tokens import scanned_tokens


def test_what_was_numbered_is_not_written_over(monkeypatch):
    """The numbers of all texts stand in shared room; each text keeps its own."""
    monkeypatch.setattr("doc2vecc.corpus.numbering._IDS_AT_ONCE", 5)
    numbering = ScannedNumbering()
    numbered = [numbering.number(pa.array(["a b " * length], pa.large_string())) for length in range(6)]
    assert [found.ids.tolist() for found in numbered] == [[0, 1] * length for length in range(6)]


def test_numbering_grows_and_stops_at_full_buffers(monkeypatch):
    """More words and more tokens than the first allocation holds."""
    monkeypatch.setattr("doc2vecc.corpus.numbering._FIRST_WORDS", 8)
    monkeypatch.setattr("doc2vecc.corpus.numbering._IDS_AT_ONCE", 7)
    texts = [" ".join(f"w{(i * j) % 97}{'x' * (j % 50)}" for i in range(j)) for j in range(60)]
    assert scanned_tokens(texts) == [tokenize(text) for text in texts]


@pytest.mark.parametrize("make", [ScannedNumbering, lambda: CallableNumbering(tokenize)], ids=["scanned", "callable"])
def test_merging_numberings_adds_counts(make):
    first, second = make(), make()
    one = first.number(pa.array(["a b b a-long-word-here"], pa.large_string()))
    two = second.number(pa.array(["c a-long-word-here b b"], pa.large_string()))
    words, translations = merge([first, second])
    counts = dict(zip(words.words, words.counts.tolist(), strict=True))
    assert counts == {"a": 1, "b": 4, "c": 1, "a-long-word-here": 2}
    names = np.array(words.words, object)
    assert names[translations[0][0][one.ids]].tolist() == ["a", "b", "b", "a-long-word-here"]
    assert names[translations[1][0][two.ids]].tolist() == ["c", "a-long-word-here", "b", "b"]


def test_merging_numberings_that_have_grown(monkeypatch):
    """Three numberings, each with more words than there was room for at first."""
    monkeypatch.setattr("doc2vecc.corpus.numbering._FIRST_WORDS", 8)
    texts = [" ".join(f"{'x' * (i * k)}w{i * k % 61}" for i in range(40)) for k in (1, 2, 3)]
    numberings = [ScannedNumbering() for _ in texts]
    numbered = [
        numbering.number(pa.array([text], pa.large_string())) for numbering, text in zip(numberings, texts, strict=True)
    ]
    words, translations = merge(numberings)
    assert dict(zip(words.words, words.counts.tolist(), strict=True)) == Counter(" ".join(texts).split())
    names = np.array(words.words, object)
    for text, one, (translation,) in zip(texts, numbered, translations, strict=True):
        assert names[translation[one.ids]].tolist() == text.split()
