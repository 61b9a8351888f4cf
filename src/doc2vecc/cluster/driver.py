"""The driver: one training on many workers. It holds the words and the two tables, and no text.

count       every worker reads its pieces and counts their words and n-grams; the counts are added (corpus.py)
encode      every worker writes its texts as ids to its own disk
start       the spectral start: every worker multiplies with its documents, the products are added
train       in rounds: every worker trains on its texts for a few seconds and sends the rows that have changed; what
            they have learned is merged (merging.py) and sent back to all

A worker that dies is replaced (crew.py). The new one reads the same pieces, gets the tables of the last exchange and
trains from there, so every document is trained on as often as the others.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from doc2vecc.cluster.corpus import ClusterCorpus
from doc2vecc.cluster.crew import Call, Clock, Cluster, Crew, RayCrew, connected
from doc2vecc.cluster.inputs import Piece, ReadingPlan, assign, find_pieces
from doc2vecc.cluster.merging import Update, apply, load_kernels, merge_updates
from doc2vecc.cluster.worker import Step, Worker
from doc2vecc.config import TrainingConfig, auto_epochs
from doc2vecc.console import ProgressListener, Silent
from doc2vecc.corpus.numbering import Tokenizer
from doc2vecc.corpus.tokenizer import BuiltinTokenizer
from doc2vecc.errors import CheckpointError, DivergenceError, ParameterError
from doc2vecc.model import EpochSums, Model, TrainingRecord, TrainingState
from doc2vecc.storage import parsed_json
from doc2vecc.training.checkpoint import Checkpoints, state_as_json, state_of_json
from doc2vecc.training.learning import loss_warnings
from doc2vecc.training.rounds import cautions_of
from doc2vecc.training.start import ITERATIONS, first_tables, place_words, spectral_vectors

EXCHANGES_PER_EPOCH = 4  # at least: on a small corpus a few seconds are a whole epoch
EXCHANGES_PER_WORKER = 2  # in an epoch, at least: the more workers there are, the less each knows of what all learn
WORDS_PER_EXCHANGE = 100_000  # of a worker, at least, or an epoch: a tiny corpus is not worth more
WORKERS_FILE = "workers.json"  # of a checkpoint: where each worker stands


@dataclass(frozen=True)
class ClusterLearned:
    """A model, what a user should know about the texts, and what the exchange has cost."""

    model: Model
    messages: list[str]
    seconds: dict[str, float]  # of every phase; those of the exchange are a part of those of the training
    exchanges: int
    bytes_sent: int  # by all workers to the driver
    bytes_received: int  # by each of the workers


def learn_on_cluster(
    paths: Sequence[str],
    config: TrainingConfig,
    cluster: Cluster,
    *,
    threads: int | None = None,
    plan: ReadingPlan | None = None,
    tokenizer: Tokenizer | None = None,
    **options: Any,  # noqa: ANN401
) -> ClusterLearned:
    """Learn a model from files, on the workers of a Ray cluster; options are those of :func:`learn_with`."""
    if config.reproducible:
        raise ParameterError(
            "reproducible=True does not fit a cluster: its workers exchange what they learn by the clock; "
            "leave it out, or train on one machine"
        )
    plan = plan or ReadingPlan()
    with connected(cluster, threads) as resources:
        pieces = find_pieces(paths, resources.workers, plan)
        resources = resources._replace(workers=min(resources.workers, len(pieces)))
        config = replace(config, workers=resources.threads)
        shares = assign(pieces, resources.workers)
        crew = RayCrew(lambda number: (number, shares[number], plan, config, tokenizer), Worker, resources)
        return learn_with(crew, pieces, config, cluster, tokenizer=tokenizer, **options)


def learn_with(
    crew: Crew,
    pieces: Sequence[Piece],
    config: TrainingConfig,
    cluster: Cluster,
    *,
    tokenizer: Tokenizer | None = None,
    progress: ProgressListener | None = None,
    checkpoints: Checkpoints | None = None,
) -> ClusterLearned:
    """Learn a model with some workers; with ``checkpoints`` an interrupted training continues."""
    progress, clock = progress or Silent(), Clock()
    states = _saved_states(checkpoints, crew.size) if checkpoints else None
    total = sum(piece.size for piece in pieces)
    with clock.phase("count"):
        corpus = ClusterCorpus(crew, config, tokenizer or BuiltinTokenizer())
        corpus.count(lambda done: progress.working(f"reading on {crew.size} workers", min(done / total, 1.0)))
    with clock.phase("encode"):
        corpus.encode()
    config = config.sized(corpus.report.tokens)
    training = Rounds(crew, corpus, config, tokenizer)
    saved = checkpoints and checkpoints.open(config, corpus.origin(), tokenizer)
    with clock.phase("start"):
        if saved and states:
            training.resume(saved[0], states)
        elif config.init == "spectral":
            training.set_spectral_start(partial(progress.working, "spectral start"))
        training.begin()
    with clock.phase("train"):
        training.run(cluster.exchange_every, progress, checkpoints)
    model = training.model()
    exponent = config.idf_power(corpus.report.tokens, corpus.report.documents)
    if exponent:
        model.multiply(corpus.idf ** np.float32(exponent))
    model.record.report.update({name: one for name, one in asdict(corpus.reading).items() if isinstance(one, int)})
    messages = corpus.reading.messages() + corpus.report.messages() + loss_warnings(model.record.history, config)
    seconds = clock.seconds | {"exchange": training.exchange_seconds}
    return ClusterLearned(model, messages, seconds, training.number, training.bytes_sent, training.bytes_received)


class Rounds:
    """The tables, where each worker stands, and the rounds of training and exchange."""

    def __init__(
        self, crew: Crew, corpus: ClusterCorpus, config: TrainingConfig, tokenizer: Tokenizer | None = None
    ) -> None:
        self.crew, self.corpus, self.config, self.tokenizer = crew, corpus, config, tokenizer
        self.epochs = auto_epochs(corpus.n_ids) if config.epochs == "auto" else config.epochs
        self.states = [TrainingState([EpochSums() for _ in range(self.epochs)]) for _ in range(crew.size)]
        self.inputs, self.outputs = first_tables(len(corpus.vocabulary), 0, config)
        self.number = 0  # of the last exchange
        self.bytes_sent = self.bytes_received = 0
        self.exchange_seconds = 0.0

    # ---- what it starts from

    def set_spectral_start(self, watch: Callable[[float], None]) -> None:
        """Replace the random vectors of words by spectral ones."""
        idf, n_done = self.crew.share(self.corpus.idf), 0

        def products(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
            nonlocal n_done
            first, *others = self.crew.run("products", idf, self.crew.share(vectors))
            total = np.array(first)
            for other in others:
                total += other
            n_done += 1
            watch(n_done / ITERATIONS)
            return total

        found = spectral_vectors(self.inputs, self.corpus.idf, self.config.dim, products)
        lengths = self.crew.run("document_lengths", self.crew.share(found))
        means = np.sum([length * documents for length, documents in lengths], axis=0)
        means /= max(self.corpus.report.documents, 1)
        place_words(self.inputs, found, means, self.corpus.n_ids, self.config.alpha)

    def resume(self, saved: Model, states: list[TrainingState]) -> None:
        """Take the tables of a checkpoint, and the states of its workers."""
        self.states = states
        for state in states:
            state.epochs += [EpochSums() for _ in range(self.epochs - len(state.epochs))]
        self.inputs[:, : saved.dim], self.outputs[:, : saved.dim] = saved.word_vectors, saved.outputs

    def begin(self) -> None:
        """Give the tables to all workers, each with its state at the last exchange."""
        load_kernels(self.config.dim)
        encoded = [call for call in self.crew.history if call.method != "begin"]
        self.crew.run("begin", *self._beginning())
        self.crew.history = [*encoded, Call("begin", self._beginning)]

    def _beginning(self) -> tuple[Any, ...]:
        """Return what workers begin with, also one that takes the place of another: how all stands now."""
        decided = {"vector_size": self.config.dim, "epochs": self.epochs}
        return self.crew.share(self.inputs), self.crew.share(self.outputs), decided, self.number, self.states

    # ---- training

    def run(self, every: float, progress: ProgressListener, checkpoints: Checkpoints | None) -> None:
        """Train in rounds until every worker has finished; an interrupted training may continue, or end as it is."""
        merged: Any = None
        is_finished = False
        due = time.perf_counter() + (checkpoints.wait() if checkpoints else 0.0)
        while not is_finished:
            try:
                update, is_finished = self._round(merged, every)
                merged = self.crew.share(update)
                self._tell(progress)
                if checkpoints and not is_finished and time.perf_counter() >= due:
                    self._save(checkpoints)
                    due = time.perf_counter() + checkpoints.wait()
            except KeyboardInterrupt as interruption:
                if checkpoints is None:
                    raise
                choice = checkpoints.on_interrupt(interruption, self.state())
                if choice == "finish":
                    return
                if choice == "keep":
                    self._save(checkpoints)
                if choice != "continue":
                    raise
                self.begin()  # what the workers were doing is not known: they train from the last exchange again
                merged = None

    def _round(self, merged: Any, every: float) -> tuple[Update, bool]:  # noqa: ANN401
        """Let all workers train for a while, and merge what they have learned -> (it, whether all have finished)."""
        started = time.perf_counter()
        exchanges = max(EXCHANGES_PER_EPOCH, EXCHANGES_PER_WORKER * self.crew.size)
        least = WORDS_PER_EXCHANGE * self.crew.size / max(self.corpus.n_ids, 1)
        share = min(max(1 / exchanges, least), 1.0)
        steps: list[Step] = self.crew.run("train", self.number, merged, every, share)
        before, self.states = self.state().words, [step.state for step in steps]
        words = self.state().words - before
        length = self.corpus.n_ids / max(self.corpus.report.documents, 1)
        cautions = cautions_of(self.corpus.vocabulary.counts, words, length)
        update = merge_updates([step.update for step in steps], cautions)
        if not all(np.isfinite(delta.squares).all() for delta in update):
            raise DivergenceError(self.config.alpha)
        apply(update, self.inputs, self.outputs)
        self.number += 1
        self.bytes_sent += sum(step.update.nbytes for step in steps)
        self.bytes_received += update.nbytes
        self.exchange_seconds += time.perf_counter() - started - max(step.seconds for step in steps)
        return update, all(step.is_finished for step in steps)

    def state(self) -> TrainingState:
        """Return where the training stands: the sum of the workers, and the time of the slowest."""
        total = TrainingState([EpochSums() for _ in range(self.epochs)])
        for state in self.states:
            total.chunks += state.chunks
            total.seconds = max(total.seconds, state.seconds)
            for sums, epoch in zip(total.epochs, state.epochs, strict=True):
                sums.loss += epoch.loss
                sums.targets += epoch.targets
                sums.words += epoch.words
                sums.finished_at = max(sums.finished_at, epoch.finished_at)
        return total

    def _tell(self, progress: ProgressListener) -> None:
        state = self.state()
        current = max((number for number, epoch in enumerate(state.epochs) if epoch.words), default=0)
        epoch, share = state.epochs[current], state.words / max(self.corpus.n_ids * self.epochs, 1)
        speed = state.words / max(state.seconds, 1e-9)
        progress.training(share, current + 1, self.epochs, speed, epoch.loss / max(epoch.targets, 1))

    def model(self) -> Model:
        """Return what has been learned."""
        record = TrainingRecord(asdict(self.config), self.state().history(), asdict(self.corpus.report))
        return Model(
            self.corpus.vocabulary,
            self.inputs,
            self.config.dim,
            outputs=self.outputs,
            tokenizer=self.tokenizer,
            binary=self.config.binary,
            record=record,
        )

    def _save(self, checkpoints: Checkpoints) -> None:
        states = json.dumps([state_as_json(state) for state in self.states])
        checkpoints.save(self.model, self.state(), {WORKERS_FILE: states})


def _saved_states(checkpoints: Checkpoints, size: int) -> list[TrainingState] | None:
    """Read where the workers stood; there must be as many of them again, because each reads its share."""
    folder = checkpoints.folder
    if not folder.exists():
        return None
    checkpoints.check()
    try:
        states = [state_of_json(one) for one in parsed_json(folder / WORKERS_FILE)]
    except FileNotFoundError:
        remedy = "continue it without a cluster, or remove the folder to begin anew"
        raise CheckpointError(f"the training of {folder} was on one machine; {remedy}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{folder / WORKERS_FILE} cannot be read ({error}); remove {folder} to begin") from error
    if len(states) != size:
        remedy = "start as many, or remove the folder to begin anew"
        raise CheckpointError(f"the training of {folder} had {len(states)} workers, not {size}; {remedy}")
    return states
