"""The tables that resolving a definition fills."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from snd_analysis import rules
from snd_analysis.base import Note, Problem, Span
from snd_analysis.skriptnd.names.module_scope import ModuleScope
from snd_analysis.skriptnd.names.part import Part
from snd_analysis.skriptnd.names.resolution import Resolution
from snd_analysis.skriptnd.names.rows import Row, in_rows, joined
from snd_analysis.skriptnd.names.scope import Scope, Watch
from snd_analysis.skriptnd.names.symbols import Symbol, SymbolKind, Target
from snd_analysis.skriptnd.names.undefined import UndefinedName, UnknownModule
from snd_analysis.skriptnd.names.use import AttributeName, ModuleName, Role, Use
from snd_analysis.skriptnd.syntax import SHORTEST_LONG_BLOCK, keywords, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind

Statement = TypeVar("Statement", bound=nodes.Node)


class Tables:
    """Everything that is known of the names of a definition so far.

    ``before`` is the resolution of an earlier version of it, of which the parts and symbols are used again that belong
    to statements of this one; the parts only if ``same_module_scope``.
    """

    def __init__(
        self,
        definition: nodes.Definition,
        module_scope: ModuleScope,
        before: Resolution | None,
        same_module_scope: bool,
        checkpoint: Callable[[], None],
    ) -> None:
        self._checkpoint = checkpoint
        self.module_scope = module_scope
        self.starts: dict[nodes.Node, int] = {}
        self._statements: dict[int, nodes.Node] = {}
        for block in definition.blocks:
            if isinstance(block, nodes.Block):
                self.starts.update({entry.statement: entry.start for entry in block.entries})
                self._statements.update({entry.start: entry.statement for entry in block.entries})
        self._targets_before = before.targets if before is not None else {}
        self._parts_before = before.parts if before is not None and same_module_scope else {}
        self._rows_before = before.rows if before is not None and same_module_scope else {}
        self.parts: dict[nodes.Node, Part] = {}
        self.rows: dict[str, tuple[Part, ...]] = {}
        self.symbols: list[Symbol] = []
        self.targets: dict[nodes.Node, Target] = {}
        self._uses: list[tuple[nodes.Node, Use]] = []
        self._use_groups: list[tuple[tuple[nodes.Node, Use], ...]] = []
        self.problems: list[Problem] = []
        self.undefined: list[UndefinedName] = []
        self.unknown_modules: list[UnknownModule] = []
        self.unclear: dict[Span, Problem] = {}
        """Parts of statements of which it is not known what they mean, with what is said of them."""
        self.ambiguous: set[Symbol] = set()
        self.block = BlockKind.DTYPE
        self._base = 0
        self._statement: nodes.Node = definition

    @property
    def base(self) -> int:
        """Where the statement at hand starts: what the spans of its nodes count from."""
        return self._base

    @base.setter
    def base(self, start: int) -> None:
        self._base = start
        self._statement = self._statements[start]

    def span(self, symbol: Symbol) -> Span:
        """Where a symbol is declared."""
        return symbol.local_span.shifted(self.starts[symbol.statement])

    # ---- parts -------------------------------------------------------------------------------------------------------
    def resolve_rows(
        self,
        key: str,
        entries: Sequence[tuple[int, Statement]],
        scopes: Sequence[Scope],
        resolve: Callable[[Statement], None],
    ) -> None:
        """Resolves statements by ``resolve``, or adds what they added before, if ``scopes`` answer as they did then.

        The scopes are all that are asked which are not theirs. Of statements that are resolved in two steps, names of
        them stand for them in one. ``key`` is that of the rows: the block that they stand in.
        """
        if len(entries) < SHORTEST_LONG_BLOCK:
            for base, statement in entries:
                self._resolve_part(base, statement, scopes, resolve)
            self.rows[key] = tuple(self.parts[statement] for _, statement in entries)
            return
        before = {row.node: row for row in self._rows_before.get(key, ()) if isinstance(row, Row)}
        rows = []
        for row, known in in_rows(entries, before):
            self._checkpoint()
            rows.append(self._resolve_row(row, known, scopes, resolve))
        self.rows[key] = tuple(rows)

    def _resolve_part(
        self, base: int, node: Statement, scopes: Sequence[Scope], resolve: Callable[[Statement], None]
    ) -> None:
        part = self._parts_before.get(node)
        if part is None or not part.holds_in(scopes):
            self.base = base
            part = self._resolved(node, scopes, resolve)
        else:
            for scope, bound in zip(scopes, part.bound, strict=True):
                scope.names.update(bound)
        self.parts[node] = part
        self._add(part)

    def _resolve_row(
        self,
        entries: Sequence[tuple[int, Statement]],
        known: Row | None,
        scopes: Sequence[Scope],
        resolve: Callable[[Statement], None],
    ) -> Row:
        if known is None or not known.holds_in(scopes):
            self._end_group()
            groups = len(self._use_groups)
            for base, statement in entries:
                self._resolve_part(base, statement, scopes, resolve)
            row = joined([self.parts[statement] for _, statement in entries])
            self._use_groups[groups:] = [row.uses]
            return row
        for scope, bound in zip(scopes, known.bound, strict=True):
            scope.names.update(bound)
        self.parts.update(known.by_node)
        self._add(known)
        return known

    def _add(self, part: Part) -> None:
        self.symbols.extend(part.symbols)
        self.targets.update(part.targets)
        self._end_group()
        self._use_groups.append(part.uses)

    def _resolved(self, node: Statement, scopes: Sequence[Scope], resolve: Callable[[Statement], None]) -> Part:
        before = self.symbols, self.targets, self._uses
        self.symbols, self.targets, self._uses = [], {}, []
        said = self._amount_said()
        watches = [Watch() for _ in scopes]
        for scope, watch in zip(scopes, watches, strict=True):
            scope.watch = watch
        resolve(node)
        for scope in scopes:
            scope.watch = None
        part = Part(
            node,
            tuple((tuple(watch.asked), tuple(watch.asked.values())) for watch in watches),
            tuple(watch.bound for watch in watches),
            tuple(self.symbols), self.targets, tuple(self._uses), self._amount_said() == said,
        )  # fmt: skip
        self.symbols, self.targets, self._uses = before
        return part

    def use_groups(self) -> tuple[tuple[tuple[nodes.Node, Use], ...], ...]:
        """The uses so far, those of a part together."""
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
        """Declares a name in ``scope``; a name that the scope already has keeps its first meaning, and is reported."""
        symbol = self._symbol(name, kind, node)
        self.symbols.append(symbol)
        self.targets[name] = symbol
        self._uses.append((self._statement, Use(symbol.local_span, symbol, Role.DECLARATION)))
        self.check_name(name)
        earlier = scope.own(name.text)
        if earlier is not None and name.text:
            self.report_duplicate(symbol, earlier)
        else:
            scope.bind(name.text, symbol)
        return symbol

    def _symbol(self, name: nodes.Name, kind: SymbolKind, node: nodes.Node) -> Symbol:
        """The symbol that this declared before the edit, else a new one."""
        known = self._targets_before.get(name)
        if isinstance(known, Symbol) and known.node is node and known.kind is kind and name not in self.targets:
            return known
        return Symbol(name.text, kind, name.span, node, self._statement)

    def check_name(self, name: nodes.Name) -> None:
        """A lone ``_`` is reserved (2.4)."""
        if name.text == "_":
            message = "'_' alone can't be a name; write '~' for a result that is not needed"
            self.problems.append(Problem(rules.RESERVED_NAME, name.span.shifted(self.base), message))

    def report_duplicate(self, symbol: Symbol, earlier: Symbol) -> None:
        """Two declarations of one name."""
        self.ambiguous |= {symbol, earlier}
        if earlier.kind in (SymbolKind.EXTENT, SymbolKind.LENGTH) and self.span(earlier) > self.span(symbol):
            message = (
                f"the {symbol.kind} '{symbol.name}' is not known yet where shapes and lengths are bound: here "
                f"'{symbol.name}' declares {earlier.kind.article}, and the two clash"
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
        """Notes that it is not known what a node means, so that one problem is all that is said of it."""
        self.unclear[node.span.shifted(self.base)] = problem

    def use(self, node: nodes.Node, target: Target | ModuleName | AttributeName, role: Role = Role.READ) -> None:
        """Notes that a node names something."""
        self._uses.append((self._statement, Use(node.span, target, role)))

    def missing(self, node: nodes.Node, name: str, scope: Scope, wanted: str = "name") -> None:
        """Notes that a name stands for nothing. What recovery made up is reported: an empty name, or a keyword."""
        if name and name not in keywords():
            span = node.span.shifted(self.base)
            self.undefined.append(UndefinedName(span, name, self.block, tuple(scope.visible()), wanted))
