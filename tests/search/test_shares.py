"""The shares of words in a similarity, and their places, are those of the model's own explanation."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doc2vecc import Doc2VecC
from doc2vecc.corpus.tokenizer import tokenize
from doc2vecc.model import Model
from doc2vecc.search.shares import Explainer, pieces_of
from tests.cli.commands import sentences

TEXTS = [text for _, text in sentences(200)]
QUERY = "the soup was cold, and a good story!"
SETTINGS = {"vector_size": 8, "epochs": 2, "min_count": 1, "init": "random", "workers": 1}
KINDS = {
    "words": {},
    "n-grams": {"ngram_range": (1, 3), "ngram_min_count": 2},
    "binary": {"binary": True, "ngram_range": (1, 2), "ngram_min_count": 2},
    "own tokenizer": {"tokenizer": str.split, "ngram_range": (1, 2), "ngram_min_count": 2},
}


@pytest.fixture(scope="module", params=KINDS)
def model(request) -> Model:
    return Doc2VecC(**SETTINGS, **KINDS[request.param]).fit(TEXTS).model_


def shares(model: Model, text: str):
    return Explainer(model).explain(model.embed(pa.array([QUERY], pa.large_string())).vectors[0], text)


def test_they_are_those_of_the_model(model):
    for text in [*TEXTS[:20], "the soup, the soup<br />was Cold"]:
        found, expected = shares(model, text), model.explain(QUERY, text)
        assert found.words.sum() == pytest.approx(expected.similarity, abs=1e-6)
        sums: dict[str, float] = {}
        for token, share in expected.second:
            sums[token] = sums.get(token, 0.0) + share
        for word, share in found.strongest:
            assert share == pytest.approx(sums[word], abs=1e-6)
        best = max((one for one in sums.items() if one[0].strip(".,!?")), key=lambda one: one[1])
        if best[1] > 0:
            assert found.strongest[0].share == pytest.approx(best[1], abs=1e-6)


def test_pieces_make_up_the_text_and_the_similarity(model):
    for text in TEXTS[:20]:
        pieces = list(pieces_of(shares(model, text)))
        assert "".join(piece for piece, _ in pieces) == text
        assert sum(share or 0.0 for _, share in pieces) == pytest.approx(
            model.explain(QUERY, text).similarity, abs=1e-6
        )
        assert "".join(piece for piece, _ in pieces_of(shares(model, text), 4, 12)) == text[4:12]


def test_texts_without_known_words_have_no_shares(model):
    for text in ("", "zzz zzz", "<br />"):
        found = shares(model, text)
        assert len(found.words) == 0
        assert found.strongest == []
        assert "".join(piece for piece, _ in pieces_of(found)) == text


@pytest.fixture(scope="module")
def everything() -> Model:
    words = ["soup", "go", "don't", "手", "机", ",", "…", "été", "a"]
    return Doc2VecC(**SETTINGS).fit([" ".join(words)] * 5).model_


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([*"aAéÉt ,…’-手机\u00ad\u200b\ufe0f😀\n", "<br />", "Soup", "DON’T", "go"])).map("".join)
)
def test_places_are_those_of_the_tokens(everything, text):
    found = Explainer(everything).explain(np.ones(8), text)
    known = [token for token in tokenize(text) if token in everything.vocabulary]
    shown = [text[start:end] for start, end in zip(found.starts, found.ends, strict=True)]
    assert [tokenize(one) for one in shown] == [[token] for token in known]
    assert np.all(found.starts[1:] >= found.ends[:-1])
    assert not any(one.startswith("\u00ad") or one.endswith("\u00ad") for one in shown)
