"""Data sets from a made-up dump and made-up books, read again by the loaders of the experiments."""

import bz2
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from doc2vecc import InputError
from doc2vecc_paper.building import dumps
from doc2vecc_paper.building.books import write_novels
from doc2vecc_paper.building.dumps import pages, write_classes
from doc2vecc_paper.building.wiki_text import class_of, lines_of
from doc2vecc_paper.datasets import load_novels, load_wikipedia100, open_enwiki

SECOND = "It is the second paragraph of the page number {number}, and it has more than ten words."
PAGE = (
    "<page><title>{title}</title><ns>{ns}</ns><id>{number}</id>"
    "<revision><id>9</id><text>{text}</text></revision></page>"
)


def page(number, what, ns=0, text=None):
    first = f"'''P{number}''' (born 1900) was a [[Dutch people|Dutch]] {what} of some note, who lived long ago."
    first += "&lt;ref&gt;x&lt;/ref&gt;"
    body = text or f"{{{{Infobox\n|a=1}}}}\n{first}\n\n== Life ==\n{SECOND.format(number=number)}"
    return PAGE.format(title=f"P{number}", ns=ns, number=number, text=body)


@pytest.fixture
def dump(tmp_path):
    found = [page(number, ("architect", "river", "moth")[number % 3]) for number in range(1, 31)]
    found += [
        page(40, "talk", ns=1),
        page(41, "", text="#REDIRECT [[P1]]"),
        page(42, "", text="P42 may refer to:\n* A"),
    ]
    content = f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/">{"".join(found)}</mediawiki>'
    path = tmp_path / "pages.xml.bz2"
    path.write_bytes(bz2.compress(content.encode()))
    return path


@pytest.fixture
def few(monkeypatch):
    for name, value in {"CLASSES": 2, "TRAIN": 3, "TEST": 4, "UNLABELED": 5}.items():
        monkeypatch.setattr(dumps, name, value)


def test_pages_are_articles_without_markup(dump):
    found = list(pages(dump))
    assert [page.number for page in found] == list(range(1, 31)), "no talk, redirect or disambiguation"
    assert found[0].lines == [
        "P1 (born 1900) was a Dutch river of some note, who lived long ago.", "Life", SECOND.format(number=1),
    ]  # fmt: skip


@pytest.mark.usefixtures("few")
def test_classes_are_divided_and_loaded(dump, tmp_path):
    write_classes(pages(dump), tmp_path / "wikipedia100.parquet")
    data = load_wikipedia100(tmp_path)
    assert data.classes == ("architect", "moth")
    rows = list(zip(data.split.tolist(), data.label.tolist(), strict=True))
    assert [rows.count((split, label)) for split in ("train", "test") for label in (0, 1)] == [3, 3, 4, 4]
    assert rows.count(("unlabeled", -1)) == 5
    assert "second paragraph" in data.texts[0].as_py()
    first = (tmp_path / "wikipedia100.parquet").read_bytes()
    write_classes(pages(dump), tmp_path / "wikipedia100.parquet")
    assert (tmp_path / "wikipedia100.parquet").read_bytes() == first, "a sample by seed"


def test_too_small_a_part_is_refused(dump, tmp_path):
    with pytest.raises(InputError, match="143 pages it needs; take a larger part"):
        write_classes(pages(dump), tmp_path / "wikipedia100.parquet")
    assert not (tmp_path / "wikipedia100.parquet").exists()


def test_a_truncated_dump_is_refused(dump):
    dump.write_bytes(dump.read_bytes()[:-20])
    with pytest.raises(InputError, match="download it again"):
        list(pages(dump))


@pytest.mark.slow
def test_the_commands_write_what_the_loaders_read(dump, tmp_path):
    (tmp_path / "books").mkdir()
    (tmp_path / "books" / "b.txt").write_text("\ufeffSecond book.\n\nIts end.", "utf-8")
    (tmp_path / "books" / "a.txt").write_text("First\nbook.", "utf-8")
    run = [sys.executable, "-m", "doc2vecc_paper.building"]
    done = subprocess.run([*run, "novels", tmp_path / "books", "-o", tmp_path], capture_output=True, text=True)
    assert (done.returncode, "3 paragraphs" in done.stderr) == (0, True), done.stderr
    assert load_novels(tmp_path).texts.to_pylist() == ["First book.", "Second book.", "Its end."]
    assert pq.read_table(tmp_path / "novels.parquet")["book"].to_pylist() == ["a", "b", "b"]
    done = subprocess.run([*run, "wikipedia", dump, "-o", tmp_path, "--running", "4"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "error: no class has" in done.stderr
    assert "Traceback" not in done.stderr
    assert open_enwiki(tmp_path).pages == 4


def test_a_folder_without_novels(tmp_path):
    with pytest.raises(InputError, match="no text files"):
        write_novels(tmp_path, tmp_path / "novels.parquet")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match="not UTF-8"):
        write_novels(tmp_path, tmp_path / "novels.parquet")


def test_markup():
    markup = (
        "[[File:a.jpg|thumb|A [[dog]]]]{| class=x\n| cell {{a|{{b}}}}\n|}\nText with [http://x.org a link] &amp; more."
    )
    assert lines_of(markup) == ["Text with a link & more."]
    assert class_of("The moths are a family of insects.") == "family"
    assert class_of("X was one of the largest ships, built in 1900.") == "ships"
