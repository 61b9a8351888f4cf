"""Dates become periods: years, months or days, whichever gives a number of them that can be looked at."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from doc2vecc.errors import InputError
from doc2vecc.map.naming import Groups

MOST_PERIODS = 60
UNITS = ("D", "M", "Y")
FIRST_YEAR, LAST_YEAR = 1000, 3000

Days = npt.NDArray[np.datetime64]


class Periods(NamedTuple):
    """The names of consecutive periods, and for every group how many of its documents fall into each."""

    names: list[str]
    counts: list[list[int]]


def count_periods(dates: pa.Array | None, groups: Groups, n_groups: int) -> Periods:
    """Count the documents of every group in each period; documents without a date are left out."""
    if dates is None:
        return Periods([], [[] for _ in range(n_groups)])
    days = read_days(dates)
    known = ~np.isnat(days)
    if not known.any():
        raise InputError("no document has a date in the date column; name another column")
    for unit in UNITS:
        numbers = days[known].astype(f"datetime64[{unit}]").astype(np.int64)
        first, last = int(numbers.min()), int(numbers.max())
        if last - first < MOST_PERIODS or unit == UNITS[-1]:
            break
    step = -(-(last - first + 1) // MOST_PERIODS)  # centuries of years: several years are one period
    places = (numbers - first) // step
    n_periods = int(places.max()) + 1
    starts = first + step * np.arange(n_periods)
    names: list[str] = starts.astype(f"datetime64[{unit}]").astype(str).tolist()
    own = groups[known]
    table = np.zeros((n_groups, n_periods), np.int64)
    np.add.at(table, (own[own >= 0], places[own >= 0]), 1)
    return Periods(names, table.tolist())


def read_days(dates: pa.Array) -> Days:
    """Read dates, times, years, or texts such as "2024-05-31" and "2024-05-31T10:00:00Z", as days; NaT if missing."""
    kind = dates.type
    if pa.types.is_integer(kind):
        years = pc.fill_null(dates, 0).to_numpy(zero_copy_only=False).astype(np.int64)
        is_known = np.asarray(dates.is_valid())
        if np.any(is_known & ((years < FIRST_YEAR) | (years > LAST_YEAR))):
            raise InputError(
                f"a number in the date column is no year from {FIRST_YEAR} to {LAST_YEAR}; write dates as 2024-05-31"
            )
        days: Days = (years - 1970).astype("datetime64[Y]").astype("datetime64[D]")
        days[~is_known] = np.datetime64("NaT")
        return days
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _read_texts(dates)
    if not (pa.types.is_date(kind) or pa.types.is_timestamp(kind)):
        raise InputError(f"the date column holds {kind}, not dates; write them as 2024-05-31")
    found: Days = dates.to_numpy(zero_copy_only=False).astype("datetime64[D]")
    return found


def _read_texts(dates: pa.Array) -> Days:
    """Read the day of ISO 8601 texts; "2024" and "2024-05" are their first day."""
    texts = [(text or "").strip()[:10].rstrip("-T ") for text in dates.to_pylist()]
    try:
        return np.array([text or "NaT" for text in texts], "datetime64[D]")
    except ValueError as error:
        raise InputError(f"the date column holds no ISO date ({error}); write them as 2024-05-31") from error
