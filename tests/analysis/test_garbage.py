"""Objects that an edit replaces are freed at once: they are in no cycle, which would wait for garbage collection."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from snd_analysis.compose import Specialization, Template
from snd_analysis.skriptnd.names import Resolution
from snd_analysis.workspace import Workspace
from support.memory import MemoryReader
from support.sampling import sample

PROGRAM = """import nn;

# >>> twice([1.0])
operator twice {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i] = 2.0 * x[i], i < n; }
}

operator thrice {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = twice(twice(x)); }
}

graph Net {
    @input { x: real[3]; }
    @output { y: real[3]; }
    @compose { y = nn.relu(thrice(x)); }
}
"""


@pytest.fixture
def _uncollected() -> Iterator[None]:
    """Freeze existing objects: a test makes few objects beside hundreds of thousands."""
    gc.collect()
    gc.freeze()
    gc.disable()
    yield
    gc.enable()
    gc.unfreeze()


def _alive(*kinds: type) -> int:
    return sum(isinstance(each, kinds) for each in gc.get_objects())


@pytest.mark.usefixtures("_uncollected")
@pytest.mark.parametrize(
    ("before", "after"),
    sample([("2.0 * x[i]", "3.0 * x[i]"), ("twice(twice(x))", "twice(x)"), ("thrice(x)", "twice(x)"), ("n]", "m]")], 2),
)
def test_what_edits_replace_is_free_at_once(before: str, after: str):
    workspace = Workspace(MemoryReader({}))
    alive = []
    for _ in range(6):
        for text in (PROGRAM, PROGRAM.replace(before, after, 1)):
            workspace.open("main.sknd", text)
            snapshot = workspace.snapshot()
            snapshot.diagnostics("main.sknd")
        alive.append(_alive(Template, Specialization, Resolution))
    assert alive[0] > 4
    assert alive[1:] == alive[1:2] * 5
