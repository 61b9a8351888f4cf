"""A folder for sentence-transformers and model2vec: both must give our vectors."""

import json
import os
import random
import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from doc2vecc import Doc2VecC, OutputError
from doc2vecc.corpus.tokenizer import tokenize
from doc2vecc.exports import export
from doc2vecc.exports.tokenizer_json import tokenizer_json
from doc2vecc.kernels.text.tokens import TABLE_SIZE
from doc2vecc.model import Model
from doc2vecc.storage import load

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "tests" / "models"
ODD_TEXTS = [
    "", " ", "\x00\x01\x02", "GOOD<BR />good <br\n/>Good<br>", "don’t ‘don't’ DON＇T", "well‐made well‑made well-made",
    "ﬁlm İstanbul I ı ß ẞ ΑΣ ας", "e\u0301 é E\u0301", "a\u200db\u200b\ufeffc\u00adsoft", "👍🏽 👩\u200d👧 ❤️ ☺",
    "x, y.z!?;:\"(a)[b]{c}", "a\u2028b\u2029c\x85d\u3000e\u00a0f", "Ａ１ ②", "··· l·l ״צה״ל", "< br> <b r> <br",
    "𝐁𝐨𝐥𝐝 𐐀𐐨", "iPhone手机12台。データを กินข้าว ខ្មែរ", "中\u0301\U000e0100a\u0301",
    "a" * 5000, ". " * 700, "\U0010ffff\U000e0001x",
]  # fmt: skip


def require(name):
    return pytest.importorskip(name, reason=f"{name} is not installed; make test-peers installs it")


@pytest.fixture(scope="module")
def load_both():
    """Return a function that gives what embeds texts with each of the two programs."""
    transformer = require("sentence_transformers").SentenceTransformer
    static_model = require("model2vec").StaticModel
    return lambda folder: {
        "sentence-transformers": transformer(str(folder), device="cpu").encode,
        "model2vec": static_model.from_pretrained(folder).encode,
    }


def listed_characters():
    """Read the characters that docs/exports.md lists as different."""
    page = (ROOT / "docs" / "exports.md").read_text("utf-8")
    section = page.split("## Characters that differ")[1].split("\n## ")[0]
    ranges = re.findall(r"U\+([0-9A-F]+)(?:–U\+([0-9A-F]+))?", section)
    return {point for first, last in ranges for point in range(int(first, 16), int(last or first, 16) + 1)}


def reviews(number):
    """Read real texts."""
    if "DOC2VECC_DATA" not in os.environ:
        pytest.skip("DOC2VECC_DATA is not set")
    table = pq.read_table(Path(os.environ["DOC2VECC_DATA"]) / "imdb.parquet", columns=["text"])
    return table["text"][:number].to_pylist()


def odd_strings(number):
    """Draw strings of all kinds of characters, the same ones every time."""
    draw = random.Random(0)
    allowed = sorted(set(range(0x20000)) - set(range(0xD800, 0xE000)) - listed_characters())
    blocks = [list(range(128)), allowed[:0x600], [ord(letter) for letter in "aB.,’' <br/>-\t\n"], allowed]
    return ["".join(map(chr, draw.choices(draw.choice(blocks), k=draw.randrange(1, 60)))) for _ in range(number)]


@pytest.mark.peers
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::doc2vecc.CorpusWarning")
@pytest.mark.parametrize("source", ["reviews", "odd Unicode"])
def test_both_programs_give_our_vectors(tmp_path, load_both, source):
    texts = reviews(10_000) if source == "reviews" else ODD_TEXTS + odd_strings(3_000)
    model = Doc2VecC(vector_size=16, epochs=1, init="random", min_count=1, ngram_range=(1, 1)).fit(texts)
    model.export(tmp_path / "export", "sentence-transformers")
    vectors = model.transform(texts)
    assert np.count_nonzero(np.any(vectors, axis=1)) > 2_000
    for name, encode in load_both(tmp_path / "export").items():
        # They add in float32: a text of 700 equal words is off by 1e-5 of its length.
        np.testing.assert_allclose(encode(texts), vectors, rtol=1e-5, atol=1e-5, err_msg=name)


@pytest.mark.peers
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::doc2vecc.CorpusWarning")
@pytest.mark.parametrize(("ngram_range", "binary"), [((1, 1), True), ((1, 3), False), ((1, 2), True)])
def test_our_module_finds_ngrams(tmp_path, ngram_range, binary):
    transformer = require("sentence_transformers").SentenceTransformer
    texts = ODD_TEXTS + odd_strings(500) + [f"not so good , {word} good film" for word in "abc"] * 9
    settings = {"vector_size": 16, "epochs": 1, "min_count": 2, "ngram_min_count": 2, "workers": 1}
    model = Doc2VecC(**settings, ngram_range=ngram_range, binary=binary, init="random").fit(texts)
    line = export(model.model_, tmp_path / "export", "sentence-transformers")
    with pytest.raises(ValueError, match="trust_remote_code"):
        transformer(str(tmp_path / "export"))
    loaded = eval(line, {"SentenceTransformer": transformer})
    np.testing.assert_allclose(loaded.encode(texts), model.transform(texts), rtol=0, atol=1e-5)
    loaded.save(str(tmp_path / "again"))
    again = transformer(str(tmp_path / "again"), trust_remote_code=True)
    np.testing.assert_array_equal(again.encode(texts), loaded.encode(texts))


@pytest.mark.parametrize("name", ["n-grams", "binary=True"])
def test_model2vec_cannot_say_everything(tmp_path, name):
    words = load(MODELS / "words.d2v")
    binary = Model(words.vocabulary, words.word_vectors, words.dim, outputs=words.outputs, binary=True)
    model = binary if name == "binary=True" else load(MODELS / "ngrams.d2v")
    with pytest.raises(OutputError, match=f"this model has {name}; export it to sentence-transformers or onnx"):
        export(model, tmp_path / "export", "model2vec")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["sentence-transformers", "model2vec"])
def test_a_tokenizer_of_the_users_own_is_refused(tmp_path, kind):
    words = load(MODELS / "words.d2v")
    model = Model(words.vocabulary, words.word_vectors, words.dim, outputs=words.outputs, tokenizer=str.split)
    with pytest.raises(OutputError, match="export it to onnx, which takes tokens"):
        export(model, tmp_path / "export", kind)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.peers
@pytest.mark.slow
def test_the_characters_that_differ_are_those_in_the_docs():
    tokenizers = require("tokenizers")
    points = [point for point in [*range(TABLE_SIZE), 0x10FFFF] if not 0xD800 <= point < 0xE000]
    texts = [f"a{chr(point)}b {chr(point)}" for point in points]
    ours = [tokenize(text) for text in texts]
    words = sorted({token for tokens in ours for token in tokens})
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(tokenizer_json(words)))
    found = [[words[place] for place in encoding.ids] for encoding in tokenizer.encode_batch_fast(texts)]
    different = {point for point, own, other in zip(points, ours, found, strict=True) if own != other}
    assert different == listed_characters()


@pytest.mark.parametrize("kind", ["sentence-transformers", "model2vec"])
def test_an_older_export_is_replaced_and_nothing_else(tmp_path, kind):
    model = load(MODELS / "words.d2v")
    export(model, tmp_path / "export", kind)
    (tmp_path / "export" / "left-over").touch()
    export(model, tmp_path / "export", kind)
    assert not (tmp_path / "export" / "left-over").exists()
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "config.json").write_text("[]")
    with pytest.raises(OutputError, match="exists and is not an export of doc2vecc"):
        export(model, tmp_path / "thesis", kind)
    with pytest.raises(OutputError, match="exists and is not an export of doc2vecc"):
        export(model, MODELS / "words.d2v", kind)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["export", "thesis"]


def test_texts_are_never_cut(tmp_path):
    export(load(MODELS / "words.d2v"), tmp_path / "export", "model2vec")
    settings = json.loads((tmp_path / "export" / "config.json").read_text())
    assert (settings["max_length"], settings["normalize"]) == (None, False)
