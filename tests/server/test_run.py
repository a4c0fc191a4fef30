"""``snd run``: what it prints, writes and refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

import jsonschema
import numpy as np
import pytest

from snd_runtime.files import ElementStorage, ItemKind, write_npz, write_tensor
from snd_server.running.arguments import ArgumentError
from snd_server.running.tensor_inputs import given_tensors
from snd_server.running.weights import read_weights
from support.server import processes
from support.waiting import FAR_SECONDS

pytestmark = pytest.mark.usefixtures("evaluated_here")

SCHEMA = json.loads((processes.ROOT / "docs" / "run.schema.json").read_text())
# Results are exact in 32 bits, whatever computes them.
MODEL = """\
import math;
import layout;

operator scaled {
    @input { x: real[n, m]; }
    @variable { w: real[m]; on: bool[m]; }
    @output { y: real[n, m]; }
    @lower { y[i, j] = on[j,] ? w[j,] * x[i, j] : x[i, j], i < n, j < m; }
}

graph first {
    @attrib { m: int = 3; }
    @input { x: real[n|8, m]; }
    @output { y: real[n, m]; parts: real[~, m]..(2); }
    @compose {
        scale = scaled(x);
        y = math.add(scale, x);
        parts..(2) = layout.split{axis=0, count=2}(y);
    }
}

graph second {
    @input { xs: real[2]..(2); flag: bool[]; }
    @output { z: real[2]; large: int[11, 10]; none: real[0]; }
    @compose {
        z = math.add(xs[0], xs[1]);
        large = numbered();
        none = empty();
    }
}

graph endless {
    @input { x: real[2]; }
    @output { y: real[2]; }
    @compose { y = with a = x do..(9000000) math.add(a, x); }
}

graph fails {
    @input { x: real[3]; }
    @output { y: real[2]; }
    @compose { y = around(x); }
}

operator around {
    @input { x: real[n]; }
    @output { y: real[2]; }
    @compose { at = far(); y = pick(x, at); }
}

operator pick {
    @input { x: real[n]; at: int[k]; }
    @output { y: real[k]; }
    @lower { y[i,] = x[at[i,],], i < k; }
}

operator far {
    @output { at: int[2]; }
    @lower { at[i,] = 7 * i, i < 2; }
}

operator less {
    @input { x: real[]; y: real[]; }
    @output { c: bool[]; }
    @lower { c[] = x[] < y[]; }
}

operator numbered {
    @output { y: int[11, 10]; }
    @lower { y[i, j] = 10 * i + j, i < 11, j < 10; }
}

operator empty {
    @output { y: real[0]; }
    @lower { y[i,] = 0.0, i < 0; }
}

operator special {
    @dtype { T: num = real; }
    @attrib { by: int; }
    @input { x: T[n]; }
    @output { y: T[n]; }
    @lower { y[i,] = x[i,] / T(by), i < n; }
}

operator same {
    @input { xs: real[2]..(n); }
    @output { ys: real[2]..(n); }
    @lower { ys[k][i,] = xs[k][i,], k < n, i < 2; }
}
"""


@pytest.fixture
def model(project):
    (project / "main.sknd").write_text(MODEL)
    weights = project / "trained"
    (weights / "scale").mkdir(parents=True)
    (weights / "scale" / "w.dat").write_bytes(write_tensor(np.array([1.0, 2.0, 3.0], np.float32)))
    (weights / "scale.on.dat").write_bytes(write_tensor(np.array([True, True, False])))
    return project


def table(real, *arguments: str, status: int = 0) -> str:
    outcome = real("run", ".", *arguments)
    assert outcome.status == status, outcome.stdout + outcome.stderr
    return outcome.stdout


def document(real, *arguments: str, status: int = 0) -> dict[str, Any]:
    found = json.loads(table(real, *arguments, "--format", "json", status=status))
    jsonschema.validate(found, SCHEMA)
    return found


FIRST = ("--input", "x=iota[4,3]", "--weights", "trained")


# ---- displays --------------------------------------------------------------------------------------------------------
def test_table(real, model, golden):
    golden("run-table.txt", table(real, *FIRST))


def test_trace(real, model, golden):
    golden("run-trace.txt", table(real, *FIRST, "--trace"))


def test_json(real, model, golden):
    found = document(real, *FIRST, "--trace")
    assert set(found["seconds"]) == {"composing", "running"}
    found["seconds"] = {"composing": 0.0, "running": 0.0}
    golden("run-json.json", json.dumps(found, indent=2, ensure_ascii=False) + "\n")


def test_failure(real, model, golden):
    golden("run-failure.txt", table(real, "--graph", "fails", status=1))
    found = document(real, "--graph", "fails", status=1)
    (diagnostic,) = found["diagnostics"]
    assert diagnostic["rule"] == "index-out-of-range"
    assert [note["range"]["start"]["line"] for note in diagnostic["related"]] == [47, 41]
    assert found["outputs"] == []


def test_kinds_of_tensors(real, model):
    found = document(real, "--graph", "second", "--input", "xs=[[1, 2], [3, 4]]")
    z, large, none = found["outputs"]
    assert z["values"] == [4, 6]
    assert (large["values"], large["statistics"]["n"], large["statistics"]["max"]) == (None, 110, 109)
    assert (none["values"], none["statistics"]) == ([], {"n": 0})
    (flag,) = found["random"]["inputs"]
    assert (flag["name"], flag["dtype"], flag["shape"]) == ("flag", "bool", [])


def test_nan_and_infinity(real, model):
    arguments = ("--operator", "special", "--attrib", "by=0", "--input", "x=[1.0, -1, 0]")
    (y,) = document(real, *arguments)["outputs"]
    assert y["values"] == ["inf", "-inf", "nan"]
    assert y["statistics"] == {"n": 3, "min": "-inf", "max": "inf", "nan": 1, "inf": 2}
    assert "y: real[3] n=3 x∈[-inf, inf] nan=1 inf=2\n  [inf, -inf, nan]\n" in table(real, *arguments)


QUANTIZED = """\
import math;

operator grid { @input { x: real[n]; } @output { y: real[n]; } @lower { y[i,] = round(x[i,]), i < n; } }
graph net {
    @input { x: real[2]; }
    @output { y: real[2]; }
    @compose { a = math.mul(x, 2.0); y = math.neg(a); }
    @quantize { a: grid; }
}
"""


def test_quantization_is_applied_when_asked_for_and_the_output_says_whether(real, project):
    (project / "main.sknd").write_text(QUANTIZED)
    given = ("--input", "x=[0.375, 1.0]")
    text = table(real, *given)
    assert "quantization was not applied (a): use --quantize\n" in text
    assert "[-0.75, -2.0]" in text
    text = table(real, *given, "--quantize", "--trace")
    assert "a is quantized by grid: no element changes by more than 0.25\n" in text
    assert "[1.0, 2.0]" in text
    assert "[-1.0, -2.0]" in text
    assert document(real, *given)["quantized"] == [{"name": "a", "operator": "grid", "change": None}]
    assert document(real, *given, "--quantize")["quantized"] == [{"name": "a", "operator": "grid", "change": 0.25}]


def test_types_of_operators(real, model):
    arguments = ("--operator", "special", "--attrib", "by=2", "--input", "x=[5, -5]")
    assert document(real, *arguments)["outputs"][0]["values"] == [2, -3]
    assert document(real, *arguments, "--type", "T=real")["outputs"][0]["values"] == [2.5, -2.5]
    third = document(real, "--operator", "special", "--attrib", "by=3", "--input", "x=[1.0]", "--real", "f64")
    assert third["outputs"][0]["values"] == [1 / 3]
    assert document(real, "--operator", "math.add", "--input", "x=3", "--input", "y=4")["outputs"][0]["values"] == 7


def test_of_a_pack_only_what_is_missing_is_made_up(real, model):
    arguments = ("--graph", "second", "--input", "xs:1=[1, 2]", "--input", "flag=true")
    (xs,) = document(real, *arguments)["random"]["inputs"]
    assert [item["name"] for item in xs["items"]] == ["xs[0]"]
    text = table(real, *arguments)
    assert "xs[0]: real[2] is random" in text
    assert "xs[1]: real[2] is random" not in text


def test_a_pack_without_tensors_is_not_null(real, model):
    arguments = ("--operator", "same", "--input", "xs=[]")
    assert "ys: []\n" in table(real, *arguments)
    assert document(real, *arguments)["outputs"] == [{"name": "ys", "items": []}]
    table(real, *arguments, "--output", "nothing")
    assert list((model / "nothing").iterdir()) == []


def test_what_is_made_up_is_told(real, model):
    text = table(real, "--seed", "7")
    assert text.startswith("graph first\nx: real[2,3] is random (seed 7)\n")
    assert "2 variables (scale.on, scale.w) are drawn at random (seed 7)\n" in text
    assert text == table(real, "--seed", "7")
    assert text != table(real, "--seed", "8")
    (model / "trained" / "odd.npy").write_bytes((model / "trained" / "scale.on.dat").read_bytes())
    outcome = real("run", ".", *FIRST)
    assert outcome.status == 2
    assert "odd.npy" in outcome.stderr
    (model / "trained" / "odd.npy").unlink()
    np.save(model / "trained" / "odd.npy", np.zeros(1))
    assert "weights trained: 1 weight has no variable of that name (odd)" in real("run", ".", *FIRST).stderr
    assert "1 weight (odd) is not used: no variable has that name" in table(real, *FIRST, "--no-strict")


# ---- written files ---------------------------------------------------------------------------------------------------
def test_outputs_are_written(real, model):
    table(real, *FIRST, "--output", "out/here")
    written = {path.name: np.load(path) for path in (model / "out" / "here").iterdir()}
    assert sorted(written) == ["parts.0.npy", "parts.1.npy", "y.npy"]
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.testing.assert_array_equal(written["y.npy"], x * [2, 3, 2])
    np.testing.assert_array_equal(written["parts.1.npy"], written["y.npy"][2:])
    assert written["y.npy"].dtype == np.float32
    again = ("--graph", "second", "--input", "xs:0=@out/here/a.npz:k", "--input", "xs:1=@b.dat")
    (model / "out" / "here" / "a.npz").write_bytes(write_npz({"k": np.array([1.0, 2.0])}))
    (model / "b.dat").write_bytes(write_tensor(np.array([3, 4]), ElementStorage(ItemKind.INTEGER, 5)))
    assert document(real, *again)["outputs"][0]["values"] == [4, 6]


def test_outputs_that_can_not_be_written(real, model):
    outcome = real("run", ".", *FIRST, "--output", "main.sknd/below")
    assert outcome.status == 2
    assert "main.sknd" in outcome.stderr


def test_a_model_as_json(real):
    """With steps inside of composites, loops and packs."""
    outcome = real("run", str(processes.ROOT / "examples" / "lenet"), "--trace", "--format", "json")
    found = json.loads(outcome.stdout)
    jsonschema.validate(found, SCHEMA)
    assert [tensor["shape"] for tensor in found["outputs"]] == [[1, 10]]
    assert len(found["trace"]) > 5


# ---- limits ----------------------------------------------------------------------------------------------------------
@pytest.mark.worker_process
def test_an_endless_loop_ends_at_its_time(real, model):
    begin = time.monotonic()
    text = table(real, "--graph", "endless", "--timeout", "0.5", status=1)
    assert time.monotonic() - begin < FAR_SECONDS
    assert "this takes longer than the 0.5 seconds that are allowed" in text
    assert "main.sknd:" in text
    (model / "trained" / "huge.npy").write_bytes(bytes(2 << 20))
    refused = real("run", ".", *FIRST, "--memory", "1")
    assert refused.status == 2
    assert "huge.npy: it has 2,097,152 bytes, more than the " in refused.stderr
    refused = real("run", ".", "--input", "x=@trained/huge.npy", "--memory", "1")
    assert (refused.status, "more than the 1,048,576 allowed" in refused.stderr) == (2, True)


@pytest.mark.worker_process
def test_composing_ends_at_its_time(real, tmp_path):
    """Composing these is an error of its own after seconds: the time is over before."""
    declared = "@attrib { k: int = 0; } @input { x: real[n]; } @output { y: real[n]; }"
    levels = "".join(
        f"operator f{at} {{ {declared} @compose {{ a = f{at - 1}{{k=2*k}}(x); y = f{at - 1}{{k=2*k+1}}(a); }} }}\n"
        for at in range(1, 21)
    )
    leaf = f"operator f0 {{ {declared} @lower {{ y[i,] = x[i,] * real(k), i < n; }} }}\n"
    graph = "graph main { @input { x: real[4]; } @output { y: real[4]; } @compose { y = f20(x); } }\n"
    (tmp_path / "deep.sknd").write_text(leaf + levels + graph)
    outcome = real("run", str(tmp_path / "deep.sknd"), "--input", "x=ones[4]", "--timeout", "0.001")
    assert outcome.status == 1
    assert "takes longer than the 0.001 seconds that are allowed" in outcome.stdout + outcome.stderr


@pytest.mark.worker_process
def test_memory(real, model):
    text = table(real, "--graph", "endless", "--input", "x=ones[2]", "--memory", "1", "--timeout", "0.5", status=1)
    assert "limit-exceeded" in text
    text = table(real, "--operator", "math.add", "--input", "x=zeros[400,400]", "--memory", "1", status=1)
    assert "more than is left of 1,048,576" in text


@pytest.mark.worker_process
def test_a_worker_that_dies_is_a_fault(real, model, monkeypatch):
    from snd_runtime.evaluation import evaluator

    monkeypatch.setattr(evaluator, "_TARGET", "support.runtime.worker_targets:fail_to_start")
    outcome = real("run", ".")
    assert outcome.status == 101
    assert "internal-error" in outcome.stdout


@pytest.mark.skipif(os.name != "posix", reason="terminals and signals")
@pytest.mark.parametrize("arguments", [[], ["--trace"]])
def test_at_a_terminal(model, arguments):
    """A bar on standard error when it takes long; ctrl-C ends it, and the worker with it."""
    import pty

    terminal, stderr = pty.openpty()
    command = [sys.executable, "-m", "snd_server", "run", ".", "--graph", "endless", *arguments]
    environment = {**processes.environment(), "TERM": "xterm", "COLUMNS": "80"}
    with (model / "out.txt").open("wb") as stdout:
        process = subprocess.Popen(command, stdout=stdout, stderr=stderr, env=environment, start_new_session=True)
    os.close(stderr)
    if arguments:
        while not (model / "out.txt").read_bytes().count(b"#"):
            assert process.poll() is None
            time.sleep(0.02)
    else:
        shown = b""
        while b"Running" not in shown:
            shown += os.read(terminal, 10_000)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(FAR_SECONDS) == 130
    os.close(terminal)


# ---- mistakes --------------------------------------------------------------------------------------------------------
def test_a_broken_file_is_not_run(real, model):
    (model / "main.sknd").write_text(MODEL.replace("math.add(scale, x)", "math.ad(scale, x)"))
    text = table(real, status=1)
    assert "error[unknown-operator]" in text
    assert "y:" not in text.replace("y: real", "")
    assert document(real, status=1)["diagnostics"][0]["rule"] == "unknown-operator"
    assert document(real, "--graph", "second")["outputs"]  # which does not reach the mistake


def test_a_graph_that_can_not_be_composed_is_not_run(real, model):
    text = table(real, "--attrib", "m=-1", status=1)
    assert "error[negative-extent]: an extent of 'x' would be negative" in text
    assert "no shape was found" not in text


def test_what_composing_finds_in_the_library_is_reported_where_the_author_invokes_it(real, project):
    (project / "main.sknd").write_text(
        "import quant;\n"
        "graph net { @attrib { axis: int; } @input { x: real[2, 3]; } @output { y: real; }\n"
        "@compose { y = quant.min_max_linear_quantize{min=0.0, max=1.0, bits=8, channel_axis=axis}(x); } }\n"
    )
    found = document(real, "--attrib", "axis=2", status=1)
    (diagnostic,) = found["diagnostics"]
    assert (diagnostic["rule"], diagnostic["range"]["start"]) == ("assertion-fails", {"line": 3, "column": 72})
    assert diagnostic["message"].startswith("'channel_axis' must be at least -")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.sknd"], "there is no file missing.sknd"),
        ([".", "--graph", "frist"], "there is no graph 'frist' in ./main.sknd; did you mean 'first'?"),
        ([".", "--operator", "scale"], "did you mean 'scaled'?"),
        ([".", "--operator", "math.ad"], "no operator 'math.ad'"),
        ([".", "--operator", "a", "--graph", "b"], "either --graph or --operator"),
        ([".", "--attrib", "mm=1"], "has no attribute 'mm'"),
        ([".", "--type", "T=int"], "has no generic type 'T'"),
        ([".", "--operator", "special", "--type", "T=bool"], "write 'int' or 'real'"),
        ([".", "--input", "z=1"], "the graph 'first' has no input 'z'"),
        ([".", "--input", "x"], "write NAME=VALUE"),
        ([".", "--input", "x=1", "--input", "x=2"], "'x' is given twice"),
        ([".", "--input", "x=one"], "write a number, a nested list"),
        ([".", "--input", "x=random[a]"], "the extents in 'random[a]' must be numbers"),
        ([".", "--input", "x=@no.npy"], "no.npy: No such file"),
        ([".", "--input", "x=@main.sknd"], "neither .npy nor .npz nor .dat"),
        ([".", "--weights", "none"], "there is no such folder"),
        ([".", "--timeout", "0"], "above 0"),
        ([".", "--timeout", "nan"], "above 0"),
        ([".", "--timeout", "inf"], "at most 1,000,000"),
        ([".", "--timeout", "1e300"], "at most 1,000,000"),
        ([".", "--timeout", "soon"], "'soon' is not a valid float"),
        ([".", "--graph", "second", "--input", "xs:0=1", "--input", "xs=[1]"], "'xs' is given as a whole"),
        ([".", "--graph", "second", "--input", "xs=[1]", "--input", "xs:0=1"], "'xs' is given as a whole"),
        ([".", "--output", "main.sknd"], "--output main.sknd: this is a file"),
        ([".", "--operator", "special", "--type", "T=float"], "--type T=float: 'T' is a generic type"),
        ([".", "--seed", "-1"], "-1"),
    ],
)
def test_misuse(real, model, arguments, message):
    outcome = real("run", *arguments)
    assert outcome.status == 2
    assert message.replace("./", "") in outcome.stderr.replace("./", "")


# ---- values ----------------------------------------------------------------------------------------------------------
def test_written_values():
    found = given_tensors(
        ["a=[[1, 2.5], [nan, -inf]]", "b=true", "c=['x', \"y\"]", "d=-3", "e=~", "p:1=[1]", "p:0=2"], 99
    )
    assert str(found["a"].value) == "[[1, 2.5], [nan, -inf]]"
    assert (found["b"].value, found["c"].value, found["d"].value, found["e"]) == (True, ["x", "y"], -3, None)
    assert {at: item.value for at, item in found["p"].items()} == {0: 2, 1: [1]}


@pytest.mark.parametrize(
    "text",
    [
        "x=[1_0]",
        "x=0x10",
        "x=",
        "x={'a': 1}",
        "x=[1, None]",
        "x=" + "[" * 5000,
        "x=1 + 1",
        "x=print(1)",
        "x=@",
        "x=@a.npz",
        "=1",
    ],
)
def test_what_is_no_value(text):
    with pytest.raises(ArgumentError):
        given_tensors([text], 99)


def test_files_of_weights(tmp_path):
    folder = tmp_path / "weights"
    (folder / "block").mkdir(parents=True)
    np.save(folder / "a.npy", np.zeros(1))
    np.save(folder / "block" / "b.0.npy", np.zeros(2))
    np.savez(folder / "pack.npz", np.zeros(3), np.zeros(4))
    np.savez(folder / "single.npz", any=np.zeros(5))
    np.savez(folder / "scope.npz", c=np.zeros(6), d=np.zeros(7))
    np.savez(folder / "alone.npz", np.zeros(8))
    np.savez(folder / "block.w.npz", w=np.zeros(9))
    (folder / "notes.txt").write_text("no weights")
    found = {name: array.shape[0] for name, array in read_weights(str(folder), 1 << 20).items()}
    assert found == {
        "a": 1, "block.b[0]": 2, "pack[0]": 3, "pack[1]": 4, "single.any": 5, "scope.c": 6, "scope.d": 7,
        "alone": 8, "block.w": 9,
    }  # fmt: skip
    np.savez(tmp_path / "all.npz", **{"a": np.zeros(1), "block.b": np.zeros(2)})
    assert sorted(read_weights(str(tmp_path / "all.npz"), 1 << 20)) == ["a", "block.b"]
    np.save(folder / "block.b.0.npy", np.zeros(2))
    with pytest.raises(ArgumentError, match=r"'block.b\[0\]' is in .* already"):
        read_weights(str(folder), 1 << 20)


def test_warnings_about_the_library_are_not_shown(real):
    """Its suppressions of hints looked unused, and users can't change them."""
    outcome = real("run", "--operator", "tract.max_pool_with_index", "--attrib", "size=[2,2]")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert "warning" not in outcome.stdout
