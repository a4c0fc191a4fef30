"""The state of one elaboration: the graph built so far, the symbols, and the problems found."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from posixpath import join

from msgspec import Struct, field
from msgspec.structs import replace

from snd_analysis.base import Edit, Note, Problem, Repair, Rule, Span
from snd_analysis.compose import Template, input_extent
from snd_analysis.nnef1.assertions import SymbolFacts
from snd_analysis.nnef1.elaborate.flat_graph import FlatGraph
from snd_analysis.nnef1.elaborate.items.item_types import Given
from snd_analysis.nnef1.elaborate.operators import Operators
from snd_analysis.nnef1.elaborate.streams.properties import PulsedModel
from snd_analysis.nnef1.elaborate.tensor_files import Submodel, TensorFile, TensorFiles
from snd_analysis.nnef1.elaborate.values import ElaboratedValue, GraphTensor, PulseOf, QuantizedType
from snd_analysis.nnef1.limits import MOST_NOTES
from snd_analysis.nnef1.syntax import Dialect, nodes
from snd_analysis.skriptnd.syntax import nodes as flat_nodes
from snd_analysis.symbolic.integers import Facts, Integer, asserted_unknown


class FragmentInvocation(Struct, frozen=True):
    """An invocation of a fragment that led to the current statement."""

    fragment: str
    span: Span


class StoredVariable(Struct, frozen=True):
    """A variable of the graph, by the name of its tensor, and the label of its file. ``span`` is the label's."""

    name: str
    label: str
    shape: tuple[int, ...]
    span: Span
    items: tuple[ElaboratedValue, ...] = ()
    """All items, for a small tensor with a file."""
    folder: str = ""
    """The folder of the submodel that declares it; ``span`` is then the invocation of the submodel."""
    initial: tuple[float | int, ...] | str | None = None
    """For a state that the graph keeps of a stream, its first items, one for all alike, or the label of their file.

    Such a variable has its name as its label, and no file of its own.
    """


class Unproven(Struct, frozen=True):
    """An equation between extents that an operation needs, and that nothing says."""

    operation: str
    span: Span
    chain: tuple[FragmentInvocation, ...]
    equation: Integer
    """The integer that must be 0."""
    example: str = ""
    """Sizes that fit although the equation does not hold for them: where an extent of 1 is repeated."""


class BodyValues(Struct, frozen=True, eq=False):
    """The values of the names in one body; for a fragment, those of its first invocation."""

    parameters: Mapping[str, ElaboratedValue]
    entries: Sequence[Mapping[str, ElaboratedValue]]
    """The values that each entry of the body assigns."""


class FragmentCall(Struct, frozen=True, eq=False):
    """An invocation of a fragment by the graph, with the values of its parameters and its results."""

    place: FragmentInvocation
    prefix: str
    """Prefix of the names of tensors in the fragment."""
    parameters: Mapping[str, ElaboratedValue]
    results: tuple[ElaboratedValue, ...]


class Frame(Struct):
    """The names of one body: of the graph, or of one invocation of a fragment."""

    names: dict[str, ElaboratedValue]
    chain: tuple[FragmentInvocation, ...] = ()
    """The invocations that led here, the innermost last."""
    base: int = 0
    """Offset from which the spans of the current statement count."""
    prefix: str = ""
    """Prefix of the names of tensors in a fragment."""
    results: Mapping[str, str] = field(default_factory=dict)
    """The names of tensors that results of a fragment become."""
    body: Sequence[nodes.Entry] = ()
    """The statements of the body, which show later assignments."""
    said: set[str] = field(default_factory=set)
    """Undefined names that are reported already."""
    making: str = ""
    """The name of the first tensor that the current statement makes."""
    generic: str | None = None
    """The type bound to ``?``."""
    given: Mapping[str, tuple[Given, Frame]] = field(default_factory=dict)
    """The arguments of the invocation of the fragment, with the frames that they stand in."""

    def named(self, name: str) -> str:
        """Return the name that a tensor of this body has in the graph, if it is free."""
        return self.results.get(name) or f"{self.prefix}{name}"


class SubmodelUse(Struct, frozen=True):
    """A submodel that the graph, a fragment or another submodel names."""

    folder: str
    label: str
    span: Span
    is_own: bool
    """True if the label stands in the graph itself."""
    submodel: Submodel | None


class Record(Struct):
    """Findings and additions of one step of an elaboration.

    Spans count from the place of the step when it was evaluated.
    """

    entries: list[tuple[str, flat_nodes.Entry]] = field(default_factory=list)
    """Entries of the graph, with their blocks."""
    taken: list[tuple[str, str]] = field(default_factory=list)
    """Wanted names of tensors, each with the name chosen for it."""
    chains: list[tuple[flat_nodes.Node, tuple[FragmentInvocation, ...]]] = field(default_factory=list)
    """Statements of fragments, and the invocations that led to them."""
    variables: list[tuple[StoredVariable, bool]] = field(default_factory=list)
    """Each with True if it belongs to the graph itself, not to a submodel."""
    problems: list[tuple[Problem, bool]] = field(default_factory=list)
    """Each with True if it belongs to the graph itself, not to a submodel."""
    bodies: list[tuple[str, BodyValues]] = field(default_factory=list)
    unproven: list[tuple[Unproven, bool]] = field(default_factory=list)
    """Each with True if it belongs to the graph itself, not to a submodel."""
    calls: list[FragmentCall] = field(default_factory=list)
    fragments: set[str] = field(default_factory=set)
    """Names of the fragments that the step invokes."""
    files: list[tuple[str, TensorFile | None]] = field(default_factory=list)
    """Labels, each with its tensor file if it is known."""
    submodels: list[SubmodelUse] = field(default_factory=list)
    resources: list[tuple[str, str | None]] = field(default_factory=list)
    """Labels, and the texts of their JSON files."""
    symbols: dict[str, Integer] = field(default_factory=dict)
    extents: list[Integer] = field(default_factory=list)
    """Extents of inputs."""
    labels: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    made: list[tuple[GraphTensor, GraphTensor]] = field(default_factory=list)
    statements: int = 0
    items_made: int = 0
    uses_made: bool = False
    """True if it needed a tensor of known items as one of the graph."""
    is_lasting: bool = True
    """True if the record depends only on names, tensors, files and fragments that are known to be used."""


class NamesOfFile(Struct, frozen=True):
    """Facts about the names of a file that are collected before its graph is elaborated."""

    fragments: Mapping[str, nodes.Definition]
    symbols: Sequence[str]
    """Symbols declared by ``extension`` lines."""
    asserted: Mapping[str, SymbolFacts]
    """Facts about the symbols that assertions mention, declared or not."""
    assigned: Collection[str]
    """The tensors of the graph."""
    unreadable: frozenset[str]
    """The fragments whose heads can't be read, which is reported."""
    quantized: frozenset[str]
    """The tensors that are quantized: their files may have codes."""
    quantized_types: Mapping[str, QuantizedType] = {}
    """Types of quantized tensors of the graph for tract, by their names."""
    pulsed: PulsedModel | None = None
    """Properties of the model, if tract pulsified it."""
    header_end: int = 0
    """Offset after the last line of the header, where repairs add lines."""


class ElaborationContext:
    """State that all bodies of one elaboration share."""

    def __init__(
        self,
        dialect: Dialect,
        operators: Operators,
        files: TensorFiles,
        names: NamesOfFile,
        pulse: PulseOf | None = None,
    ) -> None:
        self.pulse = pulse
        self.on_streams: Callable[..., ElaboratedValue] | None = None
        """The evaluator of operations on streams, where the graph sees a symbol pulse by pulse."""
        self.dialect = dialect
        self.operators = operators
        self.files = files
        self.names = names
        self.folder = ""
        """The folder of the current submodel, from which its labels count."""
        self.graph = FlatGraph()
        self.symbols: dict[str, Integer] = {name: self._symbol(name) for name in names.symbols}
        self.record = Record()
        """Findings of the current step."""
        self.parameters: frozenset[str] = frozenset()
        """The parameters of the graph."""
        self.inputs: set[str] = set()
        """Names of tensors that 'external' defines."""
        self.updated: set[str] = set()
        """The variables that have a new value."""
        self.labels: dict[str, tuple[int, ...]] = {}
        """The extents of variables by their labels, in small letters."""
        self.attributes: dict[str, str] = {}
        """Attributes of the graph for variables whose files are missing."""
        self.statements = 0
        """Number of statements of fragments, counted once per invocation."""
        self.items_made = 0
        """Number of items of all computed arrays together."""
        self.stored: dict[str, str] = {}
        """Labels of the variables that have files, by their names."""
        self.turns = 0
        """Number of scans whose bodies the current statement is in."""
        self.made: dict[GraphTensor, GraphTensor] = {}
        """Tensors whose items are known, each with the tensor that produces them in the graph."""

    def template(self, operation: str) -> Template | None:
        """Return the operator of an operation; None if there is no such operation."""
        return self.operators.template(operation, self.dialect)

    def symbol(self, name: str) -> Integer:
        """Return a symbol that no line declares, from now on."""
        made = self.symbols[name] = self.record.symbols[name] = self._symbol(name)
        return made

    def _symbol(self, name: str) -> Integer:
        """Return the extent that a symbol denotes; a tensor of the same name is a different thing."""
        known = self.names.asserted.get(name)
        if name in self.names.assigned:
            about = known or SymbolFacts(0, None, Facts())
            return asserted_unknown(name, about.low, about.high, about.facts, f"symbol {name}")
        return input_extent(name) if known is None else asserted_unknown(name, known.low, known.high, known.facts)

    def begin_record(self) -> Record:
        """Begin the next step; return where it is recorded."""
        self.record = Record()
        self.graph.record(self.record.entries, self.record.taken)
        return self.record

    def apply(self, record: Record) -> None:
        """Restore the state behind a step that was recorded before."""
        for _, got in record.taken:
            self.graph.names.add(got)
        self.statements += record.statements
        self.items_made += record.items_made
        if record.symbols:
            self.symbols.update(record.symbols)
        if record.labels:
            for label, extents in record.labels:
                self.labels.setdefault(label, extents)
        if record.inputs:
            self.inputs.update(record.inputs)
        if record.made:
            self.made.update(record.made)
        for variable, _ in record.variables:
            self.stored[variable.name] = variable.label

    def tensor_file(self, label: str) -> TensorFile | None:
        """Return the tensor file of a label, as far as it is known, and record the lookup."""
        found = self.files.tensor_file(label)
        self.record.files.append((label, found))
        return found

    def submodel(self, frame: Frame, label: str, span: Span) -> Submodel | None:
        """Return the model of a label in the current statement."""
        found = self.files.submodel(self.folder, label)
        use = SubmodelUse(self.folder, label, span.shifted(frame.base), not frame.chain, found)
        self.record.submodels.append(use)
        return found

    def resource(self, label: str) -> str | None:
        """Return the text of the JSON file of a label; None if there is none."""
        path = self.in_folder(label)
        found = self.files.resource(path)
        self.record.resources.append((path, found))
        return found

    def in_folder(self, label: str) -> str:
        """Return a label as the graph would write it that is not in a submodel."""
        return label if not self.folder else join(self.folder, label.lstrip("/"))

    @contextmanager
    def within(self, folder: str, names: NamesOfFile, symbols: Mapping[str, Integer]) -> Iterator[None]:
        """Elaborate a submodel, which has its own names and files."""
        around = self.folder, self.names, self.symbols
        self.folder, self.names, self.symbols = folder, names, dict(symbols)
        try:
            yield
        finally:
            self.folder, self.names, self.symbols = around

    @contextmanager
    def scratch(self) -> Iterator[None]:
        """Elaborate into a graph that is thrown away, for the shapes alone."""
        graph, made = self.graph, self.made
        self.graph, self.made = FlatGraph(), {}
        try:
            yield
        finally:
            self.graph, self.made = graph, made

    @contextmanager
    def aside(self) -> Iterator[list[flat_nodes.Statement]]:
        """Collect the statements of a body of its own: tensors that it makes don't exist outside."""
        made, recorded = dict(self.made), len(self.record.made)
        with self.graph.aside() as statements:
            yield statements
        self.made = made
        del self.record.made[recorded:]

    def report(
        self,
        frame: Frame,
        rule: Rule,
        node: nodes.Node | Span,
        message: str,
        repair: Repair | None = None,
        notes: tuple[Note, ...] = (),
        of_file: Repair | None = None,
    ) -> None:
        """Note a broken rule at a node of the current statement.

        Places of ``notes`` and of the repair ``of_file`` are places in the file.
        """
        span = node if isinstance(node, Span) else node.span
        problem = Problem(rule, span, message, (), repair).shifted(frame.base)
        problem = replace(problem, notes=(*notes, *notes_of(frame.chain)), repair=of_file or problem.repair)
        self.record.problems.append((problem, not frame.chain))
        if notes or of_file:  # other places may move in another way
            self.record.is_lasting = False

    def header_line(self, line: str, is_safe: bool) -> Repair:
        """Return the repair that adds a line to the header of the file, with its place in the file."""
        at = self.names.header_end
        return Repair(f"Add '{line}'", (Edit(Span(at, at), f"\n{line}"),), is_safe)

    def note_unproven(
        self, frame: Frame, operation: nodes.Identifier, equations: Iterable[Integer], example: str = ""
    ) -> None:
        """Note equations that an operation needs, and sizes that fit nevertheless."""
        for each in equations:
            found = Unproven(operation.text, operation.span.shifted(frame.base), frame.chain, each, example)
            self.record.unproven.append((found, not frame.chain))


def origin(frame: Frame, given: Given) -> tuple[Frame, Given]:
    """Return a literal where it is written: in the invocation of a fragment whose parameter it is."""
    written = given.written
    while isinstance(written, nodes.Identifier) and not isinstance(given.value, GraphTensor):
        found = frame.given.get(written.text)
        if found is None or frame.names.get(written.text) is not given.value:
            break
        given, frame = found
        written = given.written
    return frame, given


def notes_of(chain: Sequence[FragmentInvocation]) -> tuple[Note, ...]:
    """Return the invocations that led to a place, the innermost first; of a long chain, its ends."""
    half = MOST_NOTES // 2
    told = chain if len(chain) <= MOST_NOTES else (*chain[:half], *chain[-half:])
    return tuple(Note(each.span, f"'{each.fragment}' is invoked here") for each in reversed(told))
