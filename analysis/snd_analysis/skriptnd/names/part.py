"""The additions of one statement to the names of a definition. They are reused as long as its names mean the same.

An edit of a long block leaves most of its statements unchanged. The additions of a statement depend only on the
statement, the module scope and the answers of the scopes that it asked for names: where all of these are unchanged, so
is the result. Passes that build on it (types, composing) see by its identity that nothing changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import is_
from typing import Any, TypeVar

from msgspec import Struct

from snd_analysis.base import OperatorName
from snd_analysis.skriptnd.names.symbols import ModuleName, Role, Scope, ShapeMember, Symbol, SymbolKind, Target, Use
from snd_analysis.skriptnd.syntax import keywords, nodes

_NOTABLE = frozenset((nodes.Call, nodes.Binary, nodes.Component, nodes.Loop, nodes.Result, nodes.ResultTuple))
"""The types of nodes that are looked for in statements."""
_LEAVES = frozenset((nodes.Literal, nodes.Name, nodes.Operator, nodes.Qualified, nodes.TypeName))
"""Frequent types of nodes that never contain one in ``_NOTABLE``."""

Notable = TypeVar("Notable", bound=nodes.Node)


def read_symbols(uses: Iterable[tuple[nodes.Node, Use]]) -> Iterator[Symbol]:
    """Yield the symbols that are used without being declared; for a member of a shape, its tensor."""
    for _, use in uses:
        target = use.target.tensor if isinstance(use.target, ShapeMember) else use.target
        if use.role is not Role.DECLARATION and isinstance(target, Symbol):
            yield target


class StatementPart(Struct, frozen=True, eq=False, dict=True):
    """The additions of a statement, or of a name in its role, to the tables of its definition.

    ``asked`` and ``bound`` are by scope: names with the symbols found for them, and names bound by the statement.
    """

    node: nodes.Node
    asked: tuple[tuple[tuple[str, ...], tuple[Symbol | None, ...]], ...]
    bound: tuple[Mapping[str, Symbol], ...]
    symbols: tuple[Symbol, ...]
    targets: Mapping[nodes.Node, Target]
    uses: tuple[tuple[nodes.Node, Use], ...]
    lasting: bool
    """True if the part may be reused; False if its names have problems to report."""

    @property
    def single(self) -> tuple[StatementPart, ...]:
        """The parts of single statements that it consists of."""
        return (self,)

    def holds_in(self, scopes: Sequence[Scope]) -> bool:
        """Return whether the scopes still give the same answers."""
        if not self.lasting:
            return False
        return all(
            all(map(is_, map(scope.names.get, names), symbols))
            for scope, (names, symbols) in zip(scopes, self.asked, strict=True)
        )

    @cached_property
    def given(self) -> tuple[Symbol, ...]:
        """Return the symbols of other statements that this statement names; its result depends on their facts."""
        own = set(self.symbols)
        named = (target.tensor if isinstance(target, ShapeMember) else target for target in self.targets.values())
        return tuple(dict.fromkeys(each for each in named if isinstance(each, Symbol) and each not in own))

    @cached_property
    def operators(self) -> tuple[OperatorName, ...]:
        """The operators and graphs that the statement invokes, each once."""
        targets = self.targets.values()
        return tuple(dict.fromkeys(target for target in targets if isinstance(target, OperatorName)))

    @cached_property
    def depends_on(self) -> frozenset[Symbol | OperatorName]:
        """Return the symbols and operators that the result of the statement depends on."""
        return frozenset((*self.given, *self.operators))

    @cached_property
    def lacks_result(self) -> bool:
        """Return whether the name of a result is missing, also in blocks."""
        return any(isinstance(name, nodes.Name) and not name.text for name in self._results)

    @cached_property
    def lacks_name(self) -> bool:
        """Return whether the statement declares something without a name, or with a keyword as its name."""
        return is_nameless(self.node)

    @cached_property
    def names_asked(self) -> frozenset[str]:
        """The names that its scopes were asked for."""
        return frozenset(name for names, _ in self.asked for name in names)

    @cached_property
    def has_unlabelled_statement(self) -> bool:
        """Return whether a statement, also one in blocks, has no single result whose name would be its label (2.10)."""
        return not all(map(_has_one_name, self.nodes_of(nodes.Component)))

    @cached_property
    def results(self) -> frozenset[str]:
        """The names of results, also in blocks."""
        return frozenset(name.text for name in self._results if isinstance(name, nodes.Name))

    @cached_property
    def labels(self) -> frozenset[str]:
        """The labels that are written, also in blocks."""
        return frozenset(symbol.name for symbol in self.symbols if symbol.kind is SymbolKind.LABEL)

    @cached_property
    def outputs(self) -> tuple[Symbol, ...]:
        """The outputs that are given results."""
        found = (self.targets.get(name) for name in self._results)
        return tuple(each for each in found if isinstance(each, Symbol) and each.kind is SymbolKind.OUTPUT)

    @cached_property
    def modules(self) -> tuple[ModuleName, ...]:
        """The modules that are named."""
        return tuple(dict.fromkeys(use.target for _, use in self.uses if isinstance(use.target, ModuleName)))

    @cached_property
    def names_declared(self) -> frozenset[str]:
        """The names of the symbols that are declared."""
        return frozenset(symbol.name for symbol in self.symbols)

    @cached_property
    def names_used(self) -> frozenset[str | None]:
        """The names of everything that is used."""
        return frozenset(use.name for _, use in self.uses)

    @cached_property
    def uses_of_others(self) -> tuple[tuple[nodes.Node, Use], ...]:
        """The first use of each thing that is not a symbol of the definition."""
        found: dict[object, tuple[nodes.Node, Use]] = {}
        for statement, use in self.uses:
            if not isinstance(use.target, Symbol | ShapeMember):
                found.setdefault(use.target, (statement, use))
        return tuple(found.values())

    @cached_property
    def read(self) -> tuple[Symbol, ...]:
        """Symbols that the statement uses without declaring them."""
        return tuple(dict.fromkeys(read_symbols(self.uses)))

    @property
    def _results(self) -> Iterator[nodes.Node]:
        for result in self.nodes_of(nodes.Result):
            yield result.target
        for together in self.nodes_of(nodes.ResultTuple):
            yield from together.names

    def nodes_of(self, kind: type[Notable]) -> Sequence[Notable]:
        """Return the nodes of a type in ``_NOTABLE``, in order."""
        return self._notable.get(kind, ())

    @cached_property
    def _notable(self) -> Mapping[type[nodes.Node], Sequence[Any]]:
        return notable(self.node)


def notable(statement: nodes.Node) -> Mapping[type[nodes.Node], Sequence[Any]]:
    """Return the nodes of a statement by the types that are looked for."""
    found: dict[type[nodes.Node], list[nodes.Node]] = {}
    for node in nodes.descendants(statement, _LEAVES):
        if type(node) in _NOTABLE:
            found.setdefault(type(node), []).append(node)
    return found


def is_nameless(statement: nodes.Node) -> bool:
    """Return whether a statement declares something without a name, or with a keyword that must become a name."""
    match statement:
        case nodes.ErrorEntry():
            return not statement.name
        case nodes.Parameter() | nodes.DtypeDeclaration():
            return not statement.name.text or statement.name.text in keywords()
        case nodes.Component():
            return any(
                isinstance(result, nodes.Result) and isinstance(result.target, nodes.Name) and not result.target.text
                for result in statement.results
            )
    return False


def _has_one_name(statement: nodes.Component) -> bool:
    only = statement.results[0] if len(statement.results) == 1 else None
    return isinstance(only, nodes.Result) and isinstance(only.target, nodes.Name)


# ---- statements of a group of a long block, treated as one, so that the cost of an edit depends on its own group -----
class GroupRow(StatementPart, frozen=True, dict=True):
    """The additions of the statements of a group to the tables of its definition, as if it were one statement."""

    parts: tuple[StatementPart, ...]
    group: nodes.Group

    @property
    def single(self) -> tuple[StatementPart, ...]:
        return self.parts

    @cached_property
    def by_node(self) -> Mapping[nodes.Node, StatementPart]:
        """The parts by their statements."""
        return {part.node: part for part in self.parts}

    @cached_property
    def lacks_name(self) -> bool:
        return any(part.lacks_name for part in self.parts)

    @cached_property
    def _notable(self) -> Mapping[type[nodes.Node], Sequence[Any]]:
        found: dict[type[nodes.Node], list[nodes.Node]] = {}
        for part in self.parts:
            for kind, each in part._notable.items():
                found.setdefault(kind, []).extend(each)
        return found


def joined(parts: Sequence[StatementPart], group: nodes.Group) -> GroupRow:
    """Return the row of these parts, which were resolved one after the other."""
    count = len(parts[0].bound)
    asked: list[dict[str, Symbol | None]] = [{} for _ in range(count)]
    bound: list[dict[str, Symbol]] = [{} for _ in range(count)]
    targets: dict[nodes.Node, Target] = {}
    for part in parts:
        for at in range(count):
            for name, symbol in zip(*part.asked[at], strict=True):
                if name not in bound[at]:
                    asked[at].setdefault(name, symbol)
            bound[at].update(part.bound[at])
        targets.update(part.targets)
    return GroupRow(
        parts[0].node,
        tuple((tuple(each), tuple(each.values())) for each in asked),
        tuple(bound),
        tuple(symbol for part in parts for symbol in part.symbols),
        targets,
        tuple(use for part in parts for use in part.uses),
        all(part.lasting for part in parts),
        tuple(parts),
        group,
    )
