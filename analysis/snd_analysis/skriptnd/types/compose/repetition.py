"""Invocations like an earlier one: of the same operator, with equal attributes, and arguments of equal types.

Long graphs consist of them, and all have the same results if there is nothing to report. Unknown ranks are alike, even
of different tensors: the results of each invocation have the ranks of its own arguments, and unknowns of its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types.compose.invocation.binding import ShapeBinding
from snd_analysis.skriptnd.types.compose.typing_state import TypedValue, TypingState
from snd_analysis.skriptnd.types.expressions.functions import is_empty_list
from snd_analysis.skriptnd.types.expressions.packs.expansions import bool_condition
from snd_analysis.skriptnd.types.signature import Signature
from snd_analysis.skriptnd.types.type import TensorShape, Typed
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import Integer


class Likeness(Struct, frozen=True, eq=False):
    """Key of an invocation: ``key`` is equal for similar invocations.

    ``ranks`` are the ranks of arguments that are variables.
    """

    key: Hashable
    ranks: tuple[Integer, ...]


class KnownResults(Struct, frozen=True, eq=False):
    """The results of an invocation without problems, with the unknowns that may occur in them."""

    results: tuple[TypedValue, ...]
    ranks: tuple[Integer, ...]
    binding: ShapeBinding


def likeness(
    work: TypingState,
    signature: Signature,
    call: nodes.Call,
    attributes: Sequence[Typed],
    arguments: Sequence[TypedValue],
) -> Likeness | None:
    """Return the key of similar invocations.

    None if more than types matters: graphs, explicit types, lists of tensors.
    """
    given = call.attributes.items if call.attributes is not None else ()
    if signature.kind == "graph" or call.generics is not None or any(item.colon for item in given):
        return None
    if any(isinstance(argument, nodes.List | nodes.Parenthesized) for argument in call.arguments):
        return None
    ranks: dict[Integer, int] = {}
    of_attributes = [
        (item.name.text, typed, is_empty_list(item.value), bool_condition(work.context, item.value, typed))
        for item, typed in zip(given, attributes, strict=True)
    ]
    of_arguments = [
        isinstance(argument, nodes.Tilde) or _kind(value, ranks)
        for argument, value in zip(call.arguments, arguments, strict=True)
    ]
    variables = {leaf for rank in ranks for leaf in rank.leaves}
    others = chain(_integers_of(attributes), *map(_integers_but_rank, arguments))
    if variables and not all(variables.isdisjoint(each.leaves) for each in others):
        return None  # a shared variable would tell similar invocations apart
    return Likeness((signature, work.shapes_certain, *of_attributes, None, *of_arguments), tuple(ranks))


def _kind(value: TypedValue, ranks: dict[Integer, int]) -> Hashable:
    """Return the type and facts of an argument, independent of the variable of its rank."""
    type_, rank = value.type, value.rank
    leaf = None if rank is None else rank.variable
    if type_ is None or type_.shape is None or rank is None or leaf is None:
        return type_, value.extents, value.scalar, value.compile_time
    at = ranks.setdefault(rank, len(ranks))
    variable = at, type(leaf.key), leaf.name, leaf.low, leaf.high
    return type_.dtype, type_.optional, type_.length, type_.shape.text, variable, value.extents


def _integers_of(attributes: Sequence[Typed]) -> Iterator[Integer]:
    for typed in attributes:
        length = None if typed.type is None else typed.type.length
        yield from (each for each in (length, typed.value, *(typed.items or ())) if each is not None)


def _integers_but_rank(value: TypedValue) -> Iterator[Integer]:
    length = None if value.type is None else value.type.length
    rank = value.rank if value.rank is not None and value.rank.variable is None else None
    yield from (each for each in (rank, length, value.scalar, *(value.extents or ())) if each is not None)


def repeated(known: KnownResults, like: Likeness, call: nodes.Call) -> list[TypedValue]:
    """Return the results of an invocation that is similar to a known invocation."""
    changed = dict(zip((rank.variable.key for rank in known.ranks if rank.variable), like.ranks, strict=True))
    changed.update(known.binding.unknowns_for(call))
    return [_repeated(value, changed, call) for value in known.results]


def _repeated(value: TypedValue, changed: Mapping[Hashable, Integer], call: nodes.Call) -> TypedValue:
    type_ = value.type
    if not changed or type_ is None or type_.shape is None:
        return replace(value, place=call.function)
    rank = shapes.substitute(type_.shape.rank, changed)
    length = None if type_.length is None else shapes.substitute(type_.length, changed)
    type_ = replace(type_, length=length, shape=TensorShape(rank, type_.shape.text))
    extents = value.extents and tuple(
        None if extent is None else shapes.substitute(extent, changed) for extent in value.extents
    )
    return replace(value, type=type_, extents=extents, place=call.function)
