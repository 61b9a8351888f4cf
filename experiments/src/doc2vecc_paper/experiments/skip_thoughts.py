"""Skip-thought Vectors, learned from the novels: relatedness of sentences, and sentiment of reviews.

novels  --two trainings, uni and bi, kept in the cache folder-->  combine: both vectors side by side

The paper's encoder was learned from a billion words in weeks; how long this one was trained is in its rows.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import platformdirs
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import Ridge

from doc2vecc.baselines import Word2Vec
from doc2vecc.evaluation import Pairs, correlation, relatedness
from doc2vecc_paper.cells import Cell, CellKey
from doc2vecc_paper.classification import WITHOUT_TEST, cells_of, classification_task
from doc2vecc_paper.datasets import LabeledTexts, SentencePairs, Texts, load_novels
from doc2vecc_paper.datasets.novels import PARQUET
from doc2vecc_paper.datasets.parses import ParsedPairs
from doc2vecc_paper.environment import is_installed, remedy
from doc2vecc_paper.experiment import Scope, Task
from doc2vecc_paper.experiments.sick_networks import rating
from doc2vecc_paper.methods import Method
from doc2vecc_paper.neural.skip_thought import DIRECTIONS, SkipThought
from doc2vecc_paper.neural.tokens import END
from doc2vecc_paper.published import SICK, Name
from doc2vecc_paper.tables import Row, duration, published_row

LEARN_FROM = "novels"
WAYS = {"uni": "uni-skip", "bi": "bi-skip", "combine": "combine-skip"}
SPLITS = ("train", "trial", "test")
UPDATES, QUICK_UPDATES = 7_000, 10
QUICK_PARAGRAPHS = 2_000
QUICK: Mapping[str, Any] = {"vector_size": 32, "embedding_size": 32, "max_words": 5_000, "negative": 100}
_SECONDS_OF_AN_UPDATE = 0.3
_INSTALL = f"needs torch: {remedy('neural')}"
_NO_NOVELS = f"needs {PARQUET} in the folder of the data"

Vectors = npt.NDArray[np.float32]


class CombinedSkipThought(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Both encoders of the novels as a transformer of other texts; ``fit`` expands the vocabulary by their words.

    The embeddings of new words come from Word2Vec vectors of these texts, as published.
    """

    def __init__(
        self,
        novels: Texts | None = None,
        vector_size: int = 256,
        embedding_size: int = 128,
        max_words: int = 20_000,
        batch_size: int = 128,
        negative: int = 500,
        updates: int = UPDATES,
        is_kept: bool = True,
        workers: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.novels = novels
        self.vector_size = vector_size
        self.embedding_size = embedding_size
        self.max_words = max_words
        self.batch_size = batch_size
        self.negative = negative
        self.updates = updates
        self.is_kept = is_kept
        self.workers = workers
        self.random_state = random_state

    def fit(self, X: Any, y: None = None) -> Self:  # noqa: ANN401, ARG002, N803
        """Learn the encoders from the novels, or read them; then learn the words of these texts."""
        words = Word2Vec(100, min_count=2, epochs=5, workers=self.workers, random_state=self.random_state).fit(X)
        return self.learn().expand(list(words.vocabulary_.words), words.word_vectors_)

    def learn(self, watch: Callable[[SkipThought], Mapping[str, float]] | None = None) -> Self:
        """Learn the encoders from the novels, or continue from what is kept."""
        if self.novels is None:
            raise ValueError("novels=None has no text to learn from; give the novels")
        own = {name: value for name, value in self.get_params().items() if name not in ("novels", "is_kept")}
        self.encoders_ = []
        for direction in DIRECTIONS:
            settings = {**own, "direction": direction}
            kept = _kept(settings, self.novels) if self.is_kept else None
            encoder = SkipThought(**settings, checkpoint=kept, report_every=max(1, min(self.updates // 10, 500)))
            self.encoders_.append(encoder.fit(self.novels.texts, watch=watch))
        self.vocabulary_ = self.encoders_[0].vocabulary_
        counts = self.vocabulary_.counts
        self.pretraining_ = {
            "pretraining_seconds": sum(encoder.history_[-1].seconds for encoder in self.encoders_),
            "pretraining_words": int(counts.sum() - counts[self.vocabulary_.ids[END]]),
        }
        return self

    def expand(self, words: list[str], vectors: npt.NDArray[Any]) -> Self:
        """Give other words embeddings, in both encoders."""
        for encoder in self.encoders_:
            encoder.expand(words, vectors)
        return self

    def transform(self, X: Any) -> Vectors:  # noqa: ANN401, N803
        """Return uni and bi side by side."""
        return np.concatenate([encoder.transform(X) for encoder in self.encoders_], axis=1)


def _kept(settings: Mapping[str, Any], novels: Texts) -> Path:
    """Return the file of an encoder; the number of updates is not in its name, so a longer training continues it."""
    free = ("updates", "workers")
    named = json.dumps([{key: settings[key] for key in sorted(settings) if key not in free}, novels.fingerprint])
    folder = os.environ.get("DOC2VECC_CACHE_DIR") or platformdirs.user_cache_path("doc2vecc")
    digest = blake2b(named.encode(), digest_size=8).hexdigest()
    return Path(folder) / "skip-thought" / f"{settings['direction']}-{digest}.pt"


def _method(novels: Texts, scope: Scope) -> Method:
    settings: dict[str, Any] = {"workers": 1, "updates": UPDATES}
    if scope.quick:
        settings |= {**QUICK, "updates": QUICK_UPDATES, "is_kept": False}
    return Method(Name.SKIP_THOUGHT, CombinedSkipThought, {**settings, "novels": novels})


@lru_cache(maxsize=1)
def _novels(folder: Path) -> Texts | None:
    return load_novels(folder) if (folder / PARQUET).is_file() else None


def _sampled(folder: Path, scope: Scope) -> Texts | None:
    novels = _novels(folder)
    return novels.subset(QUICK_PARAGRAPHS, seed=0) if novels is not None and scope.quick else novels


def why_not(folder: Path) -> str:
    """Say what is missing to learn from the novels; nothing if all is there."""
    return (_NO_NOVELS if _novels(folder) is None else "") or ("" if is_installed("torch") else _INSTALL)


# ---- sentiment


def sentiment_task(folder: Path, texts: LabeledTexts, scope: Scope) -> list[Task]:
    """Return the measurement of table 1, one seed; none without the novels."""
    novels = _sampled(folder, scope)
    if novels is None:
        return []
    method = _method(novels, scope)
    task = classification_task(method, texts, WITHOUT_TEST, scope.seeds[0], scope._replace(workers=1))
    return [with_novels(task, novels, method, folder)]


def with_novels(task: Task, novels: Texts, method: Method, folder: Path) -> Task:
    """Add the novels to the key of a task, and the time of learning from them to its estimate."""
    key = replace(task.key, data=(*task.key.data, novels.fingerprint))
    return replace(task, key=key, seconds=task.seconds + _seconds(method), missing=why_not(folder))


def _seconds(method: Method) -> float:
    share = 1.0 if method.settings.get("vector_size") is None else 0.1
    return 20 + share * len(DIRECTIONS) * float(method.settings["updates"]) * _SECONDS_OF_AN_UPDATE


def method_for(folder: Path, scope: Scope) -> tuple[Method, Texts] | None:
    """Return the method of `today` and the novels that it learns from; None without them."""
    novels = _sampled(folder, scope)
    return None if novels is None else (_method(novels, scope), novels)


# ---- relatedness


def relatedness_task(
    folder: Path, experiment: str, pairs: SentencePairs, glove: ParsedPairs | None, scope: Scope
) -> list[Task]:
    """Return the measurement of table 6, one seed; GloVe vectors, if they are there, expand the vocabulary."""
    novels = _sampled(folder, scope)
    if novels is None:
        return []
    method = _method(novels, scope)
    data = (novels.fingerprint, pairs.fingerprint, *([glove.fingerprint()] if glove else []))
    key = CellKey(experiment, method.name, {**method.all_settings(), "learn from": LEARN_FROM}, scope.seeds[0], data)
    return [Task(key, partial(_measure, method, pairs, glove, scope.seeds[0]), _seconds(method) + 60, why_not(folder))]


def _measure(method: Method, pairs: SentencePairs, glove: ParsedPairs | None, seed: int) -> Mapping[str, Any]:
    estimator = method.build(seed)
    estimator.learn(watch=partial(_trial_pearson, pairs))
    if glove is not None:
        lower = {word.lower(): row for row, word in enumerate(glove.words)}
        estimator.expand(list(lower), glove.vectors[list(lower.values())])
    clock = time.perf_counter()
    first, second = estimator.transform(pairs.first), estimator.transform(pairs.second)
    seconds = time.perf_counter() - clock
    size = estimator.vector_size
    columns = {"uni": slice(size), "bi": slice(size, None), "combine": slice(None)}
    splits = [pairs.split == split for split in SPLITS]
    ways = {}
    for way, some in columns.items():
        found = relatedness(*(Pairs(first[rows, some], second[rows, some], pairs.score[rows]) for rows in splits))
        ways[way] = {"Pearson": found.pearson, "Spearman": found.spearman, "MSE": found.mse, "c": found.c}
    return {
        "ways": ways,
        "pairs": {split: int(np.count_nonzero(pairs.split == split)) for split in SPLITS},
        **estimator.pretraining_,
        "generation_seconds": seconds,
        "curves": {one.direction: [list(point) for point in one.history_] for one in estimator.encoders_},
        "vocabulary": len(estimator.vocabulary_),
        "messages": [],
    }


def _trial_pearson(pairs: SentencePairs, encoder: SkipThought) -> dict[str, float]:
    """Return the correlation on the trial pairs, of a ridge regression on the training pairs: quick to compute."""
    features = {}
    for split in SPLITS[:2]:
        rows = pairs.split == split
        first, second = (encoder.transform(sentences.filter(rows)) for sentences in (pairs.first, pairs.second))
        features[split] = np.concatenate([np.abs(first - second), first * second], axis=1)
    regression = Ridge(1.0).fit(features["train"], pairs.score[pairs.split == "train"])
    predicted = regression.predict(features["trial"])
    return {"trial Pearson": correlation(predicted, pairs.score[pairs.split == "trial"])}


# ---- the report


def note(cells: Sequence[Cell]) -> str:
    """Say what the encoders were learned from and for how long."""
    for cell in cells_of(cells, Name.SKIP_THOUGHT):
        settings, result = cell.key.settings, cell.result
        sentences = settings["updates"] * settings["batch_size"]
        return (
            f"learned from {sentences:,} sentences for each direction, drawn from novels of "
            f"{result['pretraining_words'] / 1e6:.1f}M words (the paper: a billion), in "
            f"{duration(result['pretraining_seconds'])} of one core in all (the paper's: weeks); "
            f"{2 * settings['vector_size']} dimensions (the paper's: 4,800); one seed"
        )
    return "learned from the novels (the paper: a billion words of books)"


def rows(cells: Sequence[Cell]) -> list[Row]:
    """Return the rows of table 6: uni, bi and both side by side."""
    some = cells_of(cells, Name.SKIP_THOUGHT)
    return [
        published_row(SICK, name, [rating(some, way, column) for column in SICK.columns], note(cells))
        for way, name in WAYS.items()
    ]


def curve(cells: Iterable[Cell]) -> tuple[str, ...]:
    """Give the learning curve: trial correlation and loss after so many hours of one core."""
    notes = []
    for cell in cells_of(cells, Name.SKIP_THOUGHT):
        for direction, points in cell.result.get("curves", {}).items():
            said = ", ".join(
                f"{seconds / 3600:.2f} h {watched.get('trial Pearson', float('nan')):.3f} (loss {loss:.2f})"
                for _, seconds, loss, watched in points
            )
            notes.append(f"{WAYS[direction]}, Pearson on the trial pairs (ridge regression) by hours: {said}.")
    return tuple(notes)
