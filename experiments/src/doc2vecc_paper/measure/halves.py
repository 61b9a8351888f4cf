"""Whether ``score``, which needs no labels, ranks settings as labels and relevance do.

Vectors are learned from one half of a small corpus. All values are of the other half: the score, the accuracy of a
linear SVM and the share of neighbors with the same label, or the mean average precision of a search in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import spearmanr
from sklearn.preprocessing import normalize

from doc2vecc.evaluation import linear_probe, match_halves
from doc2vecc_paper.classification import noting_warnings
from doc2vecc_paper.measure import small

SETS = ("cisi", "ohsumed", "tweets", "imdb-2000", "wikipedia-2000")
SCORES = ("score", "score, learned from")  # of texts that were not learned from, and of those that were
Rows = npt.NDArray[np.int64]


def measure(lines: list[str], names: list[str], folder: Path, workers: int) -> Iterator[dict[str, Any]]:
    """Yield the values of each set and line, and after the lines of a set their rank correlations with the scores."""
    for name in names:
        task = small.load(name, folder, final=False)
        places = np.arange(len(task.texts))
        learned, unseen = (places[::2], places[1::2]) if task.queries else (task.train, task.test)
        results = []
        for line in lines:
            with noting_warnings():
                embed = small.learned(line, [task.texts[row] for row in learned], 0, workers)
                results.append(values(task, learned, unseen, embed))
            yield {"set": name, "line": line, **{key: round(value, 4) for key, value in results[-1].items()}}
        yield {"set": name, "lines": len(lines), "rank correlations": rank_correlations(results)}


def values(task: small.Task, learned: Rows, unseen: Rows, embed: small.Embed) -> dict[str, float]:
    """Return both scores, and what labels or relevance say about the unseen texts; more is better everywhere."""
    texts = [[task.texts[row] for row in rows] for rows in (unseen, learned)]
    found = {name: match_halves(some, embed).score for name, some in zip(SCORES, texts, strict=True)}
    vectors = embed(texts[0])
    if task.queries:
        place = {row: number for number, row in enumerate(unseen.tolist())}
        relevant = [{place[row] for row in rows if row in place} for rows in task.relevant]
        chosen = [number for number, rows in enumerate(relevant) if rows]
        queries = normalize(embed([task.queries[number] for number in chosen]))
        return found | small.search_scores(normalize(vectors), queries, [relevant[number] for number in chosen])
    labels = task.labels[unseen]
    probed = linear_probe(embed(texts[1]), task.labels[learned], vectors, labels)
    nearest = small.same_label(normalize(vectors), labels, np.arange(len(labels)))
    return found | {"accuracy": 1 - probed.error, "same of 10 nearest": nearest}


def rank_correlations(results: list[dict[str, float]]) -> dict[str, dict[str, float]]:
    """Return Spearman's rank correlation of each score with each other value, over the lines.

    >>> rank_correlations([{"score": 1, "score, learned from": 3, "MAP": 0.1}, {"score": 2, "score, learned from": 1,
    ...     "MAP": 0.2}])
    {'score': {'MAP': 1.0}, 'score, learned from': {'MAP': -1.0}}
    """
    columns = {name: [result[name] for result in results] for name in results[0]}
    others = [name for name in columns if name not in SCORES]
    return {
        score: {name: round(float(spearmanr(columns[score], columns[name]).statistic), 2) for name in others}
        for score in SCORES
    }
