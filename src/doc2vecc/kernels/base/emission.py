"""Tells Numba the types of the functions of `instructions` in a compiled kernel, and which instructions they are.

An emit function gets Numba's context, the builder of instructions, the types and the values.
"""

import operator
import sys
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import config
from numba.core import cgutils, types
from numba.core.datamodel import PrimitiveModel
from numba.extending import lower_builtin, register_model, type_callable

from doc2vecc.kernels.base.compile import FAST
from doc2vecc.kernels.base.instructions import (
    LANES,
    WORD,
    lanes_at,
    load_word,
    no_lanes,
    prefetch_row,
    prefetch_row_to_l2,
    put_lanes,
    sum_of_lanes,
    trailing_zeros,
)

CHECKS_BOUNDS = bool(config.BOUNDSCHECK)  # of all arrays; for tests, because it is slow


class _Lanes(types.Type):
    def __init__(self, dtype: Any) -> None:  # noqa: ANN401
        self.dtype = dtype
        super().__init__(name=f"Lanes({dtype})")


@register_model(_Lanes)
class _Register(PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, lanes: Any) -> None:  # noqa: ANN401
        super().__init__(manager, lanes, ir.VectorType(manager.lookup(lanes.dtype).get_value_type(), LANES))


type_callable(prefetch_row)(lambda _: lambda table, row, byte: types.none)  # noqa: ARG005
type_callable(prefetch_row_to_l2)(lambda _: lambda table, row, byte: types.none)  # noqa: ARG005
type_callable(load_word)(lambda _: lambda text, position: types.uint64 if text.layout == "C" else None)  # noqa: ARG005
type_callable(trailing_zeros)(lambda _: lambda word: types.int64 if word == types.uint64 else None)
type_callable(lanes_at)(lambda _: lambda table, row, column: _Lanes(table.dtype) if table.layout == "C" else None)  # noqa: ARG005
type_callable(put_lanes)(lambda _: lambda table, row, column, lanes: types.none if table.layout == "C" else None)  # noqa: ARG005
type_callable(no_lanes)(lambda _: lambda table: _Lanes(table.dtype))
type_callable(sum_of_lanes)(lambda _: lambda lanes: lanes.dtype)
type_callable(operator.add)(lambda _: lambda left, right: left if left == right and isinstance(left, _Lanes) else None)
type_callable(operator.mul)(
    lambda _: (
        lambda left, right: (
            right if isinstance(right, _Lanes) and (left == right or left in types.real_domain) else None
        )
    )
)

lower_builtin(trailing_zeros, types.uint64)(lambda _, builder, __, words: builder.cttz(words[0], ir.IntType(1)(0)))
lower_builtin(no_lanes, types.Array)(
    lambda context, _, signature, __: ir.Constant(context.get_value_type(signature.return_type), None)
)
lower_builtin(operator.add, _Lanes, _Lanes)(lambda _, builder, __, both: builder.fadd(*both, flags=FAST))
lower_builtin(operator.mul, _Lanes, _Lanes)(lambda _, builder, __, both: builder.fmul(*both, flags=FAST))


def _array(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
    return context.make_array(signature.args[0])(context, builder, arguments[0])


def _index(context: Any, builder: Any, signature: Any, arguments: Any, place: int) -> Any:  # noqa: ANN401
    return context.cast(builder, arguments[place], signature.args[place], types.intp)


def _check(context: Any, builder: Any, index: Any, limit: Any, axis: int) -> None:  # noqa: ANN401
    """Emit an IndexError for an index that is not in 0 .. limit-1, where bounds are checked."""
    if CHECKS_BOUNDS:
        cgutils.do_boundscheck(context, builder, index, limit, axis)


def _spared(builder: Any, length: Any, size: int) -> Any:  # noqa: ANN401
    """Emit how many places of an array of this length have ``size`` values from there on."""
    return builder.sub(length, length.type(size - 1))


def _emit_prefetch(locality: int) -> Callable[..., Any]:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        array = _array(context, builder, signature, arguments)
        row, byte = (_index(context, builder, signature, arguments, place) for place in (1, 2))
        offset = builder.add(builder.mul(row, builder.extract_value(array.strides, 0)), byte)
        pointer, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        address = builder.gep(builder.bitcast(array.data, pointer), [offset])
        instruction = builder.module.declare_intrinsic(
            "llvm.prefetch", [pointer], ir.FunctionType(ir.VoidType(), [pointer, flag, flag, flag])
        )
        builder.call(instruction, [address, flag(0), flag(locality), flag(1)])  # flags: read, locality, data
        return context.get_dummy_value()

    return emit


lower_builtin(prefetch_row, types.Array, types.Integer, types.Integer)(_emit_prefetch(locality=3))
lower_builtin(prefetch_row_to_l2, types.Array, types.Integer, types.Integer)(_emit_prefetch(locality=2))


@lower_builtin(load_word, types.Array, types.Integer)  # type: ignore[untyped-decorator]
def _emit_load_word(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
    array = _array(context, builder, signature, arguments)
    offset = _index(context, builder, signature, arguments, 1)
    _check(context, builder, offset, _spared(builder, builder.extract_value(array.shape, 0), WORD), 0)
    word = builder.load(builder.bitcast(builder.gep(array.data, [offset]), ir.IntType(64).as_pointer()), align=1)
    return word if sys.byteorder == "little" else builder.bswap(word)


def _address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
    """Emit where the lanes of (table, row, column, ...) are; the values of a row lie side by side."""
    array = _array(context, builder, signature, arguments)
    row, column = (_index(context, builder, signature, arguments, place) for place in (1, 2))
    n_rows, n_columns = (builder.extract_value(array.shape, axis) for axis in (0, 1))
    _check(context, builder, row, n_rows, 0)
    _check(context, builder, column, _spared(builder, n_columns, LANES), 1)
    offset = builder.add(builder.mul(row, n_columns), column)
    register = ir.VectorType(array.data.type.pointee, LANES)
    return builder.bitcast(builder.gep(array.data, [offset]), register.as_pointer())


@lower_builtin(lanes_at, types.Array, types.Integer, types.Integer)  # type: ignore[untyped-decorator]
def _emit_load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
    alignment = signature.args[0].dtype.bitwidth // 8
    return builder.load(_address(context, builder, signature, arguments), align=alignment)


@lower_builtin(put_lanes, types.Array, types.Integer, types.Integer, _Lanes)  # type: ignore[untyped-decorator]
def _emit_store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
    alignment = signature.args[0].dtype.bitwidth // 8
    builder.store(arguments[3], _address(context, builder, signature, arguments), align=alignment)
    return context.get_dummy_value()


@lower_builtin(sum_of_lanes, _Lanes)  # type: ignore[untyped-decorator]
def _emit_sum(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401, ARG001
    (rest,) = arguments
    width = LANES
    while width > 1:  # add the upper half to the lower one
        width //= 2
        places = [ir.Constant(ir.VectorType(ir.IntType(32), width), [*range(i, i + width)]) for i in (0, width)]
        lower, upper = (builder.shuffle_vector(rest, rest, half) for half in places)
        rest = builder.fadd(lower, upper, flags=FAST)
    return builder.extract_element(rest, ir.IntType(32)(0))


@lower_builtin(operator.mul, types.Float, _Lanes)  # type: ignore[untyped-decorator]
def _emit_scale(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
    lanes = signature.return_type
    number = context.cast(builder, arguments[0], signature.args[0], lanes.dtype)
    nothing = ir.Constant(context.get_value_type(lanes), ir.Undefined)
    first = builder.insert_element(nothing, number, ir.IntType(32)(0))
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.fmul(builder.shuffle_vector(first, nothing, everywhere), arguments[1], flags=FAST)
