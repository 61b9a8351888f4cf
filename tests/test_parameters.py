import inspect
import pydoc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from doc2vecc import Doc2VecC, Doc2VecCError, ParameterError
from doc2vecc.baselines import ParagraphVectors, Word2Vec
from doc2vecc.config import (
    EPOCHS_OF_ONE_WORD,
    LARGE_TEXT,
    LONG_DOCUMENT,
    MAX_EPOCHS,
    MIN_EPOCHS,
    SMALL_TEXT,
    TrainingConfig,
    auto_epochs,
    auto_idf_exponent,
    auto_min_count,
    auto_ngram_min_count,
    auto_vector_size,
    check_parameters,
    resolve_defaults,
)
from doc2vecc.parameters import NGRAM_DEFAULTS, WORD_DEFAULTS, Parameters, TrainingParameters, parameters_of

WHOLE = "a whole number of at least 1"
SHARE = "a number from 0 to 1"
RULES = {
    "max_document_mb": "a whole number from 1 to 4000",
    "vector_size": "a whole number from 1 to 65536",
    "window": "a whole number from 1 to 65536",
    "negative": "a whole number from 1 to 65536",
    "min_count": WHOLE,
    "max_final_vocab": WHOLE,
    "ngram_min_count": WHOLE,
    "max_ngrams": WHOLE,
    "epochs": "a whole number from 1 to 1000000 or 'auto'",
    "workers": "a whole number from 1 to 1024",
    "shared_targets": "a whole number from 1 to 8",
    "random_state": f"a whole number from 0 to {2**64 - 1}",
    "document_only": SHARE,
    "ns_exponent": SHARE,
    "sample": SHARE,
    "frequency_damping": SHARE,
    "idf_exponent": "a number from 0 to 2",
    "max_seconds": "a number from 0.001 to 1000000000.0",
    "keep": "a number from 0.0001 to 1",
    "alpha": "a number from 1e-09 to 10",
}
LIMITS = {
    "shared_targets": (1, 8),
    "random_state": (0, 2**64 - 1),
    "vector_size": (1, 65_536),
    "document_only": (0, 1),
    "idf_exponent": (0, 2),
    "max_seconds": (1e-3, 1e9),
    "keep": (1e-4, 1),
    "alpha": (1e-9, 10),
}
OTHERS = {
    "architecture",
    "init",
    "binary",
    "ngram_range",
    "predict_ngrams",
    "reproducible",
    "tokenizer",
    "token_pattern",
    "stop_words",
    "text_column",
    "no_header",
    "strict",
    "skip_malformed",
    "delimiter",
    "verbose",
}
MAY_BE_NONE = {
    "vector_size", "min_count", "max_final_vocab", "max_ngrams", "ngram_range", "ngram_min_count", "max_seconds",
    "alpha", "frequency_damping", "idf_exponent", "workers", "random_state",
}  # fmt: skip


def refusal(name, value):
    with pytest.raises(ParameterError) as caught:
        check_parameters(Doc2VecC(**{name: value}))
    return str(caught.value)


def test_every_parameter_has_a_rule_a_help_and_a_group():
    described = list(parameters_of(Parameters))
    assert [one.name for one in described] == list(inspect.signature(Doc2VecC).parameters)
    assert {*RULES, *OTHERS} == {one.name for one in described}
    for _, _, default, setting in described:
        assert setting.help.endswith(".")
        assert setting.group in {"vectors", "training", "advanced", "input"}
        assert default is not None or setting.default, "None must say what it stands for"


def test_the_signature_is_short_enough_to_read():
    signature = str(inspect.signature(Doc2VecC))
    assert signature.startswith("(vector_size=None, *, min_count=None,")
    assert len(signature) < 1000
    assert "Setting(" not in pydoc.render_doc(Doc2VecC)


@pytest.mark.parametrize("name", RULES)
def test_a_number_must_be_one_and_in_its_range(name):
    wrong = [-1, True, np.True_, "3", float("nan"), float("inf"), [1], 1j]
    wrong += [2.5, np.float64(3)] if "whole" in RULES[name] else []
    wrong += [0] if "at least 1" in RULES[name] or name in {"keep", "alpha"} else []
    wrong += [] if name in MAY_BE_NONE else [None]
    for value in wrong:
        assert refusal(name, value) == f"{name}={value!r} does not fit; it must be {RULES[name]}"


@pytest.mark.parametrize("name", RULES)
def test_a_random_state_is_for_the_seed(name):
    if name == "random_state":
        check_parameters(Doc2VecC(random_state=np.random.RandomState(0)))
    else:
        assert refusal(name, np.random.RandomState(0)).endswith(f"does not fit; it must be {RULES[name]}")


def test_a_long_value_is_shortened_in_the_message():
    assert len(refusal("vector_size", ["a text that was meant for fit"] * 1000)) < 300


@pytest.mark.parametrize("name", LIMITS)
def test_the_limits_themselves_fit_and_what_is_beyond_does_not(name):
    low, high = LIMITS[name]
    for value in (low, high, np.float64(high) if isinstance(low, float) else np.uint64(high)):
        check_parameters(Doc2VecC(**{name: value}))
    assert RULES[name] in refusal(name, high + (1 if "whole" in RULES[name] else 0.01))


@pytest.mark.parametrize("name", sorted(MAY_BE_NONE | {"tokenizer", "token_pattern", "stop_words", "text_column"}))
def test_none_stands_for_a_default(name):
    check_parameters(Doc2VecC(**{name: None}))


def test_choices_flags_functions_and_columns():
    for value in ("CBOW", "cbow ", "", None, 0, ["cbow"]):
        assert refusal("architecture", value) == f"architecture={value!r} is not known; use 'cbow' or 'skipgram'"
    for name in ("binary", "predict_ngrams", "reproducible", "strict", "verbose"):
        for value in (None, 0, 1, "True", np.int64(1)):
            assert refusal(name, value) == f"{name}={value!r} does not fit; it must be True or False"
        check_parameters(Doc2VecC(**{name: np.True_}))  # as scikit-learn takes one out of an array
    assert refusal("tokenizer", "split") == "tokenizer='split' does not fit; it must be callable: str -> list[str]"
    assert (
        refusal("text_column", 3) == "text_column=3 does not fit; it must be the name of a column, or a list of names"
    )


@pytest.mark.parametrize("value", [2, "12", (1,), (2, 2), (1, 6), (1, 0), (1, 2.0), (1, True), np.array([1, 2])])
def test_ngram_range(value):
    assert "does not fit; it must be (1, n) with n from 1 to 5, like (1, 2)" in refusal("ngram_range", value)


def test_every_such_error_is_of_the_one_kind_that_users_catch():
    with pytest.raises(Doc2VecCError):
        Doc2VecC(window=0).fit(["a text"])


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("seed", "use 'random_state'"),
        ("n_components", "use 'vector_size'"),
        ("epoch", "use 'epochs'"),
        ("sg", "use architecture='skipgram' or 'cbow'"),
        ("dm", r"Paragraph Vectors are doc2vecc\.baselines\.ParagraphVectors"),
        ("hs", "leave it out: .* negative samples"),
        ("min_alpha", "leave it out: the learning rate falls"),
        ("compute_loss", "leave it out: history_ has the loss"),
        ("unheard_of", "leave it out, or look"),
    ],
)
@pytest.mark.parametrize("estimator", [Doc2VecC, Word2Vec])
def test_the_error_for_an_unknown_parameter_names_the_one_that_is_meant(estimator, given, meant):
    with pytest.raises(TypeError, match=f"^there is no parameter '{given}'; {meant}"):
        estimator(**{given: 1})
    with pytest.raises(ValueError, match=f"^there is no parameter '{given}'; {meant}"):
        estimator().set_params(**{given: 1})


def test_the_variant_of_paragraph_vectors_is_named():
    with pytest.raises(TypeError, match="use variant='dm' or 'dbow'"):
        ParagraphVectors(dm=1)


@pytest.mark.parametrize("texts", [["a text"], (text for text in ["a text"]), Path("texts.csv"), np.array(["a text"])])
@pytest.mark.parametrize("others", [{}, {"vector_size": 100}])
def test_texts_in_the_place_of_a_parameter_belong_to_fit(texts, others):
    with pytest.raises(
        TypeError, match=r"^the first parameter is a \w+; give texts to fit: Doc2VecC\(\)\.fit\(texts\)"
    ):
        Doc2VecC(texts, **others)


def test_a_word2vec_context_without_a_document_needs_local_words():
    with pytest.raises(ParameterError, match=r"document_only=0.9 does not fit document='absent'.*set it to 0"):
        TrainingConfig(document="absent")


@pytest.mark.parametrize("ngram_range", [(1, 1), [1, 1], None])
def test_defaults_for_words(ngram_range):
    settings = {"alpha": None, "frequency_damping": None, "max_final_vocab": None}
    asked = settings if ngram_range is None else {**settings, "ngram_range": ngram_range}
    assert resolve_defaults(asked) == {**asked, **WORD_DEFAULTS}


@pytest.mark.parametrize("ngram_range", [(1, 2), [1, 3]])
def test_defaults_for_ngrams_replace_none_only(ngram_range):
    settings = {"alpha": None, "frequency_damping": 0.0, "ngram_range": ngram_range}
    assert resolve_defaults(settings) == {**settings, "alpha": NGRAM_DEFAULTS["alpha"]}


def test_the_config_has_the_defaults_of_the_parameters():
    config = TrainingConfig()
    for name, _, default, _ in parameters_of(TrainingParameters):
        assert getattr(config, name) == WORD_DEFAULTS.get(name, default)


def test_what_is_said_about_defaults_that_follow_the_size_is_what_they_do():
    """Help and docstrings are prose, for their readers; the rules are in config.py."""
    said = {name: f"{setting.text} {setting.default}" for name, _, _, setting in parameters_of(TrainingParameters)}
    assert (SMALL_TEXT, LARGE_TEXT) == (1_000_000, 10_000_000)
    for name, rule, bound, words in (
        ("vector_size", auto_vector_size, LARGE_TEXT, "ten million"),
        ("min_count", auto_min_count, SMALL_TEXT, "a million"),
        ("ngram_min_count", auto_ngram_min_count, SMALL_TEXT, "a million"),
    ):
        assert said[name].endswith(f" {rule(bound - 1)} below {words} tokens, else {rule(bound)}")
    assert f"{EPOCHS_OF_ONE_WORD:,} / words ** (2 / 3)" in said["epochs"]
    assert f"from {MIN_EPOCHS} to {MAX_EPOCHS}" in said["epochs"]
    for words, number in (("250,000 words", 250_000), ("1.5 million", 1_500_000), ("26 million", 26_000_000)):
        assert f"{auto_epochs(number)} for {words}" in said["epochs"]
    assert (
        f"tokens per document / {LONG_DOCUMENT}, at most {auto_idf_exponent(LARGE_TEXT - 1, 1):g}"
        in said["idf_exponent"]
    )
    assert f"at most {auto_idf_exponent(LARGE_TEXT, 1):g}" in said["idf_exponent"]


def test_the_docstring_of_the_estimator_is_that_of_the_parameters():
    writer = Path(__file__).parent.parent / "tools" / "docstrings.py"
    done = subprocess.run([sys.executable, writer, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name, *_ in parameters_of(Parameters):
        assert f"\n    {name} : " in inspect.getsource(Doc2VecC)
    lines = Doc2VecC.__doc__.splitlines()
    assert "    epochs : int or 'auto', default 'auto'" in lines
    assert "    stop_words : str or list of str, default None (none)" in lines
    assert "    ngram_range : (int, int), default None (words" in Doc2VecC.__doc__


@pytest.mark.parametrize("name", ["token_pattern", "stop_words", "text_column"])
def test_a_text_that_cannot_be_written_is_refused_before_the_training(name: str) -> None:
    value = ["\udcff"] if name == "stop_words" else "\udcff"
    with pytest.raises(ParameterError, match=name):
        Doc2VecC(**{name: value}).fit(["a film"])
