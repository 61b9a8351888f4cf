"""The cache of compiled code, with real processes that compile a tiny kernel."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

try:
    import resource
except ImportError:  # Windows
    resource = None

import doc2vecc
from doc2vecc.cli import main
from doc2vecc.kernels.base import cache

pytestmark = pytest.mark.slow  # each test starts processes

PROGRAM = """
import json
from doc2vecc.kernels.base.compile import kernel

@kernel
def times(number):
    return 2 * number

print(json.dumps([times(21), sum(times.entry.stats.cache_hits.values())]))
"""
COMPILED, LOADED = [42, 0], [42, 1]
POSIX = pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes of files are those of POSIX")


class Machine:
    """A home, a temporary directory and a program that runs there, in a process of its own."""

    def __init__(self, folder):
        self.home, self.temporary, self.program = folder / "home", folder / "tmp", folder / "program.py"
        self.home.mkdir()
        self.temporary.mkdir()
        self.program.write_text(PROGRAM)
        self.variables = {"DOC2VECC_CACHE_DIR": str(self.home / "cache")}

    def run(self, program=None, **options):
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("NUMBA_", "XDG_", "DOC2VECC_")) and name != "HOME"
        }
        result = subprocess.run(
            [sys.executable, "-W", "error", program or self.program],
            env={**inherited, "HOME": str(self.home), "TMPDIR": str(self.temporary), **self.variables},
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
            **options,
        )
        assert (result.returncode, result.stderr) == (0, "")
        return json.loads(result.stdout)

    def files(self):
        return sorted(path for path in self.home.parent.rglob("*") if path.is_file() and path != self.program)

    @property
    def private(self):
        return self.temporary / f"doc2vecc-cache-{os.getuid()}"


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.fixture(scope="module")
def first_run(tmp_path_factory):
    machine = Machine(tmp_path_factory.mktemp("first"))
    assert machine.run(**({"umask": 0o022} if resource else {})) == COMPILED
    return machine


@pytest.fixture
def filled(machine, first_run):
    """A machine with a copy of the cache of another one."""
    shutil.copytree(first_run.home / "cache", machine.home / "cache")
    return machine


def test_code_is_compiled_once_and_can_be_copied(filled):
    assert filled.run() == LOADED
    (file,) = filled.files()
    assert file.parent.parent == filled.home / "cache"


def test_without_the_variable_it_is_the_users_cache_folder(machine):
    machine.variables = {}
    assert [machine.run(), machine.run()] == [COMPILED, LOADED]
    (file,) = machine.files()
    assert file.is_relative_to(machine.home)
    assert "doc2vecc" in file.parts


def test_kernels_of_the_user_stay_where_numba_keeps_them(machine):
    program = machine.program.with_name("own.py")
    own = PROGRAM.replace("@kernel", "@numba.njit(cache=True)").replace(".entry", "")
    program.write_text("import numba\n" + own)
    assert machine.run(program) == COMPILED
    folders = {file.parent for file in machine.files() if file != program}
    assert folders == {machine.home.parent / "__pycache__"}


def test_changed_code_is_compiled_again(filled):
    filled.program.write_text(PROGRAM.replace("2 *", "3 *"))
    assert filled.run() == [63, 0]
    filled.program.write_text(PROGRAM)
    assert filled.run() == LOADED


def test_the_folder_depends_on_contents_and_versions_not_on_times(tmp_path, monkeypatch):
    """A function may be inlined into kernels of other files, so every source counts."""
    sources = shutil.copytree(Path(doc2vecc.__file__).parent / "kernels", tmp_path / "kernels")
    monkeypatch.setattr(cache, "_SOURCES", sources)
    first = cache.folder_name("0.60", "skylake")
    names = {first, cache.folder_name("0.61", "skylake"), cache.folder_name("0.60", "zen")}
    changed = sources / "base" / "random.py"
    os.utime(changed, (1, 1))
    assert cache.folder_name("0.60", "skylake") == first
    changed.write_text(changed.read_text().replace("30", "31"))
    names.add(cache.folder_name("0.60", "skylake"))
    changed.rename(sources / "text" / "random.py")
    names.add(cache.folder_name("0.60", "skylake"))
    assert len(names) == 5
    shutil.rmtree(sources)
    assert cache.folder_name("0.60", "skylake") is None  # an installation without sources: nothing to go by


def test_another_processor_has_code_of_its_own(filled):
    filled.variables |= {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    assert filled.run() == COMPILED
    assert len({file.parent for file in filled.files()}) == 2


def flipped(data, place):
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize(
    "damage",
    [lambda data: b"", lambda data: data[: len(data) // 2], lambda data: flipped(data, len(data) // 2)],
    ids=["empty", "truncated", "flipped"],
)
def test_a_damaged_file_is_compiled_again_and_replaced(filled, damage):
    (file,) = filled.files()
    file.write_bytes(damage(file.read_bytes()))
    assert [filled.run(), filled.run()] == [COMPILED, LOADED]
    assert filled.files() == [file]


def test_every_flipped_bit_and_every_missing_byte_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path))
    size = 32 + len(b"code")
    for place in range(size):
        for damage in (lambda data, place=place: flipped(data, place), lambda data, place=place: data[:place]):
            file = cache.save("folder", "name", b"code")
            assert file.stat().st_size == size
            assert cache.load("folder", "name", bytes.upper) == b"CODE"
            file.write_bytes(damage(file.read_bytes()))
            assert cache.load("folder", "name", bytes.upper) is None
            assert not file.exists()


def test_what_cannot_be_rebuilt_is_removed(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path))
    file = cache.save("folder", "name", b"no pickle")
    assert cache.load("folder", "name", int) is None
    assert not file.exists()


@POSIX
def test_where_the_folder_cannot_be_written_a_private_temporary_one_is_used(machine):
    (machine.home / "cache").write_text("a file in the place of the folder")
    assert [machine.run(), machine.run()] == [COMPILED, LOADED]
    assert machine.private.stat().st_mode & 0o777 == 0o700
    assert len(list(machine.private.rglob("times-*"))) == 1


@POSIX
def test_another_place_or_none_is_told_once(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").touch()  # below it no folder can be made, by root neither
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "file" / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(cache, "_notes", set())
    model = str(Path(__file__).parents[2] / "models" / "words.d2v")
    assert cache.notes() == []
    for number in range(2):
        assert cache.save("folder", str(number), b"code") is not None
    assert main(["inspect", model]) == 0
    place = tmp_path / f"doc2vecc-cache-{os.getuid()}"
    assert capsys.readouterr().err == (
        f"note: compiled code is kept in {place}, since the cache folder cannot be written; "
        "set DOC2VECC_CACHE_DIR to a folder that can be written\n"
    )
    monkeypatch.setattr(cache, "_notes", set())
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file"))
    assert cache.save("folder", "name", b"code") is None
    assert main(["inspect", model]) == 0
    assert "compiled code cannot be kept, so that every run compiles it again" in capsys.readouterr().err


@POSIX
def test_a_user_without_a_home_gets_the_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.delenv(cache.CACHE_VARIABLE, raising=False)
    monkeypatch.setattr(cache.platformdirs, "user_cache_path", lambda *_, **__: Path("~/.cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert cache.save("folder", "name", b"code") == tmp_path / f"doc2vecc-cache-{os.getuid()}" / "folder" / "name"
    assert cache.load("folder", "name", bytes.upper) == b"CODE"


@POSIX
@pytest.mark.parametrize("fault", ["open to others", "a link", "a file", "of someone else"])
def test_a_temporary_folder_that_others_can_write_is_not_used(machine, first_run, fault):
    (machine.home / "cache").write_text("a file in the place of the folder")
    copy = machine.home / "elsewhere" if fault in ("a link", "a file") else machine.private
    shutil.copytree(first_run.home / "cache", copy)
    copy.chmod(0o777 if fault == "open to others" else 0o700)
    if fault == "a link":
        machine.private.symlink_to(copy)
    elif fault == "a file":
        machine.private.touch()
    elif fault == "of someone else":
        if os.getuid() != 0:
            pytest.skip("only root can give a folder away")
        os.chown(copy, 12345, 12345)
    before = machine.files()
    assert machine.run() == COMPILED  # not loaded, though it is there
    assert machine.files() == before  # and not saved


@POSIX
def test_a_filled_cache_is_read_where_nothing_can_be_written(filled):
    """As in an image whose program runs as another user, or on a full disk."""

    def allow_no_writing():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # holds for root as well, unlike the mode of a folder

    (file,) = filled.files()
    assert file.stat().st_mode & 0o777 == 0o644  # another user can read it
    assert filled.run(preexec_fn=allow_no_writing) == LOADED
    filled.program.write_text(PROGRAM.replace("2 *", "3 *"))
    assert filled.run(preexec_fn=allow_no_writing) == [63, 0]
    assert filled.files() == [file]


def test_importing_writes_nothing(machine, tmp_path):
    package = shutil.copytree(
        Path(doc2vecc.__file__).parent, tmp_path / "doc2vecc", ignore=shutil.ignore_patterns("__pycache__")
    )
    machine.program.write_text(
        f"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import doc2vecc.kernels.training.loop, doc2vecc.kernels.text.embed\n"
        "print(repr(doc2vecc.__file__).replace(\"'\", '\"'))"
    )
    before = machine.files()
    assert machine.run() == str(package / "__init__.py")
    assert machine.files() == before


def test_kernels_run_without_the_compiler(machine):
    """As with a debugger: no compiler, no cache, integers that wrap around silently."""
    machine.program.write_text(
        "import numpy as np\nfrom doc2vecc.kernels.base.random import next_uniform, seed_state\n"
        "state = np.zeros(2, np.uint64)\nseed_state(state, np.uint64(3), 1, 2)\nprint(next_uniform(state))"
    )
    compiled = machine.run()
    machine.variables |= {"NUMBA_DISABLE_JIT": "1", "DOC2VECC_CACHE_DIR": str(machine.home / "other")}
    assert machine.run() == compiled
    assert not (machine.home / "other").exists()
