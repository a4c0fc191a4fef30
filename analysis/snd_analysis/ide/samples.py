"""The samples of a file as an editor shows them: where they stand, what they depend on, and whether they are small."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from snd_analysis.compose.cost import iterations, multiply_adds
from snd_analysis.compose.instance import Instance
from snd_analysis.compose.unit import Unit
from snd_analysis.model import Graph, Loop, Operation, Tensor, TensorValue
from snd_analysis.names.symbols import OperatorName
from snd_analysis.samples import PlacedSample
from snd_analysis.shapes import bounds
from snd_analysis.source import Span
from snd_analysis.values import Maybe, Pack, Run
from snd_analysis.workspace import Snapshot

_MOST_ELEMENTS = 1_000_000
_MOST_PRODUCTS = 10_000_000
"""What of an evaluation may still be called small: elements of all results together, and multiply-adds."""


@dataclass(frozen=True, slots=True)
class SampleName:
    """What tells a sample from the others of its file, wherever it stands: its code, and which one of that code."""

    code: str
    occurrence: int = 0


@dataclass(frozen=True, slots=True)
class KnownSample:
    """One sample of a state of the files. Spans are those of the file."""

    name: SampleName
    number: int
    """Which sample of its file, from 0."""
    placed: PlacedSample
    span: Span
    """From its first ``#`` to the end of its last line."""
    code_end: int
    """Where its last line of code ends."""
    digest: str
    """The same as long as nothing that its results depend on has changed: its text, and all definitions it reaches."""
    target: OperatorName | None
    can_run: bool
    """Whether it can be composed, or fails as expected. What is wrong otherwise, checking reports."""
    is_small: bool
    """Whether there is little to compute, as far as composing tells."""


def sample_names(snapshot: Snapshot, path: str) -> Iterator[tuple[SampleName, PlacedSample]]:
    """The samples of a file by name, in order."""
    text = snapshot.source(path).text
    counts: dict[str, int] = {}
    for placed in snapshot.samples(path):
        code = text[placed.start + placed.sample.span.start : placed.start + placed.sample.code_end]
        name = SampleName(code, counts.get(code, 0))
        counts[code] = name.occurrence + 1
        yield name, placed


def samples_in(snapshot: Snapshot, path: str, within: Span | None = None) -> Iterator[KnownSample]:
    """The samples of a file, or those that touch a part of it, in order."""
    digests = _Digests(snapshot)
    text = snapshot.source(path).text
    for number, (name, placed) in enumerate(sample_names(snapshot, path)):
        span = placed.sample.span.shifted(placed.start)
        if within is not None and not (span.start <= within.end and within.start <= span.end):
            continue
        code_end = placed.start + placed.sample.code_end
        checked = snapshot.checked_sample(path, placed.sample)
        operation = checked.operation
        valid = operation is not None and operation.instance is not None and operation.instance.valid
        can_run = checked.failure is not None or (valid and not checked.has_errors)
        digest = digests.of_sample(text[span.start : span.end], checked.target)
        is_small = can_run and (operation is None or _is_small(operation))
        yield KnownSample(name, number, placed, span, code_end, digest, checked.target, can_run, is_small)


# ---- what results depend on ------------------------------------------------------------------------------------------
class _Digests:
    """Digests of definitions are made once for all samples of a file."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._session = snapshot.session()
        self._of_units: dict[Unit, str] = {}

    def of_sample(self, text: str, target: OperatorName | None) -> str:
        unit = None if target is None else self._snapshot.unit(target)
        reached = () if unit is None else self._session.reached(unit)
        return _hash(text, repr(target), *sorted({self._of_unit(each) for each in reached}))

    def _of_unit(self, unit: Unit) -> str:
        known = self._of_units.get(unit)
        if known is None:
            known = self._of_units[unit] = _hash(repr(unit.name), *self._content(unit))
        return known

    def _content(self, unit: Unit) -> tuple[str, ...]:
        """The definition without its comments, what its names lead to, and whether something is wrong with it."""
        if unit.in_library:
            return ()
        found = self._snapshot.definitions(unit.name.path).get(unit.name.name)
        if found is None:
            return ()
        text, end = found.chunk.text, unit.definition.end
        pieces, at = [], unit.definition.start
        for comment in found.chunk.comments:
            if at <= comment.start and comment.end <= end:
                pieces.append(text[at : comment.start])
                at = comment.end
        return "".join((*pieces, text[at:end])), repr(unit.invoked), str(len(unit.errors))


def _hash(*parts: str) -> str:
    digest = blake2b(digest_size=16)
    for part in parts:
        content = part.encode(errors="surrogatepass")
        digest.update(len(content).to_bytes(8, "little"))
        digest.update(content)
    return digest.hexdigest()


# ---- how much there is to compute ------------------------------------------------------------------------------------
def _is_small(operation: Operation) -> bool:
    most = multiply_adds(operation).most
    if most is not None and most > _MOST_PRODUCTS:
        return False
    elements = _Elements().of_operation(operation)
    return elements is not None and elements <= _MOST_ELEMENTS


class _Elements:
    """How many elements all results have that are computed on the way, at most; None where nothing limits them."""

    def __init__(self) -> None:
        self._of_instances: dict[Instance, int | None] = {}

    def of_operation(self, operation: Operation) -> int | None:
        control = operation.control
        found = [_elements(value) for value in (*operation.inputs, *operation.outputs)]
        parts = [self._of_graph(part) for part in operation.subgraphs.values()]
        inside = _sum(parts)
        if isinstance(control, Loop):
            times = iterations(control).most
            inside = None if times is None or inside is None else times * (inside + 1)
        if operation.instance is not None:
            found.append(self._of_instance(operation.instance))
        return _sum([*found, inside])

    def _of_instance(self, instance: Instance) -> int | None:
        if instance not in self._of_instances:
            body = instance.body
            variables = _sum([_elements(value) for value in instance.variables.values()])
            self._of_instances[instance] = _sum([variables, 0 if body is None else self._of_graph(body)])
        return self._of_instances[instance]

    def _of_graph(self, graph: Graph) -> int | None:
        return _sum([self.of_operation(each) for each in (*graph.operations, *graph.update_operations)])


def _sum(amounts: list[int | None]) -> int | None:
    total = 0
    for amount in amounts:
        if amount is None:
            return None
        total += amount
    return total


def _elements(value: TensorValue) -> int | None:
    if isinstance(value, Tensor):
        volume = value.elements
        return None if volume is None else bounds(volume)[1]
    if isinstance(value, Maybe):
        return _elements(value.value)
    if isinstance(value, Pack):
        return _sum([_segment(each) for each in value.segments])
    return 0


def _segment(segment: object) -> int | None:
    if not isinstance(segment, Run):
        return _elements(segment)
    length, each = bounds(segment.length)[1], _elements(segment.element)
    return None if length is None or each is None else length * each
