"""Assertions that fixes add to an operator: in its block, in the form of the others, or in a new block."""

from __future__ import annotations

import pytest

from snd_analysis.proofs import assertion_edit
from snd_analysis.skriptnd.names import OperatorName
from support.memory import snapshot_of

HEAD = """operator m {
    @attrib { g: int; }
    @input { x: real[n]; }
    @output { y: real[n]; }
"""
LOWER = """
    @lower { y[i,] = x[i,], i < n; }
}
"""


def added(block: str, *assertions: str) -> str:
    """Return the block with assertions, or what stands in place of it."""
    text = f"{HEAD}{block}{LOWER}"
    snapshot = snapshot_of({"m.sknd": text})
    edit = assertion_edit(snapshot, OperatorName("m.sknd", "m"), assertions)
    assert edit is not None
    changed = edit.apply(text)
    assert not snapshot_of({"m.sknd": changed}).diagnostics("m.sknd")
    return changed.removeprefix(HEAD.rstrip()).removesuffix(LOWER).strip("\n")


def test_a_new_block_stands_behind_the_declarations():
    assert added("", "g > 0", "n % g == 0") == "    @assert {\n        g > 0;\n        n % g == 0;\n    }"


def test_a_block_of_one_line_gets_longer():
    assert added("    @assert { g > 0; }", "n % g == 0", "g <= n") == "    @assert { g > 0; n % g == 0; g <= n; }"


def test_a_block_of_several_lines_gets_lines():
    block = "    @assert {\n        g > 0;\n    }"
    assert added(block, "n % g == 0") == "    @assert {\n        g > 0;\n        n % g == 0;\n    }"


@pytest.mark.parametrize(
    ("assertion", "message"),
    [
        ("n > 0", "\"'n' must be positive\", n"),
        ("n >= 0", "\"'n' must not be negative\", n"),
        ("n % g == 0", "\"'n' must be a multiple of 'g'\", n, g"),
        ("n % (2 * g) == 0", "\"'n' must be a multiple of '2 * g'\", n, g"),
        ("g + 1 <= n", "\"'g + 1' must be at most 'n'\", g, n"),
        ("n == 3", "\"'n' must be 3\", n"),
        ("g >= 0 && g < n", "\"'g' must be at least 0 and less than 'n'\", g, n"),
        ("g < n || n == 0", "\"'g < n || n == 0' must hold\", g, n"),
    ],
)
def test_an_assertion_has_a_message_where_all_others_have_one(assertion, message):
    block = "    @assert {\n        g > 0: \"'g' must be positive\", g;\n    }"
    assert added(block, assertion) == block.removesuffix("\n    }") + f"\n        {assertion}: {message};\n    }}"
