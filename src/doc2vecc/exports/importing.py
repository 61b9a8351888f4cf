"""Word vectors of other programs become a model to start from: word2vec and GloVe files, static embedding folders.

A name that the token rule would not make is written as the rule does ("Don’t" -> "don't"), unless the file has that
word too; a name that is several tokens or a part of a word is left out. The counts are 0: those of the texts that the
model continues on are what matters to the training. The output vectors are 0 too.
"""

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from safetensors import SafetensorError, safe_open

from doc2vecc.corpus.formats.reading import InputFile, utf8_blocks, whole_lines
from doc2vecc.corpus.report import ReadingRules, ReadReport
from doc2vecc.corpus.tokenizer import tokenize
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.errors import InputError
from doc2vecc.model import Model, TrainingRecord
from doc2vecc.similarity import Vectors
from doc2vecc.storage import are_moderate, regular_file

_HEAD = 1 << 16  # bytes that tell what a file is
_WORD_STARTS = ("\u2581", "\u0120")  # what tokenizers write in place of the blank before a word
_SUBWORD = "##"
# What Arrow, safetensors, NumPy and Python raise for a file that is not as it should be.
_UNFIT = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    RecursionError,
    SafetensorError,
    pa.ArrowException,
)

Named = tuple[Sequence[str], Vectors]


def read_word_vectors(path: str | Path) -> Model:
    """Read the vectors of a file or folder; ``record.report`` says how many names it has, and how many became words."""
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path} does not exist; name a file of word vectors or a folder of static embeddings")
    try:
        names, vectors = _read_folder(path) if path.is_dir() else _read_file(regular_file(path))
    except _UNFIT as error:
        raise InputError(
            f"{path} cannot be read as word vectors ({error}); "
            "known are word2vec and GloVe files and sentence-transformers folders"
        ) from error
    words = _as_words(names)
    if not words:
        raise InputError(f"{path} holds no name that is one token; name another file of word vectors")
    rows = np.ascontiguousarray(vectors[list(words.values())], np.float32)
    if rows.size == 0 or not are_moderate(rows):
        raise InputError(
            f"{path} holds vectors that are not finite, or too large; repair the file, or name another one"
        )
    vocabulary = Vocabulary.from_words(list(words), np.zeros(len(words)))
    report = {"imported_names": len(names), "imported_words": len(words)}
    dim = rows.shape[1]
    record = TrainingRecord({"vector_size": dim, "ngram_range": (1, 1)}, [], report)
    return Model(vocabulary, rows, dim, outputs=np.zeros_like(rows), record=record)


def _as_words(names: Sequence[str]) -> dict[str, int]:
    """Return the words of the token rule, each with its row.

    >>> _as_words(["The", "the", "Film", "two words", "film.", ""])
    {'the': 1, 'film': 2}
    """
    words: dict[str, int] = {}
    others: dict[str, int] = {}
    for row, name in enumerate(names):
        tokens = tokenize(name)
        if len(tokens) == 1:
            (words if tokens[0] == name else others).setdefault(tokens[0], row)
    return others | words


def _read_file(path: Path) -> Named:
    """Tell the format by the beginning of a file, plain or compressed, and read it."""
    with pa.input_stream(str(path)) as stream:
        head = stream.read(_HEAD)
    first, _, rest = head.partition(b"\n")
    header = first.split()
    if len(header) == 2 and all(part.isdigit() for part in header):
        dim = int(header[1])
        second = rest.partition(b"\n")[0].split(b" ")
        if len([value for value in second if _is_number(value)]) >= dim:
            return _read_lines(path, dim, n_words=int(header[0]), skipped=1, is_padded=second[-1].strip() == b"")
        return _read_records(path, int(header[0]), dim)
    dim = len(first.split(b" ")) - 1
    if dim < 1 or not all(map(_is_number, first.split(b" ")[1:])):
        raise InputError(f"the first line {first[:60]!r} is no word with its values")
    return _read_lines(path, dim)


def _is_number(value: bytes) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _read_lines(
    path: Path, dim: int, *, n_words: int | None = None, skipped: int = 0, is_padded: bool = False
) -> Named:
    """Read a line per word; a word that holds a blank has too many values, and is left out."""
    columns = ["word", *map(str, range(dim)), *(["padding"] if is_padded else [])]
    is_skipped = []

    def skip(row: Any) -> str:  # noqa: ANN401
        is_skipped.append(row)
        return "skip"

    parsing = pyarrow.csv.ParseOptions(delimiter=" ", quote_char=False, invalid_row_handler=skip)
    converting = pyarrow.csv.ConvertOptions(
        check_utf8=False,
        column_types={"word": pa.binary()} | {str(column): pa.float32() for column in range(dim)},
        include_columns=columns[: dim + 1],
        null_values=[],
    )
    file = InputFile(str(path), ReadingRules(), ReadReport(), path, "txt")
    tables: list[pa.Table] = []
    # Arrow gets bytes, valid UTF-8: a thread of Arrow that reads from Python when the process ends would abort it.
    for lines in whole_lines(file, utf8_blocks(file)):
        reading = pyarrow.csv.ReadOptions(
            use_threads=False, column_names=columns, skip_rows=0 if tables else skipped, block_size=len(lines) + 1
        )
        tables.append(pyarrow.csv.read_csv(pa.BufferReader(lines), reading, parsing, converting))
    table = pa.concat_tables(tables)
    if n_words is not None and len(table) + len(is_skipped) != n_words:
        raise InputError(f"the header promises {n_words:,} words, the file has {len(table) + len(is_skipped):,}")
    vectors = np.empty((len(table), dim), np.float32)
    for column in range(dim):
        vectors[:, column] = table.column(column + 1).to_numpy()
    return [word.decode("utf-8", "replace") for word in table.column(0).to_pylist()], vectors


def _read_records(path: Path, n_words: int, dim: int) -> Named:
    """Read word2vec's binary format: each word, a blank, and its little-endian values."""
    with pa.input_stream(str(path)) as stream:
        data = stream.read()
    place = data.index(b"\n") + 1
    if len(data) - place < n_words * (4 * dim + 2):
        raise InputError(f"the header promises {n_words:,} words of {dim:,} values, but the file ends before")
    names, vectors = [], np.empty((n_words, dim), np.float32)
    for row in range(n_words):
        end = data.index(b" ", place)
        names.append(data[place:end].lstrip(b"\n").decode("utf-8", "replace"))
        vectors[row] = np.frombuffer(data, "<f4", dim, end + 1)
        place = end + 1 + 4 * dim
    return names, vectors


def _read_folder(folder: Path) -> Named:
    """Read a folder of sentence-transformers' static embeddings, or of model2vec."""
    places = [folder, *sorted(folder.glob("*_StaticEmbedding"))]
    place = next((one for one in places if (one / "tokenizer.json").exists()), None)
    if place is None:
        raise InputError(f"it has no tokenizer.json; a doc2vecc model is loaded with Doc2VecC.load({str(folder)!r})")
    tokenizer = json.loads(regular_file(place / "tokenizer.json").read_text("utf-8"))
    with safe_open(regular_file(place / "model.safetensors"), framework="numpy") as file:
        name = "embeddings" if "embeddings" in file.keys() else "embedding.weight"  # noqa: SIM118 - not a dict
        vectors = file.get_tensor(name).astype(np.float32)
        extra = {name: file.get_tensor(name) for name in ("mapping", "weights") if name in file.keys()}  # noqa: SIM118
    if "mapping" in extra:
        vectors = vectors[extra["mapping"]]
    if "weights" in extra:
        vectors *= extra["weights"].astype(np.float32)[:, None]
    if vectors.ndim != 2:
        raise InputError(f"the array {name!r} has the shape {vectors.shape}; it must have a row for each token")
    names = _whole_words(tokenizer, len(vectors))
    return names, vectors[: len(names)]


def _whole_words(tokenizer: dict[str, Any], n_rows: int) -> list[str]:
    """Return the names of all rows, empty where a token is a part of a word or a sign of the tokenizer."""
    model = tokenizer["model"]
    entries = model["vocab"]
    ids = dict(entries) if isinstance(entries, dict) else {token: i for i, (token, _) in enumerate(entries)}
    special = {token["content"] for token in tokenizer.get("added_tokens", []) if token.get("special")}
    last = model.get("end_of_word_suffix") or ""
    start = next((sign for sign in _WORD_STARTS if any(token.startswith(sign) for token in islice(ids, 5_000))), None)
    names = [""] * n_rows
    for token, row in ids.items():
        if token in special or row >= n_rows or token.startswith(_SUBWORD) or (start and not token.startswith(start)):
            continue
        names[row] = token.removeprefix(start or "").removesuffix(last)
    return names
