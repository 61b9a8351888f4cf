import pickle
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doc2vecc import Doc2VecC
from doc2vecc import model as model_module
from doc2vecc.corpus.tokenizer import tokenize
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.model import Model, TrainingRecord
from doc2vecc.similarity import signed_terms

QUICK = settings(deadline=None, max_examples=50)
WORDS = ["the", "cat", "dog", "sat", ".", "é", "😀", "x" * 40]
DOCUMENTS = st.lists(st.sampled_from([*WORDS, "unknown", "The", "CAT"]), max_size=30)


def texts(documents):
    return pa.array(documents, pa.large_string())


def make_model(words, vectors, tokenizer=None, counts=None):
    """A model of these vectors, with the padding that training leaves behind."""
    vectors = np.asarray(vectors, np.float32)
    rows = np.zeros((len(words) + 3, -(-vectors.shape[1] // 8) * 8), np.float32)
    rows[: len(words), : vectors.shape[1]] = vectors
    rows[len(words) :] = 99  # private rows of threads: never to be seen
    vocabulary = Vocabulary.from_words(words, np.arange(len(words), 0, -1) if counts is None else counts)
    return Model(vocabulary, rows, vectors.shape[1], outputs=rows * 2, tokenizer=tokenizer)


def random_model(dim=5, tokenizer=None, words=WORDS, seed=3):
    return make_model(words, np.random.default_rng(seed).normal(size=(len(words), dim)), tokenizer)


MODEL = random_model()
WITH_TOKENIZER = random_model(tokenizer=tokenize)
BY_HAND = make_model(["good", "film", "bad"], [[1, 0, 2], [3, 4, 0], [-1, 0, 0]])


# ---- embedding


def test_three_documents_by_hand():
    embedding = BY_HAND.embed(texts(["Good film", "film, BAD film! film?", "nothing known"]))
    # (good + film) / 2; (3 film + bad) / 4, the three marks are unknown; nothing
    expected = [[2, 2, 1], [2, 3, 0], [0, 0, 0]]
    np.testing.assert_array_equal(embedding.vectors, np.array(expected, np.float32))
    assert embedding.vectors.dtype == np.float32
    assert embedding.known_words.tolist() == [2, 4, 0]


@pytest.mark.parametrize("model", [MODEL, WITH_TOKENIZER])
@pytest.mark.parametrize("workers", [1, 3])
def test_no_documents(model, workers):
    embedding = model.embed(texts([]), workers)
    assert embedding.vectors.shape == (0, 5)
    assert embedding.known_words.shape == (0,)


@pytest.mark.parametrize("model", [MODEL, WITH_TOKENIZER])
def test_documents_without_a_word_are_zero_rows(model):
    embedding = model.embed(texts(["", " \n\0", "cat", "<br />", ""]))
    assert embedding.known_words.tolist() == [0, 0, 1, 0, 0]
    assert np.flatnonzero(embedding.vectors.any(axis=1)).tolist() == [2]
    np.testing.assert_array_equal(embedding.vectors[2], model.word_vectors[1])


def test_tables_are_without_padding_and_cannot_be_written():
    assert MODEL.word_vectors.shape == MODEL.outputs.shape == (len(WORDS), 5)
    np.testing.assert_array_equal(MODEL.outputs, 2 * MODEL.word_vectors)
    with pytest.raises(ValueError, match="read-only"):
        MODEL.word_vectors[0, 0] = 1


@given(DOCUMENTS, st.randoms(use_true_random=False))
@QUICK
def test_embedding_ignores_the_order_of_words(words, random):
    shuffled = random.sample(words, len(words))
    one, other = MODEL.embed(texts([" ".join(words), " ".join(shuffled)])).vectors
    np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@given(DOCUMENTS)
@QUICK
def test_embedding_is_the_mean_of_the_known_words(words):
    known = [WORDS.index(word.lower()) for word in words if word.lower() in WORDS]
    expected = MODEL.word_vectors[known].mean(axis=0) if known else np.zeros(5)
    embedding = MODEL.embed(texts([" ".join(words)]))
    np.testing.assert_allclose(embedding.vectors[0], expected, rtol=1e-5, atol=1e-6)
    assert embedding.known_words.tolist() == [len(known)]


@given(st.lists(DOCUMENTS.map(" ".join), max_size=12), st.randoms(use_true_random=False))
@QUICK
@pytest.mark.parametrize("model", [MODEL, WITH_TOKENIZER])
def test_embedding_does_not_depend_on_the_batch_or_the_order_of_documents(model, documents, random):
    at_once = model.embed(texts(documents))
    order = random.sample(range(len(documents)), len(documents))
    permuted = model.embed(texts([documents[place] for place in order]))
    np.testing.assert_array_equal(permuted.vectors, at_once.vectors[order])
    np.testing.assert_array_equal(permuted.known_words, at_once.known_words[order])
    for place, document in enumerate(documents):
        alone = model.embed(texts([document]))
        np.testing.assert_array_equal(alone.vectors[0], at_once.vectors[place])


@given(st.lists(DOCUMENTS.map(" ".join), min_size=1, max_size=12), st.data())
@QUICK
def test_a_slice_is_embedded_as_its_own_documents(documents, data):
    first = data.draw(st.integers(0, len(documents) - 1))
    after = data.draw(st.integers(first, len(documents)))
    sliced = MODEL.embed(texts(documents)[first:after]).vectors
    np.testing.assert_array_equal(sliced, MODEL.embed(texts(documents)).vectors[first:after])


@given(st.lists(st.one_of(DOCUMENTS.map(" ".join), st.text(max_size=20)), max_size=12))
@QUICK
def test_a_tokenizer_of_ones_own_that_is_the_rule_gives_the_same_vectors(documents):
    scanned, called = MODEL.embed(texts(documents)), WITH_TOKENIZER.embed(texts(documents))
    # Two kernels: on some machines the compiler may order their sums differently.
    np.testing.assert_allclose(scanned.vectors, called.vectors, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(scanned.known_words, called.known_words)


@pytest.fixture(scope="module")
def much_text():
    """Some 2 MB: short documents, empty ones, and one that is larger than what a thread takes at a time."""
    generator = np.random.default_rng(0)
    words = np.array([*WORDS[:-1], "unknown"])
    lengths = generator.integers(0, 400, 1_000)
    lengths[::50] = 0
    lengths[500] = 150_000
    return [" ".join(words[generator.integers(len(words), size=length)]) for length in lengths]


@pytest.mark.parametrize("workers", [2, 3, 7])
def test_embedding_does_not_depend_on_the_number_of_workers(much_text, workers):
    assert sum(map(len, much_text)) > 4 * model_module._BYTES_PER_TASK
    alone, together = MODEL.embed(texts(much_text), 1), MODEL.embed(texts(much_text), workers)
    np.testing.assert_array_equal(together.vectors, alone.vectors)
    np.testing.assert_array_equal(together.known_words, alone.known_words)
    assert together.known_words[500] > 100_000
    part = MODEL.embed(texts(much_text)[400:], workers)
    np.testing.assert_array_equal(part.vectors, alone.vectors[400:])


def test_several_workers_share_the_texts(much_text, monkeypatch):
    """Without it, the test above could compare one thread with itself."""
    sizes = []
    original = model_module.embed_texts

    def recorded(text, offsets, *rest):
        sizes.append(int(offsets[-1] - offsets[0]))
        original(text, offsets, *rest)

    monkeypatch.setattr(model_module, "embed_texts", recorded)
    MODEL.embed(texts(much_text), 2)
    total = sum(len(document.encode()) for document in much_text)
    assert len(sizes) >= 4
    assert sum(sizes) == total


def test_a_long_document_keeps_its_precision():
    model = make_model(["a", "b"], [[0.1], [0.3]])
    vectors = model.embed(texts(["a " * 3_000_000 + "b " * 1_000_000])).vectors
    assert vectors[0, 0] == pytest.approx(0.15, rel=2e-6)


def test_pickle_keeps_everything_but_the_padding():
    model = make_model(["good", "film"], [[1, 2, 3], [4, 5, 6]], tokenizer=tokenize)
    model.record = TrainingRecord({"window": 5}, [], {"documents": 7})
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.word_vectors, model.word_vectors)
    np.testing.assert_array_equal(copy.outputs, model.outputs)
    assert copy.vocabulary == model.vocabulary
    assert (copy.dim, copy.tokenizer, copy.record) == (3, tokenize, model.record)
    np.testing.assert_array_equal(copy.embed(texts(["a good film"])).vectors, [[2.5, 3.5, 4.5]])


# ---- similar words

ROYAL = make_model(
    ["man", "woman", "king", "queen", "apple", "zero"],
    # gender, royalty, fruit; of different lengths, because only directions count
    [[4, 0, 0], [-2, 0, 0], [1, 1, 0], [-3, 4, 0], [0, 0, 5], [0, 0, 0]],
)


def test_similar_words_by_hand():
    half = 0.5**0.5
    found = ROYAL.similar_words("king", 4)
    assert [word for word, _ in found] == ["man", "queen", "apple", "zero"]
    np.testing.assert_allclose([score for _, score in found], [half, 0.2 * half, 0, 0], atol=1e-6)
    assert all(type(score) is float for _, score in found)


def test_king_minus_man_plus_woman_is_queen():
    """The question's own words are left out, although "woman" would come before "apple"."""
    found = ROYAL.similar_words("king - man + woman")
    assert [word for word, _ in found] == ["queen", "apple", "zero"]
    # unit vectors: (h, h, 0) - (1, 0, 0) + (-1, 0, 0)
    question = np.array([0.5**0.5 - 2, 0.5**0.5])
    expected = question @ [-0.6, 0.8] / np.linalg.norm(question)
    assert found[0][1] == pytest.approx(expected, abs=1e-6)


def test_words_of_the_question_are_left_out_when_they_stand_twice():
    assert {word for word, _ in ROYAL.similar_words("king king", 10)} == {"man", "woman", "queen", "apple", "zero"}


def test_case_of_the_question_does_not_matter():
    assert ROYAL.similar_words("King - MAN") == ROYAL.similar_words("king - man")


def test_number_of_similar_words():
    assert len(ROYAL.similar_words("king", 1)) == 1
    for k in (0, -1):
        with pytest.raises(ValueError, match=f"k={k} does not fit; it must be a whole number of at least 1"):
            ROYAL.similar_words("king", k)
    assert len(ROYAL.similar_words("king", 100)) == 5
    assert len(random_model(words=[f"w{i}" for i in range(50)]).similar_words("w3")) == 10


def test_rare_words_are_left_out_where_there_are_enough_others():
    """Words that occur three times are similar to many others by chance."""
    words = [f"w{number}" for number in range(1_201)]
    for common, expected in ((1_000, "w1"), (999, "w1200")):  # the last is the nearest, and rare
        vectors = np.random.default_rng(0).normal(size=(len(words), 20)).astype(np.float32)
        vectors[1], vectors[-1] = vectors[0] + 0.01, vectors[0]
        counts = [10] * common + [9] * (len(words) - common)
        model = make_model(words, vectors, counts=counts)
        assert model.similar_words("w0", 1)[0][0] == expected
        assert model.similar_words("w0", 1, min_count=9)[0][0] == "w1200"
        assert model.similar_words("w1200", 1, min_count=10)[0][0] == "w0"
        assert model.similar_words("w0", 1, min_count=11) == []


def test_words_that_were_never_counted_are_not_rare():
    model = make_model(["a", "b", "c"], np.eye(3), counts=[9, 5, 0])
    assert [word for word, _ in model.similar_words("a", min_count=6)] == ["c"]


def test_equally_similar_words_come_in_the_order_of_their_frequency():
    words = [f"w{number}" for number in range(300)]
    model = make_model(words, np.tile([[1.0, 0.0]], (300, 1)))
    assert [word for word, _ in model.similar_words("w0", 5)] == ["w1", "w2", "w3", "w4", "w5"]


def test_an_unknown_word_is_named():
    with pytest.raises(KeyError, match="'prince' is not among the 6 words of the vocabulary; try another word"):
        ROYAL.similar_words("king - prince")
    with pytest.raises(KeyError, match=r"'queeen' is not among .*; did you mean queen\?"):
        ROYAL.similar_words("king - queeen")


def test_the_tokens_that_are_signs_are_words_as_well():
    vectors = np.eye(3, dtype=np.float32)
    model = Model(Vocabulary.from_words(["-", "+", "film"], [3, 2, 1]), vectors, 3, outputs=vectors)
    for question, expected in (("-", [0]), ("+", [1]), ("film - -", [2, 0]), ("- + film", [0, 2]), ("- film", [2])):
        assert [model.vocabulary[word] for _, word in signed_terms(question)] == expected
    assert {word for word, _ in model.similar_words("-", 3)} == {"+", "film"}


def peak(call):
    """The most memory that a call holds at once, in bytes."""
    tracemalloc.start()
    call()
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return memory


def test_similar_words_do_not_copy_the_vectors():
    model = random_model(500, words=[f"w{number}" for number in range(4_000)])
    model.similar_words("w3")  # the lengths of the vectors are computed once
    assert peak(lambda: model.similar_words("w3 - w4")) < model.word_vectors.nbytes / 8


def test_similar_words_after_the_vectors_were_multiplied():
    model = make_model(["a", "b", "c"], [[1, 0], [3, 3], [2, 1]])
    before = model.similar_words("a")
    model.multiply(np.array([2, 3, 4], np.float32))
    assert model.similar_words("a") == [(word, pytest.approx(score)) for word, score in before]


@pytest.mark.parametrize("question", ["", " "])
def test_a_question_without_a_word(question):
    with pytest.raises(KeyError, match="holds no word"):
        ROYAL.similar_words(question)


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("king", [(1, "king")]),
        ("king - man + woman", [(1, "king"), (-1, "man"), (1, "woman")]),
        ("- old man + woman", [(-1, "old man"), (1, "woman")]),
        ("well-made + film", [(1, "well-made"), (1, "film")]),
    ],
)
def test_signed_terms(question, terms):
    assert signed_terms(question) == terms


def test_words_of_a_tokenizer_that_keeps_capitals_can_be_asked_for():
    model = make_model(["King", "Queen"], [[1, 0], [0, 1]], tokenizer=str.split)
    assert [word for word, _ in model.similar_words("King")] == ["Queen"]


def test_a_typographic_apostrophe_finds_the_word_as_it_does_in_texts():
    model = make_model(["don't", "film"], [[1, 0], [0, 1]])
    assert model.embed(texts(["don’t"])).known_words.tolist() == [1]
    assert [word for word, _ in model.similar_words("don’t")] == ["film"]


# ---- explain


def cosine(one, other):
    norms = np.linalg.norm(one) * np.linalg.norm(other)
    return float(one @ other) / norms if norms else 0.0


@given(DOCUMENTS, DOCUMENTS)
@settings(deadline=None, max_examples=100)
@pytest.mark.parametrize("model", [MODEL, WITH_TOKENIZER])
def test_contributions_add_up_to_the_similarity(model, first, second):
    first, second = " ".join(first), " ".join(second)
    explanation = model.explain(first, second)
    vectors = model.embed(texts([first, second])).vectors.astype(np.float64)
    similarity = cosine(*vectors)
    # When words cancel almost, the direction of a float32 vector is only so exact.
    if min(np.linalg.norm(vectors, axis=1)) > 1e-2 or similarity == 0:
        assert explanation.similarity == pytest.approx(similarity, abs=1e-5)
    for shares in (explanation.first, explanation.second):
        assert sum(share for _, share in shares) == pytest.approx(explanation.similarity, abs=1e-5)
    assert [token for token, _ in explanation.first] == tokenize(first)
    assert [token for token, _ in explanation.second] == tokenize(second)
    assert all(share == 0 for token, share in explanation.first if token not in WORDS)


def test_explain_by_hand():
    model = make_model(["up", "right"], [[0, 2], [2, 0]])
    explanation = model.explain("Up unknown right", "up")
    # ((0, 2) + (2, 0)) / 2 has length sqrt(2) and the angle of 45 degrees to (0, 2)
    assert explanation.similarity == pytest.approx(0.5**0.5)
    assert [token for token, _ in explanation.first] == ["up", "unknown", "right"]
    assert [share for _, share in explanation.first] == pytest.approx([0.5**0.5, 0, 0])
    assert [tuple(one) for one in explanation.second] == [("up", pytest.approx(0.5**0.5))]


def test_a_word_may_speak_against_the_similarity():
    explanation = BY_HAND.explain("good bad", "good")
    shares = dict(explanation.first)
    assert shares["bad"] < 0 < shares["good"]


@pytest.mark.parametrize(
    ("first", "second", "tokens"), [("", "cat", []), ("cat", "", ["cat"]), ("Who ?", "cat", ["who", "?"]), ("", "", [])]
)
def test_explain_texts_without_known_words(first, second, tokens):
    explanation = MODEL.explain(first, second)
    assert explanation.similarity == 0
    assert [tuple(one) for one in explanation.first] == [(token, 0) for token in tokens]
    assert all(share == 0 for _, share in explanation.second)


def test_explaining_a_long_text_needs_little_memory():
    """A text of a million words must not take a row of its own for each of them."""
    model = random_model(2_000)
    text = "the cat sat " * 1_000
    model.explain(text, text)  # compiles
    assert peak(lambda: model.explain(text, text)) < 2_000 * 3_000


def test_unknown_words_are_neither_punctuation_nor_stop_words():
    model = Doc2VecC(8, epochs=1, min_count=1, init="random", stop_words=["the"], workers=1).fit(
        ["the soup is cold", "a hot soup"]
    )
    assert model.model_.unknown_words("The cold SALT, a salt: pepper!") == ["salt", "pepper"]
