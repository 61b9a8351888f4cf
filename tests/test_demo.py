"""The demonstration: what it reads, and that its answers make sense."""

import importlib
import re
import shlex
import sys
import webbrowser
from pathlib import Path

import pytest

import doc2vecc.demo
from doc2vecc import storage
from doc2vecc.cli import main
from doc2vecc.cli.terminal import open_page
from doc2vecc.config import TrainingConfig
from doc2vecc.demo import QUERIES, Document, _compiled_documents, _source_documents, standard_library
from doc2vecc.search import SearchIndex

SOURCE = '''
"""A module of six words or more."""
import does_not_exist

class Reader:
    """Reads rows."""

    async def next_row(self):
        """Give one row."""
        def inner():
            """Not reachable by a name."""

def bad_escape():
    "A \\d that is no escape."
'''


def test_source_files_are_read_but_not_run(tmp_path: Path) -> None:
    for name in ("rows.py", "package/__init__.py", "test/test_rows.py", "site-packages/other.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(SOURCE)
    (tmp_path / "broken.py").write_text("def (:")
    (tmp_path / "binary.py").write_bytes(b"\x00\xff")
    found = list(_source_documents(tmp_path))
    names = ["", ".Reader", ".Reader.next_row", ".bad_escape"]
    assert [document.name for document in found] == [
        f"{module}{name}" for module in ("package", "rows") for name in names
    ]
    assert found[2] == Document("package.Reader.next_row", "Give one row.")


def test_the_words_of_a_name_belong_to_the_document() -> None:
    assert Document("http.client.HTTPResponse.read_into", "Read.").text == "http client HTTPResponse read into: Read."
    assert Document("csv.DictReader", "Read.").text == "csv Dict Reader: Read."


@pytest.mark.slow
def test_the_standard_library_is_there() -> None:
    documents = standard_library()
    assert len(documents) > 2_000
    names = {document.name for document in documents}
    assert {"json.dumps", "threading.Thread.join", "zlib.compress", "itertools.chain", "os.read"} <= names
    assert not any(part.startswith("_") for name in names for part in name.split("."))
    assert {"csv.reader", "csv.writer"} <= names
    assert not names & {"csv.Reader", "csv.Writer"}
    for document in _compiled_documents():
        module, *members = document.name.split(".")
        assert not members or hasattr(importlib.import_module(module), members[0]), document.name
    assert len({" ".join(document.docstring.split()) for document in documents}) == len(documents)


FEW = """sort a list of numbers
read a csv file
write rows to a csv file
wait for a thread
join a thread
sort names""".splitlines()


def few_documents() -> list[Document]:
    return [Document(f"module.name{i}", f"{text} {i % 5}") for i, text in enumerate(FEW * 20)]


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A demo that takes a second: few documents, short training."""
    config = TrainingConfig(vector_size=8, epochs=2, min_count=1, workers=1)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doc2vecc.demo, "standard_library", few_documents)
    monkeypatch.setattr(doc2vecc.demo, "standard_library_config", lambda: config)
    monkeypatch.setattr(doc2vecc.demo, "own_config", lambda: config)


def next_commands(err: str) -> list[list[str]]:
    return [shlex.split(line)[1:] for line in err.splitlines() if line.startswith("  ")]


@pytest.mark.usefixtures("quick")
def test_the_demo_ends_with_something_to_look_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("openTSNE", reason="maps need the extra map")
    assert main(["demo"]) == 0
    out, err = capsys.readouterr()
    assert all(f"\n{query}\n" in out for query in QUERIES)
    assert len(SearchIndex.load("demo.index")) == 120
    assert "Map of Python&#x27;s standard library" in Path("demo.map.html").read_text("utf-8")
    assert "map: demo.map.html, open it in a browser" in err
    search, own = next_commands(err)
    assert main(search) == 0
    assert own == ["demo", "--data", "reviews.csv"]


@pytest.mark.usefixtures("quick")
def test_the_demo_on_a_file_of_the_user(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("openTSNE", reason="maps need the extra map")
    lines = "".join(f"{i},{document.docstring}\n" for i, document in enumerate(few_documents()))
    Path("mine.csv").write_text("number,body\n" + lines)
    assert main(["demo", "--data", "mine.csv", "--text-column", "body", "--limit", "100"]) == 0
    err = capsys.readouterr().err
    assert len(SearchIndex.load("demo.index")) == 100
    assert Path("demo.map.html").exists()
    _, train, index, serve = next_commands(err)
    assert train == ["train", "mine.csv", "--text-column", "body", "--limit", "100", "-o", "mine.d2v"]
    assert (index[0], serve) == ("index", ["serve", "mine.d2v", "--index", "mine.index"])
    Path("empty.csv").write_text("text\n")
    assert main(["demo", "--data", "empty.csv"]) == 2
    assert "no documents in empty.csv" in capsys.readouterr().err


@pytest.mark.usefixtures("quick")
def test_without_the_extra_the_demo_says_how_to_get_the_map(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    assert main(["demo"]) == 0
    assert "pip install 'doc2vecc[map]'" in capsys.readouterr().err
    assert not Path("demo.map.html").exists()


@pytest.mark.parametrize(
    ("environment", "is_terminal", "is_opened"),
    [
        ({"DISPLAY": ":0"}, True, True),
        ({"DISPLAY": ":0", "CI": "true"}, True, False),
        ({"DISPLAY": ":0", "SSH_CONNECTION": "host"}, True, False),
        ({"DISPLAY": ":0"}, False, False),
        ({}, True, False),
    ],
)
def test_a_page_is_opened_only_for_a_person_with_a_screen(
    environment: dict[str, str], is_terminal: bool, is_opened: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda url: bool(opened.append(url)) or True)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal, raising=False)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "CI", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert open_page(tmp_path / "a page.html") is is_opened
    assert opened == ([(tmp_path / "a page.html").as_uri()] if is_opened else [])


@pytest.mark.slow
def test_the_demo_gives_sensible_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "openTSNE", None)  # the map takes most of the time
    assert main(["demo"]) == 0
    out, err = capsys.readouterr()
    blocks = out.strip().split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == list(QUERIES)
    expected = [{"csv"}, {"threading", "asyncio", "concurrent"}, {"zlib", "bz2", "lzma", "gzip", "zipfile"}]
    for block, modules in zip(blocks, expected, strict=True):
        found = [name.split(".")[0] for name in re.findall(r"^  0\.\d\d  (\S+)", block, re.MULTILINE)]
        assert len(found) == 3
        assert sum(module in modules for module in found) >= 2, block
    assert "tokens in" in err
    assert len(storage.load("demo.d2v").vocabulary) > 3_000


def test_the_demo_leaves_other_things_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").mkdir()
    assert main(["demo", "--output", str(tmp_path / "mine")]) == 2
    assert "exists and is not a doc2vecc model" in capsys.readouterr().err


@pytest.mark.usefixtures("quick")
def test_the_demo_replaces_only_its_own_model(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    assert main(["demo", "-o", "mine.d2v"]) == 0
    capsys.readouterr()
    assert main(["demo", "-o", "mine.d2v"]) == 2
    assert "mine.d2v exists; choose another name, or replace it with --force" in capsys.readouterr().err
    for arguments in (["demo"], ["demo"], ["demo", "-o", "mine.d2v", "--force"]):
        assert main(arguments) == 0


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", ["reviews.d2v", "reviews.index", "reviews.map.html"])
def test_the_demo_replaces_nothing_beside_its_model(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    assert main(["demo", "-o", "mine.d2v"]) == 0
    Path("mine.map.html").write_text("of an earlier day")
    Path(name.replace("reviews", "mine")).rename(name)
    capsys.readouterr()
    assert main(["demo", "-o", "reviews.d2v"]) == 2
    assert f"{name} exists; choose another name" in capsys.readouterr().err
    assert main(["demo", "-o", "reviews.d2v", "--force"]) == 0


@pytest.mark.usefixtures("quick")
def test_a_model_of_the_user_at_the_place_of_the_demo_stays(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    Path("texts.txt").write_text("\n".join(FEW * 20))
    assert main(["train", "texts.txt", "-o", "demo.d2v", "--vector-size", "4", "--epochs", "1"]) == 0
    capsys.readouterr()
    assert main(["demo"]) == 2
    assert "demo.d2v exists; choose another name, or replace it with --force" in capsys.readouterr().err
