"""What the service answers with: models and an index, read and warmed up before they are used.

A reload makes a new `Loaded` and puts it in the place of the old one. A request keeps the one it began with.
"""

import sys
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from doc2vecc.corpus.text_column import bytes_array
from doc2vecc.errors import Doc2VecCError, ParameterError
from doc2vecc.model import Embedding, Model
from doc2vecc.search import SearchIndex
from doc2vecc.search.folder import is_index_folder
from doc2vecc.search.shares import Explainer
from doc2vecc.service.failures import RequestError
from doc2vecc.service.metrics import Metrics
from doc2vecc.service.served_index import ServedIndex
from doc2vecc.service.settings import Keys, ServeSettings, model_name, read_keys
from doc2vecc.similarity import normalized
from doc2vecc.storage import load

COMPARED = 32  # documents of the index that are embedded to see whether a model is the one in it
WARM_UP_TEXT = "a text that loads the compiled code before the first request"


@dataclass(frozen=True)
class Loaded:
    """The models by name, the first one being the default, and who may use them."""

    models: dict[str, Model]
    explainers: dict[str, Explainer]
    modified: dict[str, float]  # when each folder was written, in seconds since 1970
    keys: Keys
    index: ServedIndex | None
    notes: list[str]  # for the operator

    def model(self, name: str | None) -> tuple[str, Model]:
        """Return a model and its name; without a name the first one."""
        if name is None:
            return next(iter(self.models.items()))
        known = name.removesuffix(":latest").removesuffix(".d2v")  # as Ollama's clients write it
        if known not in self.models:
            names = ", ".join(self.models)
            raise RequestError(
                404, f"there is no model {name!r}; this service has: {names}", param="model", code="model_not_found"
            )
        return known, self.models[known]


class Service:
    """The state of one worker process."""

    def __init__(self, settings: ServeSettings, metrics: Metrics) -> None:
        self.settings = settings
        self.metrics = metrics
        self.is_draining = False
        self.supervisor: int | None = None  # the process that forwards signals to all workers
        self.missed: list[int] = []  # signals to load again that came before they were handled
        self.loaded = read_all(settings)
        self._one_reload = threading.Lock()

    def reload(self) -> None:
        """Read models, index and keys again; if that fails, the old ones stay, and the error is a Doc2VecCError."""
        with self._one_reload:
            try:
                self.loaded = read_all(self.settings)
            except Exception as error:
                self.metrics.add("failed_reloads")
                if isinstance(error, Doc2VecCError):
                    raise
                traceback.print_exc(file=sys.stderr)  # the operator reads what happened, whoever asked for it
                raise Doc2VecCError(f"{type(error).__name__}: {error}; the log tells more") from error
            self.metrics.add("reloads")


def read_all(settings: ServeSettings) -> Loaded:
    """Read everything that the settings name, and compile or load what the first request will need."""
    for folder in settings.models:
        if is_index_folder(folder):
            raise ParameterError(f"{folder} is a search index, not a model; use serve MODEL --index {folder}")
    keys = read_keys(settings.api_key_file)  # first: a mistake in it is found at once
    models = {model_name(folder): load(folder) for folder in settings.models}
    explainers = {name: Explainer(model) for name, model in models.items()}
    for name, model in models.items():
        _warm_up(model, explainers[name])
    modified = {model_name(folder): _modified(folder) for folder in settings.models}
    index = None if settings.index is None else ServedIndex(settings.index)
    notes = []
    if index is not None:
        searched = index.current().index
        searched.nearest(_warm_up(searched.model, searched.explainer).vectors)
        if not any(_is_model_of(searched, one) for one in models.values()):
            names = " and ".join(models)
            notes.append(
                f"{settings.index} was made with another model than {names}: search uses the model in the index, "
                f"everything else {names}; if that is not meant, build the index again"
            )
    return Loaded(models, explainers, modified, keys, index, notes)


def _is_model_of(index: SearchIndex, model: Model) -> bool:
    """Tell whether a model gives some documents of an index the vectors that they have there."""
    if index.model.dim != model.dim:
        return False
    stored = index.vectors()[0]  # of the documents that came first
    rows = np.linspace(0, len(stored) - 1, min(COMPARED, len(stored))).astype(np.int64)
    vectors = vectors_of(model, [index.document(row).text for row in rows.tolist()], normalize=True).vectors
    return bool(np.allclose(stored[rows], vectors, rtol=1e-3, atol=1e-5))


def _warm_up(model: Model, explainer: Explainer) -> Embedding:
    """Load or compile what a request needs."""
    embedded = embed(model, [WARM_UP_TEXT])
    model.explain(WARM_UP_TEXT, WARM_UP_TEXT)
    explainer.explain(embedded.vectors[0], WARM_UP_TEXT)
    return embedded


def embed(model: Model, texts: list[str]) -> Embedding:
    """Embed texts that came in a request; the JSON reader lets no lone surrogate through."""
    return model.embed(bytes_array(list(map(str.encode, texts))))


def vectors_of(model: Model, texts: list[str], *, normalize: bool) -> Embedding:
    """Embed texts -> rows without padding between them, little-endian, of length one if ``normalize``."""
    vectors, known_words = embed(model, texts)
    rows = np.ascontiguousarray(normalized(vectors) if normalize else vectors, "<f4")
    return Embedding(rows, known_words)


def _modified(folder: Path) -> float:
    return (folder / "config.json").stat().st_mtime
