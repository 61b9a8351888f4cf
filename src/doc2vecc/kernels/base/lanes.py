"""Eight numbers of a row at a time, in one register of the processor.

A loop over single columns leaves it to the compiler to find out, for every row anew, whether tables overlap and how
many columns are left over. That took more instructions than the arithmetic. Loops over lanes say what is meant:

    for column in range(0, table.shape[1], LANES):
        put_lanes(table, row, column, lanes_at(table, row, column) + step * lanes_at(other, place, column))

Rows are whole multiples of ``LANES`` long. The functions below run as they stand when a kernel is not compiled.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import types
from numba.core.datamodel import PrimitiveModel
from numba.extending import lower_builtin, register_model, type_callable

from doc2vecc.kernels.base.compile import FAST, Integer

LANES = 8

Numbers = npt.NDArray[np.floating[Any]]


def lanes_at(table: Numbers, row: Integer, column: int) -> Numbers:
    """Return the numbers of ``table[row]`` from ``column`` on."""
    return table[row, column : column + LANES].copy()


def put_lanes(table: Numbers, row: Integer, column: int, lanes: Numbers) -> None:
    """Write the numbers of ``table[row]`` from ``column`` on."""
    table[row, column : column + LANES] = lanes


def no_lanes(table: Numbers) -> Numbers:
    """Return zeros of the type of a table, to begin a sum with."""
    return np.zeros(LANES, table.dtype)


def sum_of_lanes(lanes: Numbers) -> Any:  # noqa: ANN401 - a number of their type
    """Add the numbers up."""
    return lanes.sum()


# What follows tells Numba which types these functions and the operators + and * have in a compiled kernel, and
# which instructions they are. An `_emit` gets Numba's context, the builder of instructions, types and values.


class _Lanes(types.Type):
    def __init__(self, dtype: Any) -> None:  # noqa: ANN401
        self.dtype = dtype
        super().__init__(name=f"Lanes({dtype})")


@register_model(_Lanes)
class _Register(PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, lanes: Any) -> None:  # noqa: ANN401
        super().__init__(manager, lanes, ir.VectorType(manager.lookup(lanes.dtype).get_value_type(), LANES))


type_callable(lanes_at)(lambda _: lambda table, row, column: _Lanes(table.dtype) if table.layout == "C" else None)  # noqa: ARG005
type_callable(put_lanes)(lambda _: lambda table, row, column, lanes: types.none if table.layout == "C" else None)  # noqa: ARG005
type_callable(no_lanes)(lambda _: lambda table: _Lanes(table.dtype))
type_callable(sum_of_lanes)(lambda _: lambda lanes: lanes.dtype)
type_callable(operator.add)(lambda _: lambda left, right: left if left == right and _is_lanes(left) else None)
type_callable(operator.mul)(
    lambda _: lambda left, right: right if _is_lanes(right) and _scales(left, right) else None
)


def _is_lanes(of: Any) -> bool:  # noqa: ANN401
    return isinstance(of, _Lanes)


def _scales(factor: Any, lanes: Any) -> bool:  # noqa: ANN401
    return _is_lanes(lanes) and (factor == lanes or factor in types.real_domain)


def _address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
    """Emit where the lanes of (table, row, column, ...) are; the numbers of a row lie side by side."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    row, column = (context.cast(builder, arguments[i], signature.args[i], types.intp) for i in (1, 2))
    offset = builder.add(builder.mul(row, builder.extract_value(array.shape, 1)), column)
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


@lower_builtin(no_lanes, types.Array)  # type: ignore[untyped-decorator]
def _emit_zeros(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401, ARG001
    return ir.Constant(context.get_value_type(signature.return_type), None)


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


@lower_builtin(operator.add, _Lanes, _Lanes)  # type: ignore[untyped-decorator]
def _emit_add(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401, ARG001
    return builder.fadd(*arguments, flags=FAST)


@lower_builtin(operator.mul, _Lanes, _Lanes)  # type: ignore[untyped-decorator]
def _emit_multiply(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401, ARG001
    return builder.fmul(*arguments, flags=FAST)


@lower_builtin(operator.mul, types.Float, _Lanes)  # type: ignore[untyped-decorator]
def _emit_scale(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
    lanes = signature.return_type
    number = context.cast(builder, arguments[0], signature.args[0], lanes.dtype)
    nothing = ir.Constant(context.get_value_type(lanes), ir.Undefined)
    first = builder.insert_element(nothing, number, ir.IntType(32)(0))
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.fmul(builder.shuffle_vector(first, nothing, everywhere), arguments[1], flags=FAST)
