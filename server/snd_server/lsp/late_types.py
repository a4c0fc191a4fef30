"""The types of the protocol, each made when it is first used.

lsprotocol declares more than 500 classes, of which a session needs one in five. attrs writes and compiles the methods
of each, which would take longer than everything else that a server does until its first answer. So, while lsprotocol is
imported, what declares a class only notes it down: the first call of the class, or the first look at its fields, makes
it what it would have been, but for slots, since a class that is in use can't be replaced by one with slots.

That is right for attrs and lsprotocol as they are. Whether it still is gets tried out on one class: if anything is
otherwise than it is expected here, the types are imported again, as everybody does.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import attrs

_Class = TypeVar("_Class", bound=type)

_PACKAGE = "lsprotocol"
_MODULE = f"{_PACKAGE}.types"
_FLAG = "_resolved_forward_references"
"""Of the hooks of lsprotocol: whether they have been at it. Without it they make all classes, which is right too."""

_logger = logging.getLogger(__name__)
_lock = threading.RLock()
_declared: dict[type, dict[str, Any]] = {}
"""The classes that are not made yet, with the options of their declarations."""


def declare_types_late() -> None:
    """To be called before anything imports the types of the protocol; afterwards it does nothing."""
    if _MODULE in sys.modules:
        return
    try:
        _import_late()
        _try_out(sys.modules[_MODULE])
    except Exception as error:
        _logger.info("the types of the protocol are all made at once: %r", error)
        _declared.clear()
        for name in [name for name in sys.modules if name.partition(".")[0] == _PACKAGE]:
            del sys.modules[name]


def _import_late() -> None:
    define = attrs.define
    setattr(attrs, "define", _declare)  # noqa: B010 - not what its type says, and only for a moment
    try:
        import_module(_MODULE)
    finally:
        setattr(attrs, "define", define)  # noqa: B010
    # Otherwise the first converter would look at the fields of all types, to resolve forward references: see below.
    hooks = import_module(f"{_PACKAGE}._hooks")
    if hasattr(hooks, _FLAG):
        setattr(hooks, _FLAG, True)


def _try_out(types: Any) -> None:
    """Makes classes that everybody needs. Raises whatever happens, if they are not what attrs makes of them."""
    if types.Range not in _declared:
        raise TypeError("Range is not declared by attrs.define")
    first, last = types.Position(1, character=2), types.Position(3, 4)
    made = types.Range(first, end=last)
    if (made.start, made.end) != (first, last) or made != types.Range(first, last) or made == types.Range(first, first):
        raise TypeError(f"{made!r} is not made as it was declared")
    meant = [(each.name, each.type) for each in attrs.fields(types.Range)]
    if meant != [("start", types.Position), ("end", types.Position)]:
        raise TypeError(f"Range has the fields {meant}")


def _declare(cls: _Class | None = None, **options: Any) -> _Class | Callable[[_Class], _Class]:
    """Stands for ``attrs.define``."""

    def declare(cls: _Class) -> _Class:
        _declared[cls] = options
        cls.__init__ = _init  # type: ignore[misc]
        cls.__attrs_attrs__ = _Fields()  # type: ignore[attr-defined]
        return cls

    return declare if cls is None else declare(cls)


class _Fields:
    """The fields of a class that is not made yet."""

    def __get__(self, specialization: object, owner: type) -> Any:
        _make(owner)
        return owner.__attrs_attrs__  # type: ignore[attr-defined]


def _init(self: Any, *arguments: Any, **by_name: Any) -> None:
    _make(type(self))
    self.__init__(*arguments, **by_name)


def _make(cls: type) -> None:
    with _lock:
        options = _declared.get(cls)
        if options is None:  # another thread was quicker
            return
        attrs.define(cls, **{**options, "slots": False, "init": True, "field_transformer": _resolved})
        del _declared[cls]


def _resolved(cls: type, fields: list[attrs.Attribute[Any]]) -> list[attrs.Attribute[Any]]:
    """The fields with the types that their annotations mean."""
    names = sys.modules[_MODULE].ALL_TYPES_MAP
    attrs.resolve_types(cls, names, {}, fields)
    return fields
