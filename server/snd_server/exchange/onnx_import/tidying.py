"""Statements in the style of a human author: roundabout forms of exporters replaced by fewer operators.

Each rule keeps the results of a statement. The caller drops unused statements.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.convert import Block, BranchStep, GraphStep, InvocationStep, LoopStep, literal, numbers, with_inputs
from snd_analysis.model import Tensor, TensorKind, TensorValue, tensors_of
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, ItemRun, Pack, Value, format_value
from snd_server.exchange.onnx_import.builder import Builder
from snd_server.exchange.onnx_import.composed import Makers, Other, composed
from snd_server.exchange.onnx_import.data import UntranslatableError

_Seen: TypeAlias = "ChainMap[Hashable, InvocationStep]"

_RELABELLED = frozenset(["layout.reshape", "layout.flatten", "layout.squeeze", "layout.unsqueeze"])
"""Operators that keep the order of elements."""
_OF_UNIFORM = _RELABELLED | {"layout.broadcast", "layout.slice", "layout.transpose"}
"""Operators that give equal elements if they are given equal ones."""
_NEUTRAL = {"math.and": ("true", "either"), "math.or": ("false", "either"), "math.mul": ("1", "either"),
            "math.div": ("1", "second")}  # fmt: skip
"""The number that an operator gives the other argument for."""
_OPPOSITE = {"math.eq": "math.ne", "math.ne": "math.eq"}


class Tidied(Struct, frozen=True):
    """Statements, and replacements of tensors that no statement produces any more."""

    steps: list[GraphStep]
    same: Mapping[Tensor, Tensor]

    def source(self, tensor: Tensor) -> Tensor:
        """Return the replacement of a tensor, or the tensor itself."""
        return self.same.get(tensor, tensor)


def tidied(steps: Sequence[GraphStep], builder: Builder) -> Tidied:
    """Return statements in their usual form, and none twice."""
    tidier = _Tidier(builder)
    return Tidied(tidier.steps(steps, ChainMap()), tidier.same)


def without_unused(steps: Iterable[GraphStep], results: Iterable[Tensor]) -> list[GraphStep]:
    """Return statements with unused results left out."""
    steps = list(steps)
    used = {tensor for step in steps for value in step.inputs for tensor in tensors_of(value)}.union(results)

    def kept(value: TensorValue) -> TensorValue:
        return value if not used.isdisjoint(tensors_of(value)) else NULL

    return [
        replace(each, outputs=tuple(map(kept, each.outputs)))
        if isinstance(each, InvocationStep) and len(each.outputs) > 1
        else each
        for each in steps
    ]


class _Tidier:
    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._made = Makers()
        self.same: dict[Tensor, Tensor] = {}

    def _source(self, tensor: Tensor) -> Tensor:
        return self.same.get(tensor, tensor)

    def steps(self, steps: Iterable[GraphStep], seen: _Seen) -> list[GraphStep]:
        """Return statements of the graph or of a block; ``seen`` are the outer ones, by their computation."""
        found: list[GraphStep] = []
        for each in steps:
            step = self._with_defaults(with_inputs(self._with_blocks(each, seen), self._source))
            kept = self._tidied(step, seen) if isinstance(step, InvocationStep) else step
            if kept is not None:
                found.append(kept)
        return found

    def _with_defaults(self, step: GraphStep) -> GraphStep:
        """Leave out states that are the defaults: 0 for ``nn.lstm``."""
        if not isinstance(step, InvocationStep) or step.operator != "nn.lstm" or step.inputs[6] is not NULL:
            return step
        fillings = (self._filling(each) for each in step.inputs[4:6])
        are_zero = all(each is not None and literal(each) == 0.0 for each in fillings)
        return replace(step, inputs=(*step.inputs[:4], NULL, NULL, NULL)) if are_zero else step

    def _with_blocks(self, step: GraphStep, seen: _Seen) -> GraphStep:
        match step:
            case BranchStep():
                then, otherwise = self._block(step.then, seen), self._block(step.otherwise, seen)
                return replace(step, condition=self._source(step.condition), then=then, otherwise=otherwise)
            case LoopStep():
                count = None if step.count is None else self._source(step.count)
                return replace(step, count=count, body=self._block(step.body, seen))
        return step

    def _block(self, block: Block, seen: _Seen) -> Block:
        steps = self.steps(block.steps, seen.new_child())
        return Block(tuple(steps), tuple(map(self._source, block.results)))

    def _tidied(self, step: InvocationStep, seen: _Seen) -> InvocationStep | None:
        """Return an invocation in its usual form; None if its result is another known tensor."""
        while (usual := self._usual(step)) is not None:
            if isinstance(usual, Tensor):
                (output,) = step.outputs
                self._stands_for(usual, output)
                return None
            step = usual
        key = _key(step)
        if key is not None and (first := seen.get(key)) is not None:
            for ours, theirs in zip(step.outputs, first.outputs, strict=True):
                for output, known in zip(tensors_of(ours), tensors_of(theirs), strict=True):
                    self._stands_for(known, output)
            return None
        if key is not None:
            seen[key] = step
        self._made.add(step)
        return step

    def _stands_for(self, known: Tensor, output: Value) -> None:
        assert isinstance(output, Tensor)
        self.same[output] = known
        if known.kind is TensorKind.RESULT and output in self._builder.wanted:
            self._builder.wanted.setdefault(known, self._builder.wanted[output])

    # ---- rules -------------------------------------------------------------------------------------------------------
    def _usual(self, step: InvocationStep) -> Tensor | InvocationStep | None:
        if len(step.outputs) != 1 or not isinstance(step.outputs[0], Tensor):
            return None
        for rule in (self._neutral, self._layout, self._logic, self._composed):
            found = rule(step)
            if found is not None:
                return found
        return None

    def _other(self, step: InvocationStep, wanted: Other) -> InvocationStep | None:
        """Return another invocation that gives the same tensor; None if there is no such invocation."""
        try:
            with self._builder.block() as steps:
                results = self._builder.run(wanted.operator, wanted.inputs, wanted.dtypes, wanted.attributes)
        except UntranslatableError:
            return None
        (made,) = steps
        (output,) = step.outputs
        assert isinstance(made, InvocationStep)
        assert isinstance(output, Tensor)
        is_same = len(results) == 1 and isinstance(results[0], Tensor) and results[0].shape == output.shape
        return replace(made, outputs=step.outputs) if is_same else None

    def _neutral(self, step: InvocationStep) -> Tensor | None:
        if step.operator not in _NEUTRAL:
            return None
        number, place = _NEUTRAL[step.operator]
        pairs = [step.inputs[:2], step.inputs[1::-1]] if place == "either" else [step.inputs[:2]]
        for value, other in pairs:
            known = literal(other)
            is_neutral = known is not None and format_value(known).removesuffix(".0") == number
            if is_neutral and isinstance(value, Tensor) and value.shape == _output(step).shape:
                return value
        return None

    def _layout(self, step: InvocationStep) -> Tensor | InvocationStep | None:
        value = step.inputs[0] if step.inputs else NULL
        if step.operator not in _OF_UNIFORM or not isinstance(value, Tensor):
            return None
        if step.operator == "layout.reshape" and _keeps_shape(step, value):
            return value
        filling = self._filling(value)
        if filling is not None and (step.operator != "layout.unsqueeze" or literal(value) is None):
            return self._other(step, Other("layout.uniform", [filling], {"shape": list(_output(step).shape or ())}))
        before = self._made.of(value)
        source = before.inputs[0] if before is not None and before.inputs else NULL
        if before is None or step.operator not in _RELABELLED or not isinstance(source, Tensor):
            return None
        if before.operator in _RELABELLED:
            if source.shape == _output(step).shape:
                return source
            if step.operator == "layout.reshape" and not _joins_first(value, _output(step)):
                return self._other(step, Other("layout.reshape", [source], step.attributes))
            if step.operator == before.operator == "layout.unsqueeze":
                axes = _axes_of_both(before, step)
                return self._other(step, Other("layout.unsqueeze", [source], {"axes": axes}))
        return self._batched(step, before) if step.operator == "layout.reshape" else None

    def _filling(self, value: TensorValue) -> Tensor | None:
        """Return the number that all elements are, if this is a number or a tensor made of one."""
        if isinstance(value, Tensor) and literal(value) is not None:
            return value
        made = self._made.of(value)
        if made is None or made.operator not in ("layout.uniform", "layout.unsqueeze"):
            return None
        first = made.inputs[0]
        return first if isinstance(first, Tensor) and literal(first) is not None else None

    def _batched(self, step: InvocationStep, before: InvocationStep) -> InvocationStep | None:
        """Remove two reshapes around a product or a transposition of matrices, if the second undoes the first."""
        reshape = self._made.of(before.inputs[0])
        if reshape is None or reshape.operator != "layout.reshape":
            return None
        source, joined, result = reshape.inputs[0], _output(reshape), _output(step)
        if not isinstance(source, Tensor) or source.shape is None or joined.shape is None or result.shape is None:
            return None
        if before.operator == "layout.transpose" and numbers(before.attributes.get("perm")) == (0, 2, 1):
            batch = len(source.shape) - 2
            is_same = source.shape[batch:] == joined.shape[1:] and source.shape[:batch] == result.shape[:batch]
            if batch > 0 and is_same and result.shape[batch:] == joined.shape[:0:-1]:
                perm = [*range(batch), batch + 1, batch]
                return self._other(step, Other("layout.transpose", [source], {"perm": perm}))
        if before.operator == "linalg.matmul" and not before.attributes and len(joined.shape) == 2:
            matrix = before.inputs[1]
            is_plain = isinstance(matrix, Tensor) and matrix.shape is not None and len(matrix.shape) == 2
            is_same = source.shape[-1] == joined.shape[1] and source.shape[:-1] == result.shape[:-1]
            if is_plain and is_same and result.shape[-1] == _output(before).shape[-1]:  # type: ignore[index]
                return self._other(step, Other("linalg.matmul", [source, matrix]))  # type: ignore[list-item]
        return None

    def _logic(self, step: InvocationStep) -> InvocationStep | None:
        before = self._made.of(step.inputs[0]) if step.inputs else None
        if before is None:
            return None
        if step.operator == "math.not" and before.operator in _OPPOSITE:
            operands = [each for each in before.inputs if isinstance(each, Tensor)]
            return self._other(step, Other(_OPPOSITE[before.operator], operands, before.attributes))
        if step.operator == before.operator == "layout.cast":
            first = before.inputs[0]
            if isinstance(first, Tensor) and first.dtype == "bool" and _output(before).dtype == "int":
                return self._other(step, Other("layout.cast", [first], dtypes=[_output(step).dtype or "real"]))
        return None

    def _composed(self, step: InvocationStep) -> InvocationStep | None:
        """Return the operator of the library that equals several statements; None if there is none."""
        wanted = composed(step, self._made)
        return None if wanted is None else self._other(step, wanted)


def _output(step: InvocationStep) -> Tensor:
    (output,) = step.outputs
    assert isinstance(output, Tensor)
    return output


def _keeps_shape(step: InvocationStep, value: Tensor) -> bool:
    """Return whether a reshape asks for the present extents of a tensor; -1 matches any single extent."""
    wanted = step.attributes.get("shape")
    if value.shape == _output(step).shape:
        return True
    if not isinstance(wanted, Pack) or wanted.items is None or value.shape is None or set(step.attributes) > {"shape"}:
        return False
    if len(wanted.items) != len(value.shape):
        return False
    others = [each for each, extent in zip(wanted.items, value.shape, strict=True) if each != extent]
    return len(others) == 1 and isinstance(others[0], Integer) and others[0].value == -1


def _joins_first(value: Tensor, result: Tensor) -> bool:
    """Return whether a reshape joins the first dimensions of a tensor, as it does before and after products."""
    rest = (result.shape or ())[1:]
    return len(rest) < len(value.shape or ()) and (value.shape or ())[-len(rest) :] == rest


def _axes_of_both(first: InvocationStep, second: InvocationStep) -> list[int]:
    """Return the dimensions that two invocations of ``layout.unsqueeze`` add together."""
    rank = len(_output(second).shape or ())
    late = {axis % rank for axis in numbers(second.attributes["axes"]) or ()}
    kept = [axis for axis in range(rank) if axis not in late]
    early = {kept[axis % len(kept)] for axis in numbers(first.attributes["axes"]) or ()}
    return sorted(late | early)


# ---- repeated computations -------------------------------------------------------------------------------------------
def _key(step: InvocationStep) -> Hashable | None:
    """Return the key that equal invocations share; None for random ones, or results that are packs of any length."""
    has_runs = any(
        isinstance(each, Pack) and any(isinstance(part, ItemRun) for part in each.segments) for each in step.outputs
    )
    if step.module == "rand" or has_runs:
        return None
    attributes = tuple((name, format_value(value, quoted=True)) for name, value in sorted(step.attributes.items()))
    return step.operator, tuple(step.dtypes.items()), attributes, tuple(map(_argument_key, step.inputs))


def _argument_key(value: TensorValue) -> Hashable:
    match value:
        case Tensor():
            known = literal(value)
            return value if known is None else (value.dtype, format_value(known, quoted=True))
        case Pack():
            return tuple(_argument_key(each) for each in value.elements)  # type: ignore[arg-type]
        case _:
            return None
