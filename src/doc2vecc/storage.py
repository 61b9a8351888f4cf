"""Model <-> folder: ``config.json`` says what it is and how it came about, ``model.safetensors`` holds the arrays.

``README.md`` tells the same to a reader; it is not read again.

A folder is written beside its place and takes it when it is complete, at once. On loading, everything is checked before
it is used, because a folder may come from a stranger. The vectors of a large model are mapped, not read, so that it
is there at once; everything else is copied, so that what was checked cannot change afterwards.
"""

import json
import mmap
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from tokenize import TokenError  # NumPy raises it for a header that does not end
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from doc2vecc.card import CARD_FILE, DOC2VECC_USAGE, model_card
from doc2vecc.corpus.numbering import Tokenizer
from doc2vecc.corpus.soundness import problem_of
from doc2vecc.corpus.stored_tokenizer import describe_tokenizer, restore_tokenizer
from doc2vecc.corpus.vocabulary import NO_NGRAMS, Vocabulary
from doc2vecc.errors import ModelFolderError
from doc2vecc.files import atomic_folder
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
_VECTORS = ("inputs", "outputs")
MAPPED_FROM = 64 << 20  # bytes of a file whose vectors are mapped; one that is truncated while mapped ends the process
LARGEST_CONFIG = 64 << 20  # bytes; ours have some thousand
LARGEST_WEIGHT = 10_000  # far above the square of the largest inverse document frequency
LARGEST_NUMBER = 1e100  # of a config: what is computed from it for display must not overflow
LARGEST_VALUE = 1e15  # of a vector: its square, summed over a vector, must not overflow float32


def save(model: Model, folder: str | Path, further: Mapping[str, str] | None = None) -> None:
    """Write a model folder, with further texts by the names of their files; only an older model is replaced."""
    folder = Path(folder)
    if folder.exists() and not is_model_folder(folder):
        raise ModelFolderError(f"{folder} exists and is not a doc2vecc model; choose another name or remove it")
    with atomic_folder(folder) as new:
        _write_arrays(model, new / ARRAYS_FILE)
        texts = {CONFIG_FILE: _config_text(model), CARD_FILE: model_card(model, "doc2vecc", DOC2VECC_USAGE)}
        for name, text in (texts | dict(further or {})).items():
            (new / name).write_text(text, "utf-8")


def load(folder: str | Path, tokenizer: Tokenizer | None = None) -> Model:
    """Read a model folder. A model that was trained with a tokenizer of the user's own needs it again."""
    folder = Path(folder)
    config = _read_config(folder)
    tokenizer = restore_tokenizer(folder, config, tokenizer)
    arrays = _read_arrays(folder / ARRAYS_FILE)
    try:
        if not _fit_together(arrays, config["dim"]):
            raise ModelFolderError(
                f"the arrays in {folder / ARRAYS_FILE} do not fit together or {CONFIG_FILE}; save the model again"
            )
        ngrams = arrays.get(NGRAMS_KEY, NO_NGRAMS)
        vocabulary = Vocabulary(arrays["word_bytes"], arrays["word_offsets"], arrays["counts"], ngrams)
        problem = problem_of(vocabulary)
        if problem is None and not all(are_moderate(arrays[name]) for name in _VECTORS):
            problem = "a vector holds a value that is not finite, or too large"
    except KeyError as error:
        problem = f"it lacks {error}"
    if problem is not None:
        raise ModelFolderError(f"{folder / ARRAYS_FILE} is damaged: {problem}; save the model again")
    record = TrainingRecord(config["settings"], [EpochRecord(*one) for one in config["history"]], config["report"])
    inputs, outputs, dim, binary = arrays["inputs"], arrays["outputs"], config["dim"], config["binary"]
    model = Model(vocabulary, inputs, dim, outputs=outputs, tokenizer=tokenizer, binary=binary, record=record)
    model.weights = arrays.get("weights")
    return model


# ---- checks


def _fit_together(arrays: dict[str, npt.NDArray[Any]], dim: int) -> bool:
    """Check all that the kernels rely on: they would read outside of arrays that are not sound."""
    words, offsets, counts = arrays["word_bytes"], arrays["word_offsets"], arrays["counts"]
    ngrams, weights = arrays.get(NGRAMS_KEY, NO_NGRAMS), arrays.get("weights", np.ones(len(counts), np.float32))
    expected = (
        (words, np.uint8, (words.size,)),
        (offsets, np.int64, (counts.size + 1,)),
        (counts, np.int64, (counts.size,)),
        (ngrams, np.int32, (ngrams.size // 2, 2)),
        (arrays["inputs"], np.float32, (counts.size, dim)),
        (arrays["outputs"], np.float32, (counts.size, dim)),
        (weights, np.float32, (counts.size,)),
    )
    if any(array.dtype != dtype or array.shape != shape for array, dtype, shape in expected):
        return False
    n_words = len(counts) - len(ngrams)
    # Neighbors are compared: the difference of two offsets may overflow and look right.
    are_words = n_words > 0 and offsets[0] == 0 and offsets[-1] == len(words) and np.all(offsets[:-1] <= offsets[1:])
    # Every n-gram is made of what stands before it, ending with a word.
    beginnings, last, own = ngrams[:, 0], ngrams[:, 1], n_words + np.arange(len(ngrams))
    are_ngrams = np.all((beginnings >= 0) & (beginnings < own) & (last >= 0) & (last < n_words))
    return bool(are_words and are_ngrams and np.all((weights >= 1) & (weights <= LARGEST_WEIGHT)))


def are_moderate(table: npt.NDArray[np.float32]) -> bool:
    """Return whether all values are finite and not too large; a comparison with NaN is false."""
    return bool(table.min() >= -LARGEST_VALUE and table.max() <= LARGEST_VALUE)


def regular_file(path: Path) -> Path:
    """Return the path of a file; opening a pipe would wait for a writer, and a device may have no end."""
    if path.exists() and not path.is_file():
        raise OSError("it is not a file")
    return path


def mapped_array(path: Path) -> npt.NDArray[Any]:
    """Map a ``.npy`` file; an OSError or ValueError tells what is wrong. np.load would also open zip files."""
    try:
        return np.lib.format.open_memmap(regular_file(path), mode="r")
    except (EOFError, TypeError, MemoryError, OverflowError, TokenError) as error:
        raise ValueError(str(error)) from error


def is_model_folder(folder: Path) -> bool:
    """Tell whether a folder says of itself that it is one of ours."""
    try:
        return bool(parsed_json(folder / CONFIG_FILE)["format"] == FORMAT)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def parsed_json(path: Path) -> Any:  # noqa: ANN401
    """Read a JSON file of bounded size."""
    with regular_file(path).open("rb") as file:
        content = file.read(LARGEST_CONFIG + 1)
    if len(content) > LARGEST_CONFIG:
        raise OSError(f"it is larger than {LARGEST_CONFIG >> 20} MB")
    try:
        value = json.loads(content.decode())
        if b"\\ud" in content.lower():  # half a character, perhaps, which could not be written again
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return value


def _is_history(value: object) -> bool:
    n_fields = len(EpochRecord._fields)
    return isinstance(value, list) and all(
        isinstance(one, list) and len(one) == n_fields and all(map(_is_number, one)) for one in value
    )


def _is_number(value: object) -> bool:
    """Return whether a value is a number to compute with; JSON, as Python reads it, knows NaN and infinity."""
    return isinstance(value, int | float) and abs(value) <= LARGEST_NUMBER


def _is_report(value: object) -> bool:
    return isinstance(value, dict) and all(type(one) is int and 0 <= one <= LARGEST_NUMBER for one in value.values())


# What is read from a config, what it must be, and how that is told; `type`, because True is an int as well.
_CONFIG_RULES: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
    ("dim", "a whole number of at least 1", lambda value: type(value) is int and value >= 1),
    ("tokenizer", "a name", lambda value: isinstance(value, str)),
    ("binary", "true or false", lambda value: isinstance(value, bool)),
    ("settings", "an object", lambda value: isinstance(value, dict)),
    ("history", "a list of [loss, words, seconds]", _is_history),
    ("report", "an object of whole numbers", _is_report),
)


def _config_text(model: Model) -> str:
    """Return the JSON part; settings may be NumPy numbers."""
    config = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "dim": model.dim,
        "words": len(model.vocabulary),
        **describe_tokenizer(model.tokenizer),
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
        config = parsed_json(path)
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
    for name, what, fits in _CONFIG_RULES:
        if not fits(config[name]):
            raise ModelFolderError(f"{path} is damaged: {name} must be {what}; save the model again")
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
    if model.weights is not None:
        arrays["weights"] = model.weights
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


def _read_arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Read the arrays of a safetensors file, after the library has checked that the file is sound."""
    try:
        with safe_open(regular_file(path), framework="numpy"):
            pass
        with path.open("rb") as file:
            (header_size,) = struct.unpack("<Q", file.read(8))
            header = json.loads(file.read(header_size))
            mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        data = np.frombuffer(mapping, np.uint8, offset=8 + header_size)
        arrays = {}
        for name, entry in header.items():
            if name != "__metadata__":
                array = data[slice(*entry["data_offsets"])].view(_DTYPES[entry["dtype"]]).reshape(entry["shape"])
                is_mapped = name in _VECTORS and len(mapping) >= MAPPED_FROM and array.flags.aligned
                arrays[name] = array if is_mapped else array.copy()
    except FileNotFoundError:
        raise ModelFolderError(f"{path} is missing; save the model again") from None
    except (SafetensorError, OSError, ValueError, KeyError, struct.error, RecursionError) as error:
        raise ModelFolderError(f"{path} cannot be read ({error}); it is damaged or not a model file") from error
    return arrays
