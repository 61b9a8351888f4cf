"""What a service holds, and what becomes of it when it is loaded again."""

import pytest

from doc2vecc import Doc2VecC
from doc2vecc.errors import Doc2VecCError
from doc2vecc.service import loaded
from doc2vecc.service.catalog import NAMES
from doc2vecc.service.loaded import Service, read_all
from doc2vecc.service.metrics import Metrics
from doc2vecc.service.settings import ServeSettings
from tests.cli.commands import sentences


def test_a_reload_that_fails_in_any_way_is_counted_and_told(folder, monkeypatch, capsys):
    """SIGHUP reloads in a thread whose errors nobody would see."""
    service = Service(ServeSettings((folder / "reviews.d2v",)), Metrics(NAMES))
    before = service.loaded

    def fail(_):
        raise MemoryError("too large")

    monkeypatch.setattr(loaded, "load", fail)
    with pytest.raises(Doc2VecCError, match="MemoryError: too large"):
        service.reload()
    assert "Traceback" in capsys.readouterr().err
    assert service.loaded is before
    assert 'doc2vecc_reloads_total{result="failed"} 1\n' in service.metrics.text()
    monkeypatch.undo()
    service.reload()
    assert 'doc2vecc_reloads_total{result="done"} 1\n' in service.metrics.text()


def test_an_index_of_another_model_is_noted(folder):
    models = {name: folder / f"{name}.d2v" for name in ("reviews", "ngrams")}
    index = folder / "reviews.index"
    assert read_all(ServeSettings((models["ngrams"], models["reviews"]), index)).notes == []
    (note,) = read_all(ServeSettings((models["ngrams"],), index)).notes
    assert note.startswith(f"{index} was made with another model than ngrams: search uses the model in the index, ")


def test_another_model_of_the_same_size_is_noted(folder, tmp_path):
    texts = [text for _, text in sentences(100)]
    Doc2VecC(vector_size=16, epochs=1, init="random", min_count=2, workers=1).fit(texts).save(tmp_path / "other.d2v")
    assert len(read_all(ServeSettings((tmp_path / "other.d2v",), folder / "reviews.index")).notes) == 1
