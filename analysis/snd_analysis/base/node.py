"""The common base of the nodes of all languages, and walks over them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import Generic, TypeVar, overload

from msgspec import Struct

from snd_analysis.base.checkpoints import checkpoint
from snd_analysis.base.text import Span


class Node(Struct, frozen=True, eq=False):
    """Anything that was read, from its first character to behind its last."""

    start: int
    end: int

    @property
    def span(self) -> Span:
        """The span of the node, relative to its entry or chunk."""
        return Span(self.start, self.end)


NodeT = TypeVar("NodeT", bound=Node)


class NodeSequence(Generic[NodeT]):
    """A sequence that a node may have in place of a tuple of nodes."""

    __slots__ = ()

    def __len__(self) -> int:
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> NodeT: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[NodeT, ...]: ...

    def __getitem__(self, index: int | slice) -> NodeT | tuple[NodeT, ...]:
        raise NotImplementedError

    def __iter__(self) -> Iterator[NodeT]:
        raise NotImplementedError


_NODES_AT_ONCE = 2_000
"""Nodes that are visited between two checkpoints."""
_CLASS_NAME = re.compile(r"\b(?!None\b)[A-Z]")
_CONTENT_FIELDS: dict[type, tuple[str, ...]] = {}
_BACKWARDS: dict[type, tuple[str, ...]] = {}
"""Fields that may contain nodes; fields annotated as ``str``, ``bool | None`` and the like contain none."""


def content_fields(kind: type[Node]) -> tuple[str, ...]:
    """Return the names of the fields of a kind of nodes, except its position."""
    known = _CONTENT_FIELDS.get(kind)
    if known is None:
        known = tuple(name for name in kind.__struct_fields__ if name not in ("start", "end"))
        annotated = [vars(each).get("__annotations__", {}) for each in kind.__mro__]
        _BACKWARDS[kind] = tuple(
            name for name in known[::-1] if any(_CLASS_NAME.search(fields.get(name, "")) for fields in annotated)
        )
        _CONTENT_FIELDS[kind] = known  # last: other threads look for it
    return known


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes directly below ``node``, in the order of the text as far as the fields keep it."""
    for name in content_fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif type(value) is tuple or isinstance(value, NodeSequence):
            yield from (item for item in value if isinstance(item, Node))


def descendants(node: Node, but: Set[type] = frozenset()) -> Iterator[Node]:
    """Yield ``node`` and all nodes below it, without recursion. Spans below an ``Entry`` count from that entry.

    Skips nodes of the types ``but``, with the nodes below them.
    """
    pending = [node]
    pop, push = pending.pop, pending.append
    left = _NODES_AT_ONCE
    while pending:
        current = pop()
        yield current
        left -= 1
        if not left:
            checkpoint()
            left = _NODES_AT_ONCE
        # As ``children``, backwards and without a generator for each node: no other walk is as frequent.
        kind = type(current)
        if kind not in _BACKWARDS:
            content_fields(kind)
        for name in _BACKWARDS[kind]:
            value = getattr(current, name)
            if value is None:
                continue
            if type(value) is tuple:
                for item in reversed(value):
                    if isinstance(item, Node) and type(item) not in but:
                        push(item)
            elif isinstance(value, Node):
                if type(value) not in but:
                    push(value)
            elif isinstance(value, NodeSequence):
                pending.extend(value[::-1])


def first_below(node: Node, depth: int) -> Node | None:
    """Return the first node more than ``depth`` levels below ``node``, which must be inside one entry."""
    pending = [(node, 0)]
    left = _NODES_AT_ONCE
    while pending:
        left -= 1
        if not left:
            checkpoint()
            left = _NODES_AT_ONCE
        current, level = pending.pop()
        if level > depth:
            return current
        pending.extend((child, level + 1) for child in reversed(list(children(current))))
    return None
