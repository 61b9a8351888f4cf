import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

from doc2vecc.config import TrainingConfig
from doc2vecc.corpus.encoded import EncodedCorpus
from doc2vecc.corpus.vocabulary import MAX_RATE, Vocabulary
from doc2vecc.estimator import Doc2VecC
from doc2vecc.kernels.training.contexts import Rows
from doc2vecc.training import trainer
from doc2vecc.training.start import PrivateRows, first_tables
from doc2vecc.training.trainer import infer_documents, train


def small_corpus(n_words=60, documents=120, seed=0):
    generator = np.random.default_rng(seed)
    texts = [generator.integers(n_words, size=generator.integers(0, 40)).tolist() for _ in range(documents)]
    counts = np.bincount([word for text in texts for word in text], minlength=n_words)
    return EncodedCorpus.of(texts, Vocabulary.from_words([f"w{i}" for i in range(n_words)], counts))


def config(**changes):
    return TrainingConfig(**{"vector_size": 10, "init": "random", "epochs": 3, "alpha": 0.1, "seed": 5, **changes})


@pytest.mark.parametrize("architecture", ["cbow", "skipgram"])
@pytest.mark.parametrize("sample", [0.0, 1e-2])
def test_one_worker_and_a_seed_give_bitwise_the_same_model(architecture, sample):
    corpus = small_corpus()
    setting = config(architecture=architecture, sample=sample)
    first, second = train(corpus, setting).model, train(corpus, setting).model
    np.testing.assert_array_equal(first.word_vectors, second.word_vectors)
    np.testing.assert_array_equal(first.outputs, second.outputs)
    other = train(corpus, config(architecture=architecture, sample=sample, seed=6)).model
    assert not np.array_equal(first.word_vectors, other.word_vectors)


def test_history_counts_words_and_the_loss_falls():
    corpus = small_corpus(n_words=8)
    history = train(corpus, config(epochs=10, document_only=0.0)).model.record.history
    assert [epoch.words for epoch in history] == [len(corpus.ids)] * 10
    assert all(epoch.seconds >= 0 for epoch in history)
    assert 0 < history[-1].loss < history[0].loss < 6 * np.log(2)


def test_several_workers_learn_as_well_as_one():
    corpus = small_corpus(n_words=30, documents=800)
    losses = [train(corpus, config(workers=workers)).model.record.history[-1].loss for workers in (1, 3)]
    assert losses[0] == pytest.approx(losses[1], rel=0.02)


def test_no_update_of_a_frequent_word_is_lost():
    """Threads add ones to their private rows and merge again and again: every one arrives."""
    workers, hot, hottest, rounds = 4, 6, 2, 401
    table = np.zeros((hot + workers * hot, 8), np.float32)
    other = np.zeros_like(table)
    lock = threading.Lock()

    def work(worker):
        rows = Rows(hot, hot + worker * hot)
        merging = PrivateRows((table, other), rows, hottest, lock)
        merging.merge_all()
        for number in range(rounds):
            table[rows.private : rows.private + hot] += 1
            if number % 4:
                merging.merge_hottest()
            else:
                merging.merge_all()
        merging.merge_all()

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.all(table[:hot] == workers * rounds)


def test_first_tables():
    inputs, outputs = first_tables(50, 7, config(vector_size=10))
    assert inputs.shape == outputs.shape == (57, 16)
    assert np.abs(inputs[:50, :10]).max() <= 0.05
    assert inputs[:50, :10].std() == pytest.approx(0.1 / np.sqrt(12), rel=0.1)
    assert not outputs.any()
    assert not inputs[50:].any()
    assert not inputs[:, 10:].any()
    assert inputs.ctypes.data % 64 == 0


def test_padding_stays_zero():
    model = train(small_corpus(), config(vector_size=10)).model
    assert not model._rows[:, 10:].any()


def test_a_failure_in_a_thread_is_raised(monkeypatch):
    def failing(*_):
        raise RuntimeError("broken kernel")

    monkeypatch.setattr(trainer, "train_chunk", failing)
    with pytest.raises(RuntimeError, match="broken kernel"):
        train(small_corpus(), config(workers=2))


@pytest.mark.slow
def test_interrupt_stops_within_a_second():
    """A real Ctrl-C in a real process, in the middle of a training that would take an hour."""
    program = textwrap.dedent(
        """
        import numpy as np, sys
        from doc2vecc.config import TrainingConfig
        from doc2vecc.console import ProgressListener
        from doc2vecc.corpus.encoded import EncodedCorpus
        from doc2vecc.corpus.vocabulary import Vocabulary
        from doc2vecc.training.trainer import train

        class Said(ProgressListener):
            def training(self, share, *rest):
                print("training", flush=True)

        ids = np.random.default_rng(0).integers(500, size=1_000_000).tolist()
        corpus = EncodedCorpus.of([ids], Vocabulary.from_words([f"w{i}" for i in range(500)], [2_000] * 500))
        try:
            train(corpus, TrainingConfig(vector_size=100, epochs=10_000, workers=2), progress=Said())
        except KeyboardInterrupt:
            print("stopped", flush=True)
        """
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "training\n"
        started = time.perf_counter()
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        process.wait(timeout=20)
        seconds = time.perf_counter() - started
    assert rest.endswith("stopped\n")
    assert process.returncode == 0
    assert seconds < 20  # a second on an idle machine; the bound only tells it from never


def topical_corpus(documents=200, seed=3):
    """Documents of two topics: words 0 to 9 or words 10 to 19."""
    generator = np.random.default_rng(seed)
    topics = generator.integers(2, size=documents)
    texts = [(10 * topic + generator.integers(10, size=30)).tolist() for topic in topics]
    vocabulary = Vocabulary.from_words([f"w{i}" for i in range(20)], [documents] * 20)
    return EncodedCorpus.of(texts, vocabulary), topics


def separation(vectors, topics):
    """How far apart the means of the two topics are, in spreads within a topic."""
    first, second = vectors[topics == 0], vectors[topics == 1]
    between = np.linalg.norm(first.mean(axis=0) - second.mean(axis=0))
    return between / np.sqrt(first.var(axis=0).sum() + second.var(axis=0).sum())


@pytest.mark.parametrize("document_only", [0.5, 1.0])  # neighbors alone tell the topics
@pytest.mark.parametrize("workers", [1, 2])
def test_document_vectors_are_learned_and_inferred(document_only, workers):
    corpus, topics = topical_corpus()
    setting = config(document="vector", document_only=document_only, epochs=30, alpha=0.05, window=2, workers=workers)
    model, vectors = train(corpus, setting)
    assert vectors.shape == (200, 10)
    assert separation(vectors, topics) > 1
    before = np.array(model.word_vectors), np.array(model.outputs)
    further, further_topics = topical_corpus(50, seed=4)
    inferred = infer_documents(model, further, setting)
    assert separation(inferred, further_topics) > 1
    np.testing.assert_array_equal(model.word_vectors, before[0])
    np.testing.assert_array_equal(model.outputs, before[1])


def test_documents_without_words_have_zero_vectors():
    corpus, _ = topical_corpus(20)
    setting = config(document="vector", alpha=0.02)
    model, _ = train(corpus, setting)
    some = EncodedCorpus.of([[1, 2, 3], []], corpus.vocabulary)
    inferred = infer_documents(model, some, setting)
    assert inferred[0].any()
    assert not inferred[1].any()
    assert infer_documents(model, EncodedCorpus.of([[], []], corpus.vocabulary), setting).shape == (2, 10)


def test_without_a_document_only_local_words_are_learned():
    corpus = small_corpus()
    model = train(corpus, config(document="absent", document_only=0.0, epochs=5)).model
    assert model.record.history[-1].loss < model.record.history[0].loss
    alone = EncodedCorpus.of([[0], [1], [2]], corpus.vocabulary)  # nothing to predict a word from
    untouched = train(alone, config(document="absent", document_only=0.0)).model
    np.testing.assert_array_equal(untouched.word_vectors, first_tables(60, 0, config())[0][:60, :10])
    with pytest.raises(ValueError, match=r"document_only=0\.5 does not fit document='absent'"):
        config(document="absent", document_only=0.5)


def test_training_goes_on_from_a_model_whose_words_stand_in_another_order():
    corpus = small_corpus(n_words=30)
    model = train(corpus, config()).model
    words = ["new", *model.vocabulary.words[::-1]]
    further = EncodedCorpus.of([[0]], Vocabulary.from_words(words, [1] * 31))
    tiny = train(further, config(alpha=1e-9, epochs=1), start=model).model
    np.testing.assert_allclose(tiny.word_vectors[1:], model.word_vectors[::-1], atol=1e-6)
    np.testing.assert_allclose(tiny.outputs[1:], model.outputs[::-1], atol=1e-6)
    assert np.abs(tiny.word_vectors[0]).max() <= 0.05
    assert len(tiny.record.history) == 4


@pytest.mark.parametrize("workers", [1, 2])
def test_damping_makes_rare_words_learn_faster_and_frequent_ones_slower(workers):
    generator = np.random.default_rng(0)
    weights = 1 / np.arange(1, 61)
    words = generator.choice(60, (300, 40), p=weights / weights.sum())
    vocabulary = Vocabulary.from_words([f"w{i}" for i in range(60)], np.bincount(words.ravel()))
    corpus = EncodedCorpus.of(words.tolist(), vocabulary)
    alike, damped = (
        train(corpus, config(alpha=1e-4, epochs=1, workers=workers, frequency_damping=damping)).model.outputs
        for damping in (0.0, 0.6)
    )
    rates = vocabulary.damped_rates(0.6)
    assert rates.min() < 0.7 < 2 < rates.max()
    # After short steps from zero, what a word has learned is in proportion to its rate.
    moved = np.linalg.norm(damped, axis=1) / np.linalg.norm(alike, axis=1)
    np.testing.assert_allclose(moved[:60], rates, rtol=0.02)


def test_rates_of_damping_average_to_one_and_have_a_limit():
    counts = np.array([10**7, 10**4, 100, 1, 0])
    vocabulary = Vocabulary.from_words(list("abcde"), counts)
    rates = vocabulary.damped_rates(0.2)
    assert (rates * counts).sum() == pytest.approx(counts.sum(), rel=1e-3)
    assert np.all(vocabulary.damped_rates(0) == 1)
    assert vocabulary.damped_rates(1.0).max() == MAX_RATE
    np.testing.assert_allclose(rates[1] / rates[0], (10**3) ** 0.2, rtol=1e-5)


@pytest.mark.parametrize("length", [3, 6, 12])
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2)])
def test_short_documents_do_not_run_away_with_the_defaults(length, ngram_range):
    generator = np.random.default_rng(0)
    texts = [" ".join(f"w{word}" for word in generator.zipf(1.5, length) % 500) for _ in range(3_000)]
    model = Doc2VecC(vector_size=20, epochs=5, workers=1, ngram_range=ngram_range, random_state=0).fit(texts)
    assert model.history_[-1].loss < model.history_[0].loss
    assert np.linalg.norm(model.word_vectors_ / model.model_.weights[:, None], axis=1).max() < 20
