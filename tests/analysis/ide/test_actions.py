"""Code actions: what each does, and that none leaves code that checks worse than before."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from pathlib import Path

import pytest

from snd_analysis.base import Diagnostic, Severity, Span
from snd_analysis.ide import actions as all_actions
from snd_analysis.ide.actions import REFACTOR, Action, ActionKind, actions
from snd_analysis.rules import catalogue
from snd_analysis.skriptnd.format import format_text
from support.memory import check, read_program, shown, snapshot_of, split_files
from support.rules import checked_rules
from support.sampling import sample

ROOT = Path(__file__).parents[3]
LIBRARY = ROOT / "analysis" / "snd_analysis" / "libraries" / "std"
# Mistakes of a kind that share operands: the fixes of all of them begin or end at one place.
CHAINS = """operator chains {
    @attrib { a: int; b: bool; c: bool; d: bool; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @using {
        power = a ** 2 ** 2 ** 2;
        logical = b || c && d || b;
        longer = b && c || d && b || c;
        either = a ** 2 ** 2 > 1 || b && c;
    }
    @compose { y = x; }
}
"""
PROGRAMS = {
    "chains": {"operators.sknd": CHAINS},
    **{f"rule {rule.name}": split_files(catalogue.page(rule).bad) for rule in checked_rules().values()},
    **{path.name: read_program(path) for path in sorted((ROOT / "examples").iterdir())},
    **{name: {name: (LIBRARY / name).read_text()} for name in ("quant.sknd", "linalg.sknd", "rand.sknd")},
}  # fmt: skip
INVALID = sorted((ROOT / "tests" / "fixtures" / "invalid").rglob("*.sknd"))
_GENERATORS = re.findall(r"yield from (\w+)\(", Path(all_actions.__file__).read_text(encoding="utf-8"))
"""The functions that yield actions."""
SHOWN = {
    "net": {
        "net.sknd": """import math;

# >>> scaled([1.0, 2.0])
operator scaled {
    @attrib { factor: real = 2.0; unused: int = 1; size: int[] = [1, 1, 1]; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @compose { y = math.mul(x, factor); }
}

graph net {
    @input { x: real[4, 4]; z: real[4, 4]; }
    @output { y: real[4, 4]; }
    @compose {
        a = math.add(x, z);
        b = nn.relu(a);
        y = missing{k=1}(scaled(b), softmax(b, axis=1));
    }
}
""",
    },
    "imports": {
        "imports.sknd": """import math;
import layout, image;

graph net {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose {
        a = relu(x);
        b = unheard_of{k=1}(a);
        y = math.exp(b);
    }
}
"""
    },
}
"""Programs in which, with the others, every kind of action is offered."""
_COMMANDS = ("snd.writeSample", "snd.refreshSample")


def applied(files: Mapping[str, str], action: Action) -> dict[str, str]:
    """The files after an action, whose edits may not overlap."""
    after = dict(files)
    edits = sorted(action.edits, key=lambda edit: edit.location, reverse=True)
    for later, earlier in pairwise(edits):
        one, other = earlier.location, later.location
        assert one.path != other.path or one.span.end <= other.span.start, action
    for edit in edits:
        path, span = edit.location.path, edit.location.span
        after[path] = after[path][: span.start] + edit.text + after[path][span.end :]
    return after


def _severe(found: Mapping[str, list[Diagnostic]]) -> tuple[int, int]:
    """The number of errors, and of errors and warnings."""
    count = Counter(each.severity for diagnostics in found.values() for each in diagnostics)
    errors = count[Severity.ERROR]
    return errors, errors + count[Severity.WARNING]


def _of_rule(found: Mapping[str, list[Diagnostic]], rule: str) -> int:
    return sum(each.rule.name == rule for diagnostics in found.values() for each in diagnostics)


def assert_no_action_makes_it_worse(files: Mapping[str, str], places: int) -> None:
    snapshot, before = snapshot_of(files), check(files)
    for path, text in files.items():
        if path.endswith((".dat", ".toml")):
            continue
        spans = {each.location.span for each in before[path]}
        spans |= {Span(at, at) for at in random.sample(range(len(text) + 1), min(len(text) + 1, places))}
        tried = set()
        for span in spans:
            offered = [*actions(snapshot, path, span, files=list(files)), *actions(snapshot, path, span, ["source"])]
            for action in offered:
                if (action.title, action.edits) in tried or not action.edits:
                    continue
                tried.add((action.title, action.edits))
                after = applied(files, action)
                found = check(after)
                told = f"{action}\nbefore:\n{shown(before, files)}\nafter:\n{shown(found, after)}"
                assert all(now <= then for now, then in zip(_severe(found), _severe(before), strict=True)), told
                for resolved in action.resolves[:1]:
                    assert _of_rule(found, resolved.rule.name) < _of_rule(before, resolved.rule.name), told


@pytest.mark.parametrize("name", sample(PROGRAMS, 40))
def test_no_action_makes_it_worse(name: str):
    assert_no_action_makes_it_worse(PROGRAMS[name], 6)


@pytest.mark.parametrize("path", sample(random.Random(5).sample(INVALID, 60), 25), ids=lambda path: path.stem)
def test_no_action_makes_what_is_wrong_worse(path: Path):
    assert_no_action_makes_it_worse(read_program(path), 4)


_ON_LINES = sorted((ROOT / "tests" / "fixtures" / "rules").rglob("*.sknd"))


@pytest.mark.parametrize("name", [*sample(_ON_LINES, 25), *sample(PROGRAMS, 5)], ids=str)
def test_actions_on_one_line_have_different_titles(name: Path | str):
    files = PROGRAMS[name] if isinstance(name, str) else read_program(name)
    snapshot = snapshot_of(files)
    for path, text in files.items():
        start = 0
        for line in text.splitlines(keepends=True)[:60]:
            blank = len(line) - len(line.lstrip())
            for span in (Span(start, start + len(line.rstrip())), Span(start + blank, start + blank)):
                found = actions(snapshot, path, span, files=[*files], commands=[*_COMMANDS, REFACTOR])
                titles = [each.title for each in found]
                assert len(set(titles)) == len(titles), (path, line, titles)
            start += len(line)


def test_every_kind_of_action_has_an_example(monkeypatch: pytest.MonkeyPatch, golden: Callable[[str, str], None]):
    """A new kind is not forgotten: a title of each function that ``actions`` calls is shown."""
    found: dict[str, set[str]] = {}

    def watched(name: str, function: Callable[..., Iterable[Action]]) -> Callable[..., list[Action]]:
        def call(*arguments: object) -> list[Action]:
            offered = [*function(*arguments)]
            found[name].update(each.title for each in offered)
            return offered

        return call

    for name in _GENERATORS:
        found[name] = set()
        monkeypatch.setattr(all_actions, name, watched(name, getattr(all_actions, name)))
    for name, files in (PROGRAMS | SHOWN).items():
        snapshot = snapshot_of(files)
        for path in files:
            places = {each.location.span for each in snapshot.diagnostics(path)} if name.startswith("rule") else set()
            if name in SHOWN:
                places = {Span(word.start(), word.start()) for word in re.finditer(r"\w+|[\[({]", files[path])}
            for place in sorted(places):
                actions(snapshot, path, place, files=[*files], commands=[*_COMMANDS, REFACTOR])
            if name in SHOWN:
                actions(snapshot, path, Span(0, 0), ["source"])
    lines = (f"{name}: {min(titles, default='no example')}\n" for name, titles in sorted(found.items()))
    golden("actions.txt", "".join(lines))
    assert [name for name, titles in found.items() if not titles] == []


def test_actions_with_one_title_say_where_they_are():
    text = "operator o {\n    @attrib { a: optional real = 1.0; b: optional int = 2; }\n    @output { y: real[]; }\n}\n"
    span = Span(text.index("a: optional"), text.index("= 2"))
    titles = [each.title for each in actions(snapshot_of({"m.sknd": text}), "m.sknd", span)]
    assert [each for each in titles if each.startswith("remove 'optional'")] == [
        "remove 'optional' (line 2, column 18)",
        "remove 'optional' (line 2, column 42)",
    ]


def test_fixes_of_a_chain_are_made_together():
    done = after(CHAINS, "** 2 ** 2;", "fix all of 'chained-power' (3)")
    assert "power = ((a ** 2) ** 2) ** 2;" in done
    assert "either = (a ** 2) ** 2 > 1" in done
    done = after(CHAINS, "&& d || b", "fix all of 'mixed-logical-operators' (6)")
    assert "logical = ((b || c) && d) || b;" in done
    assert "longer = (((b && c) || d) && b) || c;" in done
    done = after(CHAINS, "x", "fix all that can be fixed safely", ("source.fixAll",))
    assert "power = ((a ** 2) ** 2) ** 2;" in done
    assert "longer = (((b && c) || d) && b) || c;" in done


def assert_what_is_formatted_stays_so(files: Mapping[str, str]) -> None:
    """Check readable files. The formatter alone aligns comments that continue over lines."""
    files = {path: format_text(text) for path, text in files.items()}
    snapshot, found = snapshot_of(files), check(files)
    if any(True for path in files for _ in snapshot.tree(path).problems):
        return
    for path, text in files.items():
        spans = {each.location.span for each in found[path]}
        spans |= {Span(at, at) for at in random.sample(range(len(text) + 1), min(len(text) + 1, 4))}
        for span in spans:
            offered = [*actions(snapshot, path, span, files=list(files)), *actions(snapshot, path, span, ["source"])]
            for action in offered:
                if action.title.startswith("suppress"):
                    continue
                for done in applied(files, action).values():
                    assert done == format_text(done), action


@pytest.mark.parametrize("name", sample(PROGRAMS, 40))
def test_what_is_formatted_stays_so(name: str):
    assert_what_is_formatted_stays_so(PROGRAMS[name])


# ---- each of them ----------------------------------------------------------------------------------------------------
def at(text: str, snippet: str) -> Span:
    offset = text.index(snippet)
    return Span(offset, offset)


def titles(text: str, snippet: str, only: tuple[str, ...] = ()) -> list[str]:
    snapshot = snapshot_of({"main.sknd": text})
    return [action.title for action in actions(snapshot, "main.sknd", at(text, snippet), only)]


def after(text: str, snippet: str, title: str, only: tuple[str, ...] = ()) -> str:
    """The text after the action of that title at the snippet."""
    snapshot = snapshot_of({"main.sknd": text})
    found = [each for each in actions(snapshot, "main.sknd", at(text, snippet), only) if each.title == title]
    assert found, titles(text, snippet, only)
    return applied({"main.sknd": text}, found[0])["main.sknd"]


GRAPH = """import nn;

graph net {{
    @input {{ x: real[1, 3, 8, 8]; }}
    @output {{ y: real[1, 3, ~|8, ~|8]; }}
    @compose {{
        {}
    }}
}}
"""


OPTIONAL = """operator f {
    @attrib { a: optional bool = true; }
    @input { x: real[n]; }
    @output { y: real[n]; }
    @using { c = %s; }
    @lower { y[i,] = c ? x[i,] : 0.0, i < n; }
}
"""


@pytest.mark.parametrize("use", ["a ?? true", "(a) ?? false", "?a ? a : false", "?a && a"])
def test_what_is_tested_for_null_stays_optional(use: str):
    text = OPTIONAL % use
    assert "remove 'optional'" not in titles(text, "= true;")
    done = after(text, "= true;", "remove the default")
    assert "{ a: optional bool; }" in done
    assert check({"operators.sknd": done}) == {"operators.sknd": []}


def test_what_is_not_tested_for_null_keeps_its_default():
    text = OPTIONAL % "!a"
    done = after(text, "= true;", "remove 'optional'")
    assert "{ a: bool = true; }" in done
    assert check({"operators.sknd": done}) == {"operators.sknd": []}


def test_packs_and_tensors_that_are_tested_for_null():
    text = """operator scale {
    @input { x: real[n]; zs: optional real[]..(2) = [0.5, 0.5]; }
    @output { y: real[n]; }
    @lower { y[i,] = x[i,] + (zs[0][] ?? 0.0), i < n; }
}
"""
    assert "zs: optional real[]..(2); }" in after(text, "= [0.5", "remove the default")


def test_missing_attributes():
    text = GRAPH.format("y = nn.max_pool{stride=1}(x);")
    assert "max_pool{stride=1, size=1}(x)" in after(text, "max_pool", "add the attribute 'size'")
    text = GRAPH.format("y = nn.max_pool(x);")
    assert "max_pool{size=1}(x)" in after(text, "max_pool", "add the attribute 'size'")
    text = GRAPH.format("y = nn.max_pool{}(x);")
    assert "max_pool{size=1}(x)" in after(text, "max_pool", "add the attribute 'size'")
    assert not any("add the attribute" in title for title in titles(GRAPH.format("y = nn.relu(x);"), "relu"))


def test_missing_import():
    text = GRAPH.format("y = abs(x);").replace("import nn;", "import nn;")
    done = after(text, "abs", "import 'math' and write 'math.abs'")
    assert done.startswith("import nn;\nimport math;\n")
    assert "y = math.abs(x);" in done


def test_an_import_leaves_comments_where_they_stand():
    body = "\noperator f {\n    @output { y: real[1]; }\n    @compose { y = abs(1.0); }\n}\n"
    title = "import 'math' and write 'math.abs'"
    assert after(f"import nn;  # layers\n{body}", "abs", title).startswith("import nn;  # layers\nimport math;\n\nop")
    assert after(f"# M.\n{body}", "abs", title).startswith("import math;\n\n# M.\n")
    crlf = f"import nn;\n{body}".replace("\n", "\r\n")
    assert after(crlf, "abs", title).startswith("import nn;\r\nimport math;\r\n\r\noperator")


BODY = "operator f {\n    @output { y: real[1]; }\n    @compose { y = 1.0; }\n}\n"


@pytest.mark.parametrize(
    ("head", "left"),
    [
        ("import math;\n\n", ""),
        ("# M.\nimport math;\n\n", "# M.\n\n"),
        ("# M.\n\nimport math;\n\n", "# M.\n\n"),
        ("version 2.0;\nimport math;\n\n", "version 2.0;\n\n"),
        ("version 2.0;\r\n\r\nimport math;\r\n\r\n", "version 2.0;\r\n\r\n"),
        ("import math;  # unneeded\n\n", "# unneeded\n\n"),
        ("version 2.0; import math;\n\n", "version 2.0;\n\n"),
        ("\ufeffimport math;\n\n", "\ufeff"),
        ("import math; extension some;\n\n", "extension some;\n\n"),
    ],
)
def test_an_import_is_removed_with_its_line(head: str, left: str):
    body = BODY.replace("\n", "\r\n") if "\r" in head else BODY
    assert after(head + body, "math", "remove the import") == left + body
    if "\ufeff" not in head and "#" not in head and not head.count(";") > 1:
        assert after(head + body, "math", "organize imports", ("source.organizeImports",)) == left + body


def test_an_operator_of_another_module():
    text = GRAPH.format("y = nn.tanh(x);")
    done = after(text, "tanh", "import 'math' and write 'math.tanh'")
    assert done.startswith("import nn;\nimport math;\n")
    assert "y = math.tanh(x);" in done
    done = after(done.replace("math.tanh", "math.relu"), "relu", "write 'nn.relu'")
    assert "y = nn.relu(x);" in done


def test_an_import_stands_behind_a_byte_order_mark():
    text = "\ufeffgraph g {\n    @input { x: real[2]; }\n    @output { y: real[2]; }\n    @compose { y = abs(x); }\n}\n"
    done = after(text, "abs", "import 'math' and write 'math.abs'")
    assert done == "\ufeffimport math;\n\n" + text[1:].replace("abs", "math.abs")
    assert not any(each.severity is Severity.ERROR for each in check({"main.sknd": done})["main.sknd"])


def test_an_operator_from_its_use():
    text = GRAPH.format("y, ~ = mixed{depth=3, weights=[0.5, 0.25]}(x, x);")
    done = after(text, "mixed", "create the operator 'mixed'")
    assert done.endswith(
        "}\n\noperator mixed {\n"
        "    @attrib { depth: int; weights: real..; }\n"
        "    @input { x: real[x_shape..]; x2: real[x2_shape..]; }\n"
        "    @output { y: real[x_shape..]; output: real[x_shape..]; }\n"
        "}\n"
    )
    assert not any(each.rule.name == "unknown-operator" for each in check({"main.sknd": done})["main.sknd"])


@pytest.mark.parametrize(
    ("use", "entries"),
    [
        ("y = if true then x else new(x);", ["@input { x: real[x_shape..]; }", "@output { y: real[x_shape..]; }"]),
        ("y = if true then l: new(x) else x;", ["@input { x: real[x_shape..]; }", "@output { y: real[x_shape..]; }"]),
        (
            "y = new(x, [x, x]);",
            ["@input { x: real[x_shape..]; input: real[input_shape..]..(input_count); }", "{ y: real[x_shape..]; }"],
        ),
        ("y = x; ys..(3) = new(x);", ["@output { ys: real[x_shape..]..(3); }"]),
        ("y = x; [a, b], c = new(x);", ["@output { output: real[x_shape..]..(2); c: real[x_shape..]; }"]),
        ("y = { q = new(x); yield q; };", ["@output { q: real[x_shape..]; }"]),
    ],
)
def test_an_operator_from_a_use_within_something(use: str, entries: list[str]):
    text = GRAPH.format(use).replace("~|8, ~|8", "8, 8")
    done = after(text, "new", "create the operator 'new'")
    created = done[done.index("operator new {") :]
    assert all(entry in created for entry in entries), created
    assert not any(each.severity is Severity.ERROR for each in check({"main.sknd": done})["main.sknd"]), done


def test_an_operator_without_inputs_has_the_shape_that_is_awaited():
    done = after(GRAPH.format("y = new();").replace("~|8, ~|8", "8, 8"), "new", "create the operator 'new'")
    assert "@output { y: real[1,3,8,8]; }" in done


def test_lists_of_equal_values():
    text = GRAPH.format("y = nn.conv{stride=[1, 2], padding=[0, 0, 0, 0]}(x, x);")
    assert "padding=[0 ..(4)]" in after(text, "[0,", "write [0 ..(4)]")
    assert "padding=0}" in after(text, "[0,", "write 0")
    assert not any(title.startswith("write") for title in titles(text, "[1,"))
    shorter = after(text, "[0,", "write [0 ..(4)]")
    assert after(shorter, "[0 ..", "write [0, 0, 0, 0]") == text
    single = after(text, "[0,", "write 0")
    assert after(single, "padding=0", "write [0, 0, 0, 0]") == text


def test_suppressions_say_why_and_gather():
    text = GRAPH.format("z = unknown(x, missing);")
    first = next(title for title in titles(text, "unknown") if title.startswith("suppress 'unknown-operator'"))
    done = after(text, "unknown", first)
    assert "        # snd: ignore[unknown-operator] TODO: say why\n        z = unknown" in done
    again = after(done, "missing", "suppress 'undefined-name' here")
    assert "# snd: ignore[unknown-operator, undefined-name] TODO: say why\n" in again


def test_syntax_errors_are_not_suppressed():
    text = GRAPH.format("y = math.neg(x;")
    assert titles(text, "x;") != []
    assert not any(title.startswith("suppress") for title in titles(text, "x;") + titles(text, "(x"))


def test_no_suppression_inside_of_a_string():
    text = """operator o {
    @attrib { a: int; }
    @output { y: real[1]; }
    @assert { a > 0: "two
lines {b}"; }
}
"""
    assert not any(title.startswith("suppress") for title in titles(text, "b}"))


def test_names_for_extents():
    text = "graph g {\n    @input { x: real[~|9, n|4, ~|5]; }\n    @output { y: real[n]; }\n}\n"
    assert "x: real[m|9, n|4, k|5]" in after(text, "~", "name the 2 extents: m, k")


def test_imports_are_sorted_and_those_that_nothing_needs_left_out():
    kinds = ("source.organizeImports",)
    body = (
        "\ngraph g {\n    @input { x: real[4]; }\n    @output { y: real[4]; }\n    @compose { y = math.abs(x); }\n}\n"
    )
    assert after(f"import nn, math, layout;\n{body}", "graph", "organize imports", kinds) == f"import math;\n{body}"
    two = body.replace("math.abs(x)", "nn.relu(math_)").replace("{ y =", "{ math_ = math.abs(x); y =")
    assert after(f"import nn;\nimport math;\n{two}", "graph", "organize imports", kinds).startswith(
        "import math;\nimport nn;\n"
    )
    assert not titles(f"import math; # why\nimport algo;\n{body}", "graph", kinds), "a comment belongs to its line"
    assert not titles(f"import math;\n{body}", "graph", kinds)


def test_all_of_a_kind():
    text = GRAPH.format("t = nn.relu(x);\n        u = nn.rleu(t);\n        y = nn.rleu(u);")
    assert "fix all of 'unknown-operator' (2)" in titles(text, "rleu")
    assert "rleu" not in after(text, "rleu", "fix all of 'unknown-operator' (2)")


def test_samples_are_for_servers_that_can_evaluate_them():
    text = "# >>> half([1.0])\noperator half {\n    @input { x: real[n]; }\n    @output { y: real[n]; }\n}\n"
    snapshot = snapshot_of({"main.sknd": text})
    assert not [each for each in actions(snapshot, "main.sknd", at(text, ">>>")) if each.command]
    found = [each for each in actions(snapshot, "main.sknd", at(text, ">>>"), commands=_COMMANDS) if each.command]
    assert [each.command.name for each in found if each.command] == ["snd.refreshSample"]
    assert found[0].kind is ActionKind.SAMPLE
    assert not [each for each in actions(snapshot, "main.sknd", at(text, "half {"), commands=_COMMANDS) if each.command]
    text = text.partition("\n")[2]
    snapshot = snapshot_of({"main.sknd": text})
    found = [each for each in actions(snapshot, "main.sknd", at(text, "half {"), commands=_COMMANDS) if each.command]
    assert [each.command.arguments for each in found if each.command] == [("half",)]


def test_the_library_is_read_only():
    snapshot = snapshot_of({})
    assert actions(snapshot, "snd:math", Span(0, 100000)) == []
