"""Refactorings over several files: operators move with their comments, and every file names them where they are."""

from __future__ import annotations

from typing import Any

import pytest

from snd_analysis.base import Span
from snd_analysis.ide.refactoring import INLINE, MOVE, edited_files
from snd_runtime.limits import Limits
from snd_runtime.samples import RefactoringAnswer, RefactoringRequest, SampleRequest
from snd_runtime.samples.refactoring import refactor
from support.memory import snapshot_of, split_files

FILES = split_files("""# file: main.sknd
import blocks;
graph G {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = blocks.f(x); }
}
# file: blocks.sknd
import nn, parts.base;

# Comment.
# >>> f([1.0])
# >>> parts.base.g([1.0])
operator f {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { z = parts . base.g(x); y = h(z); }
}

operator h {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = nn.relu(x); }
}

operator user {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = f(x); }
}

operator _hidden {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = nn.relu(x); }
}

operator shows {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = _hidden(x); }
}

operator sine {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = sin(x[i,]), i < n; }
}
# file: parts/base.sknd
operator g {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = 2.0 * x[i,], i < n; }
}
# file: other.sknd
import blocks;

# >>> blocks.f([2.0])
operator other {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = blocks.f(x); }
}

operator shows {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,], i < n; }
}
""")


def done(kind: str, path: str, marked: str, **options: Any) -> RefactoringAnswer:
    """Return the answer of the worker about a place in a file."""
    around = SampleRequest(path, FILES, limits=Limits(seconds=None))
    at = FILES[path].index(marked)
    return refactor(snapshot_of(FILES), RefactoringRequest(around, kind, Span(at, at), tuple(FILES), options))


def moved(marked: str, target: str) -> dict[str, str]:
    """Return the files that change as an operator of ``blocks.sknd`` moves."""
    answer = done(MOVE, "blocks.sknd", marked, target=target)
    assert answer.refactored is not None, answer.message
    new = edited_files(snapshot_of(FILES), answer.refactored.edits)
    after = snapshot_of({**FILES, **new})
    assert not [each.message for path in FILES for each in after.diagnostics(path)]
    return new


def test_an_operator_moves_with_its_comment_and_all_files_follow():
    new = moved("f {", "other.sknd")
    assert sorted(new) == ["blocks.sknd", "main.sknd", "other.sknd"]
    assert "import other;\ngraph G" in new["main.sknd"]
    assert "y = other.f(x);" in new["main.sknd"]
    assert new["blocks.sknd"].startswith("import nn;\nimport other;\n\noperator h")
    assert "y = other.f(x);" in new["blocks.sknd"]
    assert new["other.sknd"].startswith("import blocks;\nimport parts.base;\n\n# >>> f([2.0])\noperator other")
    assert "@compose { y = f(x); }" in new["other.sknd"]
    assert new["other.sknd"].endswith("""
# Comment.
# >>> f([1.0])
# >>> parts.base.g([1.0])
operator f {
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { z = parts . base.g(x); y = blocks.h(z); }
}
""")


def test_an_operator_moves_into_the_module_that_it_uses():
    new = moved("f {", "parts/base.sknd")
    assert "# >>> g([1.0])" in new["parts/base.sknd"]
    assert "z = g(x); y = blocks.h(z);" in new["parts/base.sknd"]
    assert new["parts/base.sknd"].startswith("import blocks;\n\noperator g")


def test_an_operator_moves_to_a_new_file():
    answer = done(MOVE, "blocks.sknd", "f {")
    assert answer.refactored is not None
    assert answer.refactored.created == ("f.sknd",)
    assert answer.message.startswith("moved 'f' to f.sknd: equal on ")
    new = moved("f {", "f.sknd")
    assert new["f.sknd"].startswith("import blocks;\nimport parts.base;\n\n# Comment.\n# >>> f([1.0])")
    assert "y = f.f(x);" in new["main.sknd"]


def test_the_last_operator_leaves_no_blank_lines():
    assert moved("sine {", "sine.sknd")["blocks.sknd"].endswith("y = _hidden(x); }\n}\n")


def test_an_operator_that_nothing_can_evaluate_moves_and_the_message_says_so():
    files = {"a.sknd": "operator f {\n    @input { x: real[n]; }\n    @output { y: real[n]; }\n}\n"}
    request = RefactoringRequest(SampleRequest("a.sknd", files), MOVE, Span(9, 9))
    answer = refactor(snapshot_of(files), request)
    assert answer.refactored is not None
    assert answer.message.startswith(
        "moved 'f' to f.sknd; 'f' was not compared: 'f' has neither a composition nor formulas"
    )


@pytest.mark.parametrize(
    ("marked", "target", "reason"),
    [
        ("f {", "main.sknd", "only the main module may contain graphs"),
        ("_hidden {", "other.sknd", "'_hidden' is private to its module"),
        ("shows {", "new.sknd", "'_hidden' is private to its module"),
        ("shows {", "other.sknd", "there is a definition 'shows' in other.sknd already"),
        ("f {", "snd:nn", "'snd:nn' is no other file that can be imported"),
        ("f {", "blocks.sknd", "'blocks.sknd' is no other file that can be imported"),
        ("f {", "odd-name.sknd", "has no name for the module 'odd-name.sknd'"),
        ("y: real[n]", "new.sknd", "choose the name of an operator"),
    ],
)
def test_a_move_is_refused_with_the_reason(marked: str, target: str, reason: str):
    answer = done(MOVE, "blocks.sknd", marked, target=target)
    assert answer.refactored is None
    assert reason in answer.message


def test_a_move_that_would_capture_a_name_is_refused():
    """In a statement, `exp(x)` is the operator of the file if there is one, else the function."""
    files = split_files("""# file: a.sknd
operator exp {
    @input { x: real[]; }
    @output { y: real[]; }
    @lower { y[] = 2.0 * x[]; }
}
# file: b.sknd
operator f {
    @attrib { k: real; }
    @output { y: real[]; }
    @compose { y = exp(k); }
}
""")
    around = SampleRequest("a.sknd", files, limits=Limits(seconds=None))
    request = RefactoringRequest(around, MOVE, Span(9, 9), tuple(files), {"target": "b.sknd"})
    answer = refactor(snapshot_of(files), request)
    assert answer.message == "the name 'exp' in 'f' would mean something else"


INLINED = split_files("""# file: blocks.sknd
import nn, math, parts.base;
operator block {
    @attrib { scale: real = 2.0; }
    @input { x: real[n,c]; w: real[m,c]; }
    @output { y: real[n,m]; }
    @compose {
        a = nn.linear(x, w);
        # then
        b = helper(a);
        d = parts.base.g(b);
        y = math.mul(d, scale);
    }
}

operator helper {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @compose { y = nn.relu(x); }
}

operator hides {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @compose { y = _own(x); }
}

operator _own {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @compose { y = nn.relu(x); }
}
# file: parts/base.sknd
operator g {
    @input { x: real[n,m]; }
    @output { y: real[n,m]; }
    @lower { y[i,j] = 2.0 * x[i,j], i < n, j < m; }
}
# file: main.sknd
import blocks, nn;

graph G {
    @input { x: real[2,3]; }
    @variable { w: real[4,3]; }
    @output { z: real[2,4]; }
    @compose {
        b = blocks.block{scale=3.0}(x, w);
        z = nn.relu(b);
    }
}
# file: other.sknd
import blocks;

operator o {
    @input { x: real[s..]; }
    @output { y: real[s..]; }
    @compose { z = blocks.hides(x); y = blocks.helper(z); }
}
""")


def inlined(path: str, marked: str) -> RefactoringAnswer:
    at = INLINED[path].index(marked)
    around = SampleRequest(path, INLINED, limits=Limits(seconds=None))
    return refactor(snapshot_of(INLINED), RefactoringRequest(around, INLINE, Span(at, at)))


def test_an_operator_of_another_file_is_inlined():
    answer = inlined("main.sknd", "b = blocks")
    assert answer.refactored is not None, answer.message
    assert answer.message.startswith("inlined the operator 'block': equal on ")
    new = edited_files(snapshot_of(INLINED), answer.refactored.edits)
    assert sorted(new) == ["main.sknd"]
    assert new["main.sknd"].startswith("import blocks, nn;\nimport math;\nimport parts.base;\n\ngraph")
    assert """    @compose {
        a = nn.linear(x, w);
        # then
        b2 = blocks.helper(a);
        d = parts.base.g(b2);
        b = math.mul(d, 3.0);
        z = nn.relu(b);
    }""" in new["main.sknd"]


def test_an_import_that_is_not_used_any_more_goes():
    answer = inlined("other.sknd", "y = blocks")
    assert answer.refactored is not None, answer.message
    new = edited_files(snapshot_of(INLINED), answer.refactored.edits)["other.sknd"]
    assert new.startswith("import blocks;\nimport nn;\n")
    assert "z = blocks.hides(x); y = nn.relu(z);" in new


def test_an_operator_that_uses_a_private_one_is_not_inlined_elsewhere():
    assert inlined("other.sknd", "z = blocks").message == "'_own' is private to its module"


def test_an_operator_of_the_library_is_inlined():
    text = """import math;

operator o {
    @input { x: real[n,c]; }
    @output { y: real[n]; z: real[n]; }
    @compose {
        y, z = math.moments{axes=[1], squeeze=true}(x);
    }
}
"""
    at = text.index("y, z = math")
    request = RefactoringRequest(SampleRequest("m.sknd", {"m.sknd": text}), INLINE, Span(at, at))
    answer = refactor(snapshot_of({"m.sknd": text}), request)
    assert answer.refactored is not None, answer.message
    assert answer.message.startswith("inlined the operator 'moments' without its assertions: equal on ")
    new = edited_files(snapshot_of({"m.sknd": text}), answer.refactored.edits)["m.sknd"]
    assert new.startswith("import math;\nimport layout;\n")
    assert "        difference = math.sub(x, center);\n        square = math.sqr(difference);\n" in new


def test_a_value_that_is_too_long_to_be_written_is_named():
    """Values of helper symbols that depend on a rank have no text: the message names the symbol, not a stray '…'."""
    text = """import layout;

operator o {
    @input { x: real[s..]; }
    @output { y: real[n]; }
    @compose { y = layout.reshape{shape=[-1]}(x); }
}
""".replace("real[n]", "real[s * ..]")
    at = text.index("y = layout")
    request = RefactoringRequest(SampleRequest("m.sknd", {"m.sknd": text}), INLINE, Span(at, at))
    answer = refactor(snapshot_of({"m.sknd": text}), request)
    assert answer.refactored is None
    assert answer.message.startswith("there is no value to write for '")
