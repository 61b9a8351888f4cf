"""Maps as pages, pictures and tables. Texts are data and never HTML."""

import base64
import gzip
import hashlib
import json
import re
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from doc2vecc import InputError, OutputError, ParameterError
from doc2vecc.map import Map
from doc2vecc.map.columns import Categories, Numbers, color_column
from doc2vecc.map.pages import FOLDER

pytest.importorskip("openTSNE", reason="openTSNE is not installed")
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)> soup",
    "a\u2028b\u2029 soup ]]> --> soup",
]


@pytest.fixture(scope="module")
def made(model, table):
    return Map.build(model, table)


def data_of(page):
    packed = re.search(r'id="data">([^<]*)</script>', page).group(1)
    return json.loads(gzip.decompress(base64.b64decode(packed, validate=True)))


def test_the_page_holds_everything(made, tmp_path, table):
    made.save(tmp_path / "map.html", color=["topic_name", "stars", "day"], show="day", title="<b>A & B</b>")
    page = (tmp_path / "map.html").read_text("utf-8")
    data = data_of(page)
    assert data["texts"] == table["text"].to_pylist()
    points = np.array([data["x"], data["y"]]).T / 32767.5 - 1
    np.testing.assert_allclose(points, made.points, atol=2e-5)
    topics, stars, days, area = data["colors"]
    assert [topics["values"][code] for code in topics["codes"]] == table["topic_name"].to_pylist()
    assert topics["sizes"] == sorted(topics["sizes"], reverse=True)
    assert (stars["values"][:3], stars["date"], days["date"], area["name"]) == ([0, 1, 2], False, True, "area")
    assert data["shown"][0]["values"][0] == "2024-10-04"
    assert data["title"] == "<b>A & B</b>"
    assert "<title>&lt;b&gt;A &amp; B&lt;/b&gt;</title>" in page
    assert len(data["neighbors"]) == 5 * 300


def test_the_page_allows_its_own_program_only(made, tmp_path):
    made.save(tmp_path / "map.html")
    page = (tmp_path / "map.html").read_text("utf-8")
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert "default-src 'none'" in policy
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        content = re.search(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL).group(1)
        wanted = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{rule} 'sha256-{wanted}'" in policy
    assert not re.search(r"(src|href)=|@import|url\(", page.replace("img-src", ""))
    assert "http://" not in re.sub(r"http://www\.w3\.org/(2000/svg|1999/xhtml)", "", page)  # names, not addresses
    assert "https://" not in page


def test_the_drawing_library_keeps_its_license():
    """The page and the package pass on three.js, whose license asks for this notice."""
    library = (FOLDER / "three.min.js").read_text("utf-8")
    assert re.match(r"/\*!\nthree\.js [\d.]+, .*The MIT License.*Permission is hereby granted.*\*/", library, re.DOTALL)
    assert "eval(" not in library
    assert "new Function(" not in library


def test_texts_never_become_html(model, tmp_path):
    texts = HOSTILE + ["the soup was cold", "a list of tokens"] * 4
    table = pa.table({"text": texts, "label": [*HOSTILE, *"abcdefgh"]})
    with pytest.warns(UserWarning, match="1 of 11 documents have no known word"):
        Map.build(model, table).save(tmp_path / "map.html", color="label", show="label", title="</title><script>x")
    library = (FOLDER / "three.min.js").read_text("utf-8")
    page = (tmp_path / "map.html").read_text("utf-8").replace(library, "")
    assert page.count("<script") == 2
    assert "alert(1)" not in page
    assert "onerror" not in page
    data = data_of(page)
    assert data["texts"][0] == HOSTILE[1]
    assert data["texts"][1] == "a b soup ]]> --> soup"


@pytest.mark.parametrize("kind", ["png", "svg"])
@pytest.mark.parametrize("color", [(), "topic_name", "stars", "day"])
def test_pictures(made, tmp_path, kind, color):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    made.save(tmp_path / f"map.{kind}", color=color)
    data = (tmp_path / f"map.{kind}").read_bytes()
    assert data.startswith(b"\x89PNG" if kind == "png" else b"<?xml")
    assert len(data) > 10_000
    made.save(tmp_path / f"again.{kind}", color=color)
    if kind == "png":
        assert (tmp_path / "again.png").read_bytes() == data


def test_the_table_is_what_embedding_atlas_reads(made, tmp_path, table):
    made.save(tmp_path / "map.parquet")
    written = pq.read_table(tmp_path / "map.parquet")
    assert written.column_names == [*table.column_names, "x", "y", "neighbors"]
    np.testing.assert_allclose(written["x"].to_numpy(), made.points[:, 0])
    first = written["neighbors"][0].as_py()
    assert first["ids"] == [0, *made.neighbors.indices[0, :15].tolist()]
    assert first["distances"][0] == 0
    assert first["distances"] == sorted(first["distances"])
    with pytest.raises(OutputError, match="already has a column 'neighbors'"):
        Map(made.documents.__class__(written, "text", *[None] * 3), *[None] * 4).table()


def test_columns_of_colors(documents, model):
    assert isinstance(color_column(documents, "stars"), Numbers)
    assert isinstance(color_column(documents, "topic_name"), Categories)
    documents.table = documents.table.append_column("few", pa.array([1, None, 2] * 100))
    documents.table = documents.table.append_column("list", pa.array([[1]] * 300))
    few = color_column(documents, "few")
    assert (few.values, few.codes[:3].tolist()) == (["1", "2"], [0, -1, 1])
    with pytest.raises(InputError, match="which has no colors"):
        color_column(documents, "list")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([86_400_000_000_001, None], pa.timestamp("ns")), [1, np.nan]),
        (pa.array([43_200_000, None], pa.date64()), [0.5, np.nan]),
        (pa.array([(1 << 53) + number for number in range(300)]), [1 << 53, 1 << 53]),
    ],
)
def test_values_that_are_not_exact_are_colors_too(documents, values, expected):
    rows = np.arange(300) % len(values)
    documents.table = documents.table.append_column("values", values.take(pa.array(rows)))
    found = color_column(documents, "values")
    np.testing.assert_allclose(found.values[:2], expected, rtol=1e-12)


def test_values_without_a_form_in_python_are_shown_as_text(model, table, tmp_path):
    late = pa.array([1 << 62, *range(299)], pa.timestamp("s"))
    made = Map.build(model, table.append_column("late", late))
    made.save(tmp_path / "map.html", show="late")
    shown = data_of((tmp_path / "map.html").read_text("utf-8"))["shown"][0]["values"]
    assert "4611686018427387904" in shown[0]
    assert shown[1] == "1970-01-01 00:00:00"
    with pytest.raises(InputError, match="a date in the column 'late' is of no year that can be shown"):
        made.save(tmp_path / "map.html", color="late")


@pytest.mark.parametrize("value", [pa.MonthDayNano([1, 2, 3]), b"\xff"])
def test_values_without_colors_are_an_error_of_one_line(documents, value):
    kind = pa.large_binary() if isinstance(value, bytes) else None
    documents.table = documents.table.append_column("values", pa.array([value] * 300, kind))
    with pytest.raises(InputError, match=r"'values' holds .*, which has no colors"):
        color_column(documents, "values")


def test_what_cannot_be_drawn_is_refused(made, tmp_path, monkeypatch):
    with pytest.raises(OutputError, match=r"none of \.html, \.png, \.svg, \.parquet"):
        made.save(tmp_path / "map.pdf")
    with pytest.raises(InputError, match="there is no column 'colour'"):
        made.save(tmp_path / "map.html", color="colour")
    monkeypatch.setattr("doc2vecc.map.columns.MOST_CATEGORIES", 2)
    with pytest.raises(InputError, match="'topic_name' has 3 different values"):
        made.save(tmp_path / "map.html", color="topic_name")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ParameterError, match=r"pip install 'doc2vecc\[map\]'"):
        made.save(tmp_path / "map.png")
    assert list(tmp_path.iterdir()) == []


def test_a_map_is_saved_without_what_has_laid_it_out(made, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    made.save(tmp_path / "map.parquet")
    assert pq.read_table(tmp_path / "map.parquet")["x"].to_pylist() == made.points[:, 0].tolist()
