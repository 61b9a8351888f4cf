"""A training that was interrupted continues, and ends as if nothing had happened."""

import json

import numpy as np
import pytest

from doc2vecc import storage
from doc2vecc.console import ProgressListener
from doc2vecc.errors import CheckpointError
from doc2vecc.training.checkpoint import STATE_FILE, Checkpoints
from doc2vecc.training.trainer import Training, train
from tests.training.test_trainer import config, small_corpus


class PressesCtrlC(ProgressListener):
    """Interrupts a training once, when a share of it is done."""

    def __init__(self, share):
        self.share = share

    def training(self, share, *_):
        if share > self.share:
            self.share = 2
            raise KeyboardInterrupt


@pytest.fixture(scope="module")
def corpus():
    return small_corpus(n_words=300, documents=2_000)


def interrupt(corpus, setting, checkpoints, share=0.0, **options):
    with pytest.raises(KeyboardInterrupt):
        train(corpus, setting, checkpoints=checkpoints, progress=PressesCtrlC(share), **options)
    assert checkpoints.folder.exists()


def assert_same(first, second):
    np.testing.assert_array_equal(first.word_vectors, second.word_vectors)
    np.testing.assert_array_equal(first.outputs, second.outputs)
    histories = ([epoch[:2] for epoch in model.record.history] for model in (first, second))
    assert next(histories) == next(histories)


LONG = 60  # epochs: more than the watching thread overlooks


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{"init": "spectral"}, {"architecture": "skipgram", "sample": 1e-2}])
def test_one_worker_ends_in_bitwise_the_same_model(corpus, tmp_path, changes):
    setting = config(epochs=LONG, **changes)
    uninterrupted = train(corpus, setting).model
    for share in (0.0, 0.3):
        interrupt(corpus, setting, Checkpoints(tmp_path / "c"), share)
        state = json.loads((tmp_path / "c" / STATE_FILE).read_text())
        assert share * LONG * len(corpus.ids) < sum(epoch[2] for epoch in state["epochs"]) < LONG * len(corpus.ids)
    assert_same(train(corpus, setting, checkpoints=Checkpoints(tmp_path / "c", every=0.1)).model, uninterrupted)


@pytest.mark.slow
def test_continued_training_of_a_model_continues(corpus, tmp_path):
    start = train(corpus, config()).model
    uninterrupted = train(corpus, config(epochs=LONG), start=start).model
    interrupt(corpus, config(epochs=LONG), Checkpoints(tmp_path / "c"), start=start)
    resumed = train(corpus, config(epochs=LONG), start=start, checkpoints=Checkpoints(tmp_path / "c")).model
    assert_same(resumed, uninterrupted)
    assert len(resumed.record.history) == 3 + LONG
    for other in (None, resumed):
        with pytest.raises(CheckpointError, match="started from another model, or from none"):
            train(corpus, config(epochs=LONG), start=other, checkpoints=Checkpoints(tmp_path / "c"))


def test_the_range_of_ngrams_may_be_a_list(corpus, tmp_path):
    setting = config(epochs=LONG, ngram_range=[1, 2])
    interrupt(corpus, setting, Checkpoints(tmp_path / "c"))
    assert len(train(corpus, setting, checkpoints=Checkpoints(tmp_path / "c")).model.record.history) == LONG


@pytest.mark.slow
def test_the_number_of_workers_may_change(corpus, tmp_path):
    interrupt(corpus, config(epochs=LONG, workers=3), Checkpoints(tmp_path / "c"))
    model = train(corpus, config(epochs=LONG, workers=2), checkpoints=Checkpoints(tmp_path / "c")).model
    assert [epoch.words for epoch in model.record.history] == [len(corpus.ids)] * LONG
    expected = train(corpus, config(epochs=LONG)).model.record.history[-1].loss
    assert model.record.history[-1].loss == pytest.approx(expected, rel=0.05)


def test_threads_that_start_again_find_the_rows_of_frequent_words_as_they_were(corpus):
    training = Training(corpus, config(workers=2))
    training.run(ProgressListener())
    learned = training.inputs[: len(corpus.vocabulary)].copy()
    training._run_threads(ProgressListener(), 0.1)  # nothing is left to train on
    np.testing.assert_array_equal(training.inputs[: len(corpus.vocabulary)], learned)


def test_a_checkpoint_is_a_model_of_what_has_been_learned(corpus, tmp_path):
    interrupt(corpus, config(epochs=LONG), Checkpoints(tmp_path / "c"))
    model = storage.load(tmp_path / "c")
    assert 0 < len(model.record.history) < LONG
    assert np.isfinite(model.word_vectors).all()


SEEDS = "random_state (--seed) 5, not 1"


def test_another_training_is_refused(corpus, tmp_path):
    folder = tmp_path / "c"
    interrupt(corpus, config(epochs=LONG), Checkpoints(folder))
    for changes, words in (({"epochs": 9}, "epochs=60, not 9"), ({"epochs": LONG, "seed": 1}, SEEDS)):
        with pytest.raises(CheckpointError) as caught:
            train(corpus, config(**changes), checkpoints=Checkpoints(folder))
        assert str(caught.value) == (
            f"the training of {folder} had {words}; set it so, or remove the folder to begin anew"
        )
    for other in (small_corpus(n_words=300, documents=2_000, seed=1), small_corpus(n_words=299)):
        with pytest.raises(CheckpointError, match="read other texts; pass those, or remove the folder"):
            train(other, config(epochs=LONG), checkpoints=Checkpoints(folder))


DAMAGES = (
    *({"chunks": value} for value in (-1, 1.5, True, 1 << 62)),
    *({"seconds": value} for value in ("1", float("nan"))),
    *({"epochs": value} for value in ([[1.0, 2, 3]], [[1.0, "2", 3, 4.0]], 7)),
    *({"origin": value} for value in (["a", "b"], [1, 2, 3], None)),
)


def test_a_damaged_checkpoint_is_refused(corpus, tmp_path):
    folder = tmp_path / "c"
    interrupt(corpus, config(epochs=LONG), Checkpoints(folder))
    path = folder / STATE_FILE
    sound = path.read_text()
    texts = [json.dumps(json.loads(sound) | damage) for damage in DAMAGES]
    for text in [*texts, "[" * 100_000, "[]", "", sound[:-9]]:
        path.write_text(text)
        with pytest.raises(CheckpointError, match=r"checkpoint\.json cannot be read .* to begin anew"):
            train(corpus, config(epochs=LONG), checkpoints=Checkpoints(folder))


def test_a_model_is_not_a_checkpoint(corpus, tmp_path):
    storage.save(train(corpus, config()).model, tmp_path / "m")
    with pytest.raises(CheckpointError, match="is not a checkpoint; remove it, or choose another name"):
        train(corpus, config(), checkpoints=Checkpoints(tmp_path / "m"))


@pytest.mark.slow
def test_an_interrupted_training_can_go_on_or_end_at_once(corpus, tmp_path):
    setting = config(epochs=LONG)
    uninterrupted = train(corpus, setting).model
    going_on = Checkpoints(tmp_path / "c", on_interrupt=lambda *_: "continue")
    assert_same(train(corpus, setting, checkpoints=going_on, progress=PressesCtrlC(0)).model, uninterrupted)
    finishing = Checkpoints(tmp_path / "c", on_interrupt=lambda *_: "finish")
    model = train(corpus, setting, checkpoints=finishing, progress=PressesCtrlC(0.1)).model
    assert LONG / 10 <= len(model.record.history) < LONG
    assert not (tmp_path / "c").exists()


def test_checkpoints_take_two_percent_of_the_time_at_most(tmp_path):
    checkpoints = Checkpoints(tmp_path / "c", every=10)
    assert checkpoints.wait() == 10
    checkpoints.cost = 3.0
    assert checkpoints.cost / checkpoints.wait() <= 0.02


@pytest.mark.parametrize("damage", [{"chunks": 1 << 40}, {"seconds": 0.0}, {"epochs": [[1.0, 2, 3, 4.0]] * (LONG + 1)}])
def test_a_state_that_cannot_have_been_is_refused(corpus, tmp_path, damage):
    """More chunks than there are would never be reached, and the training never end."""
    interrupt(corpus, config(epochs=LONG), Checkpoints(tmp_path / "c"))
    path = tmp_path / "c" / STATE_FILE
    path.write_text(json.dumps(json.loads(path.read_text()) | damage))
    with pytest.raises(CheckpointError, match=r"checkpoint is damaged: .* remove the folder to begin anew"):
        train(corpus, config(epochs=LONG), checkpoints=Checkpoints(tmp_path / "c"))
