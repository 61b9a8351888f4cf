"""What checkpoints cost: the share of the training time that writing them takes.

python -m benchmarks.checkpoints --every 1        seconds between two checkpoints

The interval is far shorter than anybody would choose, so that many are written; a training prolongs it by itself where
one takes long. Reviews of IMDB, the default settings.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import pyarrow.parquet as pq
import typer

from doc2vecc import Doc2VecC
from doc2vecc.training.checkpoint import Checkpoints, Origin


def main(
    data: Annotated[Path, typer.Option(envvar="DOC2VECC_DATA", help="Folder with imdb.parquet.")],
    every: Annotated[float, typer.Option(help="Seconds between two checkpoints.")] = 1.0,
    workers: int = 2,
) -> None:
    """Train once with checkpoints -> a line of JSON."""
    texts = pq.read_table(data / "imdb.parquet", columns=["text"])["text"]
    seconds: dict[str, list[float]] = {"save": [], "digest": []}

    def timed(name: str, work: Any) -> Any:  # noqa: ANN401
        def wrapped(*arguments: Any) -> Any:  # noqa: ANN401
            started = time.perf_counter()
            result = work(*arguments)
            seconds[name].append(time.perf_counter() - started)
            return result

        return wrapped

    Checkpoints.save = timed("save", Checkpoints.save)  # type: ignore[method-assign]
    Origin.of = timed("digest", Origin.of)  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        model = Doc2VecC(workers=workers).fit(texts, checkpoint=Path(folder) / "kept", checkpoint_every=every)
        whole = time.perf_counter() - started
    written, compared = sum(seconds["save"]), sum(seconds["digest"])
    line = {
        "fit_seconds": round(whole, 1),
        "training_seconds": round(model.history_[-1].seconds, 1),
        "checkpoints": len(seconds["save"]),
        "longest": round(max(seconds["save"]), 2),
        "share": round((written + compared) / whole, 4),
        "table_bytes": 2 * 4 * model.word_vectors_.size,
    }
    sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    typer.run(main)
