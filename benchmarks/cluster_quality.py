"""How good the vectors of a cluster are, beside those of one machine: error of a linear probe, seed by seed.

python -m benchmarks.cluster_quality run imdb 1 2 4 8 --seeds 3 --json FILE     a line of JSON for each training
python -m benchmarks.cluster_quality table FILE                                 the differences to one machine

The workers train in turn in this process, with one thread each; the code is that of a cluster, but for Ray. One worker
stands for one machine. Texts of all splits are learned from; the probe learns from the labels of the training split.
"""

import json
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import typer
from tests.cluster.local_crew import LocalCrew

from doc2vecc.cluster.crew import Cluster
from doc2vecc.cluster.driver import learn_with
from doc2vecc.config import TrainingConfig, resolve_defaults
from doc2vecc.corpus.sources import read_files
from doc2vecc.evaluation import linear_probe
from doc2vecc.model import Model
from doc2vecc.training.learning import learn

ROWS_OF_A_PIECE = 2_000

app = typer.Typer(add_completion=False, help=__doc__)


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="imdb or wikipedia100")],
    workers: list[int],
    json_file: Annotated[Path, typer.Option("--json")],
    data: Annotated[Path, typer.Option(envvar="DOC2VECC_DATA")],
    seeds: int = 3,
    epochs: int = 4,
    vector_size: int = 100,
) -> None:
    """Train with so many workers and seeds; lines that FILE has already are not measured again."""
    done = [json.loads(line) for line in json_file.read_text().splitlines()] if json_file.exists() else []
    table = pq.read_table(data / f"{name}.parquet", columns=["split", "label", "text"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.parquet"
        pq.write_table(table.select(["text"]), path, row_group_size=ROWS_OF_A_PIECE)
        for seed in range(seeds):
            for count in workers:
                cell = {"data": name, "workers": count, "seed": seed, "epochs": epochs, "dim": vector_size}
                if any(cell.items() <= line.items() for line in done):
                    continue
                settings = {"vector_size": vector_size, "epochs": epochs, "seed": seed}
                config = TrainingConfig(**resolve_defaults({"alpha": None, "frequency_damping": None} | settings))
                line = cell | measured(path, count, config, table)
                with json_file.open("a") as file:
                    file.write(json.dumps(line) + "\n")
                sys.stdout.write(json.dumps(line) + "\n")
                sys.stdout.flush()


def measured(path: Path, workers: int, config: TrainingConfig, table: pa.Table) -> dict[str, Any]:
    """Train -> error in percent, loss of the last epoch, exchanges and seconds."""
    started = time.perf_counter()
    exchanges = 0
    if workers == 1:
        model = learn(read_files([path]), config).model
    else:
        crew = LocalCrew([path], workers, config)
        learned = learn_with(crew, crew.pieces, config, Cluster("local"))
        model, exchanges = learned.model, learned.exchanges
    seconds = time.perf_counter() - started
    error = probe(model, table)
    loss = model.record.history[-1].loss
    return {"error": 100 * error, "loss": loss, "exchanges": exchanges, "seconds": round(seconds, 1)}


def probe(model: Model, table: pa.Table) -> float:
    """Return the error of a linear probe on the test split."""
    splits = [table.filter(pa.compute.equal(table["split"], name)) for name in ("train", "test")]
    vectors = [model.embed(split["text"].combine_chunks().cast(pa.large_string())).vectors for split in splits]
    labels = [split["label"].to_numpy() for split in splits]
    return linear_probe(vectors[0], labels[0], vectors[1], labels[1]).error


@app.command()
def table(json_file: Path) -> None:
    """Print mean and standard deviation of the errors and of their differences to one machine."""
    errors: dict[tuple[str, int], dict[int, float]] = defaultdict(dict)
    for line in map(json.loads, json_file.read_text().splitlines()):
        errors[line["data"], line["workers"]][line["seed"]] = line["error"]
    for (name, workers), found in sorted(errors.items()):
        text = f"{name:14} {workers} workers: {_spread(list(found.values()))} %"
        alone = errors[name, 1]
        gaps = [error - alone[seed] for seed, error in found.items() if seed in alone]
        if workers > 1 and gaps:
            text += f", {_spread(gaps, '+')} to one machine, {len(gaps)} seeds"
        sys.stdout.write(text + "\n")


def _spread(values: list[float], sign: str = "") -> str:
    """Write mean and standard deviation: [1, 2] -> "1.50 ± 0.71"."""
    return f"{np.mean(values):{sign}.2f}" + (f" ± {np.std(values, ddof=1):.2f}" if len(values) > 1 else "")


if __name__ == "__main__":
    app()
