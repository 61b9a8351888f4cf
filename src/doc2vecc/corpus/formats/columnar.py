"""parquet, Arrow files, and objects in memory with Arrow's C interface: columns that have types already."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.ipc

from doc2vecc.corpus import text_column
from doc2vecc.corpus.formats.reading import InputFile, input_errors
from doc2vecc.corpus.report import Reading
from doc2vecc.corpus.text_column import Keep, OpenTable, Texts, is_text
from doc2vecc.errors import InputError


def arrow_table(schema: pa.Schema, batches: Callable[[Texts, Keep], Iterator[pa.RecordBatch]]) -> OpenTable:
    """Describe anything that has an Arrow schema."""
    return OpenTable(list(schema.names), [f.name for f in schema if is_text(f.type)], batches)


@contextmanager
def open_parquet(
    file: InputFile, opened: pa.NativeFile | None = None, row_groups: Sequence[int] | None = None
) -> Iterator[OpenTable]:
    """Read a parquet file some thousand rows at a time, whatever its row groups are; with ``row_groups`` only those.

    A file of another file system comes ``opened``.
    """
    from pyarrow.parquet import ParquetFile  # takes a while, and most programs read no parquet

    # With these options Arrow reads a column piecewise; by default, the whole column of a row group at once.
    with ParquetFile(opened or file.path, buffer_size=1 << 20, pre_buffer=False) as source:
        meta = source.metadata
        total_bytes = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
        batch_size = min(4096, max(64, text_column.BLOCK_BYTES * meta.num_rows // max(total_bytes, 1)))

        def batches(texts: Texts, keep: Keep) -> Iterator[pa.RecordBatch]:
            rows = 0
            others = set(keep or ()) & set(source.schema_arrow.names) - set(texts) if keep is not True else ()
            columns = None if keep is True else [*texts, *others]
            for batch in source.iter_batches(batch_size, row_groups=row_groups, columns=columns):
                rows += batch.num_rows
                file.position = file.size * rows // meta.num_rows
                yield batch

        yield arrow_table(source.schema_arrow, batches)


@contextmanager
def open_arrow(file: InputFile) -> Iterator[OpenTable]:
    """Read an Arrow file (also called feather) or stream; mapped, so that a large batch costs no memory."""
    with pa.memory_map(str(file.path)) as source:
        is_file_format = source.read(6) == b"ARROW1"
        source.seek(0)
        reader = pa.ipc.open_file(source) if is_file_format else pa.ipc.open_stream(source)

        def batches(texts: Texts, keep: Keep) -> Iterator[pa.RecordBatch]:
            stored = map(reader.get_batch, range(reader.num_record_batches)) if is_file_format else reader
            for done, batch in enumerate(stored, start=1):
                # The file format is read at random places: count batches instead of bytes.
                share_of_file = is_file_format and file.size * done // reader.num_record_batches
                file.position = share_of_file or min(source.tell(), file.size)
                yield batch if keep else batch.select(list(texts))

        yield arrow_table(reader.schema, batches)


# ---- Arrow's C interface


@contextmanager
def open_arrow_object(source: object, reading: Reading) -> Iterator[OpenTable]:
    """Take a table by its text column, an array as it is."""
    with input_errors(reading.name):
        yield _arrow_object(source)


def _arrow_object(source: object) -> OpenTable:
    """Open a table or an array, given as a stream of chunks or in one piece."""
    if not hasattr(source, "__arrow_c_stream__"):
        array = pa.array(source)
        if not pa.types.is_struct(array.type):
            return _column(pa.chunked_array([array]))
        source = pa.Table.from_struct_array(array)
    try:
        reader = pa.RecordBatchReader.from_stream(source)
    except pa.ArrowInvalid:  # not a table
        return _column(pa.chunked_array(source))
    return arrow_table(
        reader.schema, lambda texts, keep: (batch if keep else batch.select(list(texts)) for batch in reader)
    )


def _column(column: pa.ChunkedArray) -> OpenTable:
    """Read the only column there is; one of nulls alone holds missing texts."""
    if not is_text(column.type) and not pa.types.is_null(column.type):
        raise InputError(f"an array of type {column.type} was given; the texts must be strings")

    def batches(texts: Texts, _keep: Keep) -> Iterator[pa.RecordBatch]:
        return (pa.RecordBatch.from_arrays([chunk], texts) for chunk in column.iterchunks())

    return OpenTable([], [], batches, is_nameless=True)
