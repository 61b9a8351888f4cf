"""``python -m tests.fuzz``: run campaigns, print what came of them, keep what failed under tests/crashes."""

import argparse
import json
import sys
from pathlib import Path

from tests.fuzz.campaign import CRASHES, keep, make_case, run, work
from tests.fuzz.targets import TARGETS, try_case

# Of the time: files that others write most of all.
SHARES = {"arrow": 3, "model": 3, "texts": 2, "parquet": 1, "lines": 1, "settings": 1}
SHARES |= {"index": 1, "vectors": 1, "checkpoint": 1}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", choices=[*TARGETS, []], help="default: all")
    parser.add_argument("--seconds", type=float, default=600, help="for all of them together (600)")
    parser.add_argument("--cases", type=int, default=1 << 40, help="of each, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--crashes", type=Path, default=CRASHES, help="where failures are kept (tests/crashes)")
    parser.add_argument("--try", dest="number", type=int, help="try one case of one target in this process")
    arguments = parser.parse_args()
    targets = arguments.targets or list(TARGETS)
    if arguments.number is not None:
        place = Path("fuzz-case")
        place.mkdir(exist_ok=True)
        print(try_case(targets[0], make_case(targets[0], arguments.seed, arguments.number), place))
        return 0
    failed = False
    for target in targets:
        share = arguments.seconds * SHARES[target] / sum(SHARES[one] for one in targets)
        result = run(target, seed=arguments.seed, seconds=share, cases=arguments.cases)
        texts = TARGETS[target].texts
        n_cases = f"{result.cases:,}" + (f" x {texts}" if texts > 1 else "")
        outcomes = json.dumps(dict(result.outcomes.most_common()))
        print(f"{target}: {n_cases} cases in {result.seconds:.0f} s, seed {result.seed}, "
              f"{len(result.failures)} failures; {outcomes}", flush=True)  # fmt: skip
        for number, what in result.failures[:20]:
            print(f"  case {number}: {what}", flush=True)
            print(
                f"  kept as {keep(target, make_case(target, result.seed, number), what, arguments.crashes)}", flush=True
            )
        failed = failed or bool(result.failures)
    return int(failed)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        name, *numbers, seconds, folder = sys.argv[2:]
        work(name, *map(int, numbers), float(seconds), Path(folder))
    else:
        sys.exit(main())
