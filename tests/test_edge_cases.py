"""What comes with real files and real people, through the front door: each does what a user would expect."""

import warnings

import numpy as np
import pytest

from doc2vecc.errors import CorpusWarning, InputError
from doc2vecc.estimator import Doc2VecC

TEXTS = ["a great film", "a bad film", "not a great film at all"] * 4


def small(**changes):
    return Doc2VecC(**{"vector_size": 4, "epochs": 1, "min_count": 1, "workers": 1, "random_state": 0, **changes})


@pytest.fixture(scope="module")
def fitted():
    return small().fit(TEXTS)


UNTAUGHT = 6 * np.log(2)  # the loss of a model that knows nothing: five negative samples and the target, all at 1/2


def vector(model, *words):
    """The mean of the vectors of these words."""
    assert np.isfinite(model.word_vectors_).all()
    return model.word_vectors_[[model.vocabulary_[word] for word in words]].mean(axis=0)


def assert_embeds(model, texts, *expected):
    """Every text is embedded as the mean of the expected words."""
    vectors = model.transform(texts)
    assert vectors.shape == (len(expected), model.word_vectors_.shape[1])
    for found, words in zip(vectors, expected, strict=True):
        np.testing.assert_allclose(found, vector(model, *words), rtol=1e-5, atol=1e-7)


def heard(call):
    """Return what is given back, and the sentences of the one warning, if any."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    assert len(caught) <= 1
    assert all(one.category is CorpusWarning for one in caught)
    return result, [sentence for one in caught for sentence in str(one.message).split("; ")]


# ---- short and empty documents


def test_documents_of_one_word():
    model = small().fit(["great", "film", "film"])
    assert model.vocabulary_.words == ["film", "great"]
    assert np.isfinite(model.word_vectors_).all()
    assert_embeds(model, ["great", "film"], ["great"], ["film"])


@pytest.mark.parametrize("architecture", ["cbow", "skipgram"])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_vocabulary_of_one_word(architecture, workers):
    """No other word can be drawn as noise."""
    model = small(architecture=architecture, workers=workers, epochs=3).fit(["film film film"] * 5)
    assert model.vocabulary_.words == ["film"]
    assert np.isfinite(model.word_vectors_).all()
    assert [epoch.words for epoch in model.history_] == [15] * 3
    assert_embeds(model, ["film"], ["film"])
    assert model.similar_words("film") == []


def test_a_corpus_of_one_document():
    model = small().fit(["a great film"])
    assert model.report_["documents"] == 1
    assert np.isfinite(model.word_vectors_).all()


def test_empty_documents(fitted):
    model, said = heard(lambda: small().fit(["", *TEXTS, " ", "\n"]))
    assert said == ["3 of 15 documents without a known word: ignored in training"]
    assert model.vocabulary_ == fitted.vocabulary_
    vectors, said = heard(lambda: fitted.transform(["", "film", "\t"]))
    assert said == ["2 of 3 documents have no known word: zero vectors"]
    assert vectors.any(axis=1).tolist() == [False, True, False]


def test_documents_of_unknown_words_only(fitted):
    vectors, said = heard(lambda: fitted.transform(["entirely unheard of"]))
    assert said == ["1 of 1 documents have no known word: zero vectors (are these the texts that you mean?)"]
    np.testing.assert_array_equal(vectors, np.zeros((1, 4), np.float32))


def test_nothing_reaches_min_count():
    with pytest.raises(ValueError) as caught:
        small(min_count=10).fit(["a great film", "a bad film", "film"])
    assert str(caught.value) == "no word occurs 10 times in 3 documents (the most frequent one: 3); lower min_count"


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ([], "there are no documents to learn from; pass at least one text"),
        (["", " ", "\0"], "no word in 3 documents; pass texts that hold words"),
    ],
)
def test_no_words_at_all(texts, sentence):
    with pytest.raises(ValueError) as caught:
        small().fit(texts)
    assert str(caught.value) == sentence


# ---- characters


def test_emoji_are_words_of_their_own():
    model = small().fit(["great😀", "😀😀 bad 👍🏽", "film ❤️ 👍"])
    assert set(model.vocabulary_) == {"great", "bad", "film", "😀", "👍", "❤"}
    assert model.vocabulary_.counts[model.vocabulary_["😀"]] == 3
    assert model.vocabulary_.counts[model.vocabulary_["👍"]] == 2  # of whatever skin tone
    assert_embeds(model, ["great", "great😀", "👍🏿👍"], ["great"], ["great", "😀"], ["👍"])


def test_an_emoji_does_not_hide_the_word(fitted):
    assert_embeds(fitted, ["great😀", "😀great", "gr\u200deat"], ["great"], ["great"], ["great"])


def test_right_to_left_text_with_direction_marks():
    plain = "סרט נהדר מאוד"
    model = small().fit([plain, "فيلم رائع"])
    assert {"סרט", "נהדר", "מאוד", "فيلم", "رائع"} == set(model.vocabulary_)
    marked = "\u200fסרט\u200f \u202bנהדר\u202c \u2067מאוד\u2069"
    assert_embeds(model, [marked, "\u061cفيلم\u200e"], plain.split(), ["فيلم"])
    assert small().fit([marked, "فيلم رائع"]).vocabulary_ == model.vocabulary_


def test_nul_bytes_separate_words_and_end_nothing(fitted):
    model = small().fit(["great\0film", "bad\0\0film\0"])
    assert set(model.vocabulary_) == {"great", "film", "bad"}
    assert_embeds(fitted, ["great\0film", "\0bad"], ["great", "film"], ["bad"])


def test_nul_bytes_in_files(tmp_path, fitted):
    (tmp_path / "a.txt").write_bytes(b"great\0film\n\0bad\n")
    assert_embeds(fitted, tmp_path / "a.txt", ["great", "film"], ["bad"])
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "great\\u0000film"}\n{"text": "\0bad"}\n')
    assert_embeds(fitted, tmp_path / "a.jsonl", ["great", "film"], ["bad"])


def test_lone_surrogates_are_counted(fitted):
    vectors, said = heard(lambda: fitted.transform(["great \ud800 film", "bad"]))
    assert said == ["1 undecodable byte sequence replaced by U+FFFD"]
    np.testing.assert_allclose(vectors[0], vector(fitted, "great", "film"), rtol=1e-5)


def test_line_breaks_inside_a_document_are_blanks(fitted):
    assert_embeds(fitted, ["great\nfilm", "great\r\nfilm", "great\u2028film"], *[["great", "film"]] * 3)


# ---- long documents


def test_a_document_of_a_million_words_counts_whole():
    model = small(vector_size=2).fit(["film " * 600_000 + "great " * 399_999 + "end", "bad film"])
    assert (model.report_["tokens"], model.report_["known_tokens"]) == (1_000_002, 1_000_002)
    assert model.report_["documents"] == 2
    assert model.vocabulary_.counts.tolist() == [600_001, 399_999, 1, 1]
    assert model.history_[0].words == 1_000_002
    assert model.history_[0].loss < UNTAUGHT
    text = "film " * 600_000 + "great " * 400_000
    film, great = vector(model, "film"), vector(model, "great")
    np.testing.assert_allclose(model.transform([text])[0], 0.6 * film + 0.4 * great, rtol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["cbow", "skipgram"])
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("init", "longest", "length"), [("random", 10, 300_000), ("random", 10, 600_000), ("spectral", 15, 600_000)]
)
def test_learning_from_books_is_as_stable_as_from_reviews(architecture, workers, length, init, longest):
    """The words of a long document move together; the most frequent ones must not overshoot."""
    generator = np.random.default_rng(0)
    frequencies = 1 / np.arange(2, 2_002)
    ids = generator.choice(2_000, size=300_000, p=frequencies / frequencies.sum())
    # Every word is followed by one of its own: frequencies alone would be learned in less than an epoch.
    ids = np.stack([ids, generator.permutation(2_000)[ids]], axis=1).ravel()
    words = np.array([f"w{number}" for number in range(2_000)])[ids]
    texts = [" ".join(words[start : start + length]) for start in range(0, 600_000, length)]
    model = small(vector_size=20, epochs=2, workers=workers, architecture=architecture, init=init).fit(texts)
    first, second = (epoch.loss for epoch in model.history_)
    assert second < 1.01 * first < 0.8 * UNTAUGHT  # from a good start there is little to learn
    assert np.linalg.norm(model.word_vectors_, axis=1).max() < longest


@pytest.mark.slow
def test_a_single_line_of_50_mb(tmp_path):
    """One document of six million words, of which a few occur often; the line has no end."""
    stretch = " ".join(f"a great film w{number:05}x" for number in range(2_000))
    times = 50_000_000 // len(stretch) + 1
    path = tmp_path / "long.txt"
    path.write_text(" ".join([stretch] * times))
    assert path.stat().st_size > 50_000_000
    model = small(min_count=10_000).fit(path)
    assert model.vocabulary_.words == ["a", "film", "great"]
    assert model.report_["documents"] == 1
    assert model.report_["tokens"] == 4 * 2_000 * times
    assert model.report_["known_tokens"] == model.history_[0].words == 3 * 2_000 * times
    vectors = model.transform(path)
    assert vectors.shape == (1, 4)
    np.testing.assert_allclose(vectors[0], vector(model, "a", "great", "film"), rtol=1e-4, atol=1e-6)


@pytest.mark.slow
def test_a_single_word_of_50_mb(tmp_path):
    """Such as a picture in base64: one unknown word, and what follows is still read."""
    path = tmp_path / "long.txt"
    path.write_bytes(b"film " + b"QUJDREVG" * 6_500_000 + b" film\nfilm great\n")
    model = small(min_count=2).fit(path)
    assert model.vocabulary_.words == ["film"]
    assert (model.report_["documents"], model.report_["tokens"], model.report_["known_tokens"]) == (2, 5, 3)
    assert_embeds(model, path, ["film"], ["film"])


# ---- files


def test_crlf(tmp_path, fitted):
    (tmp_path / "a.txt").write_bytes("\r\n".join(TEXTS).encode() + b"\r\n")
    model = small().fit(tmp_path / "a.txt")
    assert model.report_["documents"] == len(TEXTS)
    assert model.vocabulary_ == fitted.vocabulary_
    np.testing.assert_array_equal(model.word_vectors_, fitted.word_vectors_)


@pytest.mark.parametrize("end", ["\n", ""])
def test_the_last_word_counts_with_and_without_a_final_line_break(tmp_path, end, fitted):
    (tmp_path / "a.txt").write_text("a bad film\na great" + end)
    assert_embeds(fitted, tmp_path / "a.txt", ["a", "bad", "film"], ["a", "great"])


def test_an_empty_line_is_a_row(tmp_path, fitted):
    (tmp_path / "a.txt").write_text("film\n\ngreat\n")
    vectors, said = heard(lambda: fitted.transform(tmp_path / "a.txt"))
    assert said == ["1 of 3 documents have no known word: zero vectors"]
    assert vectors.any(axis=1).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b"film\ngreat\n"),
        ("a.csv", b"text\nfilm\ngreat\n"),
        ("a.csv", b"id,text\r\n1,film\r\n2,great\r\n"),
        ("a.jsonl", b'{"text": "film"}\n{"text": "great"}\n'),
    ],
)
def test_a_byte_order_mark_belongs_to_no_word(tmp_path, name, content):
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + content)
    model = small().fit(tmp_path / name)
    assert model.vocabulary_.words == ["film", "great"]
    assert_embeds(model, tmp_path / name, ["film"], ["great"])


def test_a_byte_order_mark_inside_a_text(fitted):
    assert_embeds(fitted, ["\ufefffilm", "great\ufefffilm"], ["film"], ["great", "film"])


def test_csv_with_quoted_line_breaks(tmp_path, fitted):
    (tmp_path / "a.csv").write_bytes(
        b'id,text\r\n1,"a great\r\nfilm"\r\n2,"a ""bad"", bad\n\nfilm"\r\n3,not at all\r\n'
    )
    assert_embeds(fitted, tmp_path / "a.csv", ["a", "great", "film"], ["a", "bad", "bad", "film"], ["not", "at", "all"])
    model = small().fit(tmp_path / "a.csv")
    assert model.report_["documents"] == 3
    assert model.vocabulary_.counts[model.vocabulary_["bad"]] == 2


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b"great \xff film\ncaf\xe9 bad\n"),
        ("a.csv", b"text\ngreat \xff film\ncaf\xe9 bad\n"),
        ("a.jsonl", b'{"text": "great \xff film"}\n{"text": "caf\xe9 bad"}\n'),
    ],
)
def test_undecodable_bytes_are_replaced_and_counted(tmp_path, fitted, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    vectors, said = heard(lambda: fitted.transform(path))
    assert said == ["2 undecodable byte sequences replaced by U+FFFD"]
    np.testing.assert_allclose(vectors[0], vector(fitted, "great", "film"), rtol=1e-5)
    np.testing.assert_allclose(vectors[1], vector(fitted, "bad"), rtol=1e-5)
    model, said = heard(lambda: small().fit(path))
    assert said == ["2 undecodable byte sequences replaced by U+FFFD"]
    assert "great" in model.vocabulary_


def test_undecodable_bytes_are_an_error_when_strict(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"great film\nbad \xff film\n")
    for method in ("fit", "transform"):
        model = small().fit(TEXTS).set_params(strict=True)
        with pytest.raises(InputError) as caught:
            getattr(model, method)(path)
        assert str(caught.value).startswith(f"{path}: byte 15 is not valid UTF-8; ")


def test_what_was_left_out_while_reading_is_in_the_report(tmp_path):
    """The warning passes; the report stays with the model, also in its folder."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "great \xff film"}\nno json\n{"text": null}\n{"text": "film"}\n')
    model, said = heard(lambda: small(skip_malformed=True).fit(path))
    assert said[:3] == [
        "1 undecodable byte sequence replaced by U+FFFD",
        "1 malformed line skipped",
        "1 missing text read as empty",
    ]
    report = model.report_
    assert (report["undecodable"], report["skipped_lines"], report["missing"]) == (1, 1, 1)


def test_an_empty_file(tmp_path, fitted):
    (tmp_path / "a.txt").write_bytes(b"")
    assert fitted.transform(tmp_path / "a.txt").shape == (0, 4)
    with pytest.raises(ValueError, match="there are no documents to learn from"):
        small().fit(tmp_path / "a.txt")


def test_a_missing_file(tmp_path, fitted):
    with pytest.raises(InputError, match=r"no file or folder '.*none.txt'; check the path"):
        fitted.transform(tmp_path / "none.txt")
