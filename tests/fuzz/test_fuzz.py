"""A short campaign, the cases that failed before, and that failures are found at all."""

import os
import signal

import pytest

from tests.fuzz import targets
from tests.fuzz.campaign import CRASHES, EXTENSION, keep, kept, make_case, run
from tests.fuzz.targets import TARGETS, try_case

pytestmark = pytest.mark.skipif(not hasattr(signal, "ITIMER_PROF"), reason="needs signals of Unix")

KEPT = sorted(CRASHES.glob(f"*{EXTENSION}"))


@pytest.mark.slow
@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_what_failed_before_does_not_fail_again(path, tmp_path):
    target, case = kept(path)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            try_case(target, case, tmp_path)
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_a_short_campaign(target):
    result = run(target, seed=1, cases=30)
    assert (result.failures, result.cases) == ([], 30)
    assert sum(result.outcomes.values()) == 30


@pytest.mark.parametrize("target", TARGETS)
def test_a_case_follows_from_its_number(target):
    assert make_case(target, 0, 5) == make_case(target, 0, 5) != make_case(target, 0, 6)


@pytest.mark.parametrize("target", TARGETS)
def test_a_case_is_kept_as_it_is(target, tmp_path):
    case = make_case(target, 0, 5)
    assert kept(keep(target, case, "SIGSEGV", tmp_path)) == (target, case)


def test_any_other_error_is_a_failure(tmp_path, monkeypatch):
    def fail(_folder):
        raise ZeroDivisionError

    monkeypatch.setitem(targets.TARGETS, "texts", TARGETS["texts"]._replace(run=fail))
    with pytest.raises(ZeroDivisionError):
        try_case("texts", {}, tmp_path)


@pytest.mark.slow
def test_a_worker_that_dies_is_told_with_its_case(monkeypatch, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "if '--work' in sys.orig_argv:\n"
        "    def hook(event, arguments):\n"
        "        if event == 'open' and str(arguments[0]).endswith('texts.json'):\n"
        "            hook.count += 1\n"
        "            if hook.count == 7: os.kill(os.getpid(), 11)\n"
        "    hook.count = 0\n"
        "    sys.addaudithook(hook)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    result = run("texts", cases=4)
    assert result.failures == [(3, "SIGSEGV")]  # each case writes the file and reads it
    assert result.cases == 4
