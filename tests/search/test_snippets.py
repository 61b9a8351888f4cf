"""Snippets show the words that count, at their places."""

import numpy as np
import pyarrow as pa
import pytest

from doc2vecc import Doc2VecC
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.model import Model
from doc2vecc.search.shares import Explainer
from doc2vecc.search.snippets import make_snippet

WORDS = ["the", "rain", "and", "was", ",", "it"]


@pytest.fixture(scope="module")
def words_model() -> Model:
    """A model in which each word has a direction of its own."""
    rows = np.eye(6, 8, dtype=np.float32)
    return Model(Vocabulary.from_words(WORDS, range(60, 0, -10)), rows, 8, outputs=np.zeros((6, 8), np.float32))


FILLER = "xx yy zz " * 100


def snippet(model: Model, query: str, text: str, width: int = 60) -> tuple[str, list[str]]:
    vector = model.embed(pa.array([query], pa.large_string())).vectors[0]
    found = make_snippet(Explainer(model).explain(vector, text), width)
    return found.text, [found.text[start:end] for start, end in found.marks]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (f"{FILLER}<br />It was «Rain», RAIN\n\tagain!<br/>{FILLER}", 2),
        (f"{FILLER}Ra\u00adin and ＲＡＩＮ: rain. RAIN İstanbul{FILLER}", 3),
    ],
)
def test_words_are_marked_where_they_stand(words_model: Model, text: str, number: int) -> None:
    shown, marked = snippet(words_model, "rain", text)
    assert {word.lower() for word in marked} == {"rain"}
    assert len(marked) == number
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert "\n" not in shown
    assert "<br" not in shown
    assert len(shown) <= 60 + 4


def test_short_texts_are_shown_whole(words_model: Model) -> None:
    assert snippet(words_model, "rain", "The rain,  again.") == ("The rain, again.", ["rain"])
    assert snippet(words_model, "rain", "") == ("", [])
    assert snippet(words_model, "rain", "zz <br>zz") == ("zz zz", [])


def test_the_densest_piece_wins(words_model: Model) -> None:
    text = f"rain {FILLER}the rain, rain and rain {FILLER} rain"
    assert snippet(words_model, "rain", text)[1] == ["rain"] * 3


def test_ngrams_count_where_they_end(ngrams_model: Model) -> None:
    ngram = ngrams_model.vocabulary.words[ngrams_model.vocabulary.n_words]
    text = f"{FILLER}{ngram.upper()} {FILLER}"
    shown, marked = snippet(ngrams_model, ngram, text)
    assert ngram.upper() in shown
    assert ngram.split()[-1].upper() in marked


def test_texts_without_spaces() -> None:
    model = Doc2VecC(8, min_count=1, epochs=1).fit(["今天下雨", "今天晴天", "下雨了"] * 5).model_
    shown, marked = snippet(model, "下雨", "晴天" * 100 + "今天下雨了" + "晴天" * 100)
    assert "下雨" in shown
    assert {"下", "雨"} & set(marked)


def test_own_tokenizers_and_binary_models() -> None:
    texts = pa.array(["Red-Green blue", "blue YELLOW red"] * 10)
    model = Doc2VecC(8, min_count=1, epochs=1, binary=True, tokenizer=lambda text: text.lower().split(), workers=1)
    model = model.fit(texts).model_
    shown, marked = snippet(model, "yellow", "BLUE " * 200 + "Yellow blue")
    assert "Yellow" in marked
    assert shown.endswith(("Yellow blue", "Yellow …"))
