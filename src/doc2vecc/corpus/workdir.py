"""The encoded corpus in a folder, for another training on the same texts: ``doc2vecc train --workdir FOLDER``.

``corpus/corpus.json`` says what the corpus was made from: files with size and time of change, and the settings that
decide tokens and vocabulary. A corpus of anything else is refused. The other files are plain arrays.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from doc2vecc.corpus.encoded import CorpusFiles, EncodedCorpus, EncodingReport, PackedIds
from doc2vecc.corpus.formats.reading import InputFile
from doc2vecc.corpus.report import ReadReport
from doc2vecc.corpus.sources import TextBatches
from doc2vecc.corpus.vocabulary import VOCABULARY_ARRAYS, Vocabulary
from doc2vecc.errors import InputError, OutputError
from doc2vecc.files import atomic_folder

FORMAT = 1
IDS = ("lower", "upper", "offsets")
CORPUS, DESCRIPTION = "corpus", "corpus.json"
_AT_ONCE = 1 << 24  # bytes

# Bytes on disk for each byte of text: numbers that wait for the vocabulary and ids, about 0.45 each in English. Text
# in compressed files is larger than they are.
DISK_OF_WORDS, DISK_OF_NGRAMS, COMPRESSED = 1.0, 3.0, 3.0
COMPRESSED_KINDS = ("parquet", "arrow")
WORTH_SAYING = 100_000_000  # bytes


@dataclass(frozen=True)
class Workdir:
    """A folder for the encoded corpus, and what decides the corpus: the input files and the settings."""

    folder: Path
    made_from: Mapping[str, Any]

    @classmethod
    def of(cls, folder: Path, documents: TextBatches, settings: Mapping[str, Any]) -> "Workdir":
        """Describe what the corpus of these documents is made from; only files are known again."""
        if documents.total_bytes is None:
            raise InputError(
                f"the workdir {folder} is for files, which are known again; save the texts to a file first"
            )
        files = [one for file in documents.files for one in file.members or (file,)]
        said = {
            "files": [[str(one.path), one.kind, one.size, one.path.stat().st_mtime_ns] for one in files if one.path],
            "text_column": documents.wanted_columns,
            "limit": documents.only.limit,
            "sample": documents.only.sample and [documents.only.sample, documents.only.seed],
            **asdict(files[0].rules),
            **settings,
        }
        return cls(folder, json.loads(json.dumps(said, default=list)))  # as JSON gives it back, to be compared

    @property
    def _corpus(self) -> Path:
        return self.folder / CORPUS

    def load(self, reading: ReadReport) -> EncodedCorpus | None:
        """Return the corpus that is kept, None if there is none; that of other texts or settings is refused.

        The report of its reading is filled with what was found then.
        """
        path = self._corpus / DESCRIPTION
        if not self._corpus.exists():
            return None
        try:
            description = json.loads(path.read_text("utf-8"))
            self._check(description["made_from"], description["format"])
            for name, value in description["reading"].items():
                setattr(reading, name, int(value))
            return self._read(description)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            if isinstance(error, InputError):  # a ValueError too
                raise
            raise InputError(f"{self._corpus} cannot be read ({error}); remove it to encode the texts again") from error

    def keep(self, corpus: EncodedCorpus, reading: ReadReport) -> EncodedCorpus:
        """Write a corpus into the folder -> the same, read from there."""
        if not isinstance(corpus.ids, PackedIds) or corpus.files is None:
            raise TypeError("only a corpus in files can be kept")
        arrays = dict(zip(IDS, (corpus.ids.lower, corpus.ids.upper, corpus.offsets), strict=True))
        arrays |= {name: getattr(corpus.vocabulary, name) for name in VOCABULARY_ARRAYS}
        try:
            with atomic_folder(self._corpus) as folder:
                digests = {name: _write(array, folder / name) for name, array in arrays.items()}
                description = {
                    "format": FORMAT,
                    "made_from": self.made_from,
                    "types": {name: (str(array.dtype), array.shape) for name, array in arrays.items()},
                    "digests": digests,
                    "longest": corpus.longest,
                    "report": asdict(corpus.report),
                    "reading": {name: one for name, one in asdict(reading).items() if isinstance(one, int)},
                }
                (folder / DESCRIPTION).write_text(json.dumps(description, indent=1), "utf-8")
        except OSError as error:
            raise OutputError(f"cannot write {self._corpus}: {error.strerror}; choose another workdir") from error
        return self._read(description)

    def _check(self, kept: Mapping[str, Any], version: object) -> None:
        """Refuse a corpus that was made from something else."""
        remedy = f"choose another workdir, or remove {self._corpus} to encode the texts again"
        if version != FORMAT:
            raise InputError(f"{self._corpus} has the format {version!r}, not {FORMAT}; {remedy}")
        for name, value in self.made_from.items():
            if name == "files" and kept[name] != value:
                raise InputError(f"{self._corpus} was made from other files, or they have changed since; {remedy}")
            if kept[name] != value:
                raise InputError(f"{self._corpus} was made with {name}={kept[name]!r}, not {value!r}; {remedy}")

    def _read(self, description: Mapping[str, Any]) -> EncodedCorpus:
        """Map the files, after a check that they are what was written: kernels trust the ids."""
        types, digests = description["types"], description["digests"]
        for name in (*IDS, *VOCABULARY_ARRAYS):
            if _digest(self._corpus / name) != digests[name]:
                raise ValueError(f"{name} is damaged")
        files = CorpusFiles()
        files.longest, files.n_empty = int(description["longest"]), int(description["report"]["empty_documents"])
        with ExitStack() as stack:
            opened = [stack.enter_context((self._corpus / name).open("rb")) for name in IDS]
            ids, offsets = files.mapped(opened, np.dtype(types["upper"][0]))
        arrays = (
            np.fromfile(self._corpus / name, types[name][0]).reshape(types[name][1]) for name in VOCABULARY_ARRAYS
        )
        known = {field.name for field in fields(EncodingReport)}
        report = EncodingReport(**{name: int(value) for name, value in description["report"].items() if name in known})
        return EncodedCorpus(ids, offsets, Vocabulary(*arrays), report, files)


def kept_corpus(documents: TextBatches) -> Path | None:
    """Return the folder with the encoded documents, None if there is none; it may be of other texts."""
    folder = documents.workdir and documents.workdir / CORPUS
    return folder if folder is not None and folder.exists() else None


def disk_needed(documents: TextBatches, *, has_ngrams: bool) -> int:
    """Estimate the bytes on disk that encoding needs; 0 where the size of the texts is not known."""
    sizes = (file.size * (COMPRESSED if _is_compressed(file) else 1.0) for file in documents.files)
    return int(sum(sizes) * (DISK_OF_NGRAMS if has_ngrams else DISK_OF_WORDS))


def _is_compressed(file: InputFile) -> bool:
    return file.compression is not None or file.kind in COMPRESSED_KINDS


def check_disk(needed: int, workdir: Path | None) -> Path:
    """Raise an error if the disk has not enough room -> the folder that is written to."""
    folder = Path(tempfile.gettempdir()) if workdir is None else workdir
    for place in {Path(tempfile.gettempdir()), folder}:
        free = shutil.disk_usage(
            next(one for one in (place.absolute(), *place.absolute().parents) if one.exists())
        ).free
        if needed > max(free, WORTH_SAYING):
            raise OutputError(
                f"encoding needs about {needed / 1e9:.1f} GB of disk, and {place} has {free / 1e9:.1f} GB; free some, "
                "or name another place with the variable TMPDIR and --workdir"
            )
    return folder


def _write(array: npt.NDArray[Any], path: Path) -> str:
    with path.open("wb") as file:
        for start in range(0, len(array), _AT_ONCE):
            file.write(np.ascontiguousarray(array[start : start + _AT_ONCE]).data)
    return _digest(path)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, partial(hashlib.blake2b, digest_size=16)).hexdigest()
