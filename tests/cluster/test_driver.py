"""A whole training on several workers, without Ray: they are objects of this process."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from doc2vecc.cluster.crew import Cluster
from doc2vecc.cluster.driver import WORKERS_FILE, learn_with
from doc2vecc.config import TrainingConfig, resolve_defaults
from doc2vecc.console import ProgressListener
from doc2vecc.corpus.sources import read_files
from doc2vecc.errors import CheckpointError
from doc2vecc.training.checkpoint import Checkpoints
from doc2vecc.training.learning import learn
from tests.cluster.local_crew import LocalCrew

TOPICS = [[f"{topic}{number}" for number in range(30)] for topic in ("sea", "sky", "war", "art")]
CLUSTER = Cluster("local")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Three parquet files of several row groups; each document is about one topic."""
    folder, generator = tmp_path_factory.mktemp("texts"), np.random.default_rng(0)
    paths = []
    for name in "abc":
        texts = [" ".join(generator.choice(TOPICS[number % 4], 25)) for number in range(200)] + [""]
        pa.parquet.write_table(pa.table({"text": texts}), folder / f"{name}.parquet", row_group_size=40)
        paths.append(folder / f"{name}.parquet")
    return paths


def config(**changes):
    settings = {"vector_size": 8, "epochs": 6, "alpha": None, "frequency_damping": None, **changes}
    return TrainingConfig(**resolve_defaults(settings))


def learn_local(files, setting, workers, deaths=(), **options):
    crew = LocalCrew(files, workers, setting, deaths=deaths)
    return learn_with(crew, crew.pieces, setting, CLUSTER, **options), crew


def separation(model):
    """Mean cosine of words of one topic, minus that of words of different ones."""
    unit = model.word_vectors / np.linalg.norm(model.word_vectors, axis=1, keepdims=True)
    groups = [model.vocabulary.ids_of(topic) for topic in TOPICS]
    within = np.mean([unit[group] @ unit[group].T for group in groups])
    return within - np.mean(unit @ unit.T)


@pytest.mark.parametrize("changes", [{}, {"ngram_range": (1, 2), "ngram_min_count": 3}, {"binary": True}])
def test_words_and_counts_are_those_of_one_machine(files, changes):
    setting = config(**changes)
    alone = learn(read_files(files), setting).model
    together = learn_local(files, setting, 3)[0].model
    assert together.vocabulary == alone.vocabulary
    assert together.record.report == alone.record.report
    assert [epoch.words for epoch in together.record.history] == [epoch.words for epoch in alone.record.history]
    np.testing.assert_array_equal(together.weights, alone.weights)


def test_the_size_of_all_texts_decides_the_dimension(files, monkeypatch):
    monkeypatch.setattr("doc2vecc.config.LARGE_TEXT", 1 + learn(read_files(files[:1]), config()).corpus.report.tokens)
    assert learn_local(files, config(vector_size=None, epochs=1), 3)[0].model.dim == 300


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_several_workers_learn_as_well_as_one_machine(files, workers):
    alone = learn(read_files(files), config()).model
    together = learn_local(files, config(), workers)[0].model
    assert separation(together) > 0.9 * separation(alone) > 0.3
    assert together.record.history[-1].loss == pytest.approx(alone.record.history[-1].loss, rel=0.05)


def test_the_spectral_start_is_that_of_one_machine(files):
    setting = config(epochs=1, alpha=1e-9, idf_exponent=0.0)
    alone, together = learn(read_files(files), setting).model, learn_local(files, setting, 3)[0].model
    lengths = [np.linalg.norm(model.word_vectors, axis=1).mean() for model in (alone, together)]
    assert lengths[0] == pytest.approx(lengths[1], rel=0.05)
    products = [
        model.word_vectors @ model.word_vectors.T / length**2
        for model, length in zip((alone, together), lengths, strict=True)
    ]
    np.testing.assert_allclose(*products, atol=0.02)


DEATHS = (("count", 0, 1), ("encode", 0, 0), ("products", 1, 2), ("begin", 0, 1), ("train", 0, 0), ("train", 4, 2))


def test_a_worker_that_dies_changes_nothing(files):
    """One worker and thread: the one that takes its place draws the same, so even the vectors are the same."""
    setting = config(ngram_range=(1, 2), ngram_min_count=3)
    expected, _ = learn_local(files, setting, 3)
    deaths = (*DEATHS, ("to_word_ids", 0, 1), ("count_ngrams", 0, 2), ("counts_of", 0, 0))
    found, crew = learn_local(files, setting, 3, deaths=deaths)
    assert crew.n_replaced == len(deaths)
    np.testing.assert_array_equal(found.model.word_vectors, expected.model.word_vectors)
    np.testing.assert_array_equal(found.model.outputs, expected.model.outputs)
    assert found.model.record.report == expected.model.record.report
    histories = ([epoch[:2] for epoch in one.model.record.history] for one in (found, expected))
    assert next(histories) == next(histories)


class PressesCtrlC(ProgressListener):
    """Interrupts a training once, when a share of it is done."""

    def __init__(self, share):
        self.share = share

    def training(self, share, *_):
        if share > self.share:
            self.share = 2
            raise KeyboardInterrupt


def test_a_lost_driver_continues_from_its_checkpoint(files, tmp_path):
    expected, _ = learn_local(files, config(), 2)
    checkpoints = Checkpoints(tmp_path / "c")
    with pytest.raises(KeyboardInterrupt):
        learn_local(files, config(), 2, progress=PressesCtrlC(0.4), checkpoints=checkpoints)
    states = json.loads((tmp_path / "c" / WORKERS_FILE).read_text())
    assert [0 < len(state["epochs"]) < 6 for state in states] == [True, True]
    with pytest.raises(CheckpointError, match="had 2 workers, not 3; start as many, or remove"):
        learn_local(files, config(), 3, checkpoints=Checkpoints(tmp_path / "c"))
    resumed, _ = learn_local(files, config(), 2, checkpoints=Checkpoints(tmp_path / "c"))
    np.testing.assert_array_equal(resumed.model.word_vectors, expected.model.word_vectors)
    assert [epoch[:2] for epoch in resumed.model.record.history] == [
        epoch[:2] for epoch in expected.model.record.history
    ]


def test_an_interrupted_training_may_go_on_or_end(files, tmp_path):
    expected, _ = learn_local(files, config(), 2)
    for choice in ("continue", "finish"):
        checkpoints = Checkpoints(tmp_path / choice, on_interrupt=lambda *_, choice=choice: choice)
        found, _ = learn_local(files, config(), 2, progress=PressesCtrlC(0.4), checkpoints=checkpoints)
        words = [sum(epoch.words for epoch in one.model.record.history) for one in (found, expected)]
        assert words[0] == words[1] if choice == "continue" else 0.4 * words[1] < words[0] < words[1]
    assert not (tmp_path / "continue").exists()
