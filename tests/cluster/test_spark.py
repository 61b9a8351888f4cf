"""The recipe of docs/scaling.md for Spark: ``mapInArrow`` embeds the rows of a DataFrame where they are."""

import os
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from doc2vecc import Doc2VecC

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "scaling.md"
pytestmark = [pytest.mark.peers, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def recipe():
    """Return the code of the recipe, as the document shows it."""
    section = DOCUMENT.read_text("utf-8").split("\n## Spark\n")[1].split("\n## ")[0]
    return re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]


def test_spark_embeds_every_row_once(tmp_path, monkeypatch):
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed; make test-peers installs it")
    if shutil.which("java") is None:
        pytest.skip("java is not installed, which Spark needs")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    texts = ["the cat sat on the mat", "the dog sat on the log", "", "unknown"] * 30
    model = Doc2VecC(vector_size=8, epochs=2, workers=1, min_count=2).fit(texts[:80])
    model.save(tmp_path / "texts.d2v")
    spark = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        rows = spark.createDataFrame([(number, text) for number, text in enumerate(texts)], ["id", "text"])
        names = {"spark": spark, "documents": rows.repartition(3), "MODEL": str(tmp_path / "texts.d2v")}
        exec(recipe(), names)
        found = {row["id"]: row["vector"] for row in names["vectors"].collect()}
    finally:
        spark.stop()
    assert sorted(found) == list(range(len(texts)))
    np.testing.assert_allclose([found[number] for number in sorted(found)], model.transform(texts), rtol=1e-6)
