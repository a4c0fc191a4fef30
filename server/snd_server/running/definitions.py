"""The definition that a command line names: a graph or operator of a file, or an operator of the library."""

from __future__ import annotations

from snd_analysis.base import Severity
from snd_analysis.compose import Template
from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName, format_modules, is_format_library, library_modules
from snd_analysis.workspace import Snapshot
from snd_server.running.arguments import ArgumentError, among
from snd_server.running.specified_names import declared_name
from snd_server.workspace_files.model_folder import no_graph


def chosen_definition(snapshot: Snapshot, path: str, graph: str | None, operator: str | None) -> Template:
    """Return the named operator, which may be one of the library, the named graph, or the main graph of a file.

    Raise ArgumentError if there is none.
    """
    kind = "graph" if operator is None else "operator"
    written = operator or graph
    if written is None:
        graphs = snapshot.main_graphs(path)
        if not graphs:
            raise ArgumentError(no_graph(snapshot, path, "; name an operator with --operator"))
        written = graphs[0].name.text
    name = _name(snapshot, path, written)
    if is_format_library(name.path):
        name = OperatorName(name.path, declared_name(name.name, [*snapshot.definitions(name.path)]))
    template = snapshot.template(name)
    if template is None or template.definition.kind != kind:
        known = [each for each, found in snapshot.definitions(name.path).items() if found.definition.kind == kind]
        raise ArgumentError(f"there is no {kind} '{written}' in {path}; {among(name.name, known)}")
    return template


def _name(snapshot: Snapshot, path: str, written: str) -> OperatorName:
    """Return a definition of the file, or ``module.name`` of a module that it imports or of the library."""
    module, _, name = written.rpartition(".")
    if not module:
        return OperatorName(path, written)
    for imported in snapshot.imports(path):
        if imported.node.text == module and imported.path is not None:
            return OperatorName(imported.path, name)
    return OperatorName(library_path(written) or path, name)


def library_path(operator: str) -> str | None:
    """Return the path of the module of the library that `nn.relu` names; None if it names none."""
    module = operator.rpartition(".")[0]
    return f"{LIBRARY_PREFIX}{module}" if module in (*library_modules(), *format_modules()) else None


def demand_quantizations(snapshot: Snapshot, path: str) -> None:
    """Raise ArgumentError if the ``graph.quant`` beside a graph in NNEF 1.0 has an error.

    Composing leaves out the lines with errors.
    """
    from snd_analysis.nnef1.syntax import quantization_path  # SkriptND does without the other language

    file = quantization_path(path)
    if file is None or snapshot.file(file) is None:
        return
    wrong = next((each for each in snapshot.diagnostics(file) if each.severity is Severity.ERROR), None)
    if wrong is not None:
        line = snapshot.source(file).position(wrong.location.span.start).line
        raise ArgumentError(f"--quantize: {file}:{line}: {wrong.message}")
