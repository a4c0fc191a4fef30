"""Defaults that depend on each other, or on the length that they are to give (2.5, 2.6.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import Note, Problem, Span
from snd_analysis.skriptnd.names import (
    Declaration,
    Resolution,
    StatementPart,
    Symbol,
    SymbolKind,
    bindings,
    declarations,
    is_ambiguous,
    symbols_in,
)
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types.context import Context, Stage
from snd_analysis.skriptnd.types.expressions.dimensions import dimensions, extents_of
from snd_analysis.skriptnd.types.type import Extents, Typed


class Circles(Struct, frozen=True):
    """Attributes whose defaults can never be evaluated."""

    involved: frozenset[Declaration]
    """Declarations in a circle, and declarations that depend on one."""
    reported: Mapping[Declaration, tuple[Declaration, ...]]
    """All attributes of each circle, keyed by its first attribute."""


def circular_defaults(definition: nodes.Definition, resolution: Resolution) -> Circles:
    """Return the attributes whose defaults need their own values.

    An attribute that is required, optional or has a constant default is known; so is a length that an input or a known
    attribute binds. A deferred default is known when all that it names is.
    """
    attributes = declarations(definition, BlockKind.ATTRIB)
    pending = [each for each in attributes if each.parameter.default is not None and not each.parameter.optional]
    needs = {each: _needs(resolution, each) for each in pending}
    gives = {each: frozenset(_gives(resolution, each)) for each in attributes}
    provided = {symbol for each in attributes if each not in needs for symbol in gives[each]}
    for declaration in declarations(definition, BlockKind.INPUT):
        provided.update(_gives(resolution, declaration))
    pending = _never_known(pending, needs, gives, provided)
    givers = _givers(pending, gives, provided)
    edges = {each: tuple(other for symbol in needs[each] for other in givers.get(symbol, ())) for each in pending}
    return Circles(frozenset(pending), _circles(pending, edges))


def _never_known(
    pending: list[Declaration],
    needs: Mapping[Declaration, frozenset[Symbol]],
    gives: Mapping[Declaration, frozenset[Symbol]],
    provided: set[Symbol],
) -> list[Declaration]:
    """Return the attributes whose defaults no order can evaluate. Add to ``provided`` the symbols that others give."""
    givers = _givers(pending, gives, provided)
    users: dict[Symbol, list[Declaration]] = {}
    for each in pending:
        for symbol in needs[each] & givers.keys():
            users.setdefault(symbol, []).append(each)
    waiting = {each: len(needs[each] & givers.keys()) for each in pending}
    known = [each for each in pending if not waiting[each]]
    for each in known:  # grows
        for symbol in gives[each] - provided:
            provided.add(symbol)
            for user in users.get(symbol, ()):
                waiting[user] -= 1
                if not waiting[user]:
                    known.append(user)
    return [each for each in pending if waiting[each]]


def _givers(
    pending: list[Declaration], gives: Mapping[Declaration, frozenset[Symbol]], provided: set[Symbol]
) -> dict[Symbol, list[Declaration]]:
    found: dict[Symbol, list[Declaration]] = {}
    for each in pending:
        for symbol in gives[each] - provided:
            found.setdefault(symbol, []).append(each)
    return found


def _needs(resolution: Resolution, declaration: Declaration) -> frozenset[Symbol]:
    default = declaration.parameter.default
    return frozenset(symbols_in(resolution, default.value)) if default is not None else frozenset()


def _gives(resolution: Resolution, declaration: Declaration) -> Iterable[Symbol]:
    symbol = resolution.targets.get(declaration.parameter.name)
    if isinstance(symbol, Symbol):
        yield symbol
    yield from (binding.symbol for binding in bindings(resolution, declaration) if binding.symbol is not None)


def _circles(
    pending: list[Declaration], edges: Mapping[Declaration, tuple[Declaration, ...]]
) -> dict[Declaration, tuple[Declaration, ...]]:
    """Return the circles, each with its first declared attribute."""
    backwards: dict[Declaration, list[Declaration]] = {each: [] for each in pending}
    for declaration, others in edges.items():
        for other in others:
            backwards[other].append(declaration)
    found: dict[Declaration, tuple[Declaration, ...]] = {}
    seen = _in_no_circle(pending, edges, backwards)
    for declaration in pending:
        if declaration in seen:
            continue
        forward = _reachable(declaration, edges)
        if declaration not in forward:
            continue
        back = _reachable(declaration, backwards)
        circle = tuple(each for each in pending if each in forward and each in back)
        seen.update(circle)
        found[declaration] = circle
    return found


def _in_no_circle(
    pending: list[Declaration],
    edges: Mapping[Declaration, Sequence[Declaration]],
    backwards: Mapping[Declaration, Sequence[Declaration]],
) -> set[Declaration]:
    """Return declarations that no others need, but for such: they depend on a circle and are in none."""
    users = {each: len(backwards[each]) for each in pending}
    unused = [each for each in pending if not users[each]]
    for each in unused:  # grows
        for other in edges[each]:
            users[other] -= 1
            if not users[other]:
                unused.append(other)
    return set(unused)


def _reachable(start: Declaration, edges: Mapping[Declaration, Sequence[Declaration]]) -> set[Declaration]:
    reached: set[Declaration] = set()
    pending = [start]
    while pending:
        for other in edges[pending.pop()]:
            if other not in reached:
                reached.add(other)
                pending.append(other)
    return reached


# ---- problems of a definition that follow from others of it: to mend the others mends them, too ----------------------
def without_consequences(
    definition: nodes.Definition, resolution: Resolution, names: Sequence[Problem], types: Sequence[Problem]
) -> Iterator[Problem]:
    """Yield the problems of names and types of a definition without those that follow from others."""
    counts = [problem.span for problem in types if problem.rule is rules.RESULT_COUNT]
    for problem in names:
        # `_, y = f(x);` with one result: to leave `_` out mends both.
        if problem.rule is not rules.RESERVED_NAME or not any(_is_in(problem, span) for span in counts):
            yield problem
    has_lost_length = _has_lost_length(definition, names)
    has_ambiguous_rank = any(problem.rule is rules.AMBIGUOUS_SHAPE for problem in types)
    has_lost_statement = any(problem.rule is rules.OUTPUT_NOT_ASSIGNED for problem in types)
    for problem in _ranks_told_once(resolution, types):
        if has_lost_length and problem.rule is rules.PACK_EXPECTED and _is_input(resolution, problem.span):
            continue  # the declaration of the input, `xs: real[n]`, has lost `..(k)`
        if has_ambiguous_rank and problem.rule is rules.INDEX_COUNT:
            continue  # an input has lost the extent that tells the rank, and an index has it still
        if has_lost_statement and problem.rule is rules.UNKNOWN_QUANTIZED_TENSOR:
            continue  # the statement that assigns the output had the label
        yield problem


def _ranks_told_once(resolution: Resolution, types: Sequence[Problem]) -> list[Problem]:
    """Return the problems with one for each declared tensor of a wrong rank; its further uses are notes."""
    kept: list[Problem] = []
    first: dict[tuple[Symbol, str], int] = {}
    for problem in types:
        symbol = _argument(resolution, problem.span) if problem.rule is rules.ARGUMENT_RANK else None
        if symbol is None:
            kept.append(problem)
            continue
        key = symbol, problem.message.partition(" needs ")[2]
        if key in first:
            at = first[key]
            note = Note(problem.span, f"'{symbol.name}' has the wrong rank here, too")
            kept[at] = replace(kept[at], notes=(*kept[at].notes, note))
        else:
            first[key] = len(kept)
            kept.append(problem)
    return kept


def _argument(resolution: Resolution, span: Span) -> Symbol | None:
    """Return the declared tensor that is named at a place, as a whole argument."""
    declared = (SymbolKind.INPUT, SymbolKind.VARIABLE, SymbolKind.CONSTANT)
    targets = (use.target for use in resolution.uses_in(span) if use.span == span)
    return next((each for each in targets if isinstance(each, Symbol) and each.kind in declared), None)


def _is_in(problem: Problem, span: Span) -> bool:
    return span.start <= problem.span.start < span.end


def _has_lost_length(definition: nodes.Definition, names: Sequence[Problem]) -> bool:
    """Return whether an output has a length that no input declares."""
    missing = {problem.span for problem in names if problem.rule is rules.UNDEFINED_NAME}
    lengths = (
        entry.pack.length.span.shifted(base)
        for base, entry in entries_of(definition, BlockKind.OUTPUT, nodes.Parameter)
        if missing and entry.pack is not None and entry.pack.length is not None
    )
    return any(length in missing for length in lengths)


def _is_input(resolution: Resolution, span: Span) -> bool:
    uses = (use for use in resolution.uses_in(span) if use.span == span)
    return any(getattr(use.target, "kind", None) is SymbolKind.INPUT for use in uses)


# ---- typing the declarations of constants and variables, as a pass over them -----------------------------------------
class DeclarationTypes(Struct, frozen=True):
    """The additions from typing a declaration or a row of declarations without problems."""

    symbols: dict[Symbol, Typed]
    extents: dict[Symbol, Extents | None]
    changed: Set[Symbol]


class TypingOfDeclarations:
    """The typing of the declarations of a block by ``declare``, reusing earlier results."""

    def __init__(self, context: Context, block: BlockKind, declare: Callable[[Declaration], None]) -> None:
        self._context = context
        self._block = block
        self._declare = declare

    def may_last(self, part: StatementPart) -> bool:
        """Return whether no name is ambiguous."""
        return part.lasting and not self._context.resolution.ambiguous

    def given(self, part: StatementPart) -> object | None:
        """Return the types of the symbols that the declarations name."""
        context = self._context
        ambiguous = context.resolution.ambiguous
        if not part.lasting or is_ambiguous(context.resolution, part):
            return None
        symbol = context.symbol(_parameter(part).name)
        return None if symbol in ambiguous else [symbol, *(context.typed(each) for each in part.given)]

    def add(self, known: DeclarationTypes) -> bool:
        """Add types that are known."""
        self._context.symbols.add(known.symbols)
        self._context.extents.add(known.extents)
        return True

    def run(self, part: StatementPart) -> None:
        """Type a declaration."""
        node = _parameter(part)
        self._declare(Declaration(self._block, self._context.resolution.starts[node], node))

    def work_out(self, part: StatementPart, versions: tuple[DeclarationTypes, ...]) -> tuple[DeclarationTypes, bool]:
        """Type a declaration, and return its additions."""
        context, node = self._context, _parameter(part)
        symbol, said, unsure = context.symbol(node.name), context.amount_said(), context.unsure
        self.run(part)
        own = (*(() if symbol is None else (symbol,)), *part.symbols)
        symbols = {each: context.symbols[each] for each in own if each in context.symbols}
        if symbol is None or context.amount_said() != said:
            return DeclarationTypes(symbols, {}, {*symbols, *(context.unsure - unsure)}), False
        with context.at(Stage.COMPOSE):
            extents = None if node.shape is None else extents_of(dimensions(context, node.shape, node.optional))
        context.extents[symbol] = extents
        return DeclarationTypes(symbols, {symbol: extents}, symbols.keys()), True

    def together(self, found: Sequence[DeclarationTypes]) -> DeclarationTypes:
        """Return the types of a row."""
        together = DeclarationTypes({}, {}, set())
        for each in found:
            together.symbols.update(each.symbols)
            together.extents.update(each.extents)
        return together


def _parameter(part: StatementPart) -> nodes.Parameter:
    assert isinstance(part.node, nodes.Parameter)
    return part.node
