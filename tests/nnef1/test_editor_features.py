"""Features of editors for NNEF 1.0, by the interface that all languages implement."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import pytest

from snd_analysis.base import Edit, Span
from snd_analysis.ide import TokenType, folds, front_end, highlights, references, selections
from snd_analysis.ide.inlay_hints import ALL_KINDS
from snd_analysis.ide.rename import RenameRefused
from snd_analysis.nnef1.format import format_text
from snd_analysis.workspace import Snapshot
from support.memory import snapshot_of
from support.sampling import tries

PATH = "graph.nnef"
KHRONOS = """version 1.0;
extension KHR_enable_fragment_definitions;
extension KHR_enable_operator_expressions;

# Multiplies, and cuts off.
fragment scaled(x: tensor<scalar>, by: scalar = 2.0) -> (y: tensor<scalar>)
{
    t = mul(x, by);
    y = relu(t);
}

graph net(x) -> (y)
{
    x = external(shape = [2, 3, 8, 8]);
    w = variable(shape = [4, 3, 3, 3], label = 'conv/w');
    v = variable(shape = [1, 4], label = 'conv/bias');
    c = conv(x, w, v, stride = [2, 2]);
    r = scaled(c, by = 3.0);
    y = r + c;
}
"""
TRACT = """version 1.0;
extension tract_registry tract_core;
extension tract_symbol S;
extension tract_assert S >= 1;

graph net(x) -> (y)
{
    x = tract_core_external(datum_type = 'f32', shape = [S, 4]);
    shape = tract_core_shape_of(x);
    n = slice(shape, axes = [0], begin = [0], end = [1]);
    n = unsqueeze(n, [0]);
    one = [1.0, 2.0];
    y = softmax(x, 1);
}
"""
FILES = {"conv/w.dat": "real [4,3,3,3]", "conv/bias.dat": "real [1,4]"}
LANGUAGE = front_end(PATH)


def known(text: str, **files: str) -> Snapshot:
    return snapshot_of({**FILES, **files, PATH: text})


def at(text: str, snippet: str, behind: str = "") -> int:
    return text.index(snippet, text.index(behind))


def hover(snapshot: Snapshot, snippet: str, behind: str = "") -> str:
    found = LANGUAGE.hover(snapshot, PATH, at(snapshot.source(PATH).text, snippet, behind), None)
    return "" if found is None else found.markdown


def labels(text: str, cursor: str = "|") -> list[str]:
    offset = text.index(cursor)
    snapshot = known(text.replace(cursor, ""))
    return [each.label for each in LANGUAGE.completions(snapshot, PATH, offset, False, ()).items]


# ---- hints -----------------------------------------------------------------------------------------------------------
def _hints(snapshot: Snapshot) -> dict[str, str]:
    text = snapshot.source(PATH).text
    found = LANGUAGE.inlay_hints(snapshot, PATH, None, ALL_KINDS)
    return {text[text.rfind("\n", 0, hint.offset) + 1 : hint.offset].strip(): hint.text for hint in found}


def test_types_and_shapes_stand_behind_every_statement():
    hints = _hints(known(KHRONOS))
    assert hints["c = conv(x, w, v, stride = [2, 2]);"] == "real[2,4,4,4]"
    assert hints["r = scaled(c, by = 3.0);"] == "real[2,4,4,4]"
    assert hints["t = mul(x, by);"] == "real[2,4,4,4]", "of a fragment, those of its first invocation"
    assert hints["x = external(shape = [2, 3, 8, 8]);"] == "real[2,3,8,8]"


def test_values_that_are_known_and_symbols_are_shown():
    hints = _hints(known(TRACT))
    assert hints["shape = tract_core_shape_of(x);"] == "int[2] = [S, 4]"
    assert hints["n = slice(shape, axes = [0], begin = [0], end = [1]);"] == "int[1] = [S]"
    assert hints["n = unsqueeze(n, [0]);"] == "int[1,1] = [S]", "the last assignment counts"
    assert hints["y = softmax(x, 1);"] == "real[S,4]"
    assert "one = [1.0, 2.0];" not in hints, "it says just that"


# ---- hovers ----------------------------------------------------------------------------------------------------------
def test_hovers_of_variables_name_their_files():
    snapshot = known(KHRONOS)
    for snippet in ("w = variable", "conv/w"):
        assert "conv/w.dat" in hover(snapshot, snippet)
        assert "real[4,3,3,3]" in hover(snapshot, snippet)
    assert "is not there" in hover(snapshot_of({PATH: KHRONOS}), "w = variable")
    offset = at(KHRONOS, "w = variable")
    assert LANGUAGE.stored_path(snapshot, PATH, offset) == "conv/w.dat"


def test_hovers_of_operations_tell_signature_documentation_formula_and_padding():
    text = hover(known(KHRONOS), "conv(x, w")
    assert "border: string = 'constant'" in text
    assert "padding: `[(0, 1), (0, 1)]`" in text
    assert "how far the input is extended" in text
    assert "nn.conv{" in text
    assert "how far the input is extended" not in hover(known(KHRONOS), "stride = [2")
    assert "distances of filter positions" in hover(known(KHRONOS), "stride = [2")


def test_hovers_of_fragments_parameters_and_symbols():
    snapshot = known(KHRONOS)
    assert "Multiplies, and cuts off." in hover(snapshot, "scaled(c")
    assert "by = 3.0" in hover(snapshot, "by)")
    assert "real[2,4,4,4]" in hover(snapshot, "t = mul")
    assert "in the first invocation of `scaled`" in hover(snapshot, "t = mul")
    assert "not known before" in hover(known(TRACT), "S, 4]")


# ---- names -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "snippet", "behind", "leads_to"),
    [
        (KHRONOS, "c, by", "", "c = conv"),
        (KHRONOS, "scaled(c", "", "scaled(x"),
        (KHRONOS, "by = 3.0", "", "by: scalar"),
        (KHRONOS, "t);", "", "t = mul"),
        (TRACT, "n, [0]", "", "n = slice"),
        (TRACT, "S, 4]", "", "S;"),
        (TRACT, "S >= 1", "", "S;"),
    ],
)
def test_names_lead_to_where_they_are_declared(text: str, snippet: str, behind: str, leads_to: str):
    link = LANGUAGE.definition(known(text), PATH, at(text, snippet, behind))
    assert link
    assert link.name.path == PATH
    assert link.name.span.start == at(text, leads_to)


def test_operations_lead_into_the_library():
    snapshot = known(KHRONOS)
    link = LANGUAGE.definition(snapshot, PATH, at(KHRONOS, "conv(x, w"))
    assert link
    span = link.name.span
    assert link.name.path == "snd:nnef1"
    assert snapshot.source(link.name.path).text[span.start : span.end] == "conv"
    attribute = LANGUAGE.definition(snapshot, PATH, at(KHRONOS, "stride = [2"))
    assert attribute
    assert snapshot.source("snd:nnef1").text[attribute.name.span.start :].startswith("stride")
    assert LANGUAGE.implementation(snapshot, PATH, at(KHRONOS, "conv(x, w"))
    maker = LANGUAGE.type_definition(snapshot, PATH, at(KHRONOS, "r = scaled"))
    assert maker
    assert maker.name.span.start == at(KHRONOS, "scaled(x")


def test_references_and_highlights():
    snapshot = known(KHRONOS)
    found = references(snapshot, PATH, at(KHRONOS, "c = conv"), ())
    assert [each.span.start for each in found] == [at(KHRONOS, "c = conv"), at(KHRONOS, "c, by"), at(KHRONOS, "c;")]
    assert len(highlights(snapshot, PATH, at(KHRONOS, "x: tensor"))) == 2, "not those of the graph"


def test_labels_lead_to_tensor_files():
    found = LANGUAGE.links(known(KHRONOS), PATH)
    assert [each.target for each in found] == ["conv/w.dat", "conv/bias.dat"]


# ---- rename ----------------------------------------------------------------------------------------------------------
QUANTIZATION = '"c": linear_quantize(min = 0.0, max = 1.0, bits = 8);\n'


def test_a_tensor_is_renamed_also_in_the_file_of_quantizations():
    snapshot = known(KHRONOS, **{"graph.quant": QUANTIZATION})
    found = LANGUAGE.rename(snapshot, PATH, at(KHRONOS, "c = conv"), "features", ())
    texts = {PATH: KHRONOS, "graph.quant": QUANTIZATION}
    for each in reversed(found.edits):
        path = each.location.path
        texts[path] = Edit(each.location.span, each.text).apply(texts[path])
    assert texts[PATH] == re.sub(r"\bc\b", "features", KHRONOS)
    assert texts["graph.quant"] == QUANTIZATION.replace('"c"', '"features"')


@pytest.mark.parametrize(
    ("snippet", "name", "reason"),
    [
        ("c = conv", "w", "clash"),
        ("c = conv", "graph", "keyword"),
        ("c = conv", "a-b", "no identifier"),
        ("conv(x", "convolution", "its name is fixed"),
    ],
)
def test_names_that_can_not_be(snippet: str, name: str, reason: str):
    with pytest.raises(RenameRefused, match=reason):
        LANGUAGE.rename(known(KHRONOS), PATH, at(KHRONOS, snippet), name, ())


def test_renaming_there_and_back_gives_the_same_text():
    snapshot = known(KHRONOS)
    for word in ("r", "c", "v", "scaled"):
        offset = re.search(rf"\b{word}\b", KHRONOS)
        assert offset
        edits = LANGUAGE.rename(snapshot, PATH, offset.start(), "other", ()).edits
        text = KHRONOS
        for each in reversed(edits):
            text = Edit(each.location.span, each.text).apply(text)
        assert text == re.sub(rf"(?<![/'])\b{word}\b", "other", KHRONOS)


SCAN = """version 1.0;
extension tract_registry tract_core;

fragment turn(h: tensor<scalar>, x: tensor<scalar>) -> (h_next: tensor<scalar>)
{
    h_next = tanh(h + x);
}

graph net(x) -> (y)
{
    x = tract_core_external(datum_type = 'f32', shape = [3, 4]);
    h = [[0.0, 0.0, 0.0, 0.0]];
    (y, last) = tract_core_scan(body = 'turn', scan = [('x', x, 0, 1)], full = [],
        state = [('h', h, 'h_next')], output = [('h_next', 'full', 0, 1), ('h_next', 'last', 0, 1)], skip = 0);
}
"""


@pytest.mark.parametrize(
    ("name", "count", "snippet", "behind"),
    [("turn", 2, "turn'", ""), ("x", 3, "x', x", ""), ("h", 3, "h', h", ""), ("h_next", 5, "h_next', 'last", "")],
)
def test_names_in_strings_of_a_scan_are_those_of_its_body(name: str, count: int, snippet: str, behind: str):
    snapshot = known(SCAN)
    assert snapshot.diagnostics(PATH) == ()
    offset = at(SCAN, snippet, behind)
    found = references(snapshot, PATH, offset, ())
    assert [SCAN[each.span.start : each.span.end] for each in found] == [name] * count
    link = LANGUAGE.definition(snapshot, PATH, offset)
    assert link
    assert link.name.span.start < at(SCAN, "graph net")
    assert "turn" in hover(snapshot, snippet, behind)
    text = SCAN
    for each in reversed(LANGUAGE.rename(snapshot, PATH, offset, "other", ()).edits):
        text = Edit(each.location.span, each.text).apply(text)
    assert text.count("other") == count
    assert known(text).diagnostics(PATH) == ()


def test_an_argument_of_a_fragment_is_not_a_tensor_of_the_graph_that_has_its_name():
    text = KHRONOS.replace("r = scaled", "by = relu(c);\n    r = scaled")
    shown = hover(known(text), "by = 3.0")
    assert "by: scalar = 2.0" in shown
    assert "of the fragment `scaled`" in shown


# ---- writing ---------------------------------------------------------------------------------------------------------
def test_completion_offers_operations_fragments_tensors_and_parameters():
    unfinished = KHRONOS.replace("y = r + c;", "y = |")
    offered = labels(unfinished)
    assert {"r", "c", "w", "scaled", "conv", "relu"} <= set(offered)
    assert offered.index("r") < offered.index("conv"), "what is near stands first"
    assert "tract_core_gather" not in offered, "of another dialect"
    assert "tract_core_gather" in labels(TRACT.replace("softmax(x, 1)", "tract_core_ga|"))


def test_completion_of_parameters_and_their_values():
    offered = labels(KHRONOS.replace("y = r + c;", "y = conv(x, w, v, st|);"))
    assert offered[0] == "stride ="
    assert "border =" in labels(KHRONOS.replace("y = r + c;", "y = conv(x, w, stride = [1, 1], |);"))
    assert "'reflect'" in labels(KHRONOS.replace("y = r + c;", "y = conv(x, w, border = |);"))
    assert "f16" in labels(TRACT.replace("'f32'", "'|"))
    assert "tract_onnx" in labels(TRACT.replace("tract_registry tract_core", "tract_registry |"))
    assert "y" in labels(KHRONOS.replace("y = r + c;", "|")), "what is not assigned yet"


EXTENDED = """version 1.0;
extension tract_registry tract_core;

graph net(i"in/put.0") -> (i"out/put:0")
{
    i"in/put.0" = tract_core_external(shape = [2, 3], datum_type = 'f32');
    w = relu(i"in/put.0");
    |
}
"""


@pytest.mark.parametrize(
    ("written", "replaced"),
    [("t = mul(w, in|);", "in"), ('t = mul(w, i"|', 'i"'), ('t = mul(w, i"in/|", w);', 'i"in/"')],
)
def test_completion_of_identifiers_in_quotes(written: str, replaced: str):
    text = EXTENDED.replace("|", written)
    offset, text = text.index("|"), text.replace("|", "")
    found = LANGUAGE.completions(known(text), PATH, offset, False, ())
    assert text[found.replace.start : found.replace.end] == replaced
    (item,) = (each for each in found.items if each.label == "in/put.0")
    assert item.inserted == 'i"in/put.0"'


def test_completion_of_results_in_quotes():
    assert "out/put:0" in labels(EXTENDED)
    assert labels(EXTENDED.replace("|", 'i"o|')) == ["out/put:0"]


@pytest.mark.parametrize("written", ["t = mul(w, 2.|);", "t = mul(w, 25|);", "t = w.|"])
def test_nothing_is_offered_within_a_number(written: str):
    assert labels(EXTENDED.replace("|", written)) == []


def test_what_is_offered_can_be_written():
    assert "w" not in labels(EXTENDED.replace("w = relu", "x = relu").replace("|", "w = relu(|)"))
    in_tract, in_khronos = labels(TRACT.replace("softmax(x, 1)", "|")), labels(KHRONOS.replace("r + c", "|"))
    for absent in ("rcp", "add_n", "length_of"):
        assert absent in in_khronos
        assert absent not in in_tract, "tract does not know it"


def test_signature_help_knows_the_parameter():
    text = KHRONOS.replace("y = r + c;", "y = conv(x, w, 0.0, stride = [2, ")
    found = LANGUAGE.signature_help(known(text), PATH, at(text, "[2, ", "0.0, stride") + 4)
    assert found
    assert found.active is not None
    assert found.parameters[found.active].name == "stride"
    second = LANGUAGE.signature_help(known(text), PATH, at(text, "w, 0.0"))
    assert second
    assert second.active == 1
    assert second.label.startswith("conv(input: tensor<scalar>, filter")


def test_positional_attributes_can_be_named():
    snapshot = known(TRACT)
    offset = at(TRACT, "softmax")
    found = LANGUAGE.actions(snapshot, PATH, Span(offset, offset), (), None, (), ())
    action = next(each for each in found if each.title == "name the attributes of 'softmax'")
    (edit,) = action.edits
    assert Edit(edit.location.span, edit.text).apply(TRACT) == TRACT.replace("softmax(x, 1)", "softmax(x, axes = 1)")


def test_fixes_of_rules_are_offered():
    text = KHRONOS.replace("extension KHR_enable_operator_expressions;\n", "")
    snapshot = known(text)
    offset = at(text, "r + c")
    found = LANGUAGE.actions(snapshot, PATH, Span(offset, offset), (), None, (), ())
    fix = next(each for each in found if each.resolves)
    (edit,) = fix.edits
    mended = Edit(edit.location.span, edit.text).apply(text)
    assert known(mended).diagnostics(PATH) == ()


# ---- the shape of the file -------------------------------------------------------------------------------------------
def test_blocks_of_variables_fold():
    lines = {
        (KHRONOS.count("\n", 0, each.span.start), KHRONOS.count("\n", 0, each.span.end))
        for each in folds(known(KHRONOS), PATH)
    }
    first = KHRONOS.count("\n", 0, at(KHRONOS, "w = variable"))
    assert (first, first + 1) in lines
    assert (1, 2) in lines, "extensions"


def test_the_outline_has_types():
    fragment, graph = LANGUAGE.outline(known(KHRONOS), PATH)
    assert [each.name for each in fragment.children] == ["x", "by", "t", "y"]
    assert {each.name: each.detail for each in graph.children}["c"] == "real[2,4,4,4]"


def test_tokens_have_meanings():
    text = KHRONOS
    groups = LANGUAGE.tokens(known(text), PATH, None)
    tokens = {
        (text[each.span.start + group.start : each.span.end + group.start], each.type)
        for group in groups
        for each in group.tokens
    }
    assert {
        ("conv", TokenType.OPERATOR),
        ("w", TokenType.VARIABLE),
        ("x", TokenType.INPUT),
        ("stride", TokenType.ATTRIBUTE),
        ("fragment", TokenType.KEYWORD),
        ("tensor", TokenType.TYPE),
        ("'conv/w'", TokenType.STRING),
        ("# Multiplies, and cuts off.", TokenType.COMMENT),
    } <= tokens
    ends = [(each.span.start + group.start, each.span.end + group.start) for group in groups for each in group.tokens]
    assert ends == sorted(ends)
    assert all(one[1] <= other[0] for one, other in pairwise(ends))


def test_tokens_of_what_did_not_change_are_the_same():
    before = LANGUAGE.tokens(known(KHRONOS), PATH, None)
    after = LANGUAGE.tokens(known(KHRONOS.replace("by = 3.0", "by = 4.0")), PATH, None)
    assert sum(one.tokens is not other.tokens for one, other in zip(before, after, strict=True)) == 1


def test_formatting_is_that_of_the_command():
    text = KHRONOS.replace("r + c", "r+c")
    formatted = text
    for edit in reversed(LANGUAGE.format(known(text), PATH, 100, None)):
        formatted = edit.apply(formatted)
    assert formatted == format_text(text, 100)
    assert "r + c" in formatted


# ---- files of quantizations ------------------------------------------------------------------------------------------
def test_files_of_quantizations_know_the_graph():
    snapshot = known(KHRONOS, **{"graph.quant": QUANTIZATION})
    quantization = front_end("graph.quant")
    assert snapshot.diagnostics("graph.quant") == ()
    shown = quantization.hover(snapshot, "graph.quant", 1, None)
    assert shown
    assert "c: real[2,4,4,4]" in shown.markdown
    link = quantization.definition(snapshot, "graph.quant", 1)
    assert link
    assert (link.name.path, link.name.span.start) == (PATH, at(KHRONOS, "c = conv"))
    operation = quantization.hover(snapshot, "graph.quant", QUANTIZATION.index("linear"), None)
    assert operation
    assert "Rounds to the nearest" in operation.markdown
    assert [each.name for each in quantization.outline(snapshot, "graph.quant")] == ["c"]
    assert quantization.tokens(snapshot, "graph.quant", None)
    offered = quantization.completions(snapshot_of({PATH: KHRONOS, "graph.quant": '"'}), "graph.quant", 1, False, ())
    assert {"c", "r", "y"} <= {each.label for each in offered.items}


# ---- damage ----------------------------------------------------------------------------------------------------------
def test_no_text_brings_a_feature_down():
    chance = random.Random(5)
    for _ in range(tries(60, 1000)):
        text = chance.choice((KHRONOS, TRACT))
        for _ in range(chance.randrange(1, 4)):
            place = chance.randrange(len(text))
            inserted = chance.choice(("", "(", "[", "'", ";", "= ", "scaled(", "\nfragment f(", "{", "}", "é"))
            text = text[:place] + inserted + text[place + chance.randrange(3) :]
        snapshot = known(text, **{"graph.quant": text[: chance.randrange(len(text))]})
        offset = chance.randrange(len(text))
        for path in (PATH, "graph.quant"):
            language, here = front_end(path), min(offset, len(snapshot.source(path).text))
            length = len(snapshot.source(path).text)
            for each in folds(snapshot, path):
                assert 0 <= each.span.start <= each.span.end <= length
            selections(snapshot, path, here)
            language.outline(snapshot, path)
            language.tokens(snapshot, path, None)
            language.inlay_hints(snapshot, path, None, ALL_KINDS)
            language.hover(snapshot, path, here, None)
            language.definition(snapshot, path, here)
            language.type_definition(snapshot, path, here)
            language.implementation(snapshot, path, here)
            [*language.occurrences(snapshot, path, here, ())]
            language.completions(snapshot, path, here, True, ())
            language.signature_help(snapshot, path, here)
            language.actions(snapshot, path, Span(here, here), (), None, (), ())
            language.links(snapshot, path)
            language.stored_path(snapshot, path, here)
