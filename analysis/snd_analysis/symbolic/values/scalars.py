"""Single values of expressions: known, unknown within an operation, or null.

An int is an ``Integer`` and a bool a ``Truth``, constant or symbolic; a real is a ``float`` and a string a ``str``, or
``Unknown``. A ``Foreign`` value is passed through unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias
from weakref import WeakValueDictionary

from msgspec import Struct

from snd_analysis import rules
from snd_analysis.base import Rule
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import FALSE, TRUE, Integer, Truth

if TYPE_CHECKING:
    from snd_analysis.symbolic.values.pack import Pack


Value: TypeAlias = "Integer | Truth | float | str | Unknown | Pack | Maybe | Null | Undefined | Foreign"


class NestedValue:
    """A value, or the key of one, in which unknown operations may nest."""

    __slots__ = ()
    if TYPE_CHECKING:  # dataclasses would take it for the default of their field

        @property
        def depth(self) -> int:
            """Depth of nested operations."""


class Foreign:
    """A value that this package passes through: a tensor, or a term of a formula in ``@lower``."""

    __slots__ = ()

    def or_else(self, condition: Truth, other: Value) -> Value:
        """Return this value if a condition holds, and another value otherwise.

        UNDEFINED if no single value can express it.
        """
        return UNDEFINED


class Null:
    """The type of ``NULL``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NULL"

    def __reduce__(self) -> str:
        return "NULL"


class Undefined:
    """The type of ``UNDEFINED``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNDEFINED"

    def __reduce__(self) -> str:
        return "UNDEFINED"


NULL: Final = Null()
"""The value of an optional expression that has none (2.4.1)."""
UNDEFINED: Final = Undefined()
"""The unknown value after a mistake that is reported elsewhere: values computed from it report nothing."""


class Unknown(Struct, frozen=True):
    """A real or string that is not known; ``key`` says which. Ints and bools are symbolic instead."""

    dtype: str
    key: Hashable
    text: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unknown) and (self.dtype, self.key) == (other.dtype, other.key)

    def __hash__(self) -> int:
        return hash((self.dtype, self.key))


class Maybe(Struct, NestedValue, frozen=True):
    """``value`` where ``present`` holds, else null. Made by ``maybe``."""

    present: Truth
    value: Value

    @property
    def depth(self) -> int:
        """Depth of nested unknown operations."""
        return max(depth_of(self.present), depth_of(self.value))


def maybe(present: Truth, value: Value) -> Value:
    """Return ``present ? value``."""
    if value is NULL or value is UNDEFINED:
        return value
    if isinstance(value, Maybe):
        return maybe(shapes.and_(present, value.present), value.value)
    if present is TRUE:
        return value
    return NULL if present is FALSE else Maybe(present, value)


class OperationKey(NestedValue):
    """The key of the result of an operation on unknown operands.

    Equal keys are one object, so the same operation has the same result, and it can be repeated once more is known.
    ``dtype`` is the element type of the result. Operands that are packs don't depend on the position.
    """

    __slots__ = ("__weakref__", "depth", "dtype", "interval", "operands", "operation", "positional")

    _known: ClassVar[WeakValueDictionary[tuple[Any, ...], OperationKey]] = WeakValueDictionary()

    dtype: str
    operation: str
    operands: tuple[Value, ...]
    positional: bool | None
    """True if the position occurs in it, once asked."""
    depth: int
    """Depth of nested unknown operations."""
    interval: Any
    """Cached bounds of a real (``real_bounds``)."""

    def __new__(cls, dtype: str, operation: str, operands: tuple[Value, ...]) -> OperationKey:
        # 0.0 and -0.0 are equal, and are not the same.
        zeros = tuple(str(operand) for operand in operands if isinstance(operand, float))
        known = cls._known.get((dtype, operation, operands, zeros))
        if known is not None:
            return known
        self = super().__new__(cls)
        self.dtype, self.operation, self.operands, self.positional = dtype, operation, operands, None
        self.depth, self.interval = 1 + max(map(depth_of, operands), default=0), None
        cls._known[dtype, operation, operands, zeros] = self
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return OperationKey, (self.dtype, self.operation, self.operands)

    def __repr__(self) -> str:
        return f"OperationKey({self.operation!r}, {self.operands})"


DEFINITIONS: Final[dict[str, Callable[..., Value]]] = {}
"""Definition of each operation of an ``OperationKey``, by name, to be repeated with other operands."""


class Fresh:
    """A key that equals only itself."""

    __slots__ = ()


def depth_of(value: Value) -> int:
    """Return the depth of nested unknown operations; 0 for known values and for unknowns without an operation."""
    if isinstance(value, Integer | Truth):
        return max((leaf.key.depth for leaf in value.leaves if isinstance(leaf.key, NestedValue)), default=0)
    nested = value.key if isinstance(value, Unknown) else value
    return nested.depth if isinstance(nested, NestedValue) else 0


def dtype_of(value: Value) -> str | None:
    """Return ``int``, ``bool``, ``real`` or ``str``; None for anything else."""
    match value:
        case Integer():
            return "int"
        case Truth():
            return "bool"
        case float():
            return "real"
        case str():
            return "str"
    return value.dtype if isinstance(value, Unknown) else None


def unknown(dtype: str | None, key: Hashable, text: str, low: int | None = None, high: int | None = None) -> Value:
    """Return an unknown value of an element type; an int lies within bounds. UNDEFINED if there is no element type."""
    match dtype:
        case "int":
            return shapes.variable(key, text, low, high)
        case "bool":
            return shapes.proposition(key, text)
        case None:
            return UNDEFINED
    return Unknown(dtype, key, text)


def default_value(dtype: str) -> Value:
    """Return ``int()``, ``real()``, ``bool()``, ``str()`` (2.4)."""
    return _DEFAULTS.get(dtype, UNDEFINED)


_DEFAULTS: Final[dict[str, Value]] = {"int": shapes.constant(0), "real": 0.0, "bool": FALSE, "str": ""}


# ---- errors of operations without a value ----------------------------------------------------------------------------
class OperationError(Exception):
    """An operation without a value for its operands, with the operand to blame and notes about others.

    Operands are counted from 0, in the order of the operation.
    """

    def __init__(
        self, rule: Rule, message: str, operand: int | None = None, notes: tuple[tuple[int, str], ...] = ()
    ) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.operand = operand
        self.notes = notes


def too_large(what: str) -> OperationError:
    """Return why a value has no value here that the language would give it: it would take all time and memory."""
    return OperationError(rules.VALUE_TOO_LARGE, f"{what}, more than snd can handle")
