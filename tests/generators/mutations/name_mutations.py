"""Mutations of names: used but not declared, declared but not used, declared twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from generators.mutations.mutation import Mutation, Verdict, mutation
from generators.mutations.subject import Subject
from snd_analysis.skriptnd.names import OperatorName, ShapeMember, Symbol, SymbolKind
from snd_analysis.skriptnd.syntax import nodes

_NEW = "zz_other"
_DECLARED = (
    SymbolKind.ATTRIBUTE, SymbolKind.INPUT, SymbolKind.OUTPUT, SymbolKind.CONSTANT, SymbolKind.VARIABLE,
    SymbolKind.USING, SymbolKind.DTYPE,
)  # fmt: skip
_LOCAL = (SymbolKind.INDEX, SymbolKind.LOCAL, SymbolKind.TENSOR, SymbolKind.CARRY, SymbolKind.SCAN)


def rename_uses(subject: Subject) -> Iterator[Mutation]:
    """Every use of a name, one at a time, becomes one of nothing."""
    for node in subject.every(nodes.Qualified, nodes.TypeName):
        target = subject.resolution.targets.get(node)
        if target is None:
            continue
        part = node.parts[-1] if isinstance(node, nodes.Qualified) else node
        if isinstance(target, ShapeMember) and subject.spelled(part) == target.tensor.name:
            continue
        verdict = Verdict.MAY if may_declare(subject, node) else Verdict.MUST
        kind = "rename operator" if isinstance(target, OperatorName) else "rename use"
        yield mutation(kind, verdict, (subject.span(part), _NEW))
    for node in subject.every(nodes.Attribute):
        yield mutation("misspelt attribute", Verdict.MUST, (subject.span(node.name), f"{node.name.text}z"))


def rename_targets(subject: Subject) -> Iterator[Mutation]:
    """Yield other names for targets of assignments."""
    for node in subject.every(nodes.Access):
        yield mutation("rename left side", Verdict.MUST, (subject.span(node.name), _NEW))
    for node in subject.every(nodes.Result):
        if not isinstance(node.target, nodes.Name):
            continue
        symbol = subject.symbol(node.target)
        if symbol is None:
            continue
        alone = _is_alone(subject, symbol)
        needed = symbol.kind is SymbolKind.OUTPUT or (bool(subject.uses(symbol)) and alone)
        verdict = Verdict.MUST if needed and symbol.kind is not SymbolKind.VARIABLE else Verdict.MAY
        places = 2 if symbol.kind is SymbolKind.OUTPUT and subject.uses(symbol) else 1
        yield mutation("rename result", verdict, (subject.span(node.target), _NEW), places=places)
        for other in subject.resolution.symbols:
            if other.kind in (SymbolKind.INPUT, SymbolKind.CONSTANT) and other.name:
                yield mutation(
                    "assign what can't be", Verdict.MUST, (subject.span(node.target), other.name), places=2 + places
                )
                break


def rename_declarations(subject: Subject) -> Iterator[Mutation]:
    """Yield other names for declarations, which leave their uses undefined."""
    for symbol in subject.resolution.symbols:
        if symbol.kind not in _DECLARED + _LOCAL or not symbol.name:
            continue
        uses = subject.uses(symbol)
        sure = bool(uses) and not any(may_declare(subject, use) for use in uses) and _is_alone(subject, symbol)
        verdict = Verdict.MUST if sure else Verdict.MAY
        if symbol.kind in (SymbolKind.OUTPUT, SymbolKind.VARIABLE):
            verdict = Verdict.MAY if verdict is Verdict.MAY else Verdict.MUST
        yield mutation("rename declaration", verdict, (subject.declared(symbol), _NEW), places=2)


def rename_everywhere(subject: Subject) -> Iterator[Mutation]:
    """Yield a renaming of all occurrences of a name: nothing else changes."""
    if any(block.kind == "quantize" for block in subject.blocks()):
        return  # the labels there are made of names of results
    for symbol in _of_their_own(subject):
        changes = [(span, _NEW) for span in subject.occurrences(symbol)]
        yield mutation("rename everywhere", Verdict.LEGAL, *changes)


def clash(subject: Subject) -> Iterator[Mutation]:
    """Two declarations bear one name."""
    symbols = [symbol for symbol in _of_their_own(subject) if symbol.kind in _DECLARED]
    for first, second in pairwise(symbols):
        changes = [(span, first.name) for span in subject.occurrences(second)]
        yield mutation("name clash", Verdict.MUST, *changes)


def _is_alone(subject: Subject, symbol: Symbol) -> bool:
    """Return whether no other symbol of that name would be seen in its place."""
    return [each.name for each in subject.resolution.symbols].count(symbol.name) == 1


def _of_their_own(subject: Subject) -> Iterator[Symbol]:
    names = [symbol.name for symbol in subject.resolution.symbols]
    for symbol in subject.resolution.symbols:
        if symbol.kind in _DECLARED + _LOCAL and symbol.name and names.count(symbol.name) == 1:
            yield symbol


def may_declare(subject: Subject, node: nodes.Node) -> bool:
    """Return whether an unknown name would be a declaration here: in shapes and lengths of attributes and inputs."""
    block = subject.block_of(node)
    for below, above in subject.chain(node):
        if isinstance(above, nodes.Extent) and (
            block in ("attrib", "input", "compose", "update") or (block == "output" and above.bound is not None)
        ):
            return below is not above.bound
        if isinstance(above, nodes.Pack) and block in ("attrib", "input"):
            return True
    return False


OPERATORS = (rename_uses, rename_targets, rename_declarations, rename_everywhere, clash)
