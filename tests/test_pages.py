"""What the pages of docs show runs, block after block; tutorial and search have tests of their own."""

import ast
import csv
import importlib.util
import re
import shlex
import shutil
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from doc2vecc.cli import main
from doc2vecc.map import layout

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
TESTED_ELSEWHERE = {"tutorial.md", "search.md"}
NEEDS_A_SERVER = {"serving.md", "scaling.md"}  # clients: tests/service; a cluster, and Spark: tests/cluster
PAGES = sorted(page.name for page in (ROOT / "docs").glob("*.md") if BLOCK.search(page.read_text("utf-8")))
OTHER_PROGRAMS = {"bertopic", "top2vec", "onnx", "onnxruntime", "openTSNE", "openai", "langchain_openai", "llama_index"}
TEXTS = [
    "a slow but moving film about a good man",
    "a dull story with boring people and no end",
    "good actors and a good story , a great film",
    "the film was moving and the music was great",
]


@pytest.fixture(scope="module")
def material(tmp_path_factory):
    """The files that the pages name."""
    folder = tmp_path_factory.mktemp("pages")
    labels = ["" if i % 3 else "good" if i % 2 else "bad" for i in range(60)]
    rows = [
        {"id": i, "text": f"{TEXTS[i % 4]} {i % 7}", "stars": i % 4, "label": label} for i, label in enumerate(labels)
    ]
    for name in ("reviews.csv", "new.csv"):
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    (folder / "reviews.txt").write_text("".join(f"{row['text']}\n" for row in rows))
    plain = [row["text"].replace(",", "") for row in rows]
    (folder / "rows.csv").write_text("".join(f"{i},film,{text}\n" for i, text in enumerate(plain)))
    (folder / "tickets.csv").write_text("title,body\n" + "".join(f"film,{text}\n" for text in plain))
    split = ["train" if i % 3 else "test" for i in range(60)]
    numbers = [i % 2 if i % 5 else -1 for i in range(60)]
    pq.write_table(pa.table({"text": plain, "split": split, "label": numbers}), folder / "imdb.parquet")
    (folder / "words.txt").write_text("the\na\n")
    (folder / "my_tokens.py").write_text("def split(text):\n    return text.split()\n")
    words = sorted({word for text in TEXTS for word in text.split()})
    random = np.random.default_rng(0)
    lines = [f"{word} {' '.join(f'{value:.3f}' for value in random.normal(size=100))}\n" for word in words]
    (folder / "glove.6B.100d.txt").write_text("".join(lines))
    np.save(folder / "other.npy", random.normal(size=(60, 5)))
    np.save(folder / "vectors.npy", random.normal(size=(60, 5)))
    np.save(folder / "labels.npy", np.arange(60) % 2)
    for name in ("reviews", "tickets"):
        model = str(folder / f"{name}.d2v")
        source = str(folder / "reviews.csv")
        assert main(["train", source, "-o", model, "--text-column", "text", "--vector-size", "8", "--quiet"]) == 0
    return folder


def is_installed(code):
    """Tell whether the other programs that a block imports are there."""
    names = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).split(".")[0]
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    return all(importlib.util.find_spec(name) is not None for name in names & OTHER_PROGRAMS)


def run_command(line):
    """Run a command as a reader would, with an output that is not there yet, and few trials."""
    arguments = shlex.split(line, comments=True)
    if not arguments or arguments[0] != "doc2vecc":
        return
    if "-o" in arguments:
        output = Path(arguments[arguments.index("-o") + 1])
        if output.is_dir():
            shutil.rmtree(output)
        output.unlink(missing_ok=True)
    if "tune" in arguments:
        arguments = [*arguments, "--trials", "2"]
    assert main(arguments[1:]) == 0, line


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if page not in TESTED_ELSEWHERE | NEEDS_A_SERVER])
@pytest.mark.filterwarnings("ignore::doc2vecc.CorpusWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_a_page_shows_runs(page, material, tmp_path, monkeypatch):
    shutil.copytree(material, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, ""])
    for steps in ("EARLY_STEPS", "STEPS"):
        monkeypatch.setattr(layout, steps, 10)  # nobody looks at this map
    for language, code in BLOCK.findall((ROOT / "docs" / page).read_text("utf-8")):
        if language == "sh":
            for line in code.splitlines():
                run_command(line)
        elif is_installed(code):
            exec(compile(code, page, "exec"), {"texts": TEXTS * 5})


def test_every_page_with_code_is_run():
    assert set(PAGES) >= TESTED_ELSEWHERE | NEEDS_A_SERVER
    assert len(PAGES) > 10
