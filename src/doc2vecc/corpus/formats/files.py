"""Which files a path means, and which reader opens them: the extension decides, unless the user does."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

from doc2vecc.corpus.formats.columnar import open_arrow, open_parquet
from doc2vecc.corpus.formats.delimited import open_delimited
from doc2vecc.corpus.formats.json_array import open_json
from doc2vecc.corpus.formats.lines import open_folder, open_jsonl, open_txt
from doc2vecc.corpus.formats.reading import InputFile, input_errors, raw_blocks
from doc2vecc.corpus.report import ReadingRules, ReadReport
from doc2vecc.corpus.text_column import OpenTable
from doc2vecc.errors import InputError
from doc2vecc.files import scratch_folder

READERS: dict[str, Callable[[InputFile], AbstractContextManager[OpenTable]]] = {
    "txt": open_txt,
    "jsonl": open_jsonl,
    "json": open_json,
    "csv": open_delimited,
    "tsv": partial(open_delimited, delimiter="\t"),
    "parquet": open_parquet,
    "arrow": open_arrow,
    "folder": open_folder,
}
TEXT_KINDS = ("txt", "jsonl", "json", "csv", "tsv")  # read from start to end, so never spooled
KINDS = {kind: kind for kind in READERS if kind != "folder"} | {"ndjson": "jsonl", "feather": "arrow", "ipc": "arrow"}
COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}


# ---- which files


def find_files(
    path: str | os.PathLike[str], input_format: str | None, *, rules: ReadingRules, report: ReadReport
) -> list[InputFile]:
    """Find the file, or the files of a folder, that a path means; "-" is standard input."""
    if input_format is not None and input_format not in KINDS:
        raise InputError(f"unknown input format {input_format!r}; it must be one of: {', '.join(KINDS)}")
    kind = KINDS[input_format] if input_format else None
    if path == "-":
        return [InputFile("standard input", rules, report, path=None, kind=kind or "txt")]
    path = Path(path)
    with input_errors(str(path)):
        if not path.exists():
            raise InputError(f"no file or folder {str(path)!r}; check the path")
        if path.is_dir():
            return _files_of_folder(path, kind, rules, report)
        return [_describe(path, kind, rules, report)]


def _describe(path: Path, kind: str | None, rules: ReadingRules, report: ReadReport) -> InputFile:
    """Describe one file; its extension gives its kind, unless the user did."""
    found, compression = kind_of(path)
    kind = kind or found
    if kind is None:
        raise InputError(
            f"the extension of {str(path)!r} is not known; known are {_extensions()}, each also with "
            f"{' '.join(COMPRESSIONS)}. Rename it, or give its format with --input-format / input_format="
        )
    return InputFile(str(path), rules, report, path, kind, compression, path.stat().st_size)


def _files_of_folder(folder: Path, wanted: str | None, rules: ReadingRules, report: ReadReport) -> list[InputFile]:
    """Describe a folder of files of one kind: txt files are documents, others are read as if named singly."""
    found: dict[str | None, list[Path]] = {}
    for path in sorted(_visible_files(folder)):
        found.setdefault(kind_of(path)[0], []).append(path)
    kinds = sorted(kind for kind in found if kind is not None)
    if len(kinds) > 1 and "json" in kinds:  # beside files of another kind it tells about them, as a rule
        kinds.remove("json")
    if wanted is None and len(kinds) > 1:
        raise InputError(
            f"the folder {str(folder)!r} holds files of several kinds: {', '.join(kinds)}; "
            "name the files, or one kind with --input-format / input_format="
        )
    kind = wanted or (kinds[0] if kinds else "txt")
    paths = found.pop(kind, [])
    for path in paths:
        if not path.is_file():  # opening a pipe would wait for a writer, and a device may have no end
            raise InputError(f"{str(path)!r} is a pipe, a device or a broken link, not a file; remove it")
    files = tuple(_describe(path, kind, rules, report) for path in paths)
    if not files:
        raise InputError(f"the folder {str(folder)!r} holds no file to read; known are {_extensions(wanted)}")
    report.ignored_files += sum(map(len, found.values()))
    if kind != "txt":
        return list(files)
    size = sum(file.size for file in files)
    return [InputFile(str(folder), rules, report, folder, "folder", size=size, members=files)]


def _visible_files(folder: Path) -> Iterator[Path]:
    """Walk through a folder; what begins with a dot is hidden, links to folders are not followed."""

    def fail(error: OSError) -> None:  # pathlib's rglob would leave out a folder it may not read
        raise InputError(f"cannot read the folder {str(error.filename)!r}: {error.strerror}") from error

    for parent, folders, names in os.walk(folder, onerror=fail):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(parent, name) for name in names if not name.startswith("."))


def _extensions(wanted: str | None = None) -> str:
    """Name the extensions of one kind, or of all: "jsonl" -> ".jsonl .ndjson"."""
    return " ".join(f".{extension}" for extension, kind in KINDS.items() if wanted in (None, kind))


def kind_of(path: Path) -> tuple[str | None, str | None]:
    """Tell kind and compression by the name: a.csv.gz -> ("csv", "gzip"); a.doc -> (None, None)."""
    compression = COMPRESSIONS.get(path.suffix.lower())
    inner = Path(path.stem) if compression else path
    return KINDS.get(inner.suffix.lower().removeprefix(".")), compression


# ---- which reader


@contextmanager
def open_file(file: InputFile) -> Iterator[OpenTable]:
    """Open a file with the reader of its kind; errors of Arrow and of the system become an `InputError`."""
    with input_errors(file.name):
        is_pipe = file.path is None or not (file.path.is_file() or file.path.is_dir())
        is_spooled = file.kind not in TEXT_KINDS and (is_pipe or file.compression is not None)
        with _spooled(file) if is_spooled else nullcontext(file) as source, READERS[file.kind](source) as table:
            yield table
        file.position = file.size


@contextmanager
def _spooled(file: InputFile) -> Iterator[InputFile]:
    """Copy a pipe, or a compressed file, to a temporary one, for formats that are not read from start to end."""
    with scratch_folder(Path(tempfile.gettempdir())) as folder:
        path = folder / "spooled"
        with path.open("wb") as target:
            target.writelines(raw_blocks(file))
        yield replace(file, path=path)
