"""Skip-thought: learns, continues from a checkpoint, and represents a batch as its single texts."""

import numpy as np
import pytest

from doc2vecc import InputError, ParameterError
from doc2vecc_paper.neural.tokens import sentences_of

torch = pytest.importorskip("torch", reason="torch is not installed; it comes with the extra neural")
from doc2vecc_paper.neural.skip_thought import SkipThought  # noqa: E402

pytestmark = pytest.mark.peers

NOVEL = [
    "The sea is cold. A ship sails away. The crew sings a song.",
    "The king is old. He rules a land. Snow falls.",
] * 4
TINY = {
    "vector_size": 12, "embedding_size": 8, "batch_size": 8, "negative": 10, "updates": 30, "report_every": 10,
    "workers": 1,
}  # fmt: skip


def tiny(**settings):
    return SkipThought(**{**TINY, "random_state": 0, **settings})


@pytest.mark.slow
@pytest.mark.parametrize("direction", ["uni", "bi"])
def test_learns_a_tiny_novel_by_heart(direction):
    model = tiny(direction=direction, updates=300, report_every=100, alpha=0.01).fit(NOVEL)
    losses = [point.loss for point in model.history_]
    assert losses[-1] < 0.3 * losses[0]


@pytest.mark.parametrize("direction", ["uni", "bi"])
def test_a_batch_equals_its_single_texts(direction):
    model = tiny(direction=direction).fit(NOVEL)
    texts = ["The ship. It sails away in the cold!", "", "Snow", "a song of the old king and the sea"]
    together = model.transform(texts)
    assert together.shape == (4, 12)
    np.testing.assert_allclose(together, np.concatenate([model.transform([text]) for text in texts]), atol=1e-6)
    assert not together[1].any(), "a text without sentences"
    parts = model.transform(sentences_of(texts[0]))
    np.testing.assert_allclose(together[0], parts.mean(0), atol=1e-6)


def test_the_same_seed_gives_the_same_vectors():
    first, same, other = (tiny(random_state=seed).fit(NOVEL).transform(NOVEL[:2]) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, same)
    assert not np.allclose(first, other)


def test_continues_from_a_checkpoint(tmp_path):
    whole = tiny().fit(NOVEL)
    file = tmp_path / "run" / "skip.pt"
    tiny(updates=10, checkpoint=file).fit(NOVEL)
    continued = tiny(checkpoint=file).fit(NOVEL)
    np.testing.assert_array_equal(continued.transform(NOVEL[:2]), whole.transform(NOVEL[:2]))
    assert [point.updates for point in continued.history_] == [10, 20, 30]
    seconds = [point.seconds for point in continued.history_]
    assert seconds == sorted(seconds)
    read = tiny(checkpoint=file).fit(NOVEL)
    assert read.history_ == continued.history_, "a finished training is read"
    with pytest.raises(ParameterError, match="another training"):
        tiny(checkpoint=file, alpha=0.5).fit(NOVEL)


def test_what_is_watched_is_in_the_curve():
    model = tiny().fit(NOVEL, watch=lambda model: {"words": float(len(model.vocabulary_))})
    assert [point.watched["words"] for point in model.history_] == [len(model.vocabulary_)] * 3


def test_expansion_gives_unseen_words_a_vector():
    model = tiny().fit(NOVEL)
    unseen = ["A boat sails."]
    before = model.transform(unseen)
    words = ["ship", "king", "sea", "boat"]
    vectors = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]])
    model.expand(words, vectors)
    assert set(model.extra_) == {"boat"}, "known words keep their embedding"
    assert not np.allclose(model.transform(unseen), before)
    with pytest.raises(InputError, match="no word"):
        model.expand(["quark"], vectors[:1])


def test_bad_input():
    with pytest.raises(ParameterError, match="choose from uni, bi"):
        tiny(direction="both").fit(NOVEL)
    with pytest.raises(InputError, match="too few"):
        tiny().fit(["One. Two."])


def test_the_right_word_wins_a_full_softmax():
    """With every word as a negative once, the loss is that of a softmax over the vocabulary."""
    from doc2vecc_paper.neural.networks.sentence_predictor import Negatives, Padded, SentencePredictor

    torch.manual_seed(0)
    network = SentencePredictor(7, 4, 6, is_bidirectional=False)
    sentence = Padded(torch.tensor([[1, 2, 0]]), torch.tensor([3]))
    target = Padded(torch.tensor([[3, 0, 0]]), torch.tensor([2]))
    found = network(sentence, target, target, Negatives(torch.arange(7), torch.zeros(7)), 0)
    vectors = network.encode(network.embedding(sentence.words), sentence.lengths)
    total = 0.0
    for decoder in (network.before, network.after):
        inputs = torch.cat([network.embedding(torch.tensor([[0, 3]])), vectors[:, None].expand(-1, 2, -1)], 2)
        scores = decoder(inputs)[0][0] @ network.output.weight.T
        total += torch.nn.functional.cross_entropy(scores, torch.tensor([3, 0]), reduction="sum")
    torch.testing.assert_close(found, total / 4)


def test_a_longer_training_continues_the_kept_one(tmp_path, monkeypatch):
    import pyarrow as pa

    from doc2vecc_paper.classification import speed
    from doc2vecc_paper.datasets import Texts
    from doc2vecc_paper.experiments.skip_thoughts import CombinedSkipThought

    monkeypatch.setenv("DOC2VECC_CACHE_DIR", str(tmp_path))
    novels = Texts.of("novels", pa.array(NOVEL, pa.large_string()))
    settings = {"vector_size": 8, "embedding_size": 6, "negative": 5, "workers": 1, "random_state": 0}
    CombinedSkipThought(novels, updates=4, **settings).learn()
    kept = sorted((tmp_path / "skip-thought").iterdir())
    assert [file.name[:3] for file in kept] == ["bi-", "uni"]
    longer = CombinedSkipThought(novels, updates=6, **settings).fit(["A ship. A boat of the sea, a boat."] * 3)
    assert sorted((tmp_path / "skip-thought").iterdir()) == kept
    assert [point.updates for point in longer.encoders_[0].history_] == [1, 2, 3, 4, 5, 6]
    assert "boat" in longer.encoders_[1].extra_, "words of the other texts"
    assert longer.transform(["The ship"]).shape == (1, 16)
    seconds = [encoder.history_[-1].seconds for encoder in longer.encoders_]
    assert longer.pretraining_ == {"pretraining_seconds": sum(seconds), "pretraining_words": 4 * 29 + 1}
    assert speed(longer) == longer.pretraining_, "results have it"


def test_a_row_says_what_was_learned_from_and_for_how_long():
    from doc2vecc_paper.cells import Cell, CellKey
    from doc2vecc_paper.experiments.skip_thoughts import note
    from doc2vecc_paper.published import Name

    settings = {"updates": 500, "batch_size": 128, "vector_size": 256}
    result = {"pretraining_words": 14_000_000, "pretraining_seconds": 5_400.0}
    said = note([Cell(CellKey("any", Name.SKIP_THOUGHT, settings, 0, ()), result, 1.0, "", {}, {})])
    for part in ("64,000 sentences for each direction", "14.0M words", "1h 30m of one core", "512 dimensions"):
        assert part in said
