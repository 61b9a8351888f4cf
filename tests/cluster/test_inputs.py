"""Which files are read, and how they are cut: every document is in one piece."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from doc2vecc.cluster.inputs import Piece, ReadingPlan, assign, find_pieces, open_piece
from doc2vecc.errors import InputError


@pytest.fixture
def folder(tmp_path):
    for name, first in (("a", 0), ("b", 100)):
        texts = [f"text {number} " + "x" * 50 for number in range(first, first + 100)]
        pa.parquet.write_table(
            pa.table({"text": texts, "n": range(100)}), tmp_path / f"{name}.parquet", row_group_size=10
        )
    (tmp_path / "c.txt").write_text("".join(f"text {number}\n" for number in range(200, 300)))
    return tmp_path


def texts_of(pieces, plan=None):
    found = []
    for piece in pieces:
        with open_piece(piece, plan or ReadingPlan()) as batches:
            for batch in batches:
                found += batch.column(batches.text_column).to_pylist()
    return found


@pytest.mark.parametrize("workers", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("uri", ["", "file://"])
def test_every_document_is_in_one_piece(folder, workers, uri):
    pieces = find_pieces([f"{uri}{folder}/*.parquet", f"{uri}{folder}/c.txt"], workers, ReadingPlan())
    assert len(pieces) >= workers
    numbers = sorted(int(text.split()[1]) for text in texts_of(pieces))
    assert numbers == list(range(300))


def test_shares_are_about_equal(folder):
    pieces = find_pieces([str(folder / "*.parquet")], 4, ReadingPlan())
    shares = assign(pieces, 4)
    assert sorted(piece for share in shares for piece in share) == sorted(pieces)
    sizes = [sum(piece.size for piece in share) for share in shares]
    assert max(sizes) < 1.5 * min(sizes)


@pytest.mark.peers
def test_a_file_of_a_file_system_of_fsspec_is_copied_and_read(folder):
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed; make test-peers installs it with ray")
    memory = fsspec.filesystem("memory")
    for name in ("a.parquet", "c.txt"):
        memory.pipe_file(f"/bucket/{name}", Path(folder / name).read_bytes())
    pieces = find_pieces(["memory://bucket/*.parquet", "memory://bucket/c.txt"], 2, ReadingPlan())
    numbers = sorted(int(text.split()[1]) for text in texts_of(pieces))
    assert numbers == [*range(100), *range(200, 300)]


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (["nothing.parquet"], "no file or folder '.*nothing.parquet'; check the path, which every node must see"),
        (["*.csv"], "matches no file to read"),
        (["d.doc"], "the extension of .*d.doc' is not known"),
        ([""], "holds txt files, each of which would be a document"),
        (["-"], "cannot read standard input"),
    ],
)
def test_what_cannot_be_read_is_refused(folder, paths, message):
    (folder / "d.doc").write_text("x")
    names = [path if path == "-" else str(folder / path) for path in paths]
    with pytest.raises(InputError, match=message):
        find_pieces(names, 2, ReadingPlan())
    with pytest.raises(InputError, match="no input was given"):
        find_pieces([], 2, ReadingPlan())


def test_a_folder_of_parquet_files_is_read_without_what_is_hidden(folder):
    (folder / "c.txt").unlink()
    for name in (".hidden.parquet", "_log.parquet", "_notes.txt", ".cache/notes.txt"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes((folder / "a.parquet").read_bytes())
    pieces = find_pieces([str(folder)], 1, ReadingPlan())
    assert {Path(piece.path).name for piece in pieces} == {"a.parquet", "b.parquet"}
    assert len(texts_of(pieces)) == 200


def test_largest_pieces_are_assigned_first():
    pieces = [Piece(str(size), size) for size in (1, 9, 4, 4, 2)]
    assert [sum(piece.size for piece in share) for share in assign(pieces, 2)] == [10, 10]
