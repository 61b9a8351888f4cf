"""What a service holds, and what becomes of it when it is loaded again."""

import pytest

from doc2vecc.errors import Doc2VecCError
from doc2vecc.service import loaded
from doc2vecc.service.catalog import NAMES
from doc2vecc.service.loaded import Service
from doc2vecc.service.metrics import Metrics
from doc2vecc.service.settings import ServeSettings


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
