"""Another program behind the same application as ``doc2vecc serve``: only what embeds is not ours.

python -m benchmarks.serve_peer reviews.d2v --workers 2 --port 0                    # model2vec with our vectors
python -m benchmarks.serve_peer reviews.d2v --encoder all-MiniLM-L6-v2 --port 0     # a folder of sentence-transformers
"""

import argparse
import os
import signal
import sys
import tempfile
from functools import partial
from multiprocessing import Process
from pathlib import Path
from typing import Any

import numpy as np

from doc2vecc.console import say
from doc2vecc.exports import export
from doc2vecc.model import Embedding, Model
from doc2vecc.service.catalog import NAMES
from doc2vecc.service.loaded import Service
from doc2vecc.service.metrics import Metrics
from doc2vecc.service.running import bound_socket, run_worker
from doc2vecc.service.settings import ServeSettings
from doc2vecc.storage import load


class StaticPeer:
    """The vectors of a model, computed by model2vec."""

    def __init__(self, model: Model, folder: str) -> None:
        os.environ["TOKENIZERS_PARALLELISM"] = "true"
        from model2vec import StaticModel

        export(model, Path(folder) / "static", "model2vec")
        self._static = StaticModel.from_pretrained(Path(folder) / "static")
        self.dim = model.dim

    def embed(self, texts: Any) -> Embedding:  # noqa: ANN401
        """Embed as `Model.embed` does."""
        vectors = self._static.encode(texts.to_pylist(), use_multiprocessing=False).astype(np.float32)
        return Embedding(vectors, np.ones(len(vectors), np.int64))


class EncoderPeer:
    """The vectors of a transformer, computed by sentence-transformers; one thread in each worker."""

    def __init__(self, folder: Path) -> None:
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(1)
        self._encoder = SentenceTransformer(str(folder), device="cpu")
        self.dim = self._encoder.get_sentence_embedding_dimension()

    def embed(self, texts: Any) -> Embedding:  # noqa: ANN401
        """Embed as `Model.embed` does."""
        vectors = self._encoder.encode(texts.to_pylist(), show_progress_bar=False).astype(np.float32)
        return Embedding(vectors, np.ones(len(vectors), np.int64))


def work(settings: ServeSettings, listening: Any, encoder: Path | None) -> None:  # noqa: ANN401
    service = Service(settings, Metrics(NAMES))
    (name, model), *_ = service.loaded.models.items()
    with tempfile.TemporaryDirectory() as folder:
        peer = StaticPeer(model, folder) if encoder is None else EncoderPeer(encoder)
        service.loaded.models[name] = peer  # type: ignore[assignment]
        run_worker(service, listening, lambda: say("a worker is ready"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--encoder", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    load(arguments.model)
    settings = ServeSettings((arguments.model,), port=arguments.port, max_concurrent=1000, timeout=600)
    with bound_socket(settings.host, settings.port) as listening:
        listening.listen(2048)
        target = partial(work, settings, listening, arguments.encoder)
        workers = [Process(target=target, daemon=True) for _ in range(arguments.workers)]
        for worker in workers:
            worker.start()
        signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # which ends the workers, too
        host, port = listening.getsockname()
        say(f"serving on http://{host}:{port}, without keys")
        for worker in workers:
            worker.join()


if __name__ == "__main__":
    main()
