"""Names in files: imports, definitions, and the uses in each definition."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

from snd_analysis.base import MADE_FOR, Elsewhere, Location, Span
from snd_analysis.compose import LastingModel
from snd_analysis.db import Database, query
from snd_analysis.skriptnd.lints import ImportedName, imported_names, imports_are_readable, without_statement
from snd_analysis.skriptnd.names import (
    LIBRARY_PREFIX,
    Definitions,
    LibraryDefinitions,
    LibraryNames,
    ModuleName,
    ModuleNames,
    ModuleScope,
    OperatorName,
    PassResults,
    Resolution,
    candidates,
    definitions_are_readable,
    definitions_of,
    is_library,
    is_long,
    library_names,
    library_text,
    resolve,
)
from snd_analysis.skriptnd.syntax import Chunk, nodes
from snd_analysis.skriptnd.types import find_cyclic
from snd_analysis.workspace.files import exists, file, front_end_of, is_edited, project_settings, source, tree
from snd_analysis.workspace.limits import MOST_KEPT_ARGUMENTS


# ---- reusable results of earlier versions of long definitions, by statement. No result may depend on them ------------
class Earlier:
    """Reusable results of a long definition across edits, by statement."""

    __slots__ = ("_given", "model", "names", "types")

    def __init__(self) -> None:
        self.names: tuple[ModuleScope | None, Resolution | None] = (None, None)
        self.types = PassResults()
        self.model = LastingModel()
        self._given: dict[Hashable, LastingModel] = {}

    def model_given(self, given: Hashable) -> LastingModel:
        """Return the reusable model for the arguments of an invocation; the latest few are kept."""
        model = self._given.pop(given, None) or LastingModel()
        self._given[given] = model
        while len(self._given) > MOST_KEPT_ARGUMENTS:
            del self._given[next(iter(self._given))]
        return model


def earlier(db: Database, path: str, definition: nodes.Definition) -> Earlier | None:
    """Return the reusable results of a definition, if it is long enough and may be edited."""
    if is_library(path) or not is_long(definition) or not is_edited(db):
        return None
    return _earlier(db, path, definition.name.text)


@query
def _earlier(db: Database, path: str, name: str) -> Earlier:
    # One object for all revisions: its users compare each part with its dependencies.
    return Earlier()


# ---- answers that are asked for together -----------------------------------------------------------------------------
# After an edit, each answer about a file looks at all that it depends on. Of the answers about many definitions, all
# but one mostly hold: a query that has some of them is one look in place of many.

# ---- answers that are asked for together -----------------------------------------------------------------------------
_Item = TypeVar("_Item")

_TOGETHER = 8
"""Size of a group. For a hundred answers, an edit checks twelve groups, and the members of one."""


def groups(items: Sequence[_Item]) -> Iterator[tuple[_Item, ...]]:
    """Yield all items, some at a time: the same together as long as none comes or goes before them."""
    return (tuple(items[at : at + _TOGETHER]) for at in range(0, len(items), _TOGETHER))


# ---- imports ---------------------------------------------------------------------------------------------------------
@query
def imports(db: Database, path: str) -> tuple[ImportedName, ...]:
    """Return the modules that a file imports, with the files they were found in."""
    chunks = tree(db, path).chunks
    return tuple(
        _imported(db, path, item, name, placed.start)
        for placed in (chunks[:1] if is_library(path) else chunks)
        for item, name in imported_names(placed)
    )


def _imported(db: Database, path: str, item: nodes.Import, name: nodes.Qualified, base: int) -> ImportedName:
    paths = module_candidates(db, name.text, path)
    target = paths[0] if paths else None
    shadowed = next((other for other in paths[1:] if is_library(other)), None)
    if target is not None and shadowed is not None and source(db, target).text == library_text(shadowed):
        shadowed = None  # the library itself, read as files
    graphs = _graphs(db, target) if target is not None and target != path and not is_library(target) else ()
    whole = without_statement(tree(db, path).text, item.span.shifted(base))
    return ImportedName(name, item, base, target, shadowed, graphs, whole)


def module_candidates(db: Database, module: str, importer: str) -> list[str]:
    """Return every path that an import could mean, the one that it means first."""
    folders = () if is_library(importer) else project_settings(db).module_paths
    return [*candidates(module, importer, lambda path: exists(db, path), folders)]


@query
def _graphs(db: Database, path: str) -> tuple[str, ...]:
    return tuple(each.name.text for _, each in tree(db, path).definitions if each.kind == "graph")


def dependencies(db: Database, path: str) -> tuple[str, ...]:
    """Return the files that a file imports, directly or through others, without itself."""
    reached: dict[str, None] = {}
    pending = [path]
    while pending:
        for item in imports(db, pending.pop()):
            if item.path is not None and item.path != path and item.path not in reached:
                reached[item.path] = None
                pending.append(item.path)
    return tuple(reached)


def _mean_the_same(one: ModuleScope, other: ModuleScope) -> bool:
    return one.key() == other.key()


@query(same=_mean_the_same, is_firewall=True)
def module_scope(db: Database, path: str) -> ModuleScope:
    """Return the definitions that a file can see."""
    front_end = front_end_of(path)
    if front_end is not None:
        return front_end.scope(db, path)
    imported = imports(db, path)
    found = {item.node.text: item.path for item in imported if item.path is not None}
    return ModuleScope(
        _names_in(db, path),
        {name: _names_in(db, target) for name, target in found.items()},
        LibraryNames(frozenset(found)),
        frozenset(item.node.text for item in imported if item.path is None),
        is_library(path) or imports_are_readable(tree(db, path)),
    )


def _same_names(one: ModuleNames, other: ModuleNames) -> bool:
    return one == other and [*one.definitions] == [*other.definitions]


def _names_in(db: Database, path: str) -> ModuleNames:
    return library_names(path.removeprefix(LIBRARY_PREFIX)) if is_library(path) else names_in_file(db, path)


@query(same=_same_names, is_firewall=True)
def names_in_file(db: Database, path: str) -> ModuleNames:
    """Return the names that a file provides to others."""
    kinds = {name: found.definition.kind for name, found in definitions(db, path).items()}
    found = file(db, path)
    is_read = found is None or found.unreadable is None
    return ModuleNames(path, kinds, is_read and definitions_are_readable(tree(db, path)))


def modules_in(db: Database, path: str, named: Iterable[object]) -> set[str]:
    """Return the names under which a file imports the modules in ``named``."""
    imported = {item.path: item.node.text for item in imports(db, path)}
    return {imported[each.path] for each in named if isinstance(each, ModuleName) and each.path in imported}


# ---- definitions -----------------------------------------------------------------------------------------------------
@query
def definitions(db: Database, path: str) -> Definitions:
    """Return the definitions of a file by name, with the offset of their spans; the first of equal names."""
    found = tree(db, path)
    return LibraryDefinitions(found) if is_library(path) else definitions_of(found)


def definition(db: Database, name: OperatorName) -> nodes.Definition | None:
    """Return the definition of a name."""
    around = chunk(db, name)
    found = () if around is None else around.definitions
    return next((each for each in found if each.name.text == name.name), None)


@query(is_firewall=True)
def chunk(db: Database, name: OperatorName) -> Chunk | None:
    """Return the chunk that a definition stands in."""
    if MADE_FOR in name.name:
        front_end = front_end_of(name.path)
        return None if front_end is None else front_end.made_chunk(db, name)
    found = definitions(db, name.path).get(name.name)
    return found.chunk if found else None


@query(is_firewall=True)
def position(db: Database, name: OperatorName) -> int:
    """Return how many definitions of its file stand before a definition."""
    names = [*definitions(db, name.path)]
    return names.index(name.name) if name.name in names else len(names)


@query
def resolution(db: Database, path: str, definition: nodes.Definition) -> Resolution:
    """Return the resolution of the names in a definition of a file."""
    seen = module_scope(db, path)
    before = earlier(db, path, definition)
    if before is None:
        return resolve(definition, seen)
    known, names = before.names
    resolved = resolve(definition, seen, names, known is seen)
    before.names = seen, resolved
    return resolved


@query
def invoked(db: Database, name: OperatorName) -> tuple[OperatorName, ...]:
    """Return the operators and graphs that a definition invokes, each once."""
    found = definition(db, name)
    return () if found is None else resolution(db, name.path, found).invoked


def invoked_in_file(db: Database, path: str) -> dict[OperatorName, tuple[OperatorName, ...]]:
    """Return the invocations of each definition of a file."""
    names = [OperatorName(path, name) for name in names_in_file(db, path).definitions]
    return {name: found for group in groups(names) for name, found in zip(group, _invoked(db, group), strict=True)}


@query
def _invoked(db: Database, names: tuple[OperatorName, ...]) -> tuple[tuple[OperatorName, ...], ...]:
    return tuple(invoked(db, name) for name in names)


@query
def is_recursive(db: Database, name: OperatorName) -> bool:
    """Return whether a definition invokes itself, directly or through others."""
    # No definition of the library does, or invokes anything outside the library.
    return not is_library(name.path) and name.name in _recursive_in(db, name.path)


@query(is_firewall=True)
def _recursive_in(db: Database, path: str) -> frozenset[str]:
    """Return the definitions of a file that invoke themselves."""
    return _found_recursive(db, path)


@query
def _found_recursive(db: Database, path: str) -> frozenset[str]:
    """Find these for all definitions at once, in time that is linear."""
    own = invoked_in_file(db, path)

    def following(other: OperatorName) -> tuple[OperatorName, ...]:
        return own[other] if other in own else () if is_library(other.path) else invoked(db, other)

    known: dict[OperatorName, bool] = {}
    for name in own:
        find_cyclic(name, following, known)
    return frozenset(name.name for name, is_cyclic in known.items() if is_cyclic and name.path == path)


@query
def main_graphs(db: Database, path: str) -> tuple[nodes.Definition, ...]:
    """Return the graphs of a file that no other definition of it invokes; the first is the one to be processed (2.15).

    A graph that is invoked is a part of another one. If every graph is, the first is taken.
    """
    found = [each for _, each in tree(db, path).definitions]
    graphs = [each for each in found if each.kind == "graph"]
    if len(graphs) < 2:
        return tuple(graphs)
    named = {
        target.name
        for each in found
        for target in resolution(db, path, each).invoked
        if target.path == path and target.name != each.name.text
    }
    return tuple(each for each in graphs if each.name.text not in named) or (graphs[0],)


@query(is_firewall=True)
def is_main_graph(db: Database, path: str, definition: nodes.Definition) -> bool:
    """Return whether a definition is one of the main graphs of its file."""
    return definition in main_graphs(db, path)


def locate(db: Database, place: Elsewhere) -> Location:
    """Return where a definition, or something that it declares, stands."""
    found = definitions(db, place.path).get(place.definition)
    if MADE_FOR in place.definition and place.span is not None:
        return Location(place.path, place.span)
    if found is None:
        return Location(place.path, Span(0, 0))
    span = found.definition.name.span
    if place.member is not None:
        names = resolution(db, place.path, found.definition)
        symbol = names.symbol(place.member)
        span = names.span(symbol) if symbol else span
    if place.span is not None:
        span = place.span
    return Location(place.path, span.shifted(found.start))
