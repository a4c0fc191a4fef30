"""Models as exporters write them, from ONNX to SkriptND and back: onnxruntime is the judge of both ways."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snd

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

Run = Callable[..., Any]

# Weights without elements, `float[4, 4] w`, are random.
MODELS = {
    # a product with factors and a dynamic batch, as the first opsets have it
    "weighted": """
        <ir_version: 4, opset_import: ["" : 7]>
        main (float[N, 3] x) => (float[N, 5] y)
        <float[5, 3] f, float[5] b>
        {
            q = Gemm<transB = 1, alpha = 0.5, beta = 2.0>(x, f, b)
            y = Softmax(q)
        }""",
    # torch.nn.LSTM, opset 11: states of zeros by the batch, all outputs by their last step
    "bidirectional": """
        <ir_version: 6, opset_import: ["" : 11]>
        main (float[time, batch, 3] x) => (float[batch, 2] out, float[2, batch, 2] hn)
        <float[2, 8, 3] W, float[2, 8, 2] R, float[2, 16] B, float[2, 4] fc, float[2] fb,
         int64 one = {1}, int64[1] n = {2}, int64[1] h = {2}, int64[3] s = {0, 0, -1}, int64 last = {-1}>
        {
            xs = Shape(x)
            b = Gather<axis = 0>(xs, one)
            bu = Unsqueeze<axes = [0]>(b)
            hs = Concat<axis = 0>(n, bu, h)
            h0 = ConstantOfShape(hs)
            y, hn, cn = LSTM<hidden_size = 2, direction = "bidirectional">(x, W, R, B, , h0, h0)
            yt = Transpose<perm = [0, 2, 1, 3]>(y)
            yr = Reshape(yt, s)
            end = Gather<axis = 0>(yr, last)
            out = Gemm<transB = 1>(end, fc, fb)
        }""",
    # dynamic quantization by onnxruntime, and operators on ints
    "quantized": """
        <ir_version: 7, opset_import: ["" : 13]>
        main (float[N, 4] x, float[1, 2, 5, 5] image) => (float[N, 2] y, float[1, 2, 5, 5] z)
        <uint8[4, 2] w = {200, 3, 17, 99, 150, 127, 0, 255}, uint8 wz = {127}, float ws = {0.01}, float[2] b,
         float s = {0.02}, uint8 o = {128}, int8[2, 2, 1, 1] k = {90, -20, 3, -128}, float[2] ks = {0.01, 0.02},
         int8[2] kz = {0, 0}, float zs = {0.03}, uint8 zo = {120}, int32[2] kb = {40, -7}>
        {
            xq, xs, xz = DynamicQuantizeLinear(x)
            product = MatMulInteger(xq, w, xz, wz)
            real = Cast<to = 1>(product)
            scale = Mul(xs, ws)
            scaled = Mul(real, scale)
            y = Add(scaled, b)
            iq = QuantizeLinear(image, s, o)
            zq = QLinearConv(iq, s, o, k, ks, kz, zs, zo, kb)
            z = DequantizeLinear(zq, zs, zo)
        }""",
    # a decoder with a cache of keys: a causal mask cut out by computed places
    "cached": """
        <ir_version: 7, opset_import: ["" : 14]>
        main (int64[batch, seq] ids, float[batch, past, 4] keys) => (float[batch, seq, 4] y, float[batch, total, 4] all,
              int64[batch, seq, k] places)
        <float[9, 4] emb, int64[1] k = {1}, bool[1, 4, 4] tril = {1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1},
         int64 i1 = {1}, int64[1] zero = {0}, int64[1] ax1 = {1}, int64[1] ax2 = {2}, float low = {-10000}>
        {
            q = Gather(emb, ids)
            all = Concat<axis = 1>(keys, q)
            as = Shape(all)
            total = Gather<axis = 0>(as, i1)
            qs = Shape(q)
            own = Gather<axis = 0>(qs, i1)
            first = Sub(total, own)
            begin = Unsqueeze(first, zero)
            end = Unsqueeze(total, zero)
            rows = Slice(tril, begin, end, ax1)
            mask = Slice(rows, zero, end, ax2)
            kt = Transpose<perm = [0, 2, 1]>(all)
            scores = MatMul(q, kt)
            best, places = TopK<axis = -1>(scores, k)
            seen = Where(mask, scores, low)
            weights = Softmax<axis = -1>(seen)
            y = MatMul(weights, all)
        }""",
    # buckets of distances as T5 has them: the logarithm of 0 becomes an int, which is not selected
    "buckets": """
        <ir_version: 7, opset_import: ["" : 13]>
        main (float[N] x) => (int64[N] y)
        <int64 zero = {0}, int64[1] ax = {0}, int64 one = {1}, float c = {2.0}, int64 few = {4}, int64 most = {6}>
        {
            xs = Shape(x)
            n = Squeeze(xs, ax)
            r = Range(zero, n, one)
            real = Cast<to = 1>(r)
            log = Log(real)
            scaled = Mul(log, c)
            large = Cast<to = 7>(scaled)
            shifted = Add(large, few)
            bounded = Min(shifted, most)
            small = Less(r, few)
            y = Where(small, r, bounded)
        }""",
    # extents of images that are symbols, a size for resizing that nodes compute
    "image": """
        <ir_version: 7, opset_import: ["" : 13]>
        main (float[b, 2, height, width] x) => (float[b, 2, height, width] out, float[b, 4, h2, w2] pooled)
        <float[4, 2, 3, 3] weight, float[2, 2, 1, 1] p, int64[8] pw = {0, 0, 1, 1, 0, 0, 1, 1}, int64[1] two = {2},
         int64[1] zero = {0}, int64[1] four = {4}, float[4] up = {1, 1, 2, 2}>
        {
            pad = Pad<mode = "reflect">(x, pw)
            y = Conv<strides = [2, 2]>(pad, weight)
            pooled = MaxPool<kernel_shape = [2, 2], strides = [1, 1], pads = [1, 1, 0, 0]>(y)
            twice = Resize<mode = "nearest">(pooled, , up)
            s, t = Split<axis = 1>(y)
            xs = Shape(x)
            hw = Slice(xs, two, four, zero)
            ts = Shape(t)
            nc = Slice(ts, zero, two, zero)
            size = Concat<axis = 0>(nc, hw)
            r = Resize<mode = "linear">(s, , , size)
            soft = Softplus(r)
            out = Conv(soft, p)
        }""",
}


def _weighted(text: str) -> Any:
    """Return a model with random weights."""
    model = onnx.parser.parse_model(text)
    graph, chance = model.graph, np.random.default_rng(7)
    for declared in graph.value_info:
        shape = [each.dim_value for each in declared.type.tensor_type.shape.dim]
        array = (chance.standard_normal(shape) / 2).astype(np.float32)
        graph.initializer.append(onnx.numpy_helper.from_array(array, declared.name))
    del graph.value_info[:]
    return model


def _saved(name: str, path: Path) -> None:
    model = _weighted(MODELS[name])
    graph = model.graph
    for named in (*graph.input, *graph.output, *graph.initializer):
        named.name = _spelled(named.name)
    for node in graph.node:
        node.input[:] = map(_spelled, node.input)
        node.output[:] = map(_spelled, node.output)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def _spelled(name: str) -> str:
    """Return a name as exporters have them."""
    return name and f"/model.0/{name}:0"


@pytest.mark.parametrize("name", MODELS)
def test_models_of_exporters_make_the_round_trip(name: str, project: Path, real: Run):
    _saved(name, project / "model.onnx")
    for command in (
        ["convert", "model.onnx", "-o", "new", "--verify"],
        ["check", "new"],
        ["fmt", "--check", "new"],
        *([["run", "new"]] if name == "cached" else []),  # a process of its own each
        ["export", "new", "-o", "back.onnx", "--verify"],
    ):
        outcome = real(*command)
        assert outcome.status == 0, f"{command}: {outcome.stdout}{outcome.stderr}"


def test_a_node_that_is_not_translated_has_an_operator_in_its_place(project: Path, real: Run):
    text = """
        <ir_version: 8, opset_import: ["" : 17, "com.acme" : 1]>
        main (float[b, 4] x) => (float[b, 4] y, float[d] u, float[b, 2] w)
        <float[b, 4] c>
        {
            a = Abs(x)
            c = com.acme.Mix(a, x)
            n = Relu(c)
            y = Add(n, a)
            u = Unique(a)
            l = com.acme.Shuffle(a)
            w = com.acme.Part(l, x)
        }"""
    onnx.save(onnx.parser.parse_model(text), "model.onnx")
    outcome = real("convert", "model.onnx", "-o", "new")
    assert outcome.status == 1
    assert "node 'c' (Mix): there is no operator for this kind of node of the domain 'com.acme'" in outcome.stderr
    assert "node 'w' (Part): it takes what 'l' gives, which is not translated" in outcome.stderr
    assert "4 nodes could not be translated; the rest is written" in outcome.stderr
    assert real("check", "new").status == 0
    assert real("fmt", "--check", "new").status == 0
    written = (project / "new/main.sknd").read_text()
    assert "# Stands for the node 'c' (com.acme.Mix): there is no operator for this kind of node" in written
    assert "n = nn.relu(c);" in written
    outcome = real("run", "new")
    assert outcome.status == 1
    assert "'Mix' has neither a composition nor formulas" in outcome.stderr + outcome.stdout


_WITHOUT_SHAPE = """
    <ir_version: 8, opset_import: ["" : 17, "com.acme" : 1]>
    main (float[b, 4] x) => (float y, float[b, 4] z) { a = Abs(x) y = com.acme.Mix(a, x) z = Relu(a) }"""


def _mixing(outputs: int) -> None:
    """Write a model that does not declare its first output, which a node of a foreign domain makes."""
    model = onnx.parser.parse_model(_WITHOUT_SHAPE)
    model.graph.output[0].type.tensor_type.ClearField("shape")
    del model.graph.output[outputs:]
    onnx.save(model, "model.onnx")


def test_an_output_that_nothing_is_known_of_is_left_out_and_the_rest_runs(project: Path, real: Run):
    _mixing(2)
    outcome = real("convert", "model.onnx", "-o", "new")
    assert outcome.status == 1
    assert "1 node could not be translated; the rest is written, without the output 'y'" in outcome.stderr
    assert "# Left out, since nodes before them are not translated: y." in (project / "new/main.sknd").read_text()
    for command in (["check", "new"], ["fmt", "--check", "new"], ["run", "new"]):
        assert real(*command).status == 0


def test_a_model_without_an_output_that_can_be_computed_is_not_written(project: Path, real: Run):
    _mixing(1)
    outcome = real("convert", "model.onnx", "-o", "new")
    assert outcome.status == 1
    assert "node 'y' (Mix)" in outcome.stderr
    assert "nothing is written, since no output can be computed without" in outcome.stderr
    assert not (project / "new").exists()
    with pytest.raises(snd.ConversionError, match="node 'y'"):
        snd.convert("model.onnx", "new")


def test_an_opset_that_onnxruntime_does_not_know_is_told_plainly(project: Path, real: Run):
    onnx.save(onnx.parser.parse_model(_WITHOUT_SHAPE.replace("17", "99").replace("com.acme.Mix", "Add")), "model.onnx")
    outcome = real("convert", "model.onnx", "-o", "new", "--verify")
    assert outcome.status == 2
    assert re.search(
        r"onnxruntime \S+ knows opsets of 'ai.onnx' up to \d+, but model.onnx has a newer one", outcome.stderr
    )


ONNXSCRIPT = sorted((Path(__file__).parents[1] / "support" / "onnx_models" / "onnxscript").glob("*.onnx"))
_WITH_EVERY_CHANGE = {"images", "recurrent"}


def _demand_round_trip(path: Path, real: Run) -> None:
    for command in (
        ["convert", str(path), "-o", "new", "--verify"],
        ["check", "new"],
        ["fmt", "--check", "new"],
        ["export", "new", "-o", "back.onnx", "--verify"],
    ):
        outcome = real(*command)
        assert outcome.status == 0, f"{command}: {outcome.stdout}{outcome.stderr}"


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(each, id=each.stem, marks=[] if each.stem in _WITH_EVERY_CHANGE else pytest.mark.exhaustive)
        for each in ONNXSCRIPT
    ],
)
def test_models_of_onnxscript_make_the_round_trip(path: Path, project: Path, real: Run):
    """Functions within functions, loops and branches, recurrent nodes, QDQ, shapes that nodes compute."""
    _demand_round_trip(path, real)
    if path.stem == "encoder":
        assert "operator layer {" in (project / "new/main.sknd").read_text()


def test_a_list_of_one_and_a_quotient_that_may_be_negative(project: Path, real: Run):
    """One output of ``Split`` is taken by itself; ``Div`` rounds towards zero, ``/`` of extents down."""
    text = """
        <ir_version: 8, opset_import: ["" : 17]>
        main (float[1, h, 4] x) => (float[h, 4] y, float[d] z)
        <int64[1] axis = {0}, int64[1] i = {1}, int64[1] two = {2}, int64[1] one = {1}, int64[1] four = {4},
         float v = {3}>
        {
            part = Split<axis = 0>(x)
            y = Squeeze(part, axis)
            shape = Shape(x)
            height = Gather(shape, i)
            less = Sub(height, two)
            share = Div(less, four)
            size = Add(share, one)
            z = Expand(v, size)
        }"""
    onnx.save(onnx.parser.parse_model(text), "model.onnx")
    for command in (["convert", "model.onnx", "-o", "new", "--verify"], ["check", "new"], ["run", "new"]):
        outcome = real(*command)
        assert outcome.status == 0, f"{command}: {outcome.stdout}{outcome.stderr}"
    assert "[part] = layout.split" in (project / "new/main.sknd").read_text()


_FUNCTIONS = """
    <ir_version: 8, opset_import: ["" : 17, "this" : 1]>
    main (float[batch, 6] x) => (float[batch, 2] scores, float[batch, 6] gates)
    <float[6, 6] encoder_0_weight, float[6] encoder_0_bias, float[6, 6] encoder_1_weight, float[6] encoder_1_bias,
     float[6, 2] head_weight, float[6] scale>
    {
        encoder_0 = this.DenseBlock_1 (x, encoder_0_weight, encoder_0_bias)
        encoder_1 = this.DenseBlock_2 (encoder_0, encoder_1_weight, encoder_1_bias)
        tmp_3 = this.Gate(encoder_1, scale)
        tmp_4 = Mul(tmp_3, x)
        tmp_5 = this.Gate(tmp_4, scale)
        scores, gates = this.layer (tmp_5, head_weight)
    }
    <domain: "this", opset_import: ["" : 17, "this" : 1]>
    DenseBlock_1 (x, weight, bias) => (y)
    { tmp = MatMul(x, weight) shifted = Add(tmp, bias) active = this.Active(shifted) y = Add(active, x) }
    <domain: "this", opset_import: ["" : 17, "this" : 1]>
    DenseBlock_2 (x, weight, bias) => (y)
    { tmp = MatMul(x, weight) shifted = Add(tmp, bias) active = this.Active(shifted) y = Add(active, x) }
    <domain: "this", opset_import: ["" : 17]>
    Active (x) => (y) { half = Constant<value_float = 0.5>() t = Mul(x, half) y = Tanh(t) }
    <domain: "this", opset_import: ["" : 17]>
    Gate (x, scale) => (y) { scaled = Mul(x, scale) y = Sigmoid(scaled) }
    <domain: "this", opset_import: ["" : 17]>
    layer (x, weight) => (scores, gates) { gates = Softmax(x) wide = Mul(gates, x) scores = MatMul(wide, weight) }"""


def test_functions_become_operators_with_their_names(project: Path, real: Run):
    """Equal ones become one operator; one within another stays a part of its names."""
    onnx.save(_weighted(_FUNCTIONS), "model.onnx")
    _demand_round_trip(Path("model.onnx"), real)
    text = (project / "new/main.sknd").read_text()
    assert re.findall(r"^operator (\w+)", text, re.MULTILINE) == ["dense_block", "gate", "layer"]
    assert (
        """\
        encoder_0 = dense_block(x);
        encoder_1 = dense_block(encoder_0);
        gate = gate(encoder_1);
        mul = math.mul(gate, x);
        gate_2 = gate(mul);
        scores, gates = scores: layer(gate_2);
"""
        in text
    )
    assert "active_t = math.mul(shifted, 0.5);" in text
    assert real("convert", "back.onnx", "-o", "again").status == 0
    again = (project / "again/main.sknd").read_text()
    assert again.partition("\n")[2] == text.partition("\n")[2]


_SQUEEZED = """
    <ir_version: 8, opset_import: ["" : 17]>
    main (float[b, 1, 5] x) => (float[b, 5] y) {declared}
    {{
        s = Squeeze(x)
        y = Relu(s)
    }}"""
_SQUEEZED_IF = """
    <ir_version: 8, opset_import: ["" : 17]>
    main (float[b, 1, 5] x) => (float[m, n] y)
    <int64[1] zero = {0}, int64[1] one = {1}>
    {
        shape = Shape(x)
        b = Gather(shape, zero)
        is_one = Equal(b, one)
        s = If (is_one) <
            then_branch = squeezed () => (float[1, 5] t) { t = Squeeze(x, zero) },
            else_branch = same () => (float[b, 1, 5] e) { e = Identity(x) }>
        y = Relu(s)
    }"""


def test_what_is_squeezed_away_is_declared_or_given(project: Path, real: Run):
    onnx.save(onnx.parser.parse_model(_SQUEEZED.format(declared="<float[b, 5] s>")), "model.onnx")
    _demand_round_trip(Path("model.onnx"), real)
    assert "layout.squeeze{axes=[1]}(x)" in (project / "new/main.sknd").read_text()
    for text, reason in (
        (
            _SQUEEZED.format(declared=""),
            "whether b is 1 must be known, which decides how many dimensions its result has",
        ),
        (_SQUEEZED_IF, "its branches give tensors of other shapes, [1, 5] and [b, 1, 5]"),
    ):
        onnx.save(onnx.parser.parse_model(text), "model.onnx")
        outcome = real("convert", "model.onnx", "-o", "new", "--force")
        assert outcome.status == 1
        assert reason in outcome.stderr
        outcome = real("convert", "model.onnx", "-o", "new", "--force", "--verify", "--fix", "b=1")
        assert outcome.status == 0, outcome.stderr
        for value in ("2.5", "-1", "[2]"):
            outcome = real("convert", "model.onnx", "-o", "new", "--force", "--fix", f"b={value}")
            assert outcome.status == 2
            assert "the extent 'b' must" in outcome.stderr


def test_as_many_of_the_best_as_there_are(project: Path, real: Run):
    """Detectors choose among the scores above a threshold, but not more than a few."""
    text = """
        <ir_version: 8, opset_import: ["" : 17]>
        main (float[n] x) => (float[k] y)
        <float threshold = {-0.3}, int64 zero = {0}, int64[1] few = {3}, int64[1] axis = {0}, int64[1] all = {-1}>
        {
            good = Greater(x, threshold)
            places = NonZero(good)
            flat = Reshape(places, all)
            scores = Gather(x, flat)
            shape = Shape(scores)
            count = Gather(shape, zero)
            one = Unsqueeze(count, axis)
            both = Concat<axis = 0>(few, one)
            least = ReduceMin<keepdims = 0>(both)
            k = Reshape(least, all)
            y, where = TopK(scores, k)
        }"""
    onnx.save(onnx.parser.parse_model(text), "model.onnx")
    for command in (["convert", "model.onnx", "-o", "new", "--verify"], ["check", "new"], ["run", "new"]):
        outcome = real(*command)
        assert outcome.status == 0, f"{command}: {outcome.stdout}{outcome.stderr}"
    assert "algo.top_k{k=3, axis=-1}(scores)" in (project / "new/main.sknd").read_text()


@pytest.mark.parametrize(
    "text",
    [
        """main (float[1, 2, 5, 5] x, float[n, 4] rois, int64[n] index) => (float[n, 2, 2, 2] y)
           { y = RoiAlign<output_height = 2, output_width = 2>(x, rois, index) }""",
        """main (float[1, 2, 5, 5] x, float[n, 4] rois, float[n] place) => (float[n, 2, 2, 2] y)
           { index = Cast<to = 7>(place) y = RoiAlign<output_height = 2, output_width = 2>(x, rois, index) }""",
        "main (int64[n] x, int64[n] y) => (int64[n] z) { z = Div(x, y) }",
    ],
)
def test_inputs_are_drawn_that_the_model_runs_with(text: str, project: Path, real: Run):
    """Indices of the one image that there is, and no divisors that are 0."""
    onnx.save(onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> {text}'), "model.onnx")
    outcome = real("convert", "model.onnx", "-o", "new", "--verify")
    assert outcome.status == 0, outcome.stderr
    if "place" not in text:
        outcome = real("export", "new", "-o", "back.onnx", "--verify")
        assert outcome.status == 0, outcome.stderr


@pytest.mark.parametrize(
    "text",
    [
        """main (float[2, 3] x, float[2, 3] y) => (float[4, 3] z)
           { s = SequenceConstruct(x, y, x) t = SequenceErase(s, at) z = ConcatFromSequence<axis = 0>(t) }""",
        """main (float[2, 3] x, float[3] scale) => (float[2, 3] z)
           { z = SimplifiedLayerNormalization<axis = -1, epsilon = 0.01>(x, scale) }""",
        "main (float[2, 3, 5, 4] x) => (float[2, 3, 1, 1] z) { z = GlobalLpPool<p = 3>(x) }",
    ],
    ids=["sequences", "SimplifiedLayerNormalization", "GlobalLpPool"],
)
def test_kinds_of_nodes_without_published_cases(text: str, project: Path, real: Run):
    head = text.replace("=> (", "=> (", 1).replace("\n           {", "\n           <int64 at = {1}> {", 1)
    onnx.save(onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> {head}'), "model.onnx")
    outcome = real("convert", "model.onnx", "-o", "new", "--verify")
    assert outcome.status == 0, outcome.stdout + outcome.stderr


def test_an_item_that_a_sequence_does_not_have(project: Path, real: Run):
    text = """main (float[2, 3] x) => (float[2, 3] z) <int64 at = {7}>
              { s = SequenceConstruct(x, x) t = SequenceErase(s, at) z = ConcatFromSequence<axis = 0>(t) }"""
    onnx.save(onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> {text}'), "model.onnx")
    outcome = real("convert", "model.onnx", "-o", "new")
    assert outcome.status in (1, 2)
    assert "snd itself failed" not in outcome.stderr


TORCH = Path(__file__).parents[1] / "support" / "onnx_models" / "torch"
OPERATORS = {
    "bert-dynamo": ["bert_layer"],
    "bert-script": ["encoder_layer"],
    "branches-dynamo": [],
    "encoder-script": ["encoder_layer"],
    "encoder_14-script": ["encoder_layer"],
    "half-dynamo": [],
    "images-dynamo": [],
    "images-script": [],
    "indexing-dynamo": [],
    "llama-dynamo": ["llama_decoder_layer"],
    "quantized_dynamic-script": ["block", "block_2", "max_sub_div"],
    "quantized_operators-script": ["block"],
    "quantized_qdq-script": [],
    "recurrent-script": ["block"],
    "resnet-dynamo": ["block"],
    "resnet-script": ["block"],
}
"""Operators made from repeated modules."""
_OFTEN = {"llama-dynamo", "resnet-script", "quantized_operators-script"}


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[] if each in _OFTEN else pytest.mark.exhaustive) for each in OPERATORS]
)
def test_models_of_torch_make_the_round_trip(name: str, project: Path, real: Run):
    """As both exporters of PyTorch write them: see ``support/onnx_models/torch/generate.py``."""
    path = TORCH / f"{name}.onnx"
    _demand_round_trip(path, real)
    text = (project / "new/main.sknd").read_text()
    assert re.findall(r"^operator (\w+)", text, re.MULTILINE) == OPERATORS[name]


def test_every_model_of_torch_is_tested():
    assert {path.stem for path in TORCH.glob("*.onnx")} == {*OPERATORS}


_QUANTIZED = """
    <ir_version: 8, opset_import: ["" : 17]>
    main (float[1, 2, 4, 4] x) => (float[1, 3, 4, 4] y)
    <float x_scale = {0.05}, int8 x_zero = {3}, float y_scale = {0.1}, uint8 y_zero = {7},
     int8[3, 2, 1, 1] w = {1, -2, 3, 90, -128, 127}, float[3] w_scale = {0.01, 0.5, 0.02}>
    {
        x_stored = QuantizeLinear(x, x_scale, x_zero)
        x_again = DequantizeLinear(x_stored, x_scale, x_zero)
        w_again = DequantizeLinear<axis = 0>(w, w_scale)
        c = Conv(x_again, w_again)
        y_stored = QuantizeLinear(c, y_scale, y_zero)
        y = DequantizeLinear(y_stored, y_scale, y_zero)
    }"""


def test_pairs_of_quantization_are_a_statement_each_and_come_back_as_nodes(project: Path, real: Run):
    onnx.save(onnx.parser.parse_model(_QUANTIZED), "model.onnx")
    _demand_round_trip(Path("model.onnx"), real)
    text = (project / "new/main.sknd").read_text()
    assert (
        """\
        x_stored = onnx.quantize_linear(x, 0.05, 3);
        x_again = onnx.dequantize_linear(x_stored, 0.05, 3);
        w_again = onnx.dequantize_linear(w, w_scale);
        c = nn.conv{padding=0}(x_again, w_again);
        y_stored = onnx.quantize_linear{signed=false}(c, 0.1, 7);
        y = onnx.dequantize_linear(y_stored, 0.1, 7);
"""
        in text
    )
    makers = {node.output[0]: node for node in onnx.load("back.onnx").graph.node}
    pairs = [node for node in makers.values() if node.op_type == "DequantizeLinear"]
    assert [makers[node.input[0]].op_type for node in pairs] == ["QuantizeLinear"] * 2
