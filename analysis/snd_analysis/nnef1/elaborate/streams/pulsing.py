"""Pulsification: a graph over a symbol as a graph that sees the same stream pulse by pulse.

A stream is a tensor of the graph with a pulse in place of the symbol. Each operation on a stream becomes the operation
on pulses with the same items, after some delay: windows see items of earlier pulses, and operands wait for each other.
An operation that needs the whole stream is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TypeAlias

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.model import Tensor, TensorKind
from snd_analysis.nnef1.elaborate.evaluation import BodyEvaluator
from snd_analysis.nnef1.elaborate.folding import plain
from snd_analysis.nnef1.elaborate.items.item_types import Given
from snd_analysis.nnef1.elaborate.streams.pulses import Pulse, delayed, padded
from snd_analysis.nnef1.elaborate.values import (
    UNKNOWN,
    ElaboratedValue,
    GraphTensor,
    ItemList,
    KnownItems,
    Stream,
    has_streams,
    made_of,
    tensors_in,
)
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.symbolic.integers import (
    FALSE,
    TRUE,
    EqualityVerdict,
    Integer,
    constant,
    decide_equal,
    floor_divide,
)

_Plain: TypeAlias = "Callable[[Mapping[str, Given]], ElaboratedValue]"

_ON_ITEMS = frozenset(
    [
        "add", "sub", "mul", "div", "pow", "min", "max", "lt", "le", "gt", "ge", "eq", "ne", "and", "or", "select",
        "clamp", "copy", "neg", "rcp", "recip", "square", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan",
        "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "abs", "sign", "not", "floor", "ceil", "round", "sqr",
        "sqrt", "rsqr", "rsqrt", "log2", "relu", "prelu", "leaky_relu", "elu", "selu", "gelu", "silu", "sigmoid",
        "softplus", "softabs", "batch_normalization", "tract_core_cast", "tract_core_erf", "tract_core_round_even",
        "tract_core_hard_swish", "tract_core_silu", "tract_transformers_silu", "tract_core_is_nan", "tract_core_is_inf",
        "tract_core_pow_const", "tract_core_gelu_approx", "tract_transformers_gelu_approx",
    ]
)  # fmt: skip
"""Operations that compute each item from the items at the same place, with extents of 1 repeated."""
_OVER_AXES = frozenset(
    [
        "sum_reduce", "mean_reduce", "max_reduce", "min_reduce", "any_reduce", "all_reduce", "argmax_reduce",
        "argmin_reduce", "moments", "softmax", "l1_normalization", "l2_normalization", "tract_core_softmax",
        "tract_core_log_softmax", "tract_core_product_reduce", "tract_core_argmax_reduce_last",
        "tract_core_argmin_reduce_last", "tract_core_rms_norm", "tract_transformers_rms_norm", "tract_core_cumsum",
    ]
)  # fmt: skip
"""Operations that mix items along the axes that an attribute names, and keep all axes."""


class _Blocked(Exception):  # noqa: N818 - it carries a finding
    """An operation that needs more of a stream than a pulse, with the reason."""


def streamed(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], plain_call: _Plain
) -> ElaboratedValue:
    """Return the result of an operation on streams, as a stream. Report an operation that needs the whole stream."""
    operation = _Operation(evaluator, call, dict(given), plain_call)
    try:
        return operation.result()
    except _Blocked as blocked:
        symbol = evaluator.context.pulse.symbol if evaluator.context.pulse is not None else ""
        message = f"'{call.function.text}' can't see '{symbol}' pulse by pulse: {blocked}"
        return evaluator.report(rules.ASSERTION_FAILS, call.function, message)


class _Operation:
    """One operation on streams."""

    def __init__(self, evaluator: BodyEvaluator, call: nodes.Call, given: dict[str, Given], plain_call: _Plain) -> None:
        self._evaluator = evaluator
        self._call = call
        self._given = given
        self._plain_call = plain_call
        self._name = call.function.text

    def result(self) -> ElaboratedValue:
        """Return the result. Raise _Blocked."""
        name = self._name
        if name in _ON_ITEMS:
            return self._on_items()
        if name in _OVER_AXES:
            return self._over_axes()
        rule = _RULES.get(name)
        if rule is None:
            raise _Blocked("snd does not know how it sees a stream")
        return rule(self)

    # ---- arguments and results ---------------------------------------------------------------------------------------
    def _stream(self, name: str) -> tuple[GraphTensor, Stream]:
        """Return the argument that is the only stream."""
        value = self._given[name].value
        others = [each for each, one in self._given.items() if each != name and has_streams([one.value])]
        if others:
            raise _Blocked(f"'{others[0]}' is a stream")
        if not isinstance(value, GraphTensor) or value.stream is None:
            raise _Blocked("snd does not know how it sees a stream")
        return value, value.stream

    def _invoked(self, stream: Stream, **values: ElaboratedValue) -> ElaboratedValue:
        """Return the results of the operation with other arguments, as streams."""
        given = {**self._given, **{name: self._as_given(name, value) for name, value in values.items()}}
        return _with_stream(self._plain_call(given), stream)

    def _as_given(self, name: str, value: ElaboratedValue) -> Given:
        found = self._given.get(name)
        return Given(value, self._call.function.span) if found is None else replace(found, value=value)

    def _integers(self, name: str) -> list[Integer]:
        value = plain(self._given[name].value) if name in self._given else ItemList(())
        items = value.values if isinstance(value, ItemList) else (value,)
        found = [each for each in items if isinstance(each, Integer)]
        if len(found) != len(items):
            raise _Blocked(f"'{name}' is not known before it runs")
        return found

    def _numbers(self, name: str) -> list[int]:
        found = [each.value for each in self._integers(name) if each.value is not None]
        if len(found) != len(self._integers(name)):
            raise _Blocked(f"'{name}' depends on a symbol")
        return found

    def _flag(self, name: str) -> bool:
        return name in self._given and self._given[name].value is TRUE

    def _pulse(self, value: GraphTensor, stream: Stream) -> Pulse:
        tensor = value.tensor
        assert tensor is not None
        return Pulse(self._evaluator, self._call, {}, None, tensor, _extents(value), stream.axis)

    def _delayed(self, value: GraphTensor, delay: int, overlap: int = 0) -> GraphTensor:
        """Return a stream some items later, with some of the items before each pulse."""
        stream = value.stream
        if stream is None or delay + overlap == 0:
            return value
        made = delayed(self._pulse(value, stream), value, delay, overlap, is_last=False)
        if not isinstance(made, GraphTensor):
            raise _Blocked("the extents of its input are not numbers, so that it can't keep items")
        return replace(made, stream=replace(stream, delay=stream.delay + delay))

    def _aligned(self, values: Sequence[GraphTensor]) -> list[GraphTensor]:
        """Return tensors whose streams have one axis and one delay: the earlier ones wait."""
        streams = [each.stream for each in values if each.stream is not None]
        if len({each.axis for each in streams}) > 1:
            raise _Blocked(f"its operands are streams along the axes {streams[0].axis} and {streams[1].axis}")
        latest = max(each.delay for each in streams)
        return [each if each.stream is None else self._delayed(each, latest - each.stream.delay) for each in values]

    # ---- rules -------------------------------------------------------------------------------------------------------
    def _on_items(self) -> ElaboratedValue:
        tensors = {name: each.value for name, each in self._given.items() if isinstance(each.value, GraphTensor)}
        aligned = dict(zip(tensors, self._aligned(list(tensors.values())), strict=True))
        stream = next(each.stream for each in aligned.values() if each.stream is not None)
        for name, value in aligned.items():
            extents = _extents(value)
            if value.stream is None and len(extents) > stream.axis and extents[stream.axis].value != 1:
                raise _Blocked(f"'{name}' has the extent {extents[stream.axis]} along axis {stream.axis} of the stream")
            if (
                value.stream is not None
                and decide_equal(value.stream.length, stream.length) is EqualityVerdict.DIFFERENT
            ):
                raise _Blocked(f"its operands have the lengths {stream.length} and {value.stream.length}")
        return self._invoked(stream, **aligned)

    def _over_axes(self) -> ElaboratedValue:
        first = next(name for name in self._given if name in ("input", "x"))
        value, stream = self._stream(first)
        named = "axes" if "axes" in self._given else "axis"
        axes = self._numbers(named) if named in self._given else [1]
        if stream.axis not in axes:
            return self._invoked(stream)
        if self._name == "tract_core_cumsum" and not self._flag("reverse"):
            pulse = self._pulse(value, stream)
            position, total = pulse.position(pulse.length), pulse.state("sum", pulse.along(constant(1)), constant(0))
            if position is None or total is None:
                raise _Blocked("the extents of its input are not numbers, so that it can't keep a sum")
            numbers = {"exclusive": TRUE if self._flag("exclusive") else FALSE}
            tensors = {"input": value, "position": position, "sum": total}
            made = pulse.invoke("summed_stream", tensors, {**numbers, "skip": stream.delay}, is_last=False)
            if not isinstance(made, ItemList):
                return UNKNOWN
            pulse.update(total, made.values[1])
            return _with_stream(made.values[0], stream)
        raise _Blocked(f"it combines all items along axis {stream.axis}, which is that of the stream")

    def _transpose(self) -> ElaboratedValue:
        value, stream = self._stream("input")
        axes = self._numbers("axes")
        axes += range(len(axes), len(_extents(value)))
        return self._invoked(replace(stream, axis=axes.index(stream.axis)))

    def _squeeze(self) -> ElaboratedValue:
        _, stream = self._stream("input")
        axes = self._numbers("axes")
        if stream.axis in axes:
            raise _Blocked("it takes the axis of the stream away")
        return self._invoked(replace(stream, axis=stream.axis - sum(each < stream.axis for each in axes)))

    def _unsqueeze(self) -> ElaboratedValue:
        value, stream = self._stream("input")
        axes = self._numbers("axes")
        kept = [each for each in range(len(_extents(value)) + len(axes)) if each not in axes]
        return self._invoked(replace(stream, axis=kept[stream.axis]))

    def _reshape(self) -> ElaboratedValue:
        value, stream = self._stream("input")
        extents, wanted = _extents(value), self._integers("shape")
        start = self._numbers("axis_start")[0] if "axis_start" in self._given else 0
        count = self._numbers("axis_count")[0] if "axis_count" in self._given else -1
        end = len(extents) if count == -1 else start + count
        if stream.axis < start:
            return self._invoked(stream)
        if stream.axis >= end:
            return self._invoked(replace(stream, axis=stream.axis + len(wanted) - (end - start)))
        before, after = (_product(each) for each in (extents[start : stream.axis], extents[stream.axis + 1 : end]))
        for at, extent in enumerate(wanted):
            is_copied = extent.value == 0 and start + at == stream.axis
            is_length = decide_equal(extent, stream.length) is EqualityVerdict.EQUAL
            if extent.value != -1 and not is_copied and not is_length:
                continue
            rest = [*wanted[:at], *wanted[at + 1 :]]
            rest = [
                extents[start + (each if each < at else each + 1)] if one.value == 0 else one
                for each, one in enumerate(rest)
            ]
            if before is not None and before == _product(rest[:at]) and after == _product(rest[at:]):
                shape = ItemList((*wanted[:at], extents[stream.axis], *wanted[at + 1 :]))
                return self._invoked(replace(stream, axis=start + at), shape=shape)
        raise _Blocked(f"it joins or splits axis {stream.axis}, which is that of the stream")

    def _concat(self) -> ElaboratedValue:
        values = self._given["values"].value
        tensors = [*tensors_in(values)]
        is_stack = self._name == "stack"
        axis = self._numbers("axis")[0]
        if (
            not isinstance(values, ItemList)
            or not all(each.stream is not None for each in tensors)
            or len(tensors) != len(values.values)
        ):
            raise _Blocked("it joins a stream with a tensor that is none")
        aligned = self._aligned(tensors)
        stream = aligned[0].stream
        assert stream is not None
        if axis == stream.axis and not is_stack:
            raise _Blocked("it appends to the end of a stream")
        moved = replace(stream, axis=stream.axis + 1) if is_stack and axis <= stream.axis else stream
        return self._invoked(moved, values=replace(values, values=tuple(aligned)))

    def _unstack(self) -> ElaboratedValue:
        _, stream = self._stream("value")
        axis = self._numbers("axis")[0]
        if axis == stream.axis:
            raise _Blocked("it takes the axis of the stream away")
        is_split = self._name == "split"
        return self._invoked(replace(stream, axis=stream.axis - (axis < stream.axis and not is_split)))

    def _slice(self) -> ElaboratedValue:
        value, stream = self._stream("input")
        axes = self._numbers("axes")
        if stream.axis not in axes:
            return self._invoked(stream)
        at = axes.index(stream.axis)
        lists = {name: self._integers(name) for name in ("begin", "end", "stride") if name in self._given}
        begin, end = lists["begin"][at], lists["end"][at]
        if lists.get("stride") and lists["stride"][at].value != 1:
            raise _Blocked("it takes some items of the stream only")
        if begin.value is None or begin.value < 0:
            raise _Blocked("it begins at a place that is counted from the end of the stream")
        if end.value is not None and end.value <= 0:
            raise _Blocked(f"tract counts 'end' from the first item: write {stream.length + end}")
        sliced = replace(stream, delay=stream.delay + begin.value, length=end - begin)
        if len(axes) == 1:
            return replace(value, stream=sliced)
        rest = {name: [*found[:at], *found[at + 1 :]] for name, found in lists.items() if found}
        others = [constant(each) for each in (*axes[:at], *axes[at + 1 :])]
        return self._invoked(
            sliced, axes=ItemList((*others,)), **{name: ItemList((*each,)) for name, each in rest.items()}
        )

    def _pad(self) -> ElaboratedValue:
        value, stream = self._stream("input")
        pairs = self._pairs("padding")
        before, after = pairs[stream.axis]
        if before or after:
            border = self._given["border"].value if "border" in self._given else "constant"
            number = self._given["value"].value if "value" in self._given else 0.0
            fill = float(number.value or 0) if isinstance(number, Integer) else number
            if not isinstance(fill, float):
                raise _Blocked("'value' is not known before it runs")
            value = self._padded(value, before, after, border, fill)
            assert value.stream is not None
            stream = value.stream
        pairs[stream.axis] = (0, 0)
        if not any(map(any, pairs)):
            return value
        padding = ItemList(tuple(ItemList((constant(one), constant(other)), is_tuple=True) for one, other in pairs))
        return self._invoked(stream, input=value, padding=padding)

    def _padded(self, value: GraphTensor, before: int, after: int, border: ElaboratedValue, fill: float) -> GraphTensor:
        stream = value.stream
        assert stream is not None
        value = self._delayed(value, max(before - stream.delay, 0))
        stream = value.stream
        assert stream is not None
        if border not in ("constant", "replicate", "replicated"):
            raise _Blocked(f"the border '{border}' of a stream needs later items first")
        padded_stream = Stream(stream.axis, stream.delay - before, stream.length + before + after)
        if not before:
            return replace(value, stream=padded_stream)  # the stream does not end while it runs
        pulse = self._pulse(value, stream)
        numbers = {"begin": stream.delay, "end": -1, "first": stream.delay - before, "last": -1}
        name = "constant" if border == "constant" else "replicated"
        made = padded(pulse, value, name, fill, numbers, pulse.length)
        if not isinstance(made, GraphTensor):
            raise _Blocked("the first pulse ends before the item that its border repeats")
        return replace(made, stream=padded_stream)

    def _pairs(self, name: str) -> list[tuple[int, int]]:
        value = plain(self._given[name].value) if name in self._given else ItemList(())
        found: list[tuple[int, int]] = []
        for each in value.values if isinstance(value, ItemList) else ():
            match each:
                case ItemList(values=(Integer(value=int(one)), Integer(value=int(other)))):
                    found.append((one, other))
                case _:
                    raise _Blocked(f"'{name}' is not known before it runs")
        return found

    # ---- windows -----------------------------------------------------------------------------------------------------
    def _conv(self) -> ElaboratedValue:
        value, stream = self._stream("input")
        filter_ = self._given["filter"].value
        extents = _extents(filter_) if isinstance(filter_, GraphTensor) else ()
        if stream.axis == 0:
            return self._invoked(stream)
        if stream.axis == 1 or len(extents) != len(_extents(value)):
            raise _Blocked("it sums up the channels, whose axis is that of the stream")
        return self._windows(value, stream, [each.value for each in extents], 2, 0.0)

    def _pool(self) -> ElaboratedValue:
        value, stream = self._stream("input")
        border = self._given["border"].value if "border" in self._given else "constant"
        is_maximum = self._name == "max_pool"
        if not is_maximum and border == "ignore" and self._padding_at(stream.axis, 0) not in (None, (0, 0)):
            raise _Blocked("the number of items in a window differs at the start of the stream")
        return self._windows(value, stream, [*self._numbers("size")], 0, -float("inf") if is_maximum else 0.0)

    def _padding_at(self, axis: int, first: int) -> tuple[int, int] | None:
        """Return the padding along an axis of windows; None if it follows from the extents."""
        pairs = self._pairs("padding")
        return pairs[axis - first] if pairs else None

    def _windows(
        self, value: GraphTensor, stream: Stream, sizes: Sequence[int | None], first: int, fill: float
    ) -> ElaboratedValue:
        """Return an operation on windows that slide along a stream. Its lists begin with the axis ``first``."""
        at = stream.axis - first
        size = sizes[stream.axis] if stream.axis < len(sizes) else None
        stride, dilation = ((self._numbers(name) or [1] * len(sizes))[at] for name in ("stride", "dilation"))
        if size is None:
            raise _Blocked("the size of its window is not known")
        field, padding = (size - 1) * dilation + 1, self._padding_at(stream.axis, first)
        if padding is None and stride > 1:
            raise _Blocked("its automatic padding depends on the length of the stream: give 'padding'")
        before, after = ((field - 1) // 2, field - 1 - (field - 1) // 2) if padding is None else padding
        made, delay = self._strided(value, field, stride, before, fill)
        length = floor_divide(stream.length + (before + after - field), stride) + 1
        pairs = self._all_padding(value, sizes, first, at)
        return self._invoked(Stream(stream.axis, delay, length), input=made, padding=pairs)

    def _strided(
        self, value: GraphTensor, field: int, stride: int, before: int, fill: float
    ) -> tuple[GraphTensor, int]:
        """Return a stream with the items that windows of a field need, some before it, and the delay of the windows."""
        stream, length = value.stream, _extents(value)[value.stream.axis] if value.stream is not None else constant(0)
        assert stream is not None
        if length.value is None or length.value % stride != 0:
            raise _Blocked(f"a pulse of {length} items is not a multiple of the stride {stride}")
        overlap = max(field - stride, 0)
        begin = stream.delay + overlap
        begin += max(before - begin, 0)
        begin += (before - begin) % stride
        made = self._delayed(value, begin - stream.delay - overlap, overlap)
        if before:
            pulse = self._pulse(made, stream)
            numbers = {"begin": begin, "end": -1, "first": begin - before, "last": -1}
            filled = padded(pulse, made, "constant", fill, numbers, length)
            if not isinstance(filled, GraphTensor):
                raise _Blocked("the extents of its input are not numbers, so that it can't keep a position")
            made = filled
        return made, (begin - before) // stride

    def _all_padding(self, value: GraphTensor, sizes: Sequence[int | None], first: int, at: int) -> ItemList:
        """Return the padding of all axes, with none along the stream."""
        pairs = self._pairs("padding")
        if not pairs:
            extents = [each.value for each in _extents(value)]
            strides = self._numbers("stride") or [1] * (len(sizes) - first)
            dilations = self._numbers("dilation") or [1] * (len(sizes) - first)
            for axis, (stride, dilation) in enumerate(zip(strides, dilations, strict=True)):
                extent, size = extents[axis + first], sizes[axis + first]
                if extent is None or size is None:
                    raise _Blocked("its automatic padding depends on a symbol: give 'padding'")
                total = max((-(-extent // stride) - 1) * stride + (size - 1) * dilation + 1 - extent, 0)
                pairs.append((total // 2, total - total // 2))
        pairs[at] = (0, 0)
        return ItemList(tuple(ItemList((constant(one), constant(other)), is_tuple=True) for one, other in pairs))

    def _downsample(self) -> ElaboratedValue:
        value, stream = self._stream("input")
        (axis,), (stride,), modulo = self._numbers("axis"), self._numbers("stride"), self._numbers("modulo") or [0]
        if axis != stream.axis:
            return self._invoked(stream)
        if stride < 1:
            raise _Blocked("it reverses the stream")
        pulse = _extents(value)[axis]
        if pulse.value is None or pulse.value % stride != 0:
            raise _Blocked(f"a pulse of {pulse} items is not a multiple of the stride {stride}")
        length = floor_divide(stream.length - modulo[0] + stride - 1, stride)
        delay, first = divmod(stream.delay + modulo[0], stride)
        return self._invoked(Stream(axis, delay, length), modulo=constant(first))

    # ---- products, and others ----------------------------------------------------------------------------------------
    def _matmul(self) -> ElaboratedValue:
        names = ("A", "B") if self._name == "matmul" else ("input", "filter")
        tensors = [_as_tensor(self._given[name].value) for name in names]
        rank = max(len(_extents(each)) for each in tensors)
        turned = [self._flag("transposeA"), self._flag("transposeB") if self._name == "matmul" else True]
        inner = [rank - 2 if turned[0] else rank - 1, rank - 1 if turned[1] else rank - 2]
        outer = [2 * rank - 3 - inner[0], 2 * rank - 3 - inner[1]]
        for value, axis in zip(tensors, inner, strict=True):
            if value.stream is not None and value.stream.axis == axis:
                raise _Blocked(f"it sums over axis {axis}, which is that of the stream")
        if "bias" in self._given and has_streams([self._given["bias"].value]):
            raise _Blocked("'bias' is a stream")
        both = all(each.stream is not None for each in tensors)
        if both and any(each.stream is not None and each.stream.axis >= rank - 2 for each in tensors):
            raise _Blocked("it multiplies two streams")
        tensors = self._aligned(tensors)
        at = 0 if tensors[0].stream is not None else 1
        stream = tensors[at].stream
        assert stream is not None
        other = _extents(tensors[1 - at])
        if not both and stream.axis < rank - 2 and other[stream.axis].value != 1:
            raise _Blocked(f"'{names[1 - at]}' has the extent {other[stream.axis]} along the stream")
        if stream.axis == outer[at]:
            stream = replace(stream, axis=rank - 2 if at == 0 else rank - 1)
        made = {name: each for name, each in zip(names, tensors, strict=True) if each.stream is not None}
        return self._invoked(stream, **made)

    def _einsum(self) -> ElaboratedValue:
        values, text = self._given["inputs"].value, self._given["expr"].value
        tensors = values.values if isinstance(values, ItemList) else ()
        inputs, _, result = (text if isinstance(text, str) else "").replace(" ", "").partition("->")
        letters = inputs.split(",")
        if len(tensors) != len(letters):
            raise _Blocked("'expr' is about another number of inputs")
        operands = [_as_tensor(each) for each in tensors]
        along = {of[each.stream.axis] for of, each in zip(letters, operands, strict=True) if each.stream is not None}
        if len(along) != 1:
            raise _Blocked("it multiplies two streams")
        (letter,) = along
        if letter not in result:
            raise _Blocked(f"it sums over '{letter}', which is the axis of the stream")
        latest = max(each.stream.delay for each in operands if each.stream is not None)
        for of, each in zip(letters, operands, strict=True):
            if each.stream is None and letter in of:
                raise _Blocked(f"an input has the axis '{letter}' of the stream and is none")
        made = [
            given if each.stream is None else self._delayed(each, latest - each.stream.delay)
            for given, each in zip(tensors, operands, strict=True)
        ]
        stream = next(each.stream for each in operands if each.stream is not None)
        moved = Stream(result.index(letter), latest, stream.length)
        return self._invoked(moved, inputs=ItemList(tuple(made)))

    def _gather(self) -> ElaboratedValue:
        indices, axis = self._given["indices"].value, self._numbers("axis")[0]
        if isinstance(indices, GraphTensor) and indices.stream is not None:
            _, stream = self._stream("indices")
            return self._invoked(replace(stream, axis=axis + stream.axis))
        _, stream = self._stream("input")
        if stream.axis == axis:
            raise _Blocked("it takes items of the whole stream")
        rank = len(_extents(indices)) if isinstance(indices, GraphTensor) else 0
        return self._invoked(replace(stream, axis=stream.axis + (rank - 1 if axis < stream.axis else 0)))

    def _shape_of(self) -> ElaboratedValue:
        value, stream = self._stream("input")
        extents = [*_extents(value)]
        extents[stream.axis] = stream.length
        return made_of(KnownItems((len(extents),), (*extents,)))

    def _scan(self) -> ElaboratedValue:
        for name in ("full", "state"):
            if name in self._given and has_streams([self._given[name].value]):
                raise _Blocked(f"'{name}' has a stream")
        if self._numbers("skip") not in ([], [0]):
            raise _Blocked("it skips turns")
        scanned, outputs = self._given["scan"].value, self._given["output"].value
        if not isinstance(scanned, ItemList) or not isinstance(outputs, ItemList):
            raise _Blocked("snd does not know how it sees a stream")
        found: list[tuple[ItemList, GraphTensor]] = []
        for each in scanned.values:
            match each:
                case ItemList(
                    values=(_, GraphTensor(stream=Stream() as stream) as tensor, Integer(value=axis), Integer(value=1))
                ) if axis == stream.axis:
                    found.append((each, tensor))
                case _:
                    raise _Blocked("it goes through another tensor, or not item by item along the stream")
        if len({tensor.stream.axis for _, tensor in found if tensor.stream is not None}) > 1:
            raise _Blocked("it goes through streams along different axes")
        tensors = self._aligned([tensor for _, tensor in found])
        first = tensors[0].stream
        assert first is not None
        streams: list[Stream] = []
        for each in outputs.values:
            match each:
                case ItemList(values=(_, "full", Integer(value=int(axis)), Integer(value=1))):
                    streams.append(replace(first, axis=axis))
                case _:
                    raise _Blocked("it results in its last turn, or not in one item for each turn")
        entries = [
            replace(each, values=(each.values[0], tensor, *each.values[2:]))
            for (each, _), tensor in zip(found, tensors, strict=True)
        ]
        skip = self._as_given("skip", constant(first.delay))
        scan = self._as_given("scan", replace(scanned, values=(*entries,)))
        made = self._plain_call({**self._given, "scan": scan, "skip": skip})
        if not isinstance(made, ItemList):
            return _with_stream(made, streams[0])
        return replace(
            made, values=tuple(_with_stream(one, each) for one, each in zip(made.values, streams, strict=True))
        )


_RULES: Mapping[str, Callable[[_Operation], ElaboratedValue]] = {
    "transpose": _Operation._transpose,
    "squeeze": _Operation._squeeze,
    "unsqueeze": _Operation._unsqueeze,
    "reshape": _Operation._reshape,
    "concat": _Operation._concat,
    "stack": _Operation._concat,
    "unstack": _Operation._unstack,
    "split": _Operation._unstack,
    "slice": _Operation._slice,
    "pad": _Operation._pad,
    "conv": _Operation._conv,
    "box": _Operation._pool,
    "avg_pool": _Operation._pool,
    "max_pool": _Operation._pool,
    "tract_core_downsample": _Operation._downsample,
    "matmul": _Operation._matmul,
    "linear": _Operation._matmul,
    "tract_core_einsum": _Operation._einsum,
    "tract_core_gather": _Operation._gather,
    "tract_core_shape_of": _Operation._shape_of,
    "tract_core_scan": _Operation._scan,
}


def _with_stream(value: ElaboratedValue, stream: Stream) -> ElaboratedValue:
    match value:
        case GraphTensor():
            return replace(value, stream=stream)
        case ItemList(values=values):
            return replace(value, values=tuple(_with_stream(each, stream) for each in values))
    return value


def _as_tensor(value: ElaboratedValue) -> GraphTensor:
    """Return an operand; a literal as a tensor with its extents."""
    if isinstance(value, GraphTensor):
        return value
    extents: list[Integer] = []
    while isinstance(value, ItemList) and value.values:
        extents.append(constant(len(value.values)))
        value = value.values[0]
    return GraphTensor("", Tensor("", "real", tuple(extents), TensorKind.CONSTANT))


def _extents(value: GraphTensor) -> tuple[Integer, ...]:
    shape = value.tensor.shape if isinstance(value.tensor, Tensor) else None
    found = tuple(each for each in shape or () if isinstance(each, Integer))
    if shape is None or len(found) != len(shape):
        raise _Blocked("the shape of an input is not known")
    return found


def _product(extents: Sequence[Integer]) -> int | None:
    numbers = [each.value for each in extents]
    return None if None in numbers else prod(each for each in numbers if each is not None)
