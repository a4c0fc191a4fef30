"""Samples of fragments: each is a graph of its own, made for its arguments."""

from __future__ import annotations

import pytest

from snd_analysis.ide import front_end
from snd_analysis.ide.evaluation import samples_in
from snd_analysis.workspace import Snapshot
from support.memory import snapshot_of

PATH = "graph.nnef"
HEAD = """version 1.0;
extension KHR_enable_fragment_definitions;
extension KHR_enable_operator_expressions;

"""
FRAGMENTS = """fragment scaled(x: tensor<scalar>, by: scalar = 2.0) -> (y: tensor<scalar>)
{
    y = x * by;
}

fragment product(a: tensor<scalar>, b: tensor<scalar>) -> (m: tensor<scalar>, s: tensor<scalar>)
{
    m = matmul(a, b);
    s = scaled(m);
}

fragment joined(xs: tensor<scalar>[], axis: integer) -> (y: tensor<scalar>)
{
    y = concat(xs, axis = axis);
}

fragment chosen<? = scalar>(c: tensor<logical>, x: tensor<?>) -> (y: tensor<?>)
{
    y = select(c, x, x);
}

graph net(x) -> (y)
{
    x = external(shape = [1, 2]);
    y = scaled(x);
}
"""


def snapshot(*samples: str) -> Snapshot:
    return snapshot_of({PATH: f"{HEAD}{''.join(f'# {line}{chr(10)}' for line in samples)}{FRAGMENTS}"})


def found(*samples: str) -> list[tuple[int, str, str]]:
    """Return the problems, with the column behind ``# `` and the marked text."""
    given = snapshot(*samples)
    source = given.source(PATH)
    told = []
    for each in given.diagnostics(PATH):
        span = each.location.span
        line = source.text[source.text.rfind("\n", 0, span.start) + 1 :].partition("\n")[0]
        assert line[2:] in samples, f"{each.message} stands at {line}"
        told.append((each.rule.name, source.text[span.start : span.end], each.message))
    return told


@pytest.mark.parametrize(
    ("sample", "recorded"),
    [
        (">>> scaled([1.0, 2.0])", "y: real[2] = [2.0, 4.0]"),
        (">>> scaled(random[2, 3], by = 3.0)", "y: real[2,3] = x"),
        (">>> scaled{by=3.0}(random[2, 3])", "y: real[2,3] = x"),
        (">>> scaled(by = 3.0, x = [1.0])", "y: real[1] = [3.0]"),
        (">>> product(random[2,3], random[3,4])", "m: real[2,4] = x"),
        (">>> joined([[1.0], [2.0, 3.0]], axis = 0)", "y: real[3] = [1.0, 2.0, 3.0]"),
        (">>> chosen([true], [1, 2])", "y: int[2] = [1, 2]"),
        (">>> leaky_relu([-1.0, 3.0], alpha = 0.5)", "y: real[2] = [-0.5, 3.0]"),
        (">>> sum_reduce([[1.0, 3.0]], axes = [1], normalize = true)", "output: real[1,1] = [[2.0]]"),
    ],
)
def test_a_sample_that_is_right(sample: str, recorded: str):
    assert found(sample) == []
    (known,) = samples_in(snapshot(sample), PATH)
    assert known.can_run
    assert known.is_small
    wrong = recorded.partition(" = ")[0].replace("[", "[7,")
    ((rule, marked, _),) = found(sample, wrong)
    assert (rule, marked) == ("sample-result-shape", wrong.partition(": ")[2])


@pytest.mark.parametrize(
    ("sample", "rule", "marked", "message"),
    [
        ("scaled([1.0], bay = 2.0)", "unknown-attribute", "bay", "'scaled' has no parameter 'bay'; did you mean 'by'?"),
        ("scaled([1.0], by = 2)", "type-mismatch", "2", "'by' of 'scaled' must be 'scalar', but this is 'integer'"),
        ("scaled([1])", "type-mismatch", "[1]", "'x' of 'scaled' must be 'tensor<scalar>', but this is"),
        ("scaled()", "missing-argument", "scaled", "'scaled' needs 'x'"),
        ("scaled([1.0], 2.0, 3.0)", "too-many-arguments", "3.0", "'scaled' takes 2 arguments"),
        ("scaled([1.0], by = z)", "sample-syntax", "z", "a value that is known"),
        ("scaled([[1.0, 2.0], [3.0]])", "ragged-tensor", "[3.0]", "this row is [1]"),
        ("scaled(random[-1])", "sample-syntax", "-1", "not negative"),
        ("scald([1.0])", "unknown-operator", "scald", "there is no graph, fragment or operation 'scald'"),
        ("product(random[2,3], random[2,4])", "assertion-fails", "product", "is 3, but that of B is 2"),
        ("joined([[[1.0]], [2.0]], axis = 0)", "argument-rank", "joined", "rank"),
        ("scaled([1.0]) + 1", "sample-syntax", "scaled([1.0]) + 1", "a sample invokes"),
    ],
)
def test_a_sample_that_is_wrong(sample: str, rule: str, marked: str, message: str):
    ((told, place, text),) = found(f">>> {sample}")
    assert (told, place) == (rule, marked)
    assert message in text


def test_a_failure_inside_leads_through_the_fragments():
    (told,) = snapshot(">>> product(random[2,3], random[2,4])").diagnostics(PATH)
    text = snapshot(">>> product(random[2,3], random[2,4])").source(PATH).text
    spans = [each.location.span for each in told.related if each.location.path == PATH]
    assert [text[span.start : span.end] for span in spans] == ["matmul"]


def test_a_value_is_outdated_by_an_edit_of_what_it_depends_on():
    def digest(text: str) -> str:
        return next(samples_in(snapshot_of({PATH: text}), PATH)).digest

    text = snapshot(">>> product(random[2,3], random[3,4])").source(PATH).text
    assert digest(text) == digest(text.replace("y = scaled(x);", "y = relu(x);")), "the graph is not reached"
    assert digest(text) != digest(text.replace("by: scalar = 2.0", "by: scalar = 3.0"))
    assert digest(text) != digest(text.replace("m = matmul(a, b)", "m = matmul(a, b + b)"))


def test_an_edit_gives_what_a_fresh_start_gives():
    text = snapshot(">>> product(random[2,3], random[3,4])", "m: real[2,5]").source(PATH).text
    given = snapshot_of({PATH: text})
    for old, new in (("[3,4]", "[3,5]"), ("matmul(a, b)", "matmul(a, b, transposeB = true)"), ("# >>>", "# \n# >>>")):
        given.diagnostics(PATH)
        text = text.replace(old, new)
        given = given.changed({PATH: text})
        assert given.diagnostics(PATH) == snapshot_of({PATH: text}).diagnostics(PATH)


def test_names_in_a_sample_lead_to_the_fragment():
    given = snapshot(">>> scaled([1.0], by = 3.0)", "y: real[1] = [3.0]")
    text, features = given.source(PATH).text, front_end(PATH)
    for shown, name in (("scaled([1", "scaled"), ("by = 3", "by"), ("y: real[1]", "y")):
        at = text.index(shown)
        declared = text.index("fragment scaled(x: tensor<scalar>, by: scalar = 2.0) -> (y")
        link = features.definition(given, PATH, at)
        assert link is not None
        assert link.name.span.start == text.index(name, text.index("-> (", declared) if name == "y" else declared)
        hover = features.hover(given, PATH, at, None)
        assert hover is not None
        assert "scaled" in hover.markdown
        renaming = features.rename(given, PATH, at, "renamed", ())
        starts = {each.location.span.start for each in renaming.edits}
        assert at in starts
        assert link.name.span.start in starts
    assert features.hover(given, PATH, text.index("[1.0], by"), None) is None
