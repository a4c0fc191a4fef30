"""Folds over packs of unknown length (2.4, Folding)."""

from __future__ import annotations

from collections.abc import Hashable

from snd_analysis.base.frozen import frozen
from snd_analysis.symbolic.integers.atoms import Leaf, Variable
from snd_analysis.symbolic.integers.integer import Integer, of_atom


@frozen
class FoldKey:
    """The key of a fold over a pack of unknown length: what to substitute, evaluate and look for in ``variables``."""

    operator: str
    pack: Hashable


def sum_of(pack_key: Hashable, name: str, minimum: int | None = 0) -> Integer:
    """``name + ..``: the sum of a pack (2.4, Folding); 0 at least unless said otherwise."""
    return of_atom(Variable(Leaf(FoldKey("+", pack_key), f"{name} + ..", minimum, None, True)))


def product_of(pack_key: Hashable, name: str, minimum: int | None = 0) -> Integer:
    """``name * ..``: the product of a pack (2.4, Folding), such as the volume of a shape."""
    return of_atom(Variable(Leaf(FoldKey("*", pack_key), f"{name} * ..", minimum, None, True)))
