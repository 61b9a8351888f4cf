"""SearchIndex: documents in a folder that are found by meaning; built once, extended and cut down later."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc import storage
from doc2vecc.config import available_cores, require
from doc2vecc.console import ProgressListener, Silent, notify_on_compile
from doc2vecc.corpus.numbering import Tokenizer
from doc2vecc.corpus.sources import read_texts
from doc2vecc.errors import InputError, SearchIndexError, UnknownWordError
from doc2vecc.files import atomic_folder
from doc2vecc.model import Model
from doc2vecc.outputs import python_values
from doc2vecc.search import folder as files
from doc2vecc.search import graph as graphs
from doc2vecc.search.folder import Description
from doc2vecc.search.reading import FittedEstimator
from doc2vecc.search.results import Hit, Hits
from doc2vecc.search.shares import Explainer
from doc2vecc.search.snippets import make_snippet
from doc2vecc.search.writing import columns_of_before, embedded_rows, finish, kept_rows, with_schema
from doc2vecc.similarity import NearestRows, Similar, Vectors, normalized, top_k

if TYPE_CHECKING:
    from usearch.index import Index

SILENT = Silent()


class SearchIndex:
    """Documents with their vectors, in a folder. Made by `build` or `load`.

    Below 50,000 documents a search compares the query with all of them. From there on it follows a graph
    (usearch, ``pip install 'doc2vecc[search]'``); ``recall`` is the share of the 10 nearest documents that it finds, as
    measured when the index was written.
    """

    def __init__(self, folder: str | Path, *, tokenizer: Tokenizer | None = None) -> None:
        self.folder = Path(folder)
        self._read(tokenizer)

    def _read(self, tokenizer: Tokenizer | None) -> None:
        self._description = files.read_description(self.folder)
        self.model = storage.load(self.folder / files.MODEL_FOLDER, tokenizer)
        if self.model.dim != self._description.dim:
            raise files.damaged(self.folder / files.DESCRIPTION_FILE, "its model has another dimension")
        self.explainer = Explainer(self.model)
        self._parts = files.read_parts(self.folder, self._description)
        self._documents: pa.Table = pa.concat_tables([part.documents for part in self._parts])
        self._numbers: npt.NDArray[np.int64] = self._documents.column(files.NUMBER).to_numpy()
        self._graph: Index | None = None
        if self._description.expansion is not None:
            path = self.folder / files.GRAPH_FILE
            problem = graphs.problem_of_graph(path, self.model.dim, self._numbers)
            if problem is not None:
                raise files.damaged(path, problem)
            self._graph = graphs.open_graph(path)

    @classmethod
    def load(cls, folder: str | Path, *, tokenizer: Tokenizer | None = None) -> SearchIndex:
        """Open an index; its files are checked and mapped. A model with a tokenizer of your own needs it again."""
        return cls(folder, tokenizer=tokenizer)

    @classmethod
    def build(
        cls,
        model: Model | FittedEstimator,
        texts: Any,  # noqa: ANN401
        folder: str | Path,
        *,
        columns: str | Sequence[str] = (),
        id_column: str | None = None,
        workers: int | None = None,
        progress: ProgressListener = SILENT,
    ) -> SearchIndex:
        """Embed documents and write an index of them; an older index of that name is replaced.

        ``texts`` is whatever ``fit`` takes: texts, a path, a data frame, Arrow data; a Doc2VecC reads it with its own
        parameters. ``columns`` are stored beside the text and come back with each hit. The ids come from ``id_column``,
        else documents are numbered from 0.
        """
        folder, own = Path(folder), model if isinstance(model, Model) else model.model_
        files.check_place(folder)
        columns = [columns] if isinstance(columns, str) else list(columns)
        kept = [*columns, *([id_column] if id_column is not None else [])]
        if isinstance(model, Model):
            batches, n_workers = read_texts(texts, keep_columns=kept), workers or available_cores()
        else:
            batches, n_workers = model._read(texts, keep_columns=kept), workers or model._n_workers()
        description = Description(own.dim, 0, 0, id_column, columns, ["000000"])
        with notify_on_compile(), atomic_folder(folder) as new:
            storage.save(own, new / files.MODEL_FOLDER)
            n_documents = files.write_part(new, "000000", embedded_rows(own, batches, description, n_workers, progress))
            if n_documents == 0:
                raise InputError("there are no documents to search in; give some")
            description = replace(description, documents=n_documents, next_number=n_documents)
            finish(new, own, description, n_workers, progress)
        return cls(folder, tokenizer=None if own.characters is not None else own.tokenizer)

    # ---- what it holds

    def __len__(self) -> int:
        return self._description.documents

    @property
    def recall(self) -> float | None:
        """The share of the 10 nearest documents that a search finds, as measured; None if all are compared."""
        return self._description.recall

    @property
    def columns(self) -> list[str]:
        """The names of the columns that come back with each hit."""
        return list(self._description.columns)

    @property
    def needed_columns(self) -> list[str]:
        """The names of the columns that documents must have to be added, besides the text."""
        id_column = self._description.id_column
        return [*self.columns, *([id_column] if id_column is not None else [])]

    @property
    def ids(self) -> list[int] | list[str]:
        """The ids of all documents, in the order in which they were added."""
        found: list[int] | list[str] = self._documents.column(files.ID).to_pylist()
        return found

    @property
    def id_column(self) -> str | None:
        """The column that the ids came from; None if documents are numbered."""
        return self._description.id_column

    def document(self, row: int) -> Hit:
        """Return the document of a row of `nearest`, without a score."""
        return self._hit(row, 0.0, None)

    def vectors(self) -> list[Vectors]:
        """Return the vectors of all documents, of length one, in the order of the rows; in some parts."""
        return [part.vectors for part in self._parts]

    def coordinates(self) -> Vectors | None:
        """Return the columns x and y of all documents, (n, 2), as `doc2vecc map` writes them; None without them."""
        if not {"x", "y"} <= set(self.columns):
            return None
        places = (files.COLUMNS + self.columns.index(name) for name in ("x", "y"))
        columns = [self._documents.column(place) for place in places]
        if not all(pa.types.is_integer(one.type) or pa.types.is_floating(one.type) for one in columns):
            return None
        return np.stack([one.cast(pa.float32(), safe=False).to_numpy() for one in columns], axis=1)

    # ---- search

    @overload  # a str is an iterable of str too; this one is meant for it
    def search(  # type: ignore[overload-overlap]
        self, queries: str, k: int = 10, *, exact: bool = False, snippets: bool = True
    ) -> Hits: ...

    @overload
    def search(
        self, queries: Iterable[str], k: int = 10, *, exact: bool = False, snippets: bool = True
    ) -> list[Hits]: ...

    def search(
        self, queries: str | Iterable[str], k: int = 10, *, exact: bool = False, snippets: bool = True
    ) -> Hits | list[Hits]:
        """Find the ``k`` documents nearest to a query, or to each of several, the nearest first.

        ``exact`` compares with all documents, also in a large index. Without ``snippets`` a hit has neither snippet nor
        words. A single query without a known word is an error; among several it has no hits.
        """
        require("k", k, whole=True, low=1)
        texts = [queries] if isinstance(queries, str) else list(queries)
        with notify_on_compile():
            embedded = [self.model.embed(batch) for batch in read_texts(texts).texts()]
        known = [number for one in embedded for number in one.known_words.tolist()]
        if isinstance(queries, str) and known == [0]:
            raise UnknownWordError(f"no word of the query {queries!r} is in the vocabulary; try other words")
        if not texts:
            return []
        vectors = np.concatenate([one.vectors for one in embedded])
        found = self.nearest(vectors, k, exact=exact)
        all_hits = []
        for query, vector, known_words, rows, scores in zip(texts, vectors, known, *found, strict=True):
            is_known = known_words > 0
            pairs = zip(rows.tolist(), scores.tolist(), strict=True) if is_known else ()
            hits = [self._hit(row, score, vector if snippets else None) for row, score in pairs if row >= 0]
            all_hits.append(Hits(query, known_words, hits))
        return all_hits[0] if isinstance(queries, str) else all_hits

    def nearest(self, vectors: npt.ArrayLike, k: int = 10, *, exact: bool = False) -> Similar:
        """Find the rows of the ``k`` documents nearest to each vector; -1 where there are not as many."""
        queries = normalized(np.asarray(vectors, np.float32))
        k = min(k, len(self))
        if self._graph is None or exact or 10 * k > len(self):
            found = NearestRows(queries, k)
            for part in self._parts:
                found.add(part.vectors, are_unit=True)
            return found.found
        indices, similarities = np.full((len(queries), k), -1), np.zeros((len(queries), k), np.float32)
        numbers = graphs.search_graph(self._graph, queries, k, self._description.expansion or k, available_cores())
        for place, (query, near) in enumerate(zip(queries, numbers, strict=True)):
            rows = np.searchsorted(self._numbers, near)
            scores = self._vectors_of(rows) @ query  # the graph compares in half precision
            n_hits = min(k, len(rows))
            best = top_k(scores[None, :], n_hits)[0]
            indices[place, :n_hits], similarities[place, :n_hits] = rows[best], scores[best]
        return Similar(indices, similarities)

    def _vectors_of(self, rows: npt.NDArray[np.int64]) -> Vectors:
        found, start = np.empty((len(rows), self.model.dim), np.float32), 0
        for part in self._parts:
            is_own = (rows >= start) & (rows < start + len(part.vectors))
            found[is_own] = part.vectors[rows[is_own] - start]
            start += len(part.vectors)
        return found

    def _hit(self, row: int, score: float, query: Vectors | None) -> Hit:
        """Make the hit of a row; with the vector of a query also its snippet and words."""
        id_, text, *values = (python_values(column.slice(row, 1))[0] for column in self._documents.columns[files.ID :])
        columns = dict(zip(self._description.columns, values, strict=True))
        if query is None:
            return Hit(id_, score, text, columns)
        shares = self.explainer.explain(query, text)
        return Hit(id_, score, text, columns, make_snippet(shares), shares.strongest)

    # ---- changes

    def add(
        self,
        texts: Any,  # noqa: ANN401
        *,
        workers: int | None = None,
        progress: ProgressListener = SILENT,
    ) -> int:
        """Add documents, with the same columns as before -> how many. Their ids must be new.

        The text is in the column that it was in before, where there is one of that name.
        """
        old, part = self._description, f"{int(self._description.parts[-1]) + 1:06}"
        n_workers = workers or available_cores()
        batches = read_texts(texts, keep_columns=self.needed_columns)
        batches.default_columns = partial(columns_of_before, files.text_columns(self._documents.schema))
        with notify_on_compile(), atomic_folder(self.folder) as new:
            files.share_files([*old.files, files.CARD], self.folder, new)
            rows = embedded_rows(self.model, batches, old, n_workers, progress)
            added = files.write_part(new, part, with_schema(rows, self._documents.schema))
            if added == 0:
                raise InputError("there are no documents to add; give some")
            description = replace(
                old, documents=len(self) + added, next_number=old.next_number + added, parts=[*old.parts, part]
            )
            finish(new, self.model, description, n_workers, progress)
        self._read(self._own_tokenizer())
        return added

    def delete(self, ids: Iterable[int | str], *, progress: ProgressListener = SILENT) -> int:
        """Delete the documents with these ids -> how many; what is not shared with other documents is gone at once.

        Ids may be given as text, too. An id that does not exist is an error, and nothing is deleted.
        """
        wanted = {str(one): one for one in ids}
        old, is_kept = self._description, np.array([str(one) not in wanted for one in self.ids])
        unknown = wanted.keys() - {str(one) for one in self.ids}
        if unknown:
            raise SearchIndexError(f"there is no document with the id {min(unknown)!r}; nothing was deleted")
        if not is_kept.any():
            raise SearchIndexError("an index cannot be empty; remove its folder instead")
        if not wanted:
            return 0
        with atomic_folder(self.folder) as new:
            files.share_files([*files.MODEL_FILES, files.CARD], self.folder, new)
            if self._graph is not None:
                files.share_files([files.GRAPH_FILE], self.folder, new)
            parts = []
            for name, part in zip(old.parts, self._parts, strict=True):
                own, is_kept = is_kept[: len(part.vectors)], is_kept[len(part.vectors) :]
                if own.all():
                    files.share_files(files.part_files(name), self.folder, new)
                elif own.any():
                    files.write_part(new, name, kept_rows(part, own))
                parts += [name] if own.any() else []
            description = replace(old, documents=len(self) - len(wanted), parts=parts)
            finish(new, self.model, description, available_cores(), progress)
        self._read(self._own_tokenizer())
        return len(wanted)

    def _own_tokenizer(self) -> Tokenizer | None:
        return self.model.tokenizer if self.model.characters is None else None
