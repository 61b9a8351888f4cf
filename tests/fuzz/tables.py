"""Arrow and parquet files, sound ones and those whose buffers are damaged while the file itself is well formed."""

import io
import random
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzz import mutations

TEXTS = ["a good film", None, "the cat sat on the mat", "", "手机 is good, isn't it?"]


@cache
def tables() -> list[pa.Table]:
    text = pa.array(TEXTS)
    numbers = pa.array([1, None, 3, 4, 5], pa.int16())
    kept = {
        "dictionary": pa.array(["x", "y", None, "x", "z"]).dictionary_encode(),
        "lists": pa.array([["p", "q"], [], None, ["r"], ["s"]]),
        "struct": pa.array([{"n": 1, "s": "one"}] * 5),
        "binary": pa.array([b"\xff", b"", None, b"ab", b"c"], pa.large_binary()),
    }
    fixed = {
        "map": pa.array([[("k", 1)], [], None, [("l", 2)], []], pa.map_(pa.string(), pa.int32())),
        "fixed": pa.array([[1.0, 2.0]] * 5, pa.list_(pa.float32(), 2)),
        "view": text.cast(pa.string_view()),
        "decimal": pa.array([1, 2, None, 4, 5]).cast(pa.decimal128(30, 2)),
        "when": pa.array([1, 2, 3, None, 1 << 60], pa.timestamp("ns", "UTC")),
    }
    within = pa.array(["p", "q", "p", None, "q"]).dictionary_encode()
    newer = {
        "list_view": pa.array([["p"], [], None, ["q", "r"], ["s"]], pa.list_view(pa.string())),
        "runs": pa.RunEndEncodedArray.from_arrays(pa.array([2, 5], pa.int32()), pa.array(["x", "y"])),
        "dense": pa.UnionArray.from_dense(
            pa.array([0, 1, 0, 1, 0], pa.int8()), pa.array([0, 0, 1, 1, 2], pa.int32()),
            [pa.array([1, 2, 3]), pa.array(["a", "b"])],
        ),
        "inside": pa.StructArray.from_arrays([within, numbers], ["d", "n"]),
        "listed": pa.ListArray.from_arrays(pa.array([0, 1, 1, 3, 4, 5], pa.int32()), within),
        "flag": pa.array([True, None, False, True, True]),
        "large": pa.array([["p"], [], None, ["q", "r"], ["s"]], pa.large_list(pa.large_string())),
        "bytes": pa.array([b"ab", None, b"cd", b"ef", b"gh"], pa.binary(2)),
        "long": pa.array([1, 2, None, 4, 5], pa.duration("ns")),
    }  # fmt: skip
    return [
        pa.table({"id": numbers, "text": text}),
        pa.table({"text": text.cast(pa.large_string()), **kept}),
        pa.table({"text": text.dictionary_encode(), "id": numbers}),
        pa.table({"text": text.cast(pa.string_view()), "id": numbers}),
        pa.table({"text": text, **fixed}),
        pa.table({"text": text, **newer}),
        pa.table({"text": text, **{name: newer[name] for name in ("inside", "listed", "flag", "large", "bytes")}}),
        pa.table({"text": pa.array([f"document number {number} " * 9 for number in range(300)])}),
    ]


def buffers_of(array: pa.Array) -> list[bytes]:
    """Return the buffers of an array, its children and its dictionary."""
    found = [buffer.to_pybytes() for buffer in array.buffers() if buffer is not None and buffer.size]
    return found + (buffers_of(array.dictionary) if isinstance(array, pa.DictionaryArray) else [])


def arrow_file(draw: random.Random, table: pa.Table) -> bytes:
    """Write a sound file, in the form for files or for streams."""
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=draw.choice((None, None, None, "lz4", "zstd")))
    opener = draw.choice((pa.ipc.new_file, pa.ipc.new_file, pa.ipc.new_stream))
    with opener(sink, table.schema, options=options) as writer:
        for _ in range(draw.choice((1, 1, 2))):
            writer.write_table(table)
    return sink.getvalue()


def damage_buffers(draw: random.Random, table: pa.Table, data: bytes) -> bytes:
    """Damage numbers inside the buffers of a file that is not compressed; the file stays well formed."""
    buffers = [buffer for column in table.columns for chunk in column.chunks for buffer in buffers_of(chunk)]
    damaged = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 3))):
        buffer = draw.choice(buffers)
        place = data.find(buffer)
        width = draw.choice((1, 4, 4, 8))
        values = np.frombuffer(buffer, np.uint8)[: len(buffer) // width * width]
        if place < 0 or not len(values):
            continue
        values = mutations.array_of(draw, values.view({1: np.int8, 4: np.int32, 8: np.int64}[width]))
        damaged[place : place + values.nbytes] = values.tobytes()
    return bytes(damaged)


@cache
def parquet_files() -> list[bytes]:
    found = []
    for table in tables():
        names = [field.name for field in table.schema if not pa.types.is_nested(field.type) or field.name != "map"]
        plain = table.select(names)
        for options in ({}, {"compression": "zstd", "use_dictionary": False}, {"data_page_version": "2.0"}):
            sink = io.BytesIO()
            try:
                pq.write_table(plain, sink, **options)
            except pa.ArrowNotImplementedError:
                continue
            found.append(sink.getvalue())
    return found
