"""The samples of a file for an editor that shows them: their places, dependencies and sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import pairwise

from msgspec import Struct

from snd_analysis.base import Span
from snd_analysis.compose import (
    Cost,
    Specialization,
    Template,
    iteration_count,
    multiply_adds,
    specialization_of,
    total_multiply_adds,
)
from snd_analysis.ide.limits import MOST_ELEMENTS, MOST_PRODUCTS
from snd_analysis.model import Graph, Loop, Operation, Tensor
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import Chunk, nodes, tokenize
from snd_analysis.symbolic.integers import bounds
from snd_analysis.symbolic.values import ItemRun, Maybe, Pack, Segment
from snd_analysis.workspace import CheckedSample, PlacedSample, Snapshot

# ---- estimate of the cost of an evaluation, as far as composing determines it ----------------------------------------
# Number of graphs whose size class is cached: it is asked for with every edit.
_REMEMBERED_ESTIMATES = 4


def is_small_operation(operation: Operation) -> bool:
    """Return whether there is little to compute for an invocation."""
    specialization = specialization_of(operation)
    if specialization is not None and specialization.body is not None:
        return _is_small_body(specialization, None)
    return _are_few(_Elements(None).of_operation(operation)) and _is_little(multiply_adds(operation))


def is_small_graph(specialization: Specialization) -> bool:
    """Return whether there is little to compute for a graph whose unknown extents will be small."""
    return specialization.body is None or _is_small_body(specialization, 0)


@lru_cache(maxsize=_REMEMBERED_ESTIMATES)
def _is_small_body(specialization: Specialization, unlimited: int | None) -> bool:
    assert specialization.body is not None
    return _are_few(_Elements(unlimited).of_specialization(specialization)) and _is_little(
        total_multiply_adds(specialization.body.operations)
    )


def _are_few(elements: int | None) -> bool:
    return elements is not None and elements <= MOST_ELEMENTS


def _is_little(products: Cost) -> bool:
    return products.most is None or products.most <= MOST_PRODUCTS


class _Elements:
    """Maximum number of elements of all results on the way; None without a limit.

    Beyond the bound for small graphs, the number is only known to be larger. ``unlimited`` is the count for a tensor
    without a bound.
    """

    def __init__(self, unlimited: int | None) -> None:
        self._unlimited = unlimited
        self._known: dict[Specialization, int | None] = {}

    def of_operation(self, operation: Operation) -> int | None:
        """Return the number for the operands and results of an operation, and for the work inside it."""
        control = operation.control
        found = [self._elements(value) for value in (*operation.inputs, *operation.outputs)]
        parts = [self._of_graph(part) for part in operation.subgraphs.values()]
        inside = _sum(parts)
        if isinstance(control, Loop):
            times = iteration_count(control).most
            inside = None if times is None or inside is None else times * (inside + 1)
        callee = specialization_of(operation)
        if callee is not None:
            found.append(self.of_specialization(callee))
        return _sum([*found, inside])

    def of_specialization(self, specialization: Specialization) -> int | None:
        """Return the number for the variables and the body of a specialization."""
        if specialization not in self._known:
            body = specialization.body
            variables = _sum(self._elements(value) for value in specialization.variables.values())
            self._known[specialization] = _sum([variables, 0 if body is None else self._of_graph(body)])
        return self._known[specialization]

    def _of_graph(self, graph: Graph) -> int | None:
        return _sum(self.of_operation(each) for each in (*graph.operations, *graph.update_operations))

    def _elements(self, value: Segment) -> int | None:
        match value:
            case Tensor():
                volume = value.elements
                most = None if volume is None else bounds(volume)[1]
                return self._unlimited if most is None else most
            case Maybe():
                return self._elements(value.value)
            case ItemRun():
                length, each = bounds(value.length)[1], self._elements(value.element)
                return self._unlimited if length is None or each is None else length * each
            case Pack():
                return _sum([self._elements(each) for each in value.segments])
        return 0


def _sum(amounts: Iterable[int | None]) -> int | None:
    """Return the sum, which stops growing once it is too large."""
    total_multiply_adds = 0
    for amount in amounts:
        if amount is None:
            return None
        total_multiply_adds += amount
        if total_multiply_adds > MOST_ELEMENTS:
            break
    return total_multiply_adds


# ---- digests of all that an evaluation depends on: the same as long as nothing of that has changed -------------------
# Number of cached texts of statements: enough for a long graph, since an edit touches few of its statements.
_REMEMBERED = 16_384


class Digests:
    """Digests of definitions are made once for all evaluations of a file."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._session = snapshot.session()
        self._of_units: dict[Template, str] = {}

    def of(self, text: str, target: OperatorName | None) -> str:
        """Return the digest of an evaluation: of its text, and of every definition that its target reaches."""
        template = None if target is None else self._snapshot.template(target)
        reached = () if template is None else self._session.reached(template)
        return _hash(text, repr(target), *sorted({self._of_unit(each) for each in reached}))

    def _of_unit(self, template: Template) -> str:
        known = self._of_units.get(template)
        if known is None:
            known = self._of_units[template] = _hash(repr(template.name), *self._content(template))
        return known

    def _content(self, template: Template) -> tuple[str, ...]:
        """Return the text of the definition, the targets of its names, and True if it has problems."""
        if template.in_library:
            return ()
        chunk = self._snapshot.chunk(template.name)
        if chunk is None:
            return ()
        in_other_language = self._snapshot.is_in_other_language(template.name.path)
        said = _statements(template.definition) if in_other_language else _tokens(chunk, template.definition)
        return said, repr(template.invoked), str(len(template.errors))


def _statements(definition: nodes.Definition) -> str:
    """Return the statements of a definition made from a text in another language, as text."""
    blocks = (block for block in definition.blocks if isinstance(block, nodes.Block))
    return "\n".join(_statement(entry.statement) for block in blocks for entry in block.entries)


@lru_cache(maxsize=_REMEMBERED)
def _statement(node: nodes.Node) -> str:
    return _said(node)


def _said(node: nodes.Node) -> str:
    return f"{type(node).__name__}({','.join(_part(getattr(node, name)) for name in nodes.content_fields(type(node)))})"


def _part(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{','.join(map(_part, value))}]"
    return _said(value) if isinstance(value, nodes.Node) else repr(value)


def _tokens(chunk: Chunk, definition: nodes.Definition) -> str:
    """Return the tokens of a definition: comments, blanks and ends of lines between them say nothing."""
    cuts = {definition.start, definition.end}
    for block in definition.blocks:
        if isinstance(block, nodes.Block):
            cuts.update(entry.start for entry in block.entries)
    return "\n".join(_tokens_of_piece(chunk.text[start:end]) for start, end in pairwise(sorted(cuts)))


@lru_cache(maxsize=_REMEMBERED)
def _tokens_of_piece(text: str) -> str:
    return "\0".join(token.spelling(text) for token in tokenize(text).tokens)


def _hash(*parts: str) -> str:
    digest = blake2b(digest_size=16)
    for part in parts:
        content = part.encode(errors="surrogatepass")
        digest.update(len(content).to_bytes(8, "little"))
        digest.update(content)
    return digest.hexdigest()


# ---- the samples of a file for an editor that shows them -------------------------------------------------------------
class SampleName(Struct, frozen=True):
    """Identity of a sample in its file, independent of its position: its code, and its number among equal codes."""

    code: str
    occurrence: int = 0


class KnownSample(Struct, frozen=True, dict=True):
    """One sample of a state of the files. Spans are those of the file.

    Properties that need composing are computed on demand, on the thread for queries of snapshots.
    """

    snapshot: Snapshot
    path: str
    name: SampleName
    number: int
    """Index of the sample in its file, from 0."""
    placed: PlacedSample
    span: Span
    """Range from the first ``#`` to the end of the last line."""
    code_end: int
    """Offset of the end of the last line that has code."""
    target: OperatorName | None

    @cached_property
    def digest(self) -> str:
        """The same as long as nothing that its results depend on has changed: its text, and all that it reaches."""
        text = self.snapshot.source(self.path).text[self.span.start : self.span.end]
        return Digests(self.snapshot).of(text, self.target)

    @cached_property
    def can_run(self) -> bool:
        """Return whether it can be composed, or fails as expected. Checking reports the problems otherwise."""
        return self._checked.failure is not None or self.specialization is not None

    @cached_property
    def is_small(self) -> bool:
        """Return whether there is little to compute, as far as composing tells."""
        operation = self._checked.operation
        return self.can_run and (operation is None or is_small_operation(operation))

    @property
    def specialization(self) -> Specialization | None:
        """The specialization of its invocation; None if it does not compose."""
        checked = self._checked
        specialization = None if checked.operation is None else specialization_of(checked.operation)
        return (
            specialization if specialization is not None and specialization.valid and not checked.has_errors else None
        )

    @property
    def _checked(self) -> CheckedSample:
        return self.snapshot.checked_sample(self.path, self.placed.sample)


def sample_names(snapshot: Snapshot, path: str) -> Iterator[tuple[SampleName, PlacedSample]]:
    """Yield the samples of a file by name, in order."""
    text = snapshot.source(path).text
    counts: dict[str, int] = {}
    for placed in snapshot.samples(path):
        code = text[placed.start + placed.sample.span.start : placed.start + placed.sample.code_end]
        name = SampleName(code, counts.get(code, 0))
        counts[code] = name.occurrence + 1
        yield name, placed


def samples_in(snapshot: Snapshot, path: str, within: Span | None = None) -> Iterator[KnownSample]:
    """Yield the samples of a file, or those that touch ``within``, in order."""
    for number, (name, placed) in enumerate(sample_names(snapshot, path)):
        span = placed.sample.span.shifted(placed.start)
        if within is not None and not (span.start <= within.end and within.start <= span.end):
            continue
        code_end = placed.start + placed.sample.code_end
        target = snapshot.sample_target(path, placed.sample)
        yield KnownSample(snapshot, path, name, number, placed, span, code_end, target)
