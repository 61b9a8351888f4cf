"""Compiling in a thread of its own, which Ctrl-C does not have to wait for."""

import _thread
import os
import signal
import subprocess
import sys
import threading

import numba
import pytest

from doc2vecc.kernels.base import compiler
from doc2vecc.kernels.base.cache import CACHE_VARIABLE

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


def double(value):
    return 2 * value


def test_ctrl_c_does_not_wait_for_the_compiler(monkeypatch):
    may_end, compile_it = threading.Event(), compiler.CPUDispatcher.compile

    def compile_slowly(self, signature):
        _thread.interrupt_main()
        assert may_end.wait(60)
        return compile_it(self, signature)

    kernel = compiler.kernel_of(double)
    with monkeypatch.context() as patched:
        patched.setattr(compiler.CPUDispatcher, "compile", compile_slowly)
        with pytest.raises(KeyboardInterrupt):
            kernel(3)
        may_end.set()
        for thread in threading.enumerate():
            if thread.name == compiler.COMPILING_THREAD:
                thread.join()
    assert kernel(3) == 6
    assert len(kernel.signatures) == 1


def test_an_error_of_the_compiler_reaches_the_caller():
    def not_numeric(value):
        return value.no_such_attribute

    with pytest.raises(numba.TypingError, match="no_such_attribute"):
        compiler.kernel_of(not_numeric)(3)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows sends no SIGINT to one process")
def test_a_command_that_compiles_ends_on_ctrl_c(tmp_path):
    (tmp_path / "texts.txt").write_text("the soup was cold and the beer was warm\n" * 50)
    command = [sys.executable, "-m", "doc2vecc", "train", "texts.txt", "-o", "m.d2v", "--min-count", "1"]
    environment = {**os.environ, CACHE_VARIABLE: str(tmp_path / "cache")}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True) as child:
        for line in child.stderr:
            if "compil" in line:
                break
        child.send_signal(signal.SIGINT)
        rest = child.stderr.read()
    assert child.returncode == 128 + signal.SIGINT
    assert rest.splitlines()[-1] == "interrupted; nothing was written"
    assert {path.name for path in tmp_path.iterdir()} <= {"texts.txt", "cache"}
