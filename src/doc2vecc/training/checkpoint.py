"""Checkpoints: a training that was interrupted or killed continues and, with one worker, ends in the same model.

A checkpoint is a model folder of what has been learned so far, which every command can read, and one more file,
``checkpoint.json``: where the training stands, and a digest of what it learns from. The draws of a chunk follow from
the seed and the number of the chunk, so there is nothing else to remember.
"""

import hashlib
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, astuple, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc import storage
from doc2vecc.config import TrainingConfig, require
from doc2vecc.corpus.encoded import EncodedCorpus, PackedIds
from doc2vecc.corpus.numbering import Tokenizer
from doc2vecc.corpus.vocabulary import Vocabulary
from doc2vecc.errors import CheckpointError
from doc2vecc.files import remove_folder
from doc2vecc.model import EpochSums, Model, TrainingState

STATE_FILE = "checkpoint.json"
EVERY = 600.0  # seconds between two checkpoints, unless the user says otherwise
LARGEST_SHARE = 0.02  # of the time, for checkpoints
_ROWS_AT_ONCE = 1 << 16

# What to do with a training that is interrupted: go on, end it with the model as it is, keep a checkpoint, or nothing.
InterruptChoice = Literal["continue", "finish", "keep", "discard"]


class Origin(NamedTuple):
    """Digests of what a training learns from."""

    texts: str
    vocabulary: str
    start: str  # of the model whose training it continues; empty if there is none

    @classmethod
    def of(cls, corpus: EncodedCorpus, start: Model | None) -> "Origin":
        """Compute the digests, at about a gigabyte a second."""
        texts = digest(corpus.ids, corpus.offsets)
        corpus.release()
        vectors = "" if start is None else digest(start.word_vectors, start.outputs)
        return cls(texts, vocabulary_digest(corpus.vocabulary), vectors)


@dataclass
class Checkpoints:
    """The folder for the checkpoints of one training, and when to write them.

    ``on_interrupt`` is asked what to do at Ctrl-C; by default a checkpoint is written and the training ends.
    """

    folder: Path
    every: float = math.inf  # seconds
    on_interrupt: Callable[[KeyboardInterrupt, TrainingState], InterruptChoice] = lambda *_: "keep"
    any_seed: bool = False  # the user wants a fresh seed: that of an interrupted training is one
    origin: Origin | None = field(default=None, init=False)
    cost: float = field(default=0.0, init=False)  # seconds that the last one took

    def __post_init__(self) -> None:
        require("checkpoint_every", self.every, low=0)

    def wait(self) -> float:
        """Return how many seconds to train before the next one: more than asked for, where one takes long."""
        return max(self.every, self.cost / LARGEST_SHARE)

    def save(
        self, learned: Callable[[], Model], state: TrainingState, further: Mapping[str, str] | None = None
    ) -> None:
        """Write a checkpoint in place of the last one, of what has been ``learned``, with further files."""
        started = time.perf_counter()
        content = {"origin": self.origin} | state_as_json(state)
        storage.save(learned(), self.folder, {STATE_FILE: json.dumps(content)} | dict(further or {}))
        self.cost = time.perf_counter() - started

    def remove(self) -> None:
        """Remove the checkpoint, if there is one; killed half way through, it is gone as well."""
        remove_folder(self.folder)

    def check(self) -> None:
        """Raise an error if the folder is there and is something else."""
        self._read_state()

    def seeded(self, config: TrainingConfig, tokenizer: Tokenizer | None) -> TrainingConfig:
        """Return the settings with the seed of the training that continues, if any seed will do."""
        if not (self.any_seed and self.folder.exists()):
            return config
        return replace(config, seed=storage.load(self.folder, tokenizer).record.settings.get("seed", config.seed))

    def open(
        self, config: TrainingConfig, origin: Origin, tokenizer: Tokenizer | None
    ) -> tuple[Model, TrainingState] | None:
        """Begin a training, or read the checkpoint of it if there is one; that of another training is refused."""
        self.origin = origin
        if not self.folder.exists():
            return None
        model = storage.load(self.folder, tokenizer)
        saved, state = self._read_state()
        settings = model.record.settings
        for name, value in asdict(config).items():
            if name != "workers" and settings.get(name) != value:
                label = {"seed": "random_state (--seed) "}.get(name, f"{name}=")
                raise self._refused(f"had {label}{settings.get(name)!r}, not {value!r}; set it so")
        if saved.texts != origin.texts or vocabulary_digest(model.vocabulary) != origin.vocabulary:
            raise self._refused("read other texts; pass those")
        if saved.start != origin.start:
            raise self._refused("started from another model, or from none; pass that one")
        return model, state

    def _refused(self, difference: str) -> CheckpointError:
        return CheckpointError(f"the training of {self.folder} {difference}, or remove the folder to begin anew")

    def _read_state(self) -> tuple[Origin, TrainingState]:
        path = self.folder / STATE_FILE
        try:
            content = storage.parsed_json(path)
            origin = Origin(*(_checked(one, str) for one in content["origin"]))
            return origin, state_of_json(content)
        except (FileNotFoundError, NotADirectoryError):
            raise CheckpointError(f"{self.folder} is not a checkpoint; remove it, or choose another name") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CheckpointError(f"{path} cannot be read ({error}); remove {self.folder} to begin anew") from error


def continued(state: TrainingState, begun: TrainingState, n_chunks: int) -> TrainingState:
    """Return the state of a checkpoint with all epochs of its training; one that cannot have been is refused."""
    is_late = state.chunks > n_chunks or len(state.epochs) > len(begun.epochs)
    if is_late or (state.seconds <= 0 and any(epoch.words for epoch in state.epochs)):
        raise CheckpointError(
            f"{STATE_FILE} of the checkpoint is damaged: it says {state.chunks:,} chunks in {state.seconds:g} s, the "
            f"training has {n_chunks:,}; remove the folder to begin anew"
        )
    return TrainingState(state.epochs + begun.epochs[len(state.epochs) :], state.chunks, state.seconds)


def state_as_json(state: TrainingState) -> dict[str, Any]:
    """Return where a training stands, for a file."""
    begun = [astuple(epoch) for epoch in state.epochs if epoch.words]
    return {"chunks": state.chunks, "seconds": state.seconds, "epochs": begun}


def state_of_json(content: Any) -> TrainingState:  # noqa: ANN401
    """Return what a file says, checked; a ValueError, KeyError or TypeError if it cannot be."""
    epochs = [
        EpochSums(*(_checked(*pair) for pair in zip(epoch, (float, int, int, float), strict=True)))
        for epoch in content["epochs"]
    ]
    return TrainingState(epochs, _checked(content["chunks"], int), _checked(content["seconds"], float))


def _checked(value: Any, kind: type) -> Any:  # noqa: ANN401
    """Return a value of a file if it is of this kind; numbers must not be negative, nor too large to compute with."""
    fits = 0 <= value < (1 << 62 if kind is int else math.inf) if isinstance(value, int | float) else True
    if type(value) is not kind or not fits:
        raise ValueError(f"{value!r} is out of place")
    return value


def vocabulary_digest(vocabulary: Vocabulary) -> str:
    """Compute the digest of words, counts and n-grams."""
    return digest(vocabulary.word_bytes, vocabulary.word_offsets, vocabulary.counts, vocabulary.ngrams)


def digest(*arrays: npt.NDArray[Any] | PackedIds) -> str:
    """Compute the digest of the content of arrays."""
    found = hashlib.blake2b(digest_size=16)
    for array in arrays:
        found.update(repr(array.shape).encode())
        for start in range(0, len(array), _ROWS_AT_ONCE):
            found.update(np.ascontiguousarray(array[start : start + _ROWS_AT_ONCE]).data)
    return found.hexdigest()
