"""Topics: clusters of documents, each with its words, its typical documents, and its size over time."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits

from doc2vecc.config import require
from doc2vecc.console import notify_on_compile, progress_bar, warn
from doc2vecc.corpus.sources import Selection
from doc2vecc.errors import OutputError, ParameterError
from doc2vecc.estimator import Doc2VecC
from doc2vecc.files import atomic_write
from doc2vecc.map.documents import Documents, read_documents
from doc2vecc.map.layout import Report
from doc2vecc.map.naming import Groups, distinct_labels, name_groups
from doc2vecc.map.pages import write_page
from doc2vecc.map.periods import count_periods
from doc2vecc.model import Vectors
from doc2vecc.similarity import normalized

METHODS = ("kmeans", "hdbscan")
KINDS = (".html", ".json", ".csv", ".parquet")
WORDS, TYPICAL, TEXT_LENGTH = 10, 5, 300
DIRECTIONS = 50  # of the vectors that count: those along which documents differ most
LEAST_CLUSTER = 10  # documents, of HDBSCAN
COLUMNS = ("topic", "topic_label", "topic_similarity")


class Topic(NamedTuple):
    """A cluster: its number, the largest is 0, what names it, and rows of its most typical documents in the input."""

    number: int
    label: str
    size: int
    words: list[str]
    typical: list[tuple[int, str]]  # row in the input, beginning of the text
    periods: list[int]  # how many documents it has in each period


@dataclass(eq=False)
class Topics:
    """Documents in clusters: ``assigned[i]`` is the topic of ``documents.rows[i]``, -1 for none."""

    documents: Documents
    topics: list[Topic]
    assigned: Groups
    similarities: Vectors  # of every document to the center of its topic
    periods: list[str]  # "2019", "2020", ... if there is a date column

    @classmethod
    def build(
        cls,
        model: Doc2VecC,
        source: Any,  # noqa: ANN401
        *,
        n_topics: int | None = None,
        method: str = "kmeans",
        date_column: str | None = None,
        sample: int | None = None,
        seed: int = 0,
    ) -> Topics:
        """Find the topics of the documents of a source, as ``Doc2VecC.fit`` reads them.

        Without ``n_topics`` their number follows that of the documents.
        """
        batches = model._read(source, keep_columns=True, only=Selection(sample=sample, seed=seed))
        with notify_on_compile(), progress_bar(model.verbose, batches) as progress:
            documents = read_documents(model.model_, batches, workers=model._n_workers(), on_batch=progress.reading)
            options = {"n_topics": n_topics, "method": method, "date_column": date_column, "seed": seed}
            found = cls.of(documents, **options, report=progress.working)  # type: ignore[arg-type]
        warn(documents.notes)
        return found

    @classmethod
    def of(
        cls,
        documents: Documents,
        *,
        n_topics: int | None = None,
        method: str = "kmeans",
        date_column: str | None = None,
        seed: int = 0,
        report: Report | None = None,
    ) -> Topics:
        """Find the topics of documents that have been read."""
        dates = None if date_column is None else documents.column(date_column)
        if report is not None:
            report("clustering", 0.0)
        with threadpool_limits(documents.workers):
            assigned = cluster(documents.vectors, n_topics=n_topics, method=method, seed=seed)
        if report is not None:
            report("naming topics", 0.0)
        n_found = int(assigned.max(initial=-1)) + 1
        names, periods = name_groups(documents.words, assigned, WORDS), count_periods(dates, assigned, n_found)
        centers = np.array([documents.vectors[assigned == one].mean(axis=0) for one in range(n_found)], np.float32)
        similarities = np.zeros(len(documents), np.float32)
        topics = []
        for number, (words, label) in enumerate(zip(names, distinct_labels(names), strict=True)):
            members = np.flatnonzero(assigned == number)
            similarities[members] = documents.vectors[members] @ normalized(centers[[number]])[0]
            typical = members[np.argsort(-similarities[members], kind="stable")[:TYPICAL]]
            beginnings = documents.beginnings(TEXT_LENGTH, typical)
            rows = list(zip(documents.rows[typical].tolist(), beginnings, strict=True))
            topics.append(Topic(number, label, len(members), words, rows, periods.counts[number]))
        return cls(documents, topics, assigned, similarities, periods.names)

    def save(self, path: str | Path, *, title: str = "Topics") -> None:
        """Write .html (a page), .json or .csv (the topics), or .parquet (the documents and the topic of each)."""
        target = Path(path)
        check_choices(target)
        kind = target.suffix.lower()
        with atomic_write(target, seekable=True) as file:
            if kind == ".parquet":
                pa.parquet.write_table(self.table(), file)
            elif kind == ".html":
                file.write(write_page("topics", title, self.as_dict()))
            elif kind == ".json":
                file.write((json.dumps(self.as_dict(), ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace"))
            else:
                file.write(self._csv().encode("utf-8", "replace"))

    def table(self) -> pa.Table:
        """Return the documents with the number and label of their topic, and how typical they are."""
        table = self.documents.table
        if clash := sorted(set(COLUMNS).intersection(table.column_names)):
            raise OutputError(f"the input already has a column {clash[0]!r}, which the topics would write; rename it")
        labels = pc.take(pa.array([one.label for one in self.topics]), pa.array(self.assigned, mask=self.assigned < 0))
        for name, values in zip(COLUMNS, (pa.array(self.assigned), labels, pa.array(self.similarities)), strict=True):
            table = table.append_column(name, values)
        return table

    def as_dict(self) -> dict[str, Any]:
        """Return the topics as JSON holds them."""
        topics = [
            topic._asdict() | {"typical": [{"row": row, "text": text} for row, text in topic.typical]}
            for topic in self.topics
        ]
        outside = int(np.count_nonzero(self.assigned < 0))
        return {"documents": len(self.documents), "outside": outside, "periods": self.periods, "topics": topics}

    def _csv(self) -> str:
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(["topic", "label", "size", "words", "typical_rows", *self.periods])
        for one in self.topics:
            rows = " ".join(str(row) for row, _ in one.typical)
            writer.writerow([one.number, one.label, one.size, "; ".join(one.words), rows, *one.periods])
        return lines.getvalue()


def cluster(vectors: Vectors, *, n_topics: int | None = None, method: str = "kmeans", seed: int = 0) -> Groups:
    """Give every document the number of its cluster, the largest is 0; -1 for none.

    Vectors are whitened first: a few directions in which all documents vary, such as style, would decide otherwise.
    """
    n = len(vectors)
    check_choices(None, method, n_topics)
    wanted = usual_number(n) if n_topics is None else n_topics
    require("n_topics", wanted, whole=True, low=2, high=n)
    directions = PCA(min(DIRECTIONS, vectors.shape[1], n), whiten=True, random_state=seed)
    with np.errstate(divide="ignore", invalid="ignore"):  # equal documents do not vary at all
        white = normalized(np.nan_to_num(directions.fit_transform(vectors), posinf=0.0, neginf=0.0).astype(np.float32))
    if method == "hdbscan":
        found = HDBSCAN(min_cluster_size=min(LEAST_CLUSTER, max(2, n // 2)), copy=True).fit_predict(white)
    else:
        found = KMeans(wanted, n_init=1, random_state=seed).fit_predict(white)
    return _largest_first(found.astype(np.int64))


def usual_number(documents: int) -> int:
    """Return how many topics so many documents get: a quarter of the square root, from 5 to 100.

    >>> [usual_number(n) for n in (100, 10_000, 100_000)]
    [5, 25, 79]
    """
    return min(max(5, min(round(math.sqrt(documents) / 4), 100)), max(2, documents // 2))


def _largest_first(groups: Groups) -> Groups:
    sizes = np.bincount(groups[groups >= 0], minlength=1)
    sizes = sizes[: np.count_nonzero(sizes)] if not sizes.all() else sizes
    new: npt.NDArray[np.int64] = np.empty(len(sizes) + 1, np.int64)
    new[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    new[-1] = -1
    return new[groups]


def check_choices(target: Path | None, method: str = METHODS[0], n_topics: int | None = None) -> None:
    """Refuse what topics do not have, before any work is done."""
    if target is not None and target.suffix.lower() not in KINDS:
        raise OutputError(f"the extension of {str(target)!r} is none of {', '.join(KINDS)}; rename the output")
    if method not in METHODS:
        raise ParameterError(f"method={method!r} is not known; choose one of: {', '.join(METHODS)}")
    if n_topics is not None and method == "hdbscan":
        raise ParameterError("hdbscan finds the number of topics by itself; leave the number out, or choose kmeans")
