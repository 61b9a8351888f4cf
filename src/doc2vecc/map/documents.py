"""Read documents once -> Documents: their columns, vectors and words, in memory; what maps and topics are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse

from doc2vecc.console import counted, one_line
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.corpus.encoding import encode
from doc2vecc.corpus.ngrams import NgramRule
from doc2vecc.corpus.numbering import Tokenizer
from doc2vecc.corpus.sources import TextBatches
from doc2vecc.corpus.tokenizer import symbol_table
from doc2vecc.errors import EmptyVocabularyError, InputError, ParameterError
from doc2vecc.kernels.text.tokens import TABLE_SIZE, UNSPACED
from doc2vecc.model import Model, Vectors
from doc2vecc.similarity import normalized

LONGEST_NAME = 3  # words of an n-gram in a name
FEW_DOCUMENTS = 3  # a map or topics need more
_BATCH = 4_096  # documents whose words are counted at once


@dataclass(eq=False)
class Documents:
    """The documents that have a vector: a table of their columns, unit vectors, and their place in the input."""

    table: pa.Table
    text_column: str
    vectors: Vectors
    rows: npt.NDArray[np.int64]  # in the input, from 0
    tokenizer: Tokenizer
    workers: int = 1
    notes: list[str] = field(default_factory=list)  # what was left out

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def texts(self) -> pa.ChunkedArray:
        """The text of every document."""
        return self.table[self.text_column]

    def check_columns(self, names: Iterable[str]) -> None:
        """Refuse a column that the input does not have."""
        for name in names:
            if name not in self.table.column_names:
                raise InputError(f"there is no column {name!r}; the input has: {', '.join(self.table.column_names)}")

    def column(self, name: str) -> pa.Array:
        """Return a column by its name, in one piece."""
        self.check_columns([name])
        column = self.table[name].combine_chunks()
        is_dictionary = pa.types.is_dictionary(column.type)
        return column.dictionary_decode() if is_dictionary else column

    def beginnings(self, length: int, places: npt.NDArray[np.int64] | None = None) -> list[str]:
        """Return how the documents begin, all or those at some places, on one line: "a long text" -> "a long…"."""
        texts = self.texts if places is None else self.texts.take(pa.array(places))
        # A text may be long: only a part of it becomes a Python string.
        starts = pc.utf8_slice_codeunits(texts, 0, 4 * length).to_pylist()
        lines = (one_line(start) for start in starts)
        return [line if len(line) <= length else line[: length - 1].rstrip() + "…" for line in lines]

    @cached_property
    def words(self) -> WordCounts:
        """Which words and n-grams each document has."""
        return count_words(self)


@dataclass(frozen=True)
class WordCounts:
    """Which document has which word or n-gram: (documents, words), true or absent."""

    words: list[str]
    presence: scipy.sparse.csr_matrix
    spellings: dict[str, str]  # how a word is written most often, where that is not in small letters

    def written(self, word: str) -> str:
        """Return a word or n-gram as the texts write it: "new york" -> "New York"."""
        parts = [self.spellings.get(part, part) for part in word.split(" ")]
        return ("" if all(map(is_unspaced, parts)) else " ").join(parts)


def read_documents(
    model: Model, batches: TextBatches, *, workers: int = 1, on_batch: Callable[[int], None] | None = None
) -> Documents:
    """Read and embed documents; those without a known word are left out."""
    tables, parts, places = [], [], []
    n_rows = 0
    for batch in batches:
        embedding = model.embed(batch.column(batches.text_column), workers)
        is_known = np.any(embedding.vectors, axis=1)
        tables.append(pa.Table.from_batches([batch.filter(pa.array(is_known))]))
        parts.append(normalized(embedding.vectors[is_known]))
        places.append(n_rows + np.flatnonzero(is_known))
        n_rows += batch.num_rows
        if on_batch is not None:
            on_batch(batch.num_rows)
    n_known = sum(map(len, parts))
    notes = batches.report.messages()
    if n_known < n_rows:
        notes.append(f"{n_rows - n_known:,} of {n_rows:,} documents have no known word: left out")
    if n_known <= FEW_DOCUMENTS:
        raise InputError(f"{counted(n_known, 'document')} with a known word; at least {FEW_DOCUMENTS + 1} are needed")
    rows = np.concatenate(places)
    rows = rows if batches.rows is None else batches.rows[rows]
    column = batches.text_column or "text"
    return Documents(pa.concat_tables(tables), column, np.concatenate(parts), rows, model.tokenizer, workers, notes)


# ---- words


def is_unspaced(word: str) -> bool:
    """Tell whether a word is a character of a script without spaces, such as Chinese."""
    symbol = int(symbol_table()[ord(word[0])]) if word and ord(word[0]) < TABLE_SIZE else 0
    return symbol >= 0 and bool(symbol & UNSPACED)


def count_words(documents: Documents) -> WordCounts:
    """Find the words and n-grams of documents that several of them have, if any, and which documents have them."""
    try:
        corpus = _encoded(documents)
    except EmptyVocabularyError:
        return WordCounts([], scipy.sparse.csr_matrix((len(documents), 0), dtype=np.float32), {})
    shape = (len(documents), len(corpus.vocabulary))
    ids = np.asarray(corpus.ids)
    presence = scipy.sparse.csr_matrix((np.ones(len(ids), np.float32), ids, corpus.offsets), shape)
    return WordCounts(corpus.vocabulary.words, presence, _spellings(documents))


def _encoded(documents: Documents) -> EncodedCorpus:
    least = 2 if len(documents) < 1_000 else 5
    options: dict[str, Any] = {"tokenizer": documents.tokenizer, "workers": documents.workers, "binary": True}
    try:
        rule = NgramRule(LONGEST_NAME, 2 * least, at_most=200_000)
        return encode(_text_batches(documents), min_count=least, ngrams=rule, **options)
    except ParameterError:  # tokens of the user's own tokenizer hold blanks, and say more than a word already
        return encode(_text_batches(documents), min_count=least, **options)


def _text_batches(documents: Documents) -> Iterator[Any]:
    texts = documents.texts
    for start in range(0, len(texts), _BATCH):
        part = texts.slice(start, _BATCH).combine_chunks()
        yield part if isinstance(part, pa.Array) else part.chunk(0)


def _spellings(documents: Documents) -> dict[str, str]:
    """Return how words are written that are mostly not in small letters: {"uk": "UK", "london": "London"}."""
    step = max(1, len(documents) // 5_000)  # enough to tell
    forms: Counter[str] = Counter()
    for text in documents.texts.take(pa.array(range(0, len(documents), step))).to_pylist():
        # What begins a sentence is capitalized for another reason.
        forms.update(word for before, word in _neighbors(text[:2_000].split()) if before[-1] not in ".!?:;\"'>")
    found: dict[str, Counter[str]] = {}
    for form, count in forms.items():
        found.setdefault(form.lower(), Counter())[form] += count
    most = {word: max(counts, key=lambda form: (counts[form], form)) for word, counts in found.items()}
    return {word: form for word, form in most.items() if form != word and 2 * found[word][form] > found[word].total()}


def _neighbors(words: list[str]) -> Iterator[tuple[str, str]]:
    stripped = (word.strip(".,()!?;:\"'") for word in words[1:])
    return zip(words, stripped, strict=False)
