"""``snd export``: what it writes, verifies and refuses."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import numpy as np
import pytest

from snd_analysis.compose import Session, compose_root
from snd_analysis.skriptnd.names import OperatorName
from support.memory import snapshot_of
from support.server.processes import ROOT

onnx = pytest.importorskip("onnx", reason="the development package onnx is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="the development package onnxruntime is not installed")


BLOCKS = """
import math, nn;
operator block { @input { x: real[s..]; } @output { y: real[s..]; } @compose { z = nn.relu(x); y = math.mul(z, 2.0); } }
graph Net { @input { x: real[n|8, 3]; } @output { y: real[n, 3]; } @compose { a = block(x); y = block(a); } }
"""
STATE = """
import math;
graph Sum {
    @input { x: real[2]; }
    @output { y: real[2]; }
    @variable { total: real[2]; }
    @compose { y = math.add(x, total); }
    @update { total = y; }
}
"""
LOOP = """
import math;
graph Loop {
    @input { x: real[2]; n: int[]; c: bool[]; }
    @output { y: real[2]; z: real[2]; }
    @compose {
        y = with a = x do..(n) { b = math.add(a, 1.0); yield b; };
        z = if c then math.neg(y) else math.sqr(y);
    }
}
"""


def _model(project: Path, text: str) -> None:
    (project / "main.sknd").write_text(text, encoding="utf-8")


def _session(path: str = "m.onnx"):
    onnx.checker.check_model(path)
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def test_operators_are_functions_and_extents_symbols(project: Path, real):
    _model(project, BLOCKS)
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    model = onnx.load("m.onnx")
    assert {each.name for each in model.functions} == {"block"}
    assert model.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "n"
    (found,) = _session().run(None, {"x": np.full((5, 3), 1.5, np.float32)})
    assert found.tolist() == [[6.0] * 3] * 5
    assert real("export", ".", "-o", "m.onnx", "--flat", "-q").status == 0
    assert not onnx.load("m.onnx").functions


def test_state_goes_in_and_out(project: Path, real):
    _model(project, STATE)
    (project / "weights").mkdir()
    np.save(project / "weights/total.npy", np.array([1, 2], np.float32))
    assert real("export", ".", "-o", "m.onnx", "--verify").status == 0
    session = _session()
    x = np.ones(2, np.float32)
    y, new = session.run(["y", "total.next"], {"x": x})
    assert y.tolist() == new.tolist() == [2, 3]
    assert session.run(["y"], {"x": x, "total": new})[0].tolist() == [3, 4]


def test_control_flow(project: Path, real):
    _model(project, LOOP)
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    x = np.zeros(2, np.float32)
    y, z = _session().run(None, {"x": x, "n": np.array(3), "c": np.array(False)})
    assert (y.tolist(), z.tolist()) == ([3, 3], [9, 9])


def test_all_that_cannot_be_exported_is_listed(project: Path, real):
    _model(
        project,
        """
        import image, rand;
        graph G {
            @input { x: real[1,1,8,8]; r: real[1,4]; i: int[1]; }
            @output { y: real[1,1,2,2]; z: real[1,1,2,2]; }
            @compose {
                y = image.max_roi_pool{output_size=[2,2]}(x, r, i);
                z = image.avg_roi_pool{output_size=[2,2]}(x, r, i);
            }
        }
        """,
    )
    outcome = real("export", ".", "-o", "m.onnx")
    assert outcome.status == 1
    assert [line.split(": ")[1] for line in outcome.stderr.splitlines()] == ["image.avg_roi_pool", "image.max_roi_pool"]
    assert not Path("m.onnx").exists()


def test_mistakes_are_shown(project: Path, real):
    outcome = real("export", str(ROOT / "examples/broken"), "-o", "m.onnx")
    assert outcome.status == 1
    assert "error" in outcome.stdout
    assert not Path("m.onnx").exists()


def test_a_difference_names_the_first_tensor(project: Path, real, monkeypatch: pytest.MonkeyPatch):
    from snd_server.exchange.onnx_export.registry import COUNTERPARTS

    monkeypatch.setitem(COUNTERPARTS, "math.exp", COUNTERPARTS["math.neg"])
    text = "a = math.neg(x); b = math.exp(a); y = math.sqr(b);"
    _model(
        project, f"import math;\ngraph G {{ @input {{ x: real[2]; }} @output {{ y: real[2]; }} @compose {{ {text} }} }}"
    )
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert outcome.status == 1
    assert "'y' differs in onnxruntime" in outcome.stderr
    assert "the first tensor that differs is 'b'" in outcome.stderr


def test_a_model_in_nnef1_is_exported(project: Path, real):
    text = (
        "version 1.0; graph G(x) -> (y) { x = external(shape = [1, 3, 8, 8]); y = max_pool(x, size = [1, 1, 2, 2]); }"
    )
    (project / "graph.nnef").write_text(text, encoding="utf-8")
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")


QUANTIZED = """
import math, nn, quant;
operator block { @input { x: real[b,c,s..(2)]; } @variable { w: real[4,c,3,3]; } @output { y: real[b,4,s..(2)]; }
    @compose { h = nn.conv{padding=[1,1,1,1]}(x, w); y = nn.relu(h); } }
operator half { @input { x: real[s..]; } @output { y: real[s..]; } @lower { y[i..] = x[i..] / 2.0, i < s; } }
graph Net {
    @input { x: real[~|8,3,4,4]; }
    @output { y: real[~|8,5,4,4]; }
    @variable { bias: real[5]; w: real[5,4,1,1]; }
    @compose {
        first = a: block(x);
        z = nn.conv(first, w, bias);
        t = with c = z do..(2) { u = math.mul(c, 0.5); yield u; };
        y = nn.sigmoid(t);
    }
    @quantize {
        x: quant.zero_point_linear_quantize{zero_point=3, scale=0.03, bits=8};
        a.w: quant.zero_point_linear_quantize{zero_point=0, scale=[0.1, 0.2, 0.3, 0.4], bits=8, symmetric=true,
                                               channel_axis=0};
        first: quant.min_max_linear_quantize{min=0.0, max=2.55, bits=8, signed=false};
        bias: quant.zero_point_linear_quantize{zero_point=0, scale=0.0001, bits=16};
        w: quant.zero_point_linear_quantize{zero_point=0, scale=0.05, bits=4};
        z: quant.min_max_linear_quantize{min=-1.0, max=1.0, bits=4};
        y: half;
    }
}
"""


def test_quantized_tensors_are_pairs_of_nodes_where_8_bits_hold_them(project: Path, real):
    _model(project, QUANTIZED)
    outcome = real("export", ".", "-o", "m.onnx", "--quantize", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    model = onnx.load("m.onnx")
    after = {node.output[0]: node.op_type for node in model.graph.node}
    pairs = [node for node in model.graph.node if node.op_type == "DequantizeLinear"]
    assert len(pairs) == 4  # x, a.w, first and w
    assert all(after[node.input[0]] == "QuantizeLinear" for node in pairs)
    assert {each.name for each in model.functions} == {"half"}
    stored = {each.name: each for each in model.graph.initializer}
    types = [stored[node.input[2]].data_type for node in pairs]
    assert sorted(types) == [onnx.TensorProto.UINT8, *[onnx.TensorProto.INT8] * 3]


def test_without_the_option_nothing_is_quantized(project: Path, real):
    _model(project, QUANTIZED)
    assert real("export", ".", "-o", "m.onnx", "--verify").status == 0
    assert not any("Quantize" in node.op_type for node in onnx.load("m.onnx").graph.node)


CHOOSING = """
import algo, math;
graph Choosing {
    @input { x: real[1,1,4]; b: real[1,4,4]; }
    @output { v: real[1,1,2]; i: int[1,1,2]; found: int[~,3]; }
    @compose { s = math.sqr(x); v, i = algo.top_k{k=2, axis=-1}(s); found = algo.nonmax_suppress(b, s); }
}
"""


@pytest.mark.parametrize(
    ("name", "one", "other", "is_tie"),
    [
        ("i", [[[0, 3]]], [[[3, 0]]], True),
        ("i", [[[0, 1]]], [[[0, 2]]], True),
        ("i", [[[0, 1]]], [[[1, 0]]], False),
        ("i", [[[0, 9]]], [[[0, 3]]], False),
        ("found", [[0, 0, 3], [0, 0, 1]], [[0, 0, 0], [0, 0, 2]], True),
        ("found", [[0, 0, 3]], [[0, 0, 0], [0, 0, 2]], False),
        ("found", [[0, 0, 1]], [[0, 0, 0]], False),
        ("s", [[[1.0]]], [[[2.0]]], False),
    ],
)
def test_choices_among_equal_elements_are_no_difference(name: str, one: list, other: list, is_tie: bool):
    from snd_server.exchange.graph_export.root_graph import flat_graph
    from snd_server.exchange.ties import operator_of_tie

    session = Session(snapshot_of({"main.sknd": CHOOSING}))
    template = session.template(OperatorName("main.sknd", "Choosing"))
    assert template is not None
    graph = flat_graph(compose_root(session, template, {}, {}, {}))
    tensors = {"s": np.array([[[0.9, 0.5, 0.5000001, 0.9]]], np.float32), "b": np.zeros((1, 4, 4), np.float32)}
    found = operator_of_tie(graph, name, np.array(one), np.array(other), tensors)
    assert (found is not None) == is_tie


ROUNDING = """
import math, layout;
graph Rounding {
    @input { x: real[3]; }
    @output { y: real[3]; }
    @compose {
        t = math.mul(x, 2.0); r = math.round(t); i = layout.cast<int>(r); m = math.add(i, 1); y = layout.cast<real>(m);
    }
}
"""


@pytest.mark.parametrize(
    ("t", "y", "is_tie"),
    [
        ([1.4999999, 3.0, 7.0], [2.0, 4.0, 8.0], True),
        ([1.5, 3.0, 7.0], [2.0, 4.0, 8.0], False),  # the same value is rounded in another way: a mistake
        ([1.4999999, 3.0, 7.0], [2.0, 4.0, 9.0], False),
        ([1.4, 3.0, 7.0], [2.0, 4.0, 8.0], False),
    ],
)
def test_values_half_way_may_be_rounded_in_two_ways(t: list[float], y: list[float], is_tie: bool):
    from snd_server.exchange.graph_export.root_graph import flat_graph
    from snd_server.exchange.ties import operator_of_rounding

    session = Session(snapshot_of({"main.sknd": ROUNDING}))
    template = session.template(OperatorName("main.sknd", "Rounding"))
    assert template is not None
    graph = flat_graph(compose_root(session, template, {}, {}, {}))
    own = {"t": [1.5, 3.0, 7.0], "r": [2.0, 3.0, 7.0], "i": [2, 3, 7], "m": [3, 4, 8], "y": [3.0, 4.0, 8.0]}
    tensors = {name: np.array(value, np.float32) for name, value in own.items()}
    others = {"t": np.array(t, np.float32), "y": np.array(y, np.float32)}
    found = operator_of_rounding(graph, "y", others["y"], tensors["y"], others, tensors)
    assert (found is not None) == is_tie


POOLED = """
import math, image;
operator scaled { @input { x: real[s..]; } @constant { two: real[1] = 2.0; } @output { y: real[s..]; }
    @compose { y = math.mul(x, two); } }
graph Pooled {
    @input { x: real[1,1,8,8]; i: int[1]; }
    @output { y: real[1,1,2,2]; b: real[1,1,8,8]; }
    @variable { regions: real[1,4]; sum: real[1,1,8,8]; }
    @compose {
        a = scaled(x);
        b = math.add(a, sum);
        c = image.max_roi_pool{output_size=[2,2]}(b, regions, i);
        y = math.exp(c);
    }
    @update { sum = b; }
}
"""


def test_onnxruntime_runs_what_can_be_exported(project: Path, real):
    _model(project, POOLED)
    given = ("run", ".", "--input", "i=[0]", "--steps", "2", "--format", "json")
    own, other = (json.loads(real(*given, "--engine", engine).stdout) for engine in ("snd", "onnxruntime"))
    assert own["notes"] == []
    assert len(other["notes"]) == 1
    assert "onnxruntime can't compute image.max_roi_pool" in other["notes"][0]
    for one, two in zip(own["outputs"], other["outputs"], strict=True):
        np.testing.assert_allclose(one["values"], two["values"], rtol=1e-5, atol=1e-6)
    assert own["random"] == other["random"]


def test_another_engine_has_no_trace(project: Path, real):
    _model(project, STATE)
    outcome = real("run", ".", "--engine", "onnxruntime", "--trace")
    assert outcome.status == 2
    assert "--engine onnxruntime can't be used with --trace" in outcome.stderr


def test_extents_of_the_run_are_computed_by_nodes(project: Path, real):
    text = """
    import layout, math;
    operator first { @attrib { count: int; } @input { t: real[8,3]; } @output { y: real[count,3]; }
        @compose { y = layout.slice{axes=[0], begin=0, end=count}(t); } }
    graph G {
        @input { x: real[n|8, 3]; t: real[8,3]; }
        @output { y: real[n, 3]; m: real[1, 3]; f: real[3 * n]; }
        @compose {
            table = first{count=n}(t);
            y = math.add(x, table);
            m = math.max_reduce{axes=[0]}(x);
            f = layout.flatten{axis=0, rank=2}(x);
        }
    }
    """
    _model(project, text)
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    x, table = np.ones((5, 3), np.float32), np.arange(24, dtype=np.float32).reshape(8, 3)
    y, m, f = _session().run(None, {"x": x, "t": table})
    assert np.array_equal(y, x + table[:5])
    assert (m.shape, f.shape) == ((1, 3), (15,))


def test_a_dynamic_batch_is_pooled_by_a_node(project: Path, real):
    _model(
        project,
        """
        import nn;
        graph Pooled {
            @input { image: real[batch|4, 3, 8, 8]; }
            @output { y: real[batch, 3, 4, 4]; }
            @compose { y = nn.max_pool{size=2, stride=2}(image); }
        }
        """,
    )
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert "MaxPool" in {node.op_type for node in onnx.load("m.onnx").graph.node}


def test_a_transposed_convolution_of_a_dynamic_extent_is_a_node(project: Path, real):
    _model(
        project,
        """
        import nn;
        graph Upsampled {
            @input { x: real[batch|4, 6, t|1000]; }
            @variable { weight: real[6, 2, 4]; }
            @output { y: real[batch, 4, 2 * t]; }
            @compose { y = nn.deconv{stride=2, padding=1, groups=2}(x, weight); }
        }
        """,
    )
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert "ConvTranspose" in {node.op_type for node in onnx.load("m.onnx").graph.node}


@pytest.mark.parametrize(
    "decision",
    [
        "n > 100 ? x[i,] : 2.0 * x[i,]",
        "real(n / 100) * x[i,]",
        "real(n <? 100) * x[i,]",
        "i > 100 ? x[i,] : 2.0 * x[i,]",
        "i < n / 2 ? x[i,] : 0.0",
    ],
)
def test_what_a_dynamic_extent_decides_is_no_node(project: Path, real, decision: str):
    """It may be decided alike for the sizes that are tried, and otherwise for larger ones."""
    _model(
        project,
        f"""
        operator scaled {{
            @input {{ x: real[n]; }}
            @output {{ y: real[n]; }}
            @lower {{ y[i,] = {decision}, i < n; }}
        }}
        graph Scaled {{
            @input {{ x: real[n|1000]; }}
            @output {{ y: real[n]; }}
            @compose {{ y = scaled(x); }}
        }}
        """,
    )
    outcome = real("export", ".", "-o", "m.onnx")
    assert outcome.status == 1
    assert "scaled: its nodes depend on extents that are known in the run only" in outcome.stderr
    assert not Path("m.onnx").exists()


def test_a_comparison_tries_large_extents_too(project: Path, real, monkeypatch: pytest.MonkeyPatch):
    """The formula is written wrongly on purpose: as if it decided alike for all extents."""
    monkeypatch.setattr("snd_server.exchange.onnx_export.sizes._decides", lambda callee, keys: False)
    text = """
    operator scaled {
        @input { x: real[n]; }
        @output { y: real[n]; }
        @lower { y[i,] = n > 50 ? x[i,] : 2.0 * x[i,], i < n; }
    }
    graph Scaled { @input { x: real[n|BOUND]; } @output { y: real[n]; } @compose { y = scaled(x); } }
    """
    for bound, status, said in ((100, 1, "'y' differs in onnxruntime"), (40, 0, "")):
        _model(project, text.replace("BOUND", str(bound)))
        outcome = real("export", ".", "-o", "m.onnx", "--verify")
        assert (outcome.status, said in outcome.stderr) == (status, True)


@pytest.mark.parametrize("formula", ["exp(x[i,])", "x[i,] > 0.0 ? x[i,] : 0.0", "x[i,] + 2.0 * x[i,]"])
def test_what_elements_and_indices_decide_is_a_node_for_any_extent(project: Path, real, formula: str):
    _model(
        project,
        f"""
        operator mapped {{
            @input {{ x: real[n]; }}
            @output {{ y: real[n]; }}
            @lower {{ y[i,] = {formula}, i < n; }}
        }}
        graph Mapped {{
            @input {{ x: real[n|1000]; }}
            @output {{ y: real[n]; }}
            @compose {{ y = mapped(x); }}
        }}
        """,
    )
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")


def test_weights_of_a_very_large_model_are_beside_it(project: Path, real, monkeypatch: pytest.MonkeyPatch):
    """Both files are written beside the existing ones, and a full disk leaves both as they were."""
    import snd_server.exchange.onnx_export.exporting
    from snd_server.workspace_files import writing

    _model(
        project,
        "import math; graph main { @input { x: real[2, 300]; } @output { y: real[2, 300]; } "
        "@variable { v: real[2, 300]; w: real[300]; c: real[1]; } "
        "@compose { a = math.mul(x, v); b = math.mul(a, w); y = math.add(b, c); } }",
    )
    monkeypatch.setattr(snd_server.exchange.onnx_export.exporting, "MOST_MODEL_BYTES", 1000)
    (project / "m.onnx").write_bytes(b"old")
    (project / "m.onnx.data").write_bytes(b"old weights")
    with monkeypatch.context() as full:

        def fail(handle: int) -> None:
            if os.fstat(handle).st_size > 3000:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        full.setattr(writing.os, "fsync", fail)
        assert real("export", ".", "-o", "m.onnx").status == 2
    assert (project / "m.onnx").read_bytes() == b"old"
    assert (project / "m.onnx.data").read_bytes() == b"old weights"
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert sorted(each.name for each in project.iterdir()) == ["m.onnx", "m.onnx.data", "main.sknd"]
    assert (project / "m.onnx.data").stat().st_size == 4096 + 4 * 300
    _session()

    (project / "m.onnx.data").unlink()
    (project / "m.onnx.data").symlink_to(project.parent / "elsewhere")
    outcome = real("export", ".", "-o", "m.onnx")
    assert outcome.status == 2
    assert "a link leads out of" in outcome.stderr
    assert not (project.parent / "elsewhere").exists()


def test_dimensions_are_counted_as_operators_count_them(project: Path, real):
    """Alignments that are negative or add dimensions, an axis from the end, bounds in a wrong order."""
    _model(
        project,
        """
        import layout, math;
        graph Counted {
            @input { x: real[3]; y: real[3,3]; z: real[2,3]; w: real[2]; }
            @output { a: real[3,3]; b: real[3,3]; c: real[2,3]; d: real[2,3];
                      e: real[1,1,3]; f: real[2,3]; g: real[3]; }
            @compose {
                a = math.add{lhs_align=-1}(x, y);
                b = math.sub{rhs_align=0}(y, x);
                c = math.mul{rhs_align=-1}(z, w);
                d = math.axpb{a_align=-1}(w, z, 1.0);
                e = math.add{lhs_align=2}(x, 1.0);
                f = layout.stack{axis=-1}([x, x]);
                g = math.clamp(x, 0.5, -0.5);
            }
        }
        """,
    )
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")


MAYBE = "import math, nn; graph G { @input { x: real[2, 4]; w: real[3, 4]; k: optional real[3]; }"
MAYBE += " @output { y: real[2, 3]; }"
DECIDED = MAYBE + " @compose { m = nn.linear(x, w); y = if ?k then math.add(m, k) else math.neg(m); } }"
PASSED_ON = MAYBE + " @compose { y = nn.linear(x, w, k); } }"
CHOSEN = MAYBE + " @constant { c: real[3] = 1.0; } @compose { m = nn.linear(x, w); b = k ?? c; y = math.add(m, b); } }"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (DECIDED, "if: its condition is known in the run only"),
        (CHOSEN, "math.add: the value of 'k or c' is not known before the run"),
    ],
)
def test_an_optional_input_that_decides_must_be_decided(project: Path, real, text: str, reason: str):
    _model(project, text)
    outcome = real("export", ".", "-o", "m.onnx")
    assert (outcome.status, (project / "m.onnx").exists()) == (1, False)
    assert outcome.stderr.splitlines() == [
        f"can't be exported: {reason}; 'k' may be null, and a file has one of the two cases",
        "--input k=SHAPE or --input k=~ says which case the file has",
    ]
    for value, inputs in (("3", 3), ("~", 2)):
        outcome = real("export", ".", "-o", "m.onnx", "--input", f"k={value}", "--verify")
        assert (outcome.status, outcome.stderr) == (0, "")
        assert len(onnx.load("m.onnx").graph.input) == inputs


def test_an_optional_input_of_the_file_is_compared(project: Path, real):
    """The comparison left it out, and onnxruntime demanded it."""
    _model(project, PASSED_ON)
    outcome = real("export", ".", "-o", "m.onnx", "--verify")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert [each.name for each in onnx.load("m.onnx").graph.input] == ["x", "w", "k"]
