"""Rules about names; ``snd_analysis.skriptnd.names`` checks them (2.2 to 2.14)."""

from __future__ import annotations

from snd_analysis.base.diagnostics import Severity
from snd_analysis.skriptnd.lints.rule import Rule

UNDEFINED_NAME = Rule(
    name="undefined-name",
    summary="A name stands for nothing that is visible where it is used.",
    why=(
        "Every name of an operator is declared in one of its blocks: attributes, inputs and the extents and lengths in "
        "their types, helper symbols, constants, variables, outputs, the tensors of `@compose`, the indices and local "
        "values of a formula. Indices and local values end with their formula, the tensors of a `{ … }` block with the "
        "block. A name that is used in several places is reported once."
    ),
    bad="""\
operator scale {
    @attrib { factor: real; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @assert { factor > 0.0; }
    @lower { y[i,] = factr * x[i,], i < n; }
}
""",
    good="""\
operator scale {
    @attrib { factor: real; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @assert { factor > 0.0; }
    @lower { y[i,] = factor * x[i,], i < n; }
}
""",
    section="2.2",
)

NOT_VISIBLE = Rule(
    name="not-visible",
    summary="A name is used in a block that is evaluated before the name is known.",
    why=(
        "However the blocks are arranged, they are evaluated in one order: attributes and inputs, then helper symbols, "
        "constants and variables, outputs, assertions, and at last the body. An attribute's default value cannot "
        "depend on a helper symbol, nor a helper symbol on an output. Compute the value from what is known earlier."
    ),
    bad="""\
operator crop {
    @attrib { size: int = half; }
    @input { x: real[n]; }
    @using { half = n / 2; }
    @output { y: real[size]; }
    @lower { y[i,] = x[i,], i < size; }
}
""",
    good="""\
operator crop {
    @attrib { size: int = n / 2; }
    @input { x: real[n]; }
    @output { y: real[size]; }
    @lower { y[i,] = x[i,], i < size; }
}
""",
    section="2.2",
)

USED_BEFORE_DEFINITION = Rule(
    name="used-before-definition",
    summary="A tensor or a helper symbol is used above the place that defines it.",
    why=(
        "`@using`, `@compose` and `@update` are read from top to bottom: a symbol is visible behind its own definition "
        "only, and cannot be defined by itself. Move the definition up."
    ),
    bad="""\
import math;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose {
        y = math.add(scaled, 1.0);
        scaled = math.mul(x, 2.0);
    }
}
""",
    good="""\
import math;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose {
        scaled = math.mul(x, 2.0);
        y = math.add(scaled, 1.0);
    }
}
""",
    section="2.10",
)

DUPLICATE_DEFINITION = Rule(
    name="duplicate-definition",
    summary="Two declarations of a definition have the same name.",
    why=(
        "Attributes, inputs, outputs, extents, helper symbols, constants and variables of an operator share one space "
        "of names, so a second declaration would make every use ambiguous. Only the inside of a block or a formula may "
        "hide a name from outside. The same extent in the shapes of two inputs is no second declaration: it says that "
        "the two agree."
    ),
    bad="""\
operator negate {
    @input { x: real[n]; }
    @output { x: real[n]; }
    @lower { x[i,] = 1.0, i < n; }
}
""",
    good="""\
operator negate {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = -x[i,], i < n; }
}
""",
    section="2.2",
)

ASSIGNED_TWICE = Rule(
    name="assigned-twice",
    summary="A tensor is assigned a second time.",
    why=(
        "A graph is data flow, not a program: a name stands for one tensor, which has no later value. Give the second "
        "result a name of its own. Inside of a block, a loop or a branch the name may be used anew."
    ),
    bad="""\
import math;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose {
        t = math.add(x, 1.0);
        t = math.mul(t, 2.0);
        y = math.sub(t, 1.0);
    }
}
""",
    good="""\
import math;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose {
        shifted = math.add(x, 1.0);
        scaled = math.mul(shifted, 2.0);
        y = math.sub(scaled, 1.0);
    }
}
""",
    section="2.10",
)

ILLEGAL_ASSIGNMENT = Rule(
    name="illegal-assignment",
    summary="Something is assigned that keeps its value here.",
    why=(
        "`@compose` assigns intermediate tensors and outputs, `@update` assigns intermediate tensors and variables. "
        "Inputs and constants are given, outputs are final when `@update` runs, and a variable holds one value "
        "throughout `@compose`, so that the order of statements does not matter."
    ),
    bad="""\
import math;

graph average {
    @input { x: real[4]; }
    @variable { mean: real[4]; }
    @output { y: real[4]; }
    @compose {
        y = math.sub(x, mean);
        mean = math.axpby(0.9, mean, 0.1, x);
    }
}
""",
    good="""\
import math;

graph average {
    @input { x: real[4]; }
    @variable { mean: real[4]; }
    @output { y: real[4]; }
    @compose { y = math.sub(x, mean); }
    @update { mean = math.axpby(0.9, mean, 0.1, x); }
}
""",
    section="2.11",
)

RESERVED_NAME = Rule(
    name="reserved-name",
    summary="A lone `_` is used as a name.",
    why=(
        "Names may begin with an underscore, but one that is nothing else is reserved. A result that nobody needs is "
        "written `~`; a name such as `_unused` says that it is declared on purpose and never read."
    ),
    bad="""\
import layout;

graph net {
    @input { x: real[4]; }
    @output { y: real[2]; }
    @compose { [_, y] = layout.split{axis = 0, count = 2}(x); }
}
""",
    good="""\
import layout;

graph net {
    @input { x: real[4]; }
    @output { y: real[2]; }
    @compose { [~, y] = layout.split{axis = 0, count = 2}(x); }
}
""",
    section="2.4",
)

UNKNOWN_MEMBER = Rule(
    name="unknown-member",
    summary="Something other than the shape, rank or size of a tensor is asked for.",
    why=(
        "A dot in an expression has one meaning: `x.shape` and `x.rank` of a tensor `x`, and `x.size`, the number of "
        "tensors in a pack. Packs of values have no members: name their length where they are declared, as in "
        "`axes: int..(n)`."
    ),
    bad="""\
operator reverse {
    @attrib { axes: int..; }
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @assert { axes.size <= x.rank; }
    @lower { y[i..] = x[i[axes] <- (s[axes] - i[axes] - 1) ..], i < s; }
}
""",
    good="""\
operator reverse {
    @attrib { axes: int..(n); }
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @assert { n <= x.rank; }
    @lower { y[i..] = x[i[axes] <- (s[axes] - i[axes] - 1) ..], i < s; }
}
""",
    section="2.4",
)

NOT_AFFINE = Rule(
    name="not-affine",
    summary="An extent or a length would have to be solved for a name, but is not an affine expression of it.",
    why=(
        "The shapes of the arguments decide what the names in the shapes of the inputs stand for. From `2 * n + 1` "
        "follows `n`, whatever the extent is; from `n * n`, `n / 2` or `n + m` it does not. Such an expression is "
        "legal where every name in it is declared elsewhere: then it is compared, not solved."
    ),
    bad="""\
operator interleave {
    @input { x: real[n * m]; }
    @output { y: real[n, m]; }
    @lower { y[i,j] = x[i * m + j,], i < n, j < m; }
}
""",
    good="""\
operator interleave {
    @attrib {
        n: int;
        m: int;
    }
    @input { x: real[n * m]; }
    @output { y: real[n, m]; }
    @lower { y[i,j] = x[i * m + j,], i < n, j < m; }
}
""",
    section="2.6",
)

UNUSED_SYMBOL = Rule(
    name="unused-symbol",
    summary="An attribute, helper symbol, constant, variable, tensor or local value is never read.",
    why=(
        "It may be left over, or the place that should read it may be missing. Write `~` for a result that nobody "
        "needs, or begin the name with an underscore to say that it is meant so. The hint waits until the definition "
        "has no errors. Inputs, extents and lengths are never reported: they describe the interface."
    ),
    bad="""\
import math;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose {
        scaled = math.mul(x, 2.0);
        y = math.add(x, 1.0);
    }
}
""",
    good="""\
import math;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose {
        scaled = math.mul(x, 2.0);
        y = math.add(scaled, 1.0);
    }
}
""",
    section="tool",
    severity=Severity.HINT,
)
