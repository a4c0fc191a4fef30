"""Definitions, blocks and comments can be folded, and a selection grows node by node."""

from __future__ import annotations

import itertools

from snd_analysis.ide import folds, selections
from snd_analysis.ide.navigation import FoldKind
from support.memory import snapshot_of

TEXT = """# One
# comment.
import math;
import nn;

# What it does,
# in two lines.
graph main {
    @input { x: real[4]; }  # data
    @compose {
        y = do..(3) {
            z = f(x);
            yield z;
        };
    }
}
"""


def test_what_can_be_folded():
    found = folds(snapshot_of({"main.sknd": TEXT}), "main.sknd")
    texts = [(each.kind, TEXT[each.span.start : each.span.end].split("\n")[0]) for each in found]
    assert texts == [
        (FoldKind.COMMENT, "# One"),
        (FoldKind.IMPORTS, "import math;"),
        (FoldKind.COMMENT, "# What it does,"),
        (FoldKind.CODE, "graph main {"),
        (FoldKind.CODE, "@compose {"),
        (FoldKind.CODE, "{"),
    ]


def test_selections_grow():
    snapshot = snapshot_of({"main.sknd": TEXT})
    spans = selections(snapshot, "main.sknd", TEXT.index("z = f(x)") + len("z = f("))
    texts = [TEXT[span.start : span.end] for span in spans]
    assert texts[:3] == ["x", "f(x)", "z = f(x)"]
    assert texts[-1] == TEXT
    for inner, outer in itertools.pairwise(spans):
        assert outer.start <= inner.start
        assert inner.end <= outer.end
