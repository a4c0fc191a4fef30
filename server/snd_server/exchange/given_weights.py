"""Weights that ``snd convert`` is given for the variables of the new model, and the map that renames them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from snd_runtime.evaluation import StoredArray
from snd_server.exchange.conversion_request import ConvertRequest
from snd_server.running.arguments import ArgumentError
from snd_server.running.map_proposal import proposed_rules, write_proposal
from snd_server.running.weight_maps import idle_rules, read_rules, renamed
from snd_server.running.weights import loaded, mismatch, read_weights

Array: TypeAlias = np.ndarray[Any, Any]
_KINDS = {"real": "fiu", "int": "iu", "bool": "b", "str": "OU"}


def given_weights(request: ConvertRequest) -> dict[str, Array | StoredArray]:
    """Return the weights of ``weights_from``, renamed by ``map``. Raise ArgumentError."""
    assert request.weights_from is not None
    weights = read_weights(request.weights_from, request.memory_bytes)
    rules = () if request.map is None else read_rules(request.map)
    idle = idle_rules(weights, rules)
    if idle is not None and request.strict:
        raise ArgumentError(f"{idle}; --no-strict ignores them")
    return renamed(weights, rules)


def proposed_map(request: ConvertRequest, weights: Mapping[str, Any], variables: Mapping[str, tuple[int, ...]]) -> str:
    """Write rules that rename weights to variables; return a phrase about open cases.

    Raise ArgumentError and OSError.
    """
    assert request.write_map is not None
    proposal = proposed_rules({name: tuple(value.shape) for name, value in weights.items()}, variables)
    mapped = renamed(weights, proposal.rules)
    wrong = mismatch([*(variables.keys() - mapped.keys())], [*(mapped.keys() - variables.keys())])
    return write_proposal(request.write_map, proposal, wrong, "convert")


def fitting_weights(
    request: ConvertRequest, weights: Mapping[str, Any], variables: Mapping[str, tuple[str, tuple[int, ...]]]
) -> dict[str, Array]:
    """Return the weights of variables, which are given with their types and shapes. Raise ArgumentError.

    Unless the request is strict, weights without a variable are ignored.
    """
    wrong = mismatch(sorted(variables.keys() - weights.keys()), sorted(weights.keys() - variables.keys()))
    place = f"weights {request.weights_from}"
    if wrong is not None and request.strict:
        advice = "--map FILE renames weights, --write-map FILE proposes such a file, --no-strict keeps the model's own"
        raise ArgumentError(f"{place}: {wrong}\n  {advice}")
    found = loaded({name: value for name, value in weights.items() if name in variables})
    for name, array in found.items():
        dtype, shape = variables[name]
        if array.shape != shape or array.dtype.kind not in _KINDS[dtype]:
            extents = ",".join(map(str, shape))
            raise ArgumentError(
                f"{place}: '{name}' is '{array.dtype}[{','.join(map(str, array.shape))}]', "
                f"but the variable is '{dtype}[{extents}]'"
            )
    return {
        name: array.astype(np.float32) if variables[name][0] == "real" and array.dtype.kind != "f" else array
        for name, array in found.items()
    }
