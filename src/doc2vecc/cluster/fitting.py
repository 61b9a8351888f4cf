"""``Doc2VecC.fit(paths, cluster=...)``: the parameters of an estimator become a training on a cluster."""

import os
from dataclasses import fields
from pathlib import Path
from typing import Any

from doc2vecc.cluster.crew import Cluster
from doc2vecc.config import TrainingConfig
from doc2vecc.console import progress_bar, warn
from doc2vecc.corpus.report import ReadingRules
from doc2vecc.training.checkpoint import Checkpoints

__all__ = ["Cluster", "ClusterFitting"]


class ClusterFitting:
    """Trains ``model_`` on a cluster."""

    def _train_on(
        self: Any,
        cluster: str | Cluster,
        paths: Any,  # noqa: ANN401
        config: TrainingConfig,
        checkpoints: Checkpoints | None = None,
    ) -> None:
        from doc2vecc.cluster.driver import learn_on_cluster
        from doc2vecc.cluster.inputs import ReadingPlan

        rules, tokenizer = {one.name: getattr(self, one.name) for one in fields(ReadingRules)}, self._tokenizer()
        with progress_bar(self.verbose) as progress:
            learned = learn_on_cluster(
                [os.fspath(one) for one in ([paths] if isinstance(paths, str | Path) else paths)],
                config if checkpoints is None else checkpoints.seeded(config, tokenizer),
                Cluster(cluster) if isinstance(cluster, str) else cluster,
                threads=self.workers,
                plan=ReadingPlan(self.text_column, ReadingRules(**rules)),
                tokenizer=tokenizer,
                progress=progress,
                checkpoints=checkpoints,
            )
        self.model_ = learned.model
        warn(learned.messages)
