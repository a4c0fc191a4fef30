"""One run of ``snd export``: compose, and write in the format that the output names."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from snd_analysis.base import Severity
from snd_analysis.compose import Session, Specialization, compose_root, variables_below
from snd_analysis.workspace import Snapshot
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution import weight_use
from snd_runtime.execution.factors import Factors
from snd_runtime.execution.variables import Variables
from snd_runtime.limits import Budget, Limits
from snd_runtime.lowering.lowered import FLOAT32, Argument
from snd_server.checking.checker import Checker
from snd_server.checking.plain_report import plain_report
from snd_server.console.colours import paint
from snd_server.console.terminal import say, show
from snd_server.exchange.export_comparison import Chosen
from snd_server.exchange.export_request import PROBLEMS, PYTHON_SUFFIX, ExportRequest
from snd_server.exchange.graph_export.errors import NotExportable
from snd_server.exchange.graph_export.root_graph import undecided_inputs
from snd_server.exchange.nnef1_export.packing import is_nnef1
from snd_server.extras import demand_onnx
from snd_server.limits import MOST_VARIABLES
from snd_server.render.reports import full
from snd_server.running.arguments import ArgumentError, parse_arguments
from snd_server.running.chosen_graph import chosen_graph, compose_chosen
from snd_server.running.definitions import demand_quantizations
from snd_server.running.evaluate import RunRequest, names_labels, prepare
from snd_server.running.weights import loaded, mismatch
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings
from snd_server.workspace_files.writing import STANDARD_OUTPUT, withdrawn_if_interrupted


def run_export(request: ExportRequest) -> int:
    """Export a graph, and return the exit status.

    Raise ArgumentError, ShapesError and ConfigError for a command line that can't be followed; OSError.
    """
    if request.output == STANDARD_OUTPUT:
        if request.verify:
            raise ArgumentError("--verify compares a file with the graph, but - is standard output: name a file")
        request = replace(request, quiet=True)
    is_python = request.output.endswith(PYTHON_SUFFIX)
    is_onnx = not is_nnef1(request.output) and not is_python
    if is_onnx:
        demand_onnx()
    checker = Checker(Configurations(request.config), RuleSettings())
    snapshot, _, template = chosen_graph(checker, request.path, request.graph)
    composition, diagnostics = compose_chosen(
        checker, snapshot, template, request.attributes, request.inputs, request.types
    )
    errors = tuple(each for each in diagnostics if each.severity is Severity.ERROR)
    if errors:
        show(full.render(plain_report(checker, request.path, errors, paint())))
        return PROBLEMS
    if request.quantize:
        demand_quantizations(snapshot, template.name.path)
    given = parse_arguments(template, request.attributes, request.inputs, request.types)
    session = Session(snapshot)
    specialization = compose_root(session, template, given.attributes, given.dtypes, given.inputs)
    chosen = Chosen(
        session, template, specialization, given.attributes, composition.dtypes, given.inputs, request.quantize,
        {each.name: each.label for each in snapshot.stored_variables(request.path)},
    )  # fmt: skip
    variables = _variables(checker, snapshot, request, chosen)
    try:
        with withdrawn_if_interrupted():
            if is_python:
                from snd_server.exchange.torch_export.exporting import export_torch

                return export_torch(request, chosen, variables)
            if is_onnx:
                from snd_server.exchange.onnx_export.exporting import export_onnx

                return export_onnx(request, chosen, variables)
            from snd_server.exchange.nnef1_export.exporting import export_nnef1

            return export_nnef1(request, chosen, variables)
    except NotExportable as failed:
        for problem in failed.problems:
            say(f"can't be exported: {problem}", err=True)
        for name in undecided_inputs(specialization):
            say(f"--input {name}=SHAPE or --input {name}=~ says which case the file has", err=True)
        return PROBLEMS


# ---- variables -------------------------------------------------------------------------------------------------------
def _variables(checker: Checker, snapshot: Snapshot, request: ExportRequest, chosen: Chosen) -> dict[str, Argument]:
    run = RunRequest(
        request.path, chosen.template.name.name, weights=request.weights, memory_bytes=request.memory_bytes
    )
    prepared = prepare(snapshot, run, checker.configurations.of_file(request.path).weights)
    given = loaded(prepared.evaluation.weights)
    if request.weights is not None if request.strict is None else request.strict:
        root = compose_root(chosen.session, chosen.template, chosen.attributes, chosen.dtypes)
        use = weight_use([chosen.specialization, root], given)
        wrong = mismatch(use.drawn, use.unused, "label" if names_labels(run) else "name")
        if wrong is not None:
            advice = "--no-strict draws missing weights at random"
            raise ArgumentError(f"weights {request.weights or 'of the model'}: {wrong}\n  {advice}")
    return all_variables(chosen.session, chosen.specialization, given, request.seed)


def all_variables(
    session: Session, specialization: Specialization, given: Mapping[str, Argument], seed: int
) -> dict[str, Argument]:
    """Return a value for every variable: the given ones, and others drawn as ``snd run`` draws them.

    Raise ArgumentError for a given one that does not fit, and for too many.
    """
    drawing = Variables(given, seed, FLOAT32, Budget(Limits()), Factors(session))
    found: dict[str, Argument] = {}
    try:
        for name, value in variables_below(specialization):
            if name not in found:
                found[name] = drawing.value(name, value)
            if len(found) > MOST_VARIABLES:
                raise ArgumentError(f"the graph has more than {MOST_VARIABLES:,} variables, more than snd exports")
    except EvaluationFailed as failed:
        raise ArgumentError(failed.message) from None
    return found
