"""What the names in files stand for: imports, definitions, and the uses in each definition."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from snd_analysis.base.diagnostics import Location
from snd_analysis.base.problem import Elsewhere
from snd_analysis.base.text import Span
from snd_analysis.skriptnd.lints import ImportedName, imported_names, imports_are_readable, without_statement
from snd_analysis.skriptnd.names import (
    LIBRARY_PREFIX,
    Definitions,
    Environment,
    LibraryDefinitions,
    LibraryNames,
    ModuleName,
    ModuleNames,
    OperatorName,
    Resolution,
    candidates,
    definitions_are_readable,
    definitions_of,
    is_library,
    library_names,
    library_text,
    resolve,
)
from snd_analysis.skriptnd.syntax import nodes
from snd_analysis.skriptnd.types import find_cyclic
from snd_analysis.workspace.files import Files, Origin
from snd_analysis.workspace.known import Known


class Names(Files):
    """Imports and resolutions by path."""

    def __init__(self, origin: Origin, known: Known, checkpoint: Callable[[], None] = lambda: None) -> None:
        super().__init__(origin, checkpoint)
        self._known = known
        self._environments: dict[str, Environment] = {}
        self._imports: dict[str, tuple[ImportedName, ...]] = {}
        self._definitions: dict[str, Definitions] = {}
        self._invoked: dict[OperatorName, tuple[OperatorName, ...]] = {}
        self._recursive: dict[OperatorName, bool] = {}

    def known(self) -> Known:
        """What is known of the files, to go on with elsewhere."""
        return self._known.copy()

    # ---- imports -----------------------------------------------------------------------------------------------------
    def imports(self, path: str) -> tuple[ImportedName, ...]:
        """The modules that a file imports, with the files they were found in."""
        if path not in self._imports:
            self._imports[path] = tuple(self._find_imports(path))
        return self._imports[path]

    def _find_imports(self, path: str) -> list[ImportedName]:
        found: list[ImportedName] = []
        chunks = self.tree(path).chunks
        for placed in chunks[:1] if is_library(path) else chunks:
            found += [self._imported(path, item, name, placed.start) for item, name in imported_names(placed)]
        return found

    def _imported(self, path: str, item: nodes.Import, name: nodes.Qualified, base: int) -> ImportedName:
        paths = list(candidates(name.text, path, self.exists, self.module_paths))
        target = paths[0] if paths else None
        shadowed = next((other for other in paths[1:] if is_library(other)), None)
        if target is not None and shadowed is not None and self.source(target).text == library_text(shadowed):
            shadowed = None  # the library itself, read as files
        graphs: tuple[str, ...] = ()
        if target is not None and target != path and not is_library(target):
            graphs = tuple(
                definition.name.text for _, definition in self.tree(target).definitions if definition.kind == "graph"
            )
        whole = without_statement(self.tree(path).text, item.span.shifted(base))
        return ImportedName(name, item, base, target, shadowed, graphs, whole)

    def dependencies(self, path: str) -> tuple[str, ...]:
        """The files, without itself, whose text decides the diagnostics of a file."""
        reached: dict[str, None] = {}
        pending = [path]
        while pending:
            for item in self.imports(pending.pop()):
                if item.path is not None and item.path != path and item.path not in reached:
                    reached[item.path] = None
                    pending.append(item.path)
        return tuple(reached)

    def environment(self, path: str) -> Environment:
        """What the definitions of a file see of others."""
        if path not in self._environments:
            imports = {item.node.text: item.path for item in self.imports(path) if item.path is not None}
            environment = Environment(
                self._module_names(path),
                {name: self._module_names(target) for name, target in imports.items()},
                LibraryNames(frozenset(imports)),
                frozenset(item.node.text for item in self.imports(path) if item.path is None),
                is_library(path) or imports_are_readable(self.tree(path)),
            )
            key = environment.key()
            known = self._known.environments.get(path)
            if known is not None and known[0] == key:
                environment = known[1]
            else:
                self._known.environments[path] = (key, environment)
            self._environments[path] = environment
        return self._environments[path]

    def _module_names(self, path: str) -> ModuleNames:
        if is_library(path):
            return library_names(path.removeprefix(LIBRARY_PREFIX))
        kinds = {name: found.definition.kind for name, found in self.definitions(path).items()}
        file = self.file(path)
        is_read = file is None or file.unreadable is None
        return ModuleNames(path, kinds, is_read and definitions_are_readable(self.tree(path)))

    def _modules_in(self, path: str, named: Iterable[object]) -> set[str]:
        imports = {item.path: item.node.text for item in self.imports(path)}
        return {imports[each.path] for each in named if isinstance(each, ModuleName) and each.path in imports}

    # ---- definitions -------------------------------------------------------------------------------------------------
    def definitions(self, path: str) -> Definitions:
        """The definitions of a file by name, with what their spans count from; of two of one name the first."""
        if path not in self._definitions:
            tree = self.tree(path)
            self._definitions[path] = LibraryDefinitions(tree) if is_library(path) else definitions_of(tree)
        return self._definitions[path]

    def definition(self, name: OperatorName) -> nodes.Definition | None:
        """The definition that a name stands for."""
        found = self.definitions(name.path).get(name.name)
        return found.definition if found else None

    def resolution(self, path: str, definition: nodes.Definition) -> Resolution:
        """What the names in a definition stand for."""
        environment = self.environment(path)
        known = self._known.resolutions.get((path, definition))
        if known is None or known[0] is not environment:
            known = (environment, self._resolved(path, definition, environment))
            self._known.resolutions[path, definition] = known
        return known[1]

    def _resolved(self, path: str, definition: nodes.Definition, environment: Environment) -> Resolution:
        lasting = self._known.lasting_of(path, definition)
        if lasting is None:
            return resolve(definition, environment, checkpoint=self.checkpoint)
        known, before = lasting.names
        resolution = resolve(definition, environment, before, known is environment, checkpoint=self.checkpoint)
        lasting.names = (environment, resolution)
        return resolution

    def invoked(self, name: OperatorName) -> tuple[OperatorName, ...]:
        """The operators and graphs that a definition invokes, each once."""
        if name not in self._invoked:
            definition = self.definition(name)
            self._invoked[name] = () if definition is None else self.resolution(name.path, definition).invoked
        return self._invoked[name]

    def is_recursive(self, name: OperatorName) -> bool:
        """Whether a definition invokes itself, directly or through others."""
        find_cyclic(name, self.invoked, self._recursive)
        return self._recursive[name]

    def locate(self, place: Elsewhere) -> Location:
        """Where a definition, or something that it declares, stands."""
        found = self.definitions(place.path).get(place.definition)
        if found is None:
            return Location(place.path, Span(0, 0))
        definition = found.definition
        span = definition.name.span
        if place.member is not None:
            resolution = self.resolution(place.path, definition)
            symbol = resolution.symbol(place.member)
            span = resolution.span(symbol) if symbol else span
        if place.span is not None:
            span = place.span
        return Location(place.path, span.shifted(found.start))
