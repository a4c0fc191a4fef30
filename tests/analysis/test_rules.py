"""Every rule is declared, explained and kept by its own examples (invariant 9)."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from snd_analysis import rules
from snd_analysis.base import Diagnostic, Rule
from snd_analysis.rules import catalogue
from snd_analysis.workspace import UnreadableText
from snd_server.checking.fixing import adds_none
from support.annotations import parse_annotations
from support.memory import check, fixed, shown, snapshot_of, split_files
from support.rules import FOUND_ELSEWHERE, checked_rules
from support.sampling import sample
from support.sources import syntax_tree

ROOT = Path(__file__).parents[2]
ANALYSIS = ROOT / "analysis" / "snd_analysis"
SOURCES = {
    path: path.read_text(encoding="utf-8")
    for folder in ("analysis", "runtime", "server")
    for path in sorted((ROOT / folder).rglob("*.py"))
}
RULES = [*catalogue.rules().values()]
NO_TEXT = {"file-too-large", "invalid-encoding", "unreadable-file"}
"""Rules about unread files, which no text shows: tests/server breaks them."""
WITHOUT_EXAMPLE = NO_TEXT | {"nesting-too-deep"}
"""Rules without a text, and one whose example would fill the page."""
SYNTAX = {"syntax-error", "unclosed-bracket", "unclosed-string", "illegal-character", "malformed-number"}


def _ids(rules: list[Rule]) -> list[str]:
    return [rule.name for rule in rules]


EXPLAINED = [rule for rule in RULES if rule.name not in WITHOUT_EXAMPLE | FOUND_ELSEWHERE]


@pytest.mark.parametrize("rule", RULES, ids=_ids(RULES))
def test_page(rule: Rule):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    page = catalogue.page(rule)
    assert page.summary.endswith(".")
    assert page.summary.count(". ") == 0, "one sentence"
    assert len(page.summary) <= 120
    assert len(page.why) > 20
    assert page.why.endswith(".")
    assert re.fullmatch(r"2(\.\d+)*|3(\.\d+)*|LANGUAGE|tool|NNEF 1\.0, \d+(\.\d+)*", rule.section)


@pytest.mark.parametrize("rule", EXPLAINED, ids=_ids(EXPLAINED))
def test_bad_example(rule: Rule):
    """One mistake, reported once."""
    files = split_files(catalogue.page(rule).bad)
    found = check(files)
    assert [item.rule.name for items in found.values() for item in items] == [rule.name], shown(found, files)


@pytest.mark.parametrize("rule", EXPLAINED, ids=_ids(EXPLAINED))
def test_good_example(rule: Rule):
    files = split_files(catalogue.page(rule).good)
    found = check(files)
    assert not any(found.values()), shown(found, files)


PROGRAMS_OF_RULES = ROOT / "tests" / "fixtures" / "rules"
FIXTURES = sorted(path for suffix in ("sknd", "nnef") for path in PROGRAMS_OF_RULES.rglob(f"*.{suffix}"))


def test_every_rule_has_several_fixtures():
    """Bad ones in different forms, and good ones that come near; test_fixtures.py checks what they say."""
    bad: Counter[str] = Counter()
    good: Counter[str] = Counter()
    for path in FIXTURES:
        rule = path.relative_to(PROGRAMS_OF_RULES).parts[0]
        parsed = [parse_annotations(text) for text in split_files(path.read_bytes().decode()).values()]
        cases = sum(expected.rule == rule for _, announced in parsed for expected in announced)
        bad[rule] += cases
        good[rule] += cases == 0
    checked = checked_rules().keys() - NO_TEXT
    assert sorted(rule for rule in checked if bad[rule] < 2) == []
    assert sorted(rule for rule in checked if good[rule] < 1) == []


def _programs() -> list[tuple[str, dict[str, str]]]:
    examples = [(rule.name, split_files(catalogue.page(rule).bad)) for rule in EXPLAINED]
    fixtures = [(path.parent.name, split_files(path.read_bytes().decode())) for path in sample(FIXTURES, 350)]
    plain = [(rule, {name: parse_annotations(text)[0] for name, text in files.items()}) for rule, files in fixtures]
    return examples + plain


PROGRAMS = _programs()


@pytest.mark.parametrize(("rule", "files"), PROGRAMS, ids=[f"{rule}-{at}" for at, (rule, _) in enumerate(PROGRAMS)])
def test_fixes(rule: str, files: dict[str, str]):
    """A safe fix removes its diagnostic and adds none but hints, so that ``--fix`` never leaves it out.

    Any fix leaves text that parses at least as well.
    """
    before = check(files)
    for found in before.values():
        for item in found:
            if item.fix is None:
                continue
            after_files = fixed(files, item)
            after = check(after_files)
            assert _unreadable(after) <= _unreadable(before), f"{item.fix.title}\n{shown(after, after_files)}"
            if item.fix.safe:
                assert _count(after, item.rule.name) < _count(before, item.rule.name), (
                    f"{item.fix.title}\n{after_files}"
                )
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
    return sum(item.rule.name == rule for items in found.values() for item in items)


def _unreadable(found: dict[str, list[Diagnostic]]) -> int:
    return sum(item.rule.name in SYNTAX for items in found.values() for item in items)


FOLDERS = [ANALYSIS / each for each in ("rules", "skriptnd/lints", "nnef1/lints")]
PAGES = sorted(page for folder in FOLDERS for page in folder.glob("*/*.md"))
"""The pages of rules, each in the folder beside the module that declares its rule."""


def _declared(path: Path) -> list[str]:
    """The names of the rules that a file declares."""
    calls = (node for node in ast.walk(syntax_tree(path)) if isinstance(node, ast.Call))
    return [ast.literal_eval(call.args[0]) for call in calls if ast.unparse(call.func) == "Rule"]


def test_a_rule_is_declared_beside_its_page():
    assert sorted(page.stem.replace("_", "-") for page in PAGES) == sorted(catalogue.names())
    for page in PAGES:
        name = page.stem.replace("_", "-")
        assert catalogue.rule(name).name == name
        assert page.read_text(encoding="utf-8").startswith(f"# {name}\n"), page
    for module in {page.parent for page in PAGES}:
        pages = [page.stem.replace("_", "-") for page in PAGES if page.parent == module]
        assert sorted(_declared(module.with_suffix(".py"))) == pages


def test_rules_are_declared_nowhere_else():
    """Rules that only a run can break are declared in one file of the runtime, and in the elaboration of formulas."""
    declaring = {path for path, text in SOURCES.items() if "Rule(" in text and _declared(path)}
    formulas = ANALYSIS / "compose" / "formulas" / "formula.py"
    modules = {page.parent.with_suffix(".py") for page in PAGES}
    assert declaring - modules == {ROOT / "runtime" / "snd_runtime" / "rules.py", formulas}


def test_every_rule_is_referred_to():
    """Type checkers see to it that every rule that is referred to is declared."""
    named = {
        name
        for path, text in SOURCES.items()
        if "rules" in text or "Rule" in text
        for node in ast.walk(syntax_tree(path))
        for name in _constants(node)
    }
    assert [rule for rule in catalogue.names() if rule.upper().replace("-", "_") not in named] == []


def _constants(node: ast.AST) -> list[str]:
    """The name that a node loads; what a module assigns is none."""
    if isinstance(node, ast.Attribute):
        return [node.attr]
    return [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) else []


def test_unreadable_files_are_reported_by_their_rules():
    for rule in map(catalogue.rule, sorted(NO_TEXT)):
        snapshot = snapshot_of({"main.sknd": UnreadableText("not to be read", rule)})
        assert [item.rule for item in snapshot.diagnostics("main.sknd")] == [rule]


def test_what_imports_an_unreadable_file_is_not_judged_by_it():
    main = "import b;\n\ngraph g { @input { x: real[2]; } @output { y: real[2]; } @compose { y = b.f(x); } }\n"
    found = check({"main.sknd": main, "b.sknd": UnreadableText("not to be read", rules.UNREADABLE_FILE)})
    assert found["main.sknd"] == []
