"""The notebooks of examples/ run offline in an empty folder, and show what is stored in them."""

import importlib.util
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed; it is part of the extra test")
pytest.importorskip("ipykernel", reason="ipykernel is not installed; it is part of the extra test")
pytest.importorskip("nbclient", reason="nbclient is not installed; it is part of the extra test")

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted(path.stem for path in (ROOT / "examples").glob("*.ipynb"))
# What a reader must find in the output of a notebook.
SHOWN = {
    "first_steps": ('<progress value="1.000"', "epoch 20/20", "frequent words", "did you mean", "background:rgba("),
    "few_labels": ("tf-idf", "mean_test_score"),
    "search": ("<mark>", "groups"),
    "map_and_topics": ("image/png", "topic_label"),
    "continued_training": ("(False, ", "(True, ", "coroutine"),
}
MACHINE_PATH = re.compile(r"/(?:home|root|tmp|usr|opt|work|Users)/|[A-Z]:\\\\")


def outputs(notebook):
    """Return the outputs of every cell."""
    return [cell.get("outputs", []) for cell in notebook.cells]


def kinds(notebook):
    """Return what kinds of outputs every cell has; values differ between versions of Python, kinds do not."""
    return [[(one.output_type, sorted(one.get("data", {}))) for one in cell] for cell in outputs(notebook)]


def test_there_are_five_and_the_page_links_them():
    assert set(NOTEBOOKS) == set(SHOWN)
    page = (ROOT / "docs" / "tasks.md").read_text("utf-8")
    assert re.findall(r"examples/(\w+)\.ipynb", page) == list(SHOWN)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_stored_notebook_shows_its_results(name):
    notebook = nbformat.read(ROOT / "examples" / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    shown = str(outputs(notebook))
    assert [text for text in SHOWN[name] if text not in shown] == []
    assert MACHINE_PATH.findall(shown) == []
    assert [cell.source for cell in notebook.cells if cell.cell_type == "code" and not cell.execution_count] == []


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Run the notebooks, two at a time: most of the time is that of starting and importing."""
    specification = importlib.util.spec_from_file_location("notebooks", ROOT / "tools" / "notebooks.py")
    tool = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(tool)
    with ThreadPoolExecutor(2) as pool:
        yield {
            name: pool.submit(tool.run, ROOT / "examples" / f"{name}.ipynb", tmp_path_factory.mktemp(name))
            for name in NOTEBOOKS
        }


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the programs that run notebooks
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_in_an_empty_folder(name, runs):
    done = runs[name].result()
    assert kinds(done) == kinds(nbformat.read(ROOT / "examples" / f"{name}.ipynb", as_version=4))
    shown = str(outputs(done))
    assert [text for text in SHOWN[name] if text not in shown] == []
