"""Comparison of recorded results with the composed invocation: names, types and shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snd_analysis import rules
from snd_analysis.base import Problem
from snd_analysis.compose import specialization_of
from snd_analysis.model import Operation, Tensor
from snd_analysis.skriptnd.samples import ItemExtent, NestedRows, Recorded, Sample
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.integers import EqualityVerdict, Integer
from snd_analysis.symbolic.values import ItemRun, Maybe, Null, Pack, Value


def result_problems(sample: Sample, operation: Operation) -> Iterator[Problem]:
    """Yield problems of recorded results that can't belong to the invocation, whatever its values."""
    callee = specialization_of(operation)
    if callee is None:
        return
    names = [member.name for member in callee.template.outputs]
    outputs = dict(zip(names, operation.outputs, strict=True))
    seen: set[str] = set()
    for recorded in sample.results:
        if recorded.name not in outputs:
            known = " and ".join(f"'{name}'" for name in names)
            message = f"'{callee.template.shown}' has no result '{recorded.name}', only {known}"
            yield Problem(rules.SAMPLE_RESULT_SHAPE, recorded.name_span, message)
        elif recorded.name in seen:
            yield Problem(
                rules.SAMPLE_RESULT_SHAPE, recorded.name_span, f"the result '{recorded.name}' is recorded twice"
            )
        else:
            seen.add(recorded.name)
            yield from _against_own_header(recorded)
            yield from _against_composed(recorded, outputs[recorded.name])


def _against_composed(recorded: Recorded, value: Value) -> Iterator[Problem]:
    is_null = recorded.dtype is None
    match value.value if isinstance(value, Maybe) else value:
        case Null() if not is_null:
            shown = "null"
        case Tensor() as tensor if is_null or (tensor.shape is not None and not _agrees(recorded, tensor)):
            shown = _shown(tensor)
        case Pack() as pack if is_null or not _pack_agrees(recorded, pack):
            shown = _shown(pack)
        case _:
            return
    message = f"'{recorded.name}' is recorded as {_header(recorded)}, but it is {shown}"
    yield Problem(rules.SAMPLE_RESULT_SHAPE, recorded.type_span, message)


def _agrees(recorded: Recorded, tensor: Tensor) -> bool:
    if recorded.length is not None or (tensor.dtype is not None and tensor.dtype != recorded.dtype):
        return False
    return _same_shape([extent if isinstance(extent, int) else -1 for extent in recorded.shape], tensor)


def _same_shape(shape: Sequence[int], tensor: Tensor) -> bool:
    composed = tensor.shape
    if composed is None or any(isinstance(extent, ItemRun) for extent in composed):
        return True
    if len(composed) != len(shape):
        return False
    return all(
        not isinstance(extent, Integer) or _may_be(number, extent)
        for number, extent in zip(shape, composed, strict=True)
    )


def _may_be(number: int, extent: Integer) -> bool:
    low, high = shapes.bounds(extent)
    if (low is not None and number < low) or (high is not None and number > high):
        return False
    return shapes.decide_equal(shapes.constant(number), extent) is not EqualityVerdict.DIFFERENT


def _pack_agrees(recorded: Recorded, pack: Pack) -> bool:
    if recorded.length is None or not _may_be(recorded.length, pack.length):
        return False
    for at, item in enumerate(pack.items or ()):
        if not isinstance(item, Tensor):
            continue
        if item.dtype is not None and item.dtype != recorded.dtype:
            return False
        if item.shape is not None and not _same_shape(item_shape(recorded.shape, at), item):
            return False
    return True


def item_shape(shape: Sequence[ItemExtent], at: int) -> list[int]:
    """Return the shape of one tensor of a recorded pack; -1 where none is recorded for it."""
    return [extent if isinstance(extent, int) else extent[at] if at < len(extent) else -1 for extent in shape]


def _against_own_header(recorded: Recorded) -> Iterator[Problem]:
    """Yield a value that contradicts the shape or type that stands before it."""
    if recorded.value is None or recorded.dtype is None:
        return
    if not _dtypes(recorded.value) <= {recorded.dtype}:
        found = ", ".join(sorted(_dtypes(recorded.value) - {recorded.dtype}))
        message = f"the value of '{recorded.name}' is recorded as {_header(recorded)}, but consists of {found}"
        yield Problem(rules.SAMPLE_RESULT_SHAPE, recorded.type_span, message)
        return
    if recorded.length is None:
        items = [(recorded.value, item_shape(recorded.shape, 0))]
    elif isinstance(recorded.value, tuple) and len(recorded.value) == recorded.length:
        items = [(value, item_shape(recorded.shape, at)) for at, value in enumerate(recorded.value)]
    else:
        yield Problem(
            rules.SAMPLE_RESULT_SHAPE,
            recorded.type_span,
            f"there are not {recorded.length} tensors in what is recorded",
        )
        return
    for value, shape in items:
        if not _fits(value, shape):
            message = f"the recorded value of '{recorded.name}' does not have the shape {shape}"
            yield Problem(rules.SAMPLE_RESULT_SHAPE, recorded.type_span, message)
            return


def _fits(value: NestedRows, shape: Sequence[int]) -> bool:
    if not shape:
        return not isinstance(value, tuple)
    if not isinstance(value, tuple) or (len(value) != shape[0] and 0 not in shape[:1]):
        return False
    if shape[0] == 0:
        return value == ()
    return all(_fits(row, shape[1:]) for row in value)


def _dtypes(value: NestedRows) -> set[str]:
    if isinstance(value, tuple):
        return set().union(*map(_dtypes, value)) if value else set()
    kinds = {bool: "bool", int: "int", float: "real", str: "str"}
    return {kinds[type(value)]}


def _header(recorded: Recorded) -> str:
    if recorded.dtype is None:
        return "null"
    shape = ",".join(
        str(extent) if isinstance(extent, int) else f"..[{', '.join(map(str, extent))}]" for extent in recorded.shape
    )
    pack = "" if recorded.length is None else f"..({recorded.length})"
    return f"'{recorded.dtype}[{shape}]{pack}'"


def _shown(value: Tensor | Pack) -> str:
    if isinstance(value, Tensor):
        shape = "…" if value.shape is None else ",".join(map(str, value.shape))
        return f"'{value.dtype}[{shape}]'"
    items = [item for item in value.items or () if isinstance(item, Tensor)]
    if len(items) > 4 or not items:
        return f"a pack of {value.length} tensors"
    return f"a pack of {', '.join(_shown(item) for item in items)}"
