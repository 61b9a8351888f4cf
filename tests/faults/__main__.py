"""``python -m tests.faults``: all faults at all steps, then kills at random moments; prints how many there were."""

import argparse
import json
import tempfile
from pathlib import Path

from tests.faults.kills import kill_at_random
from tests.faults.steps import faults, run_scenario, scenarios, two_writers


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="at random moments (200)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--random-only", action="store_true", help="not at each step of writing, nor two writers")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="doc2vecc-faults-") as folder:
        for name, scenario in ({} if arguments.random_only else scenarios()).items():
            for fault, what in faults().items():
                place = Path(folder) / f"{name}-{fault}"
                place.mkdir()
                print(f"{name}, {fault}: {run_scenario(scenario, what, place)} calls interrupted", flush=True)
        if not arguments.random_only:
            print(f"two writers: {two_writers(Path(folder) / 'two', 100)} models saved", flush=True)
        place = Path(folder) / "kills"
        place.mkdir()
        met = kill_at_random(place, arguments.kills, arguments.seed)
        print(f"kills at random moments: {arguments.kills}; {json.dumps(dict(met.most_common()))}", flush=True)


if __name__ == "__main__":
    main()
