from collections import Counter

import numpy as np
import pytest

from doc2vecc.corpus import ngrams as ngrams_module
from doc2vecc.corpus.encoding import encode, encode_further, encode_known
from doc2vecc.corpus.ngrams import NgramRule
from doc2vecc.corpus.vocabulary import Vocabulary
from tests.corpus.documents import batches, decoded


def random_texts(documents=60, words=12, seed=0):
    """Some words are so rare that the vocabulary leaves them out: n-grams must not reach across them."""
    generator = np.random.default_rng(seed)
    weights = 1 / np.arange(1, words + 1) ** 1.5
    return [
        " ".join(f"w{i}" for i in generator.choice(words, generator.integers(0, 25), p=weights / weights.sum()))
        for _ in range(documents)
    ]


def frequent_ngrams(texts, known, longest, min_count):
    """The plain statement: runs of neighboring tokens that are all known, and occur often enough."""
    counts = Counter()
    for text in texts:
        tokens = text.split()
        for length in range(2, longest + 1):
            for start in range(len(tokens) - length + 1):
                run = tokens[start : start + length]
                if all(token in known for token in run):
                    counts[" ".join(run)] += 1
    return {ngram: count for ngram, count in counts.items() if count >= min_count}


@pytest.mark.parametrize("longest", [2, 3, 4])
@pytest.mark.parametrize("workers", [1, 3])
def test_ngrams_are_those_of_the_plain_statement(longest, workers):
    texts = random_texts()
    corpus = encode(batches(texts), min_count=20, workers=workers, ngrams=NgramRule(longest, 5))
    vocabulary = corpus.vocabulary
    words, ngrams = vocabulary.words[: vocabulary.n_words], vocabulary.words[vocabulary.n_words :]
    expected = frequent_ngrams(texts, set(words), longest, 5)
    assert len(words) < 12
    assert dict(zip(ngrams, vocabulary.counts[vocabulary.n_words :].tolist(), strict=True)) == expected
    assert np.all(np.diff(vocabulary.counts[vocabulary.n_words :]) <= 0)
    assert vocabulary.longest_ngram == max(len(ngram.split()) for ngram in ngrams)
    assert corpus.report.ngrams == len(ngrams) > 10


def test_a_document_is_its_words_each_followed_by_the_ngrams_that_end_with_it():
    texts = random_texts()
    corpus = encode(batches(texts), min_count=20, ngrams=NgramRule(3, 5))
    vocabulary = corpus.vocabulary
    for text, features in zip(texts, decoded(corpus), strict=True):
        known = [feature for feature in vocabulary.features(text.split()) if feature in vocabulary]
        assert sorted(features) == sorted(known)
        assert [word for word in features if " " not in word] == [word for word in known if " " not in word]


def test_only_the_most_frequent_are_kept_and_each_with_its_beginning():
    texts = random_texts()
    everything = encode(batches(texts), min_count=20, ngrams=NgramRule(4, 5)).vocabulary
    some = encode(batches(texts), min_count=20, ngrams=NgramRule(4, 5, at_most=25)).vocabulary
    assert some.words == everything.words[: some.n_words + 25]
    for ngram in some.words[some.n_words :]:
        assert ngram.rpartition(" ")[0] in some


def test_no_ngram_is_frequent_enough():
    corpus = encode(batches(["a b", "b c", "c a"]), ngrams=NgramRule(3, 2))
    assert corpus.vocabulary.words == ["a", "b", "c"]
    assert corpus.vocabulary.longest_ngram == 1
    assert decoded(corpus) == [["a", "b"], ["b", "c"], ["c", "a"]]


def test_more_distinct_ngrams_than_memory_allows_are_pruned_with_a_report(monkeypatch):
    monkeypatch.setattr(ngrams_module, "DISTINCT_NGRAMS", 40)
    generator = np.random.default_rng(1)
    texts = [f"often again w{a} w{b}" for a, b in generator.integers(60, size=(2_000, 2))]
    corpus = encode(batches(texts, 50), ngrams=NgramRule(2, 400))
    assert corpus.vocabulary.words[corpus.vocabulary.n_words :] == ["often again"]
    assert corpus.vocabulary.counts[-1] == 2_000
    assert corpus.report.forgotten_ngrams > 1_000
    assert corpus.report.forgotten_ngram_occurrences >= corpus.report.forgotten_ngrams
    assert "distinct n-grams to count" in corpus.report.messages()[0]


@pytest.mark.parametrize("at_most", [None, 1])
def test_the_beginning_of_an_ngram_stands_before_it_though_it_was_forgotten_for_a_while(monkeypatch, at_most):
    monkeypatch.setattr(ngrams_module, "DISTINCT_NGRAMS", 40)
    frequent = [f"w{i} v{i}" for i in range(30)] * 5
    rare = [f"w{i} v{j}" for i in range(30) for j in range(30)]
    texts = ["x y z"] * 3 + frequent + rare + ["x y z"] * 50
    vocabulary = encode(batches(texts), ngrams=NgramRule(3, 50, at_most)).vocabulary
    ngrams = vocabulary.words[vocabulary.n_words :]
    assert ngrams == ["x y", "y z", "x y z"][:at_most]
    assert vocabulary.counts[vocabulary.n_words :].tolist() == [50] * len(ngrams)


def test_known_ngrams_are_found_in_other_texts():
    known = encode(batches(["not good at all"] * 3 + ["good"]), ngrams=NgramRule(3, 2)).vocabulary
    corpus = encode_known(batches(["it is not good", "not x good at"]), known)
    assert corpus.vocabulary is known
    assert decoded(corpus) == [["not", "good", "not good"], ["not", "good", "at", "good at"]]


def test_further_texts_keep_ngrams_though_words_change_their_numbers():
    known = encode(batches(["not good at all"] * 3), ngrams=NgramRule(3, 2)).vocabulary
    corpus = encode_further(batches(["new new new new all all not good at x"]), known, min_count=2)
    assert corpus.vocabulary.words[:2] == ["all", "at"]
    assert "new" in corpus.vocabulary
    assert set(corpus.vocabulary.words[corpus.vocabulary.n_words :]) == set(known.words[known.n_words :])
    assert decoded(corpus)[0][-5:] == ["good", "not good", "at", "not good at", "good at"]


def test_tokens_with_blanks_have_no_ngrams():
    with pytest.raises(ValueError, match="the token 'new york' holds a blank"):
        encode(batches(["x"]), tokenizer=lambda _: ["new york", "city"], ngrams=NgramRule(2, 1))


def test_ngrams_of_a_vocabulary_may_be_made_of_ngrams():
    words = Vocabulary.from_words(["a", "b"], [5, 4])
    vocabulary = words.with_ngrams(np.array([[0, 1], [2, 0], [3, 1]]), np.array([3, 2, 1]))
    assert vocabulary.words == ["a", "b", "a b", "a b a", "a b a b"]
    assert vocabulary.longest_ngram == 4
    assert vocabulary.without_ngrams() == words
    assert vocabulary != words


def test_ngrams_of_characters_alone():
    """Words are part of no n-gram, and other tokens end one; with too few characters there is none."""
    texts = ["好天气 a very nice day, 天气", "天气 a very nice day! 好天气!"]
    rule = NgramRule(None, 2)
    corpus = encode(batches(texts), ngrams=rule)
    found = corpus.vocabulary.words[corpus.vocabulary.n_words :]
    assert sorted(found) == ["天 气", "好 天"]
    assert corpus.report.unspaced_tokens == 10
    assert encode(batches([*texts, "day " * 2_000]), ngrams=rule).report.ngrams == 0
    assert encode(batches(texts), tokenizer=list, ngrams=rule).report.ngrams == 0


def test_where_most_tokens_are_characters_all_tokens_make_ngrams():
    found = encode(batches(["好天气 in 天气", "天气 好天气 in 天气"]), ngrams=NgramRule(None, 2)).vocabulary.words
    assert {word for word in found if " " in word} == {"天 气", "好 天", "气 in", "in 天"}


def test_letters_without_spaces_make_longer_ngrams_than_ideographs():
    """What most of the characters are decides; they need to occur as often as words, two times in small texts."""
    texts = ["กขค สวย", "กขค 天"]
    found = encode(batches(texts), ngrams=NgramRule(None, None)).vocabulary.words
    assert [word for word in found if " " in word] == ["ก ข", "ข ค", "ก ข ค"]
    found = encode(batches([*texts, "天气好 天气好 天气好"]), ngrams=NgramRule(None, None)).vocabulary.words
    assert {word for word in found if " " in word} == {"天 气", "气 好", "好 天", "ก ข", "ข ค"}
