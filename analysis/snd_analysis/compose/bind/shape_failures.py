"""Messages about tensors whose shape does not match the declaration of an input (2.6, 2.6.2)."""

from __future__ import annotations

from snd_analysis import rules
from snd_analysis.compose.bind.binding import BindingState
from snd_analysis.compose.bind.declared_shapes import Unsolvable
from snd_analysis.compose.failure import BindingFailed
from snd_analysis.compose.limits import LONGEST_DECLARATION
from snd_analysis.compose.scope import rank_of
from snd_analysis.compose.specialization import shown, tensor_text
from snd_analysis.compose.template import Member
from snd_analysis.model import Tensor
from snd_analysis.skriptnd.syntax import nodes, written
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer

_MATRIX = 2
"""Rank of a matrix."""


def wrong_named_rank(
    binding: BindingState, member: Member, tensor: Tensor, name: nodes.Name, known: Integer
) -> BindingFailed:
    """Return the failure of a tensor whose rank differs from a known named rank."""
    message = (
        f"the input '{member.name}' of '{binding.template.shown}' must be of rank '{name.text}', which is {known} "
        f"here, but this is '{tensor_text(tensor)}', of rank {rank_of(tensor)}"
    )
    return binding.fail(rules.ARGUMENT_RANK, message, member)


def wrong_length(
    binding: BindingState,
    member: Member,
    tensor: Tensor,
    extent: nodes.Extent,
    length: nodes.Expression | nodes.Tilde,
    count: Integer,
    why: Unsolvable,
) -> BindingFailed:
    """Return the failure of an extent for whose number of dimensions no value of the symbol in ``length`` fits."""
    message = (
        f"'{written(extent)}' in the input '{member.name}' of '{binding.template.shown}' means "
        f"'{written(length)}' dimensions, but '{tensor_text(tensor)}' has {count} there: {why.because}"
    )
    return binding.fail(rules.ARGUMENT_RANK, message, member)


def wrong_rank(binding: BindingState, member: Member, tensor: Tensor, needed: str) -> BindingFailed:
    """Return the failure of a tensor whose rank is not ``needed``, or that lacks a dimension named by an attribute."""
    outside = _outside_axis(binding, member, tensor)
    if outside is not None:
        return outside
    message = (
        f"the input '{member.name}' of '{binding.template.shown}'{_declared_as(member)} needs "
        f"rank {needed}, but this is '{tensor_text(tensor)}', of rank {rank_of(tensor)}"
    ).replace("needs rank at least", "needs at least rank")
    return binding.fail(rules.ARGUMENT_RANK, message, member)


def _outside_axis(binding: BindingState, member: Member, tensor: Tensor) -> BindingFailed | None:
    """Return the failure of an attribute, given by the invocation, which is a dimension that the tensor lacks."""
    lengths = [each.expansion.length for each in member.extents if each.expansion is not None]
    symbols = {symbol for length in lengths if length is not None for symbol in binding.template.symbols(length)}
    rank = rank_of(tensor).value
    for attribute in binding.template.attributes:
        value = binding.scope.values.get(attribute.symbol)
        if attribute.symbol not in symbols or attribute in binding.left_out or not isinstance(value, Integer):
            continue
        if rank is None or value.value is None or attribute.name != "axis" or -rank <= value.value < rank:
            continue
        message = rules.invocations.outside_axis(value, binding.template.shown, tensor_text(tensor), rank)
        return binding.fail(rules.ARGUMENT_RANK, message, attribute)
    return None


def _is_transposed(binding: BindingState, member: Member, tensor: Tensor) -> bool:
    """Return whether a matrix would fit its declared shape if its dimensions were exchanged."""
    shape, extents = tensor.shape, member.extents
    if shape is None or len(shape) != _MATRIX or len(extents) != _MATRIX:
        return False
    knows_any = False
    for extent, actual in zip(extents, reversed(shape), strict=True):
        if extent.expansion is not None or not isinstance(actual, Integer) or isinstance(extent.value, nodes.Tilde):
            return False
        form = binding.template.form(extent.value)
        origin = None if form is None else binding.origins.get(form.symbol)
        if origin == f"because of the input '{member.name}'" or not binding.scope.knows(extent.value):
            continue  # any extent would do
        wanted = binding.scope.evaluate(extent.value)
        if not isinstance(wanted, Integer) or shapes.decide_equal(wanted, actual) is not EqualityVerdict.EQUAL:
            return False
        knows_any = True
    return knows_any


def disagreement(
    binding: BindingState, member: Member, tensor: Tensor, extent: nodes.Extent, expected: Integer, actual: Integer
) -> BindingFailed:
    """Return the failure of an extent that is not ``expected``."""
    dimension = _differing_dimension(binding.first, tensor, expected, actual)
    if dimension is not None:
        message = rules.invocations.tensors_differ(
            dimension, shown(expected), shown(actual), member.name, binding.template.shown
        )
        return binding.fail(rules.ARGUMENT_SHAPE, message, member)
    if _is_transposed(binding, member, tensor):
        message = (
            f"'{tensor.name or member.name}' has [{', '.join(map(str, tensor.shape or ()))}], which fits transposed: "
            f"the input '{member.name}' of '{binding.template.shown}'{_declared_as(member)} needs "
            f"[{', '.join(map(str, reversed(tensor.shape or ())))}]"
        )
        return binding.fail(rules.ARGUMENT_SHAPE, message, member)
    origin = binding.origin_of(extent.value)
    text = written(extent)
    where = f"the extent '{text}'" if extent.expansion is None else f"an extent of '{text}'"
    names = {symbol.name for symbol in binding.template.symbols(extent)}
    if names & {leaf.name for leaf in (*expected.leaves, *actual.leaves)}:  # one name for two things
        where = f"{where} of '{member.name}'"
        wanted = f", which is {_qualified(expected, names)}{origin}"
    else:
        wanted = "" if text == str(expected) else f", which is {expected}{origin}"
    message = (
        f"the input '{member.name}' of '{binding.template.shown}'{_declared_as(member)} needs "
        f"{where}{wanted}, but this is '{tensor_text(tensor)}', "
        f"with {_extent_text(actual, names, tensor)} there"
    )
    return binding.fail(rules.ARGUMENT_SHAPE, message, member)


def not_deducible(
    binding: BindingState, member: Member, tensor: Tensor, extent: nodes.Extent, actual: Integer, why: Unsolvable
) -> BindingFailed:
    """Return the failure of a declared extent that no value of its symbol makes equal to the actual one."""
    message = (
        f"the input '{member.name}' of '{binding.template.shown}'{_declared_as(member)} has the extent "
        f"'{written(extent)}', which can't be {actual}, as in '{tensor_text(tensor)}': {why.because}"
    )
    return binding.fail(rules.ARGUMENT_SHAPE, message, member)


def dynamic_for_static(
    binding: BindingState, member: Member, tensor: Tensor, extent: nodes.Extent, actual: Integer
) -> BindingFailed:
    """Return the failure of a dynamic extent that must be known at compile time."""
    message = (
        f"the extent '{written(extent)}' of the input '{member.name}' of '{binding.template.shown}' must be known at "
        f"compile time, but '{actual}' in '{tensor_text(tensor)}' is dynamic"
    )
    return binding.fail(rules.DYNAMIC_FOR_STATIC, message, member)


def beyond_bound(
    binding: BindingState, member: Member, extent: nodes.Extent, bound: Integer, actual: Integer
) -> BindingFailed:
    """Return the failure of an extent greater than its bound."""
    message = (
        f"the extent '{written(extent)}' of the input '{member.name}' of '{binding.template.shown}' is at most "
        f"{bound}, but here it is {actual}"
    )
    return binding.fail(rules.ARGUMENT_SHAPE, message, member)


def _extent_text(extent: Integer, names: set[str], tensor: Tensor) -> str:
    """Return an extent with its bound; ``names`` have another meaning where it is shown."""
    most = shapes.bounds(extent)[1]
    text = shown(extent) if extent.value is not None or most is None else f"'{extent}'"
    if names & {leaf.name for leaf in extent.leaves}:
        text = f"'{extent}' of '{tensor.name}'"
    return text if extent.value is not None or most is None else f"{text}, which is at most {most},"


def _qualified(extent: Integer, names: set[str]) -> str:
    return f"'{extent}' of the invocation" if names & {leaf.name for leaf in extent.leaves} else str(extent)


def _differing_dimension(first: Tensor | None, other: Tensor, expected: Integer, actual: Integer) -> int | None:
    """Return the dimension in which a tensor of a pack differs from the first one in that way."""
    if first is None or first.shape is None or other.shape is None:
        return None
    pairs = enumerate(zip(first.shape, other.shape, strict=False))
    return next((at for at, (one, two) in pairs if one == expected and two == actual), None)


def _declared_as(member: Member) -> str:
    """Return the declaration, if it is short: conditions in it say more of the operator than of the tensor."""
    shape = member.node.shape
    text = f"{member.node.type.text}[{written(shape) if shape is not None else ''}]"
    return "" if "?" in text or len(text) > LONGEST_DECLARATION else f" ('{text}')"
