"""The standard library is analysed once per process: every workspace and every test shares the result."""

from __future__ import annotations

from snd_analysis.skriptnd.names import LIBRARY_PREFIX, OperatorName
from snd_analysis.workspace import Workspace
from support.memory import MemoryReader

PROGRAM = """\
import nn, layer;

# >>> nn.softmax([1.0, 2.0])
graph net {
    @input { x: real[1, 3, 16, 16]; }
    @output { y: real[1, 4]; }
    @compose {
        t = layer.conv{channels=4, size=3}(x);
        u = nn.avg_pool{axes=[2, 3], size=[16, 16], padding=0}(nn.relu(t));
        y = nn.softmax{axes=[1]}(nn.flatten(u));
    }
}
"""


def _of_the_library(key: tuple[object, ...]) -> bool:
    paths = (part.path if isinstance(part, OperatorName) else part for part in key)
    return any(isinstance(path, str) and path.startswith(LIBRARY_PREFIX) for path in paths)


def _worked_out(name: str) -> tuple[list[tuple[str, tuple[object, ...]]], int]:
    """Return the queries about the library that another workspace works out, and how many about its own files."""
    executed: list[tuple[str, tuple[object, ...]]] = []
    files = {name: PROGRAM}
    workspace = Workspace(
        MemoryReader(files),
        on_execute=lambda query, key: executed.append((query.__name__, key)),  # type: ignore[attr-defined]
    )
    snapshot = workspace.snapshot()
    snapshot.diagnostics(name)
    assert snapshot.specialization(OperatorName(name, "net")) is not None
    of_library = [each for each in executed if _of_the_library(each[1])]
    return of_library, len(executed) - len(of_library)


def test_a_second_workspace_analyses_nothing_of_the_library():
    _worked_out("one.sknd")
    of_library, own = _worked_out("other.sknd")
    assert of_library == []
    assert own > 10
