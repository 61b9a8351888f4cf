"""The demonstration: what it reads, and that its answers make sense."""

import importlib
import shlex
from pathlib import Path

import pytest

import doc2vecc.demo
from doc2vecc import storage
from doc2vecc.cli import main
from doc2vecc.config import TrainingConfig
from doc2vecc.demo import (
    QUERIES,
    WORDS,
    Document,
    _compiled_documents,
    _source_documents,
    answer,
    learn_from,
    standard_library,
)

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


def test_answers_name_documents() -> None:
    documents = [Document(f"module.name{number}", f"read {number} write {number % 7}") for number in range(30)] * 2
    model = learn_from(documents, config=TrainingConfig(vector_size=8, epochs=1, min_count=2))
    (found,) = answer(model, documents, (documents[5].text,), k=2)
    similarity, document = found[0]
    assert document == documents[5]
    assert similarity == pytest.approx(1, abs=1e-4)


@pytest.mark.slow
def test_the_demo_gives_sensible_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    out, err = capsys.readouterr()
    blocks = out.strip().split("\n\n")
    assert [block.splitlines()[0] for block in blocks[:3]] == [f'"{query}"' for query in QUERIES]
    expected = [{"csv"}, {"threading", "asyncio", "concurrent"}, {"zlib", "bz2", "lzma", "gzip", "zipfile"}]
    for block, modules in zip(blocks, expected, strict=False):
        found = [line.split()[1].split(".")[0] for line in block.splitlines()[2:]]
        assert len(found) == 4
        assert sum(module in modules for module in found) >= 2, block
    assert [line.split()[0] for line in blocks[3].splitlines()[2:]] == list(WORDS)
    assert "compress" in blocks[3].splitlines()[3].split(maxsplit=1)[1]
    assert "tokens in" in err
    assert len(storage.load("demo.d2v").vocabulary) > 3_000
    commands = [line[5:] for line in err.splitlines()[-2:]]
    for command in commands:
        assert main(shlex.split(command)[1:]) == 0, command


def test_the_demo_leaves_other_things_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").mkdir()
    assert main(["demo", "--output", str(tmp_path / "mine")]) == 2
    assert "exists and is not a doc2vecc model" in capsys.readouterr().err


def test_the_demo_replaces_only_its_own_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop() -> None:
        raise KeyboardInterrupt("it would be replaced")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doc2vecc.demo, "standard_library", stop)
    texts = [Document("a", "one two three one two three")] * 3
    model = learn_from(texts, config=TrainingConfig(vector_size=8, epochs=1, min_count=2))
    for name in ("demo.d2v", "mine.d2v"):
        storage.save(model, Path(name))
    capsys.readouterr()
    assert main(["demo", "-o", "mine.d2v"]) == 2
    assert "mine.d2v exists; choose another name, or replace it with --force" in capsys.readouterr().err
    for arguments in (["demo"], ["demo", "-o", "mine.d2v", "--force"]):
        assert main(arguments) == 130
        assert "it would be replaced" in capsys.readouterr().err
