"""Programs exported by PyTorch as SkriptND models. The files need no PyTorch; ``support/torch_programs`` made them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snd
from snd_server.exchange.onnx_import import InvalidModelError, convert_graph
from snd_server.exchange.torch_import import read_program

FOLDER = Path(__file__).parents[1] / "fixtures" / "torch"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.pt2"))
Edit = Callable[[dict[str, bytes]], None]


def _model(name: str) -> snd.Model:
    return snd.load(FOLDER / f"{name}.pt2")


def _arrays(name: str, prefix: str) -> list[np.ndarray[Any, Any]]:
    with np.load(FOLDER / f"{name}.npz") as arrays:
        return [arrays[f"{prefix}{at}"] for at in range(sum(each.startswith(prefix) for each in arrays))]


@pytest.mark.parametrize("name", PROGRAMS)
def test_models_compute_what_pytorch_computes(name: str) -> None:
    """Two runs give the outputs of PyTorch: the second sees the buffers that the first one changed."""
    model = _model(name)
    inputs = dict(zip(model.inputs, _arrays(name, "x"), strict=True))
    for prefix in ("y", "z"):
        found, expected = list(model.run(**inputs).values()), _arrays(name, prefix)
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert np.shape(one) == other.shape
            np.testing.assert_allclose(np.asarray(one, np.float64), other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_text_is_clean(name: str) -> None:
    assert [each for each in _model(name).diagnostics if each.severity != "hint"] == []


@pytest.mark.parametrize("name", ["resnet", "gpt", "encoder", "running_mean", "recurrent"])
def test_text_is_that_of_a_person(name: str, request: pytest.FixtureRequest) -> None:
    """Classes become operators, parameters keep their names, extents have names, and buffers are updated."""
    with (FOLDER / f"{name}.pt2").open("rb") as file:
        text = convert_graph(read_program(file, 1 << 30), f"{name}.pt2").text
    golden = FOLDER / f"{name}.sknd"
    if request.config.getoption("--update-goldens"):
        golden.write_text(text)
    assert text == golden.read_text()


def test_a_module_without_an_operator_is_named(tmp_path: Path) -> None:
    def edit(members: dict[str, bytes]) -> None:
        key = "program/models/model.json"
        members[key] = members[key].replace(b"aten.conv2d.default", b"aten.new_operator.default")

    path = tmp_path / "changed.pt2"
    path.write_bytes(_edited("resnet", edit))
    with pytest.raises(snd.ConversionError, match=r"node 'conv2d' \(new_operator.default\): there is no operator"):
        snd.load(path)


def _edited(name: str, edit: Edit) -> bytes:
    with zipfile.ZipFile(FOLDER / f"{name}.pt2") as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    edit(members)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for each, content in members.items():
            archive.writestr(each, content)
    return written.getvalue()


def _in_json(member: str, change: Callable[[Any], None]) -> Edit:
    def edit(members: dict[str, bytes]) -> None:
        value = json.loads(members[f"program/{member}"])
        change(value)
        members[f"program/{member}"] = json.dumps(value).encode()

    return edit


def _no_model(members: dict[str, bytes]) -> None:
    del members["program/models/model.json"]


def _no_json(members: dict[str, bytes]) -> None:
    members["program/models/model.json"] = b"{"


def _short_weights(members: dict[str, bytes]) -> None:
    members["program/data/weights/weight_0"] = b"\0\0\0\0"


def _first_weight(change: Callable[[dict[str, Any]], None]) -> Edit:
    config = "data/weights/model_weights_config.json"
    return _in_json(config, lambda value: change(next(iter(value["config"].values()))))


def _signature(change: Callable[[list[Any]], None]) -> Edit:
    return _in_json("models/model.json", lambda value: change(value["graph_module"]["signature"]["input_specs"]))


BROKEN: dict[str, tuple[Edit, str]] = {
    "no model": (_no_model, "'models/model.json'"),
    "no JSON": (_no_json, "no JSON"),
    "too few bytes": (_short_weights, "fewer than its shape needs"),
    "a pickle": (_first_weight(lambda each: each.update(use_pickle=True)), "is a pickle, which could execute code"),
    "a name that leads out of the archive": (_first_weight(lambda each: each.update(path_name="../x")), "no name of a"),
    "a type that is unknown": (_first_weight(lambda each: each["tensor_meta"].update(dtype=10)), "number 10"),
    "negative strides": (
        _first_weight(lambda each: each["tensor_meta"].update(strides=[{"as_int": -1}] * 4)),
        "fewer than its shape needs",
    ),
    "huge extents": (
        _first_weight(lambda each: each["tensor_meta"].update(sizes=[{"as_int": 1 << 40}] * 4)),
        "fewer than its shape needs|more than the",
    ),
    "an input of an unknown kind": (
        _signature(lambda specs: specs.append({"custom_obj": {"arg": {}}})),
        "'custom_obj'",
    ),
    "no graph": (_in_json("models/model.json", lambda value: value.pop("graph_module")), "no exported program"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_archives_are_refused(case: str) -> None:
    """A file that lies costs a message."""
    edit, message = BROKEN[case]
    with pytest.raises(InvalidModelError, match=message):
        read_program(io.BytesIO(_edited("resnet", edit)), 1 << 26)


def test_two_members_of_one_name_are_refused() -> None:
    written = io.BytesIO(_edited("shapes", lambda members: None))
    with zipfile.ZipFile(written, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("program/models/model.json", b"{}")
    with pytest.raises(InvalidModelError, match="two of its members have the name"):
        read_program(written, 1 << 26)


def test_archives_that_are_too_large_are_refused() -> None:
    with (FOLDER / "resnet.pt2").open("rb") as file, pytest.raises(InvalidModelError, match="more than the 100 bytes"):
        read_program(file, 100)


def test_other_files_are_refused() -> None:
    with pytest.raises(InvalidModelError, match=r"no archive of torch\.export\.save"):
        read_program(io.BytesIO(b"PK\3\4" + bytes(100)), 1 << 20)


# ---- the command -----------------------------------------------------------------------------------------------------
def test_convert_writes_a_model(real: Any, tmp_path: Path) -> None:
    result = real("convert", str(FOLDER / "gpt.pt2"), "-o", str(tmp_path / "gpt"))
    assert result.status == 0
    assert "statements" in result.stdout
    model = snd.load(tmp_path / "gpt")
    found = model.run(index=_arrays("gpt", "x")[0])
    np.testing.assert_allclose(next(iter(found.values())), _arrays("gpt", "y")[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["os:getcwd"], "converting executes it"),
        ([str(FOLDER / "gpt.pt2"), "--verify"], "add --trust"),
    ],
)
def test_nothing_is_executed_without_trust(real: Any, tmp_path: Path, arguments: list[str], message: str) -> None:
    result = real("convert", *arguments, "-o", str(tmp_path / "x"))
    assert result.status == 2
    assert message in result.stderr
    assert not (tmp_path / "x").exists()


# ---- with PyTorch ----------------------------------------------------------------------------------------------------
def test_modules_become_models() -> None:
    torch = pytest.importorskip("torch")
    layer = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Dropout())
    model = snd.from_torch(layer, (torch.zeros(2, 3),), dynamic=({0: "rows"},))
    assert str(model) == "<snd.Model Sequential(input: real[rows,3]) -> dropout: real[rows,4]>"
    x = np.ones((5, 3), np.float32)
    expected = layer.eval()(torch.from_numpy(x)).detach().numpy()
    np.testing.assert_allclose(model.run(input=x)["dropout"], expected, rtol=1e-5)


def test_changes_by_way_of_a_view_are_translated() -> None:
    torch = pytest.importorskip("torch")
    from support.torch_programs.modules import Function

    def forward(x: Any) -> Any:
        y = x.clone()
        y[:, 1] = 0.0
        y.view(-1).mul_(2)
        return y

    model = snd.from_torch(Function(forward), (torch.zeros(2, 3),))
    (found,) = model.run(inputs_0=np.ones((2, 3), np.float32)).values()
    assert found.tolist() == [[2, 0, 2], [2, 0, 2]]


def test_files_are_those_of_the_modules() -> None:
    """The files in the repository have the calls that PyTorch exports today, as far as the translation sees them."""
    torch = pytest.importorskip("torch")
    from snd_server.exchange.torch_import.tracing import converted_program, export_program
    from support.torch_programs.modules import cases

    module, inputs, dynamic = cases()["gpt"]
    found = converted_program(export_program(module, inputs, {}, dynamic), "gpt.pt2", dynamic, 1 << 30)
    assert torch is not None
    assert found.text == (FOLDER / "gpt.sknd").read_text()
