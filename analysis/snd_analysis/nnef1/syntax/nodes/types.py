"""Types of parameters and results."""

from __future__ import annotations

from typing import TypeAlias

from snd_analysis.base import Node


class PrimitiveType(Node, frozen=True):
    """``integer``, ``scalar``, ``logical``, ``string``, or the generic type ``?``."""

    text: str


class TensorType(Node, frozen=True):
    """``tensor<scalar>``; ``tensor<>`` has no item."""

    item: PrimitiveType | None


class ArrayType(Node, frozen=True):
    """``integer[]``."""

    item: Type


class TupleType(Node, frozen=True):
    """``(integer, scalar)``."""

    items: tuple[Type, ...]


Type: TypeAlias = "PrimitiveType | TensorType | ArrayType | TupleType"
