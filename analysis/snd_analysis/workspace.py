"""Immutable snapshots of a set of files, and everything that is known about them (invariants 3 and 4).

One workspace has one writer. ``open``, ``edit``, ``close`` and ``refresh`` change what the next snapshot sees; a
snapshot that somebody holds goes on to see what it saw. What was worked out about a definition is kept as long as its
text, and what it uses of others, is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from snd_analysis.check import Facts, check_definition, type_definition
from snd_analysis.compose.entry import Composition, compose_graph
from snd_analysis.compose.failure import PlacedProblem, placed_problems
from snd_analysis.compose.instance import Instance
from snd_analysis.compose.reuse import LastingModel
from snd_analysis.compose.root import InputShapes, compose_root
from snd_analysis.compose.session import Reached, Session
from snd_analysis.compose.unit import Unit
from snd_analysis.diagnostics import Diagnostic, Fix, Location, Related, Severity, TextEdit
from snd_analysis.memo import is_long
from snd_analysis.names.definitions import Definitions, LibraryDefinitions, definitions_are_readable, definitions_of
from snd_analysis.names.environment import Environment, ModuleNames
from snd_analysis.names.library import (
    LIBRARY_PREFIX,
    LibraryNames,
    is_library,
    library_modules,
    library_names,
    library_original,
    library_text,
)
from snd_analysis.names.modules import candidates
from snd_analysis.names.resolution import ModuleName, Resolution
from snd_analysis.names.resolve import resolve
from snd_analysis.names.symbols import OperatorName
from snd_analysis.names.undefined import import_of
from snd_analysis.rules.catalogue import severity_of
from snd_analysis.rules.documents import check_definitions, check_items
from snd_analysis.rules.imports import (
    ImportedName,
    check_imports,
    imported_names,
    imports_are_readable,
    with_import,
)
from snd_analysis.samples import CheckedSample, KnownSamples, PlacedSample, Sample
from snd_analysis.source import HEAD, Edit, Source, Span
from snd_analysis.syntax import nodes
from snd_analysis.syntax.chunks import SyntaxTree, parse_file
from snd_analysis.syntax.problem import Elsewhere, Note, Problem
from snd_analysis.types.compose.cycles import find_cyclic
from snd_analysis.types.context import Context
from snd_analysis.types.lasting import LastingTypes
from snd_analysis.values import Value

# Definitions whose types are kept for questions about their expressions.
_MOST_TYPINGS = 32


class UnreadableText(Exception):  # noqa: N818 - it is an answer of a reader, not a fault
    """A file that is there but is no text: ``rule`` says why, ``offset`` where, in code points, as well as can be."""

    def __init__(self, message: str, rule: str, offset: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.rule = rule
        self.offset = offset


class Reader(Protocol):
    """The only way in which the analysis sees files."""

    def read(self, path: str) -> str:
        """The text of a file. Raises FileNotFoundError or UnreadableText."""

    def exists(self, path: str) -> bool:
        """Whether there is a regular file of that path."""


@dataclass(frozen=True, slots=True, eq=False)
class File:
    """One version of one file."""

    source: Source
    tree: SyntaxTree
    unreadable: UnreadableText | None = None


class _Lasting:
    """What may last of a long definition when it is edited: of its statements, not of the whole."""

    __slots__ = ("model", "names", "types")

    def __init__(self) -> None:
        self.names: tuple[Environment | None, Resolution | None] = (None, None)
        self.types = LastingTypes()
        self.model = LastingModel()


_Composed: TypeAlias = "tuple[frozenset[Unit], Instance, tuple[PlacedProblem, ...]]"
"""What a definition reaches, the definition composed by itself, and what is wrong with that."""


class _Known:
    """What was worked out, by the nodes it was worked out for. Shared by the snapshots of a workspace."""

    def __init__(self) -> None:
        self.lasting: dict[tuple[str, str], _Lasting] = {}
        """By the paths and names of long definitions: of the version of each that was looked at last."""
        self.environments: dict[str, tuple[tuple[object, ...], Environment]] = {}
        self.resolutions: dict[tuple[str, nodes.Definition], tuple[Environment, Resolution]] = {}
        self.checks: dict[tuple[str, nodes.Definition], tuple[Environment, Facts, tuple[Problem, ...]]] = {}
        self.units: dict[tuple[str, nodes.Definition], Unit] = {}
        self.typings: dict[tuple[str, nodes.Definition], tuple[Environment, Facts, Context]] = {}
        self.composed: dict[tuple[str, nodes.Definition], _Composed] = {}
        self.samples = KnownSamples()

    def forget(self, path: str, before: SyntaxTree, now: SyntaxTree) -> None:
        """Lets go of what is known of chunks and definitions of ``before`` that are not in ``now``."""
        chunks = {placed.chunk for placed in now.chunks}
        self.samples.forget(path, {placed.chunk for placed in before.chunks} - chunks)
        kept = {definition for _, definition in now.definitions}
        for definition in {definition for _, definition in before.definitions} - kept:
            self.resolutions.pop((path, definition), None)
            self.checks.pop((path, definition), None)
            self.units.pop((path, definition), None)
            self.composed.pop((path, definition), None)
            self.typings.pop((path, definition), None)

    def forget_lasting(self, path: str, but: Container[str] = ()) -> None:
        """Lets go of what lasts of the definitions of a file, but those of these names."""
        for key in [key for key in self.lasting if key[0] == path and key[1] not in but]:
            del self.lasting[key]

    def lasting_of(self, path: str, definition: nodes.Definition) -> _Lasting | None:
        """What lasts of a definition, if that is long enough."""
        if not is_long(definition):
            return None
        return self.lasting.setdefault((path, definition.name.text), _Lasting())


class Workspace:
    """The writer: texts that clients hold open, over the files that a reader gives."""

    def __init__(self, reader: Reader, module_paths: Sequence[str] = ()) -> None:
        self._reader = reader
        self._module_paths = tuple(module_paths)
        self._open: dict[str, File] = {}
        self._read: dict[str, File | None] = {}
        self._known = _Known()

    def open(self, path: str, text: str) -> None:
        """Lets ``text`` stand for the file at ``path``, which need not exist."""
        before = self._open.get(path) or self._read.get(path)
        tree = parse_file(text, before.tree if before else None)
        if before is not None:
            self._known.forget(path, before.tree, tree)
            self._known.forget_lasting(path, {definition.name.text for _, definition in tree.definitions})
        self._open[path] = File(Source(path, text), tree)

    def edit(self, path: str, edits: Sequence[Edit]) -> None:
        """Applies edits, each to the text that the one before it left. Raises KeyError for a file that is not open."""
        text = self._open[path].source.text
        for edit in edits:
            text = edit.apply(text)
        self.open(path, text)

    def close(self, path: str) -> None:
        """Lets the file on disk count again."""
        self._known.forget_lasting(path)
        self._open.pop(path, None)
        self.refresh(path)

    def refresh(self, path: str) -> None:
        """The file at ``path`` changed, appeared or vanished."""
        self._read.pop(path, None)

    def snapshot(self, checkpoint: Callable[[], None] = lambda: None) -> Snapshot:
        """The files as they are now. ``checkpoint`` is called between definitions; what it raises ends the question."""
        return Snapshot(dict(self._open), self._read, self._reader, self._module_paths, self._known, checkpoint)


class Snapshot:
    """One state of all files. Every question about them is asked of one snapshot."""

    def __init__(
        self,
        opened: dict[str, File],
        read: dict[str, File | None],
        reader: Reader,
        module_paths: tuple[str, ...],
        known: _Known,
        checkpoint: Callable[[], None] = lambda: None,
    ) -> None:
        self._checkpoint = checkpoint
        self._opened = opened
        self._files = dict(read)
        self._shared = read
        self._reader = reader
        self._module_paths = module_paths
        self._known = known
        self._environments: dict[str, Environment] = {}
        self._imports: dict[str, tuple[ImportedName, ...]] = {}
        self._definitions: dict[str, Definitions] = {}
        self._units: dict[OperatorName, Unit | None] = {}
        self._invoked: dict[OperatorName, tuple[OperatorName, ...]] = {}
        self._recursive: dict[OperatorName, bool] = {}
        self._reached = Reached()

    @property
    def module_paths(self) -> tuple[str, ...]:
        """The folders in which modules are looked for besides."""
        return self._module_paths

    # ---- files -------------------------------------------------------------------------------------------------------
    def file(self, path: str) -> File | None:
        """The file at ``path``; None if there is none."""
        if path in self._opened:
            return self._opened[path]
        if path not in self._files:
            self._files[path] = self._shared[path] = self._load(path)
        return self._files[path]

    def _load(self, path: str) -> File | None:
        try:
            text = library_text(path) if is_library(path) else self._reader.read(path)
        except FileNotFoundError:
            return None
        except UnreadableText as unreadable:
            return File(Source(path, ""), parse_file(""), unreadable)
        return File(Source(path, text), parse_file(text))

    def exists(self, path: str) -> bool:
        """Whether there is a file of that path."""
        return path in self._opened or self._reader.exists(path)

    def source(self, path: str) -> Source:
        """The text of a file; an empty one if there is none."""
        file = self.file(path)
        return file.source if file else Source(path, "")

    def tree(self, path: str) -> SyntaxTree:
        """The tree of a file; an empty one if there is none."""
        file = self.file(path)
        return file.tree if file else parse_file("")

    def comments(self, path: str) -> tuple[Span, ...]:
        """Every comment of a file, without its line break."""
        return tuple(self.tree(path).comments)

    # ---- names -------------------------------------------------------------------------------------------------------
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
        paths = list(candidates(name.text, path, self.exists, self._module_paths))
        target = paths[0] if paths else None
        shadowed = next((other for other in paths[1:] if is_library(other)), None)
        if target is not None and shadowed is not None and self.source(target).text == library_text(shadowed):
            shadowed = None  # the library itself, read as files
        graphs: tuple[str, ...] = ()
        if target is not None and target != path and not is_library(target):
            graphs = tuple(
                definition.name.text for _, definition in self.tree(target).definitions if definition.kind == "graph"
            )
        return ImportedName(name, item, base, target, shadowed, graphs)

    def import_edit(self, path: str, module: str) -> TextEdit:
        """The edit that imports a module, where its imports stand."""
        return self._text_edit(path, import_of(module).edits[0])

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
        return ModuleNames(path, kinds, definitions_are_readable(self.tree(path)))

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
            return resolve(definition, environment)
        known, before = lasting.names
        resolution = resolve(definition, environment, before, known is environment)
        lasting.names = (environment, resolution)
        return resolution

    def invoked(self, name: OperatorName) -> tuple[OperatorName, ...]:
        """The operators and graphs that a definition invokes, each once."""
        if name not in self._invoked:
            definition = self.definition(name)
            targets = () if definition is None else self.resolution(name.path, definition).targets.values()
            self._invoked[name] = tuple(dict.fromkeys(each for each in targets if isinstance(each, OperatorName)))
        return self._invoked[name]

    def is_recursive(self, name: OperatorName) -> bool:
        """Whether a definition invokes itself, directly or through others."""
        find_cyclic(name, self.invoked, self._recursive)
        return self._recursive[name]

    # ---- diagnostics -------------------------------------------------------------------------------------------------
    def diagnostics(self, path: str) -> tuple[Diagnostic, ...]:
        """Everything that is wrong in a file, in order of its places; nothing is suppressed."""
        file = self.file(path)
        if file is None:
            return ()
        if file.unreadable is not None:
            problem = Problem(
                file.unreadable.rule, Span(file.unreadable.offset, file.unreadable.offset), file.unreadable.message
            )
            return (self._diagnostic(path, problem),)
        found = [self._diagnostic(path, problem) for problem in self._problems(path, file.tree)]
        found.sort(key=lambda diagnostic: (diagnostic.location.span, diagnostic.rule))
        return tuple(found)

    def _problems(self, path: str, tree: SyntaxTree) -> list[Problem]:
        problems = [*tree.problems, *check_items(tree), *check_definitions(path, tree)]
        used: set[str] = set()
        for placed in tree.chunks:
            for definition in placed.chunk.definitions:
                self._checkpoint()
                used.update(self._modules_used(path, definition))
                syntax_is_right = not placed.chunk.problems
                found = self._check(path, definition, syntax_is_right)
                problems.extend(self._importable(path, problem.shifted(placed.start)) for problem in found)
        problems.extend(self._composing_problems(path))
        problems.extend([*self._sample_problems(path, problems)])
        for _, checked in self.checked_samples(path):
            used.update(self._modules_in(path, (use.target for use in checked.uses)))
        known = (*library_modules(),)
        complete = all(problem.rule == "invalid-escape" for problem in tree.problems)
        problems.extend(
            problem for problem in check_imports(self.imports(path), frozenset(used), known)
            if complete or problem.rule != "unused-import"
        )  # fmt: skip
        return problems

    def _importable(self, path: str, problem: Problem) -> Problem:
        """A problem, with the import that mends it if that is all that is missing."""
        if problem.rule != "unknown-module" or problem.repair is not None:
            return problem
        module = self.source(path).text[problem.span.start : problem.span.end]
        found = next(candidates(module, path, self.exists, self._module_paths), path)
        return problem if found == path or is_library(found) else with_import(problem, module)

    def _modules_used(self, path: str, definition: nodes.Definition) -> set[str]:
        return self._modules_in(path, self.resolution(path, definition).modules)

    def _modules_in(self, path: str, named: Iterable[object]) -> set[str]:
        imports = {item.path: item.node.text for item in self.imports(path)}
        return {imports[each.path] for each in named if isinstance(each, ModuleName) and each.path in imports}

    def _check(self, path: str, definition: nodes.Definition, syntax_is_right: bool) -> tuple[Problem, ...]:
        environment = self.environment(path)
        known = self._known.checks.get((path, definition))
        if known is not None and known[0] is environment and known[1].unchanged(self):
            return known[2]
        facts = Facts(self, path)
        resolution = self.resolution(path, definition)
        lasting = self._known.lasting_of(path, definition)
        types = None if lasting is None else LastingTypes(lasting.types)
        problems = check_definition(definition, resolution, facts, syntax_is_right, types)
        if lasting is not None and types is not None:
            lasting.types = types
        self._known.checks[path, definition] = (environment, facts, problems)
        return problems

    def typing(self, path: str, definition: nodes.Definition) -> Context:
        """What is known of the types in a definition; of a long one not of every expression in ``@compose``."""
        environment, typings = self.environment(path), self._known.typings
        known = typings.get((path, definition))
        if known is None or known[0] is not environment or not known[1].unchanged(self):
            facts = Facts(self, path)
            lasting = self._known.lasting_of(path, definition)
            types = None if lasting is None else LastingTypes(lasting.types)
            known = environment, facts, type_definition(definition, self.resolution(path, definition), facts, types)
            facts.close()
            if lasting is not None and types is not None:
                lasting.types = types
            if len(typings) >= _MOST_TYPINGS:
                del typings[next(iter(typings))]
            typings[path, definition] = known
        return known[2]

    # ---- samples -----------------------------------------------------------------------------------------------------
    def samples(self, path: str) -> tuple[PlacedSample, ...]:
        """The samples in the comments of a file, in order."""
        return self._known.samples.of(self.tree(path))

    def checked_samples(self, path: str) -> Iterator[tuple[PlacedSample, CheckedSample]]:
        """The samples of a file with what is known of each."""
        for placed in self.samples(path):
            yield placed, self.checked_sample(path, placed.sample)

    def checked_sample(self, path: str, sample: Sample) -> CheckedSample:
        """What is known of a sample of a file."""
        return self._known.samples.checked(self, path, sample)

    def session(self) -> Session:
        """The composing of graphs in this state of the files."""
        return Session(self, True, self._reached)

    def _sample_problems(self, path: str, found: Sequence[Problem]) -> Iterator[Problem]:
        """What is wrong with samples, and does not come from what is reported of the definitions themselves."""
        reported = {(problem.rule, problem.span) for problem in found}
        definitions = self.definitions(path)
        for placed, checked in self.checked_samples(path):
            for each in checked.problems:
                inside = each.inside
                if inside is not None and inside.definition in definitions:
                    start = definitions[inside.definition].start
                    if (inside.problem.rule, inside.problem.span.shifted(start)) in reported:
                        continue
                yield self._importable(path, each.problem.shifted(placed.start))

    # ---- composing ---------------------------------------------------------------------------------------------------
    def unit(self, name: OperatorName) -> Unit | None:
        """A definition, ready to be composed: the same object as long as its text, its names and its mistakes are."""
        if name not in self._units:
            self._units[name] = self._find_unit(name)
        return self._units[name]

    def _find_unit(self, name: OperatorName) -> Unit | None:
        found = self.definitions(name.path).get(name.name)
        if found is None:
            return None
        definition, chunk = found.definition, found.chunk
        resolution = self.resolution(name.path, definition)
        errors: tuple[Span, ...] = ()
        if not is_library(name.path):
            problems = (*chunk.problems, *self._check(name.path, definition, not chunk.problems))
            wrong = (each.span for each in problems if severity_of(each.rule) is Severity.ERROR)
            errors = (*wrong, *resolution.unclear)
        known = self._known.units.get((name.path, definition))
        if known is None or known.resolution is not resolution or known.errors != errors:
            module = library_original(name.path, chunk.text[definition.start : definition.end])
            original = OperatorName(module, name.name) if module else None
            known = self._known.units[name.path, definition] = Unit(name, definition, resolution, errors, original)
        return known

    def compose(
        self,
        name: OperatorName,
        attributes: Mapping[str, Value] | None = None,
        dtypes: Mapping[str, str] | None = None,
        inputs: Mapping[str, InputShapes] | None = None,
    ) -> Composition:
        """A graph composed with these attributes, generic types and shapes of inputs, else as declared (chapter 3)."""
        return compose_graph(self, name, attributes, dtypes, inputs)

    def composing_problems(self, path: str, composition: Composition) -> list[Problem]:
        """What is wrong with a composed graph, in the file that it is from."""
        return self._in_file(path, placed_problems(composition.failures, path))

    def _in_file(self, path: str, found: Iterable[PlacedProblem]) -> list[Problem]:
        definitions = self.definitions(path)
        return [
            placed.problem.shifted(definitions[placed.definition].start)
            for placed in found
            if placed.definition in definitions
        ]

    def definition_problems(self, name: OperatorName, chosen: bool = False) -> list[Problem]:
        """What is wrong with one definition: its syntax, its names and types; of an operator, what it is composed of.

        A graph that is ``chosen`` is judged as a main graph.
        """
        path = name.path
        found = self.definitions(path).get(name.name)
        if found is None:
            return []
        definition, is_right = found.definition, not found.chunk.problems
        if chosen:
            facts = Facts(self, path, definition)
            checked = check_definition(definition, self.resolution(path, definition), facts, is_right)
        else:
            checked = self._check(path, definition, is_right)
        problems = [problem.shifted(found.start) for problem in (*found.chunk.problems, *checked)]
        if definition.kind == "operator":
            problems += self._in_file(path, self._composed(name))
        return [self._importable(path, problem) for problem in problems]

    def as_diagnostics(self, path: str, problems: Iterable[Problem]) -> tuple[Diagnostic, ...]:
        """Problems of a file as diagnostics, in order of their places; what is told twice, once."""
        told: dict[tuple[str, Span], Problem] = {}
        for problem in problems:
            told.setdefault((problem.rule, problem.span), problem)
        found = [self._diagnostic(path, problem) for problem in told.values()]
        return tuple(sorted(found, key=lambda diagnostic: (diagnostic.location.span, diagnostic.rule)))

    def _composing_problems(self, path: str) -> list[Problem]:
        """What fails in the graphs of a file, composed with their defaults, and in its operators by themselves."""
        found: dict[tuple[str, Span, str], Problem] = {}
        definitions = self.definitions(path)
        # A mistake that shows with the shapes of a graph is told by them.
        for name in sorted(definitions, key=lambda each: definitions[each].definition.kind):
            self._checkpoint()
            for placed in self._composed(OperatorName(path, name)):
                if placed.definition in definitions:
                    problem = placed.problem.shifted(definitions[placed.definition].start)
                    found.setdefault((problem.rule, problem.span, placed.definition), problem)
        return list(found.values())

    def _composed(self, name: OperatorName) -> tuple[PlacedProblem, ...]:
        known = None if is_library(name.path) else self._composed_by_itself(name)
        return () if known is None else known[2]

    def instance(self, name: OperatorName) -> Instance | None:
        """A graph composed with its defaults, or an operator composed by itself, for any invocation."""
        known = self._composed_by_itself(name)
        return None if known is None else known[1]

    def _composed_by_itself(self, name: OperatorName) -> _Composed | None:
        unit = self.unit(name)
        if unit is None:
            return None
        session = Session(self, unit.is_graph, self._reached)
        reached = session.reached(unit)
        known = self._known.composed.get((name.path, unit.definition))
        if known is None or known[0] != reached:
            lasting = self._known.lasting_of(name.path, unit.definition)
            model = None if lasting is None else LastingModel(lasting.model)
            instance = compose_root(session, unit, {}, {}, lasting=model)
            if lasting is not None and model is not None:
                lasting.model = model
            known = (reached, instance, tuple(placed_problems(instance.failures, name.path)))
            self._known.composed[name.path, unit.definition] = known
        return known

    def _diagnostic(self, path: str, problem: Problem) -> Diagnostic:
        repair = problem.repair
        fix = None
        if repair is not None:
            edits = tuple(self._text_edit(path, edit) for edit in repair.edits)
            fix = Fix(repair.title, edits, repair.safe)
        return Diagnostic(
            problem.rule, severity_of(problem.rule), problem.message, Location(path, problem.span),
            tuple(self._related(path, note) for note in problem.notes), fix,
            unnecessary=problem.rule in ("unused-import", "unused-symbol"),
        )  # fmt: skip

    def _text_edit(self, path: str, edit: Edit) -> TextEdit:
        if edit.span != HEAD:
            return TextEdit(Location(path, edit.span), edit.text)
        ends = [
            placed.start + item.end
            for placed in self.tree(path).chunks
            for item in placed.chunk.document.items
            if isinstance(item, nodes.Version | nodes.Extension | nodes.Import)
        ]
        if not ends:
            return TextEdit(Location(path, Span(0, 0)), f"{edit.text}\n")
        return TextEdit(Location(path, Span(ends[-1], ends[-1])), f"\n{edit.text}")

    def _related(self, path: str, note: Note) -> Related:
        if note.elsewhere is None:
            return Related(Location(path, note.span), note.message)
        return Related(self.locate(note.elsewhere), note.message)

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
