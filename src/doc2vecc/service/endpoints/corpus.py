"""The documents of the index: search, add, delete, and what the page needs for its map."""

import json
from typing import Any

import pyarrow as pa

from doc2vecc.corpus.sources import read_texts
from doc2vecc.search import SearchIndex
from doc2vecc.search.snippets import best_piece, make_snippet
from doc2vecc.service.corpus_map import as_json, brightness
from doc2vecc.service.endpoint import Answer, Call, Endpoint
from doc2vecc.service.endpoints.pages import GROUP as PAGE
from doc2vecc.service.endpoints.texts import pieces
from doc2vecc.service.failures import RequestError
from doc2vecc.service.loaded import vectors_of
from doc2vecc.service.schemas import HOW_MANY, INTEGER, NUMBER, STRING, answer, array, closed, optional, record, text
from doc2vecc.service.served_index import ServedIndex, Snapshot
from doc2vecc.similarity import Vectors, count_zero_rows

SHOWN = 480  # characters of a document with colored words, around those that count most
BINARY = "application/octet-stream"
MOST_DIGITS = 18  # of the number of a row
LONGEST_TEXT = 100_000  # characters of a document that an answer holds


def search(call: Call) -> Answer:
    """Find the documents nearest to a query."""
    fields, snapshot = call.fields, _index(call).current()
    index, query = snapshot.index, fields["query"]
    vectors, known_words = vectors_of(index.model, [query], normalize=True)
    unknown = index.model.unknown_words(query[:LONGEST_TEXT])
    content = {"query": query, "known_words": int(known_words[0]), "unknown_words": unknown, "documents": len(index)}
    if not known_words[0]:
        return Answer({**content, "hits": []}, 1)
    (rows,), (scores,) = index.nearest(vectors, fields.get("k", 10))
    is_explained = fields.get("explain", False)
    hits = [
        _hit(snapshot, row, score, vectors[0], is_explained=is_explained)
        for row, score in zip(rows.tolist(), scores.tolist(), strict=True)
        if row >= 0
    ]
    return Answer({**content, "hits": hits}, 1)


def _hit(snapshot: Snapshot, row: int, score: float, query: Vectors, *, is_explained: bool) -> dict[str, Any]:
    document = snapshot.index.document(row)
    shares = snapshot.index.explainer.explain(query, document.text)
    snippet = make_snippet(shares)
    hit: dict[str, Any] = {
        "id": document.id,
        "row": row,
        "similarity": score,
        "text": document.text[:LONGEST_TEXT],
        "columns": document.columns,
        "snippet": {"text": snippet.text, "marks": snippet.marks},
        "words": [{"word": word, "share": share} for word, share in shares.strongest],
    }
    if is_explained:
        first, last = best_piece(shares, SHOWN)
        hit |= {"pieces": pieces(shares, first, last), "is_cut": [first > 0, last < len(document.text)]}
    return hit


def add(call: Call) -> Answer:
    """Add documents to the index."""
    documents: list[dict[str, Any]] = call.fields["documents"]
    most = call.service.settings.max_texts
    if len(documents) > most:
        raise RequestError(413, f"{len(documents):,} documents are more than {most:,}; send fewer", param="documents")
    served = _index(call)
    id_column, columns = served.current().index.id_column, served.current().index.columns
    _check_fields(documents, columns)
    values: dict[str, list[Any]] = {"text": [one["text"] for one in documents]}
    if id_column is not None:
        for place, one in enumerate(documents):
            if one.get("id") is None:
                where = f"documents[{place}].id"
                raise RequestError(422, f"{where} is missing; documents of this index have ids", param=where)
        values[id_column] = [one["id"] for one in documents]
    elif any(one.get("id") is not None for one in documents):
        raise RequestError(
            422, "this index numbers its documents itself; leave the ids out, or build it with --id-column", param="id"
        )
    for name in columns:
        values.setdefault(name, [(one.get("columns") or {}).get(name) for one in documents])
    try:
        table = pa.table(values)
    except (pa.ArrowException, OverflowError) as error:
        raise RequestError(422, f"the values of a column differ in type: {error}", param="documents") from None

    def change(index: SearchIndex) -> tuple[int, int]:
        if id_column is not None:
            _check_new(values[id_column], index)
        added = index.add(read_texts(table, text_column="text", keep_columns=True))
        return added, count_zero_rows(index.vectors()[-1:])

    added, zero = served.change(change)
    content = {"added": added, "without_known_words": zero, "documents": len(served.current().index)}
    return Answer(content, added)


def _check_new(ids: list[int | str], index: SearchIndex) -> None:
    """Refuse ids that are in the index."""
    known = set(map(str, index.ids))
    if taken := [one for one in ids if str(one) in known]:
        is_there = "is" if len(taken) == 1 else f"and {len(taken) - 1:,} more are"
        shown = json.dumps(taken[:1], ensure_ascii=False)[:-1] + (", ...]" if len(taken) > 1 else "]")
        message = f"the id {taken[0]!r} {is_there} already in the index; to replace, first send DELETE /v1/documents"
        raise RequestError(422, f'{message} with {{"ids": {shown}}}', param="documents", code="id_taken")


def _check_fields(documents: list[dict[str, Any]], columns: list[str]) -> None:
    """Refuse what would not be stored: unknown fields, and columns that the index does not have."""
    for place, one in enumerate(documents):
        where = f"documents[{place}]"
        if unknown := [name for name in one if name not in _DOCUMENT["properties"]]:
            remedy = f'put the columns of the index into "columns": {{"{unknown[0]}": ...}}'
            if unknown[0] not in columns:
                remedy = f"leave it out; {_names_columns(columns)}"
            message = f"{where} has an unknown field {unknown[0]!r}; {remedy}"
            raise RequestError(422, message, param=f"{where}.{unknown[0]}", code="unknown_field")
        if unknown := [name for name in one.get("columns") or {} if name not in columns]:
            message = f"{where}.columns has an unknown column {unknown[0]!r}; leave it out; {_names_columns(columns)}"
            raise RequestError(422, message, param=f"{where}.columns.{unknown[0]}", code="unknown_field")


def _names_columns(columns: list[str]) -> str:
    return f"the columns of this index are: {', '.join(columns)}" if columns else "this index has no columns"


def delete(call: Call) -> Answer:
    """Delete documents of the index."""
    served, ids = _index(call), call.fields["ids"]
    known = set(map(str, served.current().index.ids))
    unknown = [one for one in map(str, ids) if one not in known]
    if unknown:
        raise RequestError(404, f"there is no document with the id {unknown[0]!r}; nothing was deleted", param="ids")
    if len(set(map(str, ids))) == len(known):
        raise RequestError(422, "an index cannot be empty; keep a document, or remove its folder", param="ids")
    deleted = served.change(lambda index: index.delete(ids))
    return Answer({"deleted": deleted, "documents": len(served.current().index)})


def corpus_map(call: Call) -> Answer:
    """Return the place of every document on the map, x and y as little-endian float32, then a byte for its area."""
    drawn = _index(call).current().map()
    return Answer(drawn.places.tobytes() + drawn.area_of.tobytes(), media_type=BINARY)


def areas(call: Call) -> Answer:
    """Return the named areas of the map."""
    return Answer({"areas": as_json(_index(call).current().map().areas)})


def light(call: Call) -> Answer:
    """Return how similar every document is to a query, as a byte from 0 to 255."""
    index = _index(call).current().index
    vectors, _ = vectors_of(index.model, [call.fields["query"]], normalize=True)
    return Answer(brightness(index.vectors(), vectors[0]).tobytes(), media_type=BINARY)


def one_document(call: Call) -> Answer:
    """Return the document of a row, for a click on the map; with a query, in pieces with their shares."""
    index, row = _index(call).current().index, call.fields["row"]
    # Python refuses to read very long numbers.
    if not row.isdecimal() or len(row) > MOST_DIGITS or int(row) >= len(index):
        shown = repr(row[:MOST_DIGITS])
        raise RequestError(404, f"there is no row {shown} in this index of {len(index):,} documents", param="row")
    document = index.document(int(row))
    shown = document.text[:LONGEST_TEXT]
    content: dict[str, Any] = {"id": document.id, "text": shown, "columns": document.columns}
    if query := call.fields.get("query"):
        vectors, _ = vectors_of(index.model, [query], normalize=True)
        shares = index.explainer.explain(vectors[0], shown)
        content |= {"similarity": float(shares.words.sum()), "pieces": pieces(shares)}
    return Answer(content)


def _index(call: Call) -> ServedIndex:
    if call.loaded.index is None:
        raise RequestError(404, "this service has no index; start it with --index", code="no_index")
    return call.loaded.index


_ID = {"type": ["string", "integer"], "description": "As in the column of ids."}
_COLUMNS = {"type": "object", "description": "The columns that the index stores."}
_HIT = record(
    ("id", "row", "similarity", "text", "columns", "snippet", "words"),
    id=_ID,
    row=INTEGER,
    similarity=NUMBER,
    text=STRING,
    columns=_COLUMNS,
    snippet=answer(text=STRING, marks=array(array(INTEGER))),
    words=array(answer(word=STRING, share=NUMBER)),
    pieces=array(answer(text=STRING, share={"type": ["number", "null"]})),
    is_cut=array({"type": "boolean"}, description="Before and after the pieces."),
)
_QUERY = closed(
    ("query",),
    query=text("A text to search for."),
    k=HOW_MANY,
    explain=optional("boolean", "Also return the part of the text that counts most, in pieces with their shares."),
)
_DOCUMENT = closed(
    ("text",),
    id={**_ID, "type": ["string", "integer", "null"]},
    text=text("The document."),
    columns={**_COLUMNS, "type": ["object", "null"]},
)
_UNKNOWN = array(STRING, description="Words of the query that are not in the vocabulary.")
_ZERO = {"type": "integer", "description": "How many of the added documents have no known word: zero vectors."}
_SIZE = {"type": "integer", "description": "How many documents the index has now."}
ENDPOINTS = [
    Endpoint(
        "POST",
        "/v1/search",
        search,
        "Documents nearest to a query, with the words that make them so",
        answer(query=STRING, known_words=INTEGER, unknown_words=_UNKNOWN, documents=INTEGER, hits=array(_HIT)),
        body=_QUERY,
        statuses=(404,),
    ),
    Endpoint(
        "POST",
        "/v1/documents",
        add,
        "Add documents to the index",
        answer(added=INTEGER, without_known_words=_ZERO, documents=_SIZE),
        body=closed(("documents",), documents=array(_DOCUMENT, minItems=1)),
        statuses=(404,),
    ),
    Endpoint(
        "DELETE",
        "/v1/documents",
        delete,
        "Delete documents of the index",
        answer(deleted=INTEGER, documents=_SIZE),
        body=closed(("ids",), ids=array(_ID, minItems=1)),
        statuses=(404,),
    ),
    Endpoint(
        "GET",
        "/page/map",
        corpus_map,
        "Places of the documents on the map",
        {"type": "string"},
        group=PAGE,
        media_type=BINARY,
        statuses=(404,),
    ),
    Endpoint("GET", "/page/areas", areas, "Named areas of the map", {"type": "object"}, group=PAGE, statuses=(404,)),
    Endpoint(
        "POST",
        "/page/light",
        light,
        "How similar every document is to a query",
        {"type": "string"},
        body=closed(("query",), query=text("A text.")),
        group=PAGE,
        media_type=BINARY,
        statuses=(404,),
    ),
    Endpoint(
        "POST",
        "/page/documents/{row}",
        one_document,
        "The document of a row, with the shares of its words",
        {"type": "object"},
        body=closed((), query=optional("string", "A text to compare it with.")),
        group=PAGE,
        statuses=(404,),
    ),
    Endpoint(
        "GET",
        "/page/documents/{row}",
        one_document,
        "The document of a row",
        answer(id=_ID, text=STRING, columns=_COLUMNS),
        group=PAGE,
        statuses=(404,),
    ),
]
