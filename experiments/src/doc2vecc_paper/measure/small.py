"""Small corpora, which most users have: classification, few labels, nearest neighbors, search; tf-idf and LSA beside.

Settings are chosen on the training splits (half of the labels, every other query); ``final`` reads the other half: the
test splits and the other queries.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize

from doc2vecc import Doc2VecC, ParameterError
from doc2vecc.evaluation import linear_probe
from doc2vecc_paper.classification import noting_warnings
from doc2vecc_paper.datasets.places import read_columns, text_column
from doc2vecc_paper.measure.lines import parse_settings

SETS = (
    "cisi",
    "ohsumed",
    "tweets",
    "headlines",
    "imdb-500",
    "imdb-2000",
    "imdb-10000",
    "wikipedia-500",
    "wikipedia-2000",
    "wikipedia-10000",
)
NEIGHBORS, QUERIES, DRAWS = 10, 2_000, 10
FOLDS = 3  # of the cross-validation that chooses C
Embed = Callable[[list[str]], Any]  # texts -> a matrix, dense or sparse


class Task(NamedTuple):
    """Texts to learn from, and what to evaluate on: labels of some of the texts, or queries with relevant texts."""

    texts: list[str]
    labels: npt.NDArray[np.str_]
    train: npt.NDArray[np.int64]
    test: npt.NDArray[np.int64]
    queries: list[str]
    relevant: list[set[int]]
    few: tuple[int, ...] = (5, 20)  # labeled documents of each class


def measure(
    lines: list[str], names: list[str], folder: Path, seeds: int, workers: int, *, final: bool, unseen: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield one result per set and line: settings of Doc2VecC, or one of "tf-idf", "tf-idf bigrams", "LSA 100".

    "tf-idf characters 3" and "LSA 100 characters 3" count runs of up to three characters instead of words. With
    ``unseen`` nothing is learned from the texts that are evaluated.
    """
    for name in names:
        task = load(name, folder, final=final)
        learn_from = [task.texts[row] for row in task.train] if unseen and not task.queries else task.texts
        for line in lines:
            found = []
            for seed in range(1 if line.startswith("tf-idf") else seeds):
                with noting_warnings():
                    started = time.perf_counter()
                    embed = learned(line, learn_from, seed, workers)
                    seconds = time.perf_counter() - started
                    found.append({**evaluate(task, embed), "seconds": seconds})
            means = {key: round(float(np.mean([one[key] for one in found])), 4) for key in found[0]}
            spreads = {key: round(float(np.std([one[key] for one in found])), 4) for key in found[0]}
            yield {
                "set": name,
                "line": line,
                "final": final,
                "unseen": unseen,
                "seeds": len(found),
                **means,
                "spread": spreads,
            }


def learned(line: str, texts: list[str], seed: int, workers: int) -> Embed:
    """Learn from the texts -> a function that embeds texts."""
    if line.startswith(("tf-idf", "LSA")):
        size = (1, 2) if line.endswith("bigrams") else (1, 1)
        if "characters" in line:
            size = (1, int(line.split()[-1]))
        steps = [TfidfVectorizer(min_df=2, ngram_range=size, analyzer="char" if "characters" in line else "word")]
        steps += [TruncatedSVD(int(line.split()[1]), random_state=seed)] if line.startswith("LSA") else []
        embed: Embed = make_pipeline(*steps).fit(texts).transform
        return embed
    model = Doc2VecC(**parse_settings(line), random_state=seed, workers=workers).fit(texts)
    return model.transform


def load(name: str, folder: Path, *, final: bool) -> Task:
    """Read a set: "ohsumed", or a sample such as "imdb-500"."""
    if name not in SETS:
        raise ParameterError(f"the set {name!r} is unknown; choose from {', '.join(SETS)}")
    if name == "cisi":
        return _cisi(folder / "small" / "cisi", final=final)
    kind, _, size = name.partition("-")
    files = {"imdb": "imdb", "wikipedia": "wikipedia100", "headlines": "small/chinese_headlines"}
    file = files.get(kind, f"small/{kind}")
    few = (10, 50) if kind == "headlines" else (5, 20)  # of ten classes: 100 and 500 labels
    path = folder / f"{file}.parquet"
    table = read_columns(path, ["text", "split", "label"])
    texts = text_column(table, path).to_pylist()
    split, labels = np.array(table["split"].to_pylist()), np.array(table["label"].to_pylist()).astype(str)
    random = np.random.default_rng(0)
    if size:  # a sample of the documents of one split, filled up with unlabeled ones
        rows = random.permutation(np.flatnonzero(split == ("test" if final else "train")))[: int(size)]
        others = random.permutation(np.flatnonzero(split == "unlabeled"))[: int(size) - len(rows)]
        labels = np.concatenate([labels[rows], np.full(len(others), "")])
        texts = [texts[row] for row in (*rows, *others)]
    elif final:
        return Task(texts, labels, np.flatnonzero(split == "train"), np.flatnonzero(split == "test"), [], [], few)
    else:
        labels = np.where(split == "train", labels, "")
    labeled = random.permutation(np.flatnonzero(labels != ""))
    half = len(labeled) // 2
    return Task(texts, labels, np.sort(labeled[:half]), np.sort(labeled[half:]), [], [], few)


def _cisi(folder: Path, *, final: bool) -> Task:
    documents = [json.loads(line) for line in (folder / "documents.jsonl").read_text("utf-8").splitlines()]
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    place = {str(document["id"]): number for number, document in enumerate(documents)}
    relevant: dict[str, set[int]] = {}
    for line in (folder / "relevance.tsv").read_text("utf-8").splitlines():
        query, document = line.split("\t")[:2]
        if document in place:  # not the heading
            relevant.setdefault(query, set()).add(place[document])
    chosen = [query for query in queries if str(query["id"]) in relevant][1 if final else 0 :: 2]
    empty = np.empty(0, np.int64)
    return Task(
        [f"{document['title']} {document['text']}" for document in documents],
        np.empty(0, "U1"),
        empty,
        empty,
        [query["text"] for query in chosen],
        [relevant[str(query["id"])] for query in chosen],
    )


def evaluate(task: Task, embed: Embed) -> dict[str, float]:
    """Return the values of a task: mean average precision and nDCG@10, or error, share of neighbors, few labels."""
    vectors = embed(task.texts)
    if task.queries:
        return search_scores(normalize(vectors), normalize(embed(task.queries)), task.relevant)
    labels, train, test = task.labels, task.train, task.test
    result = linear_probe(vectors[train], labels[train], vectors[test], labels[test], folds=FOLDS)
    unit = normalize(vectors)
    scores = {"error": 100 * result.error, "same of 10 nearest": same_label(unit, labels, np.r_[train, test])}
    for count in task.few:
        if np.unique(labels[train], return_counts=True)[1].min() >= count or count == task.few[0]:
            scores[f"accuracy, {count} labels"] = 100 * few_labels(unit, task, count)
    return scores


def search_scores(documents: Any, queries: Any, relevant: list[set[int]]) -> dict[str, float]:  # noqa: ANN401
    """Return mean average precision and nDCG@10 of ranking the documents by cosine for every query."""
    precisions, gains = [], []
    scores = queries @ documents.T
    for row, wanted in zip(scores.toarray() if hasattr(scores, "toarray") else scores, relevant, strict=True):
        hits = np.isin(np.argsort(-row, kind="stable"), list(wanted))
        precisions.append(np.sum(np.cumsum(hits)[hits] / (np.flatnonzero(hits) + 1)) / len(wanted))
        discounts = 1 / np.log2(np.arange(2, 12))
        gains.append(np.sum(discounts[: len(hits)][hits[:10]]) / discounts[: len(wanted)].sum())
    return {"MAP": float(np.mean(precisions)), "nDCG@10": float(np.mean(gains))}


def same_label(unit: Any, labels: npt.NDArray[np.str_], rows: npt.NDArray[np.int64]) -> float:  # noqa: ANN401
    """Return the share of the 10 nearest labeled documents that have the same label, for up to 2,000 documents."""
    chosen = np.random.default_rng(1).permutation(len(rows))[:QUERIES]
    scores = unit[rows[chosen]] @ unit[rows].T
    scores = scores.toarray() if hasattr(scores, "toarray") else scores
    scores[np.arange(len(chosen)), chosen] = -np.inf
    found = np.argpartition(-scores, NEIGHBORS, axis=1)[:, :NEIGHBORS]
    return float(np.mean(labels[rows][found] == labels[rows][chosen][:, None]))


def few_labels(unit: Any, task: Task, count: int) -> float:  # noqa: ANN401
    """Return the mean accuracy of logistic regressions on so many labeled documents of each class, ten draws."""
    accuracies = []
    for draw in range(DRAWS):
        random = np.random.default_rng(draw)
        of_class = [task.train[task.labels[task.train] == name] for name in np.unique(task.labels[task.train])]
        rows = np.concatenate([random.permutation(some)[:count] for some in of_class])
        classifier = LogisticRegression(C=10, max_iter=500).fit(unit[rows], task.labels[rows])
        accuracies.append(np.mean(classifier.predict(unit[task.test]) == task.labels[task.test]))
    return float(np.mean(accuracies))
