"""Model <-> folder: ``config.json`` says what it is and how it came about, ``model.safetensors`` holds the arrays.

A folder is written under a temporary name and renamed when it is complete. On loading, the arrays are mapped, not
read, so that a large model is there at once.
"""

import json
import mmap
import shutil
import struct
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from doc2vecc.corpus.numbering import Tokenizer
from doc2vecc.corpus.vocabulary import NO_NGRAMS, Vocabulary
from doc2vecc.errors import ModelFolderError
from doc2vecc.model import EpochRecord, Model, TrainingRecord

FORMAT = "doc2vecc"
FORMAT_VERSION = 1
CONFIG_FILE = "config.json"
ARRAYS_FILE = "model.safetensors"
NGRAMS_KEY = "phrases"  # the name of the array in the file, since format version 1

# Names in folders that were written by earlier versions.
RENAMED = {
    "max_vocab": "max_final_vocab",
    "noise_power": "ns_exponent",
    "predict_phrases": "predict_ngrams",
    "phrases": "ngrams",
    "forgotten_phrases": "forgotten_ngrams",
    "forgotten_phrase_occurrences": "forgotten_ngram_occurrences",
}
_DTYPES = {"F32": np.float32, "I32": np.int32, "I64": np.int64, "U8": np.uint8}
_ROWS_AT_ONCE = 1 << 14


def save(model: Model, folder: str | Path) -> None:
    """Write a model folder; an older model of that name is replaced, anything else is left alone."""
    folder = Path(folder)
    if folder.exists() and not is_model_folder(folder):
        raise ModelFolderError(f"{folder} exists and is not a doc2vecc model; choose another name or remove it")
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        new, old = scratch / "new", scratch / "old"
        new.mkdir()
        _write_arrays(model, new / ARRAYS_FILE)
        (new / CONFIG_FILE).write_text(_config_text(model), "utf-8")
        if folder.exists():
            folder.rename(old)
        try:
            new.rename(folder)
        except BaseException:
            if old.exists():
                old.rename(folder)
            raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def load(folder: str | Path, tokenizer: Tokenizer | None = None) -> Model:
    """Read a model folder. A model that was trained with a tokenizer of the user's own needs it again."""
    folder = Path(folder)
    config = _read_config(folder)
    name = config["tokenizer"]
    if name != "builtin" and tokenizer is None:
        raise ModelFolderError(f"{folder} was trained with the tokenizer {name}; pass it again as tokenizer=")
    if name == "builtin" and tokenizer is not None:
        raise ModelFolderError(f"{folder} was trained with the built-in tokenizer; load it without tokenizer=")
    arrays = _map_arrays(folder / ARRAYS_FILE)
    try:
        ngrams = arrays.get(NGRAMS_KEY, NO_NGRAMS)
        vocabulary = Vocabulary(arrays["word_bytes"], arrays["word_offsets"], arrays["counts"], ngrams)
        if not _fit_together(arrays, config["dim"]):
            raise ModelFolderError(
                f"the arrays in {folder / ARRAYS_FILE} do not fit together or {CONFIG_FILE}; save the model again"
            )
        history = [EpochRecord(*epoch) for epoch in config["history"]]
        record = TrainingRecord(config["settings"], history, config["report"])
        inputs, outputs, dim, binary = arrays["inputs"], arrays["outputs"], config["dim"], config["binary"]
        return Model(vocabulary, inputs, dim, outputs=outputs, tokenizer=tokenizer, binary=binary, record=record)
    except (KeyError, TypeError) as error:
        raise ModelFolderError(f"{folder} is damaged ({error}); save the model again") from error


def _fit_together(arrays: dict[str, npt.NDArray[Any]], dim: int) -> bool:
    """Check all that the kernels rely on: they would read outside of arrays that are not sound."""
    words, offsets, counts = arrays["word_bytes"], arrays["word_offsets"], arrays["counts"]
    ngrams = arrays.get(NGRAMS_KEY, NO_NGRAMS)
    expected = (
        (words, np.uint8, (words.size,)),
        (offsets, np.int64, (counts.size + 1,)),
        (counts, np.int64, (counts.size,)),
        (ngrams, np.int32, (ngrams.size // 2, 2)),
        (arrays["inputs"], np.float32, (counts.size, dim)),
        (arrays["outputs"], np.float32, (counts.size, dim)),
    )
    if any(array.dtype != dtype or array.shape != shape for array, dtype, shape in expected):
        return False
    n_words = len(counts) - len(ngrams)
    are_words = n_words > 0 and offsets[0] == 0 and offsets[-1] == len(words) and bool(np.all(np.diff(offsets) >= 0))
    # Every n-gram is made of what stands before it, ending with a word.
    beginnings, last, own = ngrams[:, 0], ngrams[:, 1], n_words + np.arange(len(ngrams))
    return are_words and bool(np.all((beginnings >= 0) & (beginnings < own) & (last >= 0) & (last < n_words)))


def is_model_folder(folder: Path) -> bool:
    """Tell whether a folder says of itself that it is one of ours."""
    try:
        return bool(json.loads((folder / CONFIG_FILE).read_text("utf-8"))["format"] == FORMAT)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _config_text(model: Model) -> str:
    """Return the JSON part; settings may be NumPy numbers."""
    tokenizer = model.tokenizer
    name = "builtin" if tokenizer is None else getattr(tokenizer, "__qualname__", type(tokenizer).__qualname__)
    config = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "dim": model.dim,
        "words": len(model.vocabulary),
        "tokenizer": name,
        "binary": model.binary,
        "settings": model.record.settings,
        "history": [list(epoch) for epoch in model.record.history],
        "report": model.record.report,
    }
    return json.dumps(config, indent=2, ensure_ascii=False, default=np.generic.item)


def _read_config(folder: Path) -> dict[str, Any]:
    """Read and check the JSON part."""
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise ModelFolderError(f"{folder} {what}; a model is a folder made by `doc2vecc train` or save()")
    path = folder / CONFIG_FILE
    try:
        config = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ModelFolderError(f"{folder} has no {CONFIG_FILE}; it is not a doc2vecc model") from None
    except (OSError, ValueError) as error:
        raise ModelFolderError(f"{path} cannot be read ({error}); save the model again") from error
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise ModelFolderError(f"{path} does not describe a doc2vecc model; name a folder made by `doc2vecc train`")
    version = config.get("format_version")
    if version != FORMAT_VERSION:
        raise ModelFolderError(
            f"{folder} has format version {version!r}, this program reads {FORMAT_VERSION}; upgrade doc2vecc"
        )
    config.setdefault("binary", False)  # a folder that does not say so counts all occurrences
    missing = {"dim", "tokenizer", "settings", "history", "report"} - config.keys()
    if missing:
        raise ModelFolderError(f"{path} lacks {', '.join(sorted(missing))}; save the model again")
    for name, kind in (("binary", bool), ("settings", dict), ("report", dict), ("history", list)):
        if not isinstance(config[name], kind):
            raise ModelFolderError(f"{path} is damaged: {name} is not a {kind.__name__}; save the model again")
    config["settings"] = {
        RENAMED.get(name, name): tuple(value) if isinstance(value, list) else value  # JSON has no tuples
        for name, value in config["settings"].items()
    }
    config["report"] = {RENAMED.get(name, name): value for name, value in config["report"].items()}
    return config


def _write_arrays(model: Model, path: Path) -> None:
    """Write a safetensors file piece by piece.

    The library's own writer wants every array contiguous and copies it once more, which would double the
    memory of a large model at the very moment when it is largest.
    """
    arrays: dict[str, npt.NDArray[Any]] = {
        "inputs": model.word_vectors,
        "outputs": model.outputs,
        "counts": model.vocabulary.counts,
        "word_offsets": model.vocabulary.word_offsets,
        "word_bytes": model.vocabulary.word_bytes,
    }
    if len(model.vocabulary.ngrams):
        arrays[NGRAMS_KEY] = model.vocabulary.ngrams
    names = {np.dtype(dtype): name for name, dtype in _DTYPES.items()}
    header: dict[str, Any] = {}
    position = 0
    for name, array in arrays.items():
        end = position + array.nbytes
        header[name] = {"dtype": names[array.dtype], "shape": array.shape, "data_offsets": [position, end]}
        position = end
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 64 + 56)  # with the length before it, the data begin at a cache line
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(encoded)))
        file.write(encoded)
        for array in arrays.values():
            for start in range(0, len(array), _ROWS_AT_ONCE):
                file.write(np.ascontiguousarray(array[start : start + _ROWS_AT_ONCE]).data)


def _map_arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Map the arrays of a safetensors file, after the library has checked that the file is sound."""
    try:
        with safe_open(path, framework="numpy"):
            pass
        with path.open("rb") as file:
            (header_size,) = struct.unpack("<Q", file.read(8))
            header = json.loads(file.read(header_size))
            mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        data = np.frombuffer(mapping, np.uint8, offset=8 + header_size)
        return {
            name: data[slice(*entry["data_offsets"])].view(_DTYPES[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in header.items()
            if name != "__metadata__"
        }
    except FileNotFoundError:
        raise ModelFolderError(f"{path} is missing; save the model again") from None
    except (SafetensorError, OSError, ValueError, KeyError, struct.error) as error:
        raise ModelFolderError(f"{path} cannot be read ({error}); it is damaged or not a model file") from error
