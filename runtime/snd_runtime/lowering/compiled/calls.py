"""Compiled functions that are called one after the other, without Python between them.

Every function takes one address: that of its words. These are numbers, and the addresses of tensors, which are filled
in when it is known where these are. It returns 0, or anything else if its results must be found out in another way.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from snd_runtime.lowering.arithmetic import Array


class Scratch(Struct, frozen=True, eq=False):
    """Memory that a call needs for itself, or that one call leaves to others."""

    bytes: int


class AddressWord(Struct, frozen=True):
    """A word of a call that holds the address of a tensor or of scratch memory."""

    tensor: Hashable


ALIGNED = 64
"""Alignment of tensors in memory, in bytes."""


class Buffer:
    """Memory of so many bytes; ``start`` is the address of the first one that tensors may have."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._bytes = np.empty(size + ALIGNED, np.uint8)
        address = self._bytes.ctypes.data
        self.start = address + -address % ALIGNED


class Buffers:
    """Memory that is reused; simultaneous runs have separate buffers."""

    def __init__(self) -> None:
        self._free: list[Buffer] = []

    def take(self, size: int) -> Buffer:
        """Return a buffer of ``size`` bytes that nothing else uses."""
        try:
            found = self._free.pop()
        except IndexError:
            return Buffer(size)
        return found if found.size >= size else Buffer(size)

    def give(self, buffer: Buffer) -> None:
        """Take a buffer back."""
        self._free.append(buffer)


Word: TypeAlias = "int | AddressWord"

Written: TypeAlias = "tuple[Callable[..., Any], *tuple[str | int, ...]]"
"""A function that generates code for the compiler, and its arguments. Calling it loads the compiler."""


class CompiledCall(Struct, frozen=True, eq=False):
    """A compiled function with its arguments."""

    entry: partial[int]
    """Compile the function, unless it is compiled already: its address."""
    words: tuple[Word, ...]
    tables: tuple[Array, ...] = ()
    """Arrays whose addresses are words: they must live as long as the call."""
    points: int = 0
    """Number of points that the call computes."""

    @property
    def function(self) -> Hashable:
        """Return the key of the compiled function: calls of one function have equal keys."""
        return self.entry.func, self.entry.args

    def places(self) -> Iterator[Hashable]:
        """Yield the tensors and the scratch memory that it works on."""
        return (word.tensor for word in self.words if isinstance(word, AddressWord))

    def on(self, tensors: Mapping[Any, Hashable], arrays: Mapping[Any, Array]) -> CompiledCall:
        """Return the same call on other tensors, and on arrays that nothing changes."""
        words: list[Word] = []
        tables = [*self.tables]
        for word in self.words:
            array = arrays.get(word.tensor) if isinstance(word, AddressWord) else None
            if array is not None:
                tables.append(np.ascontiguousarray(array))
                words.append(tables[-1].ctypes.data)
            else:
                words.append(
                    AddressWord(tensors.get(word.tensor, word.tensor)) if isinstance(word, AddressWord) else word
                )
        return replace(self, words=tuple(words), tables=tuple(tables))


class CompiledCalls:
    """Calls in order, ready to be made."""

    def __init__(self, calls: Sequence[CompiledCall], numbers: Mapping[Hashable, int]) -> None:
        """Compile the code. Raise ImportError if the compiler can't compile it.

        ``numbers`` are the places of tensors and scratch memory in the addresses that ``run`` gets.
        """
        if not _is_loaded():
            raise ImportError("the compiler can't be loaded")
        self._calls = calls  # they keep their tables alive
        words = [word for call in calls for word in call.words]
        places = [(at, numbers[word.tensor]) for at, word in enumerate(words) if isinstance(word, AddressWord)]
        self._words = np.array([0 if isinstance(word, AddressWord) else word for word in words], np.int64)
        self._places, self._numbers = np.array(places, np.int64).reshape(-1, 2).T
        self._entries = np.array([call.entry() for call in calls], np.int64)
        lengths = [len(call.words) for call in calls]
        self._starts = np.cumsum([0, *lengths[:-1]], dtype=np.int64) * self._words.itemsize

    def run(self, addresses: Array) -> bool:
        """Make the calls; return False if one of them has no reliable result. The arrays must live until it ends."""
        words = self._words.copy()  # another thread may run the same
        words[self._places] = addresses[self._numbers]
        return bool(_driver()(self._entries, self._starts + words.ctypes.data))


@cache
def _is_loaded() -> bool:
    """Return whether the compiler can be loaded, which is tried when it is first needed, since it takes long."""
    try:
        import_module("numba")
    except Exception:  # a compiler that doesn't know this version of Python or NumPy fails in many ways
        return False
    return True


def run_calls(calls: Sequence[CompiledCall], arrays: Mapping[Hashable, Array]) -> bool:
    """Make calls once, on these arrays; false if there is no compiler, or no result to be trusted."""
    found = {key: np.ascontiguousarray(array) for key, array in arrays.items()}
    for each in (place for call in calls for place in call.places()):
        if isinstance(each, Scratch):
            found[each] = np.empty(each.bytes, np.uint8)
    try:
        ready = CompiledCalls(calls, {key: number for number, key in enumerate(found)})
    except ImportError:
        return False
    return ready.run(np.array([each.ctypes.data for each in found.values()], np.int64))


def helper(function: Callable[..., Any]) -> Any:
    """Return a function for the compiler. Only others call it, not Python: that takes a fifth less time to compile."""
    return _for_compiler(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Return the same for a function that is called at one place, where its text stands: it is compiled once then."""
    return _for_compiler(function, inline="always")


def _for_compiler(function: Callable[..., Any], **options: Any) -> Any:
    import numba

    made: Any = numba.njit
    options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return made(error_model="numpy", boundscheck=False, **options)(function)


def called(
    kernel: Written, tensors: Sequence[Hashable], tables: Sequence[Array | int], is_check: bool = False
) -> CompiledCall:
    """Return the call of a function for the compiler, with the addresses of tensors and then with these tables.

    A function that ``is_check`` says whether results can be trusted.
    """
    words: list[Word] = [AddressWord(each) for each in tensors]
    kinds: list[str] = []
    kept: list[Array] = []
    for each in tables:
        if isinstance(each, np.ndarray):
            made = np.ascontiguousarray(each)
            kept.append(made)
            words += [made.ctypes.data, made.size]
            kinds.append(made.dtype.name)
        else:
            words.append(int(each))
            kinds.append("")
    return CompiledCall(partial(_entry_of, kernel, len(tensors), tuple(kinds), is_check), tuple(words), tuple(kept))


@cache
def _entry_of(kernel: Written, tensors: int, kinds: tuple[str, ...], is_check: bool) -> int:
    """Return the address of a function that gets its words and calls a kernel."""
    given, at = [f"words[{number}]" for number in range(tensors)], tensors
    for kind in kinds:
        given.append(f"{kind}(words[{at}], words[{at + 1}])" if kind else f"words[{at}]")
        at += 2 if kind else 1
    line = f"kernel({', '.join(given)})"
    write, *given_to_it = kernel
    names = {"kernel": write(*given_to_it)}
    return entry_address([f"if not {line}: return 1" if is_check else line], at, names)


def entry_address(lines: Sequence[str], words: int, names: Mapping[str, Any]) -> int:
    """Compile a function of so many ``words``, which is never forgotten: its address.

    In its lines, ``float32(address, size)`` is an array, and so for other types.
    """
    from numba import cfunc

    text = ["def entry(address):", f"    words = int64(address, {words})", *("    " + line for line in lines)]
    found: dict[str, Any] = {"np": np, **{name: elements(name) for name in _DTYPES}, **names}
    exec("\n".join([*text, "    return 0"]), found)
    options: dict[str, Any] = {"error_model": "numpy", "boundscheck": False}
    made = cfunc("int64(int64)", **options)(found["entry"])
    _ENTRIES.append(made)
    return int(made.address or 0)


_ENTRIES: list[Any] = []
"""Compiled entries, kept alive because addresses refer to them."""
_DTYPES = ("float32", "float64", "int64", "int32", "bool")


@cache
def elements(dtype: str) -> Callable[[int, int], Any]:
    """Return a function, for the compiler, that makes an array of an address and a number of elements."""
    import numba
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def pointer(typing: Any, address: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())

        return types.voidptr(types.int64), code

    made: Any = intrinsic(pointer)
    carray: Any = numba.carray  # type: ignore[attr-defined]
    item = np.dtype(dtype).type

    @helper
    def array(address: int, size: int) -> Any:
        return carray(made(address), (size,), item)

    compiled: Callable[[int, int], Any] = array
    return compiled


@cache
def _driver() -> Callable[[Array, Array], bool]:
    """Return a function that makes calls until one of them fails, and returns whether none did."""
    from llvmlite import ir
    from numba import njit, types
    from numba.extending import intrinsic

    def call(typing: Any, entry: Any, words: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            number = ir.IntType(64)
            function = builder.inttoptr(arguments[0], ir.FunctionType(number, [number]).as_pointer())
            return builder.call(function, [arguments[1]])

        return types.int64(types.int64, types.int64), code

    made: Any = intrinsic(call)

    @njit
    def run(entries: Any, words: Any) -> bool:
        for at in range(len(entries)):  # noqa: SIM110 - the compiled code of this form is faster
            if made(entries[at], words[at]) != 0:
                return False
        return True

    compiled: Callable[[Array, Array], bool] = run
    return compiled
