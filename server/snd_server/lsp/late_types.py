"""The types of the protocol, each made when it is first used.

lsprotocol declares more than 500 classes, of which a session needs one in five. attrs writes and compiles the methods
of each, which would take longer than everything else that a server does until its first answer. So, while lsprotocol is
imported, what declares a class only notes it down: the first call of the class, or the first look at its fields, makes
it what it would have been, but for slots, since a class that is in use can't be replaced by one with slots.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import attrs

_Class = TypeVar("_Class", bound=type)

_MODULE = "lsprotocol.types"
_lock = threading.RLock()
_declared: dict[type, dict[str, Any]] = {}
"""The classes that are not made yet, with the options of their declarations."""


def declare_types_late() -> None:
    """To be called before anything imports the types of the protocol; afterwards it does nothing."""
    if _MODULE in sys.modules:
        return
    define = attrs.define
    setattr(attrs, "define", _declare)  # noqa: B010 - not what its type says, and only for a moment
    try:
        import lsprotocol.types
    finally:
        setattr(attrs, "define", define)  # noqa: B010
    import lsprotocol._hooks

    # Otherwise the first converter would look at the fields of all types, to resolve forward references: see below.
    lsprotocol._hooks._resolved_forward_references = True


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

    def __get__(self, instance: object, owner: type) -> Any:
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
