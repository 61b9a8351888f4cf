"""Our own interface: similarity, explanation, words, the model card, reload."""

import os
import signal

import numpy as np

from doc2vecc.card import DOC2VECC_USAGE, model_card
from doc2vecc.errors import Doc2VecCError
from doc2vecc.service.endpoint import Answer, Call, Endpoint
from doc2vecc.service.endpoints.texts import pieces
from doc2vecc.service.failures import RequestError
from doc2vecc.service.loaded import vectors_of
from doc2vecc.service.schemas import HOW_MANY, INTEGER, MODEL, NUMBER, STRING, answer, array, closed, text

LONGEST_EXPLAINED = 1_000_000  # characters of a text that is explained word by word


def similarity(call: Call) -> Answer:
    """Return the cosine similarity of two texts."""
    name, model = call.loaded.model(call.fields.get("model"))
    (first, second), known = vectors_of(model, [call.fields["first"], call.fields["second"]], normalize=True)
    words = [int(count) for count in known]
    return Answer({"model": name, "similarity": float(np.dot(first, second)), "known_words": words}, 2)


def explain(call: Call) -> Answer:
    """Split the similarity of two texts over their words."""
    name, model = call.loaded.model(call.fields.get("model"))
    texts = call.fields["first"], call.fields["second"]
    for field, one in zip(("first", "second"), texts, strict=True):
        if len(one) > LONGEST_EXPLAINED:
            raise RequestError(
                413, f"{field} has {len(one):,} characters, more than {LONGEST_EXPLAINED:,}; cut it", param=field
            )
    explained = model.explain(*texts)
    both = explained.first, explained.second
    tokens = [[{"token": token, "share": share} for token, share in one] for one in both]
    vectors = vectors_of(model, list(texts), normalize=True).vectors
    explainer = call.loaded.explainers[name]
    shown = [pieces(explainer.explain(vectors[1 - side], text)) for side, text in enumerate(texts)]
    content = {"model": name, "similarity": explained.similarity, "first": tokens[0], "second": tokens[1]}
    return Answer({**content, "first_pieces": shown[0], "second_pieces": shown[1]}, 2)


def words(call: Call) -> Answer:
    """Return the words nearest to a word, or to a sum such as king - man + woman."""
    name, model = call.loaded.model(call.fields.get("model"))
    nearest = model.similar_words(call.fields["words"], call.fields.get("k", 10))
    counts, vocabulary = model.vocabulary.counts, model.vocabulary
    found = [{"word": one, "similarity": score, "count": int(counts[vocabulary[one]])} for one, score in nearest]
    return Answer({"model": name, "words": found})


def card(call: Call) -> Answer:
    """Return the card of a model."""
    name, model = call.loaded.model(call.fields["id"])
    return Answer({"model": name, "card": model_card(model, "doc2vecc", DOC2VECC_USAGE)})


def reload(call: Call) -> Answer:
    """Load models, index and keys again here, then tell the other workers to."""
    service = call.service
    try:
        service.reload()
    except Doc2VecCError as error:
        raise RequestError(503, f"the old models stay in use: {error}", code="reload_failed") from error
    if service.supervisor is not None:
        os.kill(service.supervisor, signal.SIGHUP)
    return Answer({"status": "reloaded", "models": list(service.loaded.models)})


_TWO = closed(("first", "second"), first=text("A text."), second=text("Another text."), model=MODEL)
_SHARES = array(answer(token=STRING, share=NUMBER))
_PIECES = array(answer(text=STRING, share={"type": ["number", "null"]}))
_WORD = answer(word=STRING, similarity=NUMBER, count=INTEGER)
_QUESTION = closed(("words",), words=text("A word, or words joined by + and -.", minLength=1), k=HOW_MANY, model=MODEL)
ENDPOINTS = [
    Endpoint(
        "POST",
        "/v1/similarity",
        similarity,
        "Cosine similarity of two texts",
        answer(model=STRING, similarity=NUMBER, known_words=array(INTEGER)),
        body=_TWO,
        is_quick=True,
        statuses=(404,),
    ),
    Endpoint(
        "POST",
        "/v1/explain",
        explain,
        "Each word's share in the similarity of two texts",
        answer(
            model=STRING, similarity=NUMBER, first=_SHARES, second=_SHARES, first_pieces=_PIECES, second_pieces=_PIECES
        ),
        body=_TWO,
        statuses=(404,),
    ),
    Endpoint(
        "POST",
        "/v1/words",
        words,
        "Nearest words of a word or a sum of words",
        answer(model=STRING, words=array(_WORD)),
        body=_QUESTION,
        statuses=(404,),
    ),
    Endpoint("GET", "/v1/models/{id}/card", card, "The model card", answer(model=STRING, card=STRING), statuses=(404,)),
    Endpoint(
        "POST",
        "/admin/reload",
        reload,
        "Load models, index and keys again",
        answer(status=STRING, models=array(STRING)),
        statuses=(503,),
    ),
]
