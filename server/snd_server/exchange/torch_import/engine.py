"""Results of PyTorch for an exported program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from snd_server.exchange.onnx_import.data import tensor_array
from snd_server.exchange.onnx_import.judge import RuntimeFailedError
from snd_server.exchange.onnx_import.source import Array, SourceGraph
from snd_server.exchange.torch_import.tracing import demand_torch
from snd_server.running.arguments import ArgumentError


class LoadedProgram:
    """An exported program, loaded by PyTorch."""

    def __init__(self, path: str, source: SourceGraph) -> None:
        """Load a program. PyTorch may execute code that the file has. Raise ArgumentError."""
        torch = demand_torch()
        try:
            self._program = torch.export.load(path)
        except Exception as error:  # torch has no base class of its errors
            raise ArgumentError(f"PyTorch can't load {path}: {error}") from error
        self._source = source

    def run(self, inputs: Mapping[str, Array], tensors: Sequence[str] = ()) -> dict[str, Array]:
        """Return the outputs by name, or these tensors too. Raise RuntimeFailedError."""
        return run_program(self._program, self._source, inputs, tensors)


def run_program(
    program: Any, source: SourceGraph, inputs: Mapping[str, Array], tensors: Sequence[str] = ()
) -> dict[str, Array]:
    """Return the outputs of a program by their names, or these tensors too. Raise RuntimeFailedError."""
    torch = demand_torch()
    signature = program.graph_signature
    stored = {**program.state_dict, **program.constants}
    declared = {each.name: each for each in source.inputs}
    arguments = []
    for spec in signature.input_specs:
        name = spec.arg.name
        if name in declared:
            dtype = declared[name].dtype
            array = np.array(inputs[name], dtype)
            arguments.append(torch.from_numpy(array).clone())
        elif spec.target is not None:
            arguments.append(stored[spec.target].detach().clone())
        else:
            arguments.append(spec.arg.value)
    wanted = {*tensors, *(each.name for each in source.outputs)}
    seen: dict[str, Any] = {}

    class Watching(torch.fx.Interpreter):  # type: ignore[misc, name-defined]
        def run_node(self, node: Any) -> Any:
            value = super().run_node(node)
            if node.name in wanted and isinstance(value, torch.Tensor):
                seen[node.name] = value.detach().clone()
            return value

    try:
        with torch.no_grad():
            results = Watching(program.graph_module).run(*arguments)
    except Exception as error:  # torch has no base class of its errors
        raise RuntimeFailedError(f"PyTorch can't run it: {error}") from None
    for spec, value in zip(signature.output_specs, results, strict=True):
        if spec.kind.name == "USER_OUTPUT" and isinstance(value, torch.Tensor):
            seen[spec.arg.name] = value
    names = [spec.arg.name for spec in signature.output_specs if spec.kind.name == "USER_OUTPUT"]
    found = {each.name: seen[name] for each, name in zip(source.outputs, names, strict=False)}
    found = {**found, **{name: seen[name] for name in tensors if name in seen}}
    return {name: tensor_array(_array(torch, value)) for name, value in found.items()}


def _array(torch: Any, value: Any) -> Array:
    return np.asarray((value.float() if value.dtype == torch.bfloat16 else value).numpy())
