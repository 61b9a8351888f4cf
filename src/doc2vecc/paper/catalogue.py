"""All experiments, in the order of the paper."""

from __future__ import annotations

from doc2vecc.paper import sentiment
from doc2vecc.paper.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = (sentiment.EXPERIMENT,)


def named(name: str) -> Experiment:
    """Return the experiment of this name; an unknown one is an error that lists the known ones."""
    for experiment in EXPERIMENTS:
        if experiment.name == name:
            return experiment
    known = ", ".join(experiment.name for experiment in EXPERIMENTS)
    raise UnknownExperimentError(f"there is no experiment {name!r}; choose from {known}")


class UnknownExperimentError(ValueError):
    """A name that no experiment has."""
