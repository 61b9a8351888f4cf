"""ONNX files, run by onnxruntime."""

import re
import sys

import numpy as np
import pytest

from doc2vecc import Doc2VecC, OutputError
from doc2vecc.exports import export, onnx_file
from tests.cli.commands import sentences

TEXTS = [text for _, text in sentences(300)]


def letters(text):
    """A tokenizer of the user's own."""
    return re.findall(r"\w", text)


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore::doc2vecc.CorpusWarning")
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize(("longest", "tokenizer"), [(1, None), (2, None), (4, None), (3, letters)])
def test_onnxruntime_gives_our_vectors(tmp_path, longest, tokenizer, binary):
    reason = "{0} is not installed; make test-peers installs it"
    onnx = pytest.importorskip("onnx", reason=reason.format("onnx"))
    runtime = pytest.importorskip("onnxruntime", reason=reason.format("onnxruntime"))
    settings = {"vector_size": 8, "epochs": 1, "ngram_range": (1, longest), "ngram_min_count": 2, "workers": 1}
    model = Doc2VecC(**settings, binary=binary, tokenizer=tokenizer).fit(TEXTS)
    assert model.vocabulary_.longest_ngram == longest
    line = export(model.model_, tmp_path / "model.onnx", "onnx")
    onnx.checker.check_model(tmp_path / "model.onnx", full_check=True)
    session = eval(line, {"onnxruntime": runtime})
    queries = [*TEXTS[:50], "", "zzz", "the soup the soup zzz soup was the soup", "soup"]
    tokens = [model.model_.tokenize(text) for text in queries]
    width = max(map(len, tokens))
    filled = np.array([document + [""] * (width - len(document)) for document in tokens], object)
    (vectors,) = session.run(["vectors"], {"tokens": filled})
    np.testing.assert_allclose(vectors, model.transform(queries), rtol=0, atol=1e-5)


def test_without_onnx_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    model = Doc2VecC(vector_size=2, epochs=1).fit(TEXTS)
    with pytest.raises(OutputError, match=re.escape("pip install 'doc2vecc[onnx]'")):
        model.export(tmp_path / "model.onnx", "onnx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.peers
def test_a_model_that_no_onnx_file_holds_is_refused(tmp_path, monkeypatch):
    pytest.importorskip("onnx", reason="onnx is not installed; make test-peers installs it")
    monkeypatch.setattr(onnx_file, "LARGEST", 100)
    model = Doc2VecC(vector_size=2, epochs=1).fit(TEXTS)
    with pytest.raises(OutputError, match="an onnx file holds 2 GB"):
        model.export(tmp_path / "model.onnx", "onnx")
