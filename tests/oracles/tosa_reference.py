"""Arm's reference model of TOSA 1.0 (`tosa-tools`, a development dependency), run on many operators at once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
BITS = {"INT8": 1, "INT16": 2, "INT32": 4, "INT48": 6, "BOOL": 1}
FLOATS = {"FP32": np.float32, "FP16": np.float16}


@dataclass(frozen=True)
class Tensor:
    """A constant operand."""

    array: Array
    dtype: str


@dataclass(frozen=True)
class Shape:
    """A constant operand that is a list of extents."""

    items: tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """One operator of TOSA 1.0 with its operands."""

    operator: str
    """As the schema spells it: `CONV2D`."""
    operands: tuple[Tensor | Shape, ...]
    results: tuple[tuple[tuple[int, ...], str], ...]
    """The shapes and types of its results."""
    kind: str = ""
    """The table of its attributes: `Conv2dAttribute`."""
    attributes: Mapping[str, Any] = field(default_factory=dict)


def programs() -> Path | None:
    """Return the folder of the programs of `tosa-tools`, if that is installed."""
    spec = find_spec("tosa_serializer")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent.parent / "bin"
    return folder if (folder / "tosa_reference_model").exists() and sys.platform == "linux" else None


class Unpredictable(Exception):  # noqa: N818 - it is what the model says
    """The reference model does not define the results, or the graph is not valid."""


def evaluate(cases: Sequence[Case], folder: Path) -> list[list[Array]]:
    """Return the results of each case, of one run of the reference model. Raise Unpredictable."""
    found = programs()
    assert found is not None
    block = _block(cases)
    graph = {
        "version": {"_major": 1, "_minor": 0, "_patch": 0, "_draft": False},
        "regions": [{"name": "main", "blocks": [block]}],
    }
    (folder / "graph.json").write_text(json.dumps(graph))
    names = block["outputs"]
    files = [f"{name}.npy" for name in names]
    test = {
        "tosa_file": "graph.json", "ifm_name": [], "ifm_file": [], "ofm_name": names, "ofm_file": files,
        "expected_failure": False,
    }  # fmt: skip
    (folder / "desc.json").write_text(json.dumps(test))
    command = [
        str(found / "tosa_reference_model"), f"--operator_fbs={found / 'tosa.fbs'}",
        f"--test_desc={folder / 'desc.json'}", "--tosa_level=NONE", "--terminate_early=1",
    ]  # fmt: skip
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if outcome.returncode != 0:
        raise Unpredictable(outcome.stdout + outcome.stderr)
    arrays: Iterator[Array] = (np.load(folder / file) for file in files)
    return [[_value(next(arrays), dtype) for _, dtype in case.results] for case in cases]


def _value(array: Array, dtype: str) -> Array:
    if dtype == "BOOL":
        return array.astype(bool)
    if dtype == "BF16":  # NumPy has no such type: the upper halves of fp32
        return (array.view("<u2").astype("<u4") << 16).view("<f4")
    return array if dtype in FLOATS else array.astype(np.int64)


def _block(cases: Sequence[Case]) -> dict[str, Any]:
    tensors: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    operators: list[dict[str, Any]] = []
    outputs: list[str] = []
    for at, case in enumerate(cases):
        operands = []
        for number, operand in enumerate(case.operands):
            name = f"c{at}_{number}"
            operands.append(name)
            if isinstance(operand, Shape):
                data = np.array(operand.items, "<i8").tobytes()
                shapes.append({"name": name, "rank": len(operand.items), "data": [*data]})
                operators.append(_operator("CONST_SHAPE", "ConstShapeAttribute", {}, [], [name]))
            else:
                data = stored(operand.array, operand.dtype)
                tensors.append(
                    {"name": name, "shape": [*operand.array.shape], "type": operand.dtype, "data": [*_padded(data)]}
                )
                operators.append(_operator("CONST", "ConstAttribute", {}, [], [name]))
        results = [f"r{at}_{number}" for number in range(len(case.results))]
        outputs += results
        for name, (shape, dtype) in zip(results, case.results, strict=True):
            tensors.append({"name": name, "shape": [*shape], "type": dtype, "data": []})
        kind = case.kind or f"{''.join(part.capitalize() for part in case.operator.split('_'))}Attribute"
        operators.append(_operator(case.operator, kind, case.attributes, operands, results))
    return {
        "name": "main", "operators": operators, "tensors": tensors, "inputs": [], "outputs": outputs, "shapes": shapes,
    }  # fmt: skip


def _operator(
    op: str, kind: str, attributes: Mapping[str, Any], inputs: Sequence[str], outputs: Sequence[str]
) -> dict[str, Any]:
    return {
        "op": op, "attribute_type": kind, "attribute": dict(attributes), "inputs": [*inputs], "outputs": [*outputs],
    }  # fmt: skip


def stored(array: Array, dtype: str) -> bytes:
    """Return the little-endian bytes of a tensor as a flatbuffer of TOSA stores them."""
    if dtype == "BF16":
        return (np.ascontiguousarray(array, "<f4").view("<u4") >> 16).astype("<u2").tobytes()
    if dtype in FLOATS:
        return np.ascontiguousarray(array, np.dtype(FLOATS[dtype]).newbyteorder("<")).tobytes()
    width = BITS[dtype]
    wide = np.ascontiguousarray(array, "<i8").reshape(-1, 1).view(np.uint8)
    return wide[:, :width].tobytes()


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 8)
