"""One revision of all files, and the queries on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from snd_analysis.base import (
    NO_SETTINGS,
    Diagnostic,
    Edit,
    Elsewhere,
    Location,
    Problem,
    ProjectSettings,
    Source,
    Span,
    TextEdit,
)
from snd_analysis.compose import (
    Composition,
    Failure,
    FileBudget,
    InputShapes,
    Reach,
    Session,
    Specialization,
    Specializations,
    Template,
    compose_graph,
)
from snd_analysis.db import Database
from snd_analysis.skriptnd.lints import ImportedName
from snd_analysis.skriptnd.names import Definitions, ModuleScope, OperatorName, Resolution, Use
from snd_analysis.skriptnd.samples import Sample
from snd_analysis.skriptnd.syntax import Chunk, SyntaxTree, nodes
from snd_analysis.skriptnd.types import Context, Others, Signature
from snd_analysis.symbolic.values import Value
from snd_analysis.workspace import checks, composing, diagnostics, files, names, others, samples
from snd_analysis.workspace.files import File, Reader, UnreadableText, exists, is_edited, project_settings, text
from snd_analysis.workspace.samples import CheckedSample, PlacedSample

if TYPE_CHECKING:
    from snd_analysis.formats import Ranges
    from snd_analysis.nnef1.elaborate import StoredVariable


class ReadFiles(Struct, frozen=True):
    """The files that were read, and the places where files were looked for, each with True if one was there."""

    texts: frozenset[str]
    places: Mapping[str, bool]


class Snapshot:
    """One revision of all files. Every question about them is asked of one snapshot, which never changes."""

    def __init__(self, db: Database) -> None:
        self.db = db
        """The database, for further queries."""

    def changed(self, texts: Mapping[str, str | None]) -> Snapshot:
        """Return the revision in which ``texts`` stand at their paths, None for files that are gone."""
        db = self.db.changed({files.text.at(path): text for path, text in texts.items()})
        return Snapshot(db.changed({files.exists.at(path): text is not None for path, text in texts.items()}))

    # ---- files -------------------------------------------------------------------------------------------------------
    @property
    def settings(self) -> ProjectSettings:
        """The settings in the configuration of the project."""
        return files.project_settings(self.db)

    def file(self, path: str) -> File | None:
        """Return the file at ``path``; None if there is none."""
        return files.file(self.db, path)

    def files_read(self) -> set[str]:
        """Return every path that was asked for so far, existing or not."""
        return {key[0] for key, _ in self.db.values_read(files.text)}

    def exists(self, path: str) -> bool:
        """Return whether there is a file of that path."""
        return files.exists(self.db, path)

    def source(self, path: str) -> Source:
        """Return the text of a file; an empty one if there is none."""
        return files.source(self.db, path)

    def tree(self, path: str) -> SyntaxTree:
        """Return the tree of a file; an empty one if there is none."""
        return files.tree(self.db, path)

    def whole_tree(self, path: str) -> SyntaxTree:
        """Return the tree of a file with every chunk parsed, which takes seconds for many definitions."""
        return files.whole_tree(self.db, path)

    def comments(self, path: str) -> tuple[Span, ...]:
        """Return every comment of a file, without its line break."""
        return tuple(self.tree(path).comments)

    # ---- names -------------------------------------------------------------------------------------------------------
    def imports(self, path: str) -> tuple[ImportedName, ...]:
        """Return the modules that a file imports, with the files they were found in."""
        return names.imports(self.db, path)

    def dependencies(self, path: str) -> tuple[str, ...]:
        """Return the files that a file imports, directly or through others, without itself."""
        return names.dependencies(self.db, path)

    def module_scope(self, path: str) -> ModuleScope:
        """Return the definitions that a file can see."""
        return names.module_scope(self.db, path)

    def definitions(self, path: str) -> Definitions:
        """Return the definitions of a file by name, with the offset of their spans; the first of equal names."""
        return names.definitions(self.db, path)

    def is_in_other_language(self, path: str) -> bool:
        """Return whether the definitions of a file are made of a text in another language."""
        return files.front_end_of(path) is not None

    def chunk(self, name: OperatorName) -> Chunk | None:
        """Return the chunk that a definition stands in."""
        return names.chunk(self.db, name)

    def definition(self, name: OperatorName) -> nodes.Definition | None:
        """Return the definition of a name."""
        return names.definition(self.db, name)

    def resolution(self, path: str, definition: nodes.Definition) -> Resolution:
        """Return the resolution of the names in a definition."""
        return names.resolution(self.db, path, definition)

    def invoked(self, name: OperatorName) -> tuple[OperatorName, ...]:
        """Return the operators and graphs that a definition invokes, each once."""
        return names.invoked(self.db, name)

    def is_recursive(self, name: OperatorName) -> bool:
        """Return whether a definition invokes itself, directly or through others."""
        return names.is_recursive(self.db, name)

    def main_graphs(self, path: str) -> tuple[nodes.Definition, ...]:
        """Return the graphs of a file that no other definition of it invokes; the first is the main graph (2.15)."""
        return names.main_graphs(self.db, path)

    def locate(self, place: Elsewhere) -> Location:
        """Return where a definition, or something that it declares, stands."""
        return names.locate(self.db, place)

    # ---- types -------------------------------------------------------------------------------------------------------
    def others(self, path: str) -> Others:
        """Return the other definitions as the definitions of a file see them."""
        return others.OtherDefinitions(self.db, path)

    def signature(self, name: OperatorName) -> Signature | None:
        """Return the signature of a definition; None if there is none, or its declarations are broken."""
        return others.present_signature(self.db, name)

    def typing(self, path: str, definition: nodes.Definition) -> Context:
        """Return the types in a definition; a long one lacks those of some expressions.

        See ``expression_types``.
        """
        return checks.typing(self.db, path, definition)

    # ---- composing ---------------------------------------------------------------------------------------------------
    def session(self, is_given: bool = True) -> Session:
        """Return the composing of graphs, or of operators by themselves, in this revision."""
        return composing.session(self.db, is_given)

    def template(self, name: OperatorName) -> Template | None:
        """Return a definition, ready to be composed: the same object until its text, names or mistakes change."""
        return composing.template(self.db, name)

    def reach(self, name: OperatorName) -> Reach:
        """Return the definitions that a definition invokes, directly or through others."""
        return composing.reach(self.db, name)

    def compose(
        self,
        name: OperatorName,
        attributes: Mapping[str, Value] | None = None,
        dtypes: Mapping[str, str] | None = None,
        inputs: Mapping[str, InputShapes] | None = None,
    ) -> Composition:
        """Return a graph composed with these attributes, generic types and shapes of inputs.

        Others are as declared (chapter 3).
        """
        composing.find_reach(self.db, name.path)
        return compose_graph(self.session(), name, attributes, dtypes, inputs)

    def specialization(self, name: OperatorName) -> Specialization | None:
        """Return a graph composed with its defaults, or an operator composed by itself, for any invocation."""
        composing.find_reach(self.db, name.path)
        return composing.specialization(self.db, name)

    def ranges(self, name: OperatorName) -> Ranges | None:
        """Return the ranges of the int tensors of a graph; None if no operator of it gives them any."""
        composing.find_reach(self.db, name.path)
        return composing.ranges(self.db, name)

    def failures(self, name: OperatorName) -> tuple[Failure, ...]:
        """Return the failures of a graph composed with its defaults, or of an operator composed by itself."""
        composing.find_reach(self.db, name.path)
        return composing.failures(self.db, name)

    def specializations(self, template: Template) -> Specializations | None:
        """Return the specializations of a definition so far."""
        return composing.ComposedDefinitions(self.db).specializations(template)

    # ---- files in other languages ----------------------------------------------------------------------------------
    def stored_variables(self, path: str) -> tuple[StoredVariable, ...]:
        """Return the variables of a graph in NNEF 1.0, with the labels of their files; none of a file in SkriptND."""
        front_end = files.front_end_of(path)
        return () if front_end is None else front_end.variables(self.db, path)

    def tensor_descriptions(self, path: str) -> Mapping[str, str]:
        """Return the descriptions of the tensor files of a graph in NNEF 1.0, by their paths, for its evaluation."""
        front_end = files.front_end_of(path)
        return {} if front_end is None else front_end.tensor_descriptions(self.db, path)

    # ---- samples -----------------------------------------------------------------------------------------------------
    def samples(self, path: str) -> tuple[PlacedSample, ...]:
        """Return the samples in the comments of a file, in order."""
        return samples.samples(self.db, path)

    def checked_samples(self, path: str) -> Iterator[tuple[PlacedSample, CheckedSample]]:
        """Yield the samples of a file, each with its analysis."""
        return ((placed, self.checked_sample(path, placed.sample)) for placed in self.samples(path))

    def checked_sample(self, path: str, sample: Sample) -> CheckedSample:
        """Return a sample of a file with its analysis."""
        return samples.checked_sample(self.db, path, sample)

    def sample_target(self, path: str, sample: Sample) -> OperatorName | None:
        """Return the operator or graph that a sample invokes; None if there is none of that name."""
        return samples.sample_target(self.db, path, sample)

    def named_sample(self, path: str, sample: Sample) -> CheckedSample:
        """Return a sample with the names in its invocation, and no other analysis."""
        return samples.named_sample(self.db, path, sample)

    def sample_uses(self, checked: CheckedSample) -> tuple[Use, ...]:
        """Return every name in a sample with its target."""
        return samples.sample_uses(self.db, checked)

    # ---- problems ----------------------------------------------------------------------------------------------------
    def diagnostics(self, path: str, with_counterexamples: bool = True) -> tuple[Diagnostic, ...]:
        """Return all problems in a file, in order of their places; nothing is suppressed.

        Without counterexamples, problems that need a search for sizes are left out: graphs are composed up to 24 times
        for it.
        """
        self.whole_tree(path)
        composing.find_reach(self.db, path)
        if with_counterexamples or not composing.needs_counterexamples(self.db, path):
            return diagnostics.diagnostics(self.db, path)
        return diagnostics.diagnostics(self.db, path, False)

    def recorded(self, path: str) -> ReadFiles:
        """Return the dependencies of the diagnostics of a file, as recorded while they were found."""
        leaves = self.db.leaves(diagnostics.diagnostics, path)
        return ReadFiles(
            frozenset(key[0] for input_, key in leaves if input_ is files.text),
            {key[0]: found for (input_, key), found in leaves.items() if input_ is files.exists},
        )

    def as_diagnostics(self, path: str, problems: Iterable[Problem]) -> tuple[Diagnostic, ...]:
        """Return problems of a file as diagnostics, in order of their places, without duplicates."""
        return diagnostics.as_diagnostics(self.db, path, problems)

    def definition_problems(
        self, name: OperatorName, chosen: bool = False, budget: FileBudget | None = None
    ) -> list[Problem]:
        """Return the problems of one definition; a graph that is ``chosen`` is judged as a main graph.

        An operator counts for ``budget``, and is not composed once that is spent.
        """
        return composing.definition_problems(self.db, name, chosen, budget)

    def composing_problems(self, path: str, composition: Composition) -> list[Problem]:
        """Return the problems of a composed graph that are in its own file."""
        return composing.in_file(self.db, path, composing.problems_of_failures(self.db, composition.failures, path))

    def import_edit(self, path: str, module: str) -> TextEdit:
        """Return the edit that imports a module, where its imports stand."""
        return diagnostics.import_edit(self.db, path, module)


# ---- the one writer of a workspace -----------------------------------------------------------------------------------
class Workspace:
    """The writer: texts that clients hold open, over the files that a reader gives."""

    def __init__(
        self,
        reader: Reader,
        settings: ProjectSettings = NO_SETTINGS,
        on_execute: Callable[[object, tuple[object, ...]], None] | None = None,
        *,
        edited: bool = True,
    ) -> None:
        """Create a workspace; ``on_execute`` is called for every query that is executed.

        Without ``edited``, long definitions are analysed in less time, and after an edit as a whole.
        """
        self._open: dict[str, str] = {}
        self._db = Database(reader, on_execute).changed({project_settings.at(): settings, is_edited.at(): edited})

    def open(self, path: str, content: str) -> None:
        """Replace the file at ``path``, which need not exist, by ``content``."""
        self._open[path] = content
        self._db = self._db.changed({text.at(path): content, exists.at(path): True})

    def open_unread(self, path: str, why: UnreadableText) -> None:
        """Replace the file at ``path`` by an unread text, for the reason ``why``."""
        self._open[path] = ""
        self._db = self._db.changed({text.at(path): why, exists.at(path): True})

    def edit(self, path: str, edits: Sequence[Edit]) -> None:
        """Apply edits, each to the text that the one before it left. Raise KeyError for a file that is not open."""
        content = self._open[path]
        for edit in edits:
            content = edit.apply(content)
        self.open(path, content)

    def close(self, path: str) -> None:
        """Let the file on disk count again."""
        self._open.pop(path, None)
        self.refresh(path)

    def refresh(self, path: str) -> None:
        """Note that the file at ``path`` changed, appeared or vanished."""
        if path not in self._open:
            self._db = self._db.changed(forget=[text.at(path), exists.at(path)])

    def snapshot(self) -> Snapshot:
        """Return the current files."""
        return Snapshot(self._db)
