"""Rules about what an invocation is given; ``snd_analysis.skriptnd.types.compose`` checks them (2.10, 2.13)."""

from __future__ import annotations

from snd_analysis.skriptnd.lints.rule import Rule


def _graph(
    *statements: str, inputs: str = "x: real[2, 3];", outputs: str = "y: real[2, 3];", module: str = "math"
) -> str:
    """A whole file whose graph is composed by some statements of operators of one library module."""
    body = "\n        ".join(statements)
    return f"""\
import {module};

graph net {{
    @input {{ {inputs} }}
    @output {{ {outputs} }}
    @compose {{
        {body}
    }}
}}
"""


_SCALE = """\
operator scale {
    @dtype { T: num; }
    @attrib { factor: T; times: int = 1; }
    @input { x: T[s..]; }
    @output { y: T[s..]; }
    @assert { times == 1: "once only"; }
    @lower { y[i..] = factor * x[i..], i < s; }
}

"""


def _scaled(statement: str) -> str:
    """A whole file that invokes an operator with two attributes."""
    return f"""\
{_SCALE}graph net {{
    @input {{ x: real[4]; }}
    @output {{ y: real[4]; }}
    @compose {{ {statement} }}
}}
"""


UNKNOWN_ATTRIBUTE = Rule(
    name="unknown-attribute",
    summary="An invocation gives an attribute that the operator does not have.",
    why=(
        "Attributes are given by name, and the names are those of the operator's `@attrib` block. Mostly the name is "
        "misspelt, or is that of the same thing in another framework."
    ),
    bad=_graph("y = math.mean_reduce{axis=[1]}(x);", outputs="y: real[2, 1];"),
    good=_graph("y = math.mean_reduce{axes=[1]}(x);", outputs="y: real[2, 1];"),
    section="2.10",
)

MISSING_ATTRIBUTE = Rule(
    name="missing-attribute",
    summary="An invocation does not give an attribute that has no default.",
    why=(
        "An attribute that is neither optional nor has a default value is one that the operator can't do without: its "
        "author could not guess what is meant."
    ),
    bad=_scaled("y = scale(x);"),
    good=_scaled("y = scale{factor=2.0}(x);"),
    section="2.10",
)

DUPLICATE_ATTRIBUTE = Rule(
    name="duplicate-attribute",
    summary="An invocation gives one attribute twice.",
    why="Only one of the two values can be meant, and nothing says which.",
    bad=_scaled("y = scale{factor=2.0, factor=3.0}(x);"),
    good=_scaled("y = scale{factor=2.0}(x);"),
    section="2.10",
)

ATTRIBUTE_COLON = Rule(
    name="attribute-colon",
    summary="The value of an attribute is written behind a colon.",
    why=(
        "A colon gives a name its type, where it is declared; a value stands behind `=`. One listing of the draft has "
        "the colon, its grammar does not."
    ),
    bad=_scaled("y = scale{factor: 2.0}(x);"),
    good=_scaled("y = scale{factor=2.0}(x);"),
    section="2.10",
)

TOO_MANY_ARGUMENTS = Rule(
    name="too-many-arguments",
    summary="An invocation has more arguments than the operator has inputs.",
    why=(
        "Arguments stand for inputs in order. What is given by name, such as an axis or a size, is an attribute and "
        "stands in braces; several tensors for one packed input stand in brackets."
    ),
    bad=_graph("y = math.neg(x, x);"),
    good=_graph("y = math.neg(x);"),
    section="2.10",
)

MISSING_ARGUMENT = Rule(
    name="missing-argument",
    summary="An input that is neither optional nor has a default gets no argument.",
    why=(
        "The last arguments can be left out, and those in the middle be replaced by `~`, only where the operator "
        "declares these inputs as optional or gives them a default."
    ),
    bad=_graph("y = math.add(x);"),
    good=_graph("y = math.add(x, 1.0);"),
    section="2.10",
)

ARGUMENT_RANK = Rule(
    name="argument-rank",
    summary="An argument has a number of dimensions that the input can't take.",
    why=(
        "The declared shape of an input says how many dimensions it has, or at least has; a name that occurs in two "
        "inputs must stand for as many dimensions in both. Add dimensions by `layout.unsqueeze`, take some away by "
        "`layout.squeeze` or `layout.flatten`."
    ),
    bad=_graph("y = nn.linear(x, w);", inputs="x: real[3]; w: real[5, 3];", outputs="y: real[5];", module="nn"),
    good=_graph("y = nn.linear(x, w);", inputs="x: real[1, 3]; w: real[5, 3];", outputs="y: real[1, 5];", module="nn"),
    section="2.6",
)

ARGUMENT_SHAPE = Rule(
    name="argument-shape",
    summary="An argument has an extent that the input can't take.",
    why=(
        "An extent is the same wherever its name occurs in the inputs of one operator, and is the given number where "
        "one is written. Only extents that differ whatever the inputs of the definition at hand are get reported here."
    ),
    bad=_graph("y = nn.linear(x, w);", inputs="x: real[1, 4]; w: real[5, 3];", outputs="y: real[1, 5];", module="nn"),
    good=_graph("y = nn.linear(x, w);", inputs="x: real[1, 3]; w: real[5, 3];", outputs="y: real[1, 5];", module="nn"),
    section="2.6",
)

PACK_RANKS_DIFFER = Rule(
    name="pack-ranks-differ",
    summary="A list of tensors has tensors of different rank.",
    why=(
        "The tensors of a pack share one type, and with it the number of dimensions; only single extents may be "
        "declared to differ between them."
    ),
    bad=_graph(
        "y = layout.concat{axis=0}([a, b]);",
        inputs="a: real[2]; b: real[2, 1];",
        outputs="y: real[4];",
        module="layout",
    ),
    good=_graph(
        "y = layout.concat{axis=0}([a, b]);", inputs="a: real[2]; b: real[2];", outputs="y: real[4];", module="layout"
    ),
    section="2.3",
)

GENERIC_COUNT = Rule(
    name="generic-count",
    summary="An invocation names more types than the operator has generic ones.",
    why="Types in `<>` stand for the entries of the operator's `@dtype` block, in their order.",
    bad=_graph("y = math.neg<real, int>(x);"),
    good=_graph("y = math.neg<real>(x);"),
    section="2.13",
)

GENERIC_OUTSIDE_BASE = Rule(
    name="generic-outside-base",
    summary="A generic type of the invoked operator would stand for a type that its base does not allow.",
    why=(
        "The base says for which types the operator is written: `num` for int and real, `arith` for these and bool, "
        "`type` for all. A generic type that is passed on must be at least as narrow as the one it is passed to."
    ),
    bad=_graph("y = math.neg(x);", inputs="x: bool[4];", outputs="y: bool[4];"),
    good=_graph("y = math.not(x);", inputs="x: bool[4];", outputs="y: bool[4];"),
    section="2.13",
)

GENERIC_CONFLICT = Rule(
    name="generic-conflict",
    summary="One generic type would have to be two types at once.",
    why=(
        "Everything that is declared with one generic type has the same type in one invocation, and nothing is "
        "converted by itself. Write the literal of the other type, or cast the tensor by `layout.cast`."
    ),
    bad=_graph("y = math.add(x, 1);"),
    good=_graph("y = math.add(x, 1.0);"),
    section="2.13",
)

GENERIC_NOT_DEDUCIBLE = Rule(
    name="generic-not-deducible",
    summary="Nothing in an invocation determines a generic type that has no default.",
    why=(
        "Types are deduced from arguments and attributes that are given, not from what is done with the results. What "
        "they don't tell must be written behind the name of the operator."
    ),
    bad="""\
operator zeros {
    @dtype { T: num; }
    @attrib { n: int; }
    @output { y: T[n]; }
    @lower { y[i,] = T(0), i < n; }
}

graph net {
    @output { y: real[2]; }
    @compose { y = zeros{n=2}(); }
}
""",
    good="""\
operator zeros {
    @dtype { T: num; }
    @attrib { n: int; }
    @output { y: T[n]; }
    @lower { y[i,] = T(0), i < n; }
}

graph net {
    @output { y: real[2]; }
    @compose { y = zeros<real>{n=2}(); }
}
""",
    section="2.13",
)

_BLOCK = """\
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = math.neg(x); }
}
"""

_NET = """\
import math;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = block(x); }
}

"""

GRAPH_INVOKED = Rule(
    name="graph-invoked",
    summary="A graph is invoked outside of branches and loops.",
    why=(
        "A graph is either the model itself or a part of a branch or loop, and has a scope of names of its own. What "
        "is invoked as a step of a composition is an `operator`."
    ),
    bad=f"{_NET}graph block {{\n{_BLOCK}",
    good=f"{_NET}operator block {{\n{_BLOCK}",
    section="2.10",
)

RECURSIVE_OPERATOR = Rule(
    name="recursive-operator",
    summary="An operator invokes itself, directly or through others.",
    why=(
        "Composing replaces an invocation by what the operator consists of. For an operator that invokes itself that "
        "never ends, whatever conditions it tests. Repetition is written as a loop."
    ),
    bad="""\
operator halve {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = halve(x); }
}
""",
    good="""\
operator halve {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,] / 2.0, i < n; }
}
""",
    section="LANGUAGE",
)
