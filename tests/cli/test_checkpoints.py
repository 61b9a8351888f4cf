"""``doc2vecc train`` that is interrupted or killed, and continued with ``--resume``."""

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from doc2vecc import storage
from doc2vecc.cli import main
from doc2vecc.cli.checkpoints import seconds_of
from doc2vecc.cli.options import UserError
from tests.cli.commands import refused
from tests.cli.test_processes import messages, start

ARGUMENTS = ["train", "reviews.txt", "-o", "new.d2v", "--vector-size", "16", "--workers", "1", "--epochs"]
CHECKPOINT = Path("new.d2v.checkpoint")
pytestmark = pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs signals and terminals of Unix")

LONG, ENDLESS = "1000", "1000000"
KEPT = "interrupted; new.d2v.checkpoint is kept; run the same command with --resume to continue"


def wait_for(path: Path, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 120
    while not path.exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)


def keep_a_checkpoint(epochs: str = ENDLESS, number: signal.Signals = signal.SIGTERM) -> list[str]:
    """Leave the checkpoint of an interrupted training in the working folder -> what was said."""
    with start(*ARGUMENTS, epochs, "--checkpoint-every", "0.1s") as process:
        wait_for(CHECKPOINT, process)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    return messages(err)


@pytest.mark.slow
def test_a_killed_training_ends_in_bitwise_the_same_model(here: Path) -> None:
    assert main([*ARGUMENTS, LONG]) == 0
    expected = Path("new.d2v/model.safetensors").read_bytes()
    Path("new.d2v").rename("expected.d2v")
    before = sorted(here.iterdir())
    for _ in range(3):
        with start(*ARGUMENTS, LONG, "--checkpoint-every", "0.01s", "--resume") as process:
            wait_for(CHECKPOINT, process)
            seen = (CHECKPOINT / "checkpoint.json").stat().st_mtime_ns
            while process.poll() is None and not is_newer(seen):
                time.sleep(0.001)
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
        assert CHECKPOINT.exists()
    assert main([*ARGUMENTS, LONG, "--resume"]) == 0
    assert Path("new.d2v/model.safetensors").read_bytes() == expected
    assert sorted(here.iterdir()) == sorted([*before, here / "new.d2v"])


def is_newer(seen: int) -> bool:
    try:
        return (CHECKPOINT / "checkpoint.json").stat().st_mtime_ns > seen
    except FileNotFoundError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_keeps_a_checkpoint_where_nobody_can_be_asked(name: str, here: Path) -> None:
    before = sorted(here.iterdir())
    assert keep_a_checkpoint(number=getattr(signal, name)) == [KEPT]
    assert sorted(here.iterdir()) == sorted([*before, here / CHECKPOINT])
    assert storage.load(CHECKPOINT).dim == 16


@pytest.mark.slow
def test_a_checkpoint_is_neither_overwritten_nor_used_for_another_training(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep_a_checkpoint()
    assert refused(capsys, *ARGUMENTS, ENDLESS) == (
        "error: new.d2v.checkpoint keeps an interrupted training; continue it with --resume, or begin anew with "
        "--force\n"
    )
    assert "had epochs=1000000, not 3; set it so" in refused(capsys, *ARGUMENTS, "3", "--resume")
    other = ["train", "reviews.txt", "single", *ARGUMENTS[2:], ENDLESS, "--resume"]
    assert "read other texts; pass those" in refused(capsys, *other)
    assert main([*ARGUMENTS, "3", "--force"]) == 0
    assert not CHECKPOINT.exists()


def test_what_is_no_checkpoint_is_left_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    CHECKPOINT.mkdir()
    (CHECKPOINT / "precious").touch()
    for option in ("--resume", "--force"):
        assert "new.d2v.checkpoint " in refused(capsys, *ARGUMENTS, "3", option)


def test_without_a_checkpoint_the_training_begins(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ARGUMENTS, "3", "--resume"]) == 0
    assert capsys.readouterr().err.startswith("there is no new.d2v.checkpoint: starting a new training\nlearned ")


def test_times() -> None:
    assert [seconds_of(time) for time in ("90s", "10m", "1.5h", " 2M ")] == [90, 600, 5400, 120]
    for wrong in ("", "10", "ten", "-1m", "1d", "m", "1e3s"):
        with pytest.raises(UserError, match="write a number and s, m or h, such as 10m"):
            seconds_of(wrong)


# ---- at a terminal


class Terminal:
    """A process at a terminal of its own, where a person reads and types."""

    def __init__(self, *arguments: str) -> None:
        self.master, slave = os.openpty()
        command = [sys.executable, "-m", "doc2vecc", *arguments]
        environment = {**os.environ, "COLUMNS": "200", "TERM": "xterm"}
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True, env=environment
        )
        os.close(slave)
        self.shown = ""

    def read_until(self, words: str, seconds: float = 120) -> None:
        deadline = time.monotonic() + seconds
        while words not in self.shown:
            assert time.monotonic() < deadline, self.shown
            if select.select([self.master], [], [], 0.1)[0]:
                self.shown += os.read(self.master, 1 << 16).decode(errors="replace")

    def type(self, text: str) -> None:
        self.shown = ""
        os.write(self.master, text.encode())

    def end(self) -> int:
        try:
            while chunk := os.read(self.master, 1 << 16):
                self.shown += chunk.decode(errors="replace")
        except OSError:  # the terminal is closed with its last process
            pass
        os.close(self.master)
        return self.process.wait(60)


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--checkpoint-every", "1h"]])
def test_ctrl_c_at_a_terminal_offers_what_can_be_done(options: list[str], here: Path) -> None:
    before = sorted(here.iterdir())
    terminal = Terminal(*ARGUMENTS, ENDLESS, *options)
    question = "c/f/k/d? "
    terminal.read_until("epoch 2")  # the progress bar
    for answer in ("perhaps\n", "c\n"):
        if answer.startswith("p"):
            terminal.process.send_signal(signal.SIGINT)
            terminal.read_until(question)
            assert "what now?" in terminal.shown
        terminal.type(answer)
        terminal.read_until(question if answer.startswith("p") else "M words/s")
    time.sleep(1)  # the progress bar comes back a moment before the training goes on
    terminal.process.send_signal(signal.SIGINT)
    terminal.read_until(question)
    assert sorted(here.iterdir()) == before
    terminal.type("keep\n")
    assert terminal.end() == 130
    assert KEPT in terminal.shown.replace("\r", "")
    begun = len(storage.load(CHECKPOINT).record.history)
    terminal = Terminal(*ARGUMENTS, ENDLESS, "--resume")
    terminal.read_until("M words/s")
    terminal.process.send_signal(signal.SIGINT)
    terminal.read_until(question)
    terminal.type("f\n")
    assert terminal.end() == 0
    assert "saved to new.d2v" in terminal.shown
    assert len(storage.load("new.d2v").record.history) >= begun
    assert sorted(here.iterdir()) == sorted([*before, here / "new.d2v"])


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["d\n", "\x04", "\x03"])
def test_a_training_that_is_discarded_leaves_nothing(answer: str, here: Path) -> None:
    before = sorted(here.iterdir())
    terminal = Terminal(*ARGUMENTS, ENDLESS)
    terminal.read_until("epoch 2")
    terminal.process.send_signal(signal.SIGINT)
    terminal.read_until("c/f/k/d? ")
    if answer == "\x03":
        terminal.process.send_signal(signal.SIGINT)
    else:
        terminal.type(answer)
    assert terminal.end() == 130
    assert "interrupted; nothing was written" in terminal.shown
    assert sorted(here.iterdir()) == before
