"""Modules of one bare name in several folders are told apart wherever they are named."""

from __future__ import annotations

import pytest

from snd_analysis.base import ProjectSettings
from snd_analysis.ide.completion import completions, documentation
from snd_analysis.ide.hover import hover
from snd_analysis.ide.navigation import workspace_symbols
from snd_analysis.ide.targets import module_name
from support.memory import snapshot_of, unsuppressed

UTILS = """operator f {
    @attrib { n: int; }
    @input { x: real[c]; }
    @output { y: real[c]; }
    @assert { n > 0: "n must be positive"; }
    @lower { y[i] = x[i], i < c; }
}
"""
MAIN = """import a.utils, b.utils;

graph g {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose {
        t = a.utils.f{n=0}(x);
        y = b.utils.f{n=0}(t);
    }
}
"""
FILES = {"main.sknd": MAIN, "a/utils.sknd": UTILS, "b/utils.sknd": UTILS}
SNAPSHOT = snapshot_of(FILES)


@pytest.mark.parametrize(("at", "module"), [
    ("f{n=0}(x)", "in the module `a.utils`"),
    ("f{n=0}(t)", "in the module `b.utils`"),
    ("n=0}(t)", "attribute of `f` in the module `b.utils`"),
    ("t);", "result of `a.utils.f`"),
])  # fmt: skip
def test_hovers(at: str, module: str):
    found = hover(SNAPSHOT, "main.sknd", MAIN.index(at))
    assert found is not None
    assert module in found.markdown


def test_completions():
    text = MAIN.replace("b.utils.f{n=0}(t);", "")
    snapshot = snapshot_of({**FILES, "main.sknd": text})
    items = completions(snapshot, "main.sknd", text.index("y = ") + 4).items
    told = {item.label: documentation(snapshot, item.subject, "main.sknd") for item in items if item.subject}
    assert "in the module `a.utils`" in told["a.utils.f"]
    assert "in the module `b.utils`" in told["b.utils.f"]


def test_failures():
    first, *_ = unsuppressed(SNAPSHOT, "main.sknd")
    assert first.message == "n must be positive; required by 'a.utils.f'"


def test_symbols_of_the_workspace():
    found = workspace_symbols(SNAPSHOT, "f", FILES, with_library=False)
    assert [each.module for each in found] == ["a.utils", "b.utils"]
    found = workspace_symbols(SNAPSHOT, "b.utils", FILES, with_library=False)
    assert [(each.module, each.name.name) for each in found] == [("b.utils", "f")]


def test_what_is_not_imported_is_named_as_it_could_be():
    snapshot = snapshot_of({**FILES, "../shared/c/d.sknd": UTILS, "a/e/h.sknd": UTILS}, ProjectSettings(("../shared",)))
    assert module_name(snapshot, "../shared/c/d.sknd", "main.sknd") == "c.d"
    assert module_name(snapshot, "a/e/h.sknd", "a/utils.sknd") == "e.h"
    assert module_name(snapshot, "a/e/h.sknd", "b/utils.sknd") == "a.e.h"
    assert module_name(snapshot, "a/e/h.sknd", "a/e/h.sknd") == "a.e.h"
    assert module_name(snapshot, "snd:nn", "a/e/h.sknd") == "nn"
    assert module_name(snapshot, "/else/where.sknd", "main.sknd") == "where"
