"""What the user decides, and the check of a request against its schema."""

from pathlib import Path

import pytest

from doc2vecc.errors import ParameterError
from doc2vecc.service.failures import RequestError
from doc2vecc.service.schemas import optional, record, text
from doc2vecc.service.settings import Keys, ServeSettings, is_loopback, model_name, read_keys
from doc2vecc.service.validation import check

SCHEMA = record(
    ("name",),
    name=text("A name.", minLength=1),
    k=optional("integer", "", minimum=1, maximum=5),
    n=optional("integer", "", minimum=1),
)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("127.0.0.2", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("example.org", False),
    ],
)
def test_loopback(host, expected):
    assert is_loopback(host) is expected


def test_other_addresses_need_keys_or_a_word():
    models = (Path("a.d2v"),)
    with pytest.raises(ParameterError, match="--no-auth"):
        ServeSettings(models, host="0.0.0.0")
    assert ServeSettings(models, host="0.0.0.0", no_auth=True).allowed_hosts is None
    assert ServeSettings(models, host="0.0.0.0", api_key_file=Path("keys")).allowed_hosts is None
    assert "127.0.0.1" in ServeSettings(models).allowed_hosts


def test_windows_has_one_worker(monkeypatch):
    monkeypatch.setattr("sys.platform", "win32")
    assert ServeSettings((Path("a.d2v"),)).workers == 1
    with pytest.raises(ParameterError, match="workers=2 does not fit Windows"):
        ServeSettings((Path("a.d2v"),), workers=2)


def test_names_of_models():
    assert model_name(Path("models/reviews.d2v")) == "reviews"
    assert model_name(Path("news")) == "news"


def test_keys(tmp_path):
    keys = Keys(["first-key-of-many", "second-key-of-many"])
    assert keys.accept(b"second-key-of-many")
    assert not keys.accept(b"second-key-of-man")
    assert not read_keys(None)
    for content, word in (("# none\n", "no key"), ("short\n", "at least 16"), ("with a blank inside\n", "no blanks")):
        (tmp_path / "keys").write_text(content)
        with pytest.raises(ParameterError, match=word):
            read_keys(tmp_path / "keys")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "'name' is missing"),
        ({"name": ""}, "not empty"),
        ({"name": 5}, "name=5 must be a string"),
        ({"name": "a", "k": 6}, "k=6 must be from 1 to 5"),
        ({"name": "a", "n": 0}, "n=0 must be at least 1$"),
        ({"name": "a", "k": True}, "a whole number"),
        ({"name": "a", "k": 1.5}, "a whole number"),
        ([], "an object"),
    ],
)
def test_what_does_not_fit_is_named(value, message):
    with pytest.raises(RequestError, match=message) as caught:
        check(value, SCHEMA)
    assert caught.value.status == 422


def test_what_fits():
    check({"name": "a", "k": None, "other": object()}, SCHEMA)
    check({"name": "a", "k": 5}, SCHEMA)
