"""``snd check --fix`` applies safe fixes, unsafe ones on request, none that adds a mistake; ``--diff`` only shows."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from snd_analysis.base import Diagnostic, Fix, Location, Rule, Severity, Span, TextEdit
from snd_server.checking.checker import Checker
from snd_server.checking.fixing import adds_none, apply_fixes, compatible, fix_text, not_held_back, unified_diff
from snd_server.checking.report import is_declined, is_fixable
from snd_server.settings.config import Configurations
from snd_server.settings.rule_selection import RuleSettings
from support.annotations import parse_annotations
from support.confinement import confined
from support.mdtest import sections
from support.memory import split_files
from support.sampling import sample

FIXTURES = Path(__file__).parents[1] / "fixtures"


def fix(*edits: tuple[int, int, str], title: str = "fix") -> Fix:
    return Fix(title, tuple(TextEdit(Location("x", Span(start, end)), text) for start, end, text in edits))


def test_safe_fixes_are_applied_and_the_rest_reported(snd, project):
    (project / "a.sknd").write_text("wrong odd wrong\n")
    outcome = snd("check", "--fix", "--format", "concise")
    assert (project / "a.sknd").read_text() == "right odd right\n"
    assert outcome.status == 0
    assert outcome.stdout.splitlines() == [
        "a.sknd:1:7: warning[odd] The word `odd` is odd",
        "Fixed 2 problems",
        "Found 1 warning in 1 file (1 with --fix --unsafe-fixes)",
    ]


def test_unsafe_fixes_on_request(snd, project):
    (project / "a.sknd").write_text("wrong odd\n")
    assert "(2 fixable with --fix)" in snd("check", "--unsafe-fixes").stdout
    assert (project / "a.sknd").read_text() == "wrong odd\n"
    snd("check", "--fix", "--unsafe-fixes")
    assert (project / "a.sknd").read_text() == "right \n"


def test_only_selected_rules_are_fixed_and_suppressed_ones_are_not(snd, project):
    (project / "a.sknd").write_text("wrong # snd: ignore[wrong]\nwrong odd\n")
    snd("check", "--fix", "--unsafe-fixes", "--select", "odd")
    assert (project / "a.sknd").read_text() == "wrong # snd: ignore[wrong]\nwrong \n"
    snd("check", "--fix")
    assert (project / "a.sknd").read_text() == "wrong # snd: ignore[wrong]\nright \n"


def test_diff_writes_nothing(snd, project):
    (project / "a.sknd").write_text("one\nwrong")
    (project / "b.sknd").write_text("fine\n")
    outcome = snd("check", "--diff")
    assert outcome.status == 1
    assert outcome.stdout == (
        "--- a.sknd\n+++ a.sknd\n@@ -1,2 +1,2 @@\n one\n-wrong\n\\ No newline at end of file\n"
        "+right\n\\ No newline at end of file\n"
    )
    assert (project / "a.sknd").read_text() == "one\nwrong"
    assert snd("check", "--diff", "--exit-zero").status == 0
    assert snd("check", "--diff", "b.sknd").status == 0


def test_standard_input_is_fixed_to_standard_output(snd, project):
    outcome = snd("check", "--fix", "-", "--stdin-filename", "a.sknd", stdin="wrong é\r\nodd\r\n".encode())
    assert outcome.stdout.replace("\r\n", "\n") == "right é\nodd\n"
    assert "warning[odd]" in outcome.stderr
    assert not (project / "a.sknd").exists()
    assert snd("check", "--diff", "-", stdin=b"wrong\n").stdout.endswith("-wrong\n+right\n")


def test_a_fix_that_breaks_the_syntax_is_dropped(snd, project):
    (project / "a.sknd").write_text("wrong tangle wrong\ntangle wrong\n")
    outcome = snd("check", "--fix", "--format", "concise")
    assert (project / "a.sknd").read_text() == "right tangle right\ntangle right\n"
    assert outcome.status == 1
    assert "Fixed 3 problems" in outcome.stdout


def test_a_file_that_cannot_be_written_is_an_error(snd, project, monkeypatch):
    (project / "a.sknd").write_text("wrong\n")

    def refuse(path: str, before: str, after: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("snd_server.workspace_files.writing.replace_text", refuse)
    outcome = snd("check", "--fix")
    assert outcome.status == 2
    assert "Permission denied" in outcome.stderr


def test_fixes_see_the_files_fixed_before(snd, project):
    (project / "a.sknd").write_text("wrong echo\n")
    (project / "b.sknd").write_text("import a\necho wrong\n")
    outcome = snd("check", "--fix")
    assert "a.sknd:1:7" in outcome.stdout
    assert "right echo" in outcome.stdout


@pytest.mark.parametrize(
    ("fixes", "chosen"),
    [
        ([fix((0, 2, "a")), fix((2, 4, "b"))], 2),
        ([fix((0, 3, "a")), fix((2, 4, "b"))], 1),
        ([fix((0, 2, "a")), fix((2, 2, "b"))], 1),
        ([fix((2, 2, "a")), fix((2, 2, "b"))], 1),
        ([fix((0, 1, "a"), (8, 9, "a")), fix((4, 5, "b")), fix((8, 9, "c"))], 2),
        ([fix()], 0),
    ],
)
def test_overlapping_fixes_are_never_both_applied(fixes, chosen):
    assert len(compatible(fixes)) == chosen


def test_new_lines_end_as_the_others_do():
    assert apply_fixes("a\r\nb\r\n", [fix((1, 1, "\nx"))]) == "a\r\nx\r\nb\r\n"
    assert apply_fixes("a\nb\n", [fix((1, 1, "\r\nx"))]) == "a\nx\nb\n"


def test_fixes_that_undo_each_other_come_to_an_end():
    def diagnose(text: str) -> list[Diagnostic]:
        flip = "b" if text == "a" else "a"
        return [
            Diagnostic(
                Rule("flip", section="tool"), Severity.ERROR, "", Location("x", Span(0, 1)), fix=fix((0, 1, flip))
            )
        ]

    assert fix_text("a", diagnose, lambda found: True).text in "ab"


def replacing(text: str, *replacements: tuple[str, str]):
    """Fixes that replace the first occurrence of a text by another."""
    return [fix((text.index(old), text.index(old) + len(old), new)) for old, new in replacements]


def outcome(text: str, *places: tuple[str, str], severity: Severity = Severity.ERROR):
    """A text, and diagnostics of the named rules where the texts stand."""
    return text, [
        Diagnostic(rule, severity, "", Location("x", Span(text.index(at), text.index(at) + len(at))))
        for rule, at in places
    ]


@pytest.mark.parametrize(
    ("before", "after", "replacements", "allowed"),
    [
        # the problem goes, another on its line stays
        (("a b\n", ("r", "a"), ("s", "b")), ("c b\n", ("s", "b")), [("a", "c")], True),
        # one goes, one of another kind, or the same kind on another line, comes
        (("a b\n", ("r", "a")), ("c b\n", ("s", "b")), [("a", "c")], False),
        (("a\nb\n", ("r", "a")), ("c\nb\n", ("r", "b")), [("a", "c")], False),
        # there was one of the kind on the line, now there are two
        (("a b\n", ("r", "b")), ("c b\n", ("r", "b"), ("r", "c")), [("a", "c")], False),
        # lines are inserted or removed above
        (("a\nb\n", ("r", "a"), ("s", "b")), ("c\nd\nb\n", ("s", "b")), [("a", "c\nd")], True),
        (("a\nb\n", ("r", "a"), ("s", "b")), ("b\n", ("s", "b")), [("a\n", "")], True),
        (("b\n", ("s", "b")), ("a\nb\n", ("s", "b")), [("", "a\n")], True),
        # inside replaced text
        (("(a b)\n", ("r", "(a b)"), ("s", "b")), ("[a b]\n", ("s", "b")), [("(a b)", "[a b]")], True),
    ],
)
def test_nothing_may_be_wrong_that_was_not_wrong_before(before, after, replacements, allowed):
    text = before[0]
    fixes = replacing(text, *replacements)
    assert apply_fixes(text, fixes) == after[0]
    assert adds_none(outcome(*before), outcome(*after), fixes) is allowed
    assert adds_none(outcome(*before), outcome(*after, severity=Severity.HINT), fixes)


def test_a_missing_import_is_added_whatever_it_reveals(real, project):
    """A problem counted as fixable is fixed, though the invocation turns out to be wrong in another way."""
    text = (
        "operator f {\n    @input { x: real[n]; }\n    @output { y: real[n]; }\n"
        "    @compose { y = math.sqrt{power=2}(x); }\n}\n"
    )
    (project / "a.sknd").write_text(text)
    assert "1 fixable with --fix" in real("check", "a.sknd").stdout
    fixed = real("check", "a.sknd", "--fix")
    assert "Fixed 1 problem" in fixed.stdout
    assert "fixable" not in fixed.stdout
    assert (project / "a.sknd").read_text() == f"import math;\n\n{text}"
    assert "unknown-attribute" in fixed.stdout


def test_the_summary_counts_hints_that_it_does_not_show(real, project):
    """Changes by ``--diff`` are mentioned."""
    text = (
        "import math;\n\noperator f {\n    @input { x: real[n]; }\n    @output { y: real[n]; }\n"
        "    @lower { y[i,] = x[i,], i < n; }\n}\n"
    )
    (project / "a.sknd").write_text(text)
    assert "1 file is clean; 1 hint with -v" in real("check", "a.sknd").stdout
    assert "-import math;" in real("check", "a.sknd", "--diff").stdout
    assert "unused-import" in real("check", "a.sknd", "-v").stdout


def test_a_rejected_fix_is_not_counted_afterwards(snd, project):
    (project / "a.sknd").write_text("tangle wrong\n")
    outcome = snd("check", "--fix")
    assert "fixable" not in outcome.stdout
    assert "(1 fix is not applied: other problems would follow)" in outcome.stdout


def test_one_bad_fix_among_many_is_found():
    def diagnose(text: str) -> list[Diagnostic]:
        found = [
            Diagnostic(
                Rule("bad", section="tool"),
                Severity.ERROR,
                "",
                Location("x", Span(at, at + 1)),
                fix=fix((at, at + 1, new)),
            )
            for at, letter in enumerate(text)
            if (new := {"b": "g", "x": "y"}.get(letter))
        ]
        worse = (
            [Diagnostic(Rule("worse", section="tool"), Severity.ERROR, "", Location("x", Span(text.index("y"), 1)))]
            if "y" in text
            else []
        )
        return found + worse

    text = "b\n" * 300 + "x\n" + "b\n" * 300
    assert fix_text(text, diagnose, lambda found: True).text == text.replace("b", "g")


def test_fixes_do_not_undermine_each_other(real, project):
    """The import is not renamed as long as its uses are not, and then removed as unused."""
    text = (
        "import maht;\n\noperator f {\n    @input { x: real[n]; }\n    @output { y: real[n]; }\n"
        "    @compose { y = maht.sqrt(x); }\n}\n"
    )
    (project / "a.sknd").write_text(text)
    real("check", "--fix", "--unsafe-fixes")
    after = (project / "a.sknd").read_text()
    assert after in (text, text.replace("maht", "math"))


def test_unsafe_fixes_alone_change_nothing_and_say_so(snd, project):
    (project / "a.sknd").write_text("odd\n")
    assert "--unsafe-fixes changes nothing" in snd("check", "--unsafe-fixes").stderr
    assert snd("check", "--unsafe-fixes", "--quiet").stderr == ""
    assert snd("check", "--unsafe-fixes", "--diff").stderr == ""


def test_a_diff_of_lines_that_end_in_other_ways():
    assert (
        unified_diff("x", "a\rb\u2028c\n", "a\rB\u2028c\n")
        == "--- x\n+++ x\n@@ -1,2 +1,2 @@\n a\r-b\u2028c\n+B\u2028c\n"
    )


def test_fixes_that_never_help_are_given_up():
    """Each leads to more mistakes than it ends."""
    tried: list[str] = []

    def diagnose(text: str) -> tuple[Diagnostic, ...]:
        tried.append(text)
        rule = Rule("r", section="tool", severity=Severity.ERROR)
        found = [
            Diagnostic(
                rule, Severity.ERROR, "m", Location("x", Span(at, at + 1)), fix=fix((at, at + 1, "yy"), title=str(at))
            )
            for at, character in enumerate(text)
            if character == "x"
        ]
        return (*found, *(Diagnostic(rule, Severity.ERROR, "n", Location("x", Span(0, 0))) for _ in text if _ == "y"))

    fixed = fix_text("x" * 200, diagnose, lambda found: True)
    assert (fixed.text, fixed.is_complete) == ("x" * 200, False)
    assert len(tried) < 40


def test_many_fixes_are_told_apart_in_linear_time():
    text = "x" * 30_000
    fixes = [fix((at, at + 1, "yz"), title=str(at)) for at in range(0, len(text), 2)]
    chosen = compatible([*fixes, *fixes])
    assert chosen == fixes
    rule = Rule("r", section="tool", severity=Severity.ERROR)
    found = [Diagnostic(rule, Severity.ERROR, "m", Location("x", Span(at, at + 1))) for at in range(0, len(text), 2)]
    with confined():
        assert adds_none((text, found), (apply_fixes(text, fixes), ()), fixes)


def test_the_fix_of_a_misaligned_bias_aligns_it(real, project):
    (project / "a.sknd").write_text(
        "import nn, math;\n"
        "graph net {\n"
        "    @input { x: real[1,3,8,8]; }\n"
        "    @variable { filter: real[8,3,3,3]; bias: real[8]; }\n"
        "    @output { y: real[1,8,8,8]; z: real[1,8,8,8]; }\n"
        "    @compose {\n"
        "        h = nn.conv(x, filter);\n"
        "        y = math.add(h, bias);\n"
        "        z = math.sub(bias, h);\n"
        "    }\n"
        "}\n",
    )
    fixed = real("check", "a.sknd", "--fix", "--unsafe-fixes", "--no-cache")
    assert "1 file is clean" in fixed.stdout
    text = (project / "a.sknd").read_text()
    assert "math.add{rhs_align=1}(h, bias)" in text
    assert "math.sub{lhs_align=1}(bias, h)" in text


HIDING = {
    "an int, with a dead operation beside it": (
        "import math;\ngraph g { @input { x: real[2,3]; } @output { y: real[2,3]; }\n"
        "    @compose { t = math.neg(x); y = math.add(x, 1); } }\n",
        "math.add(x, 1.0)",
    ),
    "inputs among the attributes, of a wrong shape": (
        "import nn;\ngraph g { @input { x: real[2,3]; f: real[4,5]; } @output { y: real[2,4]; }\n"
        "    @compose { y = nn.linear{filter=f}(x); } }\n",
        "nn.linear(x, f)",
    ),
    "one value for a list, beyond the rank": (
        "import math;\ngraph g { @input { x: real[2,3]; } @output { y: real[2]; }\n"
        "    @compose { y = math.sum_reduce{axes=7, squeeze=true}(x); } }\n",
        "axes=[7]",
    ),
    "a missing semicolon before a wrong type": (
        "import math;\ngraph g { @input { x: real[2,3]; c: bool[]; } @output { y: real[2,3]; }\n"
        "    @compose {\n        y = math.add(x, c)\n    } }\n",
        "math.add(x, c);",
    ),
}


@pytest.mark.parametrize(("text", "fixed"), HIDING.values(), ids=HIDING)
def test_a_fix_that_is_counted_is_applied_whatever_its_mistake_hid(real, project, text, fixed):
    (project / "a.sknd").write_text(text)
    assert "1 fixable with --fix" in real("check", "a.sknd").stdout
    assert "Fixed 1 problem" in real("check", "a.sknd", "--fix").stdout
    assert fixed in (project / "a.sknd").read_text()
    assert "fixable" not in real("check", "a.sknd").stdout


def test_an_invocation_without_parentheses_is_fixed_in_steps(real, project):
    (project / "a.sknd").write_text(
        "import math;\ngraph g { @input { x: real[2,3]; } @output { y: real[2,3]; }\n"
        "    @compose { y = math.neg{x=x}; } }\n"
    )
    assert "1 with --fix --unsafe-fixes" in real("check", "a.sknd").stdout
    assert "Fixed 2 problems" in real("check", "a.sknd", "--fix", "--unsafe-fixes").stdout
    assert "math.neg(x)" in (project / "a.sknd").read_text()


def test_a_file_with_errors_keeps_its_imports(real, project):
    """``nn`` seems unused only because of the mistake."""
    text = "import nn;\ngraph g { @input { x: real[2]; } @output { y: real[2]; } @compose { y = mn.relu(x); } }\n"
    (project / "main.sknd").write_text(text)
    assert "fixable" not in real("check", "-v", "main.sknd").stdout
    real("check", "--fix", "main.sknd")
    assert (project / "main.sknd").read_text() == text
    (project / "main.sknd").write_text(text.replace("mn.relu(x)", "x"))
    real("check", "--fix", "main.sknd")
    assert "import" not in (project / "main.sknd").read_text()


@pytest.mark.parametrize(
    ("given", "fixed"),
    [
        ("softmax(x, axis=1)", "nn.softmax{axes=[1]}(x)"),
        ("nn.softmax(x, axes=[0, 1])", "nn.softmax{axes=[0, 1]}(x)"),
        ("layer.linear(channels=4)(x)", "layer.linear{channels=4}(x)"),
        ("nn.linear(x, filter=w)", "nn.linear(x, w)"),
        ("nn.linear(filter=w, input=x)", "nn.linear(filter=w, input=x)"),
        ("nn.relu(x, beta=1.0)", "nn.relu(x, beta=1.0)"),
    ],
)
def test_named_arguments_are_attributes_or_inputs_by_the_signature(real, project, given, fixed):
    text = (
        "import layer, nn;\n\ngraph g {\n    @input { x: real[2, 4]; }\n    @variable { w: real[4, 4]; }\n"
        "    @output { y: real[2, 4]; }\n    @compose { y = "
    )
    (project / "main.sknd").write_text(f"{text}{given}; }}\n}}\n")
    real("check", "--fix", "main.sknd")
    assert f"y = {fixed};" in (project / "main.sknd").read_text()


def test_other_commands_announce_what_the_check_announces(real, project):
    """An unused operation that errors hide prevents no fix that only rewrites the statement."""
    body = "u = math.exp(x); y = math.neg(math.abs(math.sqrt(x)));"
    parts = f"@input {{ x: real[2]; }} @output {{ y: real[2]; }} @compose {{ {body} }}"
    text = f"import math;\nimport math;\ngraph main {{ {parts} }}\n"
    (project / "main.sknd").write_text(text)
    announced = "in 1 file (2 with --fix --unsafe-fixes)"
    for command in ("check", "run", "shapes", "export"):
        outcome = real(command, "main.sknd", *(("-o", "m.nnef.tgz") if command == "export" else ()))
        assert announced in outcome.stdout, command
    real("check", "--fix", "main.sknd")
    assert (project / "main.sknd").read_text() == text, "no import goes while there are errors"
    assert "Fixed 3 problems" in real("check", "--fix", "--unsafe-fixes", "main.sknd").stdout
    assert "dead-operation" in real("check", "main.sknd").stdout


def test_a_fix_that_would_be_rejected_is_not_announced(snd, real, project):
    (project / "a.sknd").write_text("tangle wrong odd\n")
    for _ in range(2):  # analysed, and known from the cache
        summary = snd("check").stdout.splitlines()[-1]
        assert "(1 fixable with --fix, 1 more with --fix --unsafe-fixes, 1 fix is not applied: other" in summary
    assert "1 fix is not applied" in snd("check", "--fix").stdout
    assert "fixable" not in snd("check").stdout


INVALID = sorted(path for path in (FIXTURES / "rules").rglob("*.sknd") if not path.name.startswith("good"))


MDTESTS = sorted(path for path in (FIXTURES.parent / "mdtest").rglob("*.md") if "nnef1" not in path.parts)
PROGRAMS = [
    (f"{path.name}:{program.line}", f"{program.frame.before}{program.text}{program.frame.after}")
    for path in MDTESTS
    for section in sections(path)
    for program in section.programs
    if "error[" in program.text or "warning[" in program.text
]


@pytest.mark.parametrize("unsafe", [False, True])
def test_every_announced_fix_is_applied(tmp_path, unsafe):
    """After ``--fix``, the fixes that are left are as many as the check before called declined."""
    checker = Checker(Configurations(None), RuleSettings(), tries_fixes=True)
    fixtures = [(str(path), path.read_bytes().decode()) for path in sample(INVALID, 60)]
    for number, (path, whole) in enumerate([*fixtures, *sample(PROGRAMS, 60)]):
        file = str(tmp_path / f"m{number}.sknd")
        for name, text in split_files(whole).items():
            if name == "main.sknd":
                checker.provide(file, parse_annotations(text)[0].encode())
        announced = checker.check_all([file], iter)
        declined = sum(is_declined(each, unsafe) for each in announced)
        fixed = fix_text(
            checker.source(file).text, partial(checker.analyse, file), lambda each: is_fixable(each, unsafe)
        )
        left = not_held_back(checker.analyse(file, fixed.text))
        known = {(each.rule, each.message) for each in announced}  # a fix may reveal further mistakes
        rejected = [each for each in left if is_fixable(each, unsafe) and (each.rule, each.message) in known]
        assert len(rejected) <= declined, (path, rejected)
