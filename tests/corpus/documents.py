"""Documents in every kind of file, and reading them back with a check of what every batch promises."""

import bz2
import csv
import gzip
import io
import itertools
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.corpus.sources import ReadingRules, TextBatches, read_files

STRICT = ReadingRules(strict=True)
LENIENT = ReadingRules(skip_malformed=True)

TEXTS = ["a good film", "", "café 😀", "שלום עולם", "nul \x00 byte"]


FILES = ["a.txt", "a.jsonl", "a.ndjson", "a.csv", "a.tsv", "a.parquet", "a.arrow", "a.feather", "a.ipc", "A.TXT"]


COMPRESS = {"gz": gzip.compress, "bz2": bz2.compress, "zst": lambda data: pa.Codec("zstd").compress(data, asbytes=True)}


def texts_of(source: TextBatches) -> list[str]:
    """Read all texts, and check what every batch promises on the way."""
    found = []
    for batch in source:
        column = batch.column(source.text_column)
        assert column.type == pa.large_string()
        assert 0 < len(column) <= 16_384
        assert (column.offset, column.null_count) == (0, 0)
        batch.validate(full=True)
        _, offsets, data = column.buffers()
        bounds = np.frombuffer(offsets, dtype=np.int64)[: len(column) + 1]
        assert len(column) == 1 or bounds[-1] - bounds[0] <= 8 << 20
        texts = [data[start:end].to_pybytes().decode() for start, end in itertools.pairwise(bounds.tolist())]
        assert texts == column.to_pylist()
        found += texts
    assert source.report.documents == len(found)
    return found


def read(path, **options) -> list[str]:
    return texts_of(read_files([path], **options))


def columns_of(path, **options) -> dict[str, list]:
    batches = list(read_files([path], keep_columns=True, **options))
    return pa.Table.from_batches(batches).to_pydict()


def batches(texts: list[str], size: int = 2) -> list[pa.LargeStringArray]:
    """Cut texts into batches as `TextBatches.texts` gives them."""
    return [pa.array(texts[start : start + size], pa.large_string()) for start in range(0, len(texts), size)]


def decoded(corpus: EncodedCorpus) -> list[list[str]]:
    """Return the words of all documents."""
    words = corpus.vocabulary.words
    return [[words[i] for i in corpus.document(number)] for number in range(len(corpus))]


def write(path: Path, content: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def write_kind(path: Path, texts: list[str], kind: str) -> Path:
    """Write texts in one of the formats, next to a number."""
    ids = range(len(texts))
    if kind == "txt":
        return write(path, "".join(text + "\n" for text in texts))
    if kind == "jsonl":
        return write(path, "".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in zip(ids, texts, strict=True)))
    if kind in ("csv", "tsv"):
        target = io.StringIO()
        writer = csv.writer(target, delimiter="," if kind == "csv" else "\t")
        writer.writerows([("id", "text"), *zip(ids, texts, strict=True)])
        return write(path, target.getvalue())
    table = pa.table({"id": list(ids), "text": pa.array(texts, pa.string())})
    if kind == "parquet":
        pq.write_table(table, path)
    elif kind == "arrow":
        feather.write_feather(table, path)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    return path


def kind_of_name(name: str) -> str:
    extension = name.lower().split(".")[1]
    return {"ndjson": "jsonl", "feather": "arrow", "ipc": "stream"}.get(extension, extension)


def invalid_strings(*values: bytes) -> pa.Array:
    """Declare bytes to be strings, as a careless writer does."""
    raw = pa.array(values, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(raw), raw.buffers())
