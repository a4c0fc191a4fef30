"""One run of ``snd export``: compose, write as ONNX, compare with onnxruntime if asked for."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from msgspec import Struct

from snd_analysis.base import Severity, counted
from snd_analysis.compose import Session, Specialization, compose_root, variables_below
from snd_analysis.workspace import Snapshot
from snd_runtime.errors import EvaluationFailed
from snd_runtime.execution import weight_use
from snd_runtime.execution.factors import Factors
from snd_runtime.execution.variables import Variables
from snd_runtime.limits import Budget, Limits
from snd_runtime.lowering.lowered import FLOAT32, Argument
from snd_server.checking.checker import Checker
from snd_server.checking.report import Report
from snd_server.console.colours import paint
from snd_server.console.terminal import say, show
from snd_server.exchange import special_values
from snd_server.exchange.export_comparison import Chosen, verify
from snd_server.exchange.inference import Inference
from snd_server.extras import demand_onnx
from snd_server.limits import MOST_MODEL_BYTES, MOST_VARIABLES
from snd_server.render.reports import full
from snd_server.running.arguments import ArgumentError, parse_arguments
from snd_server.running.chosen_graph import chosen_graph, compose_chosen
from snd_server.running.definitions import demand_quantizations
from snd_server.running.evaluate import RunRequest, names_labels, prepare
from snd_server.running.weights import loaded, mismatch
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings
from snd_server.workspace_files.writing import demand_below, demand_no_source, is_stream, write_file, write_together

if TYPE_CHECKING:
    import onnx

CLEAN, PROBLEMS = 0, 1
_MODEL = "model.onnx"
_SMALLEST_OUTSIDE, _ALIGNMENT = 1024, 4096
"""Minimum size and alignment, in bytes, of weights in another file: programs map its pages into memory."""


class ExportRequest(Struct, frozen=True):
    """The command line of ``snd export``. Memory is in bytes."""

    path: str
    output: str
    graph: str | None = None
    attributes: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    weights: str | None = None
    seed: int = 0
    flat: bool = False
    quantize: bool = False
    verify: bool = False
    quiet: bool = False
    memory_bytes: int = 4 << 30
    config: str | None = None
    strict: bool | None = None
    """True to demand a weight for each variable, and a variable for each weight; None for given ``weights`` only."""


def run_export(request: ExportRequest) -> int:
    """Export a graph, and return the exit status.

    Raise ArgumentError, ShapesError and ConfigError for a command line that can't be followed; OSError.
    """
    demand_onnx()
    from snd_server.exchange.onnx_export import NotExportable, undecided_inputs, write_model

    checker = Checker(Configurations(request.config), RuleSettings())
    snapshot, _, template = chosen_graph(checker, request.path, request.graph)
    composition, diagnostics = compose_chosen(
        checker, snapshot, template, request.attributes, request.inputs, request.types
    )
    errors = tuple(each for each in diagnostics if each.severity is Severity.ERROR)
    if errors:
        show(full.render(Report((request.path,), errors, checker.source, paint=paint())))
        return PROBLEMS
    if request.quantize:
        demand_quantizations(snapshot, template.name.path)
    given = parse_arguments(template, request.attributes, request.inputs, request.types)
    session = Session(snapshot)
    specialization = compose_root(session, template, given.attributes, given.dtypes, given.inputs)
    chosen = Chosen(
        session, template, specialization, given.attributes, composition.dtypes, given.inputs, request.quantize
    )
    variables = _variables(checker, snapshot, request, chosen)
    with Inference(request.memory_bytes) as inference:
        inference.start()
        try:
            model = write_model(
                specialization, variables, flat=request.flat, quantizing=session if request.quantize else None
            )
            note = save(model, request.output, specialization, variables, inference)
        except NotExportable as failed:
            for problem in failed.problems:
                say(f"can't be exported: {problem}", err=True)
            for name in undecided_inputs(specialization):
                say(f"--input {name}=SHAPE or --input {name}=~ says which case the file has", err=True)
            return PROBLEMS
        if not request.quiet:
            functions = f", {counted(len(model.functions), 'function')}" if model.functions else ""
            say(f"{request.output}: {counted(len(model.graph.node), 'node')}{functions}")
            special = special_values.note(model)
            if special is not None:
                say(special)
        if note is not None:
            say(f"warning: the file was not checked completely: {note}", err=True)
        if not request.verify:
            return CLEAN
        if note is not None:
            raise ArgumentError(f"--verify: {note}")
        found = verify(chosen, variables, request.output, inference, request.seed, request.memory_bytes)
    if found.wrong is not None:
        say(found.wrong, err=True)
        return PROBLEMS
    if not request.quiet:
        say(found.note or "onnxruntime computes the same outputs on random inputs")
    if found.special is not None:
        say(f"warning: for NaN and infinities among the inputs, {found.special} (onnxruntime and snd)", err=True)
    return CLEAN


def save(
    model: onnx.ModelProto,
    path: str,
    specialization: Specialization,
    variables: Mapping[str, Argument],
    inference: Inference,
) -> str | None:
    """Write the model of a graph; the weights of a very large one into a file beside it, ``NAME.data``.

    A file appears only if ``onnx.checker`` and onnxruntime accept it. Return the reason if they could not be asked.
    Raises NotExportable if they refuse the file; OSError.
    """
    from snd_server.exchange.onnx_export import accept, refused

    names = [os.path.basename(path)]
    note: str | None = None

    def check(temporaries: Sequence[str]) -> None:
        """Check new files under the names that they will have: the model names the file of its weights."""
        nonlocal note
        with TemporaryDirectory(prefix=".", dir=os.path.dirname(temporaries[0])) as trial:
            moved = [(each, os.path.join(trial, name)) for each, name in zip(temporaries, names, strict=True)]
            for temporary, named in moved:
                os.replace(temporary, named)
            try:
                found = accept(model, moved[0][1], inference)
            finally:
                for temporary, named in moved:
                    os.replace(named, temporary)
        if found.refusal is not None:
            raise refused(specialization, variables, found.refusal, inference)
        note = found.note

    demand_no_source(path)
    is_small = sum(len(each.raw_data) for each in model.graph.initializer) < MOST_MODEL_BYTES
    if is_stream(path):
        if not is_small:
            raise OSError(errno.EFBIG, "a model of this size is two files: name one in a folder", path)
        content = model.SerializeToString()
        with TemporaryDirectory() as folder:
            names = [_MODEL]
            write_together({os.path.join(folder, _MODEL): (content,)}, check)
        write_file(path, content)
        return note
    if is_small:
        write_together({path: (model.SerializeToString(),)}, check)
        return note
    beside = f"{path}.data"
    demand_below(os.path.dirname(path) or os.curdir, beside)
    names.append(os.path.basename(beside))
    pieces = _external(model, names[1])
    write_together({path: (model.SerializeToString(),), beside: pieces}, check)
    return note


def _external(model: onnx.ModelProto, location: str) -> list[bytes]:
    """Move weights out of a model: return the bytes of the file ``location``, where the model has them now."""
    from onnx.external_data_helper import set_external_data

    pieces: list[bytes] = []
    end = 0
    for tensor in model.graph.initializer:
        content = tensor.raw_data
        if len(content) < _SMALLEST_OUTSIDE:
            continue
        padding = bytes(-end % _ALIGNMENT)
        set_external_data(tensor, location, offset=end + len(padding), length=len(content))
        tensor.ClearField("raw_data")
        pieces += [padding, content]
        end += len(padding) + len(content)
    return pieces


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
