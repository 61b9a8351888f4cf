"""The data folder, reading columns from it, and the error when data are missing or damaged."""

from __future__ import annotations

import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

from doc2vecc import InputError

VARIABLE = "DOC2VECC_DATA"
LONGEST_REASON = 200  # characters of a library's error message, which may quote the data


class DataError(InputError):
    """Data of an experiment that are missing or not as published."""


def data_folder(given: str | os.PathLike[str] | None = None) -> Path:
    """Return the given folder, or else the one that DOC2VECC_DATA names."""
    named = given or os.environ.get(VARIABLE)
    if not named:
        raise DataError(f"no data folder is given; use --data DIR, or set {VARIABLE}")
    folder = Path(named)
    if not folder.is_dir():
        source = "--data" if given else VARIABLE
        raise DataError(f"the data folder {folder} does not exist or is a file; set {source} to a folder")
    return folder


def first_file(folder: Path, names: Sequence[str]) -> Path | None:
    """Return the first of these files that exists in the folder."""
    return next((folder / name for name in names if (folder / name).is_file()), None)


@contextmanager
def data_errors(name: object) -> Iterator[None]:
    """Turn a library's error about damaged data into a DataError that names the file."""
    try:
        yield
    except (
        pa.ArrowException,
        tarfile.TarError,
        zipfile.BadZipFile,
        zlib.error,
        OSError,
        EOFError,
        NotImplementedError,  # a zip file of an unknown method, or with a damaged byte for it
        UnicodeError,
    ) as error:
        reason = " ".join((getattr(error, "strerror", None) or str(error) or type(error).__name__).split())
        raise DataError(f"cannot read {name}: {reason[:LONGEST_REASON]}; download the file again") from error


def read_columns(path: Path, names: Sequence[str]) -> pa.Table:
    """Read some columns of a parquet file and validate all of their values."""
    with data_errors(path):
        require_columns(path, names)
        table = pa.parquet.read_table(path, columns=list(names))
        table.validate(full=True)
    return table


def require_columns(path: Path, names: Sequence[str]) -> None:
    """Raise a DataError unless the parquet file has these columns, and text in the column "text"."""
    schema = pa.parquet.read_schema(path)
    absent = [name for name in names if name not in schema.names]
    if absent:
        raise DataError(
            f"{path} lacks the columns {', '.join(absent)}; it has {', '.join(schema.names)}, "
            f"but must have {', '.join(names)}"
        )
    kind = schema.field("text").type
    value_type = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (pa.types.is_string(value_type) or pa.types.is_large_string(value_type)):
        raise DataError(f"the column text of {path} is {kind}; it must hold strings")


def text_column(table: pa.Table, path: Path) -> pa.LargeStringArray:
    """Return the column "text" as one array; a missing text is an error."""
    texts = table["text"].cast(pa.large_string()).combine_chunks()
    if texts.null_count:
        raise DataError(f"{texts.null_count:,} texts in {path} are missing; every row must have one")
    return texts
