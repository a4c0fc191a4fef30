"""``snd convert MODEL.onnx``: real models against onnxruntime."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

Run = Callable[..., Any]
LIGHT = Path(onnx.__file__).parent / "backend/test/data/light"
_FAST = {"light_squeezenet"}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[] if path.stem in _FAST else pytest.mark.exhaustive)
        for path in sorted(LIGHT.glob("*.onnx"))
    ],
)
def test_light_models_give_what_onnxruntime_gives(path: Path, tmp_path: Path, real: Run):
    outcome = real("convert", str(path), "-o", str(tmp_path / "new"), "--verify")
    assert outcome.status == 0, outcome.stderr
    assert "1 output equal" in outcome.stdout
    assert real("check", str(tmp_path / "new")).status == 0
    assert real("fmt", "--check", str(tmp_path / "new")).status == 0


def test_what_is_no_model_is_refused(tmp_path: Path, real: Run):
    file = tmp_path / "x.onnx"
    file.write_bytes(b"\xff" * 40)
    outcome = real("convert", str(file), "-o", str(tmp_path / "new"))
    assert outcome.status == 2
    assert "this is no ONNX model" in outcome.stderr


# ---- models of our own -----------------------------------------------------------------------------------------------
def _value(name: str, shape: Sequence[Any], kind: int = 1) -> Any:
    return onnx.helper.make_tensor_value_info(name, kind, shape)


def _saved(path: Path, nodes: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any], **arrays: Any) -> Path:
    tensors = [onnx.numpy_helper.from_array(np.asarray(array), name) for name, array in arrays.items()]
    graph = onnx.helper.make_graph(nodes, "net", inputs, outputs, tensors)
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def _node(kind: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> Any:
    return onnx.helper.make_node(kind, inputs, outputs, name=f"{kind}_{outputs[0]}", **attributes)


def test_layers_that_are_repeated_become_one_operator(tmp_path: Path, real: Run):
    chance = np.random.default_rng(0)
    nodes, arrays, last = [], {}, "x"
    for at, (rows, columns) in enumerate([(4, 8), (8, 16), (16, 6)]):
        arrays[f"w{at}"] = chance.standard_normal((rows, columns)).astype(np.float32)
        arrays[f"b{at}"] = chance.standard_normal(columns).astype(np.float32)
        nodes += [
            _node("MatMul", [last, f"w{at}"], [f"m{at}"]),
            _node("Add", [f"m{at}", f"b{at}"], [f"a{at}"]),
            _node("Tanh", [f"a{at}"], [f"t{at}"]),
        ]
        last = f"t{at}"
    path = _saved(tmp_path / "net.onnx", nodes, [_value("x", ["batch", 4])], [_value(last, ["batch", 6])], **arrays)
    outcome = real("convert", str(path), "-o", str(tmp_path / "new"), "--verify")
    assert outcome.status == 0, outcome.stderr
    text = (tmp_path / "new/main.sknd").read_text()
    assert "x: real[batch|1000000, 4];" in text
    assert text.count("linalg.matmul") == 1
    assert text.count("= matmul_add_tanh{channels=") == 3
    assert real("check", str(tmp_path / "new")).status == 0
    assert real("fmt", "--check", str(tmp_path / "new")).status == 0
    assert real("run", str(tmp_path / "new")).status == 0


def test_branches_and_loops_become_those_of_the_language(tmp_path: Path, real: Run):
    one = onnx.helper.make_graph([_node("Neg", ["x"], ["n"])], "then", [], [_value("n", [3])])
    other = onnx.helper.make_graph([_node("Exp", ["x"], ["e"])], "else", [], [_value("e", [3])])
    body = onnx.helper.make_graph(
        [_node("Identity", ["going"], ["goes"]), _node("Add", ["v", "x"], ["w"]), _node("Identity", ["w"], ["s"])],
        "body",
        [_value("i", [], 7), _value("going", [], 9), _value("v", [3])],
        [_value("goes", [], 9), _value("w", [3]), _value("s", [3])],
    )
    nodes = [
        _node("If", ["c"], ["y"], then_branch=one, else_branch=other),
        _node("Loop", ["n_times", "", "y"], ["z", "all"], body=body),
    ]
    inputs = [_value("x", [3]), _value("c", [], 9), _value("n_times", [], 7)]
    path = _saved(tmp_path / "net.onnx", nodes, inputs, [_value("y", [3]), _value("z", [3])])
    outcome = real("convert", str(path), "-o", str(tmp_path / "new"), "--verify")
    assert outcome.status == 0, outcome.stderr
    text = (tmp_path / "new/main.sknd").read_text()
    assert "if c then" in text
    assert "do..(n_times)" in text


def test_what_is_not_translated_is_listed_and_the_rest_is_written(tmp_path: Path, real: Run):
    nodes = [_node("Relu", ["x"], ["y"]), _node("Unique", ["y"], ["u"]), _node("Det", ["m"], ["d"])]
    inputs, outputs = [_value("x", [3]), _value("m", [2, 2])], [_value("y", [3]), _value("u", [None]), _value("d", [])]
    path = _saved(tmp_path / "net.onnx", nodes, inputs, outputs)
    outcome = real("convert", str(path), "-o", str(tmp_path / "new"))
    assert outcome.status == 1
    assert "node 'Unique_u' (Unique): there is no operator for this kind of node" in outcome.stderr
    assert "node 'Det_d' (Det)" in outcome.stderr
    assert "2 nodes could not be translated; the rest is written" in outcome.stderr
    assert "y = nn.relu(x);" in (tmp_path / "new/main.sknd").read_text()


def test_inputs_that_shapes_depend_on_are_fixed(tmp_path: Path, real: Run):
    nodes = [_node("Reshape", ["x", "shape"], ["y"])]
    inputs = [_value("x", [2, 6]), _value("shape", [2], 7)]
    path = _saved(tmp_path / "net.onnx", nodes, inputs, [_value("y", [3, 4])])
    outcome = real("convert", str(path), "-o", str(tmp_path / "a"))
    assert outcome.status == 1
    assert "the elements of 'shape' must be known" in outcome.stderr
    outcome = real("convert", str(path), "-o", str(tmp_path / "b"), "--fix", "shape=[3,4]", "--verify")
    assert outcome.status == 0, outcome.stderr


@pytest.mark.parametrize("place", ["../secret", "/etc/hosts", "link/secret"])
def test_external_data_are_read_from_the_folder_of_the_model_only(place: str, tmp_path: Path, real: Run):
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "secret").write_bytes(bytes(12))
    (folder / "link").symlink_to(tmp_path)
    path = _saved(folder / "net.onnx", [_node("Add", ["x", "w"], ["y"])], [_value("x", [3])], [_value("y", [3])])
    model = onnx.load(path)
    tensor = onnx.TensorProto(name="w", dims=[3], data_type=1, data_location=1)
    tensor.external_data.add(key="location", value=place)
    model.graph.initializer.append(tensor)
    onnx.save(model, path)
    outcome = real("convert", str(path), "-o", str(tmp_path / "new"))
    assert outcome.status == 2
    assert f"the tensor 'w' is in '{place}', which is not in the folder of the model" in outcome.stderr


def test_hostile_models_are_refused_with_a_place(tmp_path: Path, real: Run):
    cycle = [_node("Relu", ["b"], ["a"]), _node("Relu", ["a"], ["b"])]
    path = _saved(tmp_path / "cycle.onnx", cycle, [_value("x", [3])], [_value("b", [3])])
    outcome = real("convert", str(path), "-o", str(tmp_path / "new"), "--force")
    assert outcome.status == 1
    assert "nothing gives its input 'b' before it: there is no order, or a cycle" in outcome.stderr
    model = onnx.load(path)
    model.graph.initializer.append(onnx.TensorProto(name="w", dims=[1 << 40], data_type=1, raw_data=bytes(8)))
    onnx.save(model, path)
    outcome = real("convert", str(path), "-o", str(tmp_path / "new"), "--force")
    assert outcome.status == 2
    assert "the tensor 'w' of shape [1099511627776]" in outcome.stderr
    path.write_bytes(path.read_bytes()[:-5])
    assert real("convert", str(path), "-o", str(tmp_path / "new"), "--force").status == 2


def test_an_output_that_no_node_gives_is_told(tmp_path: Path, real: Run):
    """It was left out without a word, and with exit status 0."""
    path = _saved(tmp_path / "x.onnx", [_node("Relu", ["x"], ["z"])], [_value("x", [3])], [_value("y", [3])])
    outcome = real("convert", str(path), "-o", str(tmp_path / "new"))
    assert outcome.status == 1
    assert "node 'y' (output): no node gives it" in outcome.stderr


def test_two_initializers_of_one_name_are_refused(tmp_path: Path, real: Run):
    nodes, x, y = [_node("Add", ["x", "w"], ["y"])], _value("x", [3]), _value("y", [3])
    path = _saved(tmp_path / "x.onnx", nodes, [x], [y], w=np.ones(3, np.float32))
    model = onnx.load(path)
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.zeros(3, np.float32), "w"))
    onnx.save(model, path)
    outcome = real("convert", str(path), "-o", str(tmp_path / "new"))
    assert outcome.status == 2
    assert "2 nodes, inputs or initializers give 'w': only one may" in outcome.stderr


def test_weights_of_an_earlier_conversion_are_not_taken_for_the_new_ones(tmp_path: Path, real: Run):
    nodes, x, y = [_node("Add", ["x", "w"], ["y"])], _value("x", [3]), _value("y", [3])
    path, folder = str(tmp_path / "x.onnx"), tmp_path / "new"
    _saved(tmp_path / "x.onnx", nodes, [x], [y], w=np.array([1, 2, 3], np.float32))
    assert real("convert", path, "-o", str(folder)).status == 0
    outcome = real("convert", path, "-o", str(folder), "--force", "--weights", "npz")
    assert outcome.status == 2
    assert f"remove {folder / 'weights'}: 'snd run' could mistake it" in outcome.stderr
    assert not (folder / "weights.npz").exists()


def test_a_comparison_tries_large_extents_too(tmp_path: Path, real: Run, monkeypatch: pytest.MonkeyPatch):
    """The conversion is made wrong on purpose, for all extents but small ones."""
    from snd_server.exchange import verification

    floats = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["b", "n"]) for name in "xy"]
    graph = onnx.helper.make_graph([onnx.helper.make_node("Neg", ["x"], ["y"])], "g", floats[:1], floats[1:])
    onnx.save(onnx.helper.make_model(graph, ir_version=8), tmp_path / "neg.onnx")
    command = ("convert", str(tmp_path / "neg.onnx"), "-o", str(tmp_path / "new"), "--verify")
    outcome = real(*command)
    assert (outcome.status, outcome.stderr) == (0, "")
    assert "1 output equal on random inputs (x[2,2]; x[61,62])" in outcome.stdout

    def spoiled(request: Any, converted: Any, main: str, fixed: Any) -> int:
        formula = "@lower { y[i,j] = n > 50 ? x[i,j] : -x[i,j], i < b, j < n; }"
        operator = f"operator neg {{ @input {{ x: real[b,n]; }} @output {{ y: real[b,n]; }} {formula} }}"
        text = Path(main).read_text(encoding="utf-8").replace("math.neg", "neg")
        Path(main).write_text(f"{text}\n{operator}\n", encoding="utf-8")
        return verify(request, converted, main, fixed)

    verify = verification.verify_onnx
    monkeypatch.setattr(verification, "verify_onnx", spoiled)
    outcome = real(*command, "--force")
    assert outcome.status == 1
    assert "'y' differs on random inputs (x[61,62])" in outcome.stderr


def test_a_mask_over_a_cache_is_compared_where_it_does_not_broadcast(tmp_path: Path, real: Run):
    """The mask has as many columns as the cache and the new items together; with extents of 1 any mask fits."""
    cache, new = _value("cache", ["past"]), _value("new", ["step"])
    mask, y = _value("mask", ["step", "total"]), _value("y", ["step", "all"])
    nodes = [_node("Concat", ["cache", "new"], ["keys"], axis=0), _node("Add", ["mask", "keys"], ["y"])]
    path = _saved(tmp_path / "mask.onnx", nodes, [cache, new, mask], [y])
    outcome = real("convert", str(path), "-o", str(tmp_path / "new"), "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    trials = re.findall(r"cache\[(\d+)\], new\[(\d+)\], mask\[(\d+),(\d+)\]", outcome.stdout)
    past, step, rows, total = map(int, trials[-1])
    assert past > 1
    assert rows == step > 1
    assert past != step
    assert total == past + step
