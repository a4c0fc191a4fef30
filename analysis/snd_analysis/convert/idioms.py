"""Invocations in the style of a human author, with equal meaning for the present attributes and shapes.

Every rewriting keeps values: each function states the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set

from msgspec.structs import replace

from snd_analysis.compose import Template
from snd_analysis.convert.steps import InvocationStep, extents, literal, number_list, numbers, rank, with_inputs
from snd_analysis.model import Operation, Tensor, TensorKind, TensorValue
from snd_analysis.symbolic.integers import TRUE, Integer, constant
from snd_analysis.symbolic.values import NULL, Pack, Value

_WINDOWS = ("nn.max_pool", "nn.avg_pool", "nn.sum_pool")
_NORMALIZED = "batch_normalization"
_VECTORS = {_NORMALIZED: (1, 2, 3, 4), "conv": (2,), "deconv": (2,), "linear": (2,)}
"""Indices of the inputs that have a value for each channel, by operation."""


class Idioms:
    """Rewriting of steps, with knowledge of the operations that make their arguments."""

    def __init__(
        self,
        template: Callable[[str], Template],
        operations: Iterable[Operation],
        kept: Set[Tensor] = frozenset(),
        results: Iterable[Tensor] = (),
    ) -> None:
        """Prepare the rewriting; ``kept`` are quantized tensors, and ``results`` are needed by their names."""
        self._template = template
        self._kept = kept
        self._needed = {*kept, *results}
        self._same: dict[Tensor, Tensor] = {}
        """Tensors that are copies of others, and these."""
        self._made: dict[Tensor, InvocationStep] = {}
        self._per_channel = _per_channel_variables(operations) - kept
        self.flattened: dict[Tensor, Tensor] = {}
        """Variables that are declared with a single extent, that of the channels, each with its replacement."""

    def whole(self, step: InvocationStep) -> InvocationStep | None:
        """Return the operation of the standard library that an operation equals; None if it has no other form."""
        match step.template.name.name:
            case "relu" if _is_real(step.inputs[0]):
                return self._other(step, "nn.relu", {}, step.inputs)
            case "leaky_relu" if isinstance(alpha := step.attributes["alpha"], float) and 0.0 < alpha <= 1.0:
                return self._other(step, "nn.relu", {"alpha": alpha}, step.inputs)
            case "square" if _is_real(step.inputs[0]):
                return self._other(step, "math.sqr", {}, step.inputs)
            case "sum_reduce" if step.attributes["normalize"] is TRUE and _is_real(step.inputs[0]):
                return self._other(step, "math.mean_reduce", {"axes": step.attributes["axes"]}, step.inputs)
            case "slice" if step.module == "tract":
                return self._slice(step) or _without_stride(step)
            case "tract_core_dyn_slice":
                return self._piece(step)
            case "div" if step.module == "tract" and _is_real(step.inputs[0]) and _is_real(step.inputs[1]):
                left = dict.fromkeys(("lhs_align", "rhs_align"), constant(0))
                return self._other(step, "math.div", left, step.inputs)
            case "batch_normalization":
                return self._normalization(step)
            case "linear" if rank(step.inputs[0]) == 2:
                return self._linear(step)
        return None

    def rewritten(self, steps: Iterable[InvocationStep]) -> list[InvocationStep]:
        """Return steps of the standard library in their usual form."""
        found: list[InvocationStep] = []
        for each in steps:
            step = self._usual(with_inputs(each, self.source))
            source = _copied(step)
            if source is not None and isinstance(step.outputs[0], Tensor) and step.outputs[0] not in self._needed:
                self._same[step.outputs[0]] = source
                continue
            for output in step.outputs:
                if isinstance(output, Tensor) and output not in self._kept:
                    self._made[output] = step
            found.append(step)
        return found

    def source(self, tensor: Tensor) -> Tensor:
        """Return the tensor that one is a copy of, by statements that are left out; else the tensor itself."""
        return self._same.get(tensor, tensor)

    def _usual(self, step: InvocationStep) -> InvocationStep:
        match step.operator:
            case name if name in _WINDOWS:
                return _spatial(step)
            case "layout.reshape":
                return self._flattened(step)
            case "nn.conv" | "nn.deconv" if len(step.inputs) > 2:
                return self._with_vector(step)
            case "linalg.matmul":
                return self._broadcast(step, 2)
            case name if name.startswith("math.") and any(each.endswith("_align") for each in step.attributes):
                aligned = _without_alignment(self._with_numbers(step))
                is_plain = all(value is NULL for key, value in aligned.attributes.items() if key.endswith("_align"))
                plain = self._broadcast(aligned, 0) if is_plain else aligned
                return self._rectified(plain) if plain.operator == "math.max" else plain
        return step

    def _rectified(self, step: InvocationStep) -> InvocationStep:
        """Return ``nn.relu`` for a maximum with 0."""
        for value, other in (step.inputs[:2], step.inputs[1::-1]):
            if _is_real(value) and literal(other) == 0.0 and literal(value) is None:
                return self._other(step, "nn.relu", {}, (value,))
        return step

    # ---- whole operations --------------------------------------------------------------------------------------------
    def _other(
        self, step: InvocationStep, operator: str, attributes: Mapping[str, Value], inputs: tuple[TensorValue, ...]
    ) -> InvocationStep:
        return InvocationStep(self._template(operator), {}, attributes, inputs, step.outputs)

    def _slice(self, step: InvocationStep) -> InvocationStep | None:
        """Return ``layout.slice`` for bounds that need no interpretation."""
        names = ("axes", "begin", "end", "stride")
        axes, begin, end, stride = (numbers(step.attributes.get(name)) for name in names)
        shape = extents(step.inputs[0])
        if axes is None or begin is None or end is None or shape is None or stride is None:
            return None
        limits = [shape[axis] for axis in axes]
        bounds = zip(begin, end, limits, strict=True)
        if not all(limit is not None and 0 <= first < last <= limit for first, last, limit in bounds):
            return None
        is_plain = all(each == 1 for each in stride)
        attributes = {name: step.attributes[name] for name in (names[:3] if is_plain else names)}
        return self._other(step, "layout.slice", attributes, step.inputs)

    def _piece(self, step: InvocationStep) -> InvocationStep | None:
        """Return a slice for items that start at a known number."""
        start, axis, length = literal(step.inputs[1]), step.attributes["axis"], step.attributes["len"]
        shape = extents(step.inputs[0])
        if not isinstance(start, Integer) or not isinstance(axis, Integer) or not isinstance(length, Integer):
            return None
        if start.value is None or axis.value is None or length.value is None or shape is None:
            return None
        limit = shape[axis.value]
        if limit is None or not 0 <= start.value < start.value + length.value <= limit:
            return None
        bounds = {"axes": axis, "begin": start, "end": start + length}
        attributes = {name: Pack([each], dtype="int") for name, each in bounds.items()}
        return self._other(step, "layout.slice", attributes, step.inputs[:1])

    def _normalization(self, step: InvocationStep) -> InvocationStep | None:
        """Return ``nn.batch_norm``, which takes vectors, and ``epsilon`` as a number."""
        given = step.attributes.get("epsilon")
        epsilon = literal(step.inputs[5]) if given is None and len(step.inputs) > 5 else given
        shape = extents(step.inputs[0])
        if not isinstance(epsilon, float) or epsilon < 0 or shape is None or len(shape) < 2:
            return None
        vectors = [self._vector(each, shape[1]) for each in step.inputs[1:5]]
        if any(each is None for each in vectors):
            return None
        inputs = (step.inputs[0], *(each for each in vectors if each is not None))
        return self._other(step, "nn.batch_norm", {"epsilon": epsilon}, inputs)

    def _linear(self, step: InvocationStep) -> InvocationStep | None:
        """Return ``nn.linear``, which takes a vector as bias."""
        bias = step.inputs[2] if len(step.inputs) > 2 else NULL
        if bias is NULL:
            return self._other(step, "nn.linear", {}, step.inputs[:2])
        filters = extents(step.inputs[1])
        vector = None if filters is None else self._vector(bias, filters[0])
        if vector is None:
            return None
        return self._other(step, "nn.linear", {}, (*step.inputs[:2], vector))

    def _flattened(self, step: InvocationStep) -> InvocationStep:
        """Return ``layout.flatten`` if one extent replaces several."""
        axis, count, shape = (step.attributes.get(name) for name in ("axis", "rank", "shape"))
        whole = rank(step.inputs[0])
        if whole is None or not isinstance(axis, Integer) or not isinstance(count, Integer) or axis.value is None:
            return step
        attributes = dict(step.attributes)
        if count == constant(whole - axis.value):
            del attributes["rank"]
        if count.value is not None and count.value > 1 and isinstance(shape, Pack) and len(shape.items or ()) == 1:
            del attributes["shape"]
            return self._other(step, "layout.flatten", attributes, step.inputs)
        return replace(step, attributes=attributes)

    # ---- vectors -----------------------------------------------------------------------------------------------------
    def _vector(self, value: TensorValue, channels: int | None) -> Tensor | None:
        """Return the tensor of rank 1 behind a tensor with extents ``[1, channels, 1, …]``."""
        shape = extents(value)
        if not isinstance(value, Tensor) or shape is None or channels is None or len(shape) < 2:
            return None
        if shape[1] != channels or any(each != 1 for at, each in enumerate(shape) if at != 1):
            return None
        made = self._made.get(value)
        if made is not None and made.operator == "layout.unsqueeze":
            source = made.inputs[0]
            return source if isinstance(source, Tensor) and extents(source) == (channels,) else None
        if value in self._per_channel:
            return self.flattened.setdefault(value, replace(value, shape=(constant(channels),)))
        return None

    def _with_vector(self, step: InvocationStep) -> InvocationStep:
        """Replace the bias of a convolution by the vector that it is a reshaped copy of."""
        bias = step.inputs[2]
        made = self._made.get(bias) if isinstance(bias, Tensor) else None
        if made is None or made.operator not in ("layout.reshape", "layout.flatten"):
            return step
        shape, source = extents(bias), made.inputs[0]
        same = source if isinstance(source, Tensor) and extents(source) == shape else None
        vector = same or self._vector(source, shape[0] if shape else None)
        if vector is None:
            return step
        return replace(step, inputs=(*step.inputs[:2], vector))

    # ---- broadcasting ------------------------------------------------------------------------------------------------
    def _with_numbers(self, step: InvocationStep) -> InvocationStep:
        """Replace tensors of one item by numbers beside a tensor of at least the same rank, and of the same type."""
        numbers = [self._number(each) for each in step.inputs]
        ranks = [rank(each) for each in step.inputs]
        known = [each for each in ranks if each is not None]
        others = [count for count, number in zip(known, numbers, strict=False) if number is None]
        if len(known) < len(ranks) or not others or max(others) < max(known):
            return step
        pairs = zip(numbers, step.inputs, strict=True)
        return replace(step, inputs=tuple(each if number is None else number for number, each in pairs))

    def _number(self, value: TensorValue) -> Tensor | None:
        """Return the number in a tensor of one item."""
        made = self._made.get(value) if isinstance(value, Tensor) else None
        if made is None or not isinstance(value, Tensor):
            return None
        if made.operator == "layout.unsqueeze":
            source = made.inputs[0]
            return source if isinstance(source, Tensor) and literal(source) is not None else None
        items = made.attributes.get("value")
        if made.operator == "layout.tensor" and isinstance(items, Pack) and len(items.items or ()) == 1:
            return replace(value, kind=TensorKind.CONSTANT, shape=(), value=(items.items or ())[0])
        return None

    def _broadcast(self, step: InvocationStep, least: int) -> InvocationStep:
        """Leading extents of 1 go without saying where shapes are aligned from the right."""
        ranks = [rank(each) for each in step.inputs]
        if len(ranks) != 2 or None in ranks or ranks[0] != ranks[1]:
            return step
        for at in (1, 0):
            value = step.inputs[at]
            made = self._made.get(value) if isinstance(value, Tensor) else None
            if made is None or made.operator != "layout.unsqueeze":
                continue
            axes, source = numbers(made.attributes["axes"]), made.inputs[0]
            if axes and sorted(axes) == [*range(len(axes))] and (rank(source) or 0) >= max(least, 1):
                inputs = tuple(source if number == at else each for number, each in enumerate(step.inputs))
                return replace(step, inputs=inputs)
        return step


def _per_channel_variables(operations: Iterable[Operation]) -> set[Tensor]:
    """Return the variables that are only used as a value for each channel."""
    found: set[Tensor] = set()
    others: set[Tensor] = set()
    for operation in operations:
        slots = _VECTORS.get(operation.operator.name, ()) if operation.operator is not None else ()
        for at, value in enumerate(operation.inputs):
            if isinstance(value, Tensor) and value.kind is TensorKind.VARIABLE:
                (found if at in slots else others).add(value)
    return found - others


def _without_stride(step: InvocationStep) -> InvocationStep:
    """Omit strides of 1, which are the default."""
    strides = numbers(step.attributes.get("stride"))
    if strides is None or set(strides) - {1}:
        return step
    return replace(step, attributes={name: each for name, each in step.attributes.items() if name != "stride"})


def _copied(step: InvocationStep) -> Tensor | None:
    """Return the tensor that a step passes through unchanged."""
    source = step.inputs[0] if step.inputs else NULL
    result = step.outputs[0]
    if not isinstance(source, Tensor) or not isinstance(result, Tensor):
        return None
    same = source.shape is not None and source.shape == result.shape
    match step.operator:
        case "layout.cast":
            return source if source.dtype == result.dtype else None
        case "layout.reshape" | "layout.flatten" | "layout.squeeze" | "layout.unsqueeze":
            return source if same else None
        case "layout.tile":
            return source if set(numbers(step.attributes.get("repeats")) or ()) <= {1} and same else None
        case "layout.transpose":
            perm = numbers(step.attributes.get("perm"))
            return source if perm is not None and perm == tuple(range(len(perm))) else None
    return None


def _is_real(value: TensorValue) -> bool:
    return isinstance(value, Tensor) and value.dtype == "real"


def _without_alignment(step: InvocationStep) -> InvocationStep:
    """Alignment makes no difference for a tensor of the greatest rank, and for a scalar."""
    ranks = [rank(each) for each in step.inputs]
    if None in ranks:
        return step
    greatest = max(each for each in ranks if each is not None)
    names = [name for name in step.attributes if name.endswith("_align")]
    if len(names) != len(ranks):
        return step
    free = {name for name, count in zip(names, ranks, strict=True) if count in (0, greatest)}
    return replace(step, attributes={key: NULL if key in free else value for key, value in step.attributes.items()})


def _spatial(step: InvocationStep) -> InvocationStep:
    """Omit a window of one element in the first two dimensions, which is the default."""
    whole = rank(step.inputs[0])
    given = {name: numbers(step.attributes.get(name)) for name in ("axes", "size", "stride", "dilation", "padding")}
    axes, size, stride, dilation, padding = given.values()
    if whole is None or whole < 3 or axes != tuple(range(whole)) or size is None or stride is None:
        return step
    if dilation is None or padding is None:
        return step
    outer = [*size[:2], *stride[:2], *dilation[:2]]
    if outer != [1] * 6 or any((*padding[:2], *padding[whole : whole + 2])):
        return step
    lists = {
        "size": size[2:], "stride": stride[2:], "dilation": dilation[2:],
        "padding": (*padding[2:whole], *padding[whole + 2 :]),
    }  # fmt: skip
    attributes = {key: value for key, value in step.attributes.items() if key != "axes"}
    return replace(step, attributes={**attributes, **{key: number_list(items) for key, items in lists.items()}})
