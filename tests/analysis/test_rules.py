"""Every rule is declared, explained and kept by its own examples (invariant 9)."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from snd_analysis.base.diagnostics import Diagnostic
from snd_analysis.skriptnd.lints.catalogue import catalogue
from snd_analysis.skriptnd.lints.rule import Rule
from snd_analysis.workspace import UnreadableText
from snd_server.fixing import adds_none
from support.annotations import parse_annotations
from support.memory import check, fixed, shown, snapshot_of, split_files

ANALYSIS = Path(__file__).parents[2] / "analysis" / "snd_analysis"
RULES = [*catalogue().values()]
NO_TEXT = {"file-too-large", "invalid-encoding", "unreadable-file"}
"""Rules about files of which nothing is read, which no text shows: tests/server breaks them."""
WITHOUT_EXAMPLE = NO_TEXT | {"nesting-too-deep"}
"""Those, and one whose example would fill the page."""
SYNTAX = {"syntax-error", "unclosed-bracket", "unclosed-string", "illegal-character", "malformed-number"}
_PROBLEM_CALLS = {"Problem", "_problem", "report", "_report", "error", "_error", "add", "diagnose"}


def _ids(rules: list[Rule]) -> list[str]:
    return [rule.name for rule in rules]


EXPLAINED = [rule for rule in RULES if rule.name not in WITHOUT_EXAMPLE]


@pytest.mark.parametrize("rule", RULES, ids=_ids(RULES))
def test_page(rule: Rule):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    assert rule.summary.endswith(".")
    assert rule.summary.count(". ") == 0, "one sentence"
    assert len(rule.summary) <= 120
    assert len(rule.why) > 20
    assert rule.why.endswith(".")
    assert re.fullmatch(r"2(\.\d+)*|3(\.\d+)*|LANGUAGE|tool", rule.section)


@pytest.mark.parametrize("rule", EXPLAINED, ids=_ids(EXPLAINED))
def test_bad_example(rule: Rule):
    """One mistake, reported once."""
    files = split_files(rule.bad)
    found = check(files)
    assert [item.rule for items in found.values() for item in items] == [rule.name], shown(found, files)


@pytest.mark.parametrize("rule", EXPLAINED, ids=_ids(EXPLAINED))
def test_good_example(rule: Rule):
    files = split_files(rule.good)
    found = check(files)
    assert not any(found.values()), shown(found, files)


ROOT = ANALYSIS.parents[1] / "tests" / "fixtures" / "rules"
FIXTURES = sorted(ROOT.rglob("*.sknd"))


def test_every_rule_has_several_fixtures():
    """Bad ones in different forms, and good ones that come near; test_fixtures.py checks what they say."""
    bad: Counter[str] = Counter()
    good: Counter[str] = Counter()
    for path in FIXTURES:
        rule = path.relative_to(ROOT).parts[0]
        parsed = [parse_annotations(text) for text in split_files(path.read_bytes().decode()).values()]
        cases = sum(expected.rule == rule for _, announced in parsed for expected in announced)
        bad[rule] += cases
        good[rule] += cases == 0
    rules = catalogue().keys() - NO_TEXT
    assert sorted(rule for rule in rules if bad[rule] < 2) == []
    assert sorted(rule for rule in rules if good[rule] < 1) == []


def _programs() -> list[tuple[str, dict[str, str]]]:
    examples = [(rule.name, split_files(rule.bad)) for rule in EXPLAINED]
    fixtures = [(path.parent.name, split_files(path.read_bytes().decode())) for path in FIXTURES]
    plain = [(rule, {name: parse_annotations(text)[0] for name, text in files.items()}) for rule, files in fixtures]
    return examples + plain


PROGRAMS = _programs()


@pytest.mark.parametrize(("rule", "files"), PROGRAMS, ids=[f"{rule}-{at}" for at, (rule, _) in enumerate(PROGRAMS)])
def test_fixes(rule: str, files: dict[str, str]):
    """A safe fix takes its diagnostic away and adds none but hints, so that ``--fix`` never leaves it out; any fix
    leaves text that reads at least as well."""
    before = check(files)
    for found in before.values():
        for item in found:
            if item.fix is None:
                continue
            after_files = fixed(files, item)
            after = check(after_files)
            assert _unreadable(after) <= _unreadable(before), f"{item.fix.title}\n{shown(after, after_files)}"
            if item.fix.safe:
                assert _count(after, item.rule) < _count(before, item.rule), f"{item.fix.title}\n{after_files}"
                for path, text in files.items():
                    fixes = [item.fix] if path == item.location.path else []
                    assert adds_none((text, before[path]), (after_files[path], after[path]), fixes), (
                        f"{item.fix.title}\n{shown(after, after_files)}"
                    )


def test_the_colon_of_an_attribute_is_repaired():
    text = (
        "import math;\ngraph net {\n    @input { x: real[2,3]; }\n    @output { y: real[1,3]; }\n"
        "    @compose { y = math.sum_reduce{axes : [0]}(x); }\n}\n"
    )
    (item,) = check({"main.sknd": text})["main.sknd"]
    assert item.fix is not None
    assert item.fix.safe
    after = fixed({"main.sknd": text}, item)
    assert "{axes=[0]}" in after["main.sknd"]
    assert check(after) == {"main.sknd": []}


def _count(found: dict[str, list[Diagnostic]], rule: str) -> int:
    return sum(item.rule == rule for items in found.values() for item in items)


def _unreadable(found: dict[str, list[Diagnostic]]) -> int:
    return sum(item.rule in SYNTAX for items in found.values() for item in items)


def test_rules_are_declared_once():
    declared = [
        node.value.value
        for path in (ANALYSIS / "skriptnd" / "lints").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.keyword) and node.arg == "name" and isinstance(node.value, ast.Constant)
    ]
    assert sorted(declared) == sorted(catalogue())


def test_every_reported_rule_is_declared():
    """Names of rules stand in the source as literals: as the first argument where a problem is made, or assigned."""
    unknown = {
        f"{path.relative_to(ANALYSIS)}:{line}: {name}"
        for path in ANALYSIS.rglob("*.py")
        for line, name in _reported(ast.parse(path.read_text(encoding="utf-8")))
        if name not in catalogue()
    }
    assert not unknown


def _reported(tree: ast.Module) -> list[tuple[int, str]]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in _PROBLEM_CALLS:
            literals = [item for argument in node.args for item in ast.walk(argument)]
            found += [(item.lineno, item.value) for item in literals if _is_rule_like(item)]
        elif isinstance(node, ast.Assign) and any("rule" in ast.unparse(target) for target in node.targets):
            found += [(item.lineno, item.value) for item in ast.walk(node.value) if _is_rule_like(item)]
    return found


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _is_rule_like(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.fullmatch(r"[a-z]+(-[a-z]+)+", node.value) is not None
    )


def test_every_declared_rule_is_reported_somewhere():
    named: set[str] = set()
    for path in ANALYSIS.rglob("*.py"):
        declarations = {"name"} if path.parent.name == "lints" else set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg in declarations:
                continue
            named.update(item.value for item in ast.iter_child_nodes(node) if _is_rule_like(item))
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                named.add(node.id.lower().replace("_", "-"))
    assert sorted(catalogue().keys() - named - NO_TEXT) == []


def test_unreadable_files_are_reported_by_their_rules():
    for rule in sorted(NO_TEXT):
        snapshot = snapshot_of({"main.sknd": UnreadableText("not to be read", rule)})
        assert [item.rule for item in snapshot.diagnostics("main.sknd")] == [rule]


def test_what_imports_an_unreadable_file_is_not_judged_by_it():
    main = "import b;\n\ngraph g { @input { x: real[2]; } @output { y: real[2]; } @compose { y = b.f(x); } }\n"
    found = check({"main.sknd": main, "b.sknd": UnreadableText("not to be read", "unreadable-file")})
    assert found["main.sknd"] == []
