"""Maps of pages: neighbors are counted, places and titles are kept, pictures and page are drawn from cells."""

import os
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from data_files import write_pages
from doc2vecc_paper.datasets import DataError, load_wikipedia100
from doc2vecc_paper.experiments import tsne
from doc2vecc_paper.experiments.maps import SHOWN, PageMap
from doc2vecc_paper.experiments.wikipedia_groups import GROUPS, PAPER_GROUPS, group_of
from doc2vecc_paper.running import plan
from made_up import QUICK, draw_all, measured


@pytest.mark.slow
def test_the_whole_experiment(tmp_path, monkeypatch):
    pytest.importorskip("openTSNE", reason="maps need openTSNE")
    monkeypatch.setattr(tsne, "QUICK_STEP", 1)
    write_pages(tmp_path)
    section = measured(tsne.EXPERIMENT, tmp_path)
    (table,) = section.tables
    errors = {row.method: [value.ours.mean for value in row.values] for row in table.rows}
    assert set(errors) == {"Paragraph Vectors, DM", "Paragraph Vectors, DBOW", "Doc2VecC"}
    assert all(0 <= value <= 100 for values in errors.values() for value in values)
    assert errors["Doc2VecC"][0] < 60, "five classes by chance: 80"
    for module in ("matplotlib", "plotly"):
        pytest.importorskip(module, reason=f"pictures need {module}")
    (tmp_path / "figures").mkdir()
    names = draw_all(section, tmp_path / "figures")
    assert names == {"tsne-classes.png", "tsne-classes.svg", "tsne-groups.png", "tsne-groups.svg", "tsne.html"}
    page = (tmp_path / "figures" / "tsne.html").read_text("utf-8")
    assert "A moth \\u003c" not in page.replace("&lt;", ""), "a title is no markup"
    assert "A moth &lt;" in page or "A moth \\u0026lt;" in page
    assert not re.findall(r"<(?:script|link)[^>]+(?:src|href)=", page), "nothing is fetched"


def test_without_titles_the_text_begins(tmp_path):
    write_pages(tmp_path, 40, titles=False)
    titles = tsne._titles(tmp_path, load_wikipedia100(tmp_path))
    assert len(titles) == 40
    assert all(0 < len(title) <= tsne.LONGEST_TITLE for title in titles.to_pylist())


def test_without_open_tsne_nothing_is_measured_and_the_remedy_is_said(tmp_path, monkeypatch):
    write_pages(tmp_path)
    monkeypatch.setattr(tsne, "is_installed", lambda module: False)
    planned = plan(tsne.EXPERIMENT, tmp_path, QUICK)
    assert planned.measurable() == []
    assert planned.missing() == ["tsne needs openTSNE: pip install './experiments[figures]'"]


@pytest.mark.slow
def test_pages_of_other_classes_than_the_groups_are_mapped_all_the_same(tmp_path, monkeypatch):
    pytest.importorskip("openTSNE", reason="maps need openTSNE")
    monkeypatch.setattr(tsne, "QUICK_STEP", 1)
    monkeypatch.setattr(tsne, "group_of", dict)
    monkeypatch.setattr(tsne, "METHODS", tsne.METHODS[-1:])
    write_pages(tmp_path)
    section = measured(tsne.EXPERIMENT, tmp_path)
    (row,) = section.tables[0].rows
    assert [value.ours is None for value in row.values] == [False, False, True, True]
    assert [picture.name for picture in section.pictures] == ["tsne-classes", "tsne"]


@pytest.mark.parametrize("titles", [pa.array([1, 2, 3]), pa.array(["a", "b", "a"]).dictionary_encode()])
def test_titles_of_other_types_are_read_as_text(titles, tmp_path):
    columns = {"split": ["train", "test", "test"], "label": ["moth"] * 3, "text": ["a b"] * 3, "title": titles}
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "wikipedia100.parquet")
    shown = tsne._titles(tmp_path, load_wikipedia100(tmp_path))
    assert shown.to_pylist() == [str(title) for title in titles.to_pylist()]


def test_titles_that_are_no_text_are_said(tmp_path):
    columns = {"split": ["train", "test"], "label": ["moth"] * 2, "text": ["a b"] * 2, "title": [["a"], ["b"]]}
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "wikipedia100.parquet")
    with pytest.raises(DataError, match=r"cannot read .*wikipedia100\.parquet"):
        tsne._titles(tmp_path, load_wikipedia100(tmp_path))


def test_a_map_survives_its_cell():
    places = np.array([[1.25, -3.5], [0.0, 2.0], [7.0, 7.0]], np.float32)
    one = PageMap(places, np.array(["river", "moth", "river"]), ["Rhine, the", "Idaea ochrata", "Ö\u2028 & <b>"])
    again = PageMap.from_json(one.as_json())
    assert again.places.tolist() == places.tolist()
    assert again.classes.tolist() == one.classes.tolist()
    assert again.titles == one.titles


def test_groups():
    labels = [label for labels in GROUPS.values() for label in labels]
    assert len(set(labels)) == len(labels), "a class is in one group"
    assert set(PAPER_GROUPS) <= set(GROUPS)
    assert group_of()["moth"] == "species"


def test_groups_and_shown_classes_are_classes():
    path = Path(os.environ.get("DOC2VECC_DATA", "")) / "wikipedia100.parquet"
    if not os.environ.get("DOC2VECC_DATA") or not path.exists():
        pytest.skip("DOC2VECC_DATA names no folder with wikipedia100.parquet")
    classes = set(pyarrow.parquet.read_table(path, columns=["label"])["label"].unique().to_pylist()) - {None}
    assert set(group_of()) == classes - {"ship"}
    assert set(SHOWN) <= classes
