"""Settings for a corpus of one's own: tried by successive halving, and what measurements advise.

Documents are the resource: many settings are tried on few documents, and the best third of them on three times as many,
up to all. Each trial learns from 70 % of its documents and is scored on the others, by :meth:`Doc2VecC.score` or, with
labels, by the accuracy of a linear probe; documents without a label are learned from, too. The defaults are always
among the settings.
"""

import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.experimental import enable_halving_search_cv as enable_halving_search_cv
from sklearn.model_selection import HalvingGridSearchCV

from doc2vecc.config import in_effect, require, resolve_defaults
from doc2vecc.errors import CorpusWarning, DivergenceError, EmptyVocabularyError
from doc2vecc.estimator import Doc2VecC
from doc2vecc.evaluation import linear_probe, split_labeled
from doc2vecc.parameters import TrainingParameters, parameters_of

DEFAULTS = {one.name: one.default for one in parameters_of(TrainingParameters)}
SPACE: Mapping[str, tuple[Any, ...]] = {
    "vector_size": (100, 300, 500),
    "ngram_range": ((1, 2),),
    "epochs": ("auto", 10, 30, 100),
    "min_count": (2, 5, 10),
    "binary": (False, True),
    "init": ("spectral", "random"),
    "alpha": (0.05, 0.1, 0.25),
    "frequency_damping": (0.0, 0.2, 0.4),
    "idf_exponent": (0.0, 0.5, 1.0),
}
NEED_LABELS = (
    "ngram_range",
    "binary",
    "alpha",
    "frequency_damping",
    "idf_exponent",
)  # measured: the score without labels misjudges them
MAX_DRAWS = 1_000  # in a row without new settings
MAX_CHANGED = 3  # settings beside the defaults: good defaults are not far from the best

KEPT = 3  # one in three settings goes on, with three times the documents
FEWEST_DOCUMENTS = 500  # of a trial; fewer do not tell settings apart
TEST_SHARE = 0.3

Labels = npt.NDArray[Any]


class Tried(NamedTuple):
    """One trial: what differs from the defaults, the documents of its round, its score (NaN: failed) and its time."""

    settings: dict[str, Any]
    documents: int
    score: float
    seconds: float


class Round(NamedTuple):
    """So many settings are tried on so many documents."""

    settings: int
    documents: int


class _TimeIsUp(Exception):  # noqa: N818 - no error
    """Ends the search."""


class Trial(Doc2VecC):
    """Doc2VecC that is scored by a linear probe if there are labels; a training that fails has the score NaN."""

    unlabeled: Sequence[str] = ()  # texts to learn from beside those with labels
    unlabeled_per_text = 0.0

    def fit(self, X: list[str], y: Labels | None = None) -> Self:  # type: ignore[override]  # noqa: N803
        """Learn from texts, and in proportion from those without a label; keep what a probe learns from."""
        started = time.perf_counter()
        self.failure_: Exception | None = None
        try:
            super().fit([*X, *self.unlabeled[: round(len(X) * self.unlabeled_per_text)]])
            self.vectors_, self.labels_ = self.transform(X), y
        except (DivergenceError, EmptyVocabularyError) as error:
            self.failure_ = error
        self.seconds_ = time.perf_counter() - started
        return self

    def score(self, X: list[str], y: Labels | None = None) -> float:  # noqa: N803
        """Return the accuracy on the labels, or without them how well halves find each other."""
        if self.failure_ is not None:
            return math.nan
        if y is None or self.labels_ is None:
            return super().score(X)
        return 1 - linear_probe(self.vectors_, self.labels_, self.transform(X), y).error


def candidates(trials: int, seed: int, *, has_labels: bool, tokens: int, documents: int) -> list[dict[str, Any]]:
    """Draw different settings for texts of this size: the defaults first, then one to three changes of them.

    They are fewer than ``trials`` if there are no more, or if many draws in a row find none.

    >>> candidates(1, seed=0, has_labels=True, tokens=100_000, documents=1_000)
    [{}]
    """
    random = np.random.default_rng(seed)
    names = [name for name in SPACE if has_labels or name not in NEED_LABELS]
    others = {name: [value for value in SPACE[name] if value != DEFAULTS[name]] for name in names}
    found: list[dict[str, Any]] = [{}]
    seen = [in_effect(resolve_defaults(DEFAULTS), tokens, documents)]
    draws_without_new = 0
    while len(found) < trials and draws_without_new < MAX_DRAWS:
        changed = np.sort(random.permutation(len(names))[: random.integers(1, MAX_CHANGED + 1)])
        one = {name: others[name][random.integers(len(others[name]))] for name in (names[place] for place in changed)}
        if (meant := in_effect(resolve_defaults(DEFAULTS | one), tokens, documents)) not in seen:
            found.append(one)
            seen.append(meant)
            draws_without_new = 0
        else:
            draws_without_new += 1
    return found


def rounds(settings: int, documents: int) -> list[Round]:
    """Plan the search: as many rounds as leave one setting in three and a first round of 500 documents.

    >>> rounds(16, 20_000)
    [Round(settings=16, documents=2222), Round(settings=6, documents=6666), Round(settings=2, documents=19998)]
    >>> rounds(16, 1_000)
    [Round(settings=16, documents=1000)]
    """
    halvings = 0
    while KEPT ** (halvings + 1) <= min(settings, documents // FEWEST_DOCUMENTS):
        halvings += 1
    fewest = documents // KEPT**halvings
    return [Round(math.ceil(settings / KEPT**number), fewest * KEPT**number) for number in range(halvings + 1)]


def search(
    texts: list[str],
    labels: Labels | None,
    settings: list[dict[str, Any]],
    *,
    fixed: Mapping[str, Any],
    unlabeled: Sequence[str] = (),
    max_seconds: float = math.inf,
    on_trial: Callable[[Tried], None] = lambda _: None,
) -> list[Tried]:
    """Try settings on texts -> all trials, in order; ``on_trial`` is called after each.

    ``fixed`` are parameters that all trials have; its ``random_state`` also splits the texts. All trials learn from
    ``unlabeled`` texts, too.
    After ``max_seconds`` no further trial starts.
    """
    require("max_seconds", max_seconds, low=0)
    seed = int(fixed.get("random_state", 0))
    plan = rounds(len(settings), len(texts))
    sizes: Iterator[int] = (one.documents for one in plan for _ in range(one.settings))
    tried: list[Tried] = []
    failures: list[Exception] = []
    started = time.perf_counter()

    def score(trial: Trial, X: list[str], y: Labels | None = None) -> float:  # noqa: N803
        value = trial.score(X, y)
        changed = {name: getattr(trial, name) for name in SPACE if getattr(trial, name) != DEFAULTS[name]}
        tried.append(Tried(changed, next(sizes), value, trial.seconds_))
        failures.extend([trial.failure_] if trial.failure_ is not None else [])
        on_trial(tried[-1])
        if time.perf_counter() - started > max_seconds:
            raise _TimeIsUp
        return value

    share = len(unlabeled) / max((1 - TEST_SHARE) * len(texts), 1)
    trial = type("Trial", (Trial,), {"unlabeled": unlabeled, "unlabeled_per_text": share})
    halving = HalvingGridSearchCV(
        trial(**fixed),
        [{name: [value] for name, value in one.items()} for one in settings],
        factor=KEPT,
        min_resources=plan[0].documents,
        cv=[split_labeled(np.zeros(len(texts)) if labels is None else labels, test_share=TEST_SHARE, seed=seed)],
        scoring=score,
        refit=False,
        return_train_score=False,
        error_score="raise",
        random_state=seed,
    )
    with warnings.catch_warnings(), suppress(_TimeIsUp):
        warnings.simplefilter("ignore", CorpusWarning)  # about some of the documents, in every trial
        warnings.filterwarnings("ignore", "One or more of the (test|train) scores are non-finite", UserWarning)
        halving.fit(texts, labels)
    if all(math.isnan(one.score) for one in tried):
        raise failures[0]
    return tried


def best(tried: list[Tried], plan: list[Round], *, chance: float = 0.0) -> Tried:
    """Return the best trial of the last round that is complete, or of the first round.

    Scores of different rounds cannot be compared: they are of other documents. The defaults are kept unless another
    trial of their round is better by more than ``chance``.
    """
    best_so_far = tried
    for planned in plan:
        scored = [one for one in tried if one.documents == planned.documents]
        if planned is plan[0] or len(scored) == planned.settings:
            best_so_far = [one for one in scored if not math.isnan(one.score)] or best_so_far
    defaults = [one for one in best_so_far if not one.settings]
    highest = max(best_so_far, key=lambda one: one.score)
    return defaults[0] if defaults and highest.score - defaults[0].score <= chance else highest
