"""The checkpoints of ``doc2vecc train``: their options, where they stand, and what to do at Ctrl-C."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from doc2vecc.cli import Terminated
from doc2vecc.cli.options import UserError
from doc2vecc.cli.terminal import ask, can_ask
from doc2vecc.console import say

if TYPE_CHECKING:
    from doc2vecc.model import TrainingState
    from doc2vecc.training.checkpoint import Checkpoints, InterruptChoice

SUFFIX = ".checkpoint"
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_PANEL = "Interruption"

CheckpointEvery = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Save a checkpoint at this interval, such as 10m (also s, h), in the folder MODEL.checkpoint. "
        "It is removed when the model is saved.",
        rich_help_panel=_PANEL,
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Continue from MODEL.checkpoint, if it exists; inputs and options must be the same. Also saves "
        "checkpoints, every 10m unless --checkpoint-every is given.",
        rich_help_panel=_PANEL,
    ),
]


def seconds_of(time: str) -> float:
    """Read a time: "90s" -> 90.0, "10m" -> 600.0, "1.5h" -> 5400.0."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)([smh])", time.strip().lower())
    if match is None:
        raise UserError(f"--checkpoint-every is {time!r}; write a number and s, m or h, such as 10m")
    return float(match[1]) * _SECONDS[match[2]]


def checkpoints_of(output: Path, every: str | None, *, resume: bool, force: bool) -> Checkpoints:
    """Return the checkpoints of a training; those of an earlier one are continued, removed or refused."""
    from doc2vecc.training.checkpoint import EVERY, Checkpoints

    seconds = EVERY if resume else math.inf
    checkpoints = Checkpoints(output.with_name(output.name + SUFFIX), seconds_of(every) if every else seconds)
    if checkpoints.folder.exists() and not resume:
        checkpoints.check()
        if not force:
            raise UserError(
                f"{checkpoints.folder} keeps an interrupted training; continue it with --resume, or begin anew "
                "with --force"
            )
        checkpoints.remove()
    elif resume and not checkpoints.folder.exists():
        say(f"there is no {checkpoints.folder}: starting a new training")
    checkpoints.on_interrupt = lambda interruption, state: _choice(checkpoints, interruption, state)
    return checkpoints


def _choice(checkpoints: Checkpoints, interruption: KeyboardInterrupt, state: TrainingState) -> InterruptChoice:
    """Decide what becomes of an interrupted training: at a terminal the user does."""
    unasked: InterruptChoice = "keep" if math.isfinite(checkpoints.every) else "discard"
    if isinstance(interruption, Terminated) or not can_ask() or state.chunks == 0:
        return unasked
    history = state.history()
    where = f"in epoch {len(history):,} of {len(state.epochs):,}"
    answers: dict[InterruptChoice, str] = {
        "continue": "continue training as if nothing had happened",
        "finish": "save the model as it is now",
        "keep": f"save {checkpoints.folder}, to continue later with --resume",
        "discard": "save nothing and remove the checkpoint",
    }
    try:
        choice = ask(f"interrupted {where}, with a loss of {history[-1].loss:.3f}; what now?", answers)
    except KeyboardInterrupt:
        choice = None
    if choice == "finish":
        say(f"finished {where}")
    if choice == "discard":
        checkpoints.remove()
    return choice or unasked


def explain_interruption(interruption: KeyboardInterrupt, checkpoints: Checkpoints) -> None:
    """Let an interruption tell of the checkpoint, if there is one."""
    if checkpoints.folder.exists():
        interruption.args = (f"{checkpoints.folder} is kept; run the same command with --resume to continue",)
