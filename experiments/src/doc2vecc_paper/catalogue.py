"""All experiments, in the order of the paper; what it could not compare with comes last."""

from __future__ import annotations

from doc2vecc_paper import (
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
from doc2vecc_paper.experiment import Experiment

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
    """Return the experiment of this name; an unknown one is an error that lists the known ones."""
    for experiment in EXPERIMENTS:
        if experiment.name == name:
            return experiment
    known = ", ".join(experiment.name for experiment in EXPERIMENTS)
    raise UnknownExperimentError(f"there is no experiment {name!r}; choose from {known}")


class UnknownExperimentError(ValueError):
    """A name that no experiment has."""
