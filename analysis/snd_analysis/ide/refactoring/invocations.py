"""Invocations of an operator wherever they stand: in definitions, in `@quantize` and in samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from snd_analysis.ide.refactoring.change import RefactoringError
from snd_analysis.ide.refactoring.named_operators import named_operators
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

_BLOCKS = (BlockKind.COMPOSE, BlockKind.UPDATE, BlockKind.QUANTIZE)


class PlacedInvocation(Struct, frozen=True):
    """An invocation in a file; spans of ``node`` count from ``base``."""

    path: str
    base: int
    node: nodes.Call | nodes.Quantization
    is_sample: bool = False

    @property
    def function(self) -> nodes.Qualified:
        """The name of the operator."""
        return self.node.function if isinstance(self.node, nodes.Call) else self.node.algorithm


def invocations_of(snapshot: Snapshot, name: OperatorName, files: Iterable[str]) -> list[PlacedInvocation]:
    """Return the invocations of an operator in some files.

    Raise RefactoringError if the operator is named in another way.
    """
    found: list[PlacedInvocation] = []
    for path in dict.fromkeys(files):
        named = {each.span.end for each in named_operators(snapshot, path) if each.operator == name}
        here = [*_invocations(snapshot, name, path)] if named else []
        if named != {each.base + each.function.end for each in here}:
            raise RefactoringError(f"'{name.name}' is named in {path.rpartition('/')[2]} without being invoked")
        found += here
    return found


def _invocations(snapshot: Snapshot, name: OperatorName, path: str) -> Iterator[PlacedInvocation]:
    for start, definition in snapshot.tree(path).definitions:
        targets = snapshot.resolution(path, definition).targets
        for kind in _BLOCKS:
            for base, statement in nodes.entries_of(definition, kind, nodes.Node):
                found = (PlacedInvocation(path, start + base, each) for each in _invoking(statement))
                yield from (each for each in found if targets.get(each.function) == name)
    for placed in snapshot.samples(path):
        call = placed.sample.invocation
        if call is not None and snapshot.named_sample(path, placed.sample).target == name:
            yield PlacedInvocation(path, placed.start, call, is_sample=True)


def _invoking(statement: nodes.Node) -> Iterator[nodes.Call | nodes.Quantization]:
    for each in (statement, *nodes.descendants(statement)):
        if isinstance(each, nodes.Call | nodes.Quantization):
            yield each
