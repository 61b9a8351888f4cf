"""Real processes: exit codes, Ctrl-C, pipes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from doc2vecc.console import COMPILING
from tests.cli.commands import FAST

pytestmark = pytest.mark.slow  # each test starts processes


def start(*arguments: str, **options: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "doc2vecc", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)  # type: ignore[call-overload]


def messages(err: bytes) -> list[str]:
    """Return the lines on stderr, but for the one that depends on what this machine has compiled already."""
    return [line for line in err.decode().splitlines() if line != COMPILING]


def test_exit_codes_of_a_real_process(here: Path) -> None:
    with start("words", "reviews.d2v", "story") as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")
    assert out.startswith(b"story\n")
    with start("words", "nope", "story") as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, b"")
    assert err == b"error: nope does not exist; a model is a folder made by `doc2vecc train` or save()\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_training_leaves_nothing_behind(number: signal.Signals, here: Path) -> None:
    temporary = here / "temporary"
    temporary.mkdir()
    before = sorted(here.iterdir())
    arguments = ["train", "reviews.txt", "-o", "new.d2v", *FAST, "--epochs", "1000000", "--ngram-range", "1", "2"]
    # A signal that is ignored where the tests run, as below nohup, would stay ignored.
    options = {
        "env": {**os.environ, "TMPDIR": str(temporary)},
        "preexec_fn": lambda: signal.signal(number, signal.SIG_DFL),
    }
    with start(*arguments, **options) as process:
        assert process.stderr is not None
        while not (line := process.stderr.readline()).startswith(b"learning "):
            assert line  # else it has ended
        time.sleep(0.5)  # now it is training, or still compiling
        process.send_signal(number)
        process.send_signal(number)  # as `timeout` does
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, messages(err)) == (128 + number, b"", ["interrupted; nothing was written"])
    assert sorted(here.iterdir()) == before
    assert list(temporary.iterdir()) == []


def test_a_hangup_that_is_ignored_stays_so(here: Path) -> None:
    code = (
        "import os, signal, sys; from doc2vecc.cli import main\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "class HangsUp:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer': os.kill(os.getpid(), signal.SIGHUP)\n"
        "sys.meta_path.insert(0, HangsUp()); sys.exit(main(['--version']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


def test_ctrl_c_while_embedding(here: Path) -> None:
    before = sorted(here.iterdir())
    with start("embed", "reviews.d2v", "-", "-o", "new.csv", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b"a good story\n" * 1_000_000)
        process.stdin.flush()
        deadline = time.monotonic() + 60
        while not list(here.glob(".doc2vecc-*.tmp/new.csv")) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, messages(err)) == (130, b"", ["interrupted; nothing was written"])
    assert sorted(here.iterdir()) == before


def test_ctrl_c_while_it_starts() -> None:
    code = (
        "import sys; from doc2vecc.cli import main\n"
        "class Slow:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Slow()); sys.exit(main(['--version']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, b"interrupted; nothing was written\n")


def test_a_full_standard_output_is_one_line(here: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "doc2vecc", "words", "reviews.d2v", "story"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert (done.returncode, done.stderr) == (2, b"error: cannot write: No space left on device\n")


def test_a_closed_standard_output_is_one_line(here: Path) -> None:
    command = f"exec {sys.executable} -m doc2vecc words reviews.d2v story >&-"
    done = subprocess.run(["/bin/sh", "-c", command], stderr=subprocess.PIPE, timeout=60)
    message = b"error: cannot write: standard output is closed; redirect it to a file, or to /dev/null\n"
    assert (done.returncode, done.stderr) == (2, message)
    command = f"exec {sys.executable} -m doc2vecc train reviews.txt -o new.d2v {' '.join(FAST)} >&-"
    done = subprocess.run(["/bin/sh", "-c", command], stderr=subprocess.PIPE, timeout=60)
    assert (done.returncode, done.stderr.count(b"Traceback")) == (0, 0)


@pytest.mark.parametrize("kind", ["jsonl", "arrow", "npy"])  # written by us, by Arrow, through a file
def test_a_pipe_that_nobody_reads_to_its_end(kind: str, here: Path) -> None:
    Path("many.txt").write_bytes(b"a good story\n" * 50_000)
    with start("embed", "reviews.d2v", "many.txt", "-o", "-", "--output-format", kind) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert len(process.stdout.read(10)) == 10
        process.stdout.close()
        assert messages(process.stderr.read()) == []
        assert process.wait(60) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "reviews.csv", "-o", "new.d2v", "--text-column", "body"],
        ["index", "reviews.d2v", "reviews.csv", "-o", "new.index", "--columns", "title"],
    ],
)
def test_columns_are_checked_before_anything_is_compiled(arguments: list[str], here: Path, tmp_path: Path) -> None:
    environment = os.environ | {"DOC2VECC_CACHE_DIR": str(tmp_path / "empty")}
    process = start(*arguments, env=environment)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "no column" in err.decode()
    assert COMPILING not in err.decode()
