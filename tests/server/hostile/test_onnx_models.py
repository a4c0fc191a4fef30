"""``snd convert`` of ONNX files that lie: each costs a message, nothing is read outside of the folder of the model."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snd_server.exchange.onnx_import import InvalidModelError, read_model, source_of

onnx = pytest.importorskip("onnx", reason="reading ONNX takes the package onnx")

FLOAT, INT64, STRING, INT4 = 1, 7, 8, 22
CONTROL = "a\x1b[31m\n::error::x\r\u202e"
_NAME = "n" * 1_000_000


def _value(name: str, dtype: int = FLOAT, shape: tuple[int, ...] | None = (2,)) -> Any:
    return onnx.helper.make_tensor_value_info(name, dtype, shape)


def _node(kind: str, inputs: list[str], outputs: list[str], **attributes: Any) -> Any:
    return onnx.helper.make_node(kind, inputs, outputs, **attributes)


def _model(*nodes: Any, constants: tuple[Any, ...] = (), sparse: tuple[Any, ...] = (), functions: Any = ()) -> Any:
    graph = onnx.helper.make_graph([*nodes], "g", [_value("x")], [_value("y")], [*constants])
    graph.sparse_initializer.extend(sparse)
    versions = [onnx.helper.make_opsetid("", 18), onnx.helper.make_opsetid("d", 1)]
    return onnx.helper.make_model(graph, opset_imports=versions, functions=[*functions])


def _external(dtype: int = FLOAT, dims: tuple[int, ...] = (2,), **place: str) -> Any:
    """A model with a tensor whose elements are in another file."""
    tensor = onnx.TensorProto(name="w", data_type=dtype, dims=dims, data_location=1)
    for key, value in {"location": "data", **place}.items():
        tensor.external_data.add(key=key, value=value)
    return _model(_node("Add", ["x", "w"], ["y"]), constants=(tensor,))


def _constant(name: str, value: Any) -> Any:
    return _node("Constant", [], [name], value=onnx.numpy_helper.from_array(np.array(value, np.int64)))


def _sparse(dims: tuple[int, ...], name: str = "w") -> Any:
    found = onnx.SparseTensorProto(dims=dims)
    found.values.CopyFrom(onnx.numpy_helper.from_array(np.ones(1, np.float32), name))
    found.indices.CopyFrom(onnx.numpy_helper.from_array(np.zeros(1, np.int64)))
    return found


def _function(name: str, *nodes: Any) -> Any:
    versions = [onnx.helper.make_opsetid("", 18), onnx.helper.make_opsetid("d", 1)]
    return onnx.helper.make_function("d", name, ["a"], ["b"], [*nodes], versions)


def _call(function: str, inside: str, outside: str, name: str = "") -> Any:
    return _node(function, [inside], [outside], domain="d", name=name)


def _within_branches() -> Any:
    branch = onnx.helper.make_graph([_call("f", "a", "o")], "s", [], [_value("o")])
    choice = _node("If", ["c"], ["b"], then_branch=branch, else_branch=branch)
    return _model(_call("f", "x", "y"), functions=(_function("f", _node("Cast", ["a"], ["c"], to=9), choice),))


def _doubling(depth: int, name: str) -> Any:
    lowest = _function("f0", _node("Relu", ["a"], ["b"]))
    others = (
        _function(f"f{at}", _call(f"f{at - 1}", "a", "c"), _call(f"f{at - 1}", "c", "b")) for at in range(1, depth + 1)
    )
    return _model(_call(f"f{depth}", "x", name), _node("Relu", [name], ["y"]), functions=(lowest, *others))


def _without_output() -> Any:
    model = _model(_node("Relu", ["x"], ["y"]))
    del model.graph.output[:]
    return model


_OUTSIDE = "which is not in the folder of the model"
_MALFORMED = "its inputs and attributes are not those of such a node"
ATTACKS: dict[str, tuple[Callable[[], Any], str]] = {
    "data in a folder above": (lambda: _external(location="../secret"), _OUTSIDE),
    "data in a pipe": (lambda: _external(location="pipe"), "it is neither a file nor a folder"),
    "data in a device": (lambda: _external(location="zero"), _OUTSIDE),
    "data with a null character": (lambda: _external(location="a\0b"), _OUTSIDE),
    "data with control characters": (lambda: _external(location=CONTROL), "No such file"),
    "data of strings": (lambda: _external(STRING, length="16"), "strings, which are never in another file"),
    "data of an unknown type": (lambda: _external(99), "items of the unknown type 99"),
    "data beyond the end": (lambda: _external(offset=str(1 << 62)), "beyond the end"),
    "data at a long number": (lambda: _external(offset="9" * 5_000), "is at no place of 'data'"),
    "data of no elements and large extents": (lambda: _external(dims=(0, 1 << 62, 1 << 62)), "can't have the shape"),
    "sparse and negative": (
        lambda: _model(_node("Add", ["x", "w"], ["y"]), sparse=(_sparse((-2, -2)),)),
        "negative extent",
    ),
    "sparse and large": (
        lambda: _model(_node("Relu", ["x"], ["y"]), sparse=tuple(_sparse((1 << 24,), f"w{at}") for at in range(99))),
        "more than is left of the memory that all may take",
    ),
    "a function within its branches": (_within_branches, "calls itself, or is too deep"),
    "functions that double": (lambda: _doubling(30, "c"), "expand to more than 100,000 nodes"),
    "functions that double a long name": (lambda: _doubling(12, _NAME), "names of more than"),
    "a hundred dimensions": (
        lambda: _model(_constant("s", [1] * 100), _node("ConstantOfShape", ["s"], ["y"])),
        _MALFORMED,
    ),
    "extents that overflow": (
        lambda: _model(_constant("s", [0, 1 << 62, 1 << 62]), _node("ConstantOfShape", ["s"], ["y"])),
        _MALFORMED,
    ),
    "shapes that do not fit": (
        lambda: _model(_constant("s", [3]), _constant("v", [1, 2]), _node("Expand", ["v", "s"], ["y"])),
        _MALFORMED,
    ),
    "a range of vectors": (
        lambda: _model(*(_constant(name, [0, 1]) for name in "abc"), _node("Range", ["a", "b", "c"], ["y"])),
        _MALFORMED,
    ),
    "ints with reals": (
        lambda: _model(_constant("v", [1, 2]), _node("Add", ["x", "v"], ["y"])),
        "math.add: 'T' of 'math.add' is 'real' because of the input 'x', but 'int' because of the input 'y'",
    ),
    "an attribute of another type": (lambda: _model(_node("Softmax", ["x"], ["y"], axis="q" * 9_000)), "is no int"),
    "a tensor that is given twice": (
        lambda: _model(_node("Relu", ["x"], ["y"]), _node("Neg", ["x"], ["y"])),
        "2 nodes, inputs or initializers give 'y': only one may",
    ),
    "no output": (_without_output, "its graph has no output"),
    "names with control characters": (
        lambda: _model(_node(CONTROL, ["x"], ["y"], name=CONTROL, domain=CONTROL)),
        "no operator",
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_it_costs_a_message(project: Path, real, attack: str):
    make, message = ATTACKS[attack]
    folder = project / "model"
    folder.mkdir()
    (project / "secret").write_bytes(bytes(8))
    (folder / "data").write_bytes(b"\1" * 64)
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "net.onnx").write_bytes(make().SerializeToString())
    outcome = real("convert", "model/net.onnx", "-o", "out", "--memory", "500")
    assert outcome.status in (1, 2)
    assert message in outcome.stderr
    assert len(outcome.stderr) < 10_000
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]|^::", outcome.stderr, re.MULTILINE)


@pytest.mark.parametrize("name", ["../../../up", "/absolute", CONTROL, "C:\\a", "con", "..", "v" * 3_000])
def test_names_lead_nowhere(project: Path, real, name: str):
    weight = onnx.numpy_helper.from_array(np.ones(2, np.float32), name)
    model = _model(_node("Add", ["x", name], [f"{name}y"], name=name), _node("Relu", [f"{name}y"], ["y"]),
                   constants=(weight,))  # fmt: skip
    model.graph.name = "g { }\noperator evil { }\n# >>> evil()\ngraph h"
    model.graph.doc_string = "\ngraph evil { }\n# >>> evil()"
    (project / "net.onnx").write_bytes(model.SerializeToString())
    assert real("convert", "net.onnx", "-o", "out").status == 0
    files = sorted(str(path.relative_to(project)) for path in project.rglob("*") if path.is_file())
    assert files[:2] == ["net.onnx", "out/main.sknd"]
    assert all(re.fullmatch(r"out/weights/\w{1,250}\.dat", each) for each in files[2:])
    text = (project / "out" / "main.sknd").read_text()
    assert not re.search(r"^\s*(graph|operator) evil|>>>", text, re.MULTILINE)


def test_items_of_half_a_byte_in_another_file(project: Path, real):
    (project / "data").write_bytes(b"\x21\x03")
    model = _external(INT4, (3,), length="2")
    model.graph.node[0].CopyFrom(_node("Cast", ["w"], ["v"], to=FLOAT))
    model.graph.node.append(_node("Relu", ["v"], ["y"]))
    (project / "net.onnx").write_bytes(model.SerializeToString())
    graph = read_model("net.onnx", 200)
    assert graph.initializers["w"].tolist() == [1, 2, 3]
    with pytest.raises(InvalidModelError, match="more than is left of the memory"):
        source_of(model, str(project), most_bytes=2)
