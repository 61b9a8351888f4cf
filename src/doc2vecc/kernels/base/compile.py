"""How kernels are compiled, and everything that we use of Numba and llvmlite beyond their documented interfaces.

At an upgrade of Numba check, then raise the upper bounds in pyproject.toml:

- the options ``_nrt`` and ``forceinline``: training and embedding are as fast as before;
- the emit functions (``make_array``, ``get_value_type``, ``ir.VectorType``, typed pointers): test_instructions.py;
- the cache (``Dispatcher._cache``, ``NullCache``, ``CompileResult._reduce`` and ``_rebuild``, ``magic_tuple``):
  test_cache.py.
"""

import hashlib
import operator
import pickle
import sys
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any, TypeVar, cast

import llvmlite
import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.datamodel import PrimitiveModel
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps
from numba.extending import lower_builtin, register_model, type_callable

from doc2vecc.kernels.base import cache as code_cache
from doc2vecc.kernels.base.instructions import (
    LANES,
    lanes_at,
    load_word,
    no_lanes,
    prefetch_row,
    prefetch_row_to_l2,
    put_lanes,
    sum_of_lanes,
    trailing_zeros,
)

Function = TypeVar("Function", bound=Callable[..., Any])

# Sums may be reordered (reassoc, contract) so that loops vectorize; NaN and infinity keep their meaning.
FAST = ("reassoc", "contract", "nsz", "arcp")

# nogil: threads run side by side. numpy errors: no branch on division. No run-time memory management (_nrt):
# kernels allocate nothing and work on arrays that their caller keeps alive. Counting the references to arrays that
# are only passed on, with atomic instructions, took up to half of the time.
_OPTIONS = {"nogil": True, "error_model": "numpy", "fastmath": set(FAST), "_nrt": False, "no_cfunc_wrapper": True}


def kernel(function: Function) -> Function:
    """Compile a function that Python calls, for the machine it runs on, on first use; it runs without the GIL."""
    if numba.config.DISABLE_JIT:
        return _interpreted(function)
    dispatcher = numba.njit(**_OPTIONS)(function)
    dispatcher._cache = _KernelCache(function)
    return cast(Function, dispatcher)


def inlined(function: Function) -> Function:
    """Compile a small function that is always inlined into the kernel that calls it."""
    return _interpreted(function) if numba.config.DISABLE_JIT else cast(Function, _Part(function, forceinline=True))


def called(function: Function) -> Function:
    """Compile a function that kernels call; it is inlined where the compiler finds that worthwhile."""
    return _interpreted(function) if numba.config.DISABLE_JIT else cast(Function, _Part(function))


def _interpreted(function: Function) -> Function:
    return np.errstate(all="ignore")(function)  # integers wrap silently, as in compiled code


class _Part(CPUDispatcher):  # type: ignore[misc]
    """A function that is compiled as a part of the kernels that call it.

    Numba optimizes every function and makes machine code of it, then does so again in each caller. A part stays what
    it is until it stands in a kernel. Python may call it: then it is compiled once more, as a kernel.
    """

    def __init__(self, function: Callable[..., Any], **options: bool) -> None:
        options = {**_OPTIONS, **options, "nopython": True, "no_cpython_wrapper": True}
        super().__init__(function, targetoptions=options, pipeline_class=_PartCompiler)

    def __call__(self, *arguments: Any) -> Any:  # noqa: ANN401
        return self.alone(*arguments)

    @cached_property
    def alone(self) -> Callable[..., Any]:
        """The same function as a kernel."""
        return kernel(self.py_func)


class _PartCompiler(Compiler):  # type: ignore[misc]
    def __init__(self, typing: Any, target: Any, *arguments: Any) -> None:  # noqa: ANN401
        super().__init__(typing, target, *arguments)
        self.state.library = _PartLibrary(target.codegen(), "part")


class _PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """What is linked into a kernel: never optimized by itself, and no machine code is made of it."""

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
    return code_cache.folder_name(numba.__version__, llvmlite.__version__, *processor)


# What follows tells Numba the types of the functions of `instructions` in a compiled kernel, and which instructions
# they are. An emit function gets Numba's context, the builder of instructions, the types and the values.


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
    word = builder.load(builder.bitcast(builder.gep(array.data, [offset]), ir.IntType(64).as_pointer()), align=1)
    return word if sys.byteorder == "little" else builder.bswap(word)


def _address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
    """Emit where the lanes of (table, row, column, ...) are; the values of a row lie side by side."""
    array = _array(context, builder, signature, arguments)
    row, column = (_index(context, builder, signature, arguments, place) for place in (1, 2))
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
