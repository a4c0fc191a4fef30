"""The check of an exported file: ``onnx.checker``, and onnxruntime where it is installed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from tempfile import TemporaryDirectory

import onnx
from msgspec import Struct

from snd_analysis.compose import Specialization, specialization_of
from snd_analysis.model import Operation
from snd_runtime.lowering.lowered import Argument
from snd_server.exchange.graph_export.errors import ExportProblem, NotExportable
from snd_server.exchange.graph_export.limits import LONGEST_REFUSAL, MOST_CULPRITS
from snd_server.exchange.graph_export.parts import part_of, results_of
from snd_server.exchange.graph_export.root_graph import flat_graph, operator_text
from snd_server.exchange.inference import Inference, InferenceError, InferenceLimitError
from snd_server.exchange.onnx_export.limits import MOST_LOADED_NODES
from snd_server.exchange.onnx_export.model_writer import write_operations
from snd_server.limits import MOST_INFERENCE_SECONDS

_FAULT = "this is a fault of snd, not of the model: please report it"


class Acceptance(Struct, frozen=True):
    """The reason why a file is refused, or a note that it could not be checked; None for neither."""

    refusal: str | None = None
    note: str | None = None


def accept(model: onnx.ModelProto, path: str, inference: Inference) -> Acceptance:
    """Let ``onnx.checker`` and, where it is installed, onnxruntime check a model that was written to a file.

    onnxruntime is not asked about a model that is too large for it (``too_large_to_load``).
    """
    too_large = too_large_to_load(model)
    what = "onnx.checker refuses the file"
    try:
        inference.check(path)
        what = "onnxruntime does not load the file"
        if too_large is None and find_spec("onnxruntime") is not None:
            inference.load(path)
    except InferenceError as error:
        text = str(error) if len(str(error)) <= LONGEST_REFUSAL else f"{str(error)[:LONGEST_REFUSAL]}…"
        return Acceptance(refusal=f"{what}: {text}")
    except InferenceLimitError as limit:
        return Acceptance(note=str(limit))
    return Acceptance(note=too_large)


def too_large_to_load(model: onnx.ModelProto) -> str | None:
    """Return why onnxruntime can't be asked whether it loads a model; None if it can.

    onnxruntime inlines functions, so that a few functions which invoke each other twice become more nodes than fit into
    memory.
    """
    nodes = _nodes_without_functions(model)
    if nodes <= MOST_LOADED_NODES:
        return None
    return f"onnxruntime was not asked to load it: without functions, it has {nodes:,} nodes"


def _nodes_without_functions(model: onnx.ModelProto) -> int:
    """Return the number of nodes of a model whose functions are inlined."""
    found: dict[tuple[str, str], int] = {}

    def count(nodes: Iterable[onnx.NodeProto]) -> int:
        total = 0
        for node in nodes:
            total += found.get((node.domain, node.op_type), 1)
            for attribute in node.attribute:
                total += count(attribute.g.node) + sum(count(graph.node) for graph in attribute.graphs)
        return total

    for function in model.functions:
        found[function.domain, function.name] = count(function.node)
    return count(model.graph.node)


def refused(
    specialization: Specialization, variables: Mapping[str, Argument], reason: str, inference: Inference
) -> NotExportable:
    """Return the error for a graph whose file was refused: it names the operations whose nodes are the cause.

    ``reason`` is the refusal of the whole file.
    """
    graph = flat_graph(specialization)
    problems = []
    end = time.monotonic() + MOST_INFERENCE_SECONDS
    for operation in (*graph.operations, *graph.update_operations):
        part = part_of(graph, [operation], results_of([operation]))
        try:
            model = write_operations(specialization, part, variables)
        except NotExportable:  # it can be exported only with the operations around it
            continue
        found = _refusal_of(model, inference)
        if found is not None:
            problems.append(ExportProblem(_name(operation), f"{found} ({_FAULT})"))
        if len(problems) == MOST_CULPRITS or time.monotonic() > end:
            break
    return NotExportable(problems or [ExportProblem(specialization.template.name.name, f"{reason} ({_FAULT})")])


def _refusal_of(model: onnx.ModelProto, inference: Inference) -> str | None:
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "part.onnx")
        onnx.save(model, path)
        return accept(model, path, inference).refusal


def _name(operation: Operation) -> str:
    """Return an operator with the result of its invocation, as ``nn.linear ('y')``."""
    callee = specialization_of(operation)
    name = (operation.construct or "") if callee is None else operator_text(callee.template.name)
    results = [tensor.name for tensor in results_of([operation])]
    return f"{name} ('{results[0]}')" if results else name
