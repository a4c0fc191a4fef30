"""Models in NNEF 1.0 as SkriptND models: their text, and that each is the same model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest

from snd_analysis.base import OperatorName, Severity
from snd_analysis.convert import Converted, NotConvertible, convert_nnef1
from snd_analysis.skriptnd.format import format_text
from snd_analysis.workspace import Snapshot, Workspace
from snd_runtime.evaluation import EvaluationRequest
from snd_runtime.evaluation.handler import evaluate
from snd_server.running.weights import stored_weights
from snd_server.workspace_files.files import DiskReader
from support.memory import snapshot_of
from support.nnef1.corpus import folder_of, models, plain_name

FAILING = {"broken": 2, "without weights": 20, "unequal": 1}
"""Number of models of the corpus that may end in each way; only large models come without weights."""
SOME = ("h_recursion", "h_quantization_file", "x_transformer_enc", "o_export_scan_state", "o_pools", "o_norms")
_MOST_BYTES = 1 << 30
_TOLERANCE = 1e-4


# ---- the text --------------------------------------------------------------------------------------------------------
def _converted(body: str, results: str = "y", head: str = "", files: Mapping[str, str] | None = None) -> str:
    """The ``@compose`` block of a graph with the input ``x`` and these statements."""
    text = f"version 1.0;\n{head}\ngraph net(x) -> ({results})\n{{\n{body}\n}}\n"
    reader = DiskReader()
    reader.provide("/m/graph.nnef", text.encode())
    for label, description in (files or {}).items():
        reader.provide(f"/m/{label}.dat", description.encode())
    snapshot = Workspace(reader).snapshot()
    errors = [each.message for each in snapshot.diagnostics("/m/graph.nnef") if each.severity is Severity.ERROR]
    assert not errors
    found = convert_nnef1(snapshot, "/m/graph.nnef", "m/graph.nnef").text
    _demand_clean(found)
    return found


def _demand_clean(text: str) -> Snapshot:
    reader = DiskReader()
    reader.provide("/c/main.sknd", text.encode())
    snapshot = Workspace(reader).snapshot()
    found = snapshot.diagnostics("/c/main.sknd")
    assert not [(each.rule.name, each.message) for each in found if each.severity is not Severity.HINT], text
    assert format_text(text) == text
    return snapshot


def _statements(text: str) -> list[str]:
    lines = text[text.index("@compose") :].splitlines()[1:]
    return " ".join(line.strip() for line in lines[: lines.index("    }")]).replace("; ", ";\n").splitlines()


CONV = "x = external(shape = [1, 4, 8, 8]); w = variable(shape = [6, 4, 3, 3], label = 'w');"
SQUARE = "x = external(shape = [2, 3, 4]);"


@pytest.mark.parametrize(
    ("body", "statements"),
    [
        (f"{SQUARE} y = relu(x);", ["y = nn.relu(x);"]),
        (f"{SQUARE} y = leaky_relu(x, alpha = 0.25);", ["y = nn.relu{alpha=0.25}(x);"]),
        (f"{SQUARE} y = add(x, 1.0);", ["y = math.add(x, 1.0);"]),
        (f"{SQUARE} y = mean_reduce(x, axes = [1, 2]);", ["y = math.mean_reduce{axes=[1, 2]}(x);"]),
        (f"{SQUARE} y = sum_reduce(x, axes = [1], normalize = true);", ["y = math.mean_reduce{axes=[1]}(x);"]),
        (f"{SQUARE} y = softmax(x);", ["y = nn.softmax(x);"]),
        (f"{SQUARE} y = transpose(x, axes = [1, 0]);", ["y = layout.transpose{perm=[1, 0, 2]}(x);"]),
        (f"{SQUARE} y = reshape(x, shape = [0, -1]);", ["y = layout.reshape{shape=[2, 12]}(x);"]),
        (f"{SQUARE} y = reshape(x, shape = [12], axis_start = 1);", ["y = layout.flatten{axis=1}(x);"]),
        (
            f"{SQUARE} y = slice(x, axes = [2], begin = [1], end = [0]);",
            ["y = layout.slice{axes=[2], begin=[1], end=[4]}(x);"],
        ),
        (f"{SQUARE} y = concat([x, x], axis = 1);", ["y = layout.concat{axis=1}([x, x]);"]),
        (f"{CONV} y = conv(x, w, stride = [2, 2]);", ["y = nn.conv{stride=2, padding=[0, 0, 1, 1]}(x, w);"]),
        (f"{CONV} y = conv(x, w, padding = [(1, 1), (1, 1)]);", ["y = nn.conv{padding=1}(x, w);"]),
        (
            f"{CONV} b = variable(shape = [1, 6], label = 'b'); y = conv(x, w, b, padding = [(0, 0), (0, 0)]);",
            ["y = nn.conv{padding=0}(x, w, b);"],
        ),
        (
            f"{CONV} y = max_pool(x, size = [1, 1, 2, 2], stride = [1, 1, 2, 2], padding = [(0,0),(0,0),(0,0),(0,0)]);",
            ["y = nn.max_pool{size=2, stride=2, padding=0}(x);"],
        ),
        (
            "x = external(shape = [2, 3]); w = variable(shape = [4, 3], label = 'w');"
            "b = variable(shape = [1, 4], label = 'b'); y = linear(x, w, b);",
            ["y = nn.linear(x, w, b);"],
        ),
        (
            "x = external(shape = [2, 3, 4]); m = variable(shape = [1, 3], label = 'm'); y = batch_normalization("
            "x, m, m, m, m, epsilon = 0.001);",
            ["y = nn.batch_norm{epsilon=0.001}(x, m, m, m, m);"],
        ),
        (
            "x = external(shape = [2, 3, 4]); b = variable(shape = [2, 3], label = 'b'); y = mul(x, b);",
            ["y = math.mul{rhs_align=0}(x, b);"],
        ),
        (f"{SQUARE} a = reshape(x, shape = [2, 3, 4]); b = tile(a, repeats = [1, 1, 1]); y = neg(b);",
            ["y = math.neg(x);"]),
        (f"{SQUARE} y = copy(x);", ["y = math.iden(x);"]),
        (f"{SQUARE} c = constant(shape = [1, 1], value = [2.0]); y = div(x, c);", ["y = math.div(x, 2.0);"]),
        (f"{SQUARE} c = constant(shape = [1], value = [0.0]); y = max(x, c);", ["y = nn.relu(x);"]),
        (
            f"{SQUARE} c = constant(shape = [1, 1, 1], value = [2.0]); b = lt(x, c); y = select(b, c, x);",
            ["b = math.lt(x, 2.0);", "y = math.select(b, 2.0, x);"],
        ),
        (f"{SQUARE} y = argmax_pool(x, size = [1, 1, 2]);", ["y = nnef1.argmax_pool{size=[1, 1, 2]}(x);"]),
    ],
)  # fmt: skip
def test_operations_become_those_of_the_standard_library(body: str, statements: list[str]):
    assert _statements(_converted(body)) == statements


def test_a_variable_is_a_vector_in_all_statements_or_in_none():
    body = """x = external(shape = [2, 3, 4]); m = variable(shape = [1, 3], label = 'm');
        v = variable(shape = [1, 3], label = 'v'); w = mul(v, v);
        a = batch_normalization(x, m, v, m, m, epsilon = 0.001);
        y = batch_normalization(a, m, w, m, m, epsilon = 0.1);"""
    text = _converted(body)
    assert "m: real[1, 3];" in text
    assert "y = nnef1.batch_normalization{epsilon=0.1}(a, m, w, m, m);" in text


def test_dynamic_extents_have_bounds():
    head = "extension tract_registry tract_core;\nextension tract_symbol B;"
    text = _converted("x = tract_core_external(shape = [B, 3], datum_type = 'f32'); y = copy(x);", head=head)
    assert "x: real[B|1000000, 3];" in text
    assert "y: real[B, 3];" in text


def test_a_symbol_that_is_no_extent_alone_follows_from_one():
    head = "extension tract_registry tract_core;\nextension tract_symbol S;"
    text = _converted(
        "x = tract_core_external(shape = [2 * S + 2, 3], datum_type = 'f32'); y = reshape(x, shape = [2, S + 1, 3]);",
        head=head,
    )
    assert "x: real[x_extent|1000000, 3];" in text
    assert "S = x_extent / 2 - 1;" in text
    assert "x_extent == 2 * S + 2:" in text
    assert "y: real[2, S + 1, 3];" in text


def test_strides_of_1_go_without_saying():
    head = "extension tract_registry tract_core;\nextension tract_symbol S;"
    body = """x = tract_core_external(shape = [S, 3], datum_type = 'f32');
        y = slice(x, axes = [0], begin = [1], end = [S], stride = [1]);"""
    assert _statements(_converted(body, head=head)) == ["y = tract.slice{axes=[0], begin=[1], end=[S], exact=true}(x);"]


def test_the_standard_library_is_used_with_dynamic_extents_too():
    head = "extension tract_registry tract_core;\nextension tract_symbol B;"
    body = """x = tract_core_external(shape = [B, 4, 8, 8], datum_type = 'f32');
        w = variable(shape = [6, 4, 3, 3], label = 'w');
        c = conv(x, w, padding = [(1, 1), (1, 1)]);
        y = max_pool(c, size = [1, 1, 2, 2], stride = [1, 1, 2, 2], padding = [(0,0),(0,0),(0,0),(0,0)]);"""
    assert _statements(_converted(body, head=head)) == [
        "c = nn.conv{padding=1}(x, w);", "y = nn.max_pool{size=2, stride=2, padding=0}(c);",
    ]  # fmt: skip


def test_pieces_of_tract_are_slices():
    head = "extension tract_registry tract_core;"
    body = f"""{SQUARE} a = tract_core_dyn_slice(x, 1, 3, len = 2, axis = 2);
        y = slice(a, axes = [1], begin = [0], end = [3], stride = [2]);"""
    assert _statements(_converted(body, head=head)) == [
        "a = layout.slice{axes=[2], begin=[1], end=[3]}(x);",
        "y = layout.slice{axes=[1], begin=[0], end=[3], stride=[2]}(a);",
    ]


def test_bounds_of_symbols_are_those_that_the_source_asserts():
    asserted = ("B <= 64", "S < 512", "S >= 2", "B + S <= 500", "pp: B == 1", "B >= 0")
    head = "extension tract_registry tract_core;\nextension tract_symbol B;\nextension tract_symbol S;\n"
    head += "".join(f"extension tract_assert {each};\n" for each in asserted)
    text = _converted("x = tract_core_external(shape = [B, S], datum_type = 'f32'); y = neg(x);", head=head)
    assert "x: real[B|64, S|500];" in text
    start = text.index("@assert {")
    assert text[start : text.index("}", start)].split("\n")[1:-1] == [
        '        S >= 2: "the source asserts S >= 2";',
        '        B + S < 501: "the source asserts B + S <= 500";',
    ]


def test_names_are_those_of_the_text_where_skriptnd_allows_them():
    text = _converted("x = external(shape = [2]); real = neg(x); math = neg(real); y = neg(math); z = copy(y);", "y, z")
    assert _statements(text) == [
        "real_ = math.neg(x);", "math = math.neg(real_);", "y = math.neg(math);", "z = math.iden(y);",
    ]  # fmt: skip


HOSTILE = """version 1.0;
extension tract_registry tract_core;
extension tract_symbol R;
graph net(i"../../etc", x) -> (operator, i"out'; drop", _, copied)
{
    i"../../etc" = tract_core_external(shape = [R, (R + 2)], datum_type = 'f32');
    x = external(shape = [1]);
    w = variable<scalar>(shape = [1], label = "w");
    operator = mul(i"../../etc", [[2.0]]);
    i"out'; drop" = max(x, [-inf]);
    _ = add(x, w);
    copied = x;
}
"""


def test_hostile_names_become_safe_ones():
    reader = DiskReader()
    reader.provide("/m/graph.nnef", HOSTILE.encode())
    found = convert_nnef1(Workspace(reader).snapshot(), "/m/graph.nnef", "m/graph.nnef")
    _demand_clean(found.text)
    assert "_etc: real[R|1000000, R + 2];" in found.text
    named = {name: found.names[name] for name in ("operator", "out'; drop", "_", "copied")}
    assert named == {"operator": "operator_", "out'; drop": "out_drop", "_": "__2", "copied": "copied"}


def test_numbers_in_files_are_written_out():
    head = "extension tract_registry tract_core;"
    body = "x = external(shape = [2]); e = variable<scalar>(shape = [], label = 'e'); y = add(x, e);"
    text = _converted(body, head=head, files={"e": "real [] = 9.999999747378752e-06"})
    assert _statements(text) == ["y = math.add(x, 1.0e-05);"]
    assert "@variable" not in text


FRAGMENTS = """extension KHR_enable_fragment_definitions;
extension KHR_enable_operator_expressions;
# Takes away the mean.
fragment centered(x: tensor<scalar>, axes: integer[]) -> (y: tensor<scalar>)
{
    mean = mean_reduce(x, axes = axes);
    y = x - mean;
}
fragment scaled(x: tensor<scalar>, factors: tensor<scalar>) -> (y: tensor<scalar>)
{
    y = x * (factors + 1.0);
}
fragment widened(x: tensor<scalar>) -> (y: tensor<scalar>)
{
    y = unsqueeze(x, axes = [0]);
}
"""


def test_fragments_are_operators():
    body = """x = external(shape = [2, 3]); a = centered(x, axes = [1]); b = reshape(a, shape = [3, 2]);
        c = centered(b, axes = [1]); d = centered(c, axes = [0]); y = copy(d);"""
    text = _converted(body, head=FRAGMENTS)
    assert (
        """# Takes away the mean.
operator centered {
    @attrib {
        axes: int..;
    }
    @input {
        x: real[s..];
    }
    @output {
        y: real[s..];
    }
    @compose {
        mean = math.mean_reduce{axes=axes}(x);
        y = math.sub(x, mean);
    }
}"""
        in text
    )
    assert _statements(text[text.index("\ngraph") :]) == [
        "a = centered{axes=[1]}(x);", "b = layout.reshape{shape=[3, 2]}(a);", "c = centered{axes=[1]}(b);",
        "d = centered{axes=[0]}(c);", "y = math.iden(d);",
    ]  # fmt: skip


ATTRIBUTES = """extension KHR_enable_fragment_definitions;
extension KHR_enable_operator_expressions;
fragment scaled(x: tensor<scalar>, by: scalar, real: scalar, unused: integer) -> (y: tensor<scalar>)
{
    y = (x + 1.0) * by - real;
}
fragment outer(x: tensor<scalar>, gain: scalar) -> (y: tensor<scalar>)
{
    y = scaled(x, by = gain, real = 0.5, unused = 3);
}
fragment grouped(x: tensor<scalar>, rows: integer) -> (y: tensor<scalar>)
{
    y = reshape(x, shape = [rows, -1]);
}
"""


def test_attributes_of_fragments_are_attributes_of_operators():
    body = """x = external(shape = [2, 3]); a = scaled(x, by = 2.0, real = 3.0, unused = 1);
        y = scaled(a, by = 4.0, real = 4.5, unused = 1);"""
    text = _converted(body, head=ATTRIBUTES)
    assert "@attrib {\n        by: real;\n        real_: real;\n    }" in text
    assert "mul = math.mul(add, by);" in text
    assert "y = math.sub(mul, real_);" in text
    assert "a = scaled{by=2.0, real_=3.0}(x);" in text


def test_a_number_in_the_text_of_a_fragment_is_no_attribute():
    body = "x = external(shape = [2, 3]); y = scaled(x, by = 1.0, real = 3.0, unused = 1);"
    text = _converted(body, head=ATTRIBUTES)
    assert "by" not in text
    assert "y = scaled{real_=3.0}(x);" in text


def test_attributes_go_through_fragments_within():
    text = _converted("x = external(shape = [2, 3]); y = outer(x, gain = 2.0);", head=ATTRIBUTES)
    assert "gain: real;" in text
    assert "y = outer{gain=2.0}(x);" in text


def test_attributes_that_shapes_depend_on_are_numbers_where_these_could_not_be_declared():
    body = "x = external(shape = [2, 6]); a = grouped(x, rows = 3); y = grouped(a, rows = 4);"
    text = _converted(body, head=ATTRIBUTES)
    assert "@attrib" not in text
    assert _statements(text[text.index("\ngraph") :]) == ["a = grouped(x);", "y = grouped_2(a);"]


def test_operators_of_fragments_declare_extents_by_name_where_shapes_differ():
    body = "x = external(shape = [2, 3]); w = variable(shape = [1, 3], label = 'w'); y = scaled(x, w);"
    text = _converted(body, head=FRAGMENTS)
    assert "x: real[n1, n2];" in text
    assert "factors: real[1, n2];" in text
    assert "y: real[n1, n2];" in text


def test_a_result_of_another_rank_is_declared_by_extents():
    text = _converted("x = external(shape = [2]); y = widened(x);", head=FRAGMENTS)
    assert "y: real[1, n1];" in text
    assert "y = widened(x);" in text


COMMENTED = """# A net.
version 1.0;

# Adds and
# multiplies.
graph net(x) -> (y)
{
    # first
    x = external(shape = [2]);  # the input
    # >>> weights
    w = variable(shape = [2], label = 'w');
    z = add(x, w);  # a sum
    # unused
    u = neg(z);
    # then
    y = mul(z, z);
    # last
}
"""


def test_comments_are_kept_and_say_nothing_to_snd():
    reader = DiskReader()
    reader.provide("/m/graph.nnef", COMMENTED.encode())
    text = convert_nnef1(Workspace(reader).snapshot(), "/m/graph.nnef", "m/graph.nnef").text
    _demand_clean(text)
    assert (
        text
        == """# Converted from m/graph.nnef, NNEF 1.0.
# A net.
import math;

# Adds and
# multiplies.
graph net {
    @input {
        # first
        x: real[2];  # the input
    }
    @output {
        y: real[2];
    }
    @variable {
        # '>>>' weights
        w: real[2];
    }
    @compose {
        z = math.add(x, w);  # a sum
        # unused
        # then
        y = math.mul(z, z);
        # last
    }
}
"""
    )


def test_quantizations_are_kept():
    reader = DiskReader()
    reader.provide("/m/graph.nnef", COMMENTED.encode())
    lines = (
        '"z": linear_quantize(min = -1.0, max = 1.0, bits = 8);',
        '"w": linear_quantize(min = 0.0, max = 1.0, bits = 4);',
    )
    reader.provide("/m/graph.quant", "\n".join(lines).encode())
    found = convert_nnef1(Workspace(reader).snapshot(), "/m/graph.nnef", "m/graph.nnef").text
    _demand_clean(found)
    assert "z: nnef1_quantization.linear_quantize{min=-1.0, max=1.0, bits=8};" in found
    assert "w: nnef1_quantization.linear_quantize{min=0.0, max=1.0, bits=4};" in found


# ---- the corpus -----------------------------------------------------------------------------------------------
def test_some_models_of_the_corpus_convert_to_the_same_models():
    assert _endings(SOME) == {"equal": len(SOME)}


@pytest.mark.exhaustive
def test_models_of_the_corpus_convert_to_the_same_models():
    endings = _endings(models())
    print(endings)
    assert all(count <= FAILING.get(ending, 0) for ending, count in endings.items() if ending != "equal"), endings


def _endings(names: Iterable[str]) -> Counter[str]:
    """Return how many of the models end in each way; a model that converts must be clean."""
    endings: Counter[str] = Counter()
    for name in names:
        path = str(folder_of(name) / "graph.nnef")
        source = Workspace(DiskReader()).snapshot()
        if any(each.severity is Severity.ERROR for each in source.diagnostics(path)):
            endings["broken"] += 1
            continue
        converted = convert_nnef1(source, path, "graph.nnef")
        target = _demand_clean(converted.text)
        if not (folder_of(name) / "io.npz").exists():
            endings["without weights"] += 1
            continue
        why = _unequal(name, source, path, converted, target)
        endings["unequal" if why else "equal"] += 1
        print(f"{name}: {why}" if why else "", end="\n" if why else "")
    return endings


def _unequal(name: str, source: Snapshot, path: str, converted: Converted, target: Snapshot) -> str:
    """Return the difference between the outputs; empty if they are equal."""
    stored = np.load(folder_of(name) / "io.npz", allow_pickle=False)
    weights = dict(stored_weights(source, path, _MOST_BYTES))
    if len(weights) < len(source.stored_variables(path)):
        return "there are no weights"
    inputs = {plain_name(each[3:]): stored[each] for each in stored.files if each.startswith("in.")}
    expected, why = _outputs(source, path, inputs, weights)
    if why:
        return f"the source fails: {why}"
    moved = {each.name: weights[each.source].reshape(each.shape) for each in converted.variables}
    renamed = {converted.names[key]: array for key, array in inputs.items()}
    found, why = _outputs(target, "/c/main.sknd", renamed, moved)
    if why:
        return why
    for key, wanted in expected.items():
        actual = found[converted.names[key]]
        scale = max(float(np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0)), 1e-6)
        if actual.shape != wanted.shape or not np.allclose(actual, wanted, 0, _TOLERANCE * scale, equal_nan=True):
            return f"'{key}' differs"
    return ""


def _outputs(
    snapshot: Snapshot, path: str, inputs: Mapping[str, Any], weights: Mapping[str, Any]
) -> tuple[dict[str, Any], str]:
    graph = OperatorName(path, snapshot.main_graphs(path)[0].name.text)
    answer = evaluate(snapshot, EvaluationRequest(graph, inputs=inputs, weights=weights, keep=True), lambda note: None)
    if answer.failures:
        return {}, answer.failures[0].message
    return {key: np.asarray(value) for key, value in (answer.arrays or {}).items()}, ""


def test_what_depends_on_an_operation_that_is_not_known_is_not_converted():
    text = """version 1.0;
extension tract_registry tract_core;
extension tract_registry tract_resource;
graph net(x) -> (y)
{
    x = tract_core_external(shape = [1, 4], datum_type = 'f32');
    h = tract_resource_get(label = 'settings', key = 'scale');
    y = mul(x, h);
}
"""
    snapshot = snapshot_of({"graph.nnef": text})
    assert not snapshot.diagnostics("graph.nnef")
    with pytest.raises(NotConvertible, match="the output 'y' depends on an operation that snd does not know"):
        convert_nnef1(snapshot, "graph.nnef", "graph.nnef")


def test_a_stream_has_variables_that_the_graph_updates():
    text = """version 1.0;
extension tract_registry tract_pulse;
extension tract_symbol S;
graph net(x) -> (y)
{
    x = external(shape = [1, 4]);
    y = tract_pulse_pulse_pad(x, axis = 1, before = 1, begin_input = 2, overlap = 2, after = 1, end_input = (S + 2),
        border = "constant", value = 9.0);
}
"""
    converted = convert_nnef1(snapshot_of({"graph.nnef": text}), "graph.nnef", "graph.nnef").text
    # The end of the stream is not known: tract takes it as infinite.
    assert "y = tract_pulse.within_stream{axis=1, begin=2, end=-1, first=1, last=-1," in converted
    assert "y_position: int[];" in converted
    assert "y_2 = math.add(y_position, 2);" in converted
    assert "y_position = y_2;" in converted


def test_a_stream_whose_state_depends_on_an_input_is_not_converted():
    text = """version 1.0;
extension tract_registry tract_core;
extension tract_registry tract_extra;
graph net(x, h) -> (y)
{
    x = external(shape = [1, 4]);
    h = external(shape = [1]);
    y = tract_extra_exp_mean_norm(x, h, axis = 1, alpha = 0.5);
}
"""
    with pytest.raises(NotConvertible, match="the output 'y' depends on an operation that snd does not know"):
        convert_nnef1(snapshot_of({"graph.nnef": text}), "graph.nnef", "graph.nnef")


def test_updates_are_kept():
    body = """x = external(shape = [1, 4]); h = variable(shape = [1, 4], label = 'h');
    c = variable(shape = [1, 4], label = 'c'); y = add(x, h); d = mul(y, 0.5); n = update(h, d); k = update(c, x);"""
    text = _converted(body)
    assert "@update {\n        h = d;\n        c = x;\n    }" in text
    assert "c: real[1, 4];" in text


def test_extents_that_depend_on_data_have_no_name():
    head = "extension tract_registry tract_core;\nextension tract_registry tract_onnx;"
    body = "x = external(shape = [2, 3]); y = tract_onnx_non_zero(x, count_symbol = 'n');"
    assert "y: int[2, ~|6];" in _converted(body, head=head)
