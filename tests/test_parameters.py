from dataclasses import FrozenInstanceError, asdict

import numpy as np
import pytest

from doc2vecc.parameters import NGRAM_DEFAULTS, WORD_DEFAULTS, TrainingConfig, resolve_defaults

WHOLE = "a whole number of at least 1"
SHARE = "a number from 0 to 1"
RULES = {
    "vector_size": WHOLE,
    "window": WHOLE,
    "negative": WHOLE,
    "min_count": WHOLE,
    "max_final_vocab": WHOLE,
    "ngram_min_count": WHOLE,
    "max_ngrams": WHOLE,
    "epochs": WHOLE,
    "workers": WHOLE,
    "shared_targets": "a whole number from 1 to 8",
    "seed": f"a whole number from 0 to {2**64 - 1}",
    "document_only": SHARE,
    "ns_exponent": SHARE,
    "sample": SHARE,
    "frequency_damping": SHARE,
    "keep": "a number from 0.0001 to 1",
    "alpha": "a number from 1e-09 to 10",
}
WHOLE_NUMBERS = [name for name, rule in RULES.items() if "whole" in rule]
NUMBERS = [name for name, rule in RULES.items() if "whole" not in rule]


def refusal(name, value):
    with pytest.raises(ValueError) as caught:
        TrainingConfig(**{name: value})
    return str(caught.value)


def test_every_setting_but_the_choices_has_a_rule():
    choices = {"architecture", "binary", "document", "ngram_range", "predict_ngrams"}
    assert {*RULES, *choices} == set(asdict(TrainingConfig()))


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("value", [-1, True, False, "3", float("nan"), float("inf"), [1], 1j])
def test_no_setting_takes_what_is_no_number_or_out_of_all_bounds(name, value):
    assert refusal(name, value) == f"{name}={value!r} does not fit; it must be {RULES[name]}"


@pytest.mark.parametrize("name", sorted(RULES.keys() - {"max_final_vocab", "max_ngrams"}))
def test_none_is_no_number(name):
    assert refusal(name, None) == f"{name}=None does not fit; it must be {RULES[name]}"


@pytest.mark.parametrize("name", sorted(set(WHOLE_NUMBERS) - {"seed"}))
@pytest.mark.parametrize("value", [0, 2.0, 1.5, np.float64(3)])
def test_whole_numbers(name, value):
    assert refusal(name, value) == f"{name}={value!r} does not fit; it must be {RULES[name]}"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("shared_targets", 9),
        ("seed", 2**64),
        ("document_only", 1.01),
        ("ns_exponent", 1.01),
        ("sample", 1.01),
        ("frequency_damping", 1.01),
        ("keep", 0),
        ("keep", 0.00009),
        ("keep", 1.01),
        ("alpha", 0),
        ("alpha", 10.1),
    ],
)
def test_limits(name, value):
    assert refusal(name, value) == f"{name}={value!r} does not fit; it must be {RULES[name]}"


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("shared_targets", 1, 8),
        ("seed", 0, 2**64 - 1),
        ("vector_size", 1, 10_000),
        ("document_only", 0, 1),
        ("ns_exponent", 0, 1),
        ("sample", 0, 1),
        ("frequency_damping", 0, 1),
        ("keep", 1e-4, 1),
        ("alpha", 1e-9, 10),
    ],
)
def test_the_limits_themselves_are_allowed(name, low, high):
    for value in (low, high):
        assert getattr(TrainingConfig(**{name: value}), name) == value


@pytest.mark.parametrize("value", ["CBOW", "cbow ", "", None, 0, ["cbow"]])
def test_architecture(value):
    assert refusal("architecture", value) == f"architecture={value!r} is not known; use 'cbow' or 'skipgram'"


@pytest.mark.parametrize("value", [None, 0, 1, "True", np.True_])
@pytest.mark.parametrize("name", ["binary", "predict_ngrams"])
def test_truth_values(name, value):
    assert refusal(name, value) == f"{name}={value!r} does not fit; it must be True or False"


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint64])
def test_numpy_integers_are_whole_numbers(kind):
    config = TrainingConfig(**dict.fromkeys(WHOLE_NUMBERS, kind(2)))
    assert all(getattr(config, name) == 2 for name in WHOLE_NUMBERS)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, int, np.int64])
def test_numpy_floats_and_integers_are_numbers(kind):
    config = TrainingConfig(**dict.fromkeys(NUMBERS, kind(1)))
    assert all(getattr(config, name) == 1 for name in NUMBERS)


@pytest.mark.parametrize("name", RULES)
def test_numpy_truth_values_are_no_numbers(name):
    assert f"{name}={np.True_!r} does not fit" in refusal(name, np.True_)


def test_max_vocab_may_be_absent():
    assert TrainingConfig(max_final_vocab=None).max_final_vocab is None


def test_it_is_frozen_and_takes_names_only():
    with pytest.raises(FrozenInstanceError):
        TrainingConfig().window = 3
    with pytest.raises(TypeError):
        TrainingConfig(100)


@pytest.mark.parametrize("ngram_range", [(1, 1), [1, 1], None])
def test_what_suits_words_stands_for_none(ngram_range):
    settings = {"alpha": None, "frequency_damping": None, "max_final_vocab": None}
    asked = settings if ngram_range is None else {**settings, "ngram_range": ngram_range}
    assert resolve_defaults(asked) == {**asked, **WORD_DEFAULTS}


@pytest.mark.parametrize("ngram_range", [(1, 2), [1, 3]])
def test_what_suits_ngrams_stands_for_none_but_for_nothing_else(ngram_range):
    settings = {"alpha": None, "frequency_damping": 0.0, "ngram_range": ngram_range}
    assert resolve_defaults(settings) == {**settings, "alpha": NGRAM_DEFAULTS["alpha"]}


@pytest.mark.parametrize("ngram_range", [2, "12", (1,), np.array([1, 2])])
def test_a_bad_ngram_range_is_refused_by_the_config_as_ever(ngram_range):
    with pytest.raises(ValueError, match="ngram_range="):
        TrainingConfig(**resolve_defaults({"alpha": 0.1, "ngram_range": ngram_range}))
