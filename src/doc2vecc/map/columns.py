"""Columns of the input become colors: numbers, dates, or categories from the most to the least frequent."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from doc2vecc.console import one_line, shortened
from doc2vecc.errors import InputError
from doc2vecc.map.documents import Documents

FEW_VALUES = 12  # whole numbers with so few values are categories, such as 0 and 1
MOST_CATEGORIES = 5_000  # more are no categories: an id, a title
LONGEST_CATEGORY = 60
LAST_DAY = 100_000_000  # from 1970 to either side: browsers know no other dates


class Categories(NamedTuple):
    """A column of categories: their names, the most frequent first, and that of each document, -1 if it has none."""

    name: str
    values: list[str]
    codes: npt.NDArray[np.int64]


class Numbers(NamedTuple):
    """A column of numbers, NaN where there is none; dates are days since 1970."""

    name: str
    values: npt.NDArray[np.float64]
    is_date: bool = False


ColorColumn = Categories | Numbers


def color_column(documents: Documents, name: str) -> ColorColumn:
    """Read a column as categories or numbers, by its type and how many values it has."""
    column = documents.column(name)
    kind = column.type
    unfit = InputError(f"the column {name!r} holds {kind}, which has no colors; name one of texts, numbers or dates")
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        raise unfit
    try:
        return _numbers(name, column) or _categories(name, pc.cast(column, pa.large_string()))
    except pa.ArrowException as error:
        raise unfit from error


def _numbers(name: str, column: pa.Array) -> Numbers | None:
    """Read numbers and dates; None is for what are categories."""
    kind = column.type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        days = days_since_1970(column)
        if np.any(np.abs(days) > LAST_DAY):
            raise InputError(f"a date in the column {name!r} is of no year that can be shown; name another column")
        return Numbers(name, days, is_date=True)
    is_whole = pa.types.is_integer(kind)
    is_number = is_whole or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if is_number and not (is_whole and len(column.unique()) <= FEW_VALUES):
        # Not safe: of whole numbers with more than 16 digits the last ones make no other color.
        return Numbers(name, pc.cast(column, pa.float64(), safe=False).to_numpy(zero_copy_only=False))
    return None


def _categories(name: str, texts: pa.Array) -> Categories:
    encoded = texts.dictionary_encode()
    if len(encoded.dictionary) > MOST_CATEGORIES:
        raise InputError(
            f"the column {name!r} has {len(encoded.dictionary):,} different values; a column of colors has at most "
            f"{MOST_CATEGORIES:,}. Use --show for what is only read"
        )
    codes = pc.fill_null(encoded.indices, -1).to_numpy().astype(np.int64)
    counts = np.bincount(codes[codes >= 0], minlength=len(encoded.dictionary))
    order = np.argsort(-counts, kind="stable")
    new = np.full(len(order) + 1, -1, np.int64)  # the last one is for those without a value
    new[order] = np.arange(len(order))
    values = [shortened(one_line(encoded.dictionary[place].as_py()), LONGEST_CATEGORY) for place in order.tolist()]
    return Categories(name, values, new[codes])


def days_since_1970(column: pa.Array) -> npt.NDArray[np.float64]:
    """Read dates and times as days, NaN where there is none."""
    moments = column.to_numpy(zero_copy_only=False)  # datetime64, in the unit of the column
    days = moments.astype("datetime64[D]")
    return np.asarray(days.astype(np.int64) + (moments - days) / np.timedelta64(1, "D"), np.float64)
