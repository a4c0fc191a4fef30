"""The names that are visible at a point of a definition, and the tables that resolving fills."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from snd_analysis.names.environment import Environment
from snd_analysis.names.resolution import AttributeName, ModuleName, Role, Use
from snd_analysis.names.symbols import Symbol, SymbolKind, Target
from snd_analysis.source import Edit, Span
from snd_analysis.syntax import nodes
from snd_analysis.syntax.problem import Note, Problem, Repair
from snd_analysis.syntax.spelling import close_matches


@dataclass(frozen=True, slots=True)
class Undefined:
    """A name that nothing visible bears; judged at the end, when all symbols of the definition are known."""

    span: Span
    name: str
    block: str
    visible: tuple[str, ...]
    wanted: str
    """What was looked for: ``name``, ``type``, ``tensor``."""


class Scope:
    """Names of one level; what it does not have is looked up further out."""

    __slots__ = ("names", "outer")

    def __init__(self, outer: Scope | None = None) -> None:
        self.names: dict[str, Symbol] = {}
        self.outer = outer

    def find(self, name: str) -> Symbol | None:
        """The symbol that the name stands for here."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def visible(self) -> Iterator[str]:
        """All names that could be used here."""
        scope: Scope | None = self
        while scope is not None:
            yield from scope.names
            scope = scope.outer


class Tables:
    """Everything that is known of the names of a definition so far."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.symbols: list[Symbol] = []
        self.targets: dict[nodes.Node, Target] = {}
        self.uses: list[Use] = []
        self.problems: list[Problem] = []
        self.undefined: list[Undefined] = []
        self.ambiguous: set[Symbol] = set()
        self.block = ""
        self.base = 0

    def declare(self, scope: Scope, name: nodes.Name, kind: SymbolKind, node: nodes.Node) -> Symbol:
        """Declares a name in ``scope``; a name that the scope already has keeps its first meaning, and is reported."""
        span = name.span.shifted(self.base)
        symbol = Symbol(name.text, kind, span, node, self.base)
        self.symbols.append(symbol)
        self.targets[name] = symbol
        self.uses.append(Use(span, symbol, Role.DECLARATION))
        self.check_name(name)
        earlier = scope.names.get(name.text)
        if earlier is not None and name.text:
            self.report_duplicate(symbol, earlier)
        else:
            scope.names[name.text] = symbol
        return symbol

    def check_name(self, name: nodes.Name) -> None:
        """A lone ``_`` is reserved (2.4)."""
        if name.text == "_":
            message = "'_' alone can't be a name; write '~' for a result that is not needed"
            self.problems.append(Problem("reserved-name", name.span.shifted(self.base), message))

    def report_duplicate(self, symbol: Symbol, earlier: Symbol) -> None:
        """Two declarations of one name."""
        self.ambiguous |= {symbol, earlier}
        rule, what = "duplicate-definition", f"the {symbol.kind} '{symbol.name}' has the name of"
        if symbol.kind is earlier.kind:
            what = f"the {symbol.kind} '{symbol.name}' has the same name as"
        if symbol.kind is SymbolKind.TENSOR and earlier.kind is SymbolKind.TENSOR:
            rule, what = "assigned-twice", f"the tensor '{symbol.name}' is assigned a second time:"
        message = f"{what} the {earlier.kind} declared before"
        if rule == "assigned-twice":
            message = f"the tensor '{symbol.name}' is assigned a second time; each needs a name of its own"
        self.problems.append(Problem(rule, symbol.span, message, (Note(earlier.span, "first declared here"),)))

    def use(self, node: nodes.Node, target: Target | ModuleName | AttributeName, role: Role = Role.READ) -> None:
        """Notes that a node names something."""
        self.uses.append(Use(node.span.shifted(self.base), target, role))

    def missing(self, node: nodes.Node, name: str, scope: Scope, wanted: str = "name") -> None:
        """Notes that a name stands for nothing. Names that recovery made up are empty, and already reported."""
        if name:
            span = node.span.shifted(self.base)
            self.undefined.append(Undefined(span, name, self.block, tuple(scope.visible()), wanted))


def undefined_problems(undefined: list[Undefined], symbols: list[Symbol]) -> Iterator[Problem]:
    """A problem for each name that stands for nothing, at its first use; the other uses are notes."""
    first: dict[tuple[str, str], list[Undefined]] = {}
    for item in undefined:
        first.setdefault((item.name, item.wanted), []).append(item)
    for same in first.values():
        problem = _undefined_problem(same[0], symbols)
        more = tuple(Note(item.span, f"'{item.name}' is used here, too") for item in same[1:4])
        yield replace(problem, notes=(*problem.notes, *more), repair=None if more else problem.repair)


def _undefined_problem(undefined: Undefined, symbols: list[Symbol]) -> Problem:
    name, span = undefined.name, undefined.span
    hidden = next((symbol for symbol in symbols if symbol.name == name), None)
    if hidden is not None:
        return _hidden_problem(undefined, hidden)
    close = close_matches(name, dict.fromkeys(undefined.visible))
    hint = f"; did you mean '{close[0]}'?" if close else ""
    repair = None
    if close:
        repair = Repair(f"write '{close[0]}'", (Edit(span, close[0]),), safe=False)
    return Problem("undefined-name", span, f"there is no {undefined.wanted} '{name}' here{hint}", repair=repair)


def _hidden_problem(undefined: Undefined, symbol: Symbol) -> Problem:
    name, span, kind = undefined.name, undefined.span, symbol.kind
    note = (Note(symbol.span, f"the {kind} '{name}' is declared here"),)
    if kind in (SymbolKind.TENSOR, SymbolKind.OUTPUT) and undefined.block in ("compose", "update"):
        if kind is SymbolKind.OUTPUT or symbol.span.start > span.start:
            message = f"the {kind} '{name}' is used before it is assigned"
            return Problem("used-before-definition", span, message, note)
        return Problem("undefined-name", span, f"the tensor '{name}' is not visible outside of its block", note)
    if kind is SymbolKind.USING and undefined.block == "using":
        message = f"the helper symbol '{name}' is used before it is defined"
        return Problem("used-before-definition", span, message, note)
    if kind is SymbolKind.LABEL:
        message = f"'{name}' is a label: what it labels can be named in '@quantize', but not in an expression"
        return Problem("undefined-name", span, message, note)
    if kind in (SymbolKind.INDEX, SymbolKind.LOCAL, SymbolKind.CARRY, SymbolKind.SCAN, SymbolKind.ITERATION):
        message = f"the {kind} '{name}' is local to where it is declared, and not visible here"
        return Problem("undefined-name", span, message, note)
    message = f"the {kind} '{name}' can't be used in '@{undefined.block}', which is evaluated before it is known"
    return Problem("not-visible", span, message, note)
