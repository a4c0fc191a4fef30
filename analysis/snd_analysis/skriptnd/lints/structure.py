"""Checks of a definition's blocks: which there may be, and which there must be (2.2)."""

from __future__ import annotations

from collections.abc import Iterator

from snd_analysis.base.problem import Note, Problem
from snd_analysis.skriptnd.lints.rule import Rule
from snd_analysis.skriptnd.syntax import nodes


def check_structure(definition: nodes.Definition) -> Iterator[Problem]:
    """Blocks given twice, blocks that exclude each other, blocks that a graph must or must not have."""
    seen: dict[str, nodes.Block] = {}
    for block in definition.blocks:
        if not isinstance(block, nodes.Block):
            continue
        earlier = seen.setdefault(block.kind, block)
        if earlier is not block:
            message = f"'{definition.name.text}' has two blocks '@{block.kind}': put their entries into one"
            yield Problem("duplicate-block", block.keyword, message, (Note(earlier.keyword, "the first one is here"),))
    broken = any(isinstance(block, nodes.ErrorBlock) for block in definition.blocks)
    if "lower" in seen and "compose" in seen:
        message = f"'{definition.name.text}' has both '@lower' and '@compose': one of them says how it is computed"
        notes = tuple(Note(seen[kind].keyword, f"'@{kind}' is here") for kind in ("lower", "compose"))
        yield Problem("lower-and-compose", definition.name.span, message, notes)
    if definition.kind == "graph" and "lower" in seen:
        message = f"the graph '{definition.name.text}' can't have '@lower': graphs are composed of operators"
        yield Problem("graph-with-lower", seen["lower"].keyword, message)
    elif definition.kind == "graph" and "compose" not in seen and not broken and definition.name.text:
        message = f"the graph '{definition.name.text}' has no '@compose': nothing says how its outputs are computed"
        yield Problem("graph-without-compose", definition.name.span, message)
    if "output" not in seen and not broken and definition.name.text and "update" not in seen:
        message = f"the {definition.kind} '{definition.name.text}' has no '@output'"
        yield Problem("missing-output", definition.name.span, message)


DUPLICATE_BLOCK = Rule(
    name="duplicate-block",
    summary="A definition has two blocks of the same kind.",
    why=(
        "Each block stands at most once, in any place: a reader who has found the attributes of an operator has found "
        "all of them. Put the entries into one block."
    ),
    bad="""\
operator linear {
    @attrib { factor: real; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @attrib { offset: real; }
    @lower { y[i,] = factor * x[i,] + offset, i < n; }
}
""",
    good="""\
operator linear {
    @attrib {
        factor: real;
        offset: real;
    }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = factor * x[i,] + offset, i < n; }
}
""",
    section="LANGUAGE",
)

LOWER_AND_COMPOSE = Rule(
    name="lower-and-compose",
    summary="An operator has both `@lower` and `@compose`.",
    why=(
        "Either says completely how the outputs are computed, by formulas or by other operators; two descriptions "
        "could contradict each other. An operator that does both is two operators."
    ),
    bad="""\
import math;

operator double {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = 2.0 * x[i,], i < n; }
    @compose { y = math.add(x, x); }
}
""",
    good="""\
operator double {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = 2.0 * x[i,], i < n; }
}
""",
    section="2.2",
)

GRAPH_WITH_LOWER = Rule(
    name="graph-with-lower",
    summary="A graph has a block `@lower`.",
    why="Graphs connect operators; formulas over single items belong into an operator that the graph invokes.",
    bad="""\
graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @lower { y[i,] = 2.0 * x[i,], i < 4; }
}
""",
    good="""\
operator double {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = 2.0 * x[i,], i < n; }
}

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = double(x); }
}
""",
    section="2.6.1",
)

GRAPH_WITHOUT_COMPOSE = Rule(
    name="graph-without-compose",
    summary="A graph has no block `@compose`.",
    why=(
        "Nothing says how its outputs are computed. Only an operator may leave that open, for an implementation to "
        "provide it."
    ),
    bad="""\
graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
}
""",
    good="""\
import math;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = math.add(x, 1.0); }
}
""",
    section="2.6.1",
)

MISSING_OUTPUT = Rule(
    name="missing-output",
    summary="An operator or graph has no block `@output`.",
    why=(
        "What has no results has no effect either: nothing could be done with it in a graph. A definition that works "
        "by its `@update` alone needs no outputs."
    ),
    bad="""\
operator double {
    @input { x: real[n]; }
    @lower { }
}
""",
    good="""\
operator double {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = 2.0 * x[i,], i < n; }
}
""",
    section="2.2",
)
