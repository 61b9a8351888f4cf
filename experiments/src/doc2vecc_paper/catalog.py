"""All experiments, in the order of the paper; the one that is not in the paper comes last."""

from __future__ import annotations

from doc2vecc import ParameterError
from doc2vecc_paper.experiment import Experiment
from doc2vecc_paper.experiments import (
    analogy,
    corruption,
    regularization,
    relatedness,
    sentiment,
    subsampling,
    timing,
    today,
    tsne,
    wikipedia,
)

EXPERIMENTS: tuple[Experiment, ...] = (
    sentiment.EXPERIMENT,
    timing.EXPERIMENT,
    corruption.EXPERIMENT,
    regularization.EXPERIMENT,
    subsampling.EXPERIMENT,
    analogy.EXPERIMENT,
    wikipedia.EXPERIMENT,
    tsne.EXPERIMENT,
    relatedness.EXPERIMENT,
    today.EXPERIMENT,
)


def named(name: str) -> Experiment:
    """Return the experiment of this name; the error for an unknown one lists the known ones."""
    for experiment in EXPERIMENTS:
        if experiment.name == name:
            return experiment
    known = ", ".join(experiment.name for experiment in EXPERIMENTS)
    raise ParameterError(f"there is no experiment {name!r}; choose from {known}")
