"""Files and folders that appear complete or not at all, and what killed processes leave behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from doc2vecc import files
from doc2vecc.errors import OutputError
from doc2vecc.files import atomic_write, check_target, replace_folder, scratch_folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no locks on folders")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def make_folder(folder: Path, content: str) -> Path:
    folder.mkdir()
    (folder / "file").write_text(content)
    return folder


@pytest.fixture
def other_process(tmp_path: Path):
    """A process that works in a scratch folder of its own."""
    code = (
        "import sys, time; from pathlib import Path; from doc2vecc.files import scratch_folder\n"
        "with scratch_folder(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'half').write_bytes(b'written'); print('ready', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


def test_a_scratch_folder_of_a_living_process_is_left_alone_and_that_of_a_killed_one_removed(other_process, tmp_path):
    (theirs,) = names(tmp_path)
    with scratch_folder(tmp_path) as mine:
        assert names(tmp_path) == sorted([theirs, mine.name])
    assert names(tmp_path) == [theirs]
    other_process.kill()
    other_process.wait()
    assert names(tmp_path) == [theirs]
    check_target(tmp_path / "vectors.npy")  # what a command does before its work
    assert names(tmp_path) == []


def test_two_scratch_folders_of_one_process_do_not_take_each_other_for_leftovers(tmp_path):
    with scratch_folder(tmp_path) as first, scratch_folder(tmp_path) as second:
        assert first.is_dir()
        assert second.is_dir()
    assert names(tmp_path) == []


def test_what_only_looks_like_a_leftover_stays(tmp_path):
    make_folder(tmp_path / "precious", "data")
    (tmp_path / ".doc2vecc-abcdefgh.tmp").symlink_to(tmp_path / "precious")
    make_folder(tmp_path / ".doc2vecc-backup.tmp.d", "data")
    before = names(tmp_path)
    files.remove_leftovers(tmp_path)
    assert names(tmp_path) == before
    assert (tmp_path / "precious" / "file").read_text() == "data"


@pytest.mark.parametrize("has_exchange", [True, False])
def test_a_folder_takes_the_place_of_another(has_exchange, tmp_path, monkeypatch):
    if not has_exchange:
        monkeypatch.setattr(files, "_exchange", lambda *_: False)
    with scratch_folder(tmp_path) as scratch:
        replace_folder(make_folder(scratch / "model", "first"), tmp_path / "model")
        assert (tmp_path / "model" / "file").read_text() == "first"
        replace_folder(make_folder(scratch / "model", "second"), tmp_path / "model")
    assert (tmp_path / "model" / "file").read_text() == "second"
    assert names(tmp_path) == ["model"]


@pytest.mark.skipif(sys.platform != "linux", reason="names are exchanged on Linux")
def test_the_exchange_is_one_system_call_after_which_the_old_folder_is_in_the_place_of_the_new(tmp_path):
    new, old = make_folder(tmp_path / "new", "new"), make_folder(tmp_path / "model", "old")
    replace_folder(new, old)
    assert [(path / "file").read_text() for path in (new, old)] == ["old", "new"]
    with pytest.raises(FileNotFoundError):
        replace_folder(tmp_path / "none", old)
    assert (old / "file").read_text() == "new"


@pytest.mark.parametrize("error", [OSError("no permission"), KeyboardInterrupt()])
def test_a_failed_second_step_puts_the_old_folder_back(error, tmp_path, monkeypatch):
    old, new = make_folder(tmp_path / "model", "old"), make_folder(tmp_path / "new", "new")
    rename = os.rename

    def failing(source: Path, target: Path) -> None:
        if Path(source) == new and not old.exists():
            raise error
        rename(source, target)

    monkeypatch.setattr(files, "_exchange", lambda *_: False)
    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(type(error)):
        replace_folder(new, old)
    assert (old / "file").read_text() == "old"
    assert names(tmp_path) == ["model", "new"]


def test_an_error_while_writing_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "vectors.npy"
    target.write_bytes(b"old")

    def write_half() -> None:
        with atomic_write(target) as file:
            file.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert target.read_bytes() == b"old"
    with atomic_write(target) as file:
        file.write(b"new")
    assert target.read_bytes() == b"new"
    assert names(tmp_path) == ["vectors.npy"]


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path):
    with (
        pytest.raises(OutputError, match=r"there is no folder .*none' to write vectors\.npy into; make it first"),
        atomic_write(tmp_path / "none" / "vectors.npy"),
    ):
        pass
