"""Scans of tract: a fragment, named by a string, that is invoked once for each piece of a tensor.

A scan becomes the invocations of its body, one after the other. Where the number of turns is symbolic, it becomes a
loop; a scan that no loop expresses has the shapes of its results only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Span
from snd_analysis.model import Tensor, TensorKind
from snd_analysis.nnef1.elaborate.arithmetic import binary
from snd_analysis.nnef1.elaborate.evaluation import BodyEvaluator
from snd_analysis.nnef1.elaborate.invocations import invoke
from snd_analysis.nnef1.elaborate.items.item_types import Given, item_type
from snd_analysis.nnef1.elaborate.operators import OperationParameter
from snd_analysis.nnef1.elaborate.scans.arguments import (
    Output,
    ScanLists,
    ScannedTensor,
    State,
    axis_fault,
    extents_of,
    read_lists,
)
from snd_analysis.nnef1.elaborate.scans.loops import Carried, Scanned, Wanted, loop
from snd_analysis.nnef1.elaborate.scans.probing import combined_extents
from snd_analysis.nnef1.elaborate.streams.pulses import stream_state, update_state
from snd_analysis.nnef1.elaborate.values import (
    UNKNOWN,
    ElaboratedValue,
    GraphTensor,
    ItemList,
    has_streams,
    has_unknown,
    type_name,
)
from snd_analysis.nnef1.names import sanitized
from snd_analysis.nnef1.syntax import nodes
from snd_analysis.skriptnd.syntax import close_matches
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import TRUE, EqualityVerdict, Integer

_LISTS = ("scan", "full", "state", "output")
PARAMETERS = (
    OperationParameter("body", False, False, True),
    *(OperationParameter(name, False, False, name == "scan") for name in _LISTS),
    *(OperationParameter(name, False, False, False) for name in ("skip", "reset_every_turn", "external_state")),
)


def scan(
    evaluator: BodyEvaluator, call: nodes.Call, given: Mapping[str, Given], target: nodes.Expression | None
) -> ElaboratedValue:
    """Elaborate a scan; return its result, a tuple of several."""
    body = _body(evaluator, given["body"])
    if body is None or any(has_unknown(given[name].value) for name in _LISTS if name in given):
        return UNKNOWN
    lists = read_lists(evaluator, call, body, given, target)
    if lists is None:
        return UNKNOWN
    made = _Scan(evaluator, call, body, lists, target, _stream(evaluator, given)).results()
    if made is None:
        return UNKNOWN
    return ItemList(tuple(made), is_tuple=True) if len(made) > 1 else made[0]


class _Stream(Struct, frozen=True):
    """Properties of a scan that goes on with the next pulse of a stream."""

    skip: int
    """Number of turns at the start of the stream that leave the states as they are."""
    is_kept: bool
    """True if the states of the last turn are those of the first turn of the next pulse."""


def _stream(evaluator: BodyEvaluator, given: Mapping[str, Given]) -> _Stream:
    flags = [given[name].value for name in ("reset_every_turn", "external_state") if name in given]
    begins_anew = any(each is TRUE or (isinstance(each, Integer) and each.value != 0) for each in flags)
    skip = given["skip"].value if "skip" in given else integers.constant(0)
    number = skip.value if isinstance(skip, Integer) else None
    # A model over a whole stream begins anew with each run: such a run has all pulses.
    is_pulsed = evaluator.context.names.pulsed is not None and not begins_anew
    return _Stream(number or 0, has_streams([given["scan"].value]) or is_pulsed)


def _body(evaluator: BodyEvaluator, given: Given) -> nodes.Definition | None:
    """Return the fragment that a scan names, if it has statements."""
    body, fragments = given.value, evaluator.context.names.fragments
    fragment = fragments.get(sanitized(body)) if isinstance(body, str) else None
    if fragment is None or fragment.body is None:
        close = close_matches(body, fragments, most=1) if isinstance(body, str) and fragment is None else []
        hint = f"; did you mean '{close[0]}'?" if close else ""
        what = f"there is no fragment '{body}'{hint}" if isinstance(body, str) else "'body' is the name of a fragment"
        evaluator.report(rules.UNKNOWN_OPERATOR, given.span, what)
        return None
    return fragment


class _Scan:
    """A scan whose lists are right by themselves."""

    def __init__(
        self,
        evaluator: BodyEvaluator,
        call: nodes.Call,
        body: nodes.Definition,
        lists: ScanLists,
        target: nodes.Expression | None,
        stream: _Stream,
    ) -> None:
        self._evaluator = evaluator
        self._stream = stream
        self._position: GraphTensor | None = None
        self._last: Mapping[str, ElaboratedValue] = {}
        self._call = call
        self._body = body
        self._lists = lists
        self._span = call.function.span
        items = target.items if isinstance(target, nodes.Array | nodes.Tuple) else ()
        is_single = len(lists.outputs) == 1
        self._targets = [
            items[at] if at < len(items) else target if is_single else None for at in range(len(lists.outputs))
        ]

    def results(self) -> list[ElaboratedValue] | None:
        """Return the results of the scan; None if its states or outputs do not fit the body, which is reported."""
        self._full = {name: self._as_tensor(value) for name, value in self._lists.full.items()}
        self._states = [replace(each, initial=self._as_tensor(each.initial)) for each in self._lists.states]
        count = self._lists.scanned[0].count
        if self._stream.is_kept:
            return self._pulse(count)
        if self._stream.skip and count.value is None:
            return self._symbolic(count, is_loop=False)
        return self._counted(count.value) if count.value is not None else self._symbolic(count)

    def _as_tensor(self, value: ElaboratedValue) -> ElaboratedValue:
        """Return a literal list as a tensor of the graph."""
        return self._copy(value) if isinstance(value, ItemList) else value

    # ---- turns -------------------------------------------------------------------------------------------------------
    def _turn(self, pieces: Mapping[str, ElaboratedValue]) -> Mapping[str, ElaboratedValue]:
        """Invoke the body; return its results by name."""
        values = {name: Given(value, self._span) for name, value in {**self._full, **pieces}.items()}
        self._evaluator.context.turns += 1
        found = self._evaluator.invoke_fragment(self._call, self._body, values, None)
        self._evaluator.context.turns -= 1
        names = [each.name.text for each in self._body.head.results]
        made = found.values if isinstance(found, ItemList) and len(names) > 1 else (found,)
        return dict(zip(names, made, strict=False))

    def _pulse(self, count: Integer) -> list[ElaboratedValue] | None:
        """Return the results of a pulse, whose last states the next pulse begins with."""
        kept = [
            self._kept(f".{each.parameter}", one.initial, each.initial)
            for one, each in zip(self._lists.states, self._states, strict=True)
        ]
        position = self._kept(".position", integers.constant(0), integers.constant(0)) if self._stream.skip else None
        if count.value is None or None in kept or (self._stream.skip and position is None):
            return self._symbolic(count, is_loop=False)
        self._states = [
            replace(each, initial=state) for each, state in zip(self._states, kept, strict=True) if state is not None
        ]
        self._position = position
        made = self._counted(count.value)
        values = [*self._last.values(), None if position is None else self._operation("add", position, count)]
        for state, value in zip((*kept, position), values, strict=True):
            if state is not None and isinstance(value, GraphTensor) and made is not None:
                update_state(self._evaluator, self._span, state, value)
        return made

    def _kept(self, suffix: str, initial: ElaboratedValue, made: ElaboratedValue) -> GraphTensor | None:
        """Return a variable that begins as ``initial``, with the extents of ``made``; None if it can't be one."""
        wanted = f"{self._evaluator.frame.making or 'result'}{suffix}"
        shape, dtype = _shape(made), item_type(made)
        if shape is None or dtype is None:
            return None
        return stream_state(self._evaluator, self._span, wanted, dtype, tuple(shape), initial)

    def _after_skipped(self, number: int, before: ElaboratedValue, after: ElaboratedValue) -> ElaboratedValue:
        """Return a state after a turn: the first turns of a stream do not change it."""
        if self._position is None:
            return before if number < self._stream.skip else after
        counts = self._operation("ge", self._position, integers.constant(self._stream.skip - number))
        arguments = {"condition": counts, "true_value": after, "false_value": before}
        return self._invoked("select", {name: Given(each, self._span) for name, each in arguments.items()}, None)

    def _operation(self, name: str, x: ElaboratedValue, y: ElaboratedValue) -> ElaboratedValue:
        return self._invoked(name, {"x": Given(x, self._span), "y": Given(y, self._span)}, None)

    def _counted(self, count: int) -> list[ElaboratedValue] | None:
        """Return the results of a scan of some turns, one invocation after the other."""
        state = {each.parameter: each.initial for each in self._states}
        steps: list[Mapping[str, ElaboratedValue]] = []
        for number in range(count):
            pieces = {each.parameter: self._piece(each, number, count) for each in self._lists.scanned}
            steps.append(self._turn({**state, **pieces}))
            if number == 0 and not self._is_right(steps[0], pieces):
                return None
            before, state = state, {each.parameter: steps[-1].get(each.result, UNKNOWN) for each in self._states}
            if self._stream.skip:
                state = {name: self._after_skipped(number, before[name], value) for name, value in state.items()}
        self._last = state
        return [
            self._joined([each.get(output.result, UNKNOWN) for each in steps], output, target)
            for output, target in zip(self._lists.outputs, self._targets, strict=True)
        ]

    def _symbolic(self, count: Integer, is_loop: bool = True) -> list[ElaboratedValue] | None:
        """Return the results of a scan of an unknown number of turns: of a loop, or their shapes alone."""
        state = {each.parameter: each.initial for each in self._states}
        pieces = {each.parameter: _any_piece(each) for each in self._lists.scanned}
        with self._evaluator.context.scratch():
            found = self._turn({**state, **pieces})
        if not self._is_right(found, pieces):
            return None
        if any(map(has_unknown, found.values())):
            # The composition of a turn reports the mistakes in the body.
            self._turn({**state, **{each.parameter: self._piece(each, 0, 1) for each in self._lists.scanned}})
            return None
        made = self._loop(count) if is_loop else None
        if made is not None:
            return made
        return [
            self._shaped(found.get(output.result, UNKNOWN), output, count, target)
            for output, target in zip(self._lists.outputs, self._targets, strict=True)
        ]

    # ---- checks ------------------------------------------------------------------------------------------------------
    def _is_right(self, found: Mapping[str, ElaboratedValue], pieces: Mapping[str, ElaboratedValue]) -> bool:
        """Return whether the results of the first turn fit the states and outputs. Report those that do not."""
        faults = [
            *self._combined_extents(pieces),
            *(self._state_fault(each, found.get(each.result, UNKNOWN)) for each in self._states),
            *(self._output_fault(each, found.get(each.result, UNKNOWN)) for each in self._lists.outputs),
        ]
        for span, message in filter(None, faults):
            self._evaluator.report(rules.ASSERTION_FAILS, span, message)
        return not any(faults)

    def _state_fault(self, state: State, found: ElaboratedValue) -> tuple[Span, str] | None:
        before, after = _shape(state.initial), _shape(found)
        if before is None or after is None:
            return None
        types = type_name(state.initial), type_name(found)
        if isinstance(state.initial, GraphTensor) and types[0] != types[1] and "tensor<>" not in types:
            message = (
                f"the state '{state.parameter}' begins as {types[0]}, but its next value '{state.result}' is {types[1]}"
            )
            return state.span, message
        if len(before) == len(after) and all(
            integers.decide_equal(one, other) is not EqualityVerdict.DIFFERENT
            for one, other in zip(before, after, strict=True)
        ):
            return None
        message = (
            f"a state keeps its shape: '{state.parameter}' begins with {_written(before)}, "
            f"but its next value '{state.result}' has {_written(after)}"
        )
        return state.span, message

    def _combined_extents(self, pieces: Mapping[str, ElaboratedValue]) -> Iterator[tuple[Span, str]]:
        for each in combined_extents(self._evaluator.context, self._states, self._turn, pieces):
            message = (
                f"tract does not load this: a state keeps its shape, but the body combines the extent {each.extent} of "
                f"'{each.state.parameter}' along axis {each.axis} with {each.other}"
            )
            yield each.state.span, message

    def _output_fault(self, output: Output, found: ElaboratedValue) -> tuple[Span, str] | None:
        extents = extents_of(found)
        message = None if output.is_last or extents is None else axis_fault(output.axis, extents, f"'{output.result}'")
        return None if message is None else (output.axis_span, message)

    # ---- pieces ------------------------------------------------------------------------------------------------------
    def _piece(self, scanned: ScannedTensor, at: int, count: int) -> ElaboratedValue:
        """Return the piece of a tensor that one turn takes: a negative step begins at the end."""
        size = abs(scanned.step)
        first = (at if scanned.step > 0 else count - 1 - at) * size
        numbers = {"start": first, "end": first + size, "len": size, "axis": scanned.axis}
        arguments = {name: Given(integers.constant(number), self._span) for name, number in numbers.items()}
        return self._invoked("tract_core_dyn_slice", {"input": Given(scanned.tensor, self._span), **arguments}, None)

    def _joined(
        self, found: Sequence[ElaboratedValue], output: Output, target: nodes.Expression | None
    ) -> ElaboratedValue:
        """Return a result of a scan from the values of all turns."""
        if output.is_last:
            return found[-1]
        values = ItemList(tuple(found if output.step > 0 else reversed(found)))
        arguments = {
            "values": Given(values, self._span),
            "axis": Given(integers.constant(output.axis), self._span),
        }
        return self._invoked("concat", arguments, target)

    def _shaped(
        self, found: ElaboratedValue, output: Output, count: Integer, target: nodes.Expression | None
    ) -> ElaboratedValue:
        """Return a result whose shape follows from one turn, without values."""
        extents = extents_of(found)
        tensor = found.tensor if isinstance(found, GraphTensor) else None
        if tensor is None or extents is None:
            return UNKNOWN
        shape: list[ElaboratedValue] = [*extents]
        if not output.is_last:
            shape[output.axis] = binary("*", shape[output.axis], count)
        arguments = {
            "input": Given(self._lists.scanned[0].tensor, self._span),
            "shape": Given(ItemList(tuple(shape)), self._span),
            "datum_type": Given(_TYPES.get(tensor.dtype or "", "f32"), self._span),
        }
        return self._invoked("tract_core_scan", arguments, target)

    # ---- loops -------------------------------------------------------------------------------------------------------
    def _loop(self, count: Integer) -> list[ElaboratedValue] | None:
        """Return a scan of pieces of extent 1 as a loop; None for other scans.

        Tensors that the scan goes through backwards are reversed before and after the loop.
        """
        outputs = self._lists.outputs
        steps = (*(each.step for each in self._lists.scanned), *(each.step for each in outputs if not each.is_last))
        if any(abs(step) != 1 for step in steps):
            return None
        pieces = [
            Scanned(each.parameter, tensor, each.axis)
            for each in self._lists.scanned
            if isinstance(tensor := self._forwards(each), GraphTensor)
        ]
        initial = [
            each.initial if isinstance(each.initial, GraphTensor) and each.initial.name else self._copy(each.initial)
            for each in self._states
        ]
        kept = [
            Carried(each.parameter, value, each.result)
            for each, value in zip(self._states, initial, strict=True)
            if isinstance(value, GraphTensor)
        ]
        if len(pieces) < len(self._lists.scanned) or len(kept) < len(self._states):
            return None
        reversed_ = [not each.is_last and each.step == -1 for each in outputs]
        wanted = [
            Wanted(each.result, each.is_last, each.axis, None if is_reversed else target)
            for each, is_reversed, target in zip(outputs, reversed_, self._targets, strict=True)
        ]
        context, frame = self._evaluator.context, self._evaluator.frame
        made = loop(context, frame, self._span, count, pieces, kept, wanted, self._turn)
        if made is None:
            return None
        return [
            self._reversed(value, output.axis, target) if is_reversed else value
            for value, output, is_reversed, target in zip(made, outputs, reversed_, self._targets, strict=True)
        ]

    def _forwards(self, scanned: ScannedTensor) -> ElaboratedValue:
        return scanned.tensor if scanned.step > 0 else self._reversed(scanned.tensor, scanned.axis, None)

    def _reversed(self, value: ElaboratedValue, axis: int, target: nodes.Expression | None) -> ElaboratedValue:
        numbers = {"axis": axis, "stride": -1, "modulo": 0}
        given = {name: Given(integers.constant(number), self._span) for name, number in numbers.items()}
        return self._invoked("tract_core_downsample", {"input": Given(value, self._span), **given}, target)

    # ---- operations --------------------------------------------------------------------------------------------------
    def _copy(self, value: ElaboratedValue) -> ElaboratedValue:
        return self._invoked("copy", {"x": Given(value, self._span)}, None)

    def _invoked(self, operation: str, given: Mapping[str, Given], target: nodes.Expression | None) -> ElaboratedValue:
        context = self._evaluator.context
        template = context.template(operation)
        if template is None or any(has_unknown(each.value) for each in given.values()):
            return UNKNOWN
        return invoke(context, self._evaluator.frame, self._call.function, template, given, target)


_TYPES = {"int": "i64", "bool": "bool", "str": "string"}


def _any_piece(scanned: ScannedTensor) -> GraphTensor:
    """Return a tensor with the extents of a piece."""
    assert scanned.tensor.tensor is not None
    shape = scanned.extents
    shape[scanned.axis] = integers.constant(abs(scanned.step))
    tensor = Tensor(scanned.parameter, scanned.tensor.tensor.dtype, tuple(shape), TensorKind.RESULT)
    return GraphTensor(scanned.parameter, tensor)


def _shape(value: ElaboratedValue) -> list[Integer] | None:
    """Return the extents of a tensor, or of a number in its place."""
    return [] if isinstance(value, Integer | float | integers.Truth) else extents_of(value)


def _written(shape: Sequence[Integer]) -> str:
    return f"[{', '.join(map(str, shape))}]"
