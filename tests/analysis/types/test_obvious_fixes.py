"""Mistakes with one obvious fix (2.3, 2.4, 2.5, 2.10): it is offered, it is safe, and nothing is wrong after it."""

from __future__ import annotations

import pytest

from snd_analysis.base import Diagnostic, Severity
from support.memory import snapshot_of

# Templates: the dots are replaced by a formula's expression, or the right side of a statement.
FORMULA = "operator f {{ @attrib {{ a: int; b: int; }} @input {{ x: real[n, d]; }} @output {{ y: real[n, d]; }}\n" \
    "    @lower {{ y[i,j] = {}, i < n, j < d; }} }}\n"  # fmt: skip
GRAPH = "{}graph g {{ @input {{ t: real[2,3]; u: real[2,3]; w: real[4,3]; }} @output {{ y: {}; }}\n" \
    "    @compose {{ y = {}; }} }}\n"  # fmt: skip
SAME, DOUBLE, WIDE, PACK = "real[2,3]", "real[4,3]", "real[2,4]", "real[3,2,3]"
BOOL = "bool[2,3]"


def formula(expression: str) -> str:
    return FORMULA.format(expression)


def graph(right: str, result: str = SAME, imports: str = "import math, nn, layout;\n") -> str:
    return GRAPH.format(imports, result, right)


def errors(text: str) -> list[Diagnostic]:
    found = snapshot_of({"net.sknd": text}).diagnostics("net.sknd")
    return [each for each in found if each.severity is not Severity.HINT]


def fixed(text: str) -> str:
    """The text with the fix of its first mistake."""
    fix = errors(text)[0].fix
    assert fix is not None, errors(text)
    assert fix.safe
    done, moved = text, 0
    for edit in sorted(fix.edits, key=lambda edit: edit.location.span):
        span = edit.location.span.shifted(moved)
        done = done[: span.start] + edit.text + done[span.end :]
        moved += len(edit.text) - (span.end - span.start)
    return done


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (formula("x[i,j] * 2"), formula("x[i,j] * 2.0")),
        (formula("2 + x[i,j]"), formula("2.0 + x[i,j]")),
        (formula("x[i,j] * -2"), formula("x[i,j] * -2.0")),
        (formula("x[i,j] / n"), formula("x[i,j] / real(n)")),
        (formula("x[i,j] * sqrt(d)"), formula("x[i,j] * sqrt(real(d))")),
        (formula("x[i,j] * sqrt(2)"), formula("x[i,j] * sqrt(2.0)")),
        (formula("x[i,j] * sqrt(d + 1)"), formula("x[i,j] * sqrt(real(d + 1))")),
        (formula("x[i,j] + real(min(a, b))"), formula("x[i,j] + real((a <? b))")),
        (formula("x[i,j] + real(max(a, b, 3))"), formula("x[i,j] + real((a >? b >? 3))")),
        (formula("x[i,j] + real(min(a + 1, a > 1 ? a : b))"), formula("x[i,j] + real(((a + 1) <? (a > 1 ? a : b)))")),
        (formula("i + n"), formula("real(i + n)")),
        (formula("0"), formula("0.0")),
        (graph("nn.elu(1)", "real[]"), graph("nn.elu(1.0)", "real[]")),
        (
            graph("with a: real[2,3] = 0 do..(2) math.neg(a)"),
            graph("with a: real[2,3] = 0.0 do..(2) math.neg(a)"),
        ),
        (
            graph("flag ? t : u").replace("t: real", "flag: bool[]; t: real", 1),
            graph("if flag then t else u").replace("t: real", "flag: bool[]; t: real", 1),
        ),
        (graph("nn.relu{max=6}(t)"), graph("nn.relu{max=6.0}(t)")),
        (graph("nn.softmax{axes=1}(t)"), graph("nn.softmax{axes=[1]}(t)")),
        (graph("math.sum_reduce{axes=0}(t)", "real[1,3]"), graph("math.sum_reduce{axes=[0]}(t)", "real[1,3]")),
        (graph("math.max_reduce{axes=-1, squeeze=true}(t)", "real[2]"),
         graph("math.max_reduce{axes=[-1], squeeze=true}(t)", "real[2]")),
        (graph("layout.reshape{shape=6}(t)", "real[6]"), graph("layout.reshape{shape=[6]}(t)", "real[6]")),
        (graph("layout.unsqueeze{axes=0}(t)", "real[1,2,3]"), graph("layout.unsqueeze{axes=[0]}(t)", "real[1,2,3]")),
        (graph("layout.concat{axis=0}(t, u)", DOUBLE), graph("layout.concat{axis=0}([t, u])", DOUBLE)),
        (graph("math.sum_n(t, u)"), graph("math.sum_n([t, u])")),
        (graph("math.sum_n(t)"), graph("math.sum_n([t])")),
        (graph("math.mul(t, 2)"), graph("math.mul(t, 2.0)")),
        (graph("math.mul(2, t)"), graph("math.mul(2.0, t)")),
        (graph("t + 1.0"), graph("math.add(t, 1.0)")),
        (graph("t + 1"), graph("math.add(t, 1.0)")),
        (graph("2.0 * t"), graph("math.mul(2.0, t)")),
        (graph("t - u"), graph("math.sub(t, u)")),
        (graph("t <? u"), graph("math.min(t, u)")),
        (graph("t < u", BOOL), graph("math.lt(t, u)", BOOL)),
        (graph("-t"), graph("math.neg(t)")),
        (graph("t + u", imports="import nn;\n"), graph("math.add(t, u)", imports="import nn;\nimport math;\n")),
        (graph("nn.linear{filter=w}(t)", WIDE), graph("nn.linear(t, w)", WIDE)),
        (graph("nn.linear{input=t, filter=w}()", WIDE), graph("nn.linear(t, w)", WIDE)),
        (graph("nn.relu{x=t, max=6.0}()"), graph("nn.relu{max=6.0}(t)")),
        (graph("layout.reshape{shape=(3, 2)}(t)", "real[3,2]"), graph("layout.reshape{shape=[3, 2]}(t)", "real[3,2]")),
    ],
)  # fmt: skip
def test_the_fix_takes_the_mistake_away_and_makes_no_other(before: str, after: str):
    assert fixed(before) == after
    assert errors(after) == []


@pytest.mark.parametrize(
    "text",
    [
        graph("t * 2.0 + u"),
        graph("math.add(t, u * 2.0)"),
        graph("nn.linear{filter=w}(t, w)", WIDE),
        formula("x[i,j] + 'a'"),
        graph("nn.linear{bias=true}(t, w)", "real[2,4]"),
    ],
)
def test_where_it_is_not_obvious_there_is_none(text: str):
    assert errors(text)
    assert all(each.fix is None or not each.fix.safe for each in errors(text))


def test_an_input_among_the_attributes_is_one_mistake():
    (problem,) = errors(graph("nn.linear{filter=w}(t)", WIDE))
    assert problem.message.startswith("'filter' is an input of 'linear'")


def test_an_optional_input_that_is_false_is_left_out():
    before = graph("nn.linear{bias=false}(t, w)", WIDE)
    (problem,) = errors(before)
    assert (
        problem.message == "'bias' is an input of 'linear', not an attribute: give no argument for it to leave it out"
    )
    assert fixed(before) == graph("nn.linear(t, w)", WIDE)


def test_other_attributes_stay_when_one_is_left_out():
    image = "import nn;\ngraph g {{ @input {{ x: real[1,2,8]; w: real[4,2,3]; }} @output {{ y: real[1,4,8]; }}\n" \
        "    @compose {{ y = nn.conv{{{}}}(x, w); }} }}\n"  # fmt: skip
    assert fixed(image.format("padding=1, bias=false, groups=1")) == image.format("padding=1, groups=1")


def test_an_attribute_that_has_the_name_of_another_framework_is_not_missing():
    text = "import layer;\ngraph g { @input { x: real[1,2,8]; } @output { y: real[1,4,8]; }\n" \
        "    @compose { y = layer.conv{out_channels=4, kernel_size=3}(x); } }\n"  # fmt: skip
    assert [each.message for each in errors(text)] == [
        "'conv' has no attribute 'out_channels'; did you mean 'channels'?",
        "'conv' has no attribute 'kernel_size'; did you mean 'size'?",
    ]


def test_an_operator_of_the_same_module_is_meant_first():
    text = "import layer, nn;\ngraph g { @input { x: real[1,2,8]; } @output { y: real[1,4,8]; }\n" \
        "    @compose { y = layer.conv1d{channels=4, size=3}(x); } }\n"  # fmt: skip
    (problem,) = errors(text)
    assert problem.message == "the module 'layer' has no operator 'conv1d'; did you mean 'layer.conv'?"
    assert problem.fix is not None
    assert [edit.text for edit in problem.fix.edits] == ["conv"]


@pytest.mark.parametrize(
    ("statements", "marked", "origin", "said"),
    [
        ("y = nn.linear(x, w, b);", "w", "x", "'c' is 5 because of the input 'input'"),
        ("h = layout.flatten{axis=1}(i); y = nn.linear(h, w, b);", "w", "b", "'n' is 3 because of the input 'bias'"),
        ("y = nn.linear(x, v, b);", "b", "v", "'n' is 5 because of the input 'filter'"),
    ],
)
def test_the_argument_that_gives_an_extent_is_marked_beside_the_one_that_contradicts_it(
    statements: str, marked: str, origin: str, said: str
):
    """Either may be the wrong one: here it is ``w``, which is transposed."""
    inputs = "x: real[4,5]; i: real[4,1,5,1]; w: real[5,3]; v: real[5,5]; b: real[3];"
    text = f"import layout, nn;\ngraph g {{ @input {{ {inputs} }}\n" \
        f"    @output {{ y: real[4,3]; }} @compose {{ {statements} }} }}\n"  # fmt: skip
    (problem,) = [each for each in errors(text) if each.rule.name == "argument-shape"]
    first, declaration = problem.related
    spans = [problem.location.span, first.location.span]
    assert [text[span.start : span.end] for span in spans] == [marked, origin]
    assert first.message == said
    assert declaration.message.endswith("is declared here")
