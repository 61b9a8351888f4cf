"""What kernels are compiled by, and everything that we use of Numba and llvmlite beyond their documented interfaces.

At an upgrade of Numba check, then raise the upper bounds in pyproject.toml:

- the options ``_nrt``, ``forceinline``, ``no_cpython_wrapper``, ``no_cfunc_wrapper``: training and embedding are as
  fast as before;
- parts of kernels (``CPUDispatcher``, ``Compiler``, ``JITCodeLibrary``): the first ``fit`` takes no longer than before;
- the emit functions of ``emission`` (``make_array``, ``get_value_type``, ``do_boundscheck``, ``ir.VectorType``, typed
  pointers): test_instructions.py, also with ``make test-bounds``;
- the cache (``Dispatcher._cache``, ``NullCache``, ``CompileResult._reduce`` and ``_rebuild``, ``magic_tuple``):
  test_cache.py.
"""

import gc
import hashlib
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core import types
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.serialize import dumps
from numba.extending import typeof_impl
from numba.types import unliteral

from doc2vecc.kernels.base import cache as code_cache
from doc2vecc.kernels.base import emission as emission
from doc2vecc.kernels.base.compile import COMPILING_THREAD, FAST, Compiled

# nogil: threads run side by side. numpy errors: no branch on division. No run-time memory management (_nrt):
# kernels allocate nothing and work on arrays that their caller keeps alive. Counting the references to arrays that
# are only passed on, with atomic instructions, took up to half of the time.
_OPTIONS = {"nogil": True, "error_model": "numpy", "fastmath": set(FAST), "_nrt": False, "no_cfunc_wrapper": True}


def kernel_of(function: Callable[..., Any]) -> Any:  # noqa: ANN401
    """Return the dispatcher of a function that Python calls."""
    dispatcher = _Kernel(function, targetoptions=_OPTIONS | {"nopython": True})
    dispatcher._cache = _KernelCache(function)
    return dispatcher


def kernel_folder() -> Path | None:
    """Return the folder that holds the compiled kernels; None if there is none yet."""
    folder = _folder(cpu_target.target_context.codegen().magic_tuple())
    return code_cache.find(folder) if folder else None


class _Kernel(CPUDispatcher):  # type: ignore[misc]
    def compile(self, signature: Any) -> Any:  # noqa: ANN401
        """Compile without garbage collection, which would go over all that Numba has made, again and again.

        The main thread leaves the work to another and waits: LLVM runs for seconds, and Ctrl-C ends the wait at once.
        """
        if threading.current_thread() is threading.main_thread():
            result: Future[Any] = Future()
            threading.Thread(target=self._compile_into, args=(result, signature), name=COMPILING_THREAD).start()
            return result.result()
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return super().compile(signature)
        finally:
            if was_enabled:
                gc.enable()

    def _compile_into(self, result: Future[Any], signature: Any) -> None:  # noqa: ANN401
        try:
            result.set_result(self.compile(signature))
        except BaseException as error:  # noqa: BLE001 - raised in the thread that waits
            result.set_exception(error)


@typeof_impl.register(Compiled)  # type: ignore[untyped-decorator]
def _typeof_compiled(function: Compiled, _context: Any) -> Any:  # noqa: ANN401
    return types.Dispatcher(function.callee)


class Part(CPUDispatcher):  # type: ignore[misc]
    """The dispatcher of a function that is compiled as a part of the kernels that call it.

    Numba optimizes every function and makes machine code of it, then does so again in each caller. A part stays what
    it is until it stands in a kernel.
    """

    def __init__(self, function: Callable[..., Any], *, is_inlined: bool) -> None:
        options = _OPTIONS | {"nopython": True, "no_cpython_wrapper": True, "forceinline": is_inlined}
        super().__init__(function, targetoptions=options, pipeline_class=_PartCompiler)

    def get_call_template(self, arguments: Any, keywords: Any) -> Any:  # noqa: ANN401
        """Tell Numba what a call returns; compiled for a number of a type, not once for each number in the code."""
        return super().get_call_template([unliteral(one) for one in arguments], keywords)


class _PartCompiler(Compiler):  # type: ignore[misc]
    def __init__(self, typing: Any, target: Any, *arguments: Any) -> None:  # noqa: ANN401
        super().__init__(typing, target, *arguments)
        self.state.library = _PartLibrary(target.codegen(), "part")
        self.state.library.is_inlined = self.state.flags.forceinline


class _PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """What is linked into a kernel: never optimized by itself, and no machine code is made of it."""

    is_inlined = False

    @property
    def codegen(self) -> Any:  # noqa: ANN401
        return self

    def set_env(self, name: str, env: Any) -> None:  # noqa: ANN401
        """There is no machine code to tell its environment."""

    def get_pointer_to_function(self, _name: str) -> int:
        self._ensure_finalized()
        return 0

    def finalize(self) -> None:
        self._raise_if_finalized()
        if not self.is_inlined:  # it is rarely called: in the loop that calls it, it would take registers from the rest
            for function in self._final_module.functions:
                if not function.is_declaration:
                    function.add_function_attribute("noinline")
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


class _KernelCache(NullCache):  # type: ignore[misc]
    """The compiled forms of one function, a file for each signature; Numba's own cache is left alone."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._code = function.__code__
        self._is_cachable = function.__closure__ is None

    def load_overload(self, signature: Any, target_context: Any) -> Any:  # noqa: ANN401
        """Return what was compiled for a signature before, or None."""
        target_context.refresh()

        def rebuild(content: bytes) -> Any:  # noqa: ANN401
            saved_signature, compiled = pickle.loads(content)  # noqa: S301 - written by save_overload below
            # Two classes of tuples may have the same name, and so the same file.
            return CompileResult._rebuild(target_context, *compiled) if saved_signature == signature else None

        place = self._place(signature, target_context.codegen())
        return place and code_cache.load(*place, rebuild)

    def save_overload(self, signature: Any, compiled: Any) -> None:  # noqa: ANN401
        """Keep what was compiled for a signature."""
        place = self._place(signature, compiled.codegen)
        if place and not compiled.library.has_dynamic_globals:  # addresses are those of this process
            code_cache.save(*place, dumps((signature, compiled._reduce())))

    def _place(self, signature: Any, codegen: Any) -> tuple[str, str] | None:  # noqa: ANN401
        """Return folder and file for a signature, None if the code cannot be kept."""
        folder = _folder(codegen.magic_tuple())
        source = code_cache.source_hash(self._code.co_filename)
        if folder is None or source is None or not self._is_cachable:
            return None
        name, line = self._code.co_name, self._code.co_firstlineno
        key = hashlib.sha256(repr((source, self._code.co_qualname, line, str(signature))).encode()).hexdigest()
        return folder, f"{name}-{key[:24]}"


@cache
def _folder(processor: tuple[str, ...]) -> str | None:
    checks = f"bounds checked: {emission.CHECKS_BOUNDS}"
    return code_cache.folder_name(numba.__version__, llvmlite.__version__, checks, *processor)
