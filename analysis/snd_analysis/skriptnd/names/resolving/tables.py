"""The tables that resolving a definition fills."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, MutableMapping, Sequence
from itertools import count
from typing import Any, TypeVar

from snd_analysis import rules
from snd_analysis.base import Layers, Note, Problem, Span, checkpoint
from snd_analysis.skriptnd.names.module_scope import ModuleScope
from snd_analysis.skriptnd.names.part import GroupRow, StatementPart, is_nameless, joined
from snd_analysis.skriptnd.names.resolution import Resolution, Starts
from snd_analysis.skriptnd.names.symbols import (
    AttributeName,
    ModuleName,
    Role,
    Scope,
    Symbol,
    SymbolKind,
    Target,
    Use,
    Watch,
)
from snd_analysis.skriptnd.names.undefined import UndefinedName, UnknownModule
from snd_analysis.skriptnd.syntax import keywords, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

# Suppression of messages about definitions with syntax errors: other mistakes may follow from the unparsed text.
_HEADERS = frozenset({"operator", "graph", "import"})


class _Everything(Container[str]):
    def __contains__(self, item: object) -> bool:
        return True


class _Lost(Container[str]):
    """Names that are words of broken text, or prefixes or extensions of one: the broken word may be the name itself."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = tuple(words)

    def __contains__(self, item: object) -> bool:
        name = str(item)
        return any(word.startswith(name) or name.startswith(word) for word in self._words)


def damaged_places(definition: nodes.Definition) -> Iterator[Span]:
    """Yield the spans of the entries whose intended meaning is a guess."""
    return (
        entry.span.shifted(base)
        for block in definition.blocks
        if isinstance(block, nodes.Block)
        for base, group in block.entries.groups
        for entry in group.damaged
    )


def misplaced_names(definition: nodes.Definition) -> frozenset[str]:
    """Return the names of the operators and modules that a definition defines or imports inside itself."""
    names = set[str]()
    for block in definition.blocks:
        if isinstance(block, nodes.ErrorBlock):
            names.update(block.names)
            continue
        for _, group in block.entries.groups:
            for entry in group.damaged:
                if isinstance(entry.statement, nodes.ErrorEntry) and not _HEADERS.isdisjoint(entry.damage or ()):
                    names.update(entry.damage or ())
    return frozenset(names)


def lost_names(definition: nodes.Definition, rows: Mapping[str, Sequence[StatementPart]]) -> Container[str]:
    """Return names that unparsed text may have declared: they may be undefined only in appearance.

    ``rows`` are the rows of the ``Resolution``.
    """
    names = set[str]()
    for block in definition.blocks:
        if isinstance(block, nodes.ErrorBlock):
            return _Everything()
        if block.kind is BlockKind.LOWER:  # 'a = x[i,];' may be meant as a local value
            entries = (entry.statement for _, group in block.entries.groups for entry in group.damaged)
            names.update(each.name for each in entries if isinstance(each, nodes.ErrorEntry) and each.name)
        if block.kind in (BlockKind.ASSERT, BlockKind.LOWER, BlockKind.QUANTIZE):
            continue
        for entry in _questionable(block, rows.get(block.kind, ())):
            statement = entry.statement
            if is_nameless(statement) or (block.kind == BlockKind.INPUT and _is_shapeless(definition, statement)):
                return _Everything()
            if entry.damage is not None and _lacks_name(statement):
                return _Everything()
            names.update(entry.damage or ())
    return _Lost(sorted(names))


def _questionable(block: nodes.Block, rows: Sequence[StatementPart]) -> Iterator[nodes.Entry]:
    """Yield the entries of a block, except those of groups that are parsed and have all names."""
    whole = {row.group for row in rows if isinstance(row, GroupRow) and not row.lacks_name}
    for _, group in block.entries.groups:
        if group not in whole or not group.is_read or group.damaged:
            yield from group.entries


def _lacks_name(statement: nodes.Statement) -> bool:
    """Return whether a name is missing anywhere in a statement that declares names."""
    return isinstance(statement, nodes.Parameter) and any(
        isinstance(node, nodes.Name) and not node.text for node in nodes.descendants(statement)
    )


def _is_shapeless(definition: nodes.Definition, statement: nodes.Statement) -> bool:
    """Return whether a statement is an input of an operator without the shape that would declare its extents."""
    return definition.kind == "operator" and isinstance(statement, nodes.Parameter) and statement.shape is None


# ---- the tables that resolving a definition fills --------------------------------------------------------------------
Statement = TypeVar("Statement", bound=nodes.Node)


class Tables:
    """The current state of the names of a definition.

    ``before`` is the resolution of an earlier version. Its symbols that belong to statements of this version are
    reused; its parts only if ``same_module_scope``.
    """

    def __init__(
        self,
        definition: nodes.Definition,
        module_scope: ModuleScope,
        before: Resolution | None,
        same_module_scope: bool,
    ) -> None:
        self._definition = definition
        self.module_scope = module_scope
        self.starts = Starts(definition)
        self._same_module_scope = same_module_scope
        self._rows_before = before.rows if before is not None else {}
        self._symbols_before: Mapping[nodes.Node, Target] = before.targets if before is not None else {}
        """Symbols of the earlier version that are resolved again, by the names that declare them."""
        self._parts_before: dict[nodes.Node, StatementPart] = {}
        """Parts of the earlier version whose validity is not yet checked."""
        self._outside_before = before.outside if before is not None and not before.ambiguous else None
        self.outside: set[tuple[str, Symbol]] = set()
        """The names that are declared elsewhere than in parts."""
        self._differing: set[str] = set()
        """Names that have another meaning than before, or that other statements bind."""
        self.parts: Layers[nodes.Node, StatementPart] = Layers()
        self.rows: dict[str, tuple[StatementPart, ...]] = {}
        self.symbols: list[Symbol] = []
        self.all_targets: Layers[nodes.Node, Target] = Layers()
        self.targets: MutableMapping[nodes.Node, Target] = self.all_targets
        """Targets of the current part; outside a part, all targets."""
        self._uses: list[tuple[nodes.Node, Use]] = []
        self._use_groups: list[tuple[tuple[nodes.Node, Use], ...]] = []
        self.problems: list[Problem] = []
        self.undefined: list[UndefinedName] = []
        self.unknown_modules: list[UnknownModule] = []
        self.unclear: dict[Span, Problem] = {}
        """Parts of statements whose meaning is unknown, each with its problem."""
        self._proposed: set[str] = set()
        self.ambiguous: set[Symbol] = set()
        self.block = BlockKind.DTYPE
        self.base = 0
        """Offset of the start of the current statement; the spans of its nodes count from there."""
        self._statement: nodes.Node = definition
        self.misplaced = misplaced_names(definition)
        """Names of operators and modules that the definition defines or imports inside itself, which is reported."""

    def begin(self, base: int, statement: nodes.Node) -> None:
        """Go on to a statement."""
        self.base, self._statement = base, statement

    @property
    def statement(self) -> nodes.Node:
        """The statement at hand."""
        return self._statement

    @property
    def is_graph(self) -> bool:
        """True if the definition is a graph."""
        return self._definition.kind == "graph"

    def unused_name(self, scope: Scope, name: str) -> str:
        """Return a name based on ``name`` that is unused in the definition: with a number appended if necessary.

        Each call returns another name.
        """
        taken = {*scope.visible(), *keywords(), *self._proposed}
        for kind, node in ((BlockKind.OUTPUT, nodes.Parameter), (BlockKind.COMPOSE, nodes.Component)):
            for _, each in nodes.entries_of(self._definition, kind, node):
                taken.update(_names_in(each))
        numbered = (f"{name}_{number}" for number in count(2))
        unused = name if name not in taken else next(each for each in numbered if each not in taken)
        self._proposed.add(unused)
        return unused

    def span(self, symbol: Symbol) -> Span:
        """Return the span of the declaration of a symbol."""
        return symbol.local_span.shifted(self.starts[symbol.statement])

    # ---- parts -------------------------------------------------------------------------------------------------------
    def resolve_rows(
        self,
        key: str,
        block: BlockKind,
        kind: type[Statement],
        scopes: Sequence[Scope],
        resolve: Callable[[Statement], None],
        node: Callable[[Any], nodes.Node] = lambda statement: statement,
    ) -> None:
        """Resolve the statements of a block by ``resolve``, or repeat their earlier additions.

        The additions are repeated if ``scopes`` answer the same. ``scopes`` are all scopes that are asked and belong to
        outer nodes. ``node`` returns the node that represents a statement that is resolved in several steps. ``key`` is
        the key of the rows.
        """
        blocks = [each for each in self._definition.blocks if isinstance(each, nodes.Block) and each.kind is block]
        before = self._rows_of(key, blocks, node)
        if self._outside_before is not None:
            self._differing.update(name for name, _ in self.outside ^ self._outside_before)
        rows: list[StatementPart] = []
        for each in blocks:
            for base, group in each.entries.groups:
                checkpoint()
                known = before.get(group)
                if known is not None and self._holds(known, scopes):
                    self._add_known(known, scopes)
                    self._add_row(known)
                    rows.append(known)
                    continue
                if known is not None:
                    self._parts_before.update(known.by_node)
                self._end_group()
                uses = len(self._use_groups)
                parts = [
                    self._resolve_part(base + start, statement, node(statement), scopes, resolve)
                    for start, statement in group.statements
                    if isinstance(statement, kind)
                ]
                if not each.entries.is_long:
                    rows += parts
                    for part in parts:
                        self.all_targets.update(part.targets)
                        self.parts[part.node] = part
                elif parts:
                    row = joined(parts, group)
                    self._use_groups[uses:] = [row.uses]
                    self._add_row(row)
                    rows.append(row)
        self.rows[key] = tuple(rows)

    def _rows_of(
        self, key: str, blocks: Sequence[nodes.Block], node: Callable[[Any], nodes.Node]
    ) -> dict[nodes.Group, GroupRow]:
        """Return the rows of the earlier version by group. The parts of groups that are gone may be reused."""
        before = self._rows_before.get(key, ())
        rows = {part.group: part for part in before if isinstance(part, GroupRow)}
        groups = {group for block in blocks for _, group in block.entries.groups}
        present = {node(statement) for group in groups if group not in rows for _, statement in group.statements}
        for part in before:
            if not isinstance(part, GroupRow) or part.group not in groups:
                for each in part.single:
                    self._parts_before[each.node] = each
                    if each.node not in present:
                        self._differ(each)
        return rows

    def _differ(self, part: StatementPart) -> None:
        for bound in part.bound:
            self._differing.update(bound)

    def _holds(self, part: StatementPart, scopes: Sequence[Scope]) -> bool:
        """Return whether the names in a part have the same meaning as before."""
        if not part.lasting or not self._same_module_scope:
            return False
        is_told = self._outside_before is not None and not self.ambiguous
        return (is_told and self._differing.isdisjoint(part.names_asked)) or part.holds_in(scopes)

    def _resolve_part(
        self,
        base: int,
        statement: Statement,
        node: nodes.Node,
        scopes: Sequence[Scope],
        resolve: Callable[[Statement], None],
    ) -> StatementPart:
        known = self._parts_before.get(node)
        if known is not None:
            if self._holds(known, scopes):
                self._add_known(known, scopes)
                return known
            self._differ(known)
        self.begin(base, statement)
        part = self._resolved(node, known, scopes, lambda: resolve(statement))
        self._differ(part)
        self._add(part)
        return part

    def _add_row(self, row: GroupRow) -> None:
        self.all_targets.add(row.targets)
        self.parts.add(row.by_node)

    def _add_known(self, part: StatementPart, scopes: Sequence[Scope]) -> None:
        for scope, bound in zip(scopes, part.bound, strict=True):
            scope.names.add(bound)
        self._add(part)

    def _add(self, part: StatementPart) -> None:
        self.symbols.extend(part.symbols)
        self._end_group()
        self._use_groups.append(part.uses)

    def _resolved(
        self, node: nodes.Node, known: StatementPart | None, scopes: Sequence[Scope], resolve: Callable[[], None]
    ) -> StatementPart:
        before = self.symbols, self.targets, self._uses, self._symbols_before
        self.symbols, self.targets, self._uses = [], {}, []
        self._symbols_before = {} if known is None else known.targets
        said = self._amount_said()
        watches = [Watch() for _ in scopes]
        for scope, watch in zip(scopes, watches, strict=True):
            scope.watch = watch
        resolve()
        for scope in scopes:
            scope.watch = None
        part = StatementPart(
            node,
            tuple((tuple(watch.asked), tuple(watch.asked.values())) for watch in watches),
            tuple(watch.bound for watch in watches),
            tuple(self.symbols), self.targets, tuple(self._uses), self._amount_said() == said,
        )  # fmt: skip
        self.symbols, self.targets, self._uses, self._symbols_before = before
        return part

    def use_groups(self) -> tuple[tuple[tuple[nodes.Node, Use], ...], ...]:
        """Return the uses so far; uses of one part form a group."""
        self._end_group()
        return tuple(self._use_groups)

    def _end_group(self) -> None:
        if self._uses:
            self._use_groups.append(tuple(self._uses))
            self._uses = []

    def _amount_said(self) -> tuple[int, ...]:
        return (
            len(self.problems), len(self.undefined), len(self.unknown_modules), len(self.unclear), len(self.ambiguous)
        )  # fmt: skip

    # ---- declarations and uses ---------------------------------------------------------------------------------------
    def declare(self, scope: Scope, name: nodes.Name, kind: SymbolKind, node: nodes.Node) -> Symbol:
        """Declare a name in ``scope``; a name that the scope already has keeps its first meaning, and is reported."""
        symbol = self._symbol(name, kind, node)
        self.symbols.append(symbol)
        self.targets[name] = symbol
        if self.targets is self.all_targets:
            self.outside.add((name.text, symbol))
        self._uses.append((self._statement, Use(symbol.local_span, symbol, Role.DECLARATION)))
        self.check_name(name)
        earlier = scope.own(name.text)
        if earlier is not None and name.text not in ("", "_"):
            self.report_duplicate(symbol, earlier)
        else:
            scope.bind(name.text, symbol)
        return symbol

    def _symbol(self, name: nodes.Name, kind: SymbolKind, node: nodes.Node) -> Symbol:
        """Return the symbol that this declared before the edit, else a new one."""
        known = self._symbols_before.get(name)
        if isinstance(known, Symbol) and known.node is node and known.kind is kind and name not in self.targets:
            return known
        return Symbol(name.text, kind, name.span, node, self._statement)

    def check_name(self, name: nodes.Name) -> None:
        """Report a lone ``_``, which is reserved (2.4)."""
        if name.text == "_":
            hint = ""
            if self.block in (BlockKind.COMPOSE, BlockKind.UPDATE):
                hint = "; write '~' for a result that is not needed"
            elif self.block is BlockKind.LOWER:
                hint = "; name the index, and write its bound after the formula, as in 'j < n'"
            message = f"'_' alone can't be a name{hint}"
            self.problems.append(Problem(rules.RESERVED_NAME, name.span.shifted(self.base), message))

    def report_duplicate(self, symbol: Symbol, earlier: Symbol) -> None:
        """Two declarations of one name."""
        self.ambiguous |= {symbol, earlier}
        if earlier.kind in (SymbolKind.EXTENT, SymbolKind.LENGTH) and self.span(earlier) > self.span(symbol):
            message = (
                f"'{symbol.name}' declares {earlier.kind.article} here, but is also the name of {symbol.kind.article}: "
                "rename one of them"
            )
            note = Note(self.span(symbol), f"the {symbol.kind} is declared here")
            self.problems.append(Problem(rules.NOT_VISIBLE, self.span(earlier), message, (note,)))
            return
        rule, what = rules.DUPLICATE_DEFINITION, f"the {symbol.kind} '{symbol.name}' has the name of"
        if symbol.kind is earlier.kind:
            what = f"the {symbol.kind} '{symbol.name}' has the same name as"
        if symbol.kind is SymbolKind.TENSOR and earlier.kind is SymbolKind.TENSOR:
            rule, what = rules.ASSIGNED_TWICE, f"the tensor '{symbol.name}' is assigned a second time:"
        message = f"{what} the {earlier.kind} declared before"
        if rule == rules.ASSIGNED_TWICE:
            message = f"the tensor '{symbol.name}' is assigned a second time; each needs a name of its own"
        note = Note(self.span(earlier), "first declared here")
        self.problems.append(Problem(rule, self.span(symbol), message, (note,)))

    def make_unclear(self, node: nodes.Node, problem: Problem) -> None:
        """Mark the meaning of a node as unknown, so that ``problem`` is the only message about it."""
        self.unclear[node.span.shifted(self.base)] = problem

    def use(self, node: nodes.Node, target: Target | ModuleName | AttributeName, role: Role = Role.READ) -> None:
        """Note that a node names something."""
        self._uses.append((self._statement, Use(node.span, target, role)))

    def missing(self, node: nodes.Node, name: str, scope: Scope, wanted: str = "name") -> None:
        """Note an undefined name. Names made up by recovery (an empty name or a keyword) are reported already."""
        if name and name not in keywords():
            span = node.span.shifted(self.base)
            self.undefined.append(UndefinedName(span, name, self.block, scope.visible(), wanted))


def _names_in(node: nodes.Node) -> Iterator[str]:
    if isinstance(node, nodes.Name):
        yield node.text
    for each in () if isinstance(node, nodes.Qualified) and len(node.parts) > 1 else nodes.children(node):
        yield from _names_in(each)
