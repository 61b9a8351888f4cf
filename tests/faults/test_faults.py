"""A short form of `make faults`."""

import os
import signal
from pathlib import Path

import pytest

from doc2vecc import storage
from doc2vecc.errors import OutputError
from doc2vecc.files import atomic_write
from tests.faults.kills import kill_at_random
from tests.faults.steps import count_calls, faults, interrupt, model, run_scenario, scenarios, state_of, two_writers

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["save", "replace", "remove", "write", "overwrite"])
def test_a_kill_at_any_call_leaves_the_old_or_the_new(name: str, tmp_path: Path) -> None:
    assert run_scenario(scenarios()[name], signal.SIGKILL, tmp_path) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["ENOSPC", "EIO"])
def test_a_failing_disk_leaves_the_old_or_the_new(fault: str, tmp_path: Path) -> None:
    assert run_scenario(scenarios()["replace"], faults()[fault], tmp_path) >= 10


def test_a_writer_that_is_not_atomic_is_found(tmp_path: Path) -> None:
    sound = scenarios()["overwrite"]

    def overwrite(place: Path) -> None:
        (place / "v.npy").write_bytes(b"new" * 1000)

    careless = sound._replace(act=overwrite)
    calls = count_calls(careless, tmp_path / "count")
    with pytest.raises(AssertionError, match=r"left \['v.npy'\]"):
        for call in range(calls):
            interrupt(careless, tmp_path / str(call), call, signal.SIGKILL)


def test_two_writers(tmp_path: Path) -> None:
    assert two_writers(tmp_path, 10) == 20


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    storage.save(model(0), tmp_path / "m.d2v")
    before = state_of(tmp_path)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(OSError, match="Permission denied"):
            storage.save(model(1), tmp_path / "m.d2v")
        with pytest.raises(OutputError, match="Permission denied"), atomic_write(tmp_path / "v.npy"):
            pass
    finally:
        tmp_path.chmod(0o700)
    assert state_of(tmp_path) == before


@pytest.mark.slow
def test_kills_at_random_moments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # and back at the end
    met = kill_at_random(tmp_path, 8)
    assert sum(times for what, times in met.items() if "SIG" in what) == 8
