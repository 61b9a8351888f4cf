"""Counters of the service in the text format of Prometheus.

Every worker process counts in its own row of one table, which all of them map, so that any of them can tell the sums.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from doc2vecc.service.failures import STATUSES

BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)  # seconds
ABORTED = 499  # the client was gone before the answer; a status that is counted and never sent

_COUNTED = (*STATUSES, ABORTED)
_STATUS_COLUMN = {status: column for column, status in enumerate(_COUNTED)}
_SECONDS = len(_COUNTED) + len(BUCKETS) + 1
_PER_ENDPOINT = _SECONDS + 1
_GLOBALS = ("documents", "in_flight", "reloads", "failed_reloads")


class Metrics:
    """What one worker counts."""

    def __init__(
        self, endpoints: Sequence[str], *, file: Path | None = None, workers: int = 1, worker: int = 0
    ) -> None:
        self._endpoints = endpoints
        self._places = {name: number * _PER_ENDPOINT for number, name in enumerate(endpoints)}
        self._globals = len(endpoints) * _PER_ENDPOINT
        shape = (workers, n_counters(len(endpoints)))
        self._table: npt.NDArray[np.float64] = (
            np.zeros(shape) if file is None else np.memmap(file, np.float64, "r+", shape=shape)
        )
        self._own = self._table[worker]
        self._own[self._globals + _GLOBALS.index("in_flight")] = 0  # of a worker that was killed

    def add(self, name: str, number: float = 1) -> None:
        """Add to one of the counters that have no endpoint."""
        self._own[self._globals + _GLOBALS.index(name)] += number

    def finish(self, endpoint: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        place = self._places[endpoint]
        self._own[place + _STATUS_COLUMN[status]] += 1
        bucket = sum([seconds > one for one in BUCKETS])
        self._own[place + len(_COUNTED) + bucket] += 1
        self._own[place + _SECONDS] += seconds

    def text(self) -> str:
        """Return all counters, summed over the workers."""
        return "\n".join(self._lines(self._table.sum(axis=0).tolist())) + "\n"

    def _lines(self, sums: list[float]) -> Iterator[str]:
        yield from _heading("doc2vecc_requests_total", "counter", "Requests answered.")
        for endpoint, status, count in self._counts(sums):
            yield f'doc2vecc_requests_total{{endpoint="{endpoint}",status="{status}"}} {count:g}'
        yield from _heading("doc2vecc_errors_total", "counter", "Requests refused or failed.")
        for endpoint, status, count in self._counts(sums):
            if status >= 400:
                yield f'doc2vecc_errors_total{{endpoint="{endpoint}",status="{status}"}} {count:g}'
        yield from _heading(
            "doc2vecc_request_seconds", "histogram", "Seconds from the head of a request to its answer."
        )
        for endpoint, place in self._places.items():
            counts = sums[place + len(_COUNTED) : place + _SECONDS]
            if sum(counts):
                so_far = 0.0
                for limit, count in zip((*BUCKETS, "+Inf"), counts, strict=True):
                    so_far += count
                    yield f'doc2vecc_request_seconds_bucket{{endpoint="{endpoint}",le="{limit}"}} {so_far:g}'
                yield f'doc2vecc_request_seconds_sum{{endpoint="{endpoint}"}} {sums[place + _SECONDS]:g}'
                yield f'doc2vecc_request_seconds_count{{endpoint="{endpoint}"}} {so_far:g}'
        documents, in_flight, reloads, failed = sums[self._globals :]
        yield from _heading("doc2vecc_documents_total", "counter", "Documents embedded.")
        yield f"doc2vecc_documents_total {documents:.0f}"
        yield from _heading("doc2vecc_requests_in_flight", "gauge", "Requests that are being answered.")
        yield f"doc2vecc_requests_in_flight {in_flight:g}"
        yield from _heading("doc2vecc_reloads_total", "counter", "Models and index loaded again.")
        yield f'doc2vecc_reloads_total{{result="done"}} {reloads:g}'
        yield f'doc2vecc_reloads_total{{result="failed"}} {failed:g}'

    def _counts(self, sums: list[float]) -> Iterator[tuple[str, int, float]]:
        for endpoint, place in self._places.items():
            for status, column in _STATUS_COLUMN.items():
                if sums[place + column]:
                    yield endpoint, status, sums[place + column]


def n_counters(endpoints: int) -> int:
    """Return how many numbers one worker has."""
    return endpoints * _PER_ENDPOINT + len(_GLOBALS)


def make_table(file: Path, endpoints: int, workers: int) -> None:
    """Write the file that the workers of one service map."""
    file.write_bytes(bytes(8 * workers * n_counters(endpoints)))


def _heading(name: str, kind: str, text: str) -> list[str]:
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]
