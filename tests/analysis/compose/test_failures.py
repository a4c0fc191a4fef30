"""Where failures are reported: at the innermost place in the file that is checked, the others as notes."""

from __future__ import annotations

from snd_analysis.base.diagnostics import Severity
from snd_analysis.base.text import Edit, Span
from snd_analysis.workspace import Workspace
from support.memory import MemoryReader, check, snapshot_of

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


def _place(files: dict[str, str], name: str) -> list[tuple[str, int, str, list[tuple[str, int]]]]:
    snapshot = snapshot_of(files)
    found = []
    for item in snapshot.diagnostics(name):
        if item.severity is not Severity.ERROR:
            continue
        line = snapshot.source(name).position(item.location.span.start).line
        related = [
            (each.location.path, snapshot.source(each.location.path).position(each.location.span.start).line)
            for each in item.related
        ]
        text = snapshot.source(name).text[item.location.span.start : item.location.span.end]
        found.append((item.rule, line, text, related))
    return found


def test_in_one_file_the_innermost_invocation_is_blamed():
    found = _place({"main.sknd": WINDOW + INNER + NET}, "main.sknd")
    assert found == [("assertion-fails", 11, "size=5", [("main.sknd", 5), ("main.sknd", 16)])]


def test_the_same_failure_by_two_ways_is_one():
    net = NET.replace("y = inner(x);", "z = inner(x); y = inner(x);")
    assert len(_place({"main.sknd": WINDOW + INNER + net}, "main.sknd")) == 1


def test_an_invocation_of_another_module_is_blamed_for_what_happens_in_it():
    main = "import parts;\n" + NET.replace("inner(x)", "parts.inner(x)")
    files = {"parts.sknd": WINDOW + INNER, "main.sknd": main}
    assert _place(files, "main.sknd") == [
        ("assertion-fails", 5, "parts.inner", [("parts.sknd", 11), ("parts.sknd", 5)])
    ]
    assert _place(files, "parts.sknd") == []


def test_the_library_is_never_blamed():
    main = (
        "import nn;\ngraph net {\n    @input { x: real[1,4,8,8]; w: real[6,3,3,3]; }\n    @output { y: real; }\n"
        "    @compose { y = nn.conv(x, w); }\n}\n"
    )
    ((rule, line, text, related),) = _place({"main.sknd": main}, "main.sknd")
    assert (rule, line) == ("assertion-fails", 5)
    assert text == "nn.conv"
    assert related[0][0] == "snd:nn"


def test_an_assertion_of_the_graph_is_reported_where_it_stands_and_alone():
    text = (
        "graph net {\n    @attrib { n: int = -1; }\n    @input { x: real[n]; }\n    @output { y: real; }\n"
        "    @assert { n > 0; }\n    @compose { y = inner(x); }\n}\n"
    )
    assert [each[:3] for each in _place({"main.sknd": WINDOW + INNER + text}, "main.sknd")] == [
        ("assertion-fails", 17, "n > 0")
    ]


def test_what_a_mistake_in_the_text_touches_is_silent():
    broken = WINDOW.replace("size: int;", "size: int = 1.0;")
    found = check({"main.sknd": broken + INNER + NET})["main.sknd"]
    assert [item.rule for item in found] == ["type-mismatch"]


def test_operators_without_a_caller_are_composed():
    inner = (
        INNER.replace("size=5", "size=0 - 5")
        .replace("n - 4", "n + 6")
        .replace("@compose", "@using { a = 1 / (n - n); }\n    @compose")
    )
    found = check({"parts.sknd": WINDOW + inner})["parts.sknd"]
    assert [item.rule for item in found if item.severity == "error"] == ["division-by-zero"]


def test_operators_that_invoke_themselves_are_not_composed():
    text = "operator a { @input { x: real[n]; } @output { y: real[n]; } @compose { y = b(x); } }\n"
    text += text.replace("operator a", "operator b").replace("b(x)", "a(x)")
    found = check({"parts.sknd": text})["parts.sknd"]
    assert [item.rule for item in found] == ["recursive-operator"]


def test_an_edit_composes_what_follows_from_it_again():
    files = {"parts.sknd": WINDOW + INNER, "main.sknd": "import parts;\n" + NET.replace("inner(x)", "parts.inner(x)")}
    workspace = Workspace(MemoryReader(files))
    for name, text in files.items():
        workspace.open(name, text)
    assert len(workspace.snapshot().diagnostics("main.sknd")) == 1
    at = files["parts.sknd"].index("size=5") + len("size=")
    workspace.edit("parts.sknd", [Edit(Span(at, at + 1), "2")])
    found = [item.rule for item in workspace.snapshot().diagnostics("main.sknd")]
    at_n = files["parts.sknd"].index("n - 4")
    workspace.edit("parts.sknd", [Edit(Span(at_n, at_n + 5), "n - 1")])
    assert found != ["assertion-fails"]
    assert workspace.snapshot().diagnostics("main.sknd") == ()


def test_attributes_can_make_an_extent_of_the_graph_impossible():
    text = (
        "graph net {\n    @attrib { n: int = 2; }\n    @input { x: real[n - 3]; }\n    @output { y: real; }\n"
        "    @compose { y = x; }\n}\n"
    )
    assert [each[:2] for each in _place({"main.sknd": text}, "main.sknd")] == [("negative-extent", 3)]
