"""Standard input with given content, and a check that no temporary file is left behind."""

import io
import sys
import tempfile

import pytest


@pytest.fixture
def spooling(monkeypatch, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    yield
    assert list(temporary.iterdir()) == []


@pytest.fixture
def stdin(monkeypatch, spooling):
    def give(content: bytes):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give
