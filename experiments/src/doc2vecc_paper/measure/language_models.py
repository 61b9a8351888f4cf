"""Learning rates and epochs of RNN-LM, compared on training reviews that nothing was learned from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from doc2vecc import ParameterError
from doc2vecc_paper.experiments.language_models import RNN_LM
from doc2vecc_paper.measure.documents import held_out, in_file_order
from doc2vecc_paper.measure.lines import parse_settings, summary


def measure(lines: list[str], path: Path, seeds: int) -> Iterator[dict[str, Any]]:
    """Yield the error of each line of settings on a fifth of the training split, learned from the other four."""
    known = RNN_LM.all_settings()
    for line in lines:
        unknown = parse_settings(line).keys() - known.keys()
        if unknown:
            raise ParameterError(f"{RNN_LM.name} has no setting {unknown.pop()!r}; choose from {', '.join(known)}")
    data = in_file_order(path)
    for line in lines:
        method = RNN_LM.changed(**parse_settings(line))
        results = []
        for seed in range(seeds):
            texts = held_out(data, seed)
            learned, unseen = texts.only("train"), texts.only("test")
            model = method.build(seed).fit(learned.texts, learned.label)
            wrong = model.predict(unseen.texts) != unseen.label
            last = [history[-1] for history in model.histories_]
            results.append(
                {
                    "unseen_error": 100 * float(np.mean(wrong)),
                    "loss": float(np.mean([epoch.loss for epoch in last])),
                    "seconds": sum(epoch.seconds for epoch in last),
                }
            )
        yield {"texts": path.stem, "settings": line, **summary(results), "config": method.all_settings()}
