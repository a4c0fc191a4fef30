"""Tensors, extents and all else that a definition declares."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.ide.completion.expected import Expected
from snd_analysis.ide.completion.item import Completion, CompletionKind, matches
from snd_analysis.ide.completion.place import CompletionPlace
from snd_analysis.ide.completion.stack import OpenBracket
from snd_analysis.ide.completion.visible import Visible
from snd_analysis.ide.limits import MOST_RESULTS
from snd_analysis.skriptnd.names import BUILT_INS, Symbol, SymbolKind
from snd_analysis.skriptnd.samples import GENERATORS
from snd_analysis.skriptnd.syntax import Token, nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind, entries_of
from snd_analysis.skriptnd.types import INT, Context, Type, scoped_names
from snd_analysis.workspace import Snapshot

FITTING, OTHER, COMPARED, DOUBTFUL = 0, 2, 3, 5
ARITHMETIC = frozenset({"PLUS", "MINUS", "STAR", "SLASH", "BACKSLASH", "PERCENT", "POWER", "_binary_operator"})
_COMPILE_TIME = frozenset(BlockKind) - {BlockKind.LOWER, BlockKind.COMPOSE, BlockKind.UPDATE, BlockKind.QUANTIZE}
_ASSIGNED = {
    BlockKind.LOWER: SymbolKind.OUTPUT,
    BlockKind.COMPOSE: SymbolKind.OUTPUT,
    BlockKind.UPDATE: SymbolKind.VARIABLE,
}
_INDEX = Type(INT)
_COUNTED = (SymbolKind.INDEX, SymbolKind.ITERATION)
_DECLARED = frozenset({BlockKind.ATTRIB, BlockKind.INPUT, BlockKind.OUTPUT, BlockKind.CONSTANT, BlockKind.VARIABLE})
_MEMBERS = (
    ("shape", "the extents of a tensor"), ("rank", "the number of its dimensions"), ("size", "the tensors of a pack")
)  # fmt: skip


def is_compile_time(place: CompletionPlace) -> bool:
    """Return whether no tensor can be read at a place."""
    stack = place.stack
    if place.block in _COMPILE_TIME:
        return True
    frames = {stack.frame_of(opener) for opener in stack.openers}
    if (
        frames & {OpenBracket.ATTRIBUTES, OpenBracket.SHAPE, OpenBracket.LENGTH, OpenBracket.GENERICS}
        and "DO" not in stack.symbols
    ):
        return True
    if place.block in (BlockKind.COMPOSE, BlockKind.UPDATE) and (
        frames & {OpenBracket.CAST, OpenBracket.INDEX} or _is_computed(place)
    ):
        return True
    # the bound of an index: `, i < n`
    return stack.symbols[-3:] == ("COMMA", "name", "LT")


def _is_computed(place: CompletionPlace) -> bool:
    """Return whether a value would be computed with, as tensors can't be in ``@compose``."""
    stack = place.stack
    callees = [stack.call(at) for at in stack.openers if stack.frame_of(at) is OpenBracket.ARGUMENTS]
    return stack.top in ARITHMETIC or any(callee is not None and callee.text in BUILT_INS for callee in callees[1:])


def visible_names(place: CompletionPlace, visible: Visible, expected: Expected | None) -> Iterator[Completion]:
    """Yield the names for an expression: fitting ones first, later declarations before earlier ones."""
    compile_time = is_compile_time(place)
    is_accessed = place.block == BlockKind.LOWER and not compile_time
    unwritten = _initialized(place)
    if expected is None or expected.begins(_INDEX, is_accessed):
        yield from _unbound(place, visible, FITTING if expected is None or expected.accepts(_INDEX) else DOUBTFUL)
    results = 0
    for symbol in reversed(list(visible.symbols.values())):
        if symbol.kind in (SymbolKind.DTYPE, SymbolKind.LABEL) or symbol.name == unwritten:
            continue
        if (symbol.kind is SymbolKind.TENSOR and results >= MOST_RESULTS) or not matches(place.prefix, symbol.name):
            continue
        results += symbol.kind is SymbolKind.TENSOR
        type_ = visible.typed(symbol).type or (_INDEX if symbol.kind in _COUNTED else None)
        is_tensor = symbol.is_tensor and (type_ is None or type_.tensor)
        if place.member and not is_tensor:
            continue
        begins = expected is None or expected.begins(type_, is_accessed)
        if is_tensor and not place.member and (compile_time or not begins):
            if compile_time or (expected is not None and not expected.tensor):
                yield from _members(symbol, type_, place, expected)
            continue
        if not begins:
            continue
        yield _item(symbol, type_, _group(symbol, type_, expected, place))


def _initialized(place: CompletionPlace) -> str:
    """Return the name that the statement around a place initializes, which it therefore can't read.

    That is an output, or a declaration with a default.
    """
    if place.block in _DECLARED:
        name = next(iter(place.stack.values[place.stack.statement :]), None)
        return name.text if isinstance(name, nodes.Name) else ""
    target = ""
    for value in place.stack.values:
        if isinstance(value, nodes.Access):
            target = value.name.text
        elif target and ((isinstance(value, nodes.Operator) and value.text == "=") or _is_assignment(value)):
            return target
    return ""


def _is_assignment(value: object) -> bool:
    return isinstance(value, Token) and value.kind == "ASSIGN"


def _group(symbol: Symbol, type_: Type | None, expected: Expected | None, place: CompletionPlace) -> int:
    if expected is None:
        if place.block in (BlockKind.COMPOSE, BlockKind.UPDATE):
            return FITTING if symbol.is_tensor else OTHER
        is_first = symbol.kind in (SymbolKind.INDEX, SymbolKind.LOCAL) or (
            place.block == BlockKind.LOWER and symbol.is_tensor
        )
        return FITTING if is_first else OTHER - 1
    if type_ is None:
        # An unfinished statement determines no types of its own declarations.
        return FITTING if symbol.kind in (SymbolKind.CARRY, SymbolKind.SCAN, SymbolKind.LOCAL) else DOUBTFUL
    if not expected.accepts(type_):
        return OTHER if expected.is_compared else DOUBTFUL
    if type_.optional and not expected.optional:
        return DOUBTFUL
    return FITTING if not expected.tensor or type_.tensor else OTHER


def _members(
    symbol: Symbol, type_: Type | None, place: CompletionPlace, expected: Expected | None
) -> Iterator[Completion]:
    """Yield a tensor whose extents could be meant."""
    if type_ is None or not (place.stands_alone or place.prefix):
        return
    rank = None if type_.shape is None else type_.shape.rank
    for (member, what), length in zip(_MEMBERS, (rank, None, None), strict=True):
        if (member == "size") != type_.packed or (expected and not expected.begins(Type(INT, length=length), False)):
            continue
        group = COMPARED if expected is not None and expected.is_compared else DOUBTFUL
        label = f"{symbol.name}.{member}"
        yield Completion(label, CompletionKind.MEMBER, group, detail=what, subject=("word", "members", member))


def _item(symbol: Symbol, type_: Type | None, group: int) -> Completion:
    kind = CompletionKind.TENSOR if symbol.is_tensor else CompletionKind.NAME
    detail = f"{symbol.kind}: {type_}" if type_ is not None else str(symbol.kind)
    return Completion(symbol.name, kind, group, detail=detail, subject=("symbol", symbol.name))


def members(place: CompletionPlace, visible: Visible) -> Iterator[Completion]:
    """Yield ``shape`` and the like, after the name of a tensor and a dot."""
    symbol = visible.symbols.get(place.qualifier[0]) if len(place.qualifier) == 1 else None
    if symbol is None or not symbol.is_tensor:
        return
    type_ = visible.typed(symbol).type
    for member, what in _MEMBERS:
        if member != "size" or type_ is None or type_.packed:
            yield Completion(
                member, CompletionKind.MEMBER, FITTING, detail=what, subject=("word", "members", member)
            )  # fmt: skip


def types(visible: Visible, group: int = FITTING) -> Iterator[Completion]:
    """Yield the generic types of the definition."""
    for symbol in visible.symbols.values():
        if symbol.kind is SymbolKind.DTYPE:
            assert isinstance(symbol.node, nodes.DtypeDeclaration)
            yield Completion(
                symbol.name, CompletionKind.TYPE, group, detail=f"generic type {symbol.node.base.text}".rstrip(),
                subject=("symbol", symbol.name),
            )  # fmt: skip


def assignable(place: CompletionPlace, visible: Visible) -> Iterator[Completion]:
    """Yield the assignable names at the beginning of a statement: outputs, in ``@update`` variables."""
    if _begins_statement(place):
        for symbol in unassigned(place, visible):
            yield _item(symbol, visible.typed(symbol).type, FITTING)


def unassigned(place: CompletionPlace, visible: Visible) -> Iterator[Symbol]:
    """Yield the symbols that a statement of the block may assign: outputs, in ``@update`` variables."""
    stack = place.stack
    wanted = None if place.block is None else _ASSIGNED.get(place.block)
    if wanted is None or any(stack.frame_of(opener) is OpenBracket.REGION for opener in stack.openers):
        return
    taken = _assigned(place) if place.block != BlockKind.LOWER else frozenset()
    for symbol in visible.all:
        if symbol.kind is wanted and symbol.name not in taken:
            yield symbol


def readable_tensors(place: CompletionPlace, visible: Visible) -> list[Symbol]:
    """Return the tensors that a statement may read: those computed above it, the last first, then declared ones."""
    computed = _computed(place)
    local = [each for each in visible.all if each.kind is SymbolKind.TENSOR and each.name in computed]
    declared = [each for each in visible.all if each.kind in (SymbolKind.INPUT, SymbolKind.VARIABLE)]
    return [*sorted(local, key=lambda each: -computed[each.name]), *declared]


def _computed(place: CompletionPlace) -> dict[str, int]:
    """Return the tensors that statements above a place compute, with the places of these statements."""
    if place.definition is None:
        return {}
    return {
        each.text: base + component.start
        for base, component in entries_of(place.definition, BlockKind.COMPOSE, nodes.Component)
        if place.chunk.start + base + component.end <= place.head
        for result in component.results
        for each in nodes.descendants(result)
        if isinstance(each, nodes.Name)
    }


def _begins_statement(place: CompletionPlace) -> bool:
    stack = place.stack
    if place.block != BlockKind.LOWER:
        return stack.top in ("compose_entries", "LBRACE", "LSQB", "COMMA", "LPAR")
    symbols = stack.symbols[stack.statement :]
    return not symbols or symbols[-1] in ("locals", "unroll", "RPAR") or (symbols[-1] == "COLON" and "WITH" in symbols)


def _assigned(place: CompletionPlace) -> frozenset[str]:
    """Return the names that other statements of the block assign."""
    found = set()
    for block in place.definition.blocks if place.definition is not None else ():
        if not isinstance(block, nodes.Block) or block.kind != place.block:
            continue
        for entry in block.entries:
            start, end = place.chunk.start + entry.start, place.chunk.start + entry.end
            if isinstance(entry.statement, nodes.Component) and not start <= place.offset <= end:
                for result in entry.statement.results:
                    found |= {each.text for each in nodes.descendants(result) if isinstance(each, nodes.Name)}
    for value in place.stack.values[place.stack.statement :]:
        for node in value if isinstance(value, list) else (value,):
            if isinstance(node, nodes.Node):
                found |= {each.text for each in nodes.descendants(node) if isinstance(each, nodes.Name)}
    return frozenset(found)


def indices(place: CompletionPlace, visible: Visible) -> Iterator[Completion]:
    """Yield the indices of a formula that have no bound yet, where bounds stand."""
    stack = place.stack
    if "WITH" in stack.symbols[stack.statement :]:  # a local value is due
        return
    if place.block == BlockKind.LOWER and stack.top == "COMMA" and stack.frame is OpenBracket.BLOCK:
        for name in _unbound_names(place, visible):
            text = name if place.following == "<" else f"{name} < "
            yield Completion(name, CompletionKind.NAME, FITTING, text=text, detail="index without a bound")


def _unbound(place: CompletionPlace, visible: Visible, group: int) -> Iterator[Completion]:
    """Yield the indices of the left side of a formula whose bounds are still to be written."""
    if place.block == BlockKind.LOWER and not is_compile_time(place):
        for name in _unbound_names(place, visible):
            yield Completion(name, CompletionKind.NAME, group, detail="index without a bound")


def _unbound_names(place: CompletionPlace, visible: Visible) -> list[str]:
    """Return the undeclared names in indices of the unfinished formula."""
    stack = place.stack
    declared = {symbol.name for symbol in visible.all if symbol.kind not in (SymbolKind.INDEX, SymbolKind.LOCAL)}
    declared |= {
        symbol.name for symbol in visible.symbols.values() if symbol.kind in (SymbolKind.INDEX, SymbolKind.LOCAL)
    }
    named: dict[str, None] = {}
    for value in stack.values[stack.statement :]:
        for node in value if isinstance(value, list) else (value,):
            if isinstance(node, nodes.IndexBound):
                declared.add(node.name.text)
            elif isinstance(node, nodes.Node):
                named.update(dict.fromkeys(_indexing(node)))
    return [name for name in named if name and name not in declared]


def _indexing(node: nodes.Node) -> Iterator[str]:
    for each in nodes.descendants(node):
        if isinstance(each, nodes.Index):
            for name in nodes.descendants(each):
                if isinstance(name, nodes.Qualified) and len(name.parts) == 1:
                    yield name.text


def quantizable(visible: Visible) -> Iterator[Completion]:
    """Yield tensors and labels, for ``@quantize``."""
    seen = set()
    for symbol in visible.all:
        label = symbol.kind is SymbolKind.LABEL
        local = symbol.kind in (SymbolKind.CARRY, SymbolKind.SCAN, SymbolKind.ITERATION)
        if ((symbol.is_tensor and not local) or label) and symbol.name not in seen:
            seen.add(symbol.name)
            item = _item(symbol, visible.typed(symbol).type, FITTING)
            yield Completion(item.label, CompletionKind.LABEL if label else item.kind, FITTING, detail=item.detail)


# ---- scoped names: names after labels, where tensors are quantized ---------------------------------------------------
def scoped(snapshot: Snapshot, place: CompletionPlace, definition: nodes.Definition) -> Iterator[Completion]:
    """Yield the targets of the labels before the last dot: tensors first, then further labels."""
    context = Context(definition, snapshot.resolution(place.path, definition), snapshot.others(place.path))
    for name, step in scoped_names(context, place.qualifier):
        symbol = step.target
        owner = step.definition or context.others.own(definition)
        if isinstance(symbol, Symbol) and symbol.is_tensor and owner is not None:
            yield Completion(
                name, CompletionKind.TENSOR, 0, detail=f"{symbol.kind} of {owner.name}",
                subject=("symbol", owner.path, owner.name, name),
            )  # fmt: skip
        else:
            yield Completion(name, CompletionKind.LABEL, 1, detail="label")


# ---- arguments in a sample -------------------------------------------------------------------------------------------
_WHAT = {
    "random": "normally distributed numbers", "iota": "0, 1, 2, …", "zeros": "all 0", "ones": "all 1",
}  # fmt: skip


def generators(place: CompletionPlace, snippets: bool) -> Iterator[Completion]:
    """Yield the generators of tensors, and ``null`` for an omitted argument."""
    stack = place.stack
    if stack.frame not in (OpenBracket.ARGUMENTS, OpenBracket.LIST) or stack.top not in ("LPAR", "COMMA", "LSQB"):
        return
    snippet = snippets and place.following != "["
    for name in GENERATORS:
        yield Completion(
            name, CompletionKind.GENERATOR, 0, text=f"{name}[$1]" if snippet else "", is_snippet=snippet,
            detail=_WHAT[name],
        )  # fmt: skip
    if stack.frame is OpenBracket.ARGUMENTS:
        yield Completion("null", CompletionKind.VALUE, 1, detail="no tensor, for an optional input")
