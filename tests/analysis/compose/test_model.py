"""The composed model: names by scope, labels, values, quantization, updates (2.10, 2.11, 2.14, chapter 3)."""

from __future__ import annotations

from snd_analysis.compose import IndexedValue
from snd_analysis.model import Tensor
from snd_analysis.symbolic import integers as shapes
from snd_analysis.symbolic.values import Pack
from support.analysis.composing import composed, flat, shape

DENSE = """\
operator matmul {
    @input { a: real[m,k]; b: real[k,n]; }
    @output { c: real[m,n]; }
    @lower { c[i,j] += a[i,l] * b[l,j], i < m, j < n, l < k; }
}
operator dense {
    @attrib { units: int; }
    @input { x: real[b,c]; }
    @variable { w: real[c,units]; }
    @output { y: real[b,units]; }
    @compose { y = matmul(x, w); }
}
operator block {
    @attrib { units: int; }
    @input { x: real[b,c]; }
    @output { y: real[b,units]; }
    @compose { t = dense{units=2 * units}(x); y = dense{units=units}(t); }
}
operator wrapper {
    @input { x: real[b,c]; }
    @output { y: real[b,4]; }
    @compose { y = dense{units=4}(x); }
}
"""


def _net(statements: str, outputs: str = "y: real;", inputs: str = "x: real[2,3];") -> str:
    return (
        f"{DENSE}graph net {{\n    @input {{ {inputs} }}\n    @output {{ {outputs} }}\n"
        f"    @compose {{ {statements} }}\n}}\n"
    )


def test_variables_are_named_by_the_labels_around_them():
    graph = flat(_net("z = block{units=5}(x); y = here: block{units=1}(z);"))
    assert {name: shape(value) for name, value in graph.variables.items()} == {
        "z.t.w": [3, 10], "z.y.w": [10, 5], "here.t.w": [5, 2], "here.y.w": [2, 1],
    }  # fmt: skip


def test_an_operator_of_one_component_adds_no_scope():
    assert list(flat(_net("z = wrapper(x); y = dense{units=1}(z);")).variables) == ["z.w", "y.w"]


def test_bodies_are_in_place_and_their_results_are_those_of_the_invocation():
    graph = flat(_net("z = block{units=5}(x); y = dense{units=1}(z);"))
    assert [operation.operator.name for operation in graph.operations] == ["matmul"] * 3
    names = [[value.name for value in (*each.inputs, *each.outputs)] for each in graph.operations]
    assert names == [["x", "z.t.w", "z.t"], ["z.t", "z.y.w", "z"], ["z", "y.w", "y"]]
    assert shape(graph.tensors["z.t"]) == [2, 10]
    assert graph.outputs["y"] is graph.operations[-1].outputs[0]


def test_kept_operators_list_their_variables_all_the_same():
    from snd_analysis.compose import decompose

    graph = composed(_net("z = block{units=5}(x); y = dense{units=1}(z);")).graph
    kept = decompose(graph, lambda name: name.name == "dense", "main.sknd")
    assert [operation.operator.name for operation in kept.operations] == ["block", "matmul"]
    assert list(kept.variables) == ["z.t.w", "z.y.w", "y.w"]


def test_iterations_of_an_unrolled_loop_have_scopes_of_their_own():
    graph = flat(_net("y = with z = x unroll..(3) dense{units=3}(z);"))
    assert list(graph.variables) == ["y[0].w", "y[1].w", "y[2].w"]
    assert [operation.outputs[0].name for operation in graph.operations] == ["y[0]", "y[1]", "y"]


def test_what_is_passed_on_is_the_same_tensor():
    text = "operator same { @input { x: real[n]; } @output { y: real[n]; } @compose { y = x; } }\n"
    graph = flat(
        text + "graph net { @input { x: real[2]; } @output { y: real[2]; } @compose { z = same(x); y = same(z); } }"
    )
    assert graph.outputs["y"] is graph.inputs["x"]
    assert not graph.operations


def test_instances_are_shared():
    graph = composed(_net("z = wrapper(x); u = wrapper(z); v = wrapper(u); y = wrapper(v);")).graph
    first, *others = [operation.callee for operation in graph.operations]
    assert first is not others[0]
    assert others[0] is others[1] is others[2]


def test_constants():
    text = (
        "graph net { @attrib { n: int = 2; } @output { a: real[n]; b: int[2,n]; c: bool[n]; d: real[]..(2); }\n"
        "    @constant { u: real[n] = 0.5; v: int[2,n] = 10 * i + j, i < 2, j < n; w: bool[n] = [true,false];"
        " p: real[]..(2) = [1.0,2.0]; }\n    @compose { a = u; b = v; c = w; d = p; } }"
    )
    constants = flat(text).constants
    assert constants["u"].value == 0.5
    assert isinstance(constants["v"].value, IndexedValue)
    assert [each.value for each in constants["v"].value.elements()] == [0, 1, 10, 11]
    assert constants["w"].value == Pack((shapes.TRUE, shapes.FALSE))
    assert [each.value for each in constants["p"].items] == [1.0, 2.0]


def test_updates():
    text = (
        "operator add { @input { x: real[s..]; y: real[s..]; } @output { z: real[s..]; }\n"
        "    @lower { z[i..] = x[i..] + y[i..], i < s; } }\n"
        "graph net { @input { x: real[2]; } @variable { w: real[2]; } @output { y: real[2]; }\n"
        "    @compose { y = add(x, w); } @update { d = add(x, y); w = add(w, d); } }"
    )
    graph = flat(text)
    assert [operation.outputs[0].name for operation in graph.update_operations] == ["d", "w"]
    assert shape(graph.updates["w"]) == [2]


def test_quantization():
    text = (
        "operator rounded { @attrib { bits: int; } @input { x: real[s..]; } @output { y: real[s..]; }\n"
        "    @assert { bits > 0; } @lower { y[i..] = round(x[i..]), i < s; } }\n" + DENSE
    )
    net = "graph net { @input { x: real[2,3]; } @output { y: real; } @compose { y = dense{units=1}(x); } @quantize { y.w: rounded{bits=%s}; x: rounded{bits=%s}; } }"  # noqa: E501
    graph = flat(text + net % (8, 4))
    assert graph.variables["y.w"].quantization.attributes["bits"].value == 8
    assert graph.inputs["x"].quantization.attributes["bits"].value == 4
    assert graph.outputs["y"].quantization is None
    assert [failure.rule.name for failure in composed(text + net % (8, 0)).failures] == ["assertion-fails"]


def test_what_does_not_depend_on_a_mistake_is_known():
    composition = composed(_net("a = matmul(x, x); b = dense{units=4}(x); c = matmul(b, a); y = dense{units=1}(b);"))
    assert [failure.rule.name for failure in composition.failures] in (
        ["argument-shape"],
        [],
    )  # or found before composing
    tensors = composition.graph.tensors
    assert shape(tensors["a"]) is None
    assert shape(tensors["b"]) == [2, 4]
    assert shape(tensors["c"]) is None
    assert isinstance(tensors["c"], Tensor)
    assert shape(composition.graph.outputs["y"]) == [2, 1]
