"""``snd run``: weights with other names, state from run to run, and outputs against files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from snd_runtime.files import read_safetensors, write_safetensors

pytestmark = pytest.mark.usefixtures("evaluated_here")

SUM = """
import math;
graph Sum {
    @input { x: real[2]; }
    @output { y: real[2]; }
    @variable { total: real[2]; gain: real[2]; }
    @compose { scaled = math.mul(x, gain); y = math.add(scaled, total); }
    @update { total = y; }
}
"""
X = ("--input", "x=[1.0, 2.0]")


@pytest.fixture
def model(project: Path) -> Path:
    (project / "main.sknd").write_text(SUM, encoding="utf-8")
    weights = {"total": np.array([10, 20], np.float32), "gain": np.array([1, 3], np.float32)}
    (project / "w.safetensors").write_bytes(write_safetensors(weights))
    return project


def _y(real, *arguments: str) -> list[float]:
    outcome = real("run", ".", *X, *arguments, "--format", "json")
    assert outcome.status == 0, outcome
    return json.loads(outcome.stdout)["outputs"][0]["values"]


def test_steps_and_state_go_on(model, real):
    weights = ("--weights", "w.safetensors")
    assert _y(real, *weights) == [11, 26]
    assert _y(real, *weights, "--steps", "3") == [13, 38]
    assert _y(real, *weights, "--state", "s.safetensors") == [11, 26]
    assert read_safetensors((model / "s.safetensors").read_bytes()).keys() == {"total"}
    assert _y(real, *weights, "--state", "s.safetensors", "--steps", "2") == [13, 38]
    assert _y(real, *weights, "--state", "s.safetensors", "--save-weights", "all.npz") == [14, 44]
    assert _y(real, "--weights", "all.npz") == [15, 50]


def test_rules_rename_weights(model, real):
    array = np.array([1, 3], np.float32)
    named = {"blocks.7.gain.weight": array, "state.sum": array}
    (model / "torch.safetensors").write_bytes(write_safetensors(named))
    (model / "rules.toml").write_text(
        '[[rule]]\nfrom = "blocks.7.*.weight"\nto = "*"\n[[rule]]\nfrom = "state.sum"\nto = "total"\n', encoding="utf-8"
    )
    assert _y(real, "--weights", "torch.safetensors", "--map", "rules.toml") == [2, 9]


def test_names_that_do_not_match_get_a_suggestion(model, real):
    weights = {"sum.gain": np.ones(2, np.float32), "other": np.ones(3, np.float32)}
    (model / "t.safetensors").write_bytes(write_safetensors(weights))
    outcome = real("run", ".", *X, "--weights", "t.safetensors", "--no-strict")
    assert (
        "'sum.gain' has the shape of the variable 'gain', which was drawn: --map FILE can rename it" in outcome.stdout
    )
    assert "'other' has" not in outcome.stdout


def test_weights_must_fit_by_their_names(model, real):
    """Variables without a weight would be random, and nobody would see it."""
    (model / "t.safetensors").write_bytes(
        write_safetensors({"sum.gain": np.ones(2, np.float32), "total": np.ones(2, np.float32)})
    )
    outcome = real("run", ".", *X, "--weights", "t.safetensors", "--save-weights", "all.npz")
    assert outcome.status == 2
    assert outcome.stdout == ""
    assert outcome.stderr.splitlines() == [
        "Error: weights t.safetensors: 1 variable has no weight (gain), and 1 weight has no variable of that name "
        "(sum.gain)",
        "  'sum.gain' has the shape of 'gain'",
        "  --map FILE renames weights, --write-map FILE proposes such a file, --no-strict draws missing weights",
    ]
    assert not (model / "all.npz").exists()
    assert real("run", ".", *X, "--weights", "t.safetensors", "--no-strict").status == 0


@pytest.mark.parametrize("engine", ["snd", "onnxruntime"])
def test_engines_demand_weights(model, real, engine):
    if engine != "snd":
        pytest.importorskip("onnxruntime")
    (model / "t.npz").write_bytes((model / "w.safetensors").read_bytes())
    np.savez(model / "t.npz", gain=np.ones(2, np.float32))
    outcome = real("run", ".", *X, "--weights", "t.npz", "--engine", engine)
    assert "1 variable has no weight (total)" in outcome.stderr
    assert outcome.status == 2


def test_an_exported_model_has_no_random_weights_by_mistake(model, real):
    pytest.importorskip("onnx")
    np.savez(model / "t.npz", **{"gain": np.ones(2, np.float32), "state.total": np.ones(2, np.float32)})
    outcome = real("export", ".", "-o", "m.onnx", "--weights", "t.npz")
    assert outcome.status == 2
    message = "weights t.npz: 1 variable has no weight (total), and 1 weight has no variable of that name (state.total)"
    assert message in outcome.stderr
    assert not (model / "m.onnx").exists()
    assert real("export", ".", "-o", "m.onnx", "--weights", "t.npz", "--no-strict").status == 0
    assert real("export", ".", "-o", "m.onnx", "--weights", "w.safetensors").status == 0


def test_weights_of_nnef1_are_named_by_labels(project, real):
    (project / "graph.nnef").write_text(
        "version 1.0;\ngraph net(x) -> (y)\n{\n    x = external<scalar>(shape = [2]);\n"
        "    w = variable<scalar>(shape = [2], label = 'deep/w');\n    y = add(x, w);\n}\n",
        encoding="utf-8",
    )
    np.savez(project / "w.npz", **{"deep/w": np.ones(2, np.float32), "bias": np.ones(2, np.float32)})
    outcome = real("run", "graph.nnef", "--weights", "w.npz")
    assert "weights w.npz: 1 weight has no variable of that label (bias)" in outcome.stderr
    outcome = real("run", "graph.nnef", "--weights", "w.npz", "--no-strict")
    assert "1 weight (bias) is not used: no variable has that label" in outcome.stdout


def test_weights_beside_a_model_must_fit_if_that_is_asked_for(model, real):
    assert real("run", ".", *X).status == 0
    outcome = real("run", ".", *X, "--strict")
    assert outcome.status == 2
    assert "weights of the model: 2 variables have no weight (gain, total)" in outcome.stderr
    (model / "weights.safetensors").write_bytes((model / "w.safetensors").read_bytes())
    assert _y(real, "--strict") == [11, 26]


BRANCHES = """
import layer;
graph Branches {
    @input { x: real[batch|4, n|3]; positive: bool[]; }
    @output { y: real[batch, 2]; }
    @compose {
        y = if positive then layer.linear{channels=2}(x) else layer.linear{channels=2, use_bias=false}(x);
    }
}
"""


def test_weights_of_branches_that_are_not_taken_are_weights(project, real):
    """Data decide which branch runs: a weight of the other one is not unused. What nothing reads needs no weight."""
    (project / "main.sknd").write_text(BRANCHES, encoding="utf-8")
    run = ("run", ".", "--input", "x=ones[1,3]", "--input")
    assert real(*run, "positive=true", "--save-weights", "one.npz").status == 0
    assert real(*run, "positive=false", "--save-weights", "two.npz").status == 0
    one, two = dict(np.load(project / "one.npz")), dict(np.load(project / "two.npz"))
    assert one.keys() == two.keys() == {"y.then.filter", "y.then.bias", "y.else.filter"}
    assert all(np.array_equal(one[name], two[name]) for name in one)
    for positive in ("true", "false"):
        outcome = real(*run, f"positive={positive}", "--weights", "one.npz")
        assert outcome.status == 0, outcome.stderr
        assert "not used" not in outcome.stdout
    del one["y.else.filter"]
    np.savez(project / "one.npz", **one)
    outcome = real(*run, "positive=true", "--weights", "one.npz")
    assert "weights one.npz: 1 variable has no weight (y.else.filter)\n" in outcome.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[rule]]\nfrom = 'a.*'\nto = 'b'", "different numbers of"),
        ("[[rule]]\nfrom = 'a'", "missing required field `to`"),
        ("rule", "map rules.toml:"),
        ("[[rule]]\nfrom = 'gain'\nto = 'total'", "two weights get the name 'total'"),
        ("[[rule]]\nfrom = 'gain'\nto = 'gain'\ntranspose = [1, 0]", "'gain' has 1 dimensions"),
    ],
)
def test_rules_that_cannot_be_used(model, real, text, message):
    (model / "rules.toml").write_text(text, encoding="utf-8")
    outcome = real("run", ".", "--weights", "w.safetensors", "--map", "rules.toml")
    assert outcome.status == 2
    assert message in outcome.stderr


def test_an_output_is_compared_with_a_file(model, real):
    np.save(model / "good.npy", np.array([11, 26]))
    np.save(model / "bad.npy", np.array([11, 26.5]))
    np.save(model / "shape.npy", np.array([11]))
    given = ("run", ".", *X, "--weights", "w.safetensors", "--expect")
    outcome = real(*given, "y=@good.npy")
    assert outcome.status == 0
    assert outcome.stdout.endswith("\n1 output (y) is as expected\n")
    outcome = real(*given, "y=@bad.npy")
    assert outcome.status == 1
    assert "y differs most at [1]: it is 26, but 26.5 is expected (1 of 2 elements" in outcome.stdout
    assert real(*given, "y=@bad.npy", "--tolerance", "0.1").status == 0
    assert "has the shape [2], but [1] is expected" in real(*given, "y=@shape.npy").stdout
    assert "there is no such output" in real(*given, "z=@good.npy").stderr
    assert real(*given, "z=@good.npy").status == 2
    assert real(*given, "y=3.0").status == 2


def test_a_state_file_must_hold_several_tensors(model, real):
    outcome = real("run", ".", "--state", "s.npy")
    assert outcome.status == 2
    assert "must be a .safetensors or .npz file" in outcome.stderr


def test_the_state_of_another_model_is_not_overwritten(model, real):
    content = write_safetensors({"other": np.ones(2, np.float32)})
    (model / "s.safetensors").write_bytes(content)
    outcome = real("run", ".", "--state", "s.safetensors")
    assert outcome.status == 2
    assert "this is the state of another model, and stays as it is: there is no variable 'other'" in outcome.stderr
    assert (model / "s.safetensors").read_bytes() == content


def test_a_tolerance_is_a_number(model, real):
    outcome = real("run", ".", "--tolerance", "nan")
    assert outcome.status == 2
    assert "Invalid value for '--tolerance': nan is not a number" in outcome.stderr


def test_weights_in_a_file_are_not_copied(model):
    from snd_runtime.evaluation import StoredArray
    from snd_server.running.weights import read_weights

    found = read_weights("w.safetensors", 1 << 20)
    assert {type(each) for each in found.values()} == {StoredArray}
    array = found["gain"].array()
    assert array.tolist() == [1, 3]
    assert not array.flags.owndata
    assert not array.flags.writeable


# ---- maps that snd proposes ------------------------------------------------------------------------------------------
ATTENTION = """
import math;
import nn;

operator dense {
    @attrib { channels: int; }
    @input { x: real[b, c]; }
    @variable { filter: real[channels, c]; bias: real[channels]; }
    @output { y: real[b, channels]; }
    @compose { y = nn.linear(x, filter, bias); }
}

operator attention {
    @input { x: real[b, c]; }
    @output { y: real[b, c]; }
    @compose {
        key = dense{channels=c}(x);
        value = dense{channels=c}(x);
        query = dense{channels=c}(x);
        scores = math.sub(query, key);
        mixed = math.mul(scores, value);
        y = out: dense{channels=c}(mixed);
    }
}

graph Encoder {
    @input { x: real[5, 4]; }
    @output { y: real[5, 4]; }
    @compose {
        a = attention: attention(x);
        h = linear1: dense{channels=8}(a);
        y = linear2: dense{channels=4}(h);
    }
}
"""
_SHAPES = {  # as torch.nn.TransformerEncoderLayer(4, 1, 8) names its parameters, in the order of its state_dict
    "self_attn.in_proj_weight": (12, 4), "self_attn.in_proj_bias": (12,),
    "self_attn.out_proj.weight": (4, 4), "self_attn.out_proj.bias": (4,),
    "linear1.weight": (8, 4), "linear1.bias": (8,), "linear2.weight": (4, 8), "linear2.bias": (4,),
}  # fmt: skip


def _linear(x: np.ndarray, weights: dict[str, np.ndarray], name: str) -> np.ndarray:
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def test_a_map_is_proposed_for_weights_of_pytorch(project, real):
    """``in_proj_weight`` holds the weights of queries, keys and values."""
    (project / "main.sknd").write_text(ATTENTION, encoding="utf-8")
    chance = np.random.default_rng(0)
    weights = {name: chance.normal(size=shape).astype(np.float32) for name, shape in _SHAPES.items()}
    (project / "torch.safetensors").write_bytes(write_safetensors(weights))
    outcome = real("run", ".", "--weights", "torch.safetensors", "--write-map", "map.toml")
    assert outcome.status == 0, outcome
    assert "every variable has a weight. Compare each rule, then run with --map map.toml" in outcome.stdout
    x = np.asarray(chance.normal(size=(5, 4)), np.float32)
    np.save(project / "x.npy", x)
    query, key, value = np.split(
        x @ weights["self_attn.in_proj_weight"].T + weights["self_attn.in_proj_bias"], 3, axis=1
    )
    mixed = _linear((query - key) * value, weights, "self_attn.out_proj")
    np.save(project / "y.npy", _linear(_linear(mixed, weights, "linear1"), weights, "linear2"))
    given = ("--weights", "torch.safetensors", "--map", "map.toml", "--input", "x=@x.npy", "--expect", "y=@y.npy")
    outcome = real("run", ".", *given, "--tolerance", "1e-4")
    assert outcome.status == 0, outcome.stdout + outcome.stderr + (project / "map.toml").read_text()


def test_a_proposed_map_transposes_and_joins(project, real):
    """As Keras stores a matrix, and where the model has one variable for several weights."""
    (project / "main.sknd").write_text(
        """import nn;
graph Net {
    @input { x: real[2, 3]; }
    @output { y: real[2, 4]; }
    @variable { gates: real[8, 3]; filter: real[4, 8]; }
    @compose { h = nn.linear(x, gates); y = nn.linear(h, filter); }
}
""",
        encoding="utf-8",
    )
    weights = {
        "cell.gate_a": np.arange(12, dtype=np.float32).reshape(4, 3),
        "cell.gate_b": np.ones((4, 3), np.float32),
        "dense.kernel": np.arange(32, dtype=np.float32).reshape(8, 4),
    }
    (project / "w.safetensors").write_bytes(write_safetensors(weights))
    assert real("run", ".", "--weights", "w.safetensors", "--write-map", "map.toml").status == 0
    assert (project / "map.toml").read_text().splitlines()[1:] == [
        "", "[[rule]]", 'from = "dense.kernel"', 'to = "filter"', "transpose = [1, 0]",
        "", "[[rule]]", 'from = ["cell.gate_a", "cell.gate_b"]', 'to = "gates"',
    ]  # fmt: skip
    outcome = real("run", ".", "--weights", "w.safetensors", "--map", "map.toml", "--save-weights", "all.npz")
    assert outcome.status == 0, outcome
    saved = np.load(project / "all.npz")
    assert np.array_equal(saved["gates"], np.concatenate([weights["cell.gate_a"], weights["cell.gate_b"]]))
    assert np.array_equal(saved["filter"], weights["dense.kernel"].T)


def test_a_map_leaves_open_what_fits_nothing(model, real):
    (model / "t.safetensors").write_bytes(write_safetensors({"gain": np.ones(2), "odd": np.ones((5, 7), np.float32)}))
    outcome = real("run", ".", "--weights", "t.safetensors", "--write-map", "map.toml")
    assert outcome.status == 0
    message = "map.toml: 0 rules; 1 variable has no weight (total), and 1 weight has no variable of that name (odd)."
    assert outcome.stdout.startswith(message)


def test_a_rule_that_renames_nothing_is_reported(model, real):
    """It has a mistake in a name, or an earlier rule takes all of its weights."""
    rules = (("gain", "gain"), ("layers.*", "layer*"), ("ga*", "x*"))
    text = "".join(f'[[rule]]\nfrom = "{old}"\nto = "{new}"\n' for old, new in rules)
    (model / "rules.toml").write_text(text, encoding="utf-8")
    given = ("run", ".", *X, "--weights", "w.safetensors", "--map", "rules.toml")
    told = "2 rules of the map rename no weight (from 'layers.*', 'ga*')"
    outcome = real(*given)
    assert (outcome.status, outcome.stdout) == (2, "")
    assert f"{told}; --no-strict ignores them" in outcome.stderr
    assert told in real(*given, "--no-strict").stdout
    assert json.loads(real(*given, "--no-strict", "--format", "json").stdout)["notes"] == [told]
    assert "3 rules of the map rename no weight" in real("run", ".", *X, "--map", "rules.toml").stdout


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ('from = "gain"\nto = ["a", "b", "c"]', "map: 'gain' with [2] can't be split into 3 equal parts along axis 0"),
        ('from = ["gain", "none"]\nto = "a"', "map: 'gain' can't be joined with 'none': there is no such weight"),
        ('from = ["gain", "total"]\nto = "a"\naxis = 3', "can't be joined along axis 3"),
        ('from = []\nto = "a"', "a rule needs a name in 'from' and one in 'to'"),
        ('from = "*.a"\nto = ["*.b", "c"]', "'*.a' and 'c' have different numbers of '*'"),
    ],
)
def test_rules_that_split_and_join_are_checked(model, real, rule, message):
    (model / "rules.toml").write_text(f"[[rule]]\n{rule}\n", encoding="utf-8")
    outcome = real("run", ".", "--weights", "w.safetensors", "--map", "rules.toml")
    assert outcome.status == 2
    assert message in outcome.stderr


def test_a_transposed_weight_is_called_that(model, real):
    np.savez(model / "t.npz", w=np.ones((2, 3), np.float32))
    (model / "main.sknd").write_text(
        "import nn; graph N { @input { x: real[1, 2]; } @output { y: real[1, 3]; } @variable { w: real[3, 2]; } "
        "@compose { y = nn.linear(x, w); } }"
    )
    outcome = real("run", ".", "--weights", "t.npz")
    assert "'real[3,2]', but the given value is 'float32[2,3]', which fits transposed" in outcome.stdout
    assert outcome.status == 1


def test_steps_and_state_go_on_with_a_stream(real, tmp_path, monkeypatch):
    """Items that a delay keeps for the next pulse are variables: a state file has them between two runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "graph.nnef").write_text(
        "version 1.0;\nextension tract_registry tract_core;\nextension tract_registry tract_pulse;\n"
        "graph g(x) -> (y) {\n  x = tract_core_external(shape = [1, 3], datum_type = 'f32');\n"
        "  y = tract_pulse_delay(x, axis = 1, delay = 2, overlap = 1);\n}\n",
        encoding="utf-8",
    )
    given = ("run", "graph.nnef", "--input", "x=[[1.0, 2.0, 3.0]]")
    assert "[[0.0, 0.0, 0.0, 1.0]]" in real(*given).stdout
    assert "[[1.0, 2.0, 3.0, 1.0]]" in real(*given, "--steps", "2").stdout
    assert "[[0.0, 0.0, 0.0, 1.0]]" in real(*given, "--state", "state.npz").stdout
    assert "[[1.0, 2.0, 3.0, 1.0]]" in real(*given, "--state", "state.npz").stdout


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('"yy": linear_quantize(min=0.0, max=3.0, bits=2);', "the graph has no tensor 'yy'"),
        ('"y": linear_quantize(min=0.0, max=3.0, bits="a");', "'bits' must be an integer"),
        ('"y": nonsense(1);', "there is no quantization 'nonsense'"),
        ('"y": linear_quantize(min=0.0, ', "expected"),
    ],
)
@pytest.mark.parametrize("command", [("run", "graph.nnef"), ("export", "graph.nnef", "-o", "out.onnx")])
def test_a_wrong_line_of_quantizations_is_not_left_out(real, tmp_path, monkeypatch, command, line, message):
    monkeypatch.chdir(tmp_path)
    if command[0] == "export":
        pytest.importorskip("onnx", reason="exports need the extra snd[onnx]")
    (tmp_path / "graph.nnef").write_text(
        "version 1.0;\ngraph g(x) -> (y)\n{\n  x = external<scalar>(shape = [1, 2]);\n  y = relu(x);\n}\n",
        encoding="utf-8",
    )
    (tmp_path / "graph.quant").write_text(f"# lines\n{line}\n", encoding="utf-8")
    outcome = real(*command, "--quantize")
    assert outcome.status == 2
    assert "--quantize: graph.quant:2: " in outcome.stderr
    assert message in outcome.stderr
    assert not (tmp_path / "out.onnx").exists()
    assert real(*command).status == 0


def test_a_graph_over_a_symbol_sees_it_pulse_by_pulse(real, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (
        "version 1.0;\nextension tract_registry tract_core;\nextension tract_symbol S;\n"
        "graph g(x) -> (y) {\n  x = tract_core_external(shape = [1, S], datum_type = 'f32');\n"
        "  y = box(x, size = [1, 3], padding = [(0, 0), (1, 1)], border = 'constant');\n}\n"
    )
    (tmp_path / "graph.nnef").write_text(text, encoding="utf-8")
    given = ("run", "graph.nnef", "--pulse", "S=3", "--input", "x=[[1.0, 2.0, 3.0]]")
    assert "3.0, 6.0]]" in real(*given).stdout
    assert "[[6.0, 6.0, 6.0]]" in real(*given, "--steps", "2").stdout
    assert "'y' begins after 1 item along axis 1" in real("check", "-v", "graph.nnef", "--pulse", "S=3").stdout
    assert real("convert", "graph.nnef", "-o", "model", "--pulse", "S=3", "--verify").status == 0
    assert "[[6.0, 6.0, 6.0]]" in real("run", "model", *given[4:], "--steps", "2").stdout
    (tmp_path / "graph.nnef").write_text(text.replace("box(x, ", "softmax(x, axes = [1]); z = box(x, "), "utf-8")
    for command in ("run", "check"):
        outcome = real(command, "graph.nnef", "--pulse", "S=3")
        assert outcome.status == 1
        assert "'softmax' can't see 'S' pulse by pulse: it combines all items along axis 1" in outcome.stdout
    assert "'0' is no symbol with a number of items, such as S=10" in real("run", "graph.nnef", "--pulse", "0").stderr
