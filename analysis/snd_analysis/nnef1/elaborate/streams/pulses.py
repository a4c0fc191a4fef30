"""Operations of tract on the pulses of a stream.

What such an operation keeps for the next pulse is a variable of the graph, which the graph updates. It begins as tract
begins it, so that it has no file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from snd_analysis import rules
from snd_analysis.base import Span
from snd_analysis.model import Tensor, TensorKind
from snd_analysis.nnef1.elaborate import flat_graph
from snd_analysis.nnef1.elaborate.context import StoredVariable
from snd_analysis.nnef1.elaborate.evaluation import BodyEvaluator, Source
from snd_analysis.nnef1.elaborate.folding import plain
from snd_analysis.nnef1.elaborate.invocations import invoke
from snd_analysis.nnef1.elaborate.items.item_types import Given
from snd_analysis.nnef1.elaborate.operators import OperationParameter
from snd_analysis.nnef1.elaborate.values import UNKNOWN, ElaboratedValue, GraphTensor, ItemList, has_unknown
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import TRUE, Integer, Truth, constant

_ENDLESS = -1
"""End of a stream whose length is not known: tract takes it as infinite."""


_PYTHON: Mapping[str, Callable[[float], float]] = {"int": int, "bool": bool}


class Pulse:
    """One invocation of an operation that sees a stream pulse by pulse. ``extents`` are those of a pulse."""

    def __init__(
        self,
        evaluator: BodyEvaluator,
        call: nodes.Call,
        given: Mapping[str, Given],
        target: nodes.Expression | None,
        tensor: Tensor,
        extents: tuple[Integer, ...],
        axis: int,
    ) -> None:
        self.evaluator = evaluator
        self.given = given
        self.target = target
        self.axis = axis
        self.extents = extents
        self._call = call
        self._tensor = tensor
        self._span = call.function.span

    @property
    def length(self) -> Integer:
        """Return the number of items along the axis."""
        return self.extents[self.axis]

    def number(self, name: str, default: int = 0) -> int | None:
        """Return an attribute that is a number; None if it depends on a symbol or is none."""
        value = self.given[name].value if name in self.given else constant(default)
        found = plain(value)
        return found.value if isinstance(found, Integer) else None

    def scalar(self, name: str, default: float) -> float | None:
        """Return an attribute that is a scalar; None if it is none."""
        match self.given[name].value if name in self.given else default:
            case float() as number:
                return number
            case Integer(value=int(number)):
                return float(number)
        return None

    def flag(self, name: str) -> bool:
        """Return an attribute that is a logical, or a number in its place."""
        match self.given[name].value if name in self.given else None:
            case Truth() as truth:
                return truth is TRUE
            case Integer(value=int(number)):
                return number != 0
        return False

    def end(self, name: str) -> int | None:
        """Return an attribute about the end of the stream; ``_ENDLESS`` for an end that no input determines."""
        found = self.number(name)
        if found is not None:
            return found
        value = self.given[name].value
        of_inputs = {leaf for extent in self.extents for leaf in extent.leaves}
        return _ENDLESS if isinstance(value, Integer) and not value.leaves & of_inputs else None

    def report(self, name: str, message: str) -> ElaboratedValue:
        """Report an attribute."""
        place = self.given[name].span if name in self.given else self._span
        return self.evaluator.report(rules.ASSERTION_FAILS, place, message)

    def along(self, extent: Integer) -> tuple[Integer, ...]:
        """Return the extents of a pulse with another extent along the axis."""
        return (*self.extents[: self.axis], extent, *self.extents[self.axis + 1 :])

    def state(
        self, suffix: str, shape: tuple[Integer, ...], initial: ElaboratedValue, dtype: str | None = None
    ) -> GraphTensor | None:
        """Declare a variable that begins with a number, or with the items of a tensor; None if it can't be one."""
        wanted = f"{self.evaluator.frame.making or 'result'}.{suffix}"
        return stream_state(self.evaluator, self._span, wanted, dtype or self._tensor.dtype or "real", shape, initial)

    def position(self, step: Integer) -> GraphTensor | None:
        """Return the number of the first item of the pulse; the next pulse begins ``step`` items later."""
        made = self.state("position", (), constant(0), "int")
        if made is not None:
            given = {"x": Given(made, self._span), "y": Given(step, self._span)}
            self.update(made, self._invoked("add", given, None))
        return made

    def update(self, state: GraphTensor, value: ElaboratedValue) -> None:
        """Give a state its value for the next pulse."""
        if isinstance(value, GraphTensor):
            update_state(self.evaluator, self._span, state, value)

    def invoke(
        self,
        operation: str,
        tensors: Mapping[str, ElaboratedValue],
        attributes: Mapping[str, ElaboratedValue | int],
        is_last: bool = True,
    ) -> ElaboratedValue:
        """Invoke an operator of the library on the stream. Its first result goes to the target, unless more follows."""
        numbers = {name: constant(each) if type(each) is int else each for name, each in attributes.items()}
        values = {**tensors, "axis": constant(self.axis), **numbers}
        given = {name: Given(value, self._span) for name, value in values.items()}
        return self._invoked(operation, given, self.target if is_last else None)

    def _invoked(self, operation: str, given: Mapping[str, Given], target: nodes.Expression | None) -> ElaboratedValue:
        context = self.evaluator.context
        template = context.template(operation)
        if template is None or any(has_unknown(each.value) for each in given.values()):
            return UNKNOWN
        if target is not None and len(template.outputs) > 1:
            target = nodes.Tuple(target.start, target.end, (target,))
        # Demands on arguments are about this operator, not about the operation in the text.
        named = nodes.Identifier(self._span.start, self._span.end, operation)
        return invoke(context, self.evaluator.frame, named, template, given, target)


def stream_state(
    evaluator: BodyEvaluator,
    span: Span,
    wanted: str,
    dtype: str,
    shape: tuple[Integer, ...],
    initial: ElaboratedValue,
) -> GraphTensor | None:
    """Declare a variable of the graph that keeps a value for the next pulse; None if snd can't keep it.

    Its extents must be numbers. It begins with a number, or with a tensor whose items are known or stored in a file.
    """
    context, frame = evaluator.context, evaluator.frame
    extents = tuple(each.value for each in shape if each.value is not None)
    found = _initial(evaluator, initial)
    if len(extents) != len(shape) or found is None or context.turns:
        return None
    name = context.graph.unused_name(wanted)
    node = context.graph.declare("variable", frame.base, span, name, dtype, shape)
    if frame.chain:
        context.record.chains.append((node, frame.chain))
    if isinstance(found, tuple):
        found = tuple(map(_PYTHON.get(dtype, float), found))
    variable = StoredVariable(name, name, extents, span.shifted(frame.base), initial=found)
    context.record.variables.append((variable, not frame.chain))
    return GraphTensor(name, Tensor(name, dtype, shape, TensorKind.VARIABLE))


def update_state(evaluator: BodyEvaluator, span: Span, state: GraphTensor, value: GraphTensor) -> None:
    """Give a state its value for the next pulse."""
    evaluator.context.graph.update(
        evaluator.frame.base, span, (state.name, span), flat_graph.reference(value.name, span)
    )


def _initial(evaluator: BodyEvaluator, value: ElaboratedValue) -> tuple[float | int, ...] | str | None:
    """Return the items that a state begins with, one for all alike, or the label of their file; None if unknown."""
    match value:
        case Integer(value=int(number)):
            return (number,)
        case float():
            return (value,)
        case GraphTensor(known=None, tensor=Tensor(kind=TensorKind.VARIABLE)):
            return evaluator.context.stored.get(value.name)
        case GraphTensor(known=known) if known is not None:
            return _numbers(known.items)
        case ItemList():
            return _numbers((value,))
    return None


def _numbers(items: tuple[ElaboratedValue, ...]) -> tuple[float | int, ...] | None:
    found: list[float | int] = []
    for each in items:
        inner = _initial_number(each)
        if inner is None:
            return None
        found += inner
    return tuple(found)


def _initial_number(value: ElaboratedValue) -> tuple[float | int, ...] | None:
    match value:
        case Integer(value=int(number)):
            return (number,)
        case float():
            return (value,)
        case ItemList(values=values):
            return _numbers(values)
    return None


# ---- operations ------------------------------------------------------------------------------------------------------
def _pulse(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> Pulse | None:
    value, axis = given["input"].value, plain(given["axis"].value)
    tensor = value.tensor if isinstance(value, GraphTensor) else None
    shape = tensor.shape if tensor is not None else None
    if tensor is None or shape is None or not isinstance(axis, Integer) or axis.value is None:
        return None
    extents = tuple(each for each in shape if isinstance(each, Integer))
    if not 0 <= axis.value < len(extents) == len(shape):
        dimensions = f"from 0 to {len(shape) - 1}" if shape else "and a number has none"
        message = f"'axis' must be a dimension of the input, {dimensions}, but it is {axis.value}"
        evaluator.report(rules.ASSERTION_FAILS, given["axis"].span, message)
        return None
    return Pulse(evaluator, call, given, target, tensor, extents, axis.value)


def _delay(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    pulse = _pulse(evaluator, call, given, target)
    delay, overlap = (None, None) if pulse is None else (pulse.number("delay"), pulse.number("overlap"))
    if pulse is None or delay is None or overlap is None:
        return UNKNOWN
    for name, number in (("delay", delay), ("overlap", overlap)):
        if number < 0:
            return pulse.report(name, f"'{name}' must not be negative, but it is {number}")
    return delayed(pulse, given["input"].value, delay, overlap)


def delayed(pulse: Pulse, value: ElaboratedValue, delay: int, overlap: int, is_last: bool = True) -> ElaboratedValue:
    """Return a stream that is delayed by some items, with some of those before each pulse."""
    if delay + overlap == 0:
        return value
    kept = pulse.state("kept", pulse.along(constant(delay + overlap)), constant(0))
    if kept is None:
        return UNKNOWN
    numbers = {"delay": delay, "overlap": overlap}
    found = pulse.invoke("delayed", {"input": value, "kept": kept}, numbers, is_last)
    return _kept(pulse, kept, found)


def _kept(pulse: Pulse, state: GraphTensor, found: ElaboratedValue) -> ElaboratedValue:
    """Return the first of two results; the second one is for the next pulse."""
    if not isinstance(found, ItemList) or len(found.values) != 2:
        return UNKNOWN
    pulse.update(state, found.values[1])
    return found.values[0]


def _pad(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    pulse = _pulse(evaluator, call, given, target)
    if pulse is None:
        return UNKNOWN
    before, begin, overlap = (pulse.number(name) for name in ("before", "begin_input", "overlap"))
    after, end, border, value = (
        pulse.end("after"),
        pulse.end("end_input"),
        given["border"].value,
        pulse.scalar("value", 0.0),
    )
    if before is None or begin is None or overlap is None or after is None or end is None or value is None:
        return UNKNOWN
    if before < 0 or after < _ENDLESS:
        name = "before" if before < 0 else "after"
        return pulse.report(name, f"'{name}' must not be negative, but it is {before if before < 0 else after}")
    if before > begin:
        return given["input"].value  # tract pads no pulse then
    last = _ENDLESS if _ENDLESS in (after, end) else end + after
    numbers = {
        "begin": begin if before else 0,
        "end": end if after else _ENDLESS,
        "first": begin - before,
        "last": last,
    }
    return padded(pulse, given["input"].value, border, value, numbers, pulse.length - overlap)


def padded(
    pulse: Pulse,
    stream: ElaboratedValue,
    border: ElaboratedValue,
    value: float,
    numbers: Mapping[str, int],
    step: Integer,
) -> ElaboratedValue:
    """Return a stream with items around its input set according to the border."""
    begin, end, first = numbers["begin"], numbers["end"], numbers["first"]
    if border not in ("constant", "replicated", "reflect"):
        return pulse.report(
            "border", f"the borders that tract knows are 'constant' and 'replicated', but this is '{border}'"
        )
    if border != "constant" and begin == 0 and end == _ENDLESS:
        return stream
    if border == "reflect":
        return pulse.report("border", "tract stops at this: it does not reflect the items of a stream")
    position = pulse.position(step)
    if position is None:
        return UNKNOWN
    if border == "constant":
        return pulse.invoke("within_stream", {"input": stream, "position": position}, {**numbers, "value": value})
    if _ends_early(pulse.length, step, begin, first):
        message = (
            f"tract stops at this: the padding repeats item {begin} of the stream, and a pulse of {pulse.length} items "
            "ends before it"
        )
        return pulse.report("border", message)
    if end != _ENDLESS:
        frame = pulse.state("frame", pulse.along(constant(1)), constant(0))
        if frame is None:
            return UNKNOWN
        ends = {"end": end, "last": numbers["last"]}
        tensors = {"input": stream, "position": position, "frame": frame}
        stream = _kept(pulse, frame, pulse.invoke("repeated_at_end", tensors, ends, not begin))
    if not begin:
        return stream
    begins = {"begin": begin, "first": first}
    return pulse.invoke("repeated_at_begin", {"input": stream, "position": position}, begins)


def _ends_early(length: Integer, step: Integer, begin: int, first: int) -> bool:
    """Return whether a padded pulse ends at or before the item at ``begin``, which the padding repeats."""
    if length.value is None or step.value is None or step.value <= 0:
        return True
    return any(first < at + length.value <= begin for at in range(0, begin, step.value))


def _mask(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    pulse = _pulse(evaluator, call, given, target)
    begin, end = (None, None) if pulse is None else (pulse.number("begin"), pulse.end("end"))
    value = None if pulse is None else pulse.scalar("value", 0.0)
    position = None if pulse is None or None in (begin, end, value) else pulse.position(pulse.length)
    if pulse is None or position is None or begin is None or end is None or value is None:
        return UNKNOWN
    numbers = {"begin": begin, "end": end, "first": -1, "last": _ENDLESS, "value": value}
    return pulse.invoke("within_stream", {"input": given["input"].value, "position": position}, numbers)


def _cumsum(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    pulse = _pulse(evaluator, call, given, target)
    skip = None if pulse is None else pulse.number("skip")
    position = None if pulse is None or skip is None else pulse.position(pulse.length)
    sum_ = None if pulse is None or position is None else pulse.state("sum", pulse.along(constant(1)), constant(0))
    if pulse is None or position is None or sum_ is None or skip is None:
        return UNKNOWN
    tensors = {"input": given["input"].value, "position": position, "sum": sum_}
    exclusive = TRUE if pulse.flag("exclusive") else integers.FALSE
    return _kept(pulse, sum_, pulse.invoke("summed_stream", tensors, {"exclusive": exclusive, "skip": skip}))


def _exponential_norm(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    """Normalize a stream by an exponential mean of its items, or of their magnitudes."""
    pulse = _pulse(evaluator, call, given, target)
    if pulse is None or pulse.flag("complex") or pulse.flag("stateless"):
        return UNKNOWN
    skip, alpha, epsilon = pulse.number("skip"), pulse.scalar("alpha", 0.0), pulse.scalar("epsilon", 1e-14)
    position = None if skip is None else pulse.position(pulse.length)
    mean = None if position is None else pulse.state("mean", pulse.along(constant(1)), given["state"].value)
    if position is None or mean is None or skip is None or alpha is None or epsilon is None:
        return UNKNOWN
    stream, is_unit = given["input"].value, call.function.text == "tract_extra_exp_unit_norm"
    operation = "unit_norm_of_stream" if is_unit else "mean_norm_of_stream"
    numbers = {"alpha": alpha, "skip": skip}
    scale = {"epsilon": epsilon} if is_unit else {"scaling_factor": pulse.scalar("scaling_factor", 1.0) or 1.0}
    tensors = {"input": stream, "position": position, "mean": mean}
    return _kept(pulse, mean, pulse.invoke(operation, tensors, {**numbers, **scale}))


def _parameters(tensors: str, required: str, optional: str = "") -> tuple[OperationParameter, ...]:
    return (
        *(OperationParameter(name, True, False, True) for name in tensors.split()),
        *(OperationParameter(name, False, False, True) for name in required.split()),
        *(OperationParameter(name, False, False, False) for name in optional.split()),
    )


_OF_NORM = "skip stateless complex epsilon"
PULSES: Mapping[str, tuple[tuple[OperationParameter, ...], Source]] = {
    "tract_pulse_delay": (_parameters("input", "axis delay overlap"), _delay),
    "tract_pulse_pulse_pad": (
        _parameters("input", "axis before after begin_input end_input border value overlap"),
        _pad,
    ),
    "tract_pulse_mask": (_parameters("input", "axis begin end value"), _mask),
    "tract_pulse_cumsum": (_parameters("input", "axis exclusive skip"), _cumsum),
    "tract_extra_exp_unit_norm": (_parameters("input state", "axis alpha", _OF_NORM), _exponential_norm),
    "tract_extra_exp_mean_norm": (
        _parameters("input state", "axis alpha", f"{_OF_NORM} scaling_factor"),
        _exponential_norm,
    ),
}
