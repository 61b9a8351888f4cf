"""What endpoints share: the texts of a request, within the limits, and the pieces of a text with their shares."""

from typing import Any, NamedTuple

from doc2vecc.model import Model
from doc2vecc.search.shares import Shares, pieces_of
from doc2vecc.service.endpoint import Call, Fields
from doc2vecc.service.failures import RequestError
from doc2vecc.service.loaded import vectors_of
from doc2vecc.similarity import Vectors


class Embedded(NamedTuple):
    """The vectors of a request, the words that count in them, and the model that made them."""

    name: str
    vectors: Vectors
    words: int


def embed_field(call: Call, field: str, *, normalize: bool) -> Embedded:
    """Embed the texts of a field with the model that the request names."""
    name, model = call.loaded.model(call.fields.get("model"))
    _check_dimensions(call.fields, model)
    texts = texts_of(call, field)
    vectors, known_words = vectors_of(model, texts, normalize=normalize)
    return Embedded(name, vectors, int(known_words.sum()))


def texts_of(call: Call, field: str) -> list[str]:
    """Return the texts of a field that holds one or a list of them."""
    value = call.fields[field]
    texts = [value] if isinstance(value, str) else value
    most = call.service.settings.max_texts
    if len(texts) > most:
        raise RequestError(
            413, f"{field} holds {len(texts):,} texts, more than {most:,}; send fewer at a time", param=field
        )
    return list(texts)


def pieces(shares: Shares, first: int = 0, last: int | None = None) -> list[dict[str, Any]]:
    """Return the pieces of a text, or of a part of it, for JSON; what is no known word has no share."""
    return [{"text": text, "share": share} for text, share in pieces_of(shares, first, last)]


def _check_dimensions(fields: Fields, model: Model) -> None:
    wanted = fields.get("dimensions")
    if wanted not in (None, model.dim):
        raise RequestError(
            400, f"dimensions={wanted} is not possible; the vectors of this model have {model.dim}", param="dimensions"
        )
