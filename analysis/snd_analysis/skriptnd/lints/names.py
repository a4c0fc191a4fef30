"""Rules about names that are never used, and operations without effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from itertools import filterfalse

from msgspec import Struct

from snd_analysis.base import Note, OperatorName, Problem, Rule, Severity, Span
from snd_analysis.rules import check_of
from snd_analysis.skriptnd.limits import MOST_NAMED
from snd_analysis.skriptnd.names import Resolution, Role, ShapeMember, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of

DEAD_OPERATION = Rule("dead-operation", section="tool", severity=Severity.WARNING)
UNUSED_SYMBOL = Rule("unused-symbol", section="tool", severity=Severity.HINT)
UNUSED_VARIABLE = Rule("unused-variable", section="tool", severity=Severity.WARNING)

# Extents, lengths, inputs and generic types describe the interface whether or not the body needs them; loop variables
# belong to the form of their loop.
_JUDGED = frozenset(
    {
        SymbolKind.ATTRIBUTE,
        SymbolKind.USING,
        SymbolKind.CONSTANT,
        SymbolKind.VARIABLE,
        SymbolKind.TENSOR,
        SymbolKind.LOCAL,
    }
)


class ValidDefinition(Struct, frozen=True):
    """A definition without errors."""

    names: Resolution
    updates: Callable[[OperatorName], bool]
    """Tells whether an operator updates variables."""


@check_of(ValidDefinition)
def _unused_symbol(definition: ValidDefinition) -> Iterator[Problem]:
    """Report each symbol that is declared and never read, unless its name begins with ``_``.

    Unused variables and operations without effect are rules of their own.
    """
    resolution = definition.names
    symbols = list(_unused(resolution))
    tensors = {resolution.span(symbol) for symbol in symbols if symbol.kind is SymbolKind.TENSOR}
    dead = _dead_operations(resolution, tensors, definition.updates)
    others = {span for each in dead.values() for span in each.others}
    for symbol in symbols:
        span, text = resolution.span(symbol), f"the {symbol.kind} '{symbol.name}' is never used"
        if span in dead:
            yield _dead_problem(resolution, symbol, dead[span])
        elif symbol.kind is SymbolKind.VARIABLE:
            yield Problem(UNUSED_VARIABLE, span, text)
        elif span not in others:
            hint = "; write '~' in its place" if symbol.kind is SymbolKind.TENSOR else ""
            yield Problem(UNUSED_SYMBOL, span, f"{text}{hint}")


def _dead_problem(resolution: Resolution, symbol: Symbol, dead: _DeadOperation) -> Problem:
    """Return one problem for a chain of operations without effect: at its end, where a use is missing or all can go."""
    more = " and the other results are" if dead.others else " is"
    message = f"'{symbol.name}'{more} never used: this operation has no effect"
    names = [f"'{each.name}'" for each in dead.feeding]
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} more"]
    if names:
        listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
        message += f"; {listed} {'are' if len(names) > 1 else 'is'} used only to compute it"
    notes = tuple(Note(resolution.span(each), f"'{each.name}' is used only to compute it") for each in dead.feeding)
    return Problem(DEAD_OPERATION, resolution.span(symbol), message, notes[:MOST_NAMED])


def _unused(resolution: Resolution) -> Iterator[Symbol]:
    blocks = {block.kind for block in resolution.definition.blocks if isinstance(block, nodes.Block)}
    has_body = bool(blocks & {BlockKind.LOWER, BlockKind.COMPOSE})
    read = resolution.symbols_read
    for symbol in filterfalse(read.__contains__, resolution.symbols):
        if symbol.kind not in _JUDGED or symbol.name.startswith("_"):
            continue
        if symbol.kind is SymbolKind.TENSOR and symbol.name in resolution.names_read:  # shadowed by another symbol
            continue
        if symbol.kind in (SymbolKind.ATTRIBUTE, SymbolKind.VARIABLE) and not has_body:
            continue
        yield symbol


class _DeadOperation(Struct, frozen=True):
    """A statement whose results are never used, and the statements that only it uses."""

    first: Span
    """The name of its first result."""
    others: tuple[Span, ...]
    """The names of its other results."""
    feeding: tuple[Symbol, ...]
    """The results of operations, and the variables and constants, that nothing else uses, in their order."""


def _dead_operations(
    resolution: Resolution, unused: Set[Span], updates: Callable[[OperatorName], bool]
) -> dict[Span, _DeadOperation]:
    """Return the operations without effect whose results are never read, by the name of their first result.

    ``unused`` are the places of names that are never read. An operation that updates variables has an effect.
    """
    if not unused:
        return {}
    pure = {
        component.span.shifted(base): [name.span.shifted(base) for name in names]
        for base, component in _components(resolution)
        if (names := component.names) and _is_pure(resolution, component.value, updates)
    }
    last = {span: names for span, names in pure.items() if set(names) <= unused}
    reads = _Reads(resolution, pure) if last else None
    return {
        names[0]: _DeadOperation(names[0], tuple(names[1:]), reads.only_in(span))
        for span, names in last.items()
        if reads is not None
    }


def _components(resolution: Resolution) -> Iterator[tuple[int, nodes.Component]]:
    for base, component in entries_of(resolution.definition, BlockKind.COMPOSE, nodes.Component):
        for node in nodes.descendants(component):
            if isinstance(node, nodes.Component):
                yield base, node


class _Reads:
    """The statements that read each symbol of a definition. All work is linear in the uses of names."""

    def __init__(self, resolution: Resolution, results: Mapping[Span, Sequence[Span]]) -> None:
        self._resolution = resolution
        self._results = results
        self._maker = {name: statement for statement, names in results.items() for name in names}
        self._by_place = {resolution.span(symbol): symbol for symbol in resolution.symbols}
        self._total = Counter[Symbol]()
        self._within: dict[Span, list[tuple[int, Symbol]]] = {}
        uses = [
            (use.span.start, target)
            for use in resolution.uses
            if use.role is not Role.DECLARATION
            and isinstance(target := use.target.tensor if isinstance(use.target, ShapeMember) else use.target, Symbol)
        ]
        around: list[Span] = []
        statements = sorted(results, key=lambda span: (span.start, -span.end), reverse=True)
        for start, symbol in sorted(uses, key=lambda use: use[0]):
            while statements and statements[-1].start <= start:
                around.append(statements.pop())
            around = [span for span in around if start < span.end]
            self._total[symbol] += 1
            for span in around:
                self._within.setdefault(span, []).append((start, symbol))

    def only_in(self, last: Span) -> tuple[Symbol, ...]:
        """Return the symbols read only in a statement, and in statements that compute values only for it."""
        found: dict[Symbol, int] = {}
        left, counted = Counter(self._total), set[int]()
        dead, known = [last], {last}
        for statement in dead:
            for start, symbol in self._within.get(statement, ()):
                left[symbol] -= start not in counted
                counted.add(start)
                place = self._resolution.span(symbol)
                maker = self._maker.get(place)
                if left[symbol] or (maker is None and symbol.kind not in (SymbolKind.VARIABLE, SymbolKind.CONSTANT)):
                    continue
                found[symbol] = place.start
                if maker is None or maker in known:
                    continue
                made = [self._by_place.get(each) for each in self._results[maker]]
                if not any(each is None or left[each] for each in made):
                    known.add(maker)
                    dead.append(maker)
        return tuple(sorted(found, key=found.__getitem__))


def _is_pure(resolution: Resolution, value: nodes.Node, updates: Callable[[OperatorName], bool]) -> bool:
    """Return whether a right side invokes operators, and none that updates variables."""
    targets = (resolution.targets.get(node) for node in nodes.descendants(value))
    invoked = {target for target in targets if isinstance(target, OperatorName)}
    return bool(invoked) and not any(map(updates, invoked))
