"""Ray workers against the threads of one process, and doc2vecc against Word2Vec of Spark, each in one run.

    python -m benchmarks.cluster ray --documents 100000 --rounds 3
    python -m benchmarks.cluster spark --documents 20000

Needs ray[data] or pyspark, and Java for the latter. The contestants take turns, so that whatever else the machine does
meets all of them; the best round of each counts.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.material import find_texts
from doc2vecc.corpus.tokenizer import tokenize

_ONE_PROCESS = """
import json, re, sys, time
from pathlib import Path
from doc2vecc import Doc2VecC
started = time.perf_counter()
settings = json.loads(sys.argv[2])
Doc2VecC(**settings | {"epochs": 1}, workers=2).fit(["compiles the kernels first"] * 500)
started = time.perf_counter()
model = Doc2VecC(workers=2, **settings).fit(Path(sys.argv[1]))
seconds = time.perf_counter() - started
words = sum(epoch.words for epoch in model.history_)
training = sum(epoch.seconds for epoch in model.history_)
peak = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps({"words": words, "training": training, "all": seconds, "peak_mb": peak}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("contest", choices=["ray", "spark"])
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--vector-size", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        name, texts = find_texts(options.documents)
        path = Path(folder) / "texts.parquet"
        pq.write_table(pa.table({"text": texts}), path, row_group_size=2_000)
        print(f"{name}: {len(texts):,} documents, {path.stat().st_size / 1e6:.0f} MB of parquet", flush=True)
        contest = against_ray if options.contest == "ray" else against_spark
        print(
            json.dumps(
                contest(path, options.rounds, {"vector_size": options.vector_size, "epochs": options.epochs}), indent=2
            )
        )


def against_ray(path: Path, rounds: int, settings: dict[str, int]) -> dict[str, Any]:
    """Train with two threads, and with two workers of one thread each."""
    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - else Ray's workers are nicer than the other contestant
    from doc2vecc.cluster import Cluster
    from doc2vecc.cluster.driver import learn_on_cluster
    from doc2vecc.config import TrainingConfig

    config = TrainingConfig(**settings)  # type: ignore[arg-type]
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        threads = one_process(path, settings)
        started = time.perf_counter()
        learned = learn_on_cluster([str(path)], config, Cluster("local", workers=2), threads=1)
        whole = time.perf_counter() - started
        words = sum(epoch.words for epoch in learned.model.record.history)
        found.setdefault("two threads, words/s", []).append(threads["words"] / threads["training"])
        found.setdefault("two workers, words/s", []).append(words / learned.seconds["train"])
        found.setdefault("two threads, s", []).append(threads["all"])
        found.setdefault("two workers with the start of Ray, s", []).append(whole)
        share = learned.seconds["exchange"] / learned.seconds["train"]
        found.setdefault("share of the exchange", []).append(share)
        print(json.dumps({name: round(values[-1], 3) for name, values in found.items()}), flush=True)
        print(json.dumps(learned.seconds | {"exchanges": learned.exchanges, "sent": learned.bytes_sent}), flush=True)
    best = {name: max(values) if "/s" in name else min(values) for name, values in found.items()}
    return best | {"ratio of words/s": best["two workers, words/s"] / best["two threads, words/s"]}


def against_spark(path: Path, rounds: int, settings: dict[str, int]) -> dict[str, Any]:
    """Train with Spark's Word2Vec on two cores, and with two threads here."""
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    from pyspark.ml.feature import Word2Vec
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import col, size, split
    from pyspark.sql.functions import sum as total

    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "4g")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    tokens = path.with_name("tokens.txt")
    texts = pq.read_table(path)["text"].to_pylist()
    tokens.write_text("".join(" ".join(tokenize(text)) + "\n" for text in texts), "utf-8")
    documents = spark.read.text(str(tokens)).select(split(col("value"), " ").alias("words")).repartition(2).cache()
    words = int(documents.select(total(size("words"))).first()[0])
    word2vec = Word2Vec(
        vectorSize=settings["vector_size"],
        minCount=5,
        maxIter=settings["epochs"],
        numPartitions=2,
        seed=0,
        inputCol="words",
        outputCol="vector",
    )
    speeds: dict[str, list[float]] = {"Spark": [], "doc2vecc": []}
    peak = 0.0
    for _ in range(rounds):
        started = time.perf_counter()
        word2vec.fit(documents)
        speeds["Spark"].append(settings["epochs"] * words / (time.perf_counter() - started))
        own = one_process(path, settings)
        speeds["doc2vecc"].append(own["words"] / own["all"])
        peak = max(peak, own["peak_mb"])
        print(json.dumps({name: round(values[-1]) for name, values in speeds.items()}), flush=True)
    java = Path(f"/proc/{spark.sparkContext._gateway.proc.pid}/status").read_text()
    found = {
        "words": words,
        "Spark, words/s of fit": max(speeds["Spark"]),
        "doc2vecc with reading, words/s of fit": max(speeds["doc2vecc"]),
        "Spark, peak of the JVM in MB": int(re.search(r"VmHWM:\s+(\d+)", java)[1]) / 1024,  # type: ignore[index]
        "doc2vecc, peak in MB": peak,
    }
    spark.stop()
    return found


def one_process(path: Path, settings: dict[str, Any]) -> dict[str, float]:
    """Train in a process of its own, with two threads."""
    command = [sys.executable, "-c", _ONE_PROCESS, str(path), json.dumps(settings)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


if __name__ == "__main__":
    main()
