"""Embedding on a Ray cluster: Ray Data hands out the pieces of the input, and each becomes a file of the output folder.

A file appears when it is complete, under a name that the piece decides. So a piece that is embedded again, because a
worker died, replaces its own file; and a run that is started again embeds what is missing: one row for each document,
whatever happens. The model is in Ray's object store: it is loaded once, and the processes of a node share its memory.
"""

import json
import logging
import re
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet

from doc2vecc.cluster.crew import Cluster, connected, import_ray, whereabouts
from doc2vecc.cluster.inputs import Piece, ReadingPlan, cut_files, file_system, find_files, open_piece
from doc2vecc.console import ProgressListener, Silent
from doc2vecc.corpus.report import ReadReport
from doc2vecc.corpus.shards import Shard
from doc2vecc.errors import Doc2VecCError, OutputError
from doc2vecc.files import remove_leftovers, scratch_folder
from doc2vecc.model import Model
from doc2vecc.outputs import write_vectors
from doc2vecc.training.checkpoint import digest, vocabulary_digest

MANIFEST = "_embedding.json"  # readers of parquet folders leave out what begins with an underscore
_PART = re.compile(r"part-\d{5,}\.parquet")


class Output(NamedTuple):
    """The folder to write to, and whether the texts are left out there."""

    folder: str
    drop_text: bool = False


@dataclass(frozen=True)
class Embedded:
    """What is in the output folder, and what of it was there before."""

    documents: int
    zero: int  # documents without a known word, of those that were embedded now
    pieces: int
    done_before: int  # pieces
    reading: ReadReport  # of those that were embedded now


def embed_on_cluster(
    model: Model,
    paths: Sequence[str],
    output: Output,
    cluster: Cluster,
    *,
    threads: int | None = None,
    plan: ReadingPlan | None = None,
    progress: ProgressListener | None = None,
) -> Embedded:
    """Embed files into parquet files of a folder, or what is missing there."""
    plan, progress, folder = plan or ReadingPlan(), progress or Silent(), output.folder
    with connected(cluster, threads) as resources:
        pieces = _pieces_of(model, paths, output, plan, resources.workers)
        numbers = [number for number in range(len(pieces)) if not _exists(_part(folder, number))]
        n_zero, reading = 0, ReadReport()
        if numbers:
            ray = import_ray()
            shared = ray.put(model)
            ray.data.DataContext.get_current().enable_progress_bars = False
            logging.getLogger("ray.data").setLevel(logging.ERROR)
            job = EmbeddingJob(shared, pieces, plan, output, resources.threads)
            work = ray.data.from_items(numbers, override_num_blocks=len(numbers))
            work = work.map(lambda row: embed_piece(job, int(row["item"])), num_cpus=resources.threads)
            try:
                for n_done, row in enumerate(work.iter_rows(), start=1):
                    n_zero += row["zero"]
                    reading.add(ReadReport(**json.loads(row["reading"])))
                    progress.working(f"embedding on {resources.workers} workers", n_done / len(numbers))
            except Exception as error:  # noqa: BLE001 - Ray wraps what a worker raises in errors of its own
                raise _cause(error) from None
        documents = sum(_rows(_part(folder, number)) for number in range(len(pieces)))
    return Embedded(documents, n_zero, len(pieces), len(pieces) - len(numbers), reading)


class EmbeddingJob(NamedTuple):
    """What a worker needs to know to embed any piece."""

    model: Any  # the name of the model in the object store
    pieces: list[Piece]
    plan: ReadingPlan
    output: Output
    threads: int


def embed_piece(job: EmbeddingJob, number: int) -> dict[str, Any]:
    """Embed one piece into its file, in a process of the cluster -> a row: zero vectors, and what was read, as JSON."""
    files, target = file_system(_part(job.output.folder, number))
    try:
        if isinstance(files, pa.fs.LocalFileSystem):
            return _write(job, number, Path(target))
        with scratch_folder(Path(tempfile.gettempdir())) as scratch:
            row = _write(job, number, scratch / "part.parquet")
            pa.fs.copy_files(str(scratch / "part.parquet"), target, pa.fs.LocalFileSystem(), files)
            return row
    except Doc2VecCError as error:
        error.args = (f"node {whereabouts()[0]}: {error}",)
        raise


def _write(job: EmbeddingJob, number: int, target: Path) -> dict[str, Any]:
    piece = job.pieces[number]
    with open_piece(piece, job.plan, keep_columns=True) as batches:
        n_zero = write_vectors(
            _loaded(job.model), batches, target, "parquet", drop_text=job.output.drop_text, workers=job.threads
        )
    met = batches.report if piece.shard.number == 0 else ReadReport()  # the other shares of a file meet the same
    return {"zero": n_zero, "reading": json.dumps(asdict(met))}


@lru_cache(maxsize=1)
def _loaded(shared: Any) -> Model:  # noqa: ANN401
    """Return the model of the object store; a process makes its look-up tables once, the vectors stay there."""
    model: Model = import_ray().get(shared)
    return model


# ---- the folder


def _pieces_of(model: Model, paths: Sequence[str], output: Output, plan: ReadingPlan, workers: int) -> list[Piece]:
    """Return the pieces of a run: those of the folder if it was begun, with the same model, files and options."""
    found, folder = find_files(paths, plan), output.folder
    origin = {
        "model": digest(model.word_vectors) + vocabulary_digest(model.vocabulary),
        "files": [list(file) for file in found],
        "options": [repr(plan), output.drop_text],
    }
    files, inner = file_system(folder)
    path = f"{inner}/{MANIFEST}"
    if _exists(f"{folder}/{MANIFEST}"):
        with files.open_input_stream(path) as stream:
            content = json.loads(stream.read())
        differences = [name for name, value in origin.items() if content.get(name) != value]
        if differences:
            raise OutputError(
                f"{folder} holds vectors of other {differences[0]}; choose another folder, or begin anew with --force"
            )
        found_pieces = (Piece(*one) for one in content["pieces"])
        return [
            piece._replace(row_groups=piece.row_groups and tuple(piece.row_groups), shard=Shard(*piece.shard))
            for piece in found_pieces
        ]
    if files.get_file_info(inner).type == pa.fs.FileType.File:
        raise OutputError(f"{folder} is a file; name a folder to write to")
    listed = files.get_file_info(pa.fs.FileSelector(inner, allow_not_found=True))
    if listed:
        raise OutputError(f"{folder} holds other files; choose another folder, or remove them")
    files.create_dir(inner, recursive=True)
    pieces = cut_files(found, workers, plan)
    with files.open_output_stream(path) as stream:
        stream.write(json.dumps(origin | {"pieces": pieces}).encode())
    return pieces


def clear_folder(folder: str) -> None:
    """Remove the vectors of an earlier run, if these are all that the folder holds."""
    if not _exists(f"{folder}/{MANIFEST}"):
        return
    files, inner = file_system(folder)
    if isinstance(files, pa.fs.LocalFileSystem):
        remove_leftovers(Path(inner))
    parts = []
    for one in files.get_file_info(pa.fs.FileSelector(inner)):
        if _PART.fullmatch(one.base_name) and one.type == pa.fs.FileType.File:
            parts.append(one.path)
        elif one.base_name != MANIFEST:
            raise OutputError(
                f"{folder} holds {one.base_name!r} beside the vectors; move it somewhere else, or choose another folder"
            )
    for path in [*parts, f"{inner}/{MANIFEST}"]:  # a folder that still holds some vectors says so to the end
        files.delete_file(path)


def _part(folder: str, number: int) -> str:
    return f"{folder}/part-{number:05d}.parquet"


def _exists(path: str) -> bool:
    files, inner = file_system(path)
    return bool(files.get_file_info(inner).type == pa.fs.FileType.File)


def _rows(path: str) -> int:
    files, inner = file_system(path)
    with files.open_input_file(inner) as source:
        return int(pa.parquet.ParquetFile(source).metadata.num_rows)


def _cause(error: BaseException) -> BaseException:
    """Return the error for the user that is inside of those of Ray, or what there is."""
    inner: BaseException | None = error
    while inner is not None and not isinstance(inner, Doc2VecCError):
        with suppress(AttributeError):
            if isinstance(inner.cause, Doc2VecCError):  # type: ignore[attr-defined]
                return inner.cause  # type: ignore[attr-defined]
        inner = inner.__cause__
    return inner or error
