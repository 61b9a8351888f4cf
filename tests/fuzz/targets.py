"""What is tried: how a case is made, as files, and what doc2vecc does with it. Only a Doc2VecCError may come of it."""

import bz2
import gzip
import io
import json
import random
import struct
import warnings
import zlib
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from doc2vecc import Doc2VecC, storage
from doc2vecc.cli import main
from doc2vecc.corpus.encoding import encode
from doc2vecc.corpus.report import ReadingRules
from doc2vecc.corpus.sources import read_files
from doc2vecc.corpus.tokenizer import tokenize
from doc2vecc.errors import CorpusWarning, Doc2VecCError
from doc2vecc.outputs import write_vectors
from tests.fuzz import folders, mutations, tables

MODELS = Path(__file__).parents[1] / "models"
OUTPUTS = ("parquet", "arrow", "jsonl", "csv")
EXPORTS = ("sentence-transformers", "model2vec", "word2vec", "word2vec-binary", "glove")
TEXTS_AT_ONCE = 1000
Case = dict[str, bytes]  # the files of a case by their names


class Target(NamedTuple):
    """How to make a case, and to try it in the folder that holds its files."""

    make: Callable[[random.Random], Case]
    run: Callable[[Path], None]
    texts: int = 1  # in a case


@cache
def model() -> storage.Model:
    return storage.load(MODELS / "words.d2v")


def variety(folder: Path) -> int:
    """Return a number that follows from the files of a case, for what is not done with each."""
    return zlib.crc32(b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()))


def command(*arguments: object) -> None:
    """Run a command in this process: it must succeed, or say in one line what the mistake is."""
    output, messages = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(messages):
        code = main([str(one) for one in arguments])
    if code not in (0, 2) or (code == 2 and "error: " not in messages.getvalue()):
        raise AssertionError(f"exit code {code}: {messages.getvalue()}")
    if any(not character.isprintable() for line in output.getvalue().split("\n") for character in line):
        raise AssertionError(f"a control character is printed: {output.getvalue()!r:.300}")


def read_and_write(folder: Path) -> None:
    """Embed a file and write its vectors beside all of its columns; read it again as training does."""
    (path,) = (one for one in folder.iterdir() if one.name.startswith("input."))
    number = variety(folder)
    if number % 256 == 5:
        command("embed", MODELS / "words.d2v", path, "-o", folder / "output.jsonl", "--workers", 1)
        return
    kind = OUTPUTS[number % len(OUTPUTS)]
    rules = ReadingRules(skip_malformed=number % 3 == 0, max_document_mb=1 if number % 5 == 0 else 1000)
    batches = read_files([path], keep_columns=True, rules=rules)
    write_vectors(model(), batches, folder / f"output.{kind}", kind)
    if number % 8 == 0:  # it takes longer than the rest
        encode(read_files([path], rules=rules).texts(), min_count=1)


# ---- Arrow, parquet


def make_arrow(draw: random.Random) -> Case:
    table = draw.choice(tables.tables())
    data = tables.arrow_file(draw, table)
    if draw.random() < 0.6:
        data = tables.damage_buffers(draw, table, data)
    if draw.random() < 0.5:
        data = mutations.bytes_of(draw, data)
    return {"input.arrow": data}


def make_parquet(draw: random.Random) -> Case:
    first, second = draw.choices(tables.parquet_files(), k=2)
    return {"input.parquet": mutations.bytes_of(draw, first, second)}


# ---- csv, jsonl, txt, compressed


def make_lines(draw: random.Random) -> Case:
    kind = draw.choice(("csv", "tsv", "jsonl", "json", "txt"))
    rows = [[str(number), mutations.text_of(draw), draw.choice(("", "x", "1"))] for number in range(draw.randrange(20))]
    if kind == "txt":
        data = "\n".join(text for _, text, _ in rows).encode()
    elif kind in ("jsonl", "json"):
        lines = [json.dumps({"id": number, "text": text, "tag": tag}) for number, text, tag in rows]
        if lines and draw.random() < 0.3:
            odd = mutations.json_of(draw, {"text": "a", "more": [1, {"b": None}]})
            lines[draw.randrange(len(lines))] = odd.decode("latin-1")
        text = "\n".join(lines) if kind == "jsonl" else "[" + ",\n".join(lines) + "]"
        data = text.encode("utf-8", "surrogatepass")
    else:
        delimiter = "\t" if kind == "tsv" else draw.choice(",;|\t")
        quoted = [[f'"{cell}"' if draw.random() < 0.3 else cell for cell in row] for row in rows]
        data = "\n".join(delimiter.join(row) for row in [["id", "text", "tag"], *quoted]).encode()
    if draw.random() < 0.7:
        data = mutations.bytes_of(draw, data)
    packing = draw.choice((None, None, None, "gz", "bz2", "zst"))
    if packing:
        pack = {"gz": gzip.compress, "bz2": bz2.compress, "zst": lambda one: pa.compress(one, "zstd", asbytes=True)}
        data = pack[packing](data)
        if draw.random() < 0.5:
            data = mutations.bytes_of(draw, data)
    return {f"input.{kind}" + (f".{packing}" if packing else ""): data}


# ---- model folders


@cache
def sound_models() -> list[tuple[dict[str, object], dict[str, np.ndarray], bytes]]:
    """Return the sound folders: the config, the arrays, and the file of the arrays."""
    found = []
    for name in ("words.d2v", "ngrams.d2v"):
        config = json.loads((MODELS / name / storage.CONFIG_FILE).read_text("utf-8"))
        path = MODELS / name / storage.ARRAYS_FILE
        arrays = {key: np.array(value) for key, value in storage._read_arrays(path).items()}
        found.append((config, arrays, path.read_bytes()))
    return found


def safetensors(draw: random.Random, arrays: dict[str, np.ndarray], *, damage_header: bool) -> bytes:
    names = {np.dtype(dtype): name for name, dtype in storage._DTYPES.items()}
    header: dict[str, object] = {}
    position = 0
    for name, array in arrays.items():
        end = position + array.nbytes
        header[name] = {"dtype": names[array.dtype], "shape": list(array.shape), "data_offsets": [position, end]}
        position = end
    text = mutations.json_of(draw, header) if damage_header else json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(array.tobytes() for array in arrays.values())


def make_model(draw: random.Random) -> Case:
    config, arrays, data = draw.choice(sound_models())
    text = json.dumps(config).encode()
    kind = draw.randrange(10)
    if kind < 2:
        text = mutations.json_of(draw, config)
    elif kind < 4:
        data = mutations.bytes_of(draw, data)
    elif kind == 4:
        data = safetensors(draw, arrays, damage_header=True)
    else:
        changed = dict(arrays)
        for _ in range(draw.choice((1, 1, 2))):
            name = draw.choice(list(changed))
            if draw.random() < 0.8:
                changed[name] = mutations.array_of(draw, changed[name])
            else:
                rows = draw.choice((0, 1, len(changed[name]) - 1))
                changed[name] = changed[name][:rows]
        data = safetensors(draw, changed, damage_header=False)
    return {storage.CONFIG_FILE: text, storage.ARRAYS_FILE: data}


def use_model(folder: Path) -> None:
    """Load a folder and do everything with it that reads its arrays."""
    estimator = Doc2VecC.load(folder)
    estimator.transform(["a good film of the cat", "", "手机 and oil, not good at all"])
    words = estimator.vocabulary_.words
    estimator.similar_words(words[0], 3)
    estimator.explain(" ".join(words[:3]), words[-1])
    number = variety(folder)
    if number % 8 == 0:
        repr(estimator)
        estimator._repr_html_()
    if number % 8 == 4:
        estimator.set_params(epochs=1, workers=1, min_count=1, init="random")
        estimator.partial_fit(["a good film", words[0], "new words of the cat"] * 3)
        estimator.save(folder / "saved.d2v")
    if number % 128 == 1:
        command("inspect", folder)
    elif number % 128 == 2:
        kind = EXPORTS[number // 128 % len(EXPORTS)]
        command("export", folder, "--to", kind, "-o", folder / "exported")
    elif number % 128 == 3:
        command("words", folder, words[0], "-k", 3)


# ---- texts


def make_texts(draw: random.Random) -> Case:
    texts = [mutations.text_of(draw, draw.choice((3, 8, 30))) for _ in range(TEXTS_AT_ONCE)]
    return {"texts.json": json.dumps(texts).encode()}


def use_texts(folder: Path) -> None:
    """Compare the two forms of the tokenizer, and embed."""
    texts = json.loads((folder / "texts.json").read_bytes())
    column = pa.array(texts, pa.large_string())
    corpus = encode([column], min_count=1) if any(map(tokenize, texts)) else None
    if corpus is not None:
        words = corpus.vocabulary.words
        for number, text in enumerate(texts):
            found = [words[word_id] for word_id in corpus.document(number)]
            if found != tokenize(text):
                raise AssertionError(f"{text!r} -> {found} by the kernel, {tokenize(text)} in Python")
    embedding = model().embed(column)
    if not np.isfinite(embedding.vectors).all():
        raise AssertionError("a vector is not finite")


# ---- settings

_NUMBERS = (
    *(0, 1, 2, 3, 7, 16, 100, -1, 10**6, 1 << 40, 10**30),
    *(0.5, 1e-9, 1e-4, 0.999, 1.0, 2.5, float("nan"), None, "auto", True, "x"),
)
_SMALL = (1, 2, 3, 5, 8, 17)


def make_settings(draw: random.Random) -> Case:
    names = sorted(Doc2VecC._get_param_names())
    settings: dict[str, object] = {"epochs": draw.choice((1, 2, 3)), "workers": 1, "min_count": draw.choice((1, 2))}
    settings |= {"vector_size": draw.choice((*_SMALL, 33))}
    for name in draw.choices(
        [one for one in names if one not in ("tokenizer", "verbose", "text_column")], k=draw.choice((1, 1, 2, 3))
    ):
        special = {
            "ngram_range": ([1, 1], [1, 2], [1, 5], [2, 1], [1], [0, 1], [1, 99], None, "x"),
            "init": ("spectral", "random", "x", 1), "architecture": ("cbow", "skipgram", "x", None),
            "epochs": (1, 2, "auto", 0, -1, 1.5, None, 10**20), "workers": (1, 2, 3, 0, -1, 10**9, 1.5),
            "vector_size": (*_SMALL, 0, -1, 10**9, 1.5, "x"), "negative": (1, 2, 50, 1000, 0, 10**9),
            "window": (1, 2, 1000, 65_536, 65_537, 0), "shared_targets": (1, 4, 8, 9, 0),
        }  # fmt: skip
        settings[name] = draw.choice(special.get(name, _NUMBERS))
    texts = [mutations.text_of(draw, 12) for _ in range(draw.choice((1, 3, 30)))]
    return {"settings.json": json.dumps({"settings": settings, "texts": texts}).encode()}


def use_settings(folder: Path) -> None:
    """Train with odd settings on a few texts, and embed them."""
    case = json.loads((folder / "settings.json").read_bytes())
    settings = {name: tuple(one) if isinstance(one, list) else one for name, one in case["settings"].items()}
    vectors = Doc2VecC(**settings).fit(case["texts"]).transform(case["texts"])
    if not np.isfinite(vectors).all():
        raise AssertionError("a vector is not finite")


TARGETS = {
    "arrow": Target(make_arrow, read_and_write),
    "parquet": Target(make_parquet, read_and_write),
    "lines": Target(make_lines, read_and_write),
    "model": Target(make_model, use_model),
    "texts": Target(make_texts, use_texts, TEXTS_AT_ONCE),
    "settings": Target(make_settings, use_settings),
    "index": Target(folders.make_index, folders.use_index),
    "vectors": Target(folders.make_vectors, folders.use_vectors),
    "checkpoint": Target(folders.make_checkpoint, folders.use_checkpoint),
}


def try_case(name: str, case: Case, folder: Path) -> str:
    """Write the files of a case and try it -> what came of it: "done", or the name of the error."""
    for path in folder.iterdir():
        remove(path)
    for file, data in case.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CorpusWarning)
            TARGETS[name].run(folder)
    except Doc2VecCError as error:
        str(error)
        return type(error).__name__
    return "done"


def remove(path: Path) -> None:
    if path.is_dir():
        for inner in path.iterdir():
            remove(inner)
        path.rmdir()
    else:
        path.unlink()
