"""Mutations of declarations: types, modifiers, shapes, lengths, defaults, and whole entries and blocks."""

from __future__ import annotations

from collections.abc import Iterator

from generators.mutations.expression_mutations import is_needed
from generators.mutations.mutation import Mutation, Verdict, mutation, without
from generators.mutations.name_mutations import may_declare
from generators.mutations.subject import Subject
from snd_analysis.base import Span
from snd_analysis.skriptnd.names import Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes

_TYPES = ("int", "real", "bool", "str")
_TENSORS = ("input", "output", "constant", "variable")


def parameters(subject: Subject, *blocks: str) -> Iterator[tuple[str, nodes.Parameter, Symbol]]:
    """Every parameter with the kind of its block and its symbol."""
    for entry in subject.entries(*blocks):
        symbol = subject.symbol(entry.statement.name) if isinstance(entry.statement, nodes.Parameter) else None
        if isinstance(entry.statement, nodes.Parameter) and symbol is not None:
            yield subject.block_of(entry), entry.statement, symbol


def retype(subject: Subject) -> Iterator[Mutation]:
    """``int`` becomes ``real`` and so on. Every use is a place of its own that does not fit any more."""
    for _, parameter, symbol in parameters(subject):
        if not parameter.type.is_keyword:
            continue
        uses = len(_occurrences(subject, symbol))
        for new in _TYPES:
            default = parameter.default
            unfit = default is not None and _is_literal(default.value)
            verdict = Verdict.MUST if unfit else Verdict.MAY
            yield mutation(f"retype to {new}", verdict, (subject.span(parameter.type), new), places=uses + unfit)
        for abstract in ("num", "type"):
            yield mutation("abstract type", Verdict.MUST, (subject.span(parameter.type), abstract))


def _is_literal(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Literal | nodes.String) or (
        isinstance(node, nodes.List) and bool(node.items) and all(_is_literal(item) for item in node.items)
    )


def modifiers(subject: Subject) -> Iterator[Mutation]:
    """Yield additions and removals of ``optional``."""
    for block, parameter, symbol in parameters(subject):
        type_ = subject.span(parameter.type)
        uses = subject.uses(symbol)
        if parameter.optional:
            modifier = next(each for each in parameter.modifiers if each.text == "optional")
            coalesced = sum(_is_coalesced(subject, use) for use in uses)
            verdict = Verdict.MUST if coalesced else Verdict.MAY
            yield mutation("drop optional", verdict, (subject.span(modifier), ""), places=len(uses))
            value = {"int": "1", "real": "1.0", "bool": "true", "str": "'a'"}.get(parameter.type.text)
            if value is not None and block == "attrib":
                end = subject.span(parameter).end
                yield mutation("default of optional", Verdict.MUST, (Span(end, end), f" = {value}"))
            continue
        needed = sum(_is_accessed_plainly(subject, use) for use in uses)
        fixed = block in ("output", "constant", "variable") or parameter.default is not None
        verdict = Verdict.MUST if fixed or needed else Verdict.MAY
        places = max(len(uses), 1) + fixed
        if parameter.shape is not None and not fixed:
            places = 99  # its extents may be null as well
        yield mutation("add optional", verdict, (Span(type_.start, type_.start), "optional "), places=places)


def _is_coalesced(subject: Subject, use: nodes.Node) -> bool:
    above = subject.above(use)
    return isinstance(above, nodes.Coalesce) and above.value is use


def _is_accessed_plainly(subject: Subject, use: nodes.Node) -> bool:
    above = subject.above(use)
    return isinstance(above, nodes.Subscript) and above.target is use and (
        subject.block_of(use) == "lower" and is_needed(subject, above)
    )  # fmt: skip


def packs(subject: Subject) -> Iterator[Mutation]:
    """``..`` comes and goes, or has another length."""
    for block, parameter, symbol in parameters(subject):
        uses = subject.uses(symbol)
        if parameter.pack is not None:
            expanded = [use for use in uses if _needs_pack(subject, use)]
            verdict = Verdict.MUST if expanded else Verdict.MAY
            yield mutation("drop pack", verdict, (subject.span(parameter.pack), ""), places=max(len(uses), 1))
            length = parameter.pack.length
            if length is not None and not isinstance(length, nodes.Tilde):
                text = f"{subject.spelled(length)} + 1"
                yield mutation("longer pack", Verdict.MAY, (subject.span(length), text), places=9)
                yield mutation("real length", Verdict.MUST, (subject.span(length), "1.5"), places=2)
            continue
        end = subject.span(parameter.shape or parameter.type).end
        shaped = block in _TENSORS and any(_names_shape(subject, use) for use in uses)
        verdict = Verdict.MUST if shaped or (block == "attrib" and _has_single_default(parameter)) else Verdict.MAY
        if block in ("constant", "variable"):
            verdict = Verdict.MUST
        yield mutation("add pack", verdict, (Span(end, end), ".."), places=len(_occurrences(subject, symbol)) + 1)


def _has_single_default(parameter: nodes.Parameter) -> bool:
    return parameter.default is not None and isinstance(parameter.default.value, nodes.Literal)


def _needs_pack(subject: Subject, use: nodes.Node) -> bool:
    above = subject.above(use)
    if isinstance(above, nodes.Expanded):
        return above.item is use and above.expansion.length is None
    return isinstance(above, nodes.Fold | nodes.Scan)


def _names_shape(subject: Subject, use: nodes.Node) -> bool:
    return isinstance(use, nodes.Qualified) and use.parts[-1].text in ("shape", "rank")


def shapes(subject: Subject) -> Iterator[Mutation]:
    """Yield additions and removals of shapes and extents, and changes of expansion."""
    operator = subject.definition.kind == "operator"
    for block, parameter, symbol in parameters(subject):
        if block == "attrib":
            end = subject.span(parameter.type).end
            yield mutation("shape of attribute", Verdict.MUST, (Span(end, end), "[2]"))
            continue
        if parameter.shape is None:
            continue
        must = operator or block in ("constant", "variable")
        extents = parameter.shape.extents
        span = subject.span(parameter.shape)
        yield mutation("drop shape", Verdict.MUST if must else Verdict.MAY, (span, ""), places=9)
        declares = [len(_declared(subject, extent)) for extent in extents]
        accessed = any(_is_accessed(subject, node) for node in _occurrences(subject, symbol))
        verdict = Verdict.MUST if accessed else Verdict.MAY
        places = max(len(_occurrences(subject, symbol)), 1)
        if parameter.default is None:
            added = ", 1]" if extents else "1]"
            yield mutation("add extent", verdict, (Span(span.end - 1, span.end), added), places=places)
        for at, extent in enumerate(extents):
            plain = extent.expansion is None and not extent.spread and parameter.default is None
            optional = (subject.type_of(extent.value) or extent) and getattr(
                subject.type_of(extent.value), "optional", True
            )
            sure = verdict if plain and not optional else Verdict.MAY
            spans = [subject.span(each) for each in extents]
            change = without(spans, at) if len(extents) > 1 else (spans[0], "")
            yield mutation("drop extent", sure, change, places=places + declares[at])
            yield from _expansions(subject, block, extent)


def _expansions(subject: Subject, block: str, extent: nodes.Extent) -> Iterator[Mutation]:
    span = subject.span(extent)
    type_ = subject.type_of(extent.value)
    if extent.expansion is None:
        single = block != "input" and type_ is not None and not type_.packed and not extent.spread
        yield mutation(
            "expand extent", Verdict.MUST if single else Verdict.MAY, (Span(span.end, span.end), ".."), places=3
        )
        yield mutation("real extent", Verdict.MUST, (subject.span(extent.value), "1.5"), places=9)
        return
    packed = type_ is not None and type_.packed
    verdict = Verdict.MUST if packed and block != "input" else Verdict.MAY
    yield mutation("don't expand extent", verdict, (subject.span(extent.expansion), ""), places=99)
    if extent.expansion.length is not None:
        length = subject.span(extent.expansion.length)
        text = f"{subject.spelled(extent.expansion.length)} + 1"
        yield mutation("longer shape", Verdict.MAY, (length, text), places=9)


def _declared(subject: Subject, node: nodes.Node) -> list[Symbol]:
    """Return the uses of the extents and lengths that a component of a shape declares."""
    found = []
    for each in nodes.descendants(node):
        symbol = subject.symbol(each)
        if symbol is not None and subject.declared(symbol) == subject.span(each):
            found.extend(use for use in subject.uses(symbol)[1:])
    return found


def _occurrences(subject: Subject, symbol: Symbol) -> list[nodes.Node]:
    left = [node.name for node in subject.every(nodes.Access) if subject.symbol(node.name) is symbol]  # type: ignore[attr-defined]
    return [*subject.uses(symbol), *left]


def _is_accessed(subject: Subject, node: nodes.Node) -> bool:
    """Return whether all dimensions of a tensor are indexed there."""
    above = subject.above(node)
    if isinstance(above, nodes.Access):
        return not _is_loose(above.indices[-1])
    if not isinstance(above, nodes.Subscript) or above.target is not node or subject.block_of(node) != "lower":
        return False
    return (len(above.index.items) > 1 or above.index.trailing_comma) and not _is_loose(above.index)


def _is_loose(index: nodes.Index) -> bool:
    """Return whether an index may have any number of items, as far as its text says."""
    return any(isinstance(item, nodes.Expanded) for item in index.items)


def defaults(subject: Subject) -> Iterator[Mutation]:
    """Yield additions and removals of values where they are wrong."""
    for block, parameter, _ in parameters(subject):
        end = subject.span(parameter).end
        if parameter.default is not None:
            start = (parameter.pack or parameter.shape or parameter.type).end
            shift = subject.span(parameter).start - parameter.start
            verdict = Verdict.MUST if block == "constant" else Verdict.MAY
            yield mutation("drop default", verdict, (Span(start + shift, end), ""))
            for at, bound in enumerate(parameter.default.bounds):
                spans = [subject.span(parameter.default.value), *map(subject.span, parameter.default.bounds)]
                yield mutation("drop bound of constant", Verdict.MUST, without(spans, at + 1), places=2)
                yield mutation("bound twice", Verdict.MUST, (Span(end, end), f", {subject.spelled(bound)}"))
        elif block in ("variable", "output"):
            yield mutation("value of what has none", Verdict.MUST, (Span(end, end), " = 1"))
        elif block == "input" and parameter.shape is not None and _fresh(subject, parameter):
            yield mutation("default of tensor", Verdict.MUST, (Span(end, end), " = 1"))


def _fresh(subject: Subject, parameter: nodes.Parameter) -> bool:
    """Return whether only this shape binds one of its extents."""
    assert parameter.shape is not None
    for extent in parameter.shape.extents:
        symbol = subject.symbol(extent.value)
        places = [] if symbol is None else [use for use in subject.uses(symbol) if may_declare(subject, use)]
        if symbol is not None and symbol.kind is SymbolKind.EXTENT and len(places) == 1:
            return True
    return False


def generics(subject: Subject) -> Iterator[Mutation]:
    """Yield generic types with other bases and defaults."""
    for node in subject.every(nodes.DtypeDeclaration):
        if node.default is not None and node.base.text in ("num", "arith"):
            yield mutation("default outside base", Verdict.MUST, (subject.span(node.default), "str"))
        if node.default is not None:
            yield mutation("abstract default", Verdict.MUST, (subject.span(node.default), "num"))
        yield mutation("concrete base", Verdict.MUST, (subject.span(node.base), "real"), places=9)
        if node.base.text == "num":
            computed = any(
                isinstance(above, nodes.Binary) and above.operator.text in "+-*/"
                for each in subject.every(nodes.Subscript, nodes.Qualified)
                if (above := subject.above(each)) is not None and _is_of(subject, each, node.name.text)
            )
            yield mutation(
                "wider base", Verdict.MUST if computed else Verdict.MAY, (subject.span(node.base), "type"), places=9
            )


def _is_of(subject: Subject, node: nodes.Node, name: str) -> bool:
    type_ = subject.type_of(node)
    return type_ is not None and type_.dtype.name == name


def helpers(subject: Subject) -> Iterator[Mutation]:
    """Yield changes of lengths of helper symbols, and of unpacked lists."""
    for node in subject.every(nodes.Using):
        if isinstance(node.target, nodes.NameTarget):
            symbol = subject.symbol(node.target.name)
            type_ = subject.type_of(node.value)
            if symbol is None or type_ is None or node.target.expansion is not None:
                continue
            end = subject.span(node.target).end
            uses = max(len(subject.uses(symbol)), 1)
            if not type_.packed:
                yield mutation("length of a single value", Verdict.MUST, (Span(end, end), "..(2)"), places=uses)
                value = subject.span(node.value)
                yield mutation(
                    "take a single value apart", Verdict.MUST, (subject.span(node.target), f"[{symbol.name}, zz..]")
                )
                yield mutation("tuple not expanded", Verdict.MUST, (value, f"[({subject.spelled(node.value)}, 1)]"))
            elif type_.length is not None:
                yield mutation("wrong length", Verdict.MUST, (Span(end, end), "..(-1)"), places=uses)
        elif len(node.target.items) > 1:
            spans = [subject.span(item) for item in node.target.items]
            yield mutation("one part less", Verdict.MAY, without(spans, 0))


def entries(subject: Subject) -> Iterator[Mutation]:
    """Whole declarations are dropped, written twice, or swapped."""
    for entry in subject.entries("dtype", "attrib", "input", "using", "constant", "variable", "output"):
        declared = _symbols_of(subject, entry)
        uses = [use for symbol in declared for use in subject.uses(symbol) if subject.above(use) is not None]
        uses = [use for use in uses if not _inside(subject, use, entry)]
        sure = bool(uses) and not any(may_declare(subject, use) for use in uses)
        if subject.block_of(entry) == "output" and subject.entries("compose"):
            sure = False  # it becomes an intermediate tensor
        span = subject.span(entry)
        kind = f"drop {subject.block_of(entry)}"
        yield mutation(kind, Verdict.MUST if sure else Verdict.MAY, (span, ""), places=len(uses) + 1)
        twice = f"{subject.spelled(entry)} {subject.spelled(entry)}"
        yield mutation(f"{subject.block_of(entry)} twice", Verdict.MUST, (span, twice), places=max(len(declared), 1))
    for block in subject.blocks():
        for first, second in zip(block.entries, block.entries[1:], strict=False):
            yield _swapped(subject, block.kind, first, second)


def _swapped(subject: Subject, kind: str, first: nodes.Entry, second: nodes.Entry) -> Mutation:
    verdict = Verdict.LEGAL if kind in ("assert", "variable", "quantize") else Verdict.MAY
    needed = set(_symbols_of(subject, first))
    if kind in ("using", "compose") and any(
        subject.symbol(node) in needed for node in nodes.descendants(second.statement)
    ):
        verdict = Verdict.MUST
    if verdict is Verdict.MUST and kind == "compose" and any(symbol.kind is SymbolKind.LABEL for symbol in needed):
        verdict = Verdict.MAY
    changes = (subject.span(first), subject.spelled(second)), (subject.span(second), subject.spelled(first))
    return mutation(f"swap {kind}", verdict, *changes, places=max(len(needed), 1))


def _symbols_of(subject: Subject, entry: nodes.Entry) -> list[Symbol]:
    span = subject.span(entry)
    return [
        symbol for symbol in subject.resolution.symbols
        if symbol.name and span.start <= subject.declared(symbol).start < span.end
    ] + [
        symbol for node in nodes.descendants(entry.statement)
        if isinstance(node, nodes.Name) and (symbol := subject.symbol(node)) is not None
        and symbol.kind is SymbolKind.OUTPUT and subject.block_of(entry) == "compose"
    ]  # fmt: skip


def _inside(subject: Subject, node: nodes.Node, entry: nodes.Entry) -> bool:
    outer, inner = subject.span(entry), subject.span(node)
    return outer.start <= inner.start < outer.end


def blocks(subject: Subject) -> Iterator[Mutation]:
    """Yield blocks dropped, written twice, renamed, or moved."""
    found = subject.blocks()
    for at, block in enumerate(found):
        span, text = subject.span(block), subject.spelled(block)
        if block.kind in ("compose", "output"):
            must = subject.definition.kind == "graph"
            yield mutation("drop block", Verdict.MUST if must and block.entries else Verdict.MAY, (span, ""), places=9)
        if len(block.entries) > 1:
            behind = subject.span(block.entries[0]).end
            yield mutation("block in two", Verdict.MUST, (Span(behind, behind), f" }} @{block.kind} {{ "))
        if at:
            first = found[at - 1]
            swapped = (subject.span(first), text), (span, subject.spelled(first))
            yield mutation("swap blocks", Verdict.LEGAL, *swapped)
        if block.kind == "lower":
            yield mutation(
                "lower and compose", Verdict.MUST, (Span(span.end, span.end), " @compose { zz = 1; }"), places=2
            )


OPERATORS = (retype, modifiers, packs, shapes, defaults, generics, helpers, entries, blocks)
