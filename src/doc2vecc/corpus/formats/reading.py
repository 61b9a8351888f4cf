"""What every reader is given and gives back, and how it tells of bad data."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from doc2vecc.errors import InputError

LONGEST_REASON = 300  # characters of an error of Arrow's, some of which quote the data


@dataclass
class ReadReport:
    """What happened to the documents; filled while they are read, complete when the last batch is out."""

    documents: int = 0
    undecodable: int = 0  # invalid byte sequences, replaced by U+FFFD; the count of bytes.decode(errors="replace")
    skipped_lines: int = 0  # jsonl lines that are no object with a text; csv rows with a wrong number of cells
    missing: int = 0  # null, NaN or absent texts, read as empty documents so that the rows stay aligned
    ignored_files: int = 0  # files of a folder that are not of the kind that is read
    late_columns: list[str] = field(default_factory=list)  # jsonl keys that appear only after the first batch

    def messages(self) -> list[str]:
        """Return one sentence for each trouble, e.g. ["2 malformed lines were skipped"]."""
        counted = [
            (
                self.undecodable,
                "undecodable byte sequence was replaced by U+FFFD",
                "undecodable byte sequences were replaced by U+FFFD",
            ),
            (
                self.skipped_lines,
                "malformed line was skipped",
                "malformed lines were skipped",
            ),
            (
                self.missing,
                "missing text was read as an empty document",
                "missing texts were read as empty documents",
            ),
            (
                self.ignored_files,
                "file of another kind was left out of the folder",
                "files of another kind were left out of the folder",
            ),
        ]
        said = [f"{count:,} {one if count == 1 else many}" for count, one, many in counted if count]
        if self.late_columns:
            said.append(f"columns that appear only late in the input were left out: {', '.join(self.late_columns)}")
        return said


@dataclass
class Reading:
    """What every reader needs to know: how to call the input in messages, and what to do about bad data."""

    name: str
    strict: bool
    report: ReadReport

    def undecodable(self, count: int, where: str) -> None:
        """Count `count` invalid sequences, or stop if strict; `where` is e.g. "byte 17"."""
        if self.strict:
            raise InputError(
                f"{self.name}: {where} is not valid UTF-8; convert it to UTF-8, or read it without strict "
                "to have it replaced by U+FFFD and counted"
            )
        self.report.undecodable += count

    def skip(self, where: str, why: str) -> None:
        """Count one line that cannot be read, or stop if strict; `where` is e.g. "line 17"."""
        if self.strict:
            raise InputError(f"{self.name}, {where}: {why}; repair it, or read it without strict to skip it")
        self.report.skipped_lines += 1


@dataclass
class InputFile(Reading):
    """One file, or a folder of txt files, on its way to become batches."""

    path: Path | None  # None is standard input
    kind: str
    compression: str | None = None
    size: int = 0
    position: int = 0  # how many of the `size` bytes have been read, for a progress bar
    members: tuple["InputFile", ...] = ()  # the txt files of a folder


class OpenTable(NamedTuple):
    """The columns of an opened input, and a way to read them once."""

    names: list[str]
    text_names: list[str]  # the columns that hold text
    batches: Callable[[str, bool], Iterator[pa.RecordBatch]]  # (text column, keep the other columns) -> batches
    text_on_demand: Sequence[str] = ()  # when the user says so: every csv column, jsonl keys with any string
    is_nameless: bool = False  # txt, arrays: the texts have no name of their own and take the one that is asked for


@contextmanager
def input_errors(name: str) -> Iterator[None]:
    """Turn what Arrow and the system raise for bad data into an `InputError` of one line with the name."""
    try:
        yield
    except (pa.ArrowException, OSError, EOFError, UnicodeError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        line = " ".join(reason.split())
        if len(line) > LONGEST_REASON:
            line = line[:LONGEST_REASON] + "..."
        raise InputError(f"cannot read {name}: {line}") from error
