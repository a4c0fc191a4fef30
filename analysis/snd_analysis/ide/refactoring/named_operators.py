"""Places that name an operator with its module, and the text of such a name in another file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from posixpath import dirname
from typing import TypeAlias

from msgspec import Struct

from snd_analysis.base import Location, Span, TextEdit
from snd_analysis.ide.cursor import comment_at, definition_at
from snd_analysis.ide.mentions import mentions
from snd_analysis.ide.refactoring.change import RefactoringError, edited
from snd_analysis.ide.targets import LocalName, names_of
from snd_analysis.skriptnd.lints import UNUSED_IMPORT
from snd_analysis.skriptnd.names import (
    LIBRARY_PREFIX,
    AttributeName,
    ModuleName,
    OperatorName,
    Role,
    candidates,
    is_library,
    model_root,
)
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.syntax.nodes import BlockKind
from snd_analysis.workspace import Snapshot

_Meaning: TypeAlias = "tuple[OperatorName | None, object]"


class NamedOperator(Struct, frozen=True):
    """A place that names an operator; ``span`` includes the module in front of it."""

    span: Span
    operator: OperatorName
    user: OperatorName | None
    """The definition that the place stands in; None for a comment."""


def named_operators(snapshot: Snapshot, path: str) -> Iterator[NamedOperator]:
    """Yield the places of a file that name operators, in order, without the declarations."""
    text = snapshot.source(path).text
    module: Span | None = None
    for each in sorted(mentions(snapshot, path), key=lambda each: each.span.start):
        match each.subject:
            case ModuleName():
                module = each.span
            case OperatorName() as operator if each.role is not Role.DECLARATION:
                is_dotted = module is not None and text[module.end : each.span.start].strip() == "."
                span = Span(module.start, each.span.end) if module is not None and is_dotted else each.span
                yield NamedOperator(span, operator, _user(snapshot, path, span.start))


def users_of(snapshot: Snapshot, name: OperatorName, files: Iterable[str]) -> list[OperatorName]:
    """Return the definitions in some files that name an operator, without the operator itself."""
    found = (each for path in dict.fromkeys(files) for each in named_operators(snapshot, path))
    users = dict.fromkeys(each.user for each in found if each.operator == name and each.user is not None)
    return [each for each in users if each != name]


def _user(snapshot: Snapshot, path: str, offset: int) -> OperatorName | None:
    tree = snapshot.tree(path)
    around = definition_at(tree, offset)
    return None if around is None or comment_at(tree, offset) else OperatorName(path, around[1].name.text)


# ---- names in another file -------------------------------------------------------------------------------------------
class NameWriter:
    """The names of operators in a file, and the modules that the file has to import for them.

    ``snapshot`` has the files that exist after the change.
    """

    def __init__(self, snapshot: Snapshot, path: str) -> None:
        self._snapshot = snapshot
        self._path = path
        self._imported = {each.path: each.node.text for each in snapshot.imports(path) if each.path is not None}
        self.missing: list[str] = []
        """Names of the modules to import."""

    def name(self, operator: OperatorName) -> str:
        """Return the name of an operator in the file. Raise RefactoringError if the file can't import it."""
        if operator.path == self._path:
            return operator.name
        if operator.name.startswith("_"):
            raise RefactoringError(f"'{operator.name}' is private to its module")
        if operator.path not in self._imported:
            self._imported[operator.path] = self._module(operator.path)
            self.missing.append(self._imported[operator.path])
        return f"{self._imported[operator.path]}.{operator.name}"

    def _module(self, path: str) -> str:
        snapshot, importer = self._snapshot, self._path
        paths = snapshot.settings.module_paths
        folders = (dirname(importer), model_root(importer, snapshot.exists), *paths)
        names = [path.removeprefix(LIBRARY_PREFIX)] if is_library(path) else [*names_of(path, folders)]
        for each in names:
            if next(candidates(each, importer, snapshot.exists, paths), None) == path:
                return each
        raise RefactoringError(f"'{importer}' has no name for the module '{path.removeprefix(LIBRARY_PREFIX)}'")


def renamed(
    snapshot: Snapshot, path: str, writer: NameWriter, new: Mapping[OperatorName, OperatorName], within: Span
) -> list[TextEdit]:
    """Return the edits after which a part of a file names operators as ``writer`` does, under their ``new`` names."""
    text, edits = snapshot.source(path).text, []
    for each in named_operators(snapshot, path):
        if within.start <= each.span.start < within.end:
            name = writer.name(new.get(each.operator, each.operator))
            if "".join(text[each.span.start : each.span.end].split()) != name:
                edits.append(TextEdit(Location(path, each.span), name))
    return edits


def with_imports(snapshot: Snapshot, path: str, text: str, modules: Sequence[str]) -> str:
    """Return a new text of a file with imports of modules."""
    for each in sorted(modules):
        text = edited(text, [snapshot.changed({path: text}).import_edit(path, each)])
    return text


def without_unused_imports(before: Snapshot, path: str, text: str) -> str:
    """Return a new text of a file without the imports that the change made unused."""
    known = {each.message for each in before.diagnostics(path) if each.rule == UNUSED_IMPORT}
    while True:
        found = before.changed({path: text}).diagnostics(path)
        unused = [each for each in found if each.rule == UNUSED_IMPORT and each.message not in known and each.fix]
        if not unused or unused[0].fix is None:
            return text
        text = edited(text, unused[0].fix.edits)


# ---- meanings --------------------------------------------------------------------------------------------------------
def first_other_meaning(
    before: Snapshot, after: Snapshot, paths: Iterable[str], new: Mapping[OperatorName, OperatorName]
) -> str | None:
    """Return the first name that means something else after a change; None if there is none.

    ``new`` maps operators to their names after the change.
    """
    everything = [*dict.fromkeys(paths)]
    expected = Counter(each for path in everything for each in _meanings(before, path, new))
    found = Counter(each for path in everything for each in _meanings(after, path, {}))
    different = next(iter([*(expected - found), *(found - expected)]), None)
    return None if different is None else _shown(different)


def _meanings(snapshot: Snapshot, path: str, new: Mapping[OperatorName, OperatorName]) -> Iterator[_Meaning]:
    for each in mentions(snapshot, path):
        user = _user(snapshot, path, each.span.start)
        user = None if user is None else new.get(user, user)
        match each.subject:
            case ModuleName():
                continue
            case OperatorName() as operator:
                yield user, new.get(operator, operator)
            case AttributeName(operator=operator, name=name):
                yield user, (new.get(operator, operator), name)
            case LocalName(symbol=symbol):
                yield user, (symbol.kind, symbol.name)
            case built_in:
                yield user, built_in


def _shown(meaning: _Meaning) -> str:
    user, subject = meaning
    name = subject[1] if isinstance(subject, tuple) else getattr(subject, "name", "")
    return f"'{name}'" if user is None else f"'{name}' in '{user.name}'"


# ---- invocations of an operator wherever they stand: in definitions, in `@quantize` and in samples -------------------
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
