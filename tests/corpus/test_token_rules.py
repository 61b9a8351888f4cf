"""Patterns, stop words, and functions of the user's own."""

from pathlib import Path

import pytest

from doc2vecc import Doc2VecC, EmptyVocabularyError, ModelFolderError, ParameterError
from doc2vecc.corpus.token_rules import (
    LONGEST_PATTERN,
    PatternTokenizer,
    choose_tokenizer,
    find_tokenizer,
    stopped_tokens,
    tokenizer_name,
)
from doc2vecc.corpus.tokenizer import BuiltinTokenizer

TEXTS = ["The cat sat on the mat.", "The dog sat on the log!", "Don’t let the cat sit on the dog."] * 20
FAST = {"vector_size": 8, "epochs": 2, "workers": 1, "min_count": 1}


def split_at_blanks(text):
    return text.upper().split()


def test_a_pattern_finds_tokens_in_lower_case():
    assert PatternTokenizer(r"\b\w\w+\b")("It's a Well-made FILM") == ["it", "well", "made", "film"]
    assert PatternTokenizer(r"#(\w+)")("#One and #two") == ["one", "two"]
    assert PatternTokenizer(r"\d*")("a1b22") == ["1", "22"]


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(", "it is no regular expression"),
        ("(a)(b)", "it has 2 groups"),
        ("a" * (LONGEST_PATTERN + 1), "it has 1,001 characters"),
    ],
)
def test_a_pattern_that_does_not_fit(pattern, why):
    with pytest.raises(ParameterError, match=why):
        Doc2VecC(token_pattern=pattern).fit(TEXTS)


@pytest.mark.parametrize("name", ["token_pattern", "stop_words"])
def test_an_own_tokenizer_decides_alone(name):
    with pytest.raises(ParameterError, match=f"{name} does not go with a tokenizer of your own"):
        Doc2VecC(tokenizer=split_at_blanks, **{name: "english"}).fit(TEXTS)


def test_stop_words_are_folded_as_texts_are():
    tokens, n_ignored = stopped_tokens(BuiltinTokenizer(stop_words=("The", "DON’T", "New York", "\u200b")))
    assert tokens == {"the", "don't"}
    assert n_ignored == 1
    assert stopped_tokens(PatternTokenizer(r"\w\w+", ("The", "don't", "a"))) == ({"the"}, 1)


def test_stop_words_have_no_vector_and_nothing_else_changes():
    stopped = Doc2VecC(stop_words=["The", "on"], **FAST).fit(TEXTS)
    plain = Doc2VecC(**FAST).fit(TEXTS)
    assert set(plain.vocabulary_) - set(stopped.vocabulary_) == {"the", "on"}
    assert (
        stopped.report_["stopped_tokens"]
        == plain.vocabulary_.counts[[plain.vocabulary_[w] for w in ("the", "on")]].sum()
    )
    assert stopped.model_.characters is not None  # the compiled way
    assert stopped.transform(["the cat"]).tolist() == stopped.transform(["cat"]).tolist()


def test_no_ngram_reaches_across_a_stop_word():
    model = Doc2VecC(stop_words=["on"], ngram_range=(1, 2), ngram_min_count=1, **FAST).fit(TEXTS)
    assert "the dog" in model.vocabulary_
    assert not {"sat on", "on the", "sat the"} & set(model.vocabulary_)


def test_the_list_of_scikit_learn():
    model = Doc2VecC(stop_words="english", **FAST).fit(TEXTS)
    assert "cat" in model
    assert "the" not in model
    assert "don't" in model  # their list has no contractions


def test_stop_words_that_are_no_token_are_told():
    with pytest.warns(UserWarning, match="1 stop word not a single token: ignored"):
        Doc2VecC(stop_words=["the dog"], **FAST).fit(TEXTS)


def test_only_stop_words():
    with pytest.raises(EmptyVocabularyError, match="all words of 2 documents are stop words"):
        Doc2VecC(stop_words={"a", "b"}, **FAST).fit(["a b", "b"])


@pytest.mark.parametrize("value", ["german", 3, [1], {"the": 1}, b"the"])
def test_stop_words_must_be_words(value):
    with pytest.raises(ParameterError, match=r"stop_words=.* it must be a list of words, or 'english'"):
        Doc2VecC(stop_words=value).fit(TEXTS)


def test_a_saved_model_keeps_its_stop_words_for_further_training(tmp_path):
    Doc2VecC(stop_words=["the", "on"], **FAST).fit(TEXTS).save(tmp_path / "m")
    loaded = Doc2VecC.load(tmp_path / "m")
    assert loaded.stop_words == ("on", "the")
    assert "the" not in loaded.partial_fit(TEXTS)
    assert loaded.model_.characters is not None


@pytest.mark.parametrize("pattern", [r"(?u)\b\w\w+\b", r"\S+"])
def test_a_common_pattern_is_loaded_with_the_model(pattern, tmp_path):
    model = Doc2VecC(token_pattern=pattern, stop_words=["the"], **FAST).fit(TEXTS)
    model.save(tmp_path / "m")
    loaded = Doc2VecC.load(tmp_path / "m")
    assert loaded.token_pattern == pattern
    assert loaded.transform(TEXTS[:3]).tolist() == model.transform(TEXTS[:3]).tolist()
    assert "the" not in loaded.partial_fit(TEXTS)


def test_any_other_pattern_of_a_folder_must_be_passed_again(tmp_path):
    model = Doc2VecC(token_pattern="[a-z]{3,}", **FAST).fit(TEXTS)
    model.save(tmp_path / "m")
    with pytest.raises(ModelFolderError, match=r"the regular expression '\[a-z\]\{3,\}'.* pass it again"):
        Doc2VecC.load(tmp_path / "m")
    with pytest.raises(ModelFolderError, match="pass this one"):
        Doc2VecC.load(tmp_path / "m", token_pattern="[a-z]+")
    with pytest.raises(ModelFolderError, match="pass this one"):
        Doc2VecC.load(tmp_path / "m", tokenizer=str.split)
    again = Doc2VecC.load(tmp_path / "m", token_pattern="[a-z]{3,}")
    assert again.transform(TEXTS[:3]).tolist() == model.transform(TEXTS[:3]).tolist()


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"token_pattern": "', '"token_pattern": "' + "a" * LONGEST_PATTERN, "at most 1,000 characters"),
        ('"token_pattern": "', '"token_pattern": 3, "x": "', "at most 1,000 characters"),
        ('"stop_words": [', '"stop_words": [3, ', "stop_words must be a list of words"),
        ('"stop_words": [', '"stop_words": "the", "x": [', "stop_words must be a list of words"),
    ],
)
def test_a_damaged_folder(old, new, why, tmp_path):
    Doc2VecC(token_pattern=r"\w+", stop_words=["the"], **FAST).fit(TEXTS).save(tmp_path / "m")
    config = tmp_path / "m" / "config.json"
    text = config.read_text("utf-8")
    assert old in text
    config.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(ModelFolderError, match=why):
        Doc2VecC.load(tmp_path / "m")


# ---- a function of the user's own


@pytest.mark.parametrize("made", ["a text", None, [1], iter(["a"]), [["a"]]])
def test_a_tokenizer_that_returns_no_list_of_words(made):
    with pytest.raises(ParameterError, match=r"the tokenizer made .* of the text .*; it must return a list of str"):
        Doc2VecC(tokenizer=lambda _: made, **FAST).fit(TEXTS)


def test_a_tokenizer_by_its_name(tmp_path, monkeypatch):
    (tmp_path / "my_own_tokens.py").write_text(
        "class Some:\n    @staticmethod\n    def split(text): return [text]\nN = 3\n"
    )
    (tmp_path / "my_broken_tokens.py").write_text("1 / 0\n")
    monkeypatch.chdir(tmp_path)
    assert find_tokenizer("my_own_tokens:Some.split")("a b") == ["a b"]
    assert find_tokenizer("builtins:str.split")("a b") == ["a", "b"]
    assert tokenizer_name(find_tokenizer("my_own_tokens:Some.split")) == "my_own_tokens:Some.split"
    for name, why in {
        "split": "it must be package.module:function",
        "my_absent_tokens:split": "needs the module 'my_absent_tokens', which is not found",
        "my_broken_tokens:split": "cannot be imported: ZeroDivisionError: division by zero",
        "my_own_tokens:other": "there is no 'other' in the module 'my_own_tokens'",
        "my_own_tokens:N": "is 3, which cannot be called",
    }.items():
        with pytest.raises(ParameterError, match=why):
            find_tokenizer(name)
    import sys

    assert str(Path.cwd()) not in sys.path


def test_nothing_given_is_the_built_in_rule():
    assert choose_tokenizer(None) is None
    assert choose_tokenizer(str.split) == str.split
