"""What the workers read: files of any file system that Arrow knows, cut into pieces of about equal size.

A parquet file is cut between its row groups. What cannot be cut and is too large for one worker is read by several,
each of which takes every n-th document.
"""

import heapq
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet

from doc2vecc.corpus.formats.columnar import open_parquet
from doc2vecc.corpus.formats.files import KINDS, kind_of
from doc2vecc.corpus.formats.reading import InputFile, input_errors
from doc2vecc.corpus.report import ReadingRules, ReadReport
from doc2vecc.corpus.shards import Shard, ShardedBatches
from doc2vecc.corpus.sources import DEFAULT_RULES, TextBatches, read_files
from doc2vecc.corpus.text_column import Keep
from doc2vecc.errors import InputError
from doc2vecc.files import scratch_folder

PIECES_PER_WORKER = 4  # so that the shares of the workers can be made equal
WHOLE = Shard(0, 1)
_WILDCARDS = "*["


class Piece(NamedTuple):
    """A part of the input that one worker reads: all of a file, some row groups of it, or every n-th document."""

    path: str  # a path that every node sees, or a URI
    size: int  # bytes, about
    row_groups: tuple[int, ...] | None = None  # of a parquet file; None is all
    shard: Shard = WHOLE


class ReadingPlan(NamedTuple):
    """How all pieces are read."""

    text_column: str | Sequence[str] | None = None
    rules: ReadingRules = DEFAULT_RULES
    input_format: str | None = None


# ---- which files


def find_pieces(paths: Sequence[str], workers: int, plan: ReadingPlan) -> list[Piece]:
    """Find the files that paths and patterns mean, and cut them into a few pieces for each of the workers."""
    return cut_files(find_files(paths, plan), workers, plan)


def find_files(paths: Sequence[str], plan: ReadingPlan) -> list[tuple[str, int]]:
    """Return the paths and sizes of the files that paths, folders and patterns mean."""
    files = [file for path in paths for file in _find_files(path, plan.input_format)]
    if not files:
        raise InputError("no input was given; name at least one file, folder or pattern such as '/shared/*.parquet'")
    return files


def cut_files(files: Sequence[tuple[str, int]], workers: int, plan: ReadingPlan) -> list[Piece]:
    """Cut files into a few pieces for each of the workers."""
    total = sum(size for _, size in files)
    wanted, largest = max(1, total // (PIECES_PER_WORKER * workers)), max(1, total // workers)
    pieces = [piece for path, size in files for piece in _cut(Piece(path, size), wanted, plan)]
    return [part for piece in pieces for part in _share(piece, largest)]


def assign(pieces: Sequence[Piece], workers: int) -> list[list[Piece]]:
    """Give every worker about equally many bytes: the largest pieces first, each to the one with the least.

    >>> [[piece.size for piece in one] for one in assign([Piece("a", 3), Piece("b", 2), Piece("c", 2)], 2)]
    [[3], [2, 2]]
    """
    shares: list[list[Piece]] = [[] for _ in range(workers)]
    loads = [(0, number) for number in range(workers)]
    for piece in sorted(pieces, key=lambda one: -one.size):  # of equal size: in their order
        load, number = heapq.heappop(loads)
        shares[number].append(piece)
        heapq.heappush(loads, (load + piece.size, number))
    return shares


def file_system(path: str) -> tuple[Any, str]:
    """Return the file system of a path or URI, and the path in it; what Arrow does not know is left to fsspec."""
    if "://" not in path:
        return pa.fs.LocalFileSystem(), str(Path(path).absolute())
    try:
        return pa.fs.FileSystem.from_uri(path)  # type: ignore[no-any-return]
    except pa.ArrowInvalid:
        import fsspec

        found, inner = fsspec.core.url_to_fs(path)
        return pa.fs.PyFileSystem(pa.fs.FSSpecHandler(found)), inner


def _find_files(path: str, input_format: str | None) -> list[tuple[str, int]]:
    """Return the paths and sizes of the files that a path, a folder or a pattern means, in order."""
    if path == "-":
        raise InputError("a cluster cannot read standard input; name files that every node sees")
    scheme, mark, rest = path.partition("://")
    rest, query_mark, query = rest.partition("?") if mark else (path, "", "")
    pattern = PurePosixPath(rest) if mark else PurePosixPath(Path(path).absolute().as_posix())
    plain = [part for part in pattern.parts if not any(one in part for one in _WILDCARDS)]
    n_plain = next((i for i, part in enumerate(pattern.parts) if part not in plain), len(pattern.parts))
    base = str(PurePosixPath(*pattern.parts[:n_plain]))
    with input_errors(path):
        files, inner = file_system(scheme + mark + base + query_mark + query if mark else base)
        info = files.get_file_info(inner)
        if info.type == pa.fs.FileType.NotFound:
            raise InputError(f"no file or folder {path!r}; check the path, which every node must see")
        found = [info]
        if info.type == pa.fs.FileType.Directory:
            found = files.get_file_info(pa.fs.FileSelector(inner, recursive=True))
    found = [one for one in found if one.type == pa.fs.FileType.File]
    wanted, depth = pattern.parts[n_plain:], len(PurePosixPath(inner).parts)
    if wanted:
        found = [one for one in found if _matches(PurePosixPath(one.path).parts[depth:], wanted)]
    elif info.type == pa.fs.FileType.Directory:
        found = [one for one in found if _is_read(PurePosixPath(one.path).parts[depth:], path, input_format)]
    if not found:
        raise InputError(f"{path!r} matches no file to read; known are {', '.join(KINDS)}")
    for one in found:
        if input_format is None and kind_of(Path(one.path))[0] is None:
            raise InputError(f"the extension of {one.path!r} is not known; known are {', '.join(KINDS)}. Rename it")
    named = sorted((f"{scheme}://{one.path}{query_mark}{query}" if mark else one.path, one.size) for one in found)
    return [(name, max(size, 1)) for name, size in named]


def _matches(parts: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))


def _is_read(parts: tuple[str, ...], folder: str, input_format: str | None) -> bool:
    """Tell whether a file of a folder is read: one that is not hidden and whose kind is known."""
    if any(part.startswith((".", "_")) for part in parts):
        return False
    kind = input_format or kind_of(Path(parts[-1]))[0]
    if kind == "txt":
        raise InputError(
            f"the folder {folder!r} holds txt files, each of which would be a document; a cluster does not read "
            "those: make a parquet file of them, or name files with one document a line"
        )
    return kind is not None


def _is_parquet(path: str, plan: ReadingPlan) -> bool:
    kind, compression = kind_of(Path(path.partition("?")[0] if "://" in path else path))
    return (plan.input_format or kind) == "parquet" and compression is None


def _cut(piece: Piece, wanted: int, plan: ReadingPlan) -> Iterator[Piece]:
    """Cut a large parquet file between its row groups, into pieces of the wanted size or a little more."""
    if piece.size <= 2 * wanted or not _is_parquet(piece.path, plan):
        yield piece
        return
    files, inner = file_system(piece.path)
    with input_errors(piece.path), files.open_input_file(inner) as source:
        meta = pa.parquet.ParquetFile(source).metadata
        sizes = [meta.row_group(number).total_byte_size for number in range(meta.num_row_groups)]
    scale = piece.size / max(sum(sizes), 1)  # they are those of the bytes before compression
    groups: list[int] = []
    held = 0.0
    for number, size in enumerate(sizes):
        groups.append(number)
        held += scale * size
        if held >= wanted or number == len(sizes) - 1:
            yield Piece(piece.path, max(int(held), 1), tuple(groups))
            groups, held = [], 0.0


def _share(piece: Piece, largest: int) -> list[Piece]:
    """Let several workers read a piece that is too large for one."""
    n_shards = -(-piece.size // largest)
    return [piece._replace(size=piece.size // n_shards, shard=Shard(i, n_shards)) for i in range(n_shards)]


# ---- reading


@contextmanager
def open_piece(
    piece: Piece, plan: ReadingPlan, *, keep_columns: Keep = False
) -> Iterator[TextBatches | ShardedBatches]:
    """Open a piece; a file of another machine that is not parquet is copied to this one first."""
    files, inner = file_system(piece.path)
    if _is_parquet(piece.path, plan):
        with input_errors(piece.path), files.open_input_file(inner) as source:
            report = ReadReport()
            file = InputFile(piece.path, plan.rules, report, Path(inner), "parquet", size=piece.size)
            table = open_parquet(file, source, piece.row_groups)
            batches = TextBatches([(file, table)], report, text_column=plan.text_column, keep_columns=keep_columns)
            yield _sharded(batches, piece)
        return
    read = partial(read_files, text_column=plan.text_column, rules=plan.rules, keep_columns=keep_columns)
    if isinstance(files, pa.fs.LocalFileSystem):
        yield _sharded(read([inner], input_format=plan.input_format), piece)
        return
    with scratch_folder(Path(tempfile.gettempdir())) as folder:
        copy = folder / PurePosixPath(inner).name
        with input_errors(piece.path):
            pa.fs.copy_files(inner, str(copy), files, pa.fs.LocalFileSystem())
        yield _sharded(read([copy], input_format=plan.input_format), piece)


def _sharded(batches: TextBatches, piece: Piece) -> TextBatches | ShardedBatches:
    return batches if piece.shard == WHOLE else ShardedBatches(batches, piece.shard)
