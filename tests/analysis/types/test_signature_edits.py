"""An edit checks again what depends on it, and nothing else: bodies stay within, signatures reach their callers."""

from __future__ import annotations

from collections import Counter

import pytest

from snd_analysis.base import Edit, Span
from snd_analysis.skriptnd.names import OperatorName
from snd_analysis.skriptnd.types import fingerprint
from snd_analysis.workspace import Workspace
from snd_analysis.workspace import checks as workspace_module
from support.memory import MemoryReader

LIBRARY = """\
operator first {
    @attrib { a: int = 1; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @assert { a > 0; }
    @lower { y[i,] = x[i,], i < n; }
}
operator second {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = first(x); }
}
"""


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the checks of each definition."""
    counts: Counter[str] = Counter()
    original = workspace_module.check_definition

    def counting(definition, *rest):
        counts[definition.name.text] += 1
        return original(definition, *rest)

    monkeypatch.setattr(workspace_module, "check_definition", counting)
    return counts


def _opened() -> Workspace:
    workspace = Workspace(MemoryReader({}))
    workspace.open("ops.sknd", LIBRARY)
    workspace.snapshot().diagnostics("ops.sknd")
    return workspace


def _edited(workspace: Workspace, before: str, after: str) -> None:
    text = workspace.snapshot().source("ops.sknd").text
    assert before in text
    workspace.open("ops.sknd", text.replace(before, after))
    fresh = Workspace(MemoryReader({"ops.sknd": text.replace(before, after)})).snapshot()
    assert workspace.snapshot().diagnostics("ops.sknd") == fresh.diagnostics("ops.sknd")


@pytest.mark.parametrize(("before", "after"), [("y[i,] = x[i,]", "y[i,] = -x[i,]"), ("a > 0", "a > 1")])
def test_an_edit_of_a_body_or_an_assertion_checks_that_operator_only(checks: Counter[str], before: str, after: str):
    workspace = _opened()
    checks.clear()
    workspace.open("ops.sknd", LIBRARY.replace(before, after))
    workspace.snapshot().diagnostics("ops.sknd")
    assert checks == {"first": 1}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: int = 1", "a: int"),
        (
            "x: real[n]; }\n    @output { y: real[n]; }\n    @assert",
            "x: int[n]; }\n    @output { y: real[n]; }\n    @assert",
        ),
        ("y: real[n]; }\n    @assert", "y: real[n,n]; }\n    @assert"),
        ("operator first", "public operator first"),
    ],
)
def test_an_edit_of_a_signature_checks_those_that_invoke_it(checks: Counter[str], before: str, after: str):
    workspace = _opened()
    checks.clear()
    workspace.open("ops.sknd", LIBRARY.replace(before, after))
    workspace.snapshot().diagnostics("ops.sknd")
    assert checks == {"first": 1, "second": 1}


def test_white_space_in_a_signature_checks_nobody_else(checks: Counter[str]):
    workspace = _opened()
    checks.clear()
    workspace.open("ops.sknd", LIBRARY.replace("a: int = 1;", "a :  int=1; # one"))
    workspace.snapshot().diagnostics("ops.sknd")
    assert checks == {"first": 1}


def test_a_body_that_closes_a_cycle_is_noticed():
    _edited(_opened(), "@lower { y[i,] = x[i,], i < n; }", "@compose { y = second(x); }")


def test_edits_give_what_a_fresh_start_gives():
    workspace = _opened()
    for before, after in (
        ("a > 0", "a > 1"),
        ("a: int = 1", "a: int"),
        ("@compose { y = first(x); }", "@compose { y = first{a=2}(x); }"),
        (
            "x: real[n]; }\n    @output { y: real[n]; }\n    @assert",
            "x: int[n]; }\n    @output { y: real[n]; }\n    @assert",
        ),
        ("operator first", "operator other"),
    ):
        _edited(workspace, before, after)


def test_fingerprints_tell_literals_of_equal_value_apart():
    def of(text: str):
        workspace = Workspace(MemoryReader({"ops.sknd": text}))
        definition = workspace.snapshot().definition(OperatorName("ops.sknd", "first"))
        assert definition is not None
        return fingerprint(definition)

    assert of(LIBRARY) == of(LIBRARY.replace("y[i,] = x", "y[i,] = -x").replace(" a: int", "\n\n  a:  int"))
    assert of(LIBRARY) != of(LIBRARY.replace("= 1;", "= 1.0;"))
    assert of(LIBRARY) != of(LIBRARY.replace("= 1;", "= true;"))


SUBGRAPHS = """
operator keep { @dtype { T: type; } @input { v: T[s..]; } @output { w: T[s..]; } }

graph net {
    @input { c: bool[]; x: real[n|10]; }
    @output { y: real; }
    @compose { y = if c then part(x) else keep(x); }
}
graph part {
    @dtype { T: type; }
    @input { x: T[n]; }
    @output { y: T[~]; }
    @compose { y = keep(x); }
}
"""


def test_what_a_graph_must_declare_changes_with_the_graphs_that_invoke_it():
    workspace = Workspace(MemoryReader({"main.sknd": ""}))
    for text, count in ((SUBGRAPHS, 0), (SUBGRAPHS.replace("part(x)", "keep(x)"), 1), (SUBGRAPHS, 0)):
        workspace.open("main.sknd", text)
        errors = [item for item in workspace.snapshot().diagnostics("main.sknd") if item.severity == "error"]
        assert len(errors) == count


WINDOW = """\
operator window {
    @attrib { size: int; }
    @input { x: real[n]; }
    @output { y: real[n - size + 1]; }
    @assert { size <= n: "the window must fit", size, n; }
    @lower { y[i,] += x[i + j,], i < n - size + 1, j < size; }
}
"""
INNER = """\
operator inner {
    @input { x: real[n]; }
    @output { y: real[n - 4]; }
    @compose { y = window{size=5}(x); }
}
"""
NET = """\
graph net {
    @input { x: real[4]; }
    @output { y: real; }
    @compose { y = inner(x); }
}
"""


def test_an_edit_composes_what_follows_from_it_again():
    files = {"parts.sknd": WINDOW + INNER, "main.sknd": "import parts;\n" + NET.replace("inner(x)", "parts.inner(x)")}
    workspace = Workspace(MemoryReader(files))
    for name, text in files.items():
        workspace.open(name, text)
    assert len(workspace.snapshot().diagnostics("main.sknd")) == 1
    at = files["parts.sknd"].index("size=5") + len("size=")
    workspace.edit("parts.sknd", [Edit(Span(at, at + 1), "2")])
    found = [item.rule.name for item in workspace.snapshot().diagnostics("main.sknd")]
    at_n = files["parts.sknd"].index("n - 4")
    workspace.edit("parts.sknd", [Edit(Span(at_n, at_n + 5), "n - 1")])
    assert found != ["assertion-fails"]
    assert workspace.snapshot().diagnostics("main.sknd") == ()


def test_an_operator_that_invokes_itself_is_told_by_its_name():
    # Its signature may have been read from an earlier version, with another body.
    recursive = LIBRARY.replace("y = first(x)", "y, z = second{b = 1}(x, x)")
    workspace = Workspace(MemoryReader({"ops.sknd": recursive}))
    rules_found = [found.rule.name for found in workspace.snapshot().diagnostics("ops.sknd")]
    assert rules_found == ["recursive-operator"]
    _edited(workspace, "y, z =", "y, w =")
    _edited(workspace, "y, w =", "w, y =")
