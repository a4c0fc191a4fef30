"""Models in NNEF 1.0 and ONNX, to SkriptND and back to NNEF 1.0: tract computes what snd does.

The corpus is that of the tests of the import; ``--exhaustive`` takes all of it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.nnef1 import corpus
from support.sampling import sample
from support.server.processes import ROOT

pytest.importorskip("tract", reason="tract has no wheel for this platform")

_NOT_BACK = {
    "o_lstm": "tract does not load its own file",
    "o_multinomial": "it draws numbers",
    "o_qlinearmatmul": "it computes with tensors of 8 bits",
    "hf_bert_mini_dyn": "tract does not load the source",
    "hf_llama_mini_kv": "tract does not load the source",
    "hf_wav2vec2_ctc_dyn": "tract does not load the source",
    "t_dyn_shape_ops": "an extent depends on a condition",
    "timm_levit_128s": "tract does not load the source, and has no weights for it",
    "group_norm_of_a_batch": "tract does not load the source",
    "llama_with_cache": "tract repeats no mask of length 1",
    "mask_of_bools": "tract does not load the source",
    "qwen_of_16_bits": "tract repeats no mask of length 1",
    "replicated_border": "tract does not load the source",
}
"""Models that do not go back, each with the reason."""
_EXPORTS = ROOT / "tests" / "nnef1" / "torch_exports"
_ONNX = ROOT / "tests" / "support" / "onnx_models"
_ONNX_NOT_BACK = {
    "images": "a window whose end depends on the size",
    "looped": "a count that is computed",
    "shapes": "a slice with steps that may be empty",
    "whiled": "a condition",
}


def _models() -> list[Path]:
    own = [corpus.CORPUS / name for name in corpus.models() if (corpus.CORPUS / name).is_dir()]
    found = [*own, *sorted(_EXPORTS.glob("*.nnef.tgz"))]
    return [each for each in found if each.name.removesuffix(".nnef.tgz") not in _NOT_BACK]


def _dialect(path: Path) -> str:
    is_archive = path.suffix == ".tgz"
    return "tract" if is_archive or "tract" in (path / "graph.nnef").read_text(encoding="utf-8") else "khronos"


@pytest.mark.parametrize("path", sample(_models(), 6), ids=lambda path: path.name)
def test_a_model_in_nnef1_goes_back(path: Path, project: Path, real):
    run = real("export", str(path), "-o", "back.nnef.tgz", "--verify", "-q", "--dialect", _dialect(path))
    assert run.status == 0, run.stderr


@pytest.mark.parametrize("path", sample(_models(), 4), ids=lambda path: path.name)
def test_a_converted_model_goes_back(path: Path, project: Path, real):
    assert real("convert", str(path), "-o", "converted", "-q").status == 0
    run = real("export", "converted", "-o", "back.nnef.tgz", "--verify", "-q")
    assert run.status == 0, run.stderr


@pytest.mark.parametrize(
    "path",
    sample([each for each in sorted(_ONNX.rglob("*.onnx")) if each.stem not in _ONNX_NOT_BACK], 5),
    ids=lambda path: path.name,
)
def test_an_onnx_model_becomes_nnef1(path: Path, project: Path, real):
    pytest.importorskip("onnx", reason="the development package onnx is not installed")
    assert real("convert", str(path), "-o", "converted", "-q").status == 0
    run = real("export", "converted", "-o", "m.nnef.tgz", "--verify", "-q")
    assert run.status == 0, run.stderr


def test_names_order_and_labels_stay(project: Path, real):
    """Reading what was written, and writing it again, changes nothing."""
    text = """version 1.0;

extension tract_registry tract_core;
extension tract_symbol S;

graph network(input) -> (output)
{
    input = external<scalar>(shape = [S, 4]);
    w = variable<scalar>(label = 'block.0/weight', shape = [3, 4]);
    b = variable<scalar>(label = 'block.0/bias', shape = [1, 3]);
    first = linear(input, w, b);
    output = relu(first);
}
"""
    source = Path("source")
    source.mkdir()
    (source / "graph.nnef").write_text(text, encoding="utf-8")
    run = real("export", "source", "-o", "one/graph.nnef", "-q")
    assert run.status == 0, run.stderr
    assert Path("one/graph.nnef").read_text(encoding="utf-8") == text
    assert sorted(each.name for each in Path("one/block.0").iterdir()) == ["bias.dat", "weight.dat"]
    assert real("export", "one", "-o", "two/graph.nnef", "-q").status == 0
    for path in ("graph.nnef", "block.0/weight.dat"):
        assert (Path("two") / path).read_bytes() == (Path("one") / path).read_bytes()
