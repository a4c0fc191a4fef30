"""Rules about results, outputs, updates and labels; ``types.compose`` checks them (2.10, 2.11)."""

from __future__ import annotations

from snd_analysis.skriptnd.lints.rule import Rule


def _graph(*statements: str, inputs: str = "x: real[2, 3];", outputs: str = "y: real[2, 3];", blocks: str = "") -> str:
    """A whole file whose graph is composed by some statements."""
    body = "\n        ".join(statements)
    return f"""\
import layout, math;

graph net {{
    @input {{ {inputs} }}
    @output {{ {outputs} }}{blocks}
    @compose {{
        {body}
    }}
}}
"""


def _used(text: str) -> str:
    """The text with imports of the modules that it uses only."""
    used = [module for module in ("layout", "math") if f"{module}." in text]
    return text.replace("import layout, math;", f"import {', '.join(used)};")


RESULT_COUNT = Rule(
    name="result-count",
    summary="A statement names more or fewer results than its right side has.",
    why=(
        "Every result has its place on the left side. One that is not needed is written `~`, so that a result that was "
        "forgotten is not mistaken for one that is left out."
    ),
    bad=_used(_graph("y = math.moments{axes=[1]}(x);", outputs="y: real[2, 1];")),
    good=_used(_graph("y, ~ = math.moments{axes=[1]}(x);", outputs="y: real[2, 1];")),
    section="2.10",
)

PACKED_RESULT_WITHOUT_LENGTH = Rule(
    name="packed-result-without-length",
    summary="The name of a packed result of an invocation does not say how many tensors it stands for.",
    why=(
        "How many tensors an operator gives may depend on attributes and shapes. A composition says it where the name "
        "is made, as `ys..(n)`, or by a list of names, so that a reader need not compute it."
    ),
    bad=_used(_graph("parts = layout.split{axis=1, count=3}(x);", "y = layout.concat{axis=1}(parts);")),
    good=_used(_graph("parts..(3) = layout.split{axis=1, count=3}(x);", "y = layout.concat{axis=1}(parts);")),
    section="2.10",
)

TWO_FLEXIBLE_RESULTS = Rule(
    name="two-flexible-results",
    summary="Two items of one list of results would both take what the others leave.",
    why=(
        "An item with `..` and no length takes as many tensors as remain. With two of them nothing says where the "
        "first ends and the second begins."
    ),
    bad=_used(
        _graph(
            "[a.., b..] = layout.split{axis=1, count=3}(x);",
            "u = layout.concat{axis=1}(a);",
            "v = layout.concat{axis=1}(b);",
            "y = layout.concat{axis=1}([u, v]);",
        )
    ),
    good=_used(
        _graph(
            "[a..(1), b..] = layout.split{axis=1, count=3}(x);",
            "u = layout.concat{axis=1}(a);",
            "v = layout.concat{axis=1}(b);",
            "y = layout.concat{axis=1}([u, v]);",
        )
    ),
    section="2.10",
)

RESULT_SHAPE = Rule(
    name="result-shape",
    summary="A result has another shape than the one written behind its name.",
    why=(
        "A type behind a result gives names to its extents, and says what the author expects. Names that are new stand "
        "for whatever the extents are; numbers, and names that mean something already, must agree with them."
    ),
    bad=_used(_graph("z: real[2, 4] = math.neg(x);", "y = math.abs(z);")),
    good=_used(_graph("z: real[2, n] = math.neg(x);", "w: real[2, n] = math.abs(z);", "y = math.neg(w);")),
    section="2.10",
)

OUTPUT_TYPE = Rule(
    name="output-type",
    summary="An output is composed with another element type than it is declared with.",
    why=(
        "Whoever invokes an operator relies on its declarations, and nothing is converted by itself. Either the "
        "declaration or the composition is wrong; `layout.cast` converts."
    ),
    bad=_used(_graph("y = math.neg(x);", outputs="y: int[2, 3];")),
    good=_used(_graph("y = math.neg(x);")),
    section="2.10",
)

OUTPUT_SHAPE = Rule(
    name="output-shape",
    summary="An output is composed with another rank or other extents than it is declared with.",
    why=(
        "The declared shape is what others compute with. It is reported where the two differ whatever the inputs are; "
        "a graph may leave the shape of an output out, and has the composed one then."
    ),
    bad=_used(_graph("y = math.neg(x);", outputs="y: real[2, 3, 1];")),
    good=_used(_graph("y = layout.unsqueeze{axes=[2]}(x);", outputs="y: real[2, 3, 1];")),
    section="2.10",
)

OUTPUT_NOT_ASSIGNED = Rule(
    name="output-not-assigned",
    summary="An output is declared, and nothing in `@compose` is assigned to it.",
    why="A composition must say how every output is computed.",
    bad=_used(_graph("y = math.neg(x);", outputs="y: real[2, 3]; z: real[2, 3];")),
    good=_used(_graph("y = math.neg(x);", "z = math.abs(x);", outputs="y: real[2, 3]; z: real[2, 3];")),
    section="2.10",
)

_COUNTER = """
    @variable { total: real[3]; }"""


def _updated(statement: str) -> str:
    text = _graph(
        "y = math.add(x, total);", inputs="x: real[3]; k: int[3]; u: real[2];", outputs="y: real[3];", blocks=_COUNTER
    )
    return _used(text.rstrip()[:-1] + f"    @update {{ {statement} }}\n}}\n")


UPDATE_TYPE = Rule(
    name="update-type",
    summary="A variable is updated by values of another element type.",
    why="A variable keeps its declared type from one run to the next; nothing is converted by itself.",
    bad=_updated("total = k;"),
    good=_updated("total = y;"),
    section="2.11",
)

UPDATE_SHAPE = Rule(
    name="update-shape",
    summary="A variable is updated by a tensor of another rank or other extents.",
    why="A variable keeps its declared shape from one run to the next, as its file of values does.",
    bad=_updated("total = math.neg(u);"),
    good=_updated("total = math.add(total, y);"),
    section="2.11",
)

DUPLICATE_LABEL = Rule(
    name="duplicate-label",
    summary="Two invocations or blocks in one scope have the same label.",
    why=(
        "Labels name the tensors inside of operators: the files of their variables, and what is quantized. With two "
        "of one name nothing says which is meant."
    ),
    bad=_used(_graph("z = first: math.neg(x);", "y = first: math.abs(z);")),
    good=_used(_graph("z = first: math.neg(x);", "y = second: math.abs(z);")),
    section="2.10",
)
