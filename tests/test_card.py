"""The model card that every saved model has."""

from pathlib import Path

import pytest

from doc2vecc.card import CARD_FILE, model_card
from doc2vecc.storage import load, save

MODELS = Path(__file__).parent / "models"


def test_a_saved_model_has_a_card_that_is_not_read_again(tmp_path):
    model = load(MODELS / "ngrams.d2v")
    save(model, tmp_path / "first.d2v")
    save(model, tmp_path / "second.d2v")
    text = (tmp_path / "first.d2v" / CARD_FILE).read_text("utf-8")
    assert text == (tmp_path / "second.d2v" / CARD_FILE).read_text("utf-8")
    (tmp_path / "first.d2v" / CARD_FILE).write_bytes(b"\xff")
    assert load(tmp_path / "first.d2v").vocabulary == model.vocabulary


def test_a_card_tells_what_the_model_learned_from():
    model = load(MODELS / "ngrams.d2v")
    text = model_card(model, "doc2vecc", ["an_example()"])
    assert text.startswith("---\nlibrary_name: doc2vecc\n")
    assert f"dimension {model.dim}" in text
    assert f"{model.vocabulary.n_words} words and {len(model.vocabulary.ngrams)} n-grams" in text
    assert f"from {model.record.report['documents']} documents" in text
    assert f"The loss per word is {model.record.history[-1].loss:.3f} in the last of 3 epochs." in text
    assert "| ns_exponent | 0.5 |" in text
    assert "```python\nan_example()\n```" in text


@pytest.mark.peers
def test_a_hub_reads_the_front_matter(tmp_path):
    hub = pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed; make test-peers installs it")
    save(load(MODELS / "words.d2v"), tmp_path / "model.d2v")
    card = hub.ModelCard.load(tmp_path / "model.d2v" / CARD_FILE)
    assert card.data.library_name == "doc2vecc"
    assert "doc2vecc" in card.data.tags
