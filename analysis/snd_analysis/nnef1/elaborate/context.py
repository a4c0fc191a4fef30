"""What one elaboration knows: the graph so far, the symbols, what was found wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from msgspec import Struct, field

from snd_analysis.base import Note, Problem, Repair, Rule, Span
from snd_analysis.compose import Template, input_extent
from snd_analysis.nnef1.elaborate.flat_graph import FlatGraph
from snd_analysis.nnef1.elaborate.operators import Operators
from snd_analysis.nnef1.elaborate.tensor_files import TensorFiles
from snd_analysis.nnef1.elaborate.values import TensorName, Value
from snd_analysis.nnef1.syntax import Dialect, nodes
from snd_analysis.skriptnd.syntax import nodes as flat_nodes
from snd_analysis.symbolic.integers import Integer


class Invocation(Struct, frozen=True):
    """An invocation of a fragment that led to the statement at hand."""

    fragment: str
    span: Span


class StoredVariable(Struct, frozen=True):
    """A variable of the graph, by the name of its tensor, and the label of its file. ``span`` is the label's."""

    name: str
    label: str
    shape: tuple[int, ...]
    span: Span
    items: tuple[Value, ...] = ()
    """All of a small tensor that has a file."""


class BodyValues(Struct, frozen=True, eq=False):
    """What the names of one body stand for: of a fragment in its first invocation."""

    parameters: Mapping[str, Value]
    entries: Sequence[Mapping[str, Value]]
    """What each entry of the body assigns."""


class Frame(Struct):
    """The names of one body: the graph's, or those of one invocation of a fragment."""

    names: dict[str, Value]
    chain: tuple[Invocation, ...] = ()
    """The invocations that led here, the innermost last."""
    base: int = 0
    """What the spans of the statement at hand count from."""
    prefix: str = ""
    """What the names of tensors in a fragment begin with."""
    results: Mapping[str, str] = field(default_factory=dict)
    """The names of tensors that results of a fragment become."""
    later: frozenset[str] = frozenset()
    """Every name that the body assigns anywhere."""
    said: set[str] = field(default_factory=set)
    """Names that are reported to stand for nothing."""
    making: str = ""
    """The name of the first tensor that the statement at hand makes."""
    generic: str | None = None
    """The type that ``?`` stands for."""

    def named(self, name: str) -> str:
        """Return the name that a tensor of this body has in the graph, if it is free."""
        return self.results.get(name) or f"{self.prefix}{name}"


class Context:
    """What is common to all bodies of one elaboration."""

    def __init__(
        self,
        dialect: Dialect,
        operators: Operators,
        files: TensorFiles,
        fragments: Mapping[str, nodes.Definition],
        symbols: Sequence[str],
        unreadable: frozenset[str] = frozenset(),
    ) -> None:
        self.dialect = dialect
        self.operators = operators
        self.files = files
        self.fragments = fragments
        self.unreadable = unreadable
        """The names of fragments whose heads can't be read, which is reported."""
        self.graph = FlatGraph()
        self.symbols: dict[str, Integer] = {name: input_extent(name) for name in symbols}
        self.variables: list[StoredVariable] = []
        self.chains: dict[flat_nodes.Node, tuple[Invocation, ...]] = {}
        self.parameters: frozenset[str] = frozenset()
        """The parameters of the graph."""
        self.inputs: set[str] = set()
        """Those that an 'external' has made."""
        self.updated: set[str] = set()
        """The variables that have a new value."""
        self.labels: dict[str, tuple[int, ...]] = {}
        """The extents of variables by their labels, in small letters."""
        self.attributes: dict[str, str] = {}
        """Attributes of the graph that stand for variables whose files are not there."""
        self.statements = 0
        self.bodies: dict[str, BodyValues] = {}
        """What the names of fragments stand for, by the names of these."""
        self.made: dict[TensorName, TensorName] = {}
        """Tensors of which the items are known, and what makes them in the graph."""
        self._problems: dict[tuple[Rule, Span], Problem] = {}

    def template(self, operation: str) -> Template | None:
        """Return the operator of an operation; None if there is no such operation."""
        return self.operators.template(operation, self.dialect)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was found wrong, each once however often its place was elaborated."""
        return tuple(self._problems.values())

    @contextmanager
    def scratch(self) -> Iterator[None]:
        """Elaborate into a graph that is thrown away, for the shapes alone."""
        graph, made = self.graph, self.made
        self.graph, self.made = FlatGraph(), {}
        try:
            yield
        finally:
            self.graph, self.made = graph, made

    def report(
        self,
        frame: Frame,
        rule: Rule,
        node: nodes.Node | Span,
        message: str,
        repair: Repair | None = None,
        notes: tuple[Note, ...] = (),
    ) -> None:
        """Note a broken rule at a node of the statement at hand."""
        span = (node if isinstance(node, Span) else node.span).shifted(frame.base)
        self._problems.setdefault((rule, span), Problem(rule, span, message, (*notes, *notes_of(frame.chain)), repair))


def notes_of(chain: Sequence[Invocation]) -> tuple[Note, ...]:
    """Return the invocations that led to a place, the innermost first."""
    return tuple(Note(each.span, f"'{each.fragment}' is invoked here") for each in reversed(chain))
