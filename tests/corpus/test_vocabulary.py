import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doc2vecc.corpus.vocabulary import Vocabulary, add_words, choose_words


def chosen(counts, min_count=1, max_final_vocab=None):
    return choose_words(Vocabulary.from_words(list(counts), list(counts.values())), 1, min_count, max_final_vocab)


WORDS = st.dictionaries(st.text(min_size=1), st.integers(1, 1000), min_size=1)


@given(WORDS)
def test_words_come_back_in_order_of_frequency(counts):
    vocabulary, ids = chosen(counts)
    assert [vocabulary.words[i] for i in ids] == list(counts)
    assert dict(zip(vocabulary.words, vocabulary.counts.tolist(), strict=True)) == counts
    assert [vocabulary[word] for word in vocabulary] == list(range(len(counts)))
    ranks = [(-counts[word], word) for word in vocabulary]
    assert ranks == sorted(ranks)


@given(WORDS)
def test_encode_and_decode_are_inverse(counts):
    vocabulary, ids = chosen(counts)
    assert [vocabulary.words[i] for i in ids] == list(counts)
    words = [*counts, *counts]
    assert [vocabulary.words[i] for i in vocabulary.ids_of(words)] == words


def test_cut_offs():
    counts = {"a": 5, "b": 4, "c": 4, "d": 1}
    assert chosen(counts, min_count=2)[0].words == ["a", "b", "c"]
    assert chosen(counts, min_count=2, max_final_vocab=2)[0].words == ["a", "b"]


def test_negative_weights():
    vocabulary = Vocabulary.from_words(["a", "b"], [16, 1])
    assert vocabulary.negative_weights(0.75).tolist() == [8, 1]
    assert vocabulary.negative_weights(0).tolist() == [1, 1]


def test_subsampling_keeps_all_but_frequent_words():
    kept = Vocabulary.from_words(["the", "rare"], [999_990, 10]).keep_probabilities(1e-4)
    assert kept[0] == pytest.approx(np.sqrt(1e-4 / 0.99999) + 1e-4 / 0.99999, rel=1e-5)
    assert kept[1] == 1


def test_unknown_words():
    vocabulary = Vocabulary.from_words(["a"], [1])
    assert "b" not in vocabulary
    assert vocabulary.ids_of(["b", "a"]) == [0]
    with pytest.raises(KeyError):
        vocabulary["b"]


def test_pickle_and_equality():
    vocabulary = Vocabulary.from_words(["ä", "b"], [3, 1])
    assert pickle.loads(pickle.dumps(vocabulary)) == vocabulary
    assert vocabulary != Vocabulary.from_words(["ä", "b"], [3, 2])
    assert vocabulary != "ä"


def test_the_size_of_all_texts_decides_how_often_a_new_word_must_occur(monkeypatch):
    known, words = Vocabulary.from_words(["a", "b"], [6, 3]), Vocabulary.from_words(["a", "c", "d"], [4, 3, 1])
    assert add_words(known, words, None)[0].words == ["a", "b", "c"]
    monkeypatch.setattr("doc2vecc.config.SMALL_TEXT", 17)  # the new texts alone have 8 tokens, all have 17
    assert add_words(known, words, None)[0].words == ["a", "b"]
