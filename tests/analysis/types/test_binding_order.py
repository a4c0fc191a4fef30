"""The order in which the shapes of inputs are bound to those of arguments (2.6.2)."""

from __future__ import annotations

from snd_analysis.skriptnd.names import binding_order
from support.memory import snapshot_of


def order(inputs: str, attributes: str = "") -> list[str]:
    """The names of inputs in their binding order."""
    text = f"operator op {{ @attrib {{ {attributes} }} @input {{ {inputs} }} @output {{ out: real[2]; }} }}"
    snapshot = snapshot_of({"module.sknd": text})
    node = snapshot.definitions("module.sknd")["op"].definition
    found_order = binding_order(node, snapshot.resolution("module.sknd", node))
    assert not found_order.obstacles
    return [parameter.name.text for parameter in found_order.inputs]


def test_binding_order_is_that_of_the_draft():
    attributes = "r: int; a: optional int; b: int..(d) = 0; c: int = 2 * d + r;"
    assert order("x: real[s..(r),z..(d),t..]; y: real[s..(r),z..(d)];", attributes) == ["y", "x"]


def test_inputs_keep_their_order_where_nothing_speaks_against_it():
    assert order("x: real[s..]; y: real[t..]; z: real[s..,n];") == ["x", "y", "z"]


def test_optional_inputs_are_bound_last_in_their_order():
    assert order("a: optional real[n]; x: real[n]; b: optional real[m]; y: real[m];") == ["x", "y", "a", "b"]


def test_each_round_starts_from_the_first_unbound_input():
    assert order("x: real[s..(a),t..(b),u..]; y: real[s..(a),t..(b)]; z: real[s..(a)];") == ["z", "y", "x"]
