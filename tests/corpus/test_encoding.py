import sys
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doc2vecc.corpus import encoding
from doc2vecc.corpus.encoding import encode, encode_further, encode_known
from doc2vecc.corpus.ngrams import NgramRule
from doc2vecc.corpus.tokenizer import tokenize
from doc2vecc.errors import EmptyVocabularyError
from tests.corpus.documents import batches, decoded

TEXTS = ["the cat sat", "", "the dog sat on the cat", "unique", "THE END."]


def test_three_documents_by_hand():
    corpus = encode(batches(TEXTS), min_count=2)
    assert corpus.vocabulary.words == ["the", "cat", "sat"]
    assert corpus.vocabulary.counts.tolist() == [4, 2, 2]
    assert decoded(corpus) == [["the", "cat", "sat"], [], ["the", "sat", "the", "cat"], [], ["the"]]
    report = corpus.report
    assert (report.documents, report.empty_documents) == (5, 2)
    assert (report.tokens, report.known_tokens, report.distinct_words) == (13, 8, 8)
    assert report.messages() == ["2 of 5 documents without a known word: ignored in training"]


@pytest.mark.slow
@given(st.lists(st.text("ab .,é😀", max_size=12), min_size=1, max_size=20), st.integers(1, 3), st.integers(1, 3))
@settings(deadline=None, max_examples=60)
def test_encoding_loses_nothing_and_does_not_depend_on_batches_or_threads(texts, size, workers):
    if not any(tokenize(text) for text in texts):
        return
    corpus = encode(batches(texts, size), workers=workers)
    assert decoded(corpus) == [tokenize(text) for text in texts]
    assert np.all(np.diff(corpus.offsets) >= 0)
    assert corpus.offsets[0] == 0
    assert corpus.offsets[-1] == len(corpus.ids)
    assert corpus.vocabulary == encode(batches(texts, 50)).vocabulary


def test_own_tokenizer():
    corpus = encode(batches(["A-b c", "A-b"]), tokenizer=lambda text: text.split("-"))
    assert corpus.vocabulary.words == ["A", "b", "b c"]
    assert decoded(corpus) == [["A", "b c"], ["A", "b"]]


def test_max_vocab_keeps_the_most_frequent():
    assert encode(batches(TEXTS), max_final_vocab=1).vocabulary.words == ["the"]


def test_more_distinct_words_than_memory_allows_are_pruned_with_a_report(monkeypatch):
    monkeypatch.setattr("doc2vecc.corpus.numbering.DISTINCT_WORDS", 100)
    texts = [f"often again w{number} w{number}x" for number in range(2_000)]
    corpus = encode(batches(texts, 50), min_count=2)
    assert corpus.vocabulary.words == ["again", "often"]
    assert corpus.vocabulary.counts.tolist() == [2_000, 2_000]
    assert decoded(corpus)[0] == decoded(corpus)[-1] == ["often", "again"]
    assert corpus.report.forgotten_words > 3_000
    assert corpus.report.forgotten_tokens == corpus.report.forgotten_words
    assert "distinct words to count" in corpus.report.messages()[0]


def test_of_equally_rare_words_some_stay(monkeypatch):
    monkeypatch.setattr("doc2vecc.corpus.numbering.DISTINCT_WORDS", 100)
    texts = [" ".join(f"w{number}" for number in range(150))] * 3
    corpus = encode(batches([*texts, "w0"], 3), min_count=2)
    assert corpus.vocabulary.words == [
        f"w{number}" for number in sorted(range(50), key=lambda one: (one > 0, f"w{one}"))
    ]
    assert (corpus.report.forgotten_words, corpus.report.forgotten_tokens) == (100, 300)


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_memory_is_returned_where_the_system_can(monkeypatch, platform):
    loaded = mock.Mock(side_effect=None if platform == "linux" else TypeError)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(encoding.ctypes, "CDLL", loaded)
    encoding._return_free_memory()
    assert loaded.called == (platform == "linux")


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ([], "there are no documents to learn from; pass at least one text"),
        (["", "  "], "no word in 2 documents; pass texts that hold words"),
        (["a b a", "c", "d"], "no word occurs 10 times in 3 documents (the most frequent one: 2); lower min_count"),
    ],
)
def test_nothing_to_learn_from(texts, sentence):
    with pytest.raises(EmptyVocabularyError) as error:
        encode(batches(texts), min_count=10)
    assert str(error.value) == sentence


def test_further_texts_extend_a_known_vocabulary():
    known = encode(batches(["a a a b b c c c c"])).vocabulary
    corpus = encode_further(batches(["b new new rare", "c b b b b new"]), known, min_count=2, workers=2)
    assert corpus.vocabulary.words == ["b", "c", "a", "new"]
    assert corpus.vocabulary.counts.tolist() == [7, 5, 3, 3]
    assert decoded(corpus) == [["b", "new", "new"], ["c", "b", "b", "b", "b", "new"]]


def test_texts_are_encoded_with_a_known_vocabulary_as_it_is():
    known = encode(batches(["a a a b b c"])).vocabulary
    corpus = encode_known(batches(["x a b y a", "", "c"], 2), known, workers=2)
    assert corpus.vocabulary is known
    assert decoded(corpus) == [["a", "b", "a"], [], ["c"]]
    assert len(encode_known(batches(["x y", "z"]), known).ids) == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_texts_are_encoded_once_each_and_counted_as_often_as_they_occur(workers):
    texts = ["b a b a", "", "a a a c b", "c"]
    corpus = encode(batches(texts, 2), workers=workers, binary=True)
    assert decoded(corpus) == [["b", "a"], [], ["a", "c", "b"], ["c"]]
    assert dict(zip(corpus.vocabulary.words, corpus.vocabulary.counts.tolist(), strict=True)) == {
        "a": 5,
        "b": 3,
        "c": 2,
    }
    assert corpus.report.known_tokens == 10
    with_ngrams = encode(batches(texts, 2), workers=workers, ngrams=NgramRule(2, 2), binary=True)
    assert decoded(with_ngrams) == [["b", "a", "b a"], [], ["a", "a a", "c", "b"], ["c"]]
    further = encode_further(batches(["d b d d", "b b"]), corpus.vocabulary, min_count=2, binary=True)
    assert decoded(further) == [["d", "b"], ["b"]]
