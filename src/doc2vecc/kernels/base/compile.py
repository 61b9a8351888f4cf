"""How every kernel is compiled: one place for the options, typed so that mypy sees through the decorator."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

Integer = int | np.integer[Any]  # what a kernel may hand on as a number or an index
Function = TypeVar("Function", bound=Callable[..., Any])

# Sums may be reordered (reassoc, contract) so that loops vectorize; NaN and infinity keep their meaning.
FAST = ("reassoc", "contract", "nsz", "arcp")

# nogil: threads run side by side. cache: compiled once per machine. numpy errors: no branch on division.
# No run-time memory management: kernels allocate nothing and work on arrays that their caller keeps alive. Counting
# the references to arrays that are only passed on, with atomic instructions, took up to half of the time.
_OPTIONS = {
    "nogil": True,
    "cache": True,
    "error_model": "numpy",
    "fastmath": set(FAST),
    "_nrt": False,
}


def kernel(function: Function) -> Function:
    """Compile a function for the machine it runs on, on first use, without the GIL."""
    return cast(Function, numba.njit(**_OPTIONS)(function))


def inlined(function: Function) -> Function:
    """Compile a small function that is always inlined into the kernel that calls it."""
    return cast(Function, numba.njit(**_OPTIONS, forceinline=True)(function))


def _prefetch(locality: int) -> Any:  # noqa: ANN401
    """Make a function that asks for the cache line with byte number ``byte`` of ``table[row]``; it never faults."""

    @intrinsic  # type: ignore[untyped-decorator]
    def prefetch(typing_context: Any, table: Any, row: Any, byte: Any) -> Any:  # noqa: ANN401, ARG001
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            row_stride = builder.extract_value(array.strides, 0)
            row_index = context.cast(builder, arguments[1], signature.args[1], types.intp)
            byte_index = context.cast(builder, arguments[2], signature.args[2], types.intp)
            offset = builder.add(builder.mul(row_index, row_stride), byte_index)
            pointer = ir.IntType(8).as_pointer()
            address = builder.gep(builder.bitcast(array.data, pointer), [offset])
            flag = ir.IntType(32)
            instruction = builder.module.declare_intrinsic(
                "llvm.prefetch", [pointer], ir.FunctionType(ir.VoidType(), [pointer, flag, flag, flag])
            )
            builder.call(instruction, [address, flag(0), flag(locality), flag(1)])  # flags: read, locality, data
            return context.get_dummy_value()

        return types.void(table, row, byte), emit

    return prefetch


prefetch_row = _prefetch(locality=3)  # into all levels of the cache
prefetch_row_to_l2 = _prefetch(locality=2)  # past the first level, which is too small for many rows


@intrinsic  # type: ignore[untyped-decorator]
def load_word(typing_context: Any, text: Any, position: Any) -> Any:  # noqa: ANN401, ARG001
    """Read the eight bytes of ``text`` that begin at ``position``, the first one lowest; all must be inside."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        offset = context.cast(builder, arguments[1], signature.args[1], types.intp)
        address = builder.bitcast(builder.gep(array.data, [offset]), ir.IntType(64).as_pointer())
        word = builder.load(address, align=1)
        return word if sys.byteorder == "little" else builder.bswap(word)

    return types.uint64(text, position), emit


@intrinsic  # type: ignore[untyped-decorator]
def trailing_zeros(typing_context: Any, word: Any) -> Any:  # noqa: ANN401, ARG001
    """Count the zero bits below the lowest one of 64; 64 if there is none."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401, ARG001
        return builder.cttz(arguments[0], ir.IntType(1)(0))

    return types.int64(types.uint64), emit
