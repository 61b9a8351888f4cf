"""The decorators of kernels. Nothing is compiled, and Numba is not even imported, before a kernel is called."""

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any, TypeVar, cast

import numpy as np

COMPILING_THREAD = "doc2vecc-compile"  # a process that ends need not wait for threads of this name

Function = TypeVar("Function", bound=Callable[..., Any])

# Sums may be reordered (reassoc, contract) so that loops vectorize; NaN and infinity keep their meaning.
FAST = ("reassoc", "contract", "nsz", "arcp")


def kernel(function: Function) -> Function:
    """Compile a function that Python calls, for the machine it runs on, on first use; it runs without the GIL."""
    return cast(Function, Compiled(function))


def inlined(function: Function) -> Function:
    """Compile a small function that is always inlined into the kernel that calls it."""
    return cast(Function, Compiled(function, is_part=True, is_inlined=True))


def called(function: Function) -> Function:
    """Compile a function that kernels call, and that is not inlined: it is called rarely."""
    return cast(Function, Compiled(function, is_part=True))


class Compiled:
    """A function that is compiled when it is called: by Python, or by a kernel that is compiled."""

    def __init__(self, function: Callable[..., Any], *, is_part: bool = False, is_inlined: bool = False) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._is_part = is_part
        self._is_inlined = is_inlined

    def __call__(self, *arguments: Any) -> Any:  # noqa: ANN401
        """Call it as Python does."""
        return self.entry(*arguments)

    @cached_property
    def entry(self) -> Callable[..., Any]:
        """What Python calls; a part of kernels is compiled for that as a kernel itself, which only tests need."""
        import numba

        if numba.config.DISABLE_JIT:
            return np.errstate(all="ignore")(self.py_func)  # integers wrap silently, as in compiled code
        from doc2vecc.kernels.base.compiler import kernel_of

        return cast(Callable[..., Any], kernel_of(self.py_func))

    @cached_property
    def callee(self) -> Any:  # noqa: ANN401
        """What a kernel calls, for Numba."""
        from doc2vecc.kernels.base.compiler import Part

        return Part(self.py_func, is_inlined=self._is_inlined) if self._is_part else self.entry
