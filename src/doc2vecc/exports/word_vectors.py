"""Files of word vectors: word2vec's text and binary format, and GloVe's.

A line, or a record, is a word, a blank and the values of its vector. An n-gram is written with ``NGRAM_JOIN`` in place
of its blanks. The token rule makes that character a token by itself, so no word of two or more characters holds it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from doc2vecc.errors import OutputError
from doc2vecc.files import atomic_write
from doc2vecc.model import Model
from doc2vecc.similarity import Vectors

NGRAM_JOIN = "\u2581"  # LOWER ONE EIGHTH BLOCK
_ROWS_AT_ONCE = 1 << 13


def write_word2vec(model: Model, target: Path) -> None:
    """Write the text format of word2vec: a line with the number of words and the dimension, then a line per word."""
    names = exported_names(model)
    with atomic_write(target) as file:
        file.write(_header(model))
        _write_lines(file, names, model.word_vectors)


def write_glove(model: Model, target: Path) -> None:
    """Write GloVe's text format: a line per word."""
    names = exported_names(model)
    with atomic_write(target) as file:
        _write_lines(file, names, model.word_vectors)


def write_word2vec_binary(model: Model, target: Path) -> None:
    """Write the binary format of word2vec: values are little-endian float32."""
    names = exported_names(model)
    with atomic_write(target) as file:
        file.write(_header(model))
        for start, vectors in _blocks(model.word_vectors):
            rows = zip(names[start:], vectors.astype("<f4"), strict=False)
            file.writelines(f"{name} ".encode() + row.tobytes() + b"\n" for name, row in rows)


def exported_names(model: Model) -> list[str]:
    """Return every word and n-gram as one string without a blank: "not good" -> "not▁good"."""
    words = model.vocabulary.words[: model.vocabulary.n_words]
    for word in words:
        is_alone = word == NGRAM_JOIN
        if not word or " " in word or "\n" in word or not _is_utf8(word) or (NGRAM_JOIN in word and not is_alone):
            raise OutputError(
                f"the word {word!r} cannot be told apart in a file of word vectors, where blanks, line ends and "
                f"{NGRAM_JOIN} separate; train with a tokenizer that makes no such words"
            )
    return words + [ngram.replace(" ", NGRAM_JOIN) for ngram in model.vocabulary.words[len(words) :]]


def _is_utf8(word: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in word)


def _header(model: Model) -> bytes:
    return f"{len(model.vocabulary)} {model.dim}\n".encode()


def _blocks(vectors: Vectors) -> Iterator[tuple[int, Vectors]]:
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        yield start, np.ascontiguousarray(vectors[start : start + _ROWS_AT_ONCE])


def _write_lines(file: BinaryIO, names: list[str], vectors: Vectors) -> None:
    """Write the shortest digits that give the same float32 again."""
    for start, block in _blocks(vectors):
        columns = [pc.cast(pa.array(column), pa.large_string()) for column in np.ascontiguousarray(block.T)]
        names_here = pa.array(names[start : start + len(block)], pa.large_string())
        lines = pc.binary_join_element_wise(names_here, *columns, pa.scalar(" ", pa.large_string()))
        file.writelines(f"{line}\n".encode() for line in lines.to_pylist())
