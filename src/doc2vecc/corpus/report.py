"""How texts are read: what is done about bad data, and how it is counted."""

from dataclasses import dataclass, field, fields
from typing import NamedTuple

from doc2vecc.config import check_parameters
from doc2vecc.console import counted
from doc2vecc.errors import InputError

MALFORMED_SHARE = 0.01  # of the lines of a file: more are a wrong format, not a few bad lines


@dataclass(frozen=True)
class ReadingRules:
    """What the user decides about reading; each is described in `parameters.py`."""

    strict: bool = False
    skip_malformed: bool = False
    delimiter: str | None = None
    no_header: bool = False
    max_document_mb: int = 1000

    def __post_init__(self) -> None:
        check_parameters(self)


class Selection(NamedTuple):
    """Which documents are read: the first ``limit``, and of these ``sample``, drawn at random; None is all."""

    limit: int | None = None
    sample: int | None = None
    seed: int = 0


@dataclass
class ReadReport:
    """What happened to the documents; filled while they are read, complete after the last batch."""

    documents: int = 0
    sampled_from: int = 0  # how many there were, if only a sample of them is used
    undecodable: int = 0  # invalid byte sequences, replaced by U+FFFD; the count of bytes.decode(errors="replace")
    skipped_lines: int = 0  # jsonl lines that are no object with a text; csv rows with a wrong number of cells
    missing: int = 0  # null, NaN or absent texts, read as empty documents so that the rows stay aligned
    ignored_files: int = 0  # files of a folder that are not of the kind that is read
    late_columns: list[str] = field(default_factory=list)  # jsonl keys that appear only after the first batch

    def add(self, other: "ReadReport") -> None:
        """Add the problems of another input; the documents are counted where they are used."""
        for one in fields(self):
            if one.name == "late_columns":
                self.late_columns += [name for name in other.late_columns if name not in self.late_columns]
            elif one.name != "documents":
                setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))

    def messages(self) -> list[str]:
        """Return one sentence for each problem, e.g. ["2 malformed lines skipped"]."""
        late = f"not in the first batch, ignored: {', '.join(self.late_columns)}"
        kinds = (
            (self.undecodable, "undecodable byte sequence", "replaced by U+FFFD"),
            (self.skipped_lines, "malformed line", "skipped"),
            (self.missing, "missing text", "read as empty"),
            (self.ignored_files, "file", "of another kind ignored"),
            (len(self.late_columns), "column", late),
        )
        sample = f"a sample of {self.documents:,} of {counted(self.sampled_from, 'document')}"
        found = [f"{counted(number, what)} {fate}" for number, what, fate in kinds if number]
        return found + ([sample] if self.sampled_from else [])


@dataclass
class Reading:
    """One input: its name in messages, what to do about bad data, and what was found in it."""

    name: str
    rules: ReadingRules
    report: ReadReport
    documents: int = field(default=0, init=False)
    n_malformed: int = field(default=0, init=False)
    first_malformed: str = field(default="", init=False)

    def undecodable(self, count: int, where: str) -> None:
        """Count `count` invalid sequences, or stop if strict; `where` is e.g. "byte 17"."""
        if self.rules.strict:
            raise InputError(
                f"{self.name}: {where} is not valid UTF-8; convert it to UTF-8, or read it without strict "
                "to have it replaced by U+FFFD and counted"
            )
        self.report.undecodable += count

    def skip(self, where: str, why: str) -> None:
        """Count one line that cannot be read, or stop if strict; `where` is e.g. "line 17"."""
        if self.rules.strict:
            raise InputError(f"{self.name}, {where}: {why}; repair it, or read it without strict to skip it")
        self.first_malformed = self.first_malformed or f"{where}: {why}"
        self.n_malformed += 1
        self.report.skipped_lines += 1

    def check_malformed(self) -> None:
        """Stop at the end of an input that lost more than a few lines, unless the user wants that."""
        n_lines = self.n_malformed + self.documents
        if self.n_malformed > MALFORMED_SHARE * n_lines and not self.rules.skip_malformed:
            raise InputError(
                f"{self.name}: {self.n_malformed:,} of {counted(n_lines, 'line')} cannot be read, more than "
                f"{MALFORMED_SHARE:.0%} (the first is {self.first_malformed}); repair them, name the delimiter of a "
                "csv file with --delimiter / delimiter=, or skip them with --skip-malformed / skip_malformed=True"
            )

    def check_size(self, document_bytes: int, hint: str = "") -> None:
        """Stop at a document that is larger than the user allows."""
        limit = self.rules.max_document_mb
        if document_bytes > limit * 1_000_000:
            raise InputError(
                f"{self.name}: a document is larger than {limit:,} MB{hint}; split it, or raise the limit with "
                "--max-document-mb / max_document_mb="
            )
