"""reproducible=True: the same model bit by bit, whatever the number of workers."""

import threading

import numpy as np
import pytest

from doc2vecc import Doc2VecC, ParameterError
from doc2vecc.corpus import numbering
from doc2vecc.errors import DivergenceError
from doc2vecc.kernels.training import start as kernels_start
from doc2vecc.kernels.training.copies import NONE, MergeScratch, TableCopies, change_scale, merge_copies
from doc2vecc.training import rounds
from doc2vecc.training.checkpoint import Checkpoints, Origin
from doc2vecc.training.trainer import train
from tests.training.test_trainer import config, small_corpus

WORKERS = (1, 2, 3, 4)


def assert_same(models):
    first, *others = models
    for other in others:
        assert other.vocabulary == first.vocabulary
        assert other.word_vectors.tobytes() == first.word_vectors.tobytes()
        assert other.outputs.tobytes() == first.outputs.tobytes()
        losses = [[epoch.loss for epoch in model.record.history] for model in (first, other)]
        assert losses[0] == losses[1]


def texts(n_words=300, documents=300, seed=0):
    generator = np.random.default_rng(seed)
    return [" ".join(f"w{word}" for word in generator.zipf(1.4, 40) % n_words) for _ in range(documents)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes", [{}, {"architecture": "skipgram", "sample": 1e-2}, {"ngram_range": (1, 2), "ngram_min_count": 3}]
)
def test_any_number_of_workers_gives_the_same_model(changes):
    settings = {"vector_size": 20, "epochs": 2, "min_count": 1, "reproducible": True, **changes}
    fitted = [Doc2VecC(**settings, workers=workers).fit(texts()) for workers in WORKERS]
    assert_same([model.model_ for model in fitted])
    for workers, model in zip(WORKERS, fitted, strict=True):
        model.set_params(workers=5 - workers).partial_fit(texts(400, 100, seed=1))
    assert_same([model.model_ for model in fitted])
    assert len(fitted[0].vocabulary_) > 300 or changes
    other = Doc2VecC(**settings, random_state=1).fit(texts())
    assert not np.array_equal(other.word_vectors_, Doc2VecC(**settings).fit(texts()).word_vectors_)


@pytest.mark.slow
def test_the_same_words_are_forgotten(monkeypatch):
    monkeypatch.setattr(numbering, "DISTINCT_WORDS", 100)
    settings = {"vector_size": 8, "epochs": 1, "min_count": 1, "reproducible": True}
    long = texts(2_000, 1_000)
    monkeypatch.setattr("doc2vecc.corpus.text_column.MAX_DOCUMENTS", 50)
    with pytest.warns(UserWarning, match="too many distinct words"):
        assert_same([Doc2VecC(**settings, workers=workers).fit(long).model_ for workers in WORKERS])


def test_a_huge_document_is_trained_on_by_one_share_at_a_time(monkeypatch):
    monkeypatch.setattr(rounds, "LONG_CHUNK", 300)
    monkeypatch.setattr(kernels_start, "WORDS_PER_CHUNK", 100)
    monkeypatch.setattr(kernels_start, "PARTS_OF_A_DOCUMENT", 3)
    seen = []
    original = rounds.Rounds._begin_merge

    def watched(self):
        seen.append([chunk.stop - chunk.start for results in self._results for chunk, *_ in results])
        original(self)

    monkeypatch.setattr(rounds.Rounds, "_begin_merge", watched)
    documents = [*texts(documents=100), " ".join(texts(documents=100, seed=2))]
    settings = {"vector_size": 8, "epochs": 2, "min_count": 1, "reproducible": True, "init": "random"}
    assert_same([Doc2VecC(**settings, workers=workers).fit(documents).model_ for workers in (1, 3)])
    long = [words for words in seen if max(words) > 300]
    assert len(long) == 2 * 2 * 3  # runs, epochs, parts
    assert all(len(words) == 1 for words in long)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_checkpoint_is_continued_to_the_same_model(tmp_path, workers):
    corpus, settings = small_corpus(), config(reproducible=True, workers=2, epochs=20)
    whole = train(corpus, settings).model
    saved = []

    class Often(Checkpoints):
        def wait(self):
            return 0.0

        def save(self, learned, state):
            super().save(learned, state)
            saved.append(state.chunks)
            if len(saved) == 2:
                raise InterruptedError

    with pytest.raises(InterruptedError):
        train(corpus, settings, checkpoints=Often(tmp_path / "checkpoint"))
    assert 0 < saved[-1] < 20 * 120
    settings.workers = workers
    continued = train(corpus, settings, checkpoints=Checkpoints(tmp_path / "checkpoint")).model
    assert continued.word_vectors.tobytes() == whole.word_vectors.tobytes()
    assert continued.outputs.tobytes() == whole.outputs.tobytes()
    assert Origin.of(corpus, None).texts


def test_it_learns_as_well_as_threads_that_share_rows():
    corpus = small_corpus(n_words=30, documents=800)
    losses = [train(corpus, config(reproducible=flag, workers=2)).model.record.history for flag in (False, True)]
    assert losses[0][-1].loss == pytest.approx(losses[1][-1].loss, rel=0.02)


def test_what_depends_on_time_is_refused():
    with pytest.raises(ParameterError, match=r"max_seconds=2\.0 does not fit reproducible=True"):
        Doc2VecC(reproducible=True, max_seconds=2.0).fit(["a"])
    with pytest.raises(ParameterError, match="document=vector does not fit reproducible=True"):
        config(reproducible=True, document="vector")


def test_an_error_ends_all_threads():
    before = threading.active_count()
    with pytest.raises(DivergenceError):
        train(small_corpus(), config(reproducible=True, workers=3, alpha=10.0, epochs=100, frequency_damping=0.0))
    assert threading.active_count() == before


# ---- the merge


def merged(base, copies, caution):
    """Merge one word; a row of None is a share that has no copy of it."""
    table = np.array([np.pad(base, (0, 8 - len(base)))], np.float32)
    shares = len(copies)
    rows, places = np.zeros((shares, 1, 8), np.float32), np.full((shares, 1), NONE, np.int32)
    for share, copy in enumerate(copies):
        if copy is not None:
            rows[share, 0, : len(copy)], places[share, 0] = copy, 0
    of_table = TableCopies(rows, places, np.zeros((shares, 1), np.int32))
    scratch = MergeScratch(np.empty(shares, np.int64), np.empty((1, 8), np.float32))
    for share in range(shares):
        merge_copies(table, of_table, np.array([caution], np.float32), share, 0, 1, scratch)
    return table[0, : len(base)].tolist()


def test_unrelated_changes_add_up_and_equal_ones_count_once():
    assert merged([1, 1], [[2, 1], [1, 3]], caution=1.0) == pytest.approx([2, 3])
    assert merged([1, 1], [[2, 3], None, [2, 3]], caution=1.0) == pytest.approx([2, 3])
    assert merged([1, 1], [[2, 3], [2, 3]], caution=0.0) == pytest.approx([3, 5])
    assert merged([1, 1], [None, [4, 5], None], caution=1.0) == [4, 5]
    assert merged([1, 1], [None, None], caution=1.0) == [1, 1]


def test_opposite_changes_are_not_lengthened():
    assert merged([0.0], [[1.0], [-0.5]], caution=1.0) == pytest.approx([0.5])
    assert change_scale(4.0, 0.0, 1.0) == 1.0
    assert change_scale(0.0, 0.0, 1.0) == 1.0
    assert change_scale(2.0, 4.0, 0.5) == pytest.approx(1 / 1.5)
