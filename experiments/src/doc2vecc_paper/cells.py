"""Finished measurements, a file each, so that an interrupted run continues where it stopped.

    CellKey(experiment, method, settings, seed, data)  --get_or_run-->  Cell(key, result, seconds, started, ...)

The key of a cell is everything that decides its result. A cell that exists is read, not measured again.
"""

from __future__ import annotations

import json
import re
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from doc2vecc_paper.datasets.fingerprints import Fingerprint
from doc2vecc_paper.environment import machine, versions
from doc2vecc_paper.files import atomic_write

# The fields of a cell's file beside its key, and their types.
_FIELDS = {"result": dict, "seconds": int | float, "started": str, "versions": dict, "machine": dict}


@dataclass(frozen=True)
class CellKey:
    """What decides a result. ``settings`` is anything that JSON can hold; ``data`` is all data that were read."""

    experiment: str
    method: str
    settings: Mapping[str, Any]
    seed: int
    data: tuple[Fingerprint, ...]

    def canonical(self) -> str:
        """Return the key as one line of JSON, the same whatever the order of the settings.

        >>> CellKey("imdb", "BOW", {"b": 1, "a": [0.5]}, 0, ()).canonical()
        '{"data":[],"experiment":"imdb","method":"BOW","seed":0,"settings":{"a":[0.5],"b":1}}'
        """
        return _dumps(self.as_json(), "the key", sort_keys=True, separators=(",", ":"))

    def as_json(self) -> dict[str, Any]:
        """Return the key as in a cell's file; a fingerprint is an object with named fields."""
        return {
            "experiment": self.experiment,
            "method": self.method,
            "settings": dict(self.settings),
            "seed": self.seed,
            "data": [fingerprint._asdict() for fingerprint in self.data],
        }

    def file_name(self) -> str:
        """Return a readable and unique name: "imdb-word2vec-avg-<digest>.json"."""
        digest = blake2b(self.canonical().encode(), digest_size=8).hexdigest()
        words = re.findall(r"[a-z0-9]+", f"{self.experiment} {self.method}".lower())
        return "-".join([*words, digest]) + ".json"


@dataclass(frozen=True)
class Cell:
    """A finished measurement: its result, how long it took, and when and with what it was made."""

    key: CellKey
    result: Mapping[str, Any]
    seconds: float
    started: str
    versions: Mapping[str, str]
    machine: Mapping[str, str | int | float]

    def as_json(self) -> dict[str, Any]:
        """Return the content of the cell's file."""
        return {
            **self.key.as_json(),
            "result": dict(self.result),
            "seconds": self.seconds,
            "started": self.started,
            "versions": dict(self.versions),
            "machine": dict(self.machine),
        }


class CellStore:
    """A folder of finished cells. ``tell`` is called with a line for each file that cannot be used."""

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self.folder = folder
        self._tell = tell

    def get(self, key: CellKey) -> Cell | None:
        """Return a finished cell, or None if there is none; a damaged file is reported and counts as none."""
        path = self.folder / key.file_name()
        try:
            return _read(path.read_text("utf-8"), key)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            self._tell(f"the finished cell {path} cannot be used ({error}); it is measured again")
            return None

    def get_or_run(self, key: CellKey, function: Callable[[], Mapping[str, Any]]) -> Cell:
        """Return the finished cell, or run the function and store its result; a run that fails stores nothing."""
        finished = self.get(key)
        if finished is not None:
            return finished
        started, clock = datetime.now(UTC), time.perf_counter()
        result = function()
        seconds = time.perf_counter() - clock
        cell = Cell(key, result, round(seconds, 3), started.isoformat(timespec="seconds"), versions(), machine())
        text = _dumps(cell.as_json(), "the result", indent=2) + "\n"
        self.folder.mkdir(parents=True, exist_ok=True)
        with atomic_write(self.folder / key.file_name()) as file:
            file.write(text.encode())
        return _read(text, key)  # as a later run reads it, with lists in place of tuples


def _read(text: str, key: CellKey) -> Cell:
    """Read a cell's file and check that it is complete and has this key; otherwise raise a ValueError."""
    content = json.loads(text)
    if not isinstance(content, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004
    absent = [name for name, kind in _FIELDS.items() if not isinstance(content.get(name), kind)]
    if absent:
        raise ValueError(f"it lacks {', '.join(absent)}")
    wanted = json.loads(key.canonical())
    if {name: content.get(name) for name in wanted} != wanted:
        raise ValueError("it has another key")
    return Cell(key, *(content[name] for name in _FIELDS))


def _dumps(content: object, what: str, **style: Any) -> str:  # noqa: ANN401
    """Return strict JSON without NaN: a NaN in a result is a defect of the experiment."""
    try:
        return json.dumps(content, ensure_ascii=False, allow_nan=False, default=np.generic.item, **style)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{what} cannot be written as JSON ({error}): {content!r:.300}; "
            "use finite numbers, strings, lists and dicts"
        ) from error


class Summary(NamedTuple):
    """A value over several seeds; the spread is the sample standard deviation, None for a single seed."""

    mean: float
    spread: float | None
    n: int


def summarize(values: Iterable[float]) -> Summary | None:
    """Return mean and spread, or None if there are no values.

    >>> summarize([10.0, 11.0, 12.0])
    Summary(mean=11.0, spread=1.0, n=3)
    """
    numbers = [float(value) for value in values]
    if not numbers:
        return None
    spread = statistics.stdev(numbers) if len(numbers) > 1 else None
    return Summary(statistics.fmean(numbers), spread, len(numbers))
