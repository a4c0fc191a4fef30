"""Dataclasses with slots that are frozen for the type checker, made in a fourth of the time that ``dataclasses`` takes.

The module of the standard library compiles each method of a class by itself, which for all of our classes together
takes a third of the time until the first diagnostic. Here it collects the fields and makes the slots; the methods that
depend on the fields are compiled at once.

Nothing looks at run time whether a field is set: that the constructor has to go around it would take a tenth of all
analysis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from reprlib import recursive_repr
from typing import Any, TypeVar, cast, dataclass_transform, overload

_Class = TypeVar("_Class", bound=type)


@overload
def frozen(cls: _Class) -> _Class: ...


@overload
def frozen(*, eq: bool = True, order: bool = False) -> Callable[[_Class], _Class]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: _Class | None = None, *, eq: bool = True, order: bool = False) -> _Class | Callable[[_Class], _Class]:
    """Makes a class what ``@dataclass(frozen=True, slots=True)`` would make it, but that only the type checker forbids
    to set a field.

    ``eq`` and ``order`` mean what they mean there; without ``eq``, instances are equal to themselves alone.
    """
    if cls is None:
        return lambda cls: _made(cls, eq, order)
    return _made(cls, eq, order)


def _made(declared: _Class, eq: bool, order: bool) -> _Class:
    documentation = declared.__doc__
    declared.__doc__ = documentation or declared.__name__  # otherwise ``dataclass`` looks at the signature for one
    made = cast("_Class", dataclass(init=False, repr=False, eq=False, slots=True)(declared))
    made.__doc__ = documentation
    all_fields = fields(made)
    compared = [each.name for each in all_fields if each.compare]
    meanings: dict[str, Any] = {"__name__": made.__module__, "MISSING": MISSING}
    lines = [*_initialization(made, all_fields, meanings), *_comparisons(made, compared, eq, order)]
    methods: dict[str, Any] = {}
    exec("\n".join(lines), meanings, methods)
    for name, method in methods.items():
        method.__qualname__ = f"{made.__qualname__}.{name}"
        setattr(made, name, method)
    if "__repr__" not in made.__dict__:
        type.__setattr__(made, "__repr__", _repr)
    return made


def _initialization(cls: type, all_fields: Sequence[Field[Any]], meanings: dict[str, Any]) -> Iterator[str]:
    """The lines of ``__init__``, which fills the slots; adds what its names mean."""
    given = [each for each in all_fields if each.init]
    parameters = ["self"]
    body = []
    for each in given:
        name = each.name
        parameter = value = name
        if each.default is not MISSING:
            meanings[f"default_{name}"] = each.default
            parameter = f"{name}=default_{name}"
        elif each.default_factory is not MISSING:
            meanings[f"make_{name}"] = each.default_factory
            parameter = f"{name}=MISSING"
            value = f"make_{name}() if {name} is MISSING else {name}"
        parameters.append(parameter)
        body.append(f"  self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("  self.__post_init__()")
    yield f"def __init__({', '.join(parameters)}):"
    yield from body or ["  pass"]


def _comparisons(cls: type, names: Sequence[str], eq: bool, order: bool) -> Iterator[str]:
    """The lines of the methods that compare all of the fields at once, as tuples."""
    mine, others = (f"({''.join(f'{whose}.{name}, ' for name in names)})" for whose in ("self", "other"))
    operators = {"__eq__": "=="} if eq else {}
    if order:
        operators.update({"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="})
    for method, operator in operators.items():
        if method not in cls.__dict__:
            yield f"def {method}(self, other):"
            yield f"  return {mine} {operator} {others} if other.__class__ is self.__class__ else NotImplemented"
    if eq and cls.__dict__.get("__hash__") is None:
        yield "def __hash__(self):"
        yield f"  return hash({mine})"


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({shown})"
