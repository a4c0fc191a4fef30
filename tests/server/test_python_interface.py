"""``import snd``: what docs/python.md shows, and what it says of mistakes, state and notebooks."""

from __future__ import annotations

import doctest
import pickle
import re
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snd
from support.server.processes import ROOT

COUNTER = """
graph Counter {
    @input { x: real[2]; }
    @output { y: real[2]; }
    @variable { total: real[2]; }
    @compose { y = math.add(x, total); }
    @update { total = y; }
}
"""


def test_the_page_shows_what_happens(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    flags = doctest.ELLIPSIS
    found = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False, optionflags=flags, encoding="utf-8")
    assert found.attempted > 12
    assert found.failed == 0


def _model(folder: Path, text: str, **given: object) -> snd.Model:
    (folder / "main.sknd").write_text(f"import math;\n{text}", encoding="utf-8")
    return snd.load(folder, **given)  # type: ignore[arg-type]


GENERIC = """
graph Generic {
    @dtype { T: num; }
    @input { x: T[2]; y: T[2]; }
    @output { z: T[2]; }
    @compose { z = math.add(x, y); }
}
"""


def test_ints_given_for_a_generic_type_become_reals_beside_reals(tmp_path: Path):
    assert _model(tmp_path, GENERIC).run(x=[1, 2], y=[3.5, 4])["z"].tolist() == [4.5, 6]  # type: ignore[union-attr]


def test_arrays_outside_the_base_of_a_generic_type_are_refused(tmp_path: Path):
    with pytest.raises(snd.ModelError, match="can be int or real, but the input 'x' is 'str'"):
        _model(tmp_path, GENERIC).run(x=["a", "b"], y=["c", "d"])
    with pytest.raises(snd.ModelError, match="'T' of 'Generic' is 'int' because of the input 'x', but 'bool'"):
        _model(tmp_path, GENERIC).run(x=[1, 2], y=[True, False])


def test_each_run_has_the_generic_types_of_its_arguments(tmp_path: Path):
    """The second run had the types of the first: ints became reals, and reals were refused."""
    model = _model(tmp_path, GENERIC)
    kinds = [model.run(x=x, y=x)["z"].dtype.kind for x in ([1.5, 2], [1, 2], [1.5, 2])]  # type: ignore[union-attr]
    assert kinds == ["f", "i", "f"]
    fixed = _model(tmp_path, GENERIC, types={"T": "real"})
    assert fixed.run(x=[1, 2], y=[1, 2])["z"].dtype == np.float32  # type: ignore[union-attr]


def test_a_variable_of_a_generic_type_keeps_its_value_if_another_type_can_hold_it(tmp_path: Path):
    model = _model(tmp_path, COUNTER.replace("@input", "@dtype { T: num; } @input").replace("real[", "T["))
    assert model.run(x=[1, 2])["y"].tolist() == [1, 2]  # type: ignore[union-attr]
    assert model.run(x=[0.5, 0.5])["y"].tolist() == [1.5, 2.5]  # type: ignore[union-attr]
    with pytest.raises(snd.ModelError, match=r"the variable 'total' is 'int\[2\]', but the given value is 'float32"):
        model.run(x=[1, 2])
    assert model.run(x=[0.5, 0.5])["y"].tolist() == [2, 3]  # type: ignore[union-attr]


def test_variables_keep_their_values_until_they_are_reset(tmp_path: Path):
    np.save(tmp_path / "total.npy", np.array([1, 2], np.float32))
    model = _model(tmp_path, COUNTER, weights=tmp_path)
    assert model.run(x=[1, 1])["y"].tolist() == [2, 3]  # type: ignore[union-attr]
    assert model.run(x=[1, 1])["y"].tolist() == [3, 4]  # type: ignore[union-attr]
    assert model.variables["total"].tolist() == [3, 4]  # type: ignore[union-attr]
    model.reset()
    assert model.run(x=[1, 1])["y"].tolist() == [2, 3]  # type: ignore[union-attr]


DENSE = "graph Dense { @input { x: real[2]; } @output { y: real[2]; } @variable { w: real[2]; b: real[2]; } "
DENSE += "@compose { m = math.mul(x, w); y = math.add(m, b); } }"


def test_weights_that_do_not_fit_are_an_error(tmp_path: Path):
    np.savez(tmp_path / "other.npz", weight=np.ones(2, np.float32), b=np.ones(2, np.float32))
    with pytest.raises(snd.WeightsError) as raised:
        _model(tmp_path, DENSE, weights=tmp_path / "other.npz")
    assert (raised.value.drawn, raised.value.unused) == (("w",), ("weight",))
    message = "Dense: 1 variable has no weight (w), and 1 weight has no variable of that name (weight)"
    assert str(raised.value).startswith(message)
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = _model(tmp_path, DENSE, weights=tmp_path / "other.npz", missing="random")
        model.run(x=[1, 1])
    assert model.weights == snd.WeightUse(loaded=("b",), drawn=("w",), unused=("weight",))


@pytest.mark.parametrize("kind", ["mapping", "file"])
def test_a_map_renames_weights(tmp_path: Path, kind: str):
    np.savez(tmp_path / "other.npz", **{"net.weight": np.full(2, 3, np.float32), "b": np.ones(2, np.float32)})
    (tmp_path / "map.toml").write_text('[[rule]]\nfrom = "net.weight"\nto = "w"\n')
    given: Any = {"net.weight": "w"} if kind == "mapping" else tmp_path / "map.toml"
    model = _model(tmp_path, DENSE, weights=tmp_path / "other.npz", map=given)
    assert model.run(x=[1, 2])["y"].tolist() == [4, 7]  # type: ignore[union-attr]
    assert model.weights == snd.WeightUse(loaded=("b", "w"))
    with pytest.raises(snd.ArgumentError, match="different numbers of"):
        _model(tmp_path, DENSE, map={"*.weight": "w"})


def test_a_rule_of_a_map_that_renames_nothing_is_reported(tmp_path: Path):
    np.savez(tmp_path / "w.npz", w=np.ones(2, np.float32), b=np.ones(2, np.float32))
    told = r"1 rule of the map renames no weight \(from 'net\.\*'\)"
    with pytest.raises(snd.ArgumentError, match=told):
        _model(tmp_path, DENSE, weights=tmp_path / "w.npz", map={"net.*": "*"})
    with pytest.warns(snd.WeightsWarning, match=told) as warned:
        _model(tmp_path, DENSE, weights=tmp_path / "w.npz", map={"net.*": "*"}, missing="random")
    assert len(warned) == 1
    with pytest.warns(snd.WeightsWarning, match=told):
        _model(tmp_path, DENSE, map={"net.*": "*"})


def test_variables_are_those_of_the_graph_before_and_after_a_run(tmp_path: Path):
    text = """graph G {
        @input { x: real[2]; } @output { y: real[2]; } @variable { w: real[2]; p: real[2]..(2); }
        @compose { a = math.mul(x, w); b = math.add(a, p[0]); y = math.add(b, p[1]); }
    }"""
    weights = {name: np.ones(2, np.float32) for name in ("w", "p.0", "p.1", "other")}
    np.savez(tmp_path / "w.npz", **weights)
    model = _model(tmp_path, text, weights=tmp_path / "w.npz", missing="random")
    for _ in range(2):
        assert [*model.variables] == ["w", "p"]
        assert [each.tolist() for each in model.variables["p"]] == [[1, 1], [1, 1]]
        model.run(x=[1, 1])
    np.savez(tmp_path / "w.npz", **{"p.0": np.ones(2, np.float32)})
    model = _model(tmp_path, text, weights=tmp_path / "w.npz", missing="random")
    assert model.variables == {}  # the second tensor of the pack is drawn by the first run
    model.run(x=[1, 1])
    assert [*model.variables] == ["w", "p"]
    assert _model(tmp_path, DENSE.replace("math.add(m, b)", "nothing(m)")).variables == {}


def test_a_model_without_weights_warns_of_them(tmp_path: Path):
    model = _model(tmp_path, DENSE)
    with pytest.warns(snd.WeightsWarning, match=r"Dense: 2 variables have no weight \(b, w\)") as told:
        model.run(x=[1, 1])
    assert [each.filename for each in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.run(x=[1, 1])  # once is enough
    with pytest.raises(snd.WeightsError):
        _model(tmp_path, DENSE, missing="error")
    with pytest.raises(snd.ArgumentError, match="'missing' must be 'error' or 'random', not 'none'"):
        _model(tmp_path, DENSE, missing="none")


def test_what_callers_do_to_arrays_does_not_change_the_model(tmp_path: Path):
    np.save(tmp_path / "total.npy", np.array([1, 2], np.float32))
    model = _model(tmp_path, COUNTER, weights=tmp_path)
    with pytest.raises(ValueError, match="read-only"):
        model.variables["total"][...] = 100
    result = model.run(x=[0.0, 0.0])["y"]
    result[...] = -5  # type: ignore[index]
    assert model.run(x=[1.0, 1.0])["y"].tolist() == [2, 3]  # type: ignore[union-attr]
    (tmp_path / "same").mkdir()
    same = _model(tmp_path / "same", "graph g { @input { x: real[2]; } @output { y: real[2]; } @compose { y = x; } }")
    given = np.ones(2, np.float32)
    result = same.run(x=given)["y"]
    given[...] = 7
    assert result.tolist() == [1, 1]  # type: ignore[union-attr]


def test_runs_of_several_threads_lose_no_update(tmp_path: Path):
    np.save(tmp_path / "total.npy", np.zeros(2, np.float32))
    model = _model(tmp_path, COUNTER, weights=tmp_path)
    with ThreadPoolExecutor(4) as threads:
        for each in [threads.submit(model.run, x=[1.0, 1.0]) for _ in range(200)]:
            each.result()
    assert model.variables["total"].tolist() == [200, 200]  # type: ignore[union-attr]


def test_a_model_runs_with_inputs_of_other_shapes(tmp_path: Path):
    text = "graph G { @input { x: real[n|9]; } @output { y: real[n]; } @compose { y = math.neg(x); } }"
    model = _model(tmp_path, text)
    assert [model.run(x=np.ones(n))["y"].shape for n in (1, 4)] == [(1,), (4,)]  # type: ignore[union-attr]


def test_what_there_is_not_is_an_argument_error(tmp_path: Path):
    with pytest.raises(snd.ArgumentError, match="there is no file"):
        snd.load(tmp_path / "none.sknd")
    with pytest.raises(snd.ArgumentError, match="no attribute 'batches'; did you mean 'batch'"):
        snd.load(ROOT / "examples/lenet", attributes={"batches": 1})
    with pytest.raises(snd.ArgumentError, match="there is no graph 'LeNet'"):
        snd.load(ROOT / "examples/lenet", graph="LeNet")


SCALED = """
graph G {
    @attrib { scale: real = 1.0; axes: int.. = [0]; name: optional str; }
    @input { x: real[n|9]; k: int[n]; }
    @output { y: real[n]; z: int[n]; }
    @compose { y = math.mul(x, scale); z = math.neg(k); }
}
"""


def test_errors_are_known_by_the_names_that_users_catch():
    for each in (snd.ArgumentError, snd.ModelError, snd.ExportError, snd.ConversionError):
        assert each.__module__ == "snd.errors"
        assert pickle.loads(pickle.dumps(each)) is each


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"scale": "two"}, "attribute scale=two: 'scale' is of type 'real', and this is 'str'"),
        ({"scale": True}, "'scale' is of type 'real', and this is 'bool'"),
        ({"scale": [1.0]}, "'scale' is a single value"),
        ({"scale": None}, "'scale' is not optional, so it can't be null"),
        ({"scale": b"1"}, "attribute scale: attributes have no values of the type 'bytes'"),
        ({"axes": np.array([0.5])}, "'axes' is a pack of 'int', and this is 'real'"),
        ({"name": 3}, "'name' is of type 'str', and this is 'int'"),
    ],
    ids=str,
)
def test_an_attribute_of_another_type_is_an_argument_error(tmp_path: Path, attributes: dict, message: str):
    with pytest.raises(snd.ArgumentError, match=re.escape(message)):
        _model(tmp_path, SCALED, attributes=attributes)


def test_ints_stand_for_reals_in_attributes(tmp_path: Path):
    model = _model(tmp_path, SCALED, attributes={"scale": 3, "axes": np.array([0, 1]), "name": None})
    assert model.run(x=[2.0], k=[1])["y"].tolist() == [6]  # type: ignore[union-attr]


def test_what_is_no_array_is_an_argument_error(tmp_path: Path):
    model = _model(tmp_path, SCALED)
    with pytest.raises(snd.ArgumentError, match="the input 'x' is no array"):
        model.run(x=[[1, 2], [3]], k=[1])
    with pytest.raises(snd.ModelError, match="18446744073709551615 does not fit into 64 bits"):
        model.run(x=[1.0], k=np.array([2**64 - 1], np.uint64))
    assert model.run(x=[1.0], k=np.array([7], np.uint64))["z"].tolist() == [-7]  # type: ignore[union-attr]


TYPED = "graph G { @input { x: %s[n|9]; } @output { y: %s[n]; } @compose { y = x; } }"
MASKED = np.ma.masked_array([1.0, 2.0], mask=[False, True])


@pytest.mark.parametrize(
    ("dtype", "value", "message"),
    [
        ("real", MASKED, "the input 'x' has masked elements"),
        ("real", [1.0, np.ma.masked], "the input 'x' has masked elements"),
        ("int", [2**70], "'x' has an element that does not fit into 64 bits: 1180591620717411303424"),
        ("int", [-(2**63) - 1, 2**64], "'x' has an element that does not fit into 64 bits: -9223372036854775809"),
        ("real", [10**400, 1], "'x' has an int that is too large for a real"),
        ("real", [[1, 2], [3]], "'x' is no array: its lists have different lengths"),
        ("real", {1, 2}, "'x' is no array, but a value of the type 'set'"),
        ("real", [1.0, None], "'x' is 'real', and has an element of the type 'NoneType'"),
        ("str", ["a", None], "'x' is 'str', and has an element of the type 'NoneType'"),
        ("bool", [True, {}], "'x' is 'bool', and has an element of the type 'dict'"),
    ],
    ids=repr,
)
def test_an_input_that_is_no_tensor_is_refused_in_its_own_words(tmp_path: Path, dtype: str, value: Any, message: str):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(snd.ArgumentError, match=re.escape(message)):
            _model(tmp_path, TYPED % (dtype, dtype)).run(x=value)


@pytest.mark.parametrize("dtype", ["real", "int", "bool", "str"])
def test_an_empty_list_has_the_type_of_the_input(tmp_path: Path, dtype: str):
    assert _model(tmp_path, TYPED % (dtype, dtype)).run(x=[])["y"].shape == (0,)  # type: ignore[union-attr]


def test_objects_are_arrays_if_their_items_are(tmp_path: Path):
    def found(dtype: str, value: Any) -> Any:
        return _model(tmp_path, TYPED % (dtype, dtype)).run(x=value)["y"].tolist()  # type: ignore[union-attr]

    assert found("real", [2**70, 1]) == [2.0**70, 1.0]
    assert found("int", np.array([1, 2], object)) == [1, 2]
    assert found("bool", np.array([True, False], object)) == [True, False]
    assert found("str", np.array(["a", "b"], object)) == ["a", "b"]
    assert found("real", np.ma.masked_array([1.0, 2.0])) == [1, 2]


def test_a_masked_attribute_is_refused(tmp_path: Path):
    with pytest.raises(snd.ArgumentError, match="the attribute 'axes' has masked elements"):
        _model(tmp_path, SCALED, attributes={"axes": np.ma.masked_array([0, 1], mask=[True, False])})


def test_a_variable_beyond_64_bits_is_refused(tmp_path: Path):
    text = "graph G { @output { y: int[1]; } @variable { k: int[1]; } @compose { y = math.neg(k); } }"
    np.save(tmp_path / "k.npy", np.array([2**64 - 1], np.uint64))
    with pytest.raises(snd.ModelError, match="variable 'k': 18446744073709551615 does not fit into 64 bits"):
        _model(tmp_path, text, weights=tmp_path).run()
    np.save(tmp_path / "k.npy", np.array([7], np.uint64))
    assert _model(tmp_path, text, weights=tmp_path).run()["y"].tolist() == [-7]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"path": 3}, "'path' must be a string or os.PathLike, not 3 of the type 'int'"),
        ({"path": b"net"}, "'path' must be a string or os.PathLike, not b'net' of the type 'bytes'"),
        ({"graph": 3}, "'graph' must be a string, not 3 of the type 'int'"),
        ({"attributes": [("batch", 2)]}, "'attributes' must be a mapping from names"),
        ({"attributes": {3: 2}}, "a name in 'attributes' must be a string"),
        ({"map": {"w": 3}}, r"map\['w'\] must be a string, not 3"),
        ({"map": {3: "w"}}, "a name in 'map' must be a string"),
        ({"types": {"T": 3}}, r"types\['T'\] must be a string"),
        ({"seed": "1"}, "'seed' must be an integer"),
        ({"seconds": "1"}, "'seconds' must be a number"),
        ({"memory": 1.5}, "'memory' must be an integer"),
    ],
)
def test_an_argument_of_another_type_is_a_type_error(given: dict[str, Any], message: str):
    with pytest.raises(TypeError, match=message):
        snd.load(**{"path": ROOT / "examples/lenet", **given})


def test_messages_do_not_name_options_of_the_command_line(tmp_path: Path):
    pytest.importorskip("onnx")
    path = _onnx(tmp_path / "net.onnx", "Relu")
    (tmp_path / "library.sknd").write_text("operator f { @input { x: real[]; } @output { y: real[]; } }")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("")
    tries: list[Callable[[], object]] = [
        lambda: snd.load(ROOT / "examples/lenet", weights=tmp_path / "missing"),
        lambda: snd.load(tmp_path / "library.sknd"),
        lambda: snd.convert(path, tmp_path / "new", constants={"missing": 1}),
        lambda: snd.convert(path, tmp_path / "new", constants={"x": "a"}),
        lambda: snd.convert(path, tmp_path / "full"),
        lambda: snd.convert(path, path),
    ]
    for each in tries:
        with pytest.raises(snd.ArgumentError) as raised:
            each()
        assert "--" not in str(raised.value)


def test_what_cannot_be_written_is_an_argument_error(tmp_path: Path):
    pytest.importorskip("onnx")
    path = _onnx(tmp_path / "net.onnx", "Relu")
    with pytest.raises(snd.ArgumentError, match="can't be written"):
        snd.load(path).export(tmp_path / "missing" / "net.onnx")
    with pytest.raises(snd.ArgumentError, match="'weights' must be 'dat' or 'npz' or 'safetensors', not 'zip'"):
        snd.convert(path, tmp_path / "new", weights="zip")  # type: ignore[arg-type]


def test_a_model_with_errors_tells_them_and_does_not_run():
    model = snd.load(ROOT / "examples/broken")
    with pytest.raises(snd.ModelError) as raised:
        model.run()
    assert raised.value.diagnostics == tuple(each for each in model.diagnostics if each.severity == "error")
    assert len(raised.value.diagnostics) > 5


def test_a_run_stops_at_its_limits():
    model = snd.load(ROOT / "examples/lenet", memory=1000)
    with pytest.raises(snd.ModelError) as raised:
        model.run(image=np.zeros((1, 1, 32, 32)))
    assert raised.value.diagnostics[0].rule == "limit-exceeded"


def test_notebooks_show_a_drawing_and_statistics(tmp_path: Path):
    model = _model(tmp_path, COUNTER)
    assert "Counter" in model._repr_html_()
    results = model.run(x=[1, 2])
    assert "real[2]" in results._repr_html_()
    assert "real[2] n=2" in results["y"]._repr_html_()  # type: ignore[union-attr]


def test_a_model_in_nnef1_is_loaded_like_any_other(tmp_path: Path):
    text = "version 1.0; graph G(x) -> (y) { x = external(shape = [2]); y = relu(x); }"
    (tmp_path / "graph.nnef").write_text(text, encoding="utf-8")
    model = snd.load(tmp_path)
    assert model.run(x=[-1.0, 2.0])["y"].tolist() == [0, 2]  # type: ignore[union-attr]


def test_a_model_is_exported_with_its_variables_as_they_are(tmp_path: Path):
    onnxruntime = pytest.importorskip("onnxruntime", reason="the development package onnxruntime is not installed")
    np.save(tmp_path / "total.npy", np.array([1, 2], np.float32))
    model = _model(tmp_path, COUNTER, weights=tmp_path)
    model.run(x=[1, 1])
    model.export(tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    assert session.run(["y"], {"x": np.ones(2, np.float32)})[0].tolist() == [3, 4]


def test_what_cannot_be_exported_is_told(tmp_path: Path):
    pytest.importorskip("onnxruntime", reason="the development package onnxruntime is not installed")
    text = "graph G { @output { y: int[2]; } @compose { y = rand.uniform{min=0, max=9, shape=[2]}(); } }"
    model = _model(tmp_path, f"import rand;\n{text}")
    with pytest.raises(snd.ExportError) as raised:
        model.export(tmp_path / "m.onnx")
    assert raised.value.reasons == {"rand.uniform": "ONNX draws reals"}


# ---- other formats ---------------------------------------------------------------------------------------------------
NET = """
<ir_version: 8, opset_import: ["" : 17, "com.acme" : 1]>
net (float[n, 2] x) => (float[n, 3] y)
<float[2, 3] w = {1, 2, 3, 4, 5, 6}>
{
    h = MatMul(x, w)
    y = KIND(h)
}"""


def _onnx(path: Path, kind: str) -> Path:
    onnx = pytest.importorskip("onnx")
    onnx.save(onnx.parser.parse_model(NET.replace("KIND", kind)), path)
    return path


def test_onnx_files_are_loaded(tmp_path: Path):
    (tmp_path / "weights").mkdir()  # are those of another model
    np.save(tmp_path / "weights/w.npy", np.zeros((2, 3), np.float32))
    model = snd.load(_onnx(tmp_path / "net.onnx", "Neg"))
    assert str(model.inputs["x"]) == "real[n,2]"
    assert model.run(x=[[1, 1]])["y"].tolist() == [[-5, -7, -9]]  # type: ignore[union-attr]
    assert model.diagnostics == ()


def test_models_are_converted(tmp_path: Path):
    converted = snd.convert(_onnx(tmp_path / "net.onnx", "Neg"), tmp_path / "new", weights="npz")
    assert converted == snd.Conversion(str(tmp_path / "new/main.sknd"))
    assert snd.load(converted.path).run(x=[[1, 1]])["y"].tolist() == [[-5, -7, -9]]  # type: ignore[union-attr]
    with pytest.raises(snd.ArgumentError, match="not empty"):
        snd.convert(tmp_path / "net.onnx", tmp_path / "new")
    (tmp_path / "graph.nnef").write_text(
        "version 1.0;\ngraph g(x) -> (y)\n{\n    x = external(shape = [2]);\n    y = neg(x);\n}\n"
    )
    converted = snd.convert(tmp_path / "graph.nnef", tmp_path / "second")
    assert snd.load(converted.path).run(x=[1, 2])["y"].tolist() == [-1, -2]  # type: ignore[union-attr]
    (tmp_path / "graph.nnef").write_text("version 1.0;\ngraph g(x) -> (y)\n{\n    y = neg(x);\n}\n")
    with pytest.raises(snd.ModelError):
        snd.convert(tmp_path / "graph.nnef", tmp_path / "third")


def test_what_is_not_translated_is_named(tmp_path: Path):
    path = _onnx(tmp_path / "net.onnx", "com.acme.Mix")
    problem = "node 'y' (Mix): there is no operator for this kind of node of the domain 'com.acme'"
    with pytest.raises(snd.ConversionError) as error:
        snd.load(path)
    assert error.value.problems == (problem,)
    assert snd.convert(path, tmp_path / "new").untranslated == (problem,)
