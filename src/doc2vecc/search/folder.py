"""The folder of a search index, written and checked.

    index.json                 what it is, and a digest of each other file
    model/                     the model that made the vectors
    documents-000000.arrow     number, id, text and chosen columns of some documents; mapped, not read
    vectors-000000.npy         their vectors, scaled to length one; mapped too
    graph.usearch              in large indexes: who is near to whom

Files are never changed. Each addition makes a new pair of files for its documents; a deletion writes the pairs anew
that held the documents, so that their texts are gone. The new folder shares the other files with the old one.

Nothing is used before it was checked, because a folder may come from a stranger: the digests tell damage, and the
content of every file is checked for itself.
"""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc

from doc2vecc.card import CARD_FILE
from doc2vecc.corpus.text_column import Texts
from doc2vecc.errors import SearchIndexError
from doc2vecc.outputs import WRITERS
from doc2vecc.similarity import Vectors
from doc2vecc.storage import ARRAYS_FILE, CONFIG_FILE, mapped_array, parsed_json, regular_file

FORMAT = "doc2vecc-index"
FORMAT_VERSION = 1
DESCRIPTION_FILE = "index.json"
MODEL_FOLDER = "model"
GRAPH_FILE = "graph.usearch"
MODEL_FILES = (f"{MODEL_FOLDER}/{CONFIG_FILE}", f"{MODEL_FOLDER}/{ARRAYS_FILE}")
CARD = f"{MODEL_FOLDER}/{CARD_FILE}"  # for readers only
LARGEST_UNIT_VALUE = 1.001  # of a vector of length one
NUMBER, ID, TEXT, COLUMNS = 0, 1, 2, 3  # the columns of a file of documents; the chosen ones are from COLUMNS on

_JOINED = b"joined"  # in the metadata of the text column: the columns that it was made of
_PART_NAME = re.compile(r"[0-9]{6}")


@dataclass(frozen=True)
class Description:
    """What ``index.json`` says."""

    dim: int
    documents: int
    next_number: int  # of the next document that is added; numbers are never used again
    id_column: str | None
    columns: list[str]
    parts: list[str]
    expansion: int | None = None  # of the search in the graph: how many candidates it follows; None without a graph
    recall: float | None = None  # the share of the 10 nearest documents that the graph finds, as measured
    digests: dict[str, str] = field(default_factory=dict)

    @property
    def files(self) -> list[str]:
        """All files but ``index.json`` that belong to the index."""
        parts = [name for part in self.parts for name in part_files(part)]
        return [*MODEL_FILES, *parts, *([GRAPH_FILE] if self.expansion is not None else [])]


@dataclass(frozen=True)
class Part:
    """Some documents, and their vectors; row for row."""

    documents: pa.Table
    vectors: Vectors


def part_files(part: str) -> tuple[str, str]:
    """Return the names of the two files of a part."""
    return f"documents-{part}.arrow", f"vectors-{part}.npy"


def with_text_columns(schema: pa.Schema, texts: Texts) -> pa.Schema:
    """Note in a schema which columns the texts were joined of; one column is the text itself."""
    field = schema.field(TEXT)
    return schema if len(texts) < 2 else schema.set(TEXT, field.with_metadata({_JOINED: "\0".join(texts)}))


def text_columns(schema: pa.Schema) -> Texts:
    """Return which columns the texts came from."""
    field = schema.field(TEXT)
    joined = (field.metadata or {}).get(_JOINED)
    return (field.name,) if joined is None else tuple(joined.decode(errors="replace").split("\0"))


# ---- writing


def write_part(folder: Path, part: str, batches: Iterable[tuple[pa.RecordBatch, Vectors]]) -> int:
    """Write documents with their vectors -> how many; nothing is written if there are none."""
    documents_file, vectors_file = (folder / name for name in part_files(part))
    writer, n_documents = None, 0
    with vectors_file.open("wb") as file, WRITERS["npy"](file, False) as write_vectors:
        for documents, vectors in batches:
            if writer is None:
                writer = pa.ipc.new_file(str(documents_file), documents.schema)
            writer.write(documents)
            write_vectors(documents, np.ascontiguousarray(vectors))
            n_documents += documents.num_rows
    if writer is None:
        vectors_file.unlink()
    else:
        writer.close()
    return n_documents


def share_files(names: Iterable[str], old: Path, new: Path) -> None:
    """Give files of one folder to another one too: by a second name, or by a copy where there is none."""
    for name in names:
        (new / name).parent.mkdir(exist_ok=True)
        try:
            os.link(old / name, new / name)
        except OSError:
            shutil.copy2(old / name, new / name)


def write_description(folder: Path, description: Description) -> None:
    """Write ``index.json`` with the digests of all files."""
    digests = {name: digest(folder / name) for name in description.files}
    values = {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(replace(description, digests=digests))}
    (folder / DESCRIPTION_FILE).write_text(json.dumps(values, indent=2, ensure_ascii=False), "utf-8")


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_place(folder: Path) -> None:
    """Refuse a place that holds something else than an index."""
    if folder.exists() and not is_index_folder(folder):
        raise SearchIndexError(f"{folder} exists and is not a search index; choose another name or remove it")


def is_index_folder(folder: Path) -> bool:
    """Tell whether a folder says of itself that it is a search index."""
    try:
        return bool(parsed_json(folder / DESCRIPTION_FILE)["format"] == FORMAT)
    except (OSError, ValueError, KeyError, TypeError):
        return False


# ---- reading


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_parts(value: object) -> bool:
    is_list = isinstance(value, list) and bool(value) and _is_names(value)
    return is_list and all(map(_PART_NAME.fullmatch, value)) and value == sorted(set(value))  # type: ignore[call-overload]


def _is_whole(value: object, low: int) -> bool:
    return type(value) is int and low <= value < 1 << 62


# What each value of the description must be; `type`, because True is an int as well.
_RULES: dict[str, Callable[[Any], bool]] = {
    "dim": lambda value: _is_whole(value, 1),
    "documents": lambda value: _is_whole(value, 1),
    "next_number": lambda value: _is_whole(value, 1),
    "id_column": lambda value: value is None or isinstance(value, str),
    "columns": _is_names,
    "parts": _is_parts,
    "expansion": lambda value: value is None or (_is_whole(value, 1) and value <= 1 << 20),
    "recall": lambda value: value is None or (isinstance(value, int | float) and 0 <= value <= 1),
    "digests": lambda value: isinstance(value, dict) and all(isinstance(one, str) for one in value.values()),
}


def read_description(folder: Path) -> Description:
    """Read and check ``index.json``, and compare the files with their digests."""
    path = folder / DESCRIPTION_FILE
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise SearchIndexError(f"{folder} {what}; an index is a folder made by `doc2vecc index` or SearchIndex.build")
    try:
        values = parsed_json(path)
    except FileNotFoundError:
        raise SearchIndexError(
            f"{folder} has no {DESCRIPTION_FILE}; it is not a search index, which `doc2vecc index MODEL INPUT` makes"
        ) from None
    except (OSError, ValueError) as error:
        raise SearchIndexError(f"{path} cannot be read ({error}); build the index again") from error
    if not isinstance(values, dict) or values.pop("format", None) != FORMAT:
        raise SearchIndexError(f"{path} does not describe a search index; name a folder made by `doc2vecc index`")
    version = values.pop("format_version", None)
    if version != FORMAT_VERSION:
        raise SearchIndexError(
            f"{folder} has format version {version!r}, this program reads {FORMAT_VERSION}; upgrade doc2vecc"
        )
    wrong = [name for name, fits in _RULES.items() if name not in values or not fits(values[name])]
    if wrong or values.keys() != _RULES.keys():
        names = ", ".join(wrong or sorted(values.keys() - _RULES.keys()))
        raise damaged(path, f"unfit are: {names}")
    description = Description(**values)
    for name in description.files:
        _compare_digest(folder / name, description.digests.get(name))
    return description


def _compare_digest(path: Path, expected: str | None) -> None:
    try:
        found = digest(regular_file(path))
    except FileNotFoundError:
        raise damaged(path, "it is missing") from None
    except OSError as error:
        raise damaged(path, str(error)) from error
    if found != expected:
        raise damaged(path, "it is not the file that was written, its digest differs")


def read_parts(folder: Path, description: Description) -> list[Part]:
    """Map the documents and vectors, and check them."""
    parts = [_read_part(folder, part, description) for part in description.parts]
    numbers = np.concatenate([part.documents.column(NUMBER).to_numpy() for part in parts])
    schemas = {str(part.documents.schema) for part in parts}
    is_ascending = len(numbers) > 0 and numbers[0] >= 0 and bool(np.all(numbers[1:] > numbers[:-1]))
    if not is_ascending or numbers[-1] >= description.next_number or len(numbers) != description.documents:
        raise damaged(folder / DESCRIPTION_FILE, "the numbers of the documents do not fit")
    if len(schemas) > 1:
        raise damaged(folder / DESCRIPTION_FILE, "the files of documents have different columns")
    return parts


def _read_part(folder: Path, part: str, description: Description) -> Part:
    documents_file, vectors_file = (folder / name for name in part_files(part))
    try:
        documents = pa.ipc.open_file(pa.memory_map(str(documents_file))).read_all()
        documents.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise damaged(documents_file, str(error)) from error
    kinds = documents.schema.types
    names = documents.schema.names[COLUMNS:]
    is_fit = len(kinds) >= COLUMNS and kinds[NUMBER] == pa.int64() and kinds[TEXT] == pa.large_string()
    if not is_fit or kinds[ID] not in (pa.int64(), pa.large_string()) or names != description.columns:
        raise damaged(documents_file, "its columns do not fit")
    if any(documents.column(place).null_count for place in range(COLUMNS)):
        raise damaged(documents_file, "an id or a text is missing")
    try:
        vectors = mapped_array(vectors_file)
    except (OSError, ValueError) as error:
        raise damaged(vectors_file, str(error)) from error
    if vectors.dtype != np.float32 or vectors.shape != (documents.num_rows, description.dim):
        raise damaged(vectors_file, f"it must hold {documents.num_rows:,} vectors of dimension {description.dim}")
    # In this form it is an error for NaN, too.
    if not (len(vectors) and vectors.min() >= -LARGEST_UNIT_VALUE and vectors.max() <= LARGEST_UNIT_VALUE):
        raise damaged(vectors_file, "its vectors are not of length one")
    return Part(documents, vectors.view(np.ndarray))


def damaged(path: Path, problem: str) -> SearchIndexError:
    """Make the error for a file that is not as it was written."""
    return SearchIndexError(f"{path} is damaged: {' '.join(problem.split())}; build the index again")
