"""CPU time of an exchange of a cluster, for one table: find the changes, merge those of all workers, take them.

python -m benchmarks.merging 8        so many workers
"""

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from doc2vecc.cluster.merging import ExchangedTable, load_kernels, merge

WORDS, DIM, CHANGED, ROUNDS = 63_633, 100, 0.8, 5  # IMDB; the share of rows that change in a quarter of an epoch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workers", type=int)
    generator = np.random.default_rng(0)
    workers = parser.parse_args().workers
    tables = [ExchangedTable(np.zeros((WORDS, DIM), np.float32), WORDS, DIM) for _ in range(workers)]
    cautions = generator.random(WORDS, np.float32)
    load_kernels(DIM)
    least: dict[str, float] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:  # noqa: ANN401
        started = time.thread_time()
        result = work()
        least[name] = min(least.get(name, np.inf), time.thread_time() - started)
        return result

    for _ in range(ROUNDS):
        for one in tables:
            rows = np.flatnonzero(generator.random(WORDS) < CHANGED)
            one.table[rows] += 0.01 * generator.standard_normal((len(rows), DIM), np.float32)
        deltas = [timed("find", one.changes) for one in tables]
        merged = timed("merge", partial(merge, deltas, cautions))
        for one in tables:
            timed("take", partial(one.receive, merged))
    print(json.dumps({name: f"{1000 * seconds:.1f} ms" for name, seconds in least.items()}))


if __name__ == "__main__":
    main()
