"""Files in NNEF 1.0: their trees, and their elaborated graphs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from posixpath import basename, dirname, join

from msgspec.structs import replace

from snd_analysis import rules
from snd_analysis.base import MADE_FOR, Problem, Severity, Span
from snd_analysis.compose import Arguments, Origin, Specialization, Template
from snd_analysis.db import Database, incremental, query
from snd_analysis.nnef1.elaborate import (
    NO_ARCHIVES,
    QUANTIZATION,
    Elaborated,
    FragmentInvocation,
    PulseOf,
    Submodel,
    TensorArchives,
    TensorFile,
    described,
    elaborate,
    file_of,
    resources_in,
    submodel_paths,
    submodels_in,
)
from snd_analysis.nnef1.lints import FileWithArchives, FileWithoutErrors, check_document
from snd_analysis.nnef1.syntax import (
    Dialect,
    Nnef1SyntaxTree,
    QuantizationFile,
    parse_file,
    parse_quantization,
    quantization_path,
)
from snd_analysis.nnef1.syntax import nodes as nnef1_nodes
from snd_analysis.skriptnd.names import ModuleNames, ModuleScope, OperatorName, library_names
from snd_analysis.skriptnd.syntax import SyntaxTree, made_tree, nodes
from snd_analysis.workspace.composing import session, template
from snd_analysis.workspace.files import (
    ALL_TENSOR_ARCHIVES,
    ALL_TENSOR_FILES,
    UnreadableText,
    project_settings,
    text,
)
from snd_analysis.workspace.limits import MOST_KEPT_GRAPHS

# ---- the operators that implement operations of NNEF 1.0, by the names of the operations -----------------------------
_STREAMS = "tract_pulse"
"""The module of operators that no text names: operations on streams become these."""
_MODULES = {Dialect.KHRONOS: ("nnef1",), Dialect.TRACT: ("tract", "nnef1", _STREAMS)}
"""Modules in which operations are looked up, in this order: for tract first its additions and changes."""


class OperationScope(ModuleScope, frozen=True, eq=False):
    """The scope of a graph made of a file in NNEF 1.0: operations, by their names alone.

    Quantizing operations have the name of their module before their own. Samples see the graph, too.
    """

    def operator(self, parts: tuple[str, ...]) -> OperatorName | None:
        """Return the operator of an operation; None if there is no such operation.

        It has the name of the operation, or that with ``_`` after it where SkriptND does not allow the name.
        """
        if MADE_FOR in parts[-1]:
            return OperatorName(self.own.path, parts[-1])
        if len(parts) > 1:
            return super().operator(parts)
        for module in (found for name, found in self.imports.items() if name != QUANTIZATION):
            for name in (parts[0], f"{parts[0]}_"):
                if name in module.definitions:
                    return OperatorName(module.path, name)
        return super().operator(parts)


@cache
def operation_names(dialect: Dialect) -> frozenset[str]:
    """Return the names of the operations of a dialect."""
    imports = operations_of_dialect(dialect).imports
    names = [name for module, found in imports.items() if module != _STREAMS for name in found.definitions]
    return frozenset(name.removesuffix("_") for name in names if not name.startswith("_"))


@lru_cache(maxsize=MOST_KEPT_GRAPHS)
def scope_of_graph(dialect: Dialect, path: str, name: str | None) -> OperationScope:
    """Return the scope of the graph of a file, if it has one, and of samples."""
    operations = operations_of_dialect(dialect)
    return OperationScope(
        ModuleNames(path, {} if name is None else {name: "graph"}), operations.imports, operations.available
    )


@cache
def operations_of_dialect(dialect: Dialect) -> OperationScope:
    """Return the operations of a dialect."""
    modules = (*_MODULES[dialect], QUANTIZATION)
    return OperationScope(ModuleNames("", {}), {each: library_names(each) for each in modules}, {})


# ---- files in NNEF 1.0: their trees, and their elaborated graphs -----------------------------------------------------
_GRAPH = "graph.nnef"


@incremental
def nnef1_tree(db: Database, before: Nnef1SyntaxTree | None, path: str) -> Nnef1SyntaxTree:
    """Return the tree of a file in NNEF 1.0; an empty one if there is none."""
    found = text(db, path)
    tree = parse_file(found if isinstance(found, str) else "", before)
    dialect = project_settings(db).dialect
    return tree if dialect is None else replace(tree, configured=Dialect(dialect))


@incremental
def elaborated(db: Database, before: Elaborated | None, path: str) -> Elaborated:
    """Return the elaboration of a file in NNEF 1.0."""
    labels = () if before is None else before.labels
    quantization = quantization_path(path)
    file = None if quantization is None else quantization_file(db, quantization)
    pulse = project_settings(db).pulse
    given = None if pulse is None else PulseOf(*pulse)
    return elaborate(nnef1_tree(db, path), Library(db), Files(db, path, labels), file, before, given)


@query
def quantization_file(db: Database, path: str) -> QuantizationFile | None:
    """Return the lines of a file of quantizations; None if there is no such file."""
    found = text(db, path)
    return parse_quantization(found) if isinstance(found, str) else None


def quantization_tree(db: Database, path: str) -> SyntaxTree:
    """Return the tree of a file of quantizations, which contains problems only."""
    read = quantization_file(db, path) or parse_quantization("")
    graph = f"{path.rpartition('.')[0]}.nnef"
    problems = (*read.problems, *elaborated(db, graph).quantization_problems)
    if text(db, graph) is None:
        message = f"there is no graph '{graph.rpartition('/')[2]}' beside, whose tensors could be quantized"
        problems = (*read.problems, Problem(rules.UNKNOWN_QUANTIZED_TENSOR, Span(0, 0), message))
    return made_tree(read.text, nodes.Document(0, len(read.text), ()), read.comments, problems)


def flat_tree(db: Database, path: str) -> SyntaxTree:
    """Return the elaborated graph of a file in NNEF 1.0, as the tree of a file."""
    read, found = nnef1_tree(db, path), elaborated(db, path)
    items = () if found.definition is None else (found.definition,)
    own = (*read.problems, *check_document(read, library_names("nnef1").definitions.keys()), *found.problems)
    own = (*own, *rules.problems_of(FileWithArchives(read, _tensor_archives(db, dirname(path)).faults)))
    if not any(each.rule.severity is Severity.ERROR for each in own):
        read_files = {file for variable in found.variables if (file := file_of(variable.label))}
        own = (*own, *rules.problems_of(FileWithoutErrors(read, _files_of_model(db, path), read_files)))
    return made_tree(read.text, nodes.Document(0, len(read.text), items), read.comments, own)


def _files_of_model(db: Database, path: str) -> frozenset[str]:
    """Return the tensor files of a model, from its folder; none for a graph that may share its folder with others."""
    found = text(db, join(dirname(path), ALL_TENSOR_FILES)) if basename(path) == _GRAPH else None
    return frozenset(found.splitlines()) if isinstance(found, str) else frozenset()


def origins_in(chains: Mapping[nodes.Node, tuple[FragmentInvocation, ...]]) -> Mapping[nodes.Node, tuple[Origin, ...]]:
    """Return for each statement of a fragment the invocations that led to the statement, the innermost first."""
    return {
        statement: tuple(Origin(each.span, f"'{each.fragment}' is invoked here") for each in reversed(chain))
        for statement, chain in chains.items()
        if chain
    }


def scope(db: Database, path: str) -> ModuleScope:
    """Return the scope of the graph of a file, and of samples."""
    tree = nnef1_tree(db, path)
    definitions = (each for each in tree.document.items if isinstance(each, nnef1_nodes.Definition))
    name = next((each.head.name.text for each in definitions if each.head.kind == "graph"), None)
    return scope_of_graph(tree.dialect, path, name)


class Library:
    """The operators that implement operations."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._session = session(db)
        self._templates: dict[OperatorName, Template | None] = {}

    def template(self, name: str, dialect: Dialect) -> Template | None:
        """Return the operator of an operation in a dialect; None if there is no such operation."""
        operator = operations_of_dialect(dialect).operator((name,))
        if operator is None:
            return None
        if operator not in self._templates:
            self._templates[operator] = template(self._db, operator)
        return self._templates[operator]

    def names(self, dialect: Dialect) -> frozenset[str]:
        """Return the names of the operations of a dialect."""
        return operation_names(dialect)

    def quantization(self, name: str) -> Template | None:
        """Return the operator of an operation of ``graph.quant`` files; None if there is none."""
        operator = operations_of_dialect(Dialect.KHRONOS).operator((QUANTIZATION, name))
        return None if operator is None else template(self._db, operator)

    def specialization(self, template: Template, given: Arguments) -> Specialization:
        """Return the operator with everything bound."""
        return self._session.specialization(template, given)


class Files:
    """The tensor files beside a graph."""

    def __init__(self, db: Database, path: str, labels: tuple[str, ...] = ()) -> None:
        """Create the files of a graph.

        The files of ``labels``, which are probably asked for, take one query together.
        """
        self._db = db
        self._folder = dirname(path)
        self._path = path
        self._known = _tensor_files(db, self._folder, labels)

    def tensor_file(self, label: str) -> TensorFile | None:
        """Return the tensor file of a label; None if there is none."""
        return self._known[label] if label in self._known else _tensor_file(self._db, self._folder, label)

    def listing(self) -> frozenset[str]:
        """Return the names of the tensor files of the model; none for a graph that shares its folder with others."""
        return _files_of_model(self._db, self._path)

    def resource(self, label: str) -> str | None:
        """Return the text of the JSON file of a label; None if there is none."""
        path = resource_path(self._folder, label)
        found = None if path is None else text(self._db, path)
        return found if isinstance(found, str) else None

    def submodel(self, folder: str, label: str) -> Submodel | None:
        """Return the model of a label beside a graph, or beside a submodel in a folder; None if there is none."""
        for path in submodel_paths(folder, label):
            found = text(self._db, join(self._folder, path))
            if found is not None:
                fault = found.message if isinstance(found, UnreadableText) else None
                return Submodel(path, nnef1_tree(self._db, join(self._folder, path)), fault)
        return None


@query
def _tensor_files(db: Database, folder: str, labels: tuple[str, ...]) -> Mapping[str, TensorFile | None]:
    return {label: _tensor_file(db, folder, label) for label in labels}


def _tensor_file(db: Database, folder: str, label: str) -> TensorFile | None:
    file = file_of(label)
    found = None if file is None else text(db, join(folder, file))
    match found:
        case str():
            return described(found)
        case UnreadableText():
            return TensorFile("real", (), fault=found.message)
        case _:
            return _tensor_archives(db, folder).tensors.get(label.lstrip("/"))


def resource_path(folder: str, label: str) -> str | None:
    """Return the path of a JSON file beside a graph; None if it would lead out of the folder."""
    file = file_of(label, ".json")
    return None if file is None else join(folder, file)


@query
def _tensor_archives(db: Database, folder: str) -> TensorArchives:
    """Return the tensors that share files of a folder."""
    found = text(db, join(folder, ALL_TENSOR_ARCHIVES))
    return TensorArchives.of(found) if isinstance(found, str) else NO_ARCHIVES


def tensor_file(db: Database, path: str, label: str) -> TensorFile | None:
    """Return the tensor file of a label of a graph; None if there is none."""
    return Files(db, path).tensor_file(label)


def tensor_path(graph: str, label: str) -> str | None:
    """Return the path of the file of a variable; None if it would lead out of the folder of the graph."""
    file = file_of(label)
    return None if file is None else join(dirname(graph), file)


def tensor_descriptions(db: Database, path: str) -> dict[str, str]:
    """Return the descriptions of the tensor files of a graph, by their paths, as the reader gave them.

    The texts of submodels, of JSON files and of the quantizations are included.
    """
    found, folder = elaborated(db, path), dirname(path)
    paths = [quantization_path(path), *(tensor_path(path, variable.label) for variable in found.variables)]
    submodels = (use.submodel.path for use in submodels_in(found) if use.submodel is not None)
    paths += (resource_path(folder, label) for label in resources_in(found))
    paths += (join(folder, each) for each in (ALL_TENSOR_ARCHIVES, *submodels))
    texts = {each: text(db, each) for each in paths if each is not None}
    return {each: description for each, description in texts.items() if isinstance(description, str)}
