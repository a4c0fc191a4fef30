"""Rules about the names of operators and modules in invocations; ``names`` checks them (2.10, 2.15)."""

from __future__ import annotations

from snd_analysis.skriptnd.lints.rule import Rule

UNKNOWN_OPERATOR = Rule(
    name="unknown-operator",
    summary="There is no operator or graph of the name that is invoked.",
    why=(
        "An unqualified name is one of the same file; operators of other modules are invoked as `module.operator`, "
        "whatever is imported. The built-in functions such as `sqrt` are not operators: a statement of `@compose` that "
        "consists of one needs parentheses, `y = (sqrt(x));`, because without them an operator of the file is meant."
    ),
    bad="""\
import nn;

graph net {
    @input { x: real[1, 4]; }
    @output {
        y: real[1, 4];
        z: real[1, 4];
    }
    @compose {
        y = nn.relu(x);
        z = nn.sigmoyd(x);
    }
}
""",
    good="""\
import nn;

graph net {
    @input { x: real[1, 4]; }
    @output {
        y: real[1, 4];
        z: real[1, 4];
    }
    @compose {
        y = nn.relu(x);
        z = nn.sigmoid(x);
    }
}
""",
    section="2.10",
)

UNKNOWN_MODULE = Rule(
    name="unknown-module",
    summary="An operator is invoked from a module that is not imported.",
    why=(
        "A file sees only the modules that its own import statements name, also of the standard library. A module in "
        "a folder is named by its whole path, `parts.blocks` for `parts/blocks.sknd`."
    ),
    bad="""\
graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = math.exp(x); }
}
""",
    good="""\
import math;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = math.exp(x); }
}
""",
    section="2.15",
)

PRIVATE_OPERATOR = Rule(
    name="private-operator",
    summary="An operator whose name begins with an underscore is invoked from another module.",
    why=(
        "The underscore says that the operator is a detail of its module, which may change or vanish without notice. "
        "Invoke an operator that the module offers, or ask for one."
    ),
    bad="""\
# file: main.sknd
import blocks;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = blocks._half(x); }
}
# file: blocks.sknd
operator _half {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @lower { y[i..] = 0.5 * x[i..], i < s; }
}
""",
    good="""\
# file: main.sknd
import blocks;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = blocks.half(x); }
}
# file: blocks.sknd
operator half {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @lower { y[i..] = 0.5 * x[i..], i < s; }
}
""",
    section="LANGUAGE",
)

NESTED_INVOCATION = Rule(
    name="nested-invocation",
    summary="An operator is invoked inside an expression.",
    why=(
        "An invocation is a statement of its own, with a name for its result: the tensors of a graph are known by "
        "these names. Only built-in functions and arithmetic can be nested."
    ),
    bad="""\
import math, nn;

graph net {
    @input { x: real[1, 4]; }
    @output { y: real[1, 4]; }
    @compose { y = nn.relu(math.sin(x)); }
}
""",
    good="""\
import math, nn;

graph net {
    @input { x: real[1, 4]; }
    @output { y: real[1, 4]; }
    @compose {
        wave = math.sin(x);
        y = nn.relu(wave);
    }
}
""",
    section="2.10",
)
