"""``snd export -o model.py``: Python files with modules of PyTorch. Writing them needs no PyTorch, running does."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "tests" / "fixtures" / "torch"
GOLDENS = {"lenet": ROOT / "examples" / "lenet", "resnet": PROGRAMS / "resnet.pt2", "gpt": PROGRAMS / "gpt.pt2"}
CONVERTED = sorted(path.stem for path in PROGRAMS.glob("*.pt2"))


def _converted(real: Any, path: Path, folder: Path) -> Path:
    """Return a model in SkriptND: the given one, or the conversion of a program."""
    if path.suffix != ".pt2":
        return path
    result = real("convert", str(path), "-o", str(folder / path.stem), "-q")
    assert result.status == 0, result.stderr
    return folder / path.stem


@pytest.mark.parametrize("name", GOLDENS)
def test_text_is_that_of_a_person(name: str, real: Any, tmp_path: Path, golden: Any) -> None:
    """Operators with variables become classes, and those that differ in numbers become one class."""
    model = _converted(real, GOLDENS[name], tmp_path)
    result = real("export", str(model), "-o", str(tmp_path / "model.py"))
    assert result.status == 0, result.stderr
    text = (tmp_path / "model.py").read_text()
    ast.parse(text)
    golden(f"export_torch_{name}.txt", text)


def test_weights_have_the_names_of_the_modules(real: Any, tmp_path: Path) -> None:
    from snd_runtime.files import read_safetensors

    model = _converted(real, PROGRAMS / "resnet.pt2", tmp_path)
    assert real("export", str(model), "-o", str(tmp_path / "model.py")).status == 0
    arrays = read_safetensors((tmp_path / "model.safetensors").read_bytes())
    assert arrays["layer2_0.downsample_0_weight"].shape == (8, 4, 1, 1)
    assert arrays["fc_weight"].shape == (5, 12)


def test_operators_without_a_form_are_listed(real: Any, tmp_path: Path) -> None:
    (tmp_path / "main.sknd").write_text(
        "operator own { @input { x: real[n]; } @output { y: real[n]; } @lower { y[i,] = x[i,] * x[i,], i < n; } }\n"
        "graph G { @input { x: real[3]; } @output { y: real[3]; } @compose { y = own(x); } }\n"
    )
    result = real("export", str(tmp_path), "-o", str(tmp_path / "model.py"))
    assert result.status == 1
    assert "own: PyTorch has no such function" in result.stderr
    assert not (tmp_path / "model.py").exists()


def test_python_files_of_others_stay(real: Any, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("print('mine')\n")
    for _ in range(2):
        result = real("export", str(ROOT / "examples" / "lenet"), "-o", str(tmp_path / "model.py"))
        assert result.status == 2
        assert "snd did not write this Python file" in result.stderr
    assert (tmp_path / "model.py").read_text() == "print('mine')\n"
    for _ in range(2):
        assert real("export", str(ROOT / "examples" / "lenet"), "-o", str(tmp_path / "new.py")).status == 0


# ---- with PyTorch ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", CONVERTED)
def test_files_compute_what_snd_computes(name: str, real: Any, evaluated_here: None, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    model = _converted(real, PROGRAMS / f"{name}.pt2", tmp_path)
    result = real("export", str(model), "-o", str(tmp_path / "model.py"), "--verify")
    assert (result.status, result.stderr) == (0, "")
    assert "PyTorch computes the same outputs" in result.stdout


def test_a_module_that_comes_back_trains_as_before(real: Any, tmp_path: Path) -> None:
    """One step of SGD changes all parameters of the original and of the exported module equally."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    from support.torch_programs.modules import cases

    original, inputs, _ = cases()["resnet"]
    model = _converted(real, PROGRAMS / "resnet.pt2", tmp_path)
    assert real("export", str(model), "-o", str(tmp_path / "model.py"), "-q").status == 0
    names: dict[str, Any] = {"__file__": str(tmp_path / "model.py")}
    exec((tmp_path / "model.py").read_text(), names)
    exported = names["model"]()
    for module in (original.eval(), exported):
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        module(*inputs).square().sum().backward()
        optimizer.step()
    new = {name.replace(".", "_"): value for name, value in exported.named_parameters()}
    old = {name.replace(".", "_"): value for name, value in original.named_parameters()}
    assert new.keys() == old.keys()
    for name, value in old.items():
        np.testing.assert_allclose(new[name].detach(), value.detach(), rtol=1e-4, atol=1e-6)
