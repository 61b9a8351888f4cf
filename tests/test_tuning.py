"""The plan of a search, real searches with and without labels, and which trial is the best."""

import math
from itertools import pairwise

import numpy as np
import pytest

from doc2vecc import tuning
from doc2vecc.cli.tune import MOST_TRIALS
from doc2vecc.config import auto_vector_size, in_effect, resolve_defaults
from doc2vecc.errors import EmptyVocabularyError
from doc2vecc.tuning import DEFAULTS, MAX_CHANGED, NEED_LABELS, SPACE, Round, Tried, best, candidates, rounds, search
from tests.cli.commands import sentences

LABELS, TEXTS = zip(*sentences(120), strict=True)
SETTINGS = [{"epochs": 3}, {"epochs": 1, "init": "random"}, {"epochs": 3, "min_count": 100_000}]


@pytest.mark.parametrize("has_labels", [True, False])
@pytest.mark.parametrize("tokens", [100_000, 26_000_000])
def test_settings_are_different_near_the_defaults_and_the_same_for_a_seed(tokens, has_labels):
    size = {"tokens": tokens, "documents": 1_000}
    found, again, others = (candidates(MOST_TRIALS, seed, has_labels=has_labels, **size) for seed in (3, 3, 4))
    assert found == again != others
    assert found[0] == {}
    assert len({str(in_effect(resolve_defaults(DEFAULTS | one), **size)) for one in found}) == len(found)
    assert len(found) == MOST_TRIALS if has_labels else len(found) > 30
    assert {"vector_size": auto_vector_size(tokens)} not in found
    for one in found[1:]:
        assert 1 <= len(one) <= MAX_CHANGED
        assert all(value in SPACE[name] and value != DEFAULTS[name] for name, value in one.items())
    assert any(name in one for one in found for name in NEED_LABELS) == has_labels


@pytest.mark.parametrize(("settings", "documents"), [(1, 9_000), (2, 100_000), (9, 1_499), (9, 4_600), (30, 50_000)])
def test_every_round_has_three_times_the_documents_and_a_third_of_the_settings(settings, documents):
    plan = rounds(settings, documents)
    assert plan[0].settings == settings
    assert plan[-1].documents > 0.9 * documents
    for before, after in pairwise(plan):
        assert after.documents == 3 * before.documents
        assert after.settings == math.ceil(before.settings / 3)
    assert plan[0].documents >= 500 or len(plan) == 1


@pytest.mark.parametrize("labels", [None, np.array(LABELS)])
def test_a_search_tries_what_was_planned(labels, monkeypatch):
    monkeypatch.setattr(tuning, "FEWEST_DOCUMENTS", 40)
    seen = []
    tried = search(list(TEXTS), labels, SETTINGS, fixed={"workers": 1}, on_trial=seen.append)
    assert seen == tried
    assert [(one.settings, one.documents) for one in tried[:3]] == [(one, 40) for one in SETTINGS]
    assert math.isnan(tried[2].score)  # no word occurs so often
    assert tried[3].documents == 120
    highest = max(one.score for one in tried[:2])
    assert tried[3].settings in [one.settings for one in tried[:2] if one.score == highest]
    assert best(tried, rounds(3, 120)) == tried[3]
    if labels is not None:
        assert tried[3].score > 0.9  # an accuracy; the topics share few words


@pytest.mark.slow
def test_trials_learn_from_texts_without_a_label_too_in_proportion(monkeypatch):
    monkeypatch.setattr(tuning, "FEWEST_DOCUMENTS", 40)
    learned = []
    fit = tuning.Doc2VecC.fit

    def counting(self, texts, *rest):
        learned.append(texts)
        return fit(self, texts, *rest)

    monkeypatch.setattr(tuning.Doc2VecC, "fit", counting)
    others = [f"other text {number} {text}" for number, text in enumerate(TEXTS)]
    search(list(TEXTS), np.array(LABELS), SETTINGS[:2] * 2, fixed={"workers": 1}, unlabeled=others)
    n_labeled = [sum(text in TEXTS for text in texts) for texts in learned]
    n_others = [sum(text in others for text in texts) for texts in learned]
    assert n_labeled[0] < n_labeled[-1] == 84  # 70 % of 120
    assert n_others[0] == round(n_labeled[0] * 120 / 84)
    assert n_others[-1] == 120


def test_no_trial_starts_when_the_time_is_over():
    assert len(search(list(TEXTS), None, SETTINGS, fixed={"workers": 1}, max_seconds=0)) == 1


def test_a_search_in_which_all_fail_says_why():
    with pytest.raises(EmptyVocabularyError, match="lower min_count"):
        search(list(TEXTS), None, SETTINGS[2:], fixed={"workers": 1})


def test_the_best_is_of_the_last_complete_round():
    plan = [Round(4, 500), Round(2, 1500)]
    few = [Tried({"epochs": n}, 500, score, 1.0) for n, score in enumerate([0.1, 0.9, math.nan, 0.3])]
    more = [Tried({"epochs": 3}, 1500, 0.2, 1.0), Tried({"epochs": 1}, 1500, 0.1, 1.0)]
    assert best(few[:1], plan) == few[0]
    assert best(few + more[:1], plan) == few[1]
    assert best(few + more, plan) == more[0]


def test_the_defaults_are_kept_where_a_difference_may_be_chance():
    tried = [Tried({}, 500, 0.50, 1.0), Tried({"epochs": 3}, 500, 0.66, 1.0)]
    plan = [Round(2, 500)]
    assert best(tried, plan) == best(tried, plan, chance=0.1) == tried[1]
    assert best(tried, plan, chance=0.2) == tried[0]
    assert best(tried[1:], plan, chance=0.2) == tried[1]  # the defaults were not tried
