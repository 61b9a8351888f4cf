"""txt: one document a line. A folder of txt files: one document a file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from doc2vecc.corpus.formats.reading import InputFile, input_errors, utf8_blocks, utf8_lines
from doc2vecc.corpus.text_column import OpenTable, bytes_array, in_batches, lines_array


@contextmanager
def open_txt(file: InputFile) -> Iterator[OpenTable]:
    """Read one document a line; an empty line is an empty document."""

    def batches(text: str, _keep: bool) -> Iterator[pa.RecordBatch]:
        for lines in utf8_lines(file):
            yield pa.RecordBatch.from_arrays([lines_array(lines)], [text])

    yield OpenTable([], [], batches, is_nameless=True, is_utf8=True)


@contextmanager
def open_folder(folder: InputFile) -> Iterator[OpenTable]:
    """Read one document a file, and beside it the name of the file below the folder."""

    def batches(text: str, _keep: bool) -> Iterator[pa.RecordBatch]:
        for group in in_batches(_documents(folder), size=lambda document: len(document[1])):
            columns = [bytes_array(list(column)) for column in zip(*group, strict=True)]
            yield pa.RecordBatch.from_arrays(columns, ["file", text])

    yield OpenTable(["file"], [], batches, is_nameless=True, is_utf8=True)


def _documents(folder: InputFile) -> Iterator[tuple[bytes, bytes]]:
    """Read the files of a folder: a/b.txt -> (b"a/b.txt", its content)."""
    for member in folder.members:
        with input_errors(member.name):
            content = b"".join(utf8_blocks(member))
        folder.position += member.position
        below = os.fsencode(Path(member.name).relative_to(folder.name).as_posix())
        yield below.decode(errors="replace").encode(), content
