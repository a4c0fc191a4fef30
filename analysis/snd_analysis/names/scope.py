"""The names that are visible at a point of a definition, and the tables that resolving fills."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.names.environment import Environment
from snd_analysis.names.resolution import AttributeName, ModuleName, Role, Use
from snd_analysis.names.symbols import Symbol, SymbolKind, Target
from snd_analysis.names.undefined import Undefined, UnknownModule
from snd_analysis.source import Span
from snd_analysis.syntax import nodes
from snd_analysis.syntax.problem import Note, Problem
from snd_analysis.syntax.tokens import keywords


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
        self.unknown_modules: list[UnknownModule] = []
        self.unclear: dict[Span, Problem] = {}
        """Parts of statements of which it is not known what they mean, with what is said of them."""
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
        if earlier.kind in (SymbolKind.EXTENT, SymbolKind.LENGTH) and earlier.span.start > symbol.span.start:
            message = (
                f"the {symbol.kind} '{symbol.name}' is not known yet where shapes and lengths are bound: here "
                f"'{symbol.name}' declares {earlier.kind.article}, and the two clash"
            )
            note = Note(symbol.span, f"the {symbol.kind} is declared here")
            self.problems.append(Problem("not-visible", earlier.span, message, (note,)))
            return
        rule, what = "duplicate-definition", f"the {symbol.kind} '{symbol.name}' has the name of"
        if symbol.kind is earlier.kind:
            what = f"the {symbol.kind} '{symbol.name}' has the same name as"
        if symbol.kind is SymbolKind.TENSOR and earlier.kind is SymbolKind.TENSOR:
            rule, what = "assigned-twice", f"the tensor '{symbol.name}' is assigned a second time:"
        message = f"{what} the {earlier.kind} declared before"
        if rule == "assigned-twice":
            message = f"the tensor '{symbol.name}' is assigned a second time; each needs a name of its own"
        self.problems.append(Problem(rule, symbol.span, message, (Note(earlier.span, "first declared here"),)))

    def make_unclear(self, node: nodes.Node, problem: Problem) -> None:
        """Notes that it is not known what a node means, so that one problem is all that is said of it."""
        self.unclear[node.span.shifted(self.base)] = problem

    def use(self, node: nodes.Node, target: Target | ModuleName | AttributeName, role: Role = Role.READ) -> None:
        """Notes that a node names something."""
        self.uses.append(Use(node.span.shifted(self.base), target, role))

    def missing(self, node: nodes.Node, name: str, scope: Scope, wanted: str = "name") -> None:
        """Notes that a name stands for nothing. What recovery made up is reported: an empty name, or a keyword."""
        if name and name not in keywords():
            span = node.span.shifted(self.base)
            self.undefined.append(Undefined(span, name, self.block, tuple(scope.visible()), wanted))
