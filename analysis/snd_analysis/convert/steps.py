"""Invocations of operators, as a converted graph has them one after the other."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis.compose import Specialization, Template, specialization_of
from snd_analysis.convert.limits import LONGEST_NAME, MOST_STEPS
from snd_analysis.model import Operation, Tensor, TensorKind, TensorValue, tensor_value, tensors_of
from snd_analysis.skriptnd.names import BUILT_INS
from snd_analysis.skriptnd.syntax import keywords
from snd_analysis.symbolic import integers
from snd_analysis.symbolic.integers import Integer
from snd_analysis.symbolic.values import NULL, ItemRun, Maybe, Pack, Value


class InvocationStep(Struct, frozen=True, eq=False):
    """An invocation: of an operator, with attributes and tensors, that gives tensors."""

    template: Template
    dtypes: Mapping[str, str]
    attributes: Mapping[str, Value]
    inputs: tuple[TensorValue, ...]
    outputs: tuple[TensorValue, ...]

    @property
    def operator(self) -> str:
        """The operator with its module: ``nn.conv``."""
        return f"{self.module}.{self.template.name.name}"

    @property
    def module(self) -> str:
        """The module of the operator."""
        return self.template.name.path.partition(":")[2]


class LocalStep(Struct, frozen=True, eq=False):
    """An invocation of an operator of the module itself, with the texts of its attributes."""

    operator: str
    attributes: Mapping[str, str]
    inputs: tuple[TensorValue, ...]
    outputs: tuple[TensorValue, ...]
    module: str = ""


class Block(Struct, frozen=True, eq=False):
    """The statements of a branch or a loop, and their results."""

    steps: tuple[GraphStep, ...]
    results: tuple[Tensor, ...]


class BranchStep(Struct, frozen=True, eq=False):
    """``if``: the results of one of two blocks."""

    condition: Tensor
    then: Block
    otherwise: Block
    outputs: tuple[TensorValue, ...]
    module: str = ""

    @property
    def inputs(self) -> tuple[TensorValue, ...]:
        """All tensors that the branch takes from around it."""
        return (self.condition, *taken_by(self.then), *taken_by(self.otherwise))


class LoopStep(Struct, frozen=True, eq=False):
    """``do``: carried tensors with their initial values, items of scanned packs, the number of iterations.

    The first results of the body are new values of the carried tensors; the outputs are their last values and a pack
    for each further result.
    """

    carried: tuple[tuple[Tensor, Tensor], ...]
    scanned: tuple[tuple[Tensor, TensorValue], ...]
    index: Tensor | None
    count: Tensor | None
    condition: Tensor | None
    """The carried tensor that tells whether there is another iteration."""
    body: Block
    outputs: tuple[TensorValue, ...]
    module: str = ""

    @property
    def inputs(self) -> tuple[TensorValue, ...]:
        """All tensors that the loop takes from around it."""
        own = {local for local, _ in (*self.carried, *self.scanned)} | {self.index}
        taken = [each for each in taken_by(self.body) if each not in own]
        return (
            *(initial for _, initial in self.carried),
            *(pack for _, pack in self.scanned),
            *([self.count] if self.count is not None else []),
            *taken,
        )


GraphStep: TypeAlias = "InvocationStep | LocalStep | BranchStep | LoopStep"


def blocks_of(step: GraphStep) -> tuple[Block, ...]:
    """Return the blocks of a branch or a loop; none of an invocation."""
    match step:
        case BranchStep():
            return step.then, step.otherwise
        case LoopStep():
            return (step.body,)
    return ()


def modules_of(step: GraphStep) -> set[str]:
    """Return the modules whose operators a step invokes, in its blocks too."""
    found = {step.module}
    for block in blocks_of(step):
        found = found.union(*map(modules_of, block.steps))
    return found


def taken_by(block: Block) -> Iterator[Tensor]:
    """Yield the tensors that a block takes from around it."""
    made = {tensor for step in block.steps for value in step.outputs for tensor in tensors_of(value)}
    for step in block.steps:
        for value in step.inputs:
            yield from (tensor for tensor in tensors_of(value) if tensor not in made)
    yield from (tensor for tensor in block.results if tensor not in made)


def step_of(operation: Operation) -> InvocationStep:
    """Return an operation unchanged."""
    specialization = specialization_of(operation)
    assert specialization is not None
    return InvocationStep(
        specialization.template, operation.dtypes, operation.attributes, operation.inputs, operation.outputs
    )


def with_tensors(value: Value, other: Callable[[Tensor], Tensor]) -> Value:
    """Return a value with other tensors."""
    match value:
        case Tensor():
            return other(value)
        case Maybe():
            return Maybe(value.present, with_tensors(value.value, other))
        case Pack():
            segments = [
                ItemRun(each.length, with_tensors(each.element, other)) if isinstance(each, ItemRun)
                else with_tensors(each, other)
                for each in value.segments
            ]  # fmt: skip
            return Pack(segments, dtype=value.dtype)
    return value


_Given = TypeVar("_Given", bound=GraphStep)
_Key = TypeVar("_Key")


def plain_steps(steps: Iterable[GraphStep]) -> Iterator[InvocationStep]:
    """Yield the invocations of operators of other modules, also inside blocks."""
    for step in steps:
        if isinstance(step, InvocationStep):
            yield step
        for block in blocks_of(step):
            yield from plain_steps(block.steps)


def named_tensors(step: GraphStep) -> Iterator[Tensor]:
    """Yield the tensors that a statement names, also inside a loop."""
    if isinstance(step, LoopStep):
        yield from (local for local, _ in (*step.carried, *step.scanned))
    for block in blocks_of(step):
        for inner in block.steps:
            yield from named_tensors(inner)
    yield from (tensor for value in step.outputs for tensor in tensors_of(value))


def with_inputs(step: _Given, other: Callable[[Tensor], Tensor]) -> _Given:
    """Return a step that takes other tensors; of a branch or a loop the blocks are as they were."""
    if isinstance(step, InvocationStep | LocalStep):
        inputs = tuple(tensor_value(with_tensors(each, other)) for each in step.inputs)
        return replace(step, inputs=inputs)
    if isinstance(step, LoopStep):
        carried = tuple((local, other(initial)) for local, initial in step.carried)
        scanned = tuple((local, tensor_value(with_tensors(pack, other))) for local, pack in step.scanned)
        return replace(step, carried=carried, scanned=scanned)
    return step


def needed(steps: Sequence[tuple[_Key, _Given]], used: set[Tensor]) -> list[tuple[_Key, _Given]]:
    """Return the steps whose results are used, directly or by other needed steps; their operands are added to ``used``.

    Unused results of loops are left out.
    """
    kept: list[tuple[_Key, _Given]] = []
    for key, step in reversed(steps):
        if any(not used.isdisjoint(tensors_of(value)) for value in step.outputs):
            outputs = tuple(each if not used.isdisjoint(tensors_of(each)) else NULL for each in step.outputs)
            kept.append((key, replace(step, outputs=outputs) if isinstance(step, LoopStep) else step))
            used.update(tensor for value in step.inputs for tensor in tensors_of(value))
    return kept[::-1]


def needed_steps(steps: Iterable[GraphStep], results: Iterable[Tensor]) -> tuple[GraphStep, ...]:
    """Return the steps that results need, in order."""
    return tuple(each for _, each in needed([(None, step) for step in steps], set(results)))


def shortest(value: float) -> float:
    """Return the number of the fewest digits that is the same with single precision."""
    try:
        packed = struct.pack("f", value)
    except OverflowError:
        return value
    if not math.isfinite(value) or struct.unpack("f", packed)[0] != value:
        return value
    texts = (f"{value:.{digits}g}" for digits in range(1, 10))
    return next((float(each) for each in texts if struct.pack("f", float(each)) == packed), value)


def rank(value: TensorValue) -> int | None:
    """Return the rank of a tensor; None if this is no tensor, or its rank is not known."""
    return len(value.shape) if isinstance(value, Tensor) and value.shape is not None else None


def extents(value: TensorValue) -> tuple[int | None, ...] | None:
    """Return the extents of a tensor, None for each that is not a number; None for other values."""
    if not isinstance(value, Tensor) or value.shape is None:
        return None
    return tuple(each.value if isinstance(each, Integer) else None for each in value.shape)


def literal(value: TensorValue) -> Value | None:
    """Return the value of a tensor that is a literal number; None for others."""
    if isinstance(value, Tensor) and value.kind is TensorKind.CONSTANT and value.shape == ():
        return value.value
    return None


def numbers(value: Value | None) -> tuple[int, ...] | None:
    """Return the items of a list of known integers; None of anything else."""
    if not isinstance(value, Pack) or value.items is None:
        return None
    found = [each.value for each in value.items if isinstance(each, Integer) and each.value is not None]
    return tuple(found) if len(found) == len(value.items) else None


def number_list(items: Sequence[int]) -> Pack:
    """Return a list of integers."""
    return Pack([integers.constant(each) for each in items], dtype="int")


# ---- operators of other formats, replaced by the few operators of the standard library that compose them -------------
# An operator with the meaning of one of the standard library is composed of only that one. So its composition, for the
# present attributes and shapes, can replace it. Conditions of dynamic extents that the operator checks at run time are
# left to its parts.


# ---- operators of other formats, replaced by the few operators of the standard library that compose them -------------
def unfolded(operation: Operation, keeps: Collection[str]) -> tuple[InvocationStep, ...]:
    """Return the composition of an operation, if that is short, and of the standard library; else the operation.

    ``keeps`` are the modules whose operators stay.
    """
    whole = step_of(operation)
    found = _steps(operation, keeps)
    return (whole,) if found is None or len(found) > MOST_STEPS else found


def _steps(operation: Operation, keeps: Collection[str]) -> tuple[InvocationStep, ...] | None:
    """Return the steps of an operation; None if they are unknown."""
    specialization = specialization_of(operation)
    if specialization is None or operation.control is not None:
        return None
    if specialization.template.name.path in keeps:
        return (step_of(operation),)
    body = specialization.body
    if body is None or body.variables or body.constants or body.updates:
        return None
    known = _arguments(specialization, operation)
    for formal, actual in zip(body.outputs.values(), operation.outputs, strict=True):
        for one, other in zip(tensors_of(formal), tensors_of(actual), strict=False):
            if one in known:
                return None  # an argument is passed on
            known[one] = other
    prefix = next((each.name for value in operation.outputs for each in tensors_of(value)), "")
    found: list[InvocationStep] = []
    for inner in body.operations:
        steps = _steps(_placed(inner, known, prefix), keeps)
        if steps is None or len(found) > MOST_STEPS:
            return None
        found += steps
    return tuple(found)


def _arguments(specialization: Specialization, operation: Operation) -> dict[Tensor, Tensor]:
    """Return the argument for each input of the body."""
    known: dict[Tensor, Tensor] = {}
    body = specialization.body
    assert body is not None
    for formal, actual in zip(specialization.inputs, operation.inputs, strict=False):
        known.update(zip(tensors_of(formal), tensors_of(actual), strict=False))
    for formal, actual in zip(body.inputs.values(), operation.inputs, strict=False):
        known.update(zip(tensors_of(formal), tensors_of(actual), strict=False))
    return known


def _placed(operation: Operation, known: dict[Tensor, Tensor], prefix: str) -> Operation:
    """Return an operation of a body with its tensors replaced by those of the outer graph."""
    return replace(
        operation,
        inputs=tuple(tensor_value(_outside(value, known, prefix)) for value in operation.inputs),
        outputs=tuple(tensor_value(_outside(value, known, prefix)) for value in operation.outputs),
    )


def _outside(value: Value, known: dict[Tensor, Tensor], prefix: str) -> Value:
    def outside(tensor: Tensor) -> Tensor:
        if tensor.kind is TensorKind.CONSTANT and tensor.shape == ():
            return tensor
        found = known.get(tensor)
        if found is None:
            found = known[tensor] = replace(tensor, name=f"{prefix}.{tensor.name}")
        return found

    return with_tensors(value, outside)


# ---- names that SkriptND allows, each once ---------------------------------------------------------------------------
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]+")


class DefinitionNames:
    """The names of one definition, or of one module."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {*taken, *keywords(), *BUILT_INS, "_"}
        self._numbers: dict[str, int] = {}
        """The next number of names that were wanted before: thousands may want the same."""

    def new(self, wanted: str) -> str:
        """Reserve and return an unused name: the wanted name if possible."""
        plain = _NOT_IN_NAMES.sub("_", wanted)[:LONGEST_NAME] or "_"
        if plain[0].isdigit():
            plain = f"_{plain}"
        name, number = plain, self._numbers.get(plain, 2)
        while name in self._taken:
            name, number = (f"{plain}_" if number == 2 and plain in keywords() else f"{plain}_{number}"), number + 1
        self._numbers[plain] = number
        self._taken.add(name)
        return name


def statement_names(names: Sequence[str]) -> dict[str, str]:
    """Return better names for parts of expressions: the result of the last operation has the name of the statement.

    ``names`` are the names of results in order: ``mean.sub`` and ``mean.div`` are the operations of the statement
    ``mean``.
    """
    last = {name.partition(".")[0]: name for name in names}
    return {name: statement for statement, name in last.items() if statement not in names}
