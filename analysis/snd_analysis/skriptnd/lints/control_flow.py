"""Rules about branches, loops and blocks; ``snd_analysis.skriptnd.types.compose`` checks them (2.10.1)."""

from __future__ import annotations

from snd_analysis.skriptnd.lints.rule import Rule


def _graph(*statements: str, inputs: str = "x: real[3]; c: bool[];", outputs: str = "y: real[3];") -> str:
    """A whole file whose graph is composed by some statements."""
    body = "\n        ".join(statements)
    used = [module for module in ("layout", "math") if f"{module}." in body]
    imports = f"import {', '.join(used)};\n\n" if used else ""
    return f"""\
{imports}graph net {{
    @input {{ {inputs} }}
    @output {{ {outputs} }}
    @compose {{
        {body}
    }}
}}
"""


CONDITION_TYPE = Rule(
    name="condition-type",
    summary="The condition of a branch or loop is not one bool.",
    why=(
        "A condition decides between two ways, so it is a single value of type bool: a tensor, which is read at run "
        "time, or an expression of attributes and extents, which is decided when composing."
    ),
    bad=_graph("y = if k then math.neg(x) else x;", inputs="x: real[3]; k: int[];"),
    good=_graph("c = math.gt(k, 0);", "y = if c then math.neg(x) else x;", inputs="x: real[3]; k: int[];"),
    section="2.10.1",
)

CONDITION_SHAPE = Rule(
    name="condition-shape",
    summary="The condition of a branch or loop is a tensor that has not exactly one element.",
    why=(
        "The whole branch is taken or not: a tensor of several bools would have to be decided element by element, "
        "which is what `math.select` does, or be reduced to one by `math.all_reduce` or `math.any_reduce`."
    ),
    bad=_graph("y = if c then math.neg(x) else x;", inputs="x: real[3]; c: bool[3];"),
    good=_graph("y = if c then math.neg(x) else x;", inputs="x: real[3]; c: bool[1];"),
    section="2.10.1",
)

BRANCH_RESULTS = Rule(
    name="branch-results",
    summary="The branches of one statement have different numbers of results.",
    why="The names on the left side stand for the results of whichever branch is taken, so all give as many.",
    bad=_graph("y, z = if c then { yield x, x; } else math.neg(x);", outputs="y: real[3]; z: real[3];"),
    good=_graph(
        "y, z = if c then { yield x, x; } else { u = math.neg(x); yield u, x; };", outputs="y: real[3]; z: real[3];"
    ),
    section="2.10.1",
)

BRANCH_TYPES = Rule(
    name="branch-types",
    summary="The branches of one statement differ in element type, or in whether or how many tensors they pack.",
    why=(
        "What follows must work with the result of whichever branch is taken. Under a condition that is known when "
        "composing the shapes may differ; types may not."
    ),
    bad=_graph("y = if c then x else k;", inputs="x: real[3]; k: int[3]; c: bool[];"),
    good=_graph("y = if c then x else layout.cast<real>(k);", inputs="x: real[3]; k: int[3]; c: bool[];"),
    section="2.10.1",
)

BRANCH_RANKS = Rule(
    name="branch-ranks",
    summary="The branches under a condition that is known at run time only give tensors of different rank.",
    why=(
        "Extents may be known at run time only, the number of dimensions may not: it decides which operators can "
        "follow. Under a condition of attributes and shapes, which is decided when composing, the ranks may differ."
    ),
    bad=_graph("y = if c then x else layout.unsqueeze{axes=[0]}(x);", outputs="y: real;"),
    good=_graph("y = if c then x else math.neg(x);", outputs="y: real;"),
    section="2.10.1",
)

MISSING_YIELD = Rule(
    name="missing-yield",
    summary="A block does not say what it results in.",
    why="The names inside a block are its own: what goes out of it is what `yield`, its last statement, lists.",
    bad=_graph("y = { z = math.neg(x); ~ = math.abs(z); };", inputs="x: real[3];"),
    good=_graph("y = { z = math.neg(x); yield z; };", inputs="x: real[3];"),
    section="2.10.1",
)

YIELD_NOT_LAST = Rule(
    name="yield-not-last",
    summary="Something follows the `yield` of a block.",
    why="`yield` ends a block. What stands behind it could not reach any result.",
    bad=_graph("y = { z = math.neg(x); yield z; ~ = math.abs(z); };", inputs="x: real[3];"),
    good=_graph("y = { z = math.neg(x); w = math.abs(z); yield w; };", inputs="x: real[3];"),
    section="2.10.1",
)

CARRIED_COUNT = Rule(
    name="carried-count",
    summary="The body of a loop has fewer results than the loop has carried variables.",
    why=(
        "The first results of the body are the new values of the variables behind `with`, in their order. One that "
        "does not change in some iteration is yielded as it is."
    ),
    bad=_graph(
        "y, z = with s = x, t = x do..(3) math.add(s, t);", inputs="x: real[3];", outputs="y: real[3]; z: real[3];"
    ),
    good=_graph(
        "y, z = with s = x, t = x do..(3) { u = math.add(s, t); yield u, t; };",
        inputs="x: real[3];",
        outputs="y: real[3]; z: real[3];",
    ),
    section="2.10.1",
)

CARRIED_TYPE = Rule(
    name="carried-type",
    summary="A carried variable gets a value of another type or rank than it has.",
    why=(
        "The next iteration starts from the new value, so it must be of the type and rank of the first one. An initial "
        "value that is a scalar takes a shape by a type behind the name: `with sum: real[n] = 0.0`."
    ),
    bad=_graph("y = with s = x do..(3) layout.cast<int>(s);", inputs="x: real[3];"),
    good=_graph("y = with s = x do..(3) math.neg(s);", inputs="x: real[3];"),
    section="2.10.1",
)

SCAN_LENGTHS = Rule(
    name="scan-lengths",
    summary="The packs that a loop scans have different lengths, or it counts further than they go.",
    why="In every iteration one tensor of each pack is taken.",
    bad=_graph(
        "ys = for a : xs, b : zs do math.add(a, b);",
        inputs="xs: real[2]..(2); zs: real[2]..(3);",
        outputs="ys: real[2]..(2);",
    ),
    good=_graph(
        "ys = for a : xs, b : zs[:2] do math.add(a, b);",
        inputs="xs: real[2]..(2); zs: real[2]..(3);",
        outputs="ys: real[2]..(2);",
    ),
    section="2.10.1",
)

LOOP_COUNT = Rule(
    name="loop-count",
    summary="The count of a loop is not one int.",
    why="A loop runs a whole number of times: an int that is known when composing, or an int tensor of rank 0.",
    bad=_graph("y = with s = x do..(k) math.neg(s);", inputs="x: real[3]; k: int[2];"),
    good=_graph("y = with s = x do..(k) math.neg(s);", inputs="x: real[3]; k: int[];"),
    section="2.10.1",
)

ENDLESS_LOOP = Rule(
    name="endless-loop",
    summary="Nothing ends a loop.",
    why="A loop ends when its packs are scanned, when its condition is false, or at its count: it needs one of them.",
    bad=_graph("y = with s = x do math.neg(s);", inputs="x: real[3];"),
    good=_graph("y = with s = x do..(4) math.neg(s);", inputs="x: real[3];"),
    section="2.10.1",
)

UNROLL_DYNAMIC = Rule(
    name="unroll-dynamic",
    summary="A loop is to be unrolled, but how often it runs is known at run time only.",
    why=(
        "Unrolling writes the body down once for every iteration. So the count must be known when composing: no "
        "tensor, and no condition."
    ),
    bad=_graph("y = with s = x unroll..(k) math.neg(s);", inputs="x: real[3]; k: int[];"),
    good=_graph("y = with s = x do..(k) math.neg(s);", inputs="x: real[3]; k: int[];"),
    section="2.10.1",
)

TWO_CONDITIONS = Rule(
    name="two-conditions",
    summary="A loop has a condition before its body and another one behind it.",
    why=(
        "A loop tests its condition either before each iteration or after it. Two tests are one condition: the "
        "conjunction of both, computed in a block."
    ),
    bad=_graph(
        "y = with s = x while math.lt(s, 9.0) do math.add(s, 1.0) while math.gt(s, 0.0);",
        inputs="x: real[];",
        outputs="y: real[];",
    ),
    good=_graph("y = with s = x while math.lt(s, 9.0) do math.add(s, 1.0);", inputs="x: real[];", outputs="y: real[];"),
    section="2.10.1",
)
