"""Lines about long work where there is no progress bar."""

import threading

import pytest

from doc2vecc import console
from doc2vecc.heartbeat import Heartbeat


def test_a_line_comes_while_the_work_lasts_and_none_after_it():
    lines, said = [], threading.Event()

    def say(line):
        lines.append(line)
        said.set()

    with Heartbeat(say, seconds=0.01) as heartbeat:
        heartbeat.update("training", 0.5, "epoch 1/2")
        assert said.wait(10)
        while not lines[-1].startswith("training: 50 %, epoch 1/2, 0:00 elapsed, about 0:00 left"):
            said.clear()
            assert said.wait(10)
    n_lines = len(lines)
    assert not any(thread.name == "heartbeat" for thread in threading.enumerate())
    assert len(lines) == n_lines


def test_short_work_says_nothing(capsys):
    with console.progress_bar(True) as progress:
        progress.reading(5)
        progress.training(0.5, 1, 2, 1e6, 2.0)
        progress.working("layout", 0.1)
    assert capsys.readouterr().err == ""


class Documents:
    total_bytes = 200

    def bytes_read(self):
        return 50


def test_lines_tell_the_stage_and_the_time_left(monkeypatch):
    told = []
    monkeypatch.setattr(Heartbeat, "update", lambda _, *state: told.append(state))
    with console.progress_bar(True, Documents(), "embedding") as progress:
        progress.reading(7)
        progress.training(0.5, 1, 2, 1e6, 2.0)
        progress.working("layout", 0.1)
    assert told == [
        ("embedding", 0.25, "7 documents"),
        ("training", 0.5, "epoch 1/2, 1.00 M words/s, loss 2.000"),
        ("layout", 0.1),
    ]


@pytest.mark.parametrize("quiet", [True, False])
def test_quiet_leaves_notes(quiet, capsys):
    with console.quietly(quiet):
        console.say("saved")
        console.say_notes(["2 lines skipped"])
        with console.progress_bar(True) as progress:
            assert isinstance(progress, console.Silent) is quiet
    console.say("afterwards")
    assert capsys.readouterr().err == ("" if quiet else "saved\n") + "note: 2 lines skipped\nafterwards\n"
