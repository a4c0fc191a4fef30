"""The table of CONTRIBUTING.md: its files and tests exist, and its steps lead to a working change."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## I want to add …")[2].partition("\n## ")[0]
ROWS = {
    cells[0]: cells[1:]
    for line in TABLE.splitlines()
    if line.startswith("| a") and len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 4
}
SPELLED = re.compile(r"`([^`]+)`")

RULE = '''SHOUTED_NAME = Rule("shouted-name", section="tool", severity=Severity.WARNING)


@check_of(SyntaxTree)
def _shouted_name(tree: SyntaxTree) -> Iterator[Problem]:
    """Report every definition whose name is in capitals."""
    for start, definition in tree.definitions:
        if len(definition.name.text) > 3 and definition.name.text.isupper():
            yield Problem(SHOUTED_NAME, definition.name.span.shifted(start), "this name is in capitals")


'''
GRAPH = """graph NAME {
    @input { x: real[4]; }
    @output { y: real[4]; }
    @compose { y = math.exp(x); }
}
"""
PAGE = (
    "# shouted-name\n\nThe name of a definition is in capitals.\n\n"
    "Names in capitals are hard to read in a long text.\n\n"
    f"## Reported\n\n```sknd\nimport math;\n\n{GRAPH.replace('NAME', 'LENET')}```\n\n"
    f"## Not reported\n\n```sknd\nimport math;\n\n{GRAPH.replace('NAME', 'lenet')}```\n"
)
BROKEN = "import math;\n\n" + GRAPH.replace("{\n", "{\n#     ^ warning[shouted-name]\n", 1)
LINTS = "analysis/snd_analysis/skriptnd/lints/documents"


def test_there_is_a_row_for_each_kind_of_change():
    assert [*ROWS] == [
        "a lint rule", "a message", "a library operator", "an ONNX operator", "an NNEF 1.0 operation", "a code action",
        "a hover section", "a CLI option", "an output format",
    ]  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_the_files_and_tests_of_a_row_exist(row: str):
    files, test, command = ROWS[row]
    named = [*SPELLED.findall(files), *SPELLED.findall(test)]
    paths = [each for each in named if "/" in each]
    assert paths
    assert [each for each in paths if not (ROOT / each).exists()] == []
    words = shlex.split(SPELLED.findall(command)[0])
    assert words[0] in ("pytest", "snd")
    assert [word for word in words if "/" in word and not (ROOT / word).exists()] == []


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """A copy of what a change touches and its tests read."""
    copy = tmp_path / "snd"
    files = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    for name in filter(None, files):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    return copy


def run(scratch: Path, command: str, *more: str) -> subprocess.CompletedProcess[str]:
    words = shlex.split(command)
    paths = [str(scratch / each) for each in ("analysis", "runtime", "server", "tests")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    arguments = [sys.executable, "-m", *words, "-x", "-p", "no:cacheprovider", *more]
    return subprocess.run(arguments, cwd=scratch, env=environment, capture_output=True, text=True, check=False)


def insert(path: Path, before: str, text: str) -> None:
    content = path.read_text(encoding="utf-8")
    assert before in content, f"{path} has no {before!r}"
    path.write_text(content.replace(before, text + before, 1), encoding="utf-8")


@pytest.mark.exhaustive
def test_a_lint_rule_is_added_by_its_row(scratch: Path):
    """Its module, its page and its fixtures; other files are generated."""
    folder = scratch / LINTS
    (folder / "shouted_name.md").write_text(PAGE, encoding="utf-8")
    insert(folder.with_suffix(".py"), "@check_of(Module)\n", RULE)
    programs = scratch / "tests/fixtures/rules/shouted-name"
    programs.mkdir()
    for name, word in (("one", "LENET"), ("other", "VGG_16")):
        text = BROKEN.replace("NAME", word).replace("^", "^" * len(word))
        (programs / f"{name}.sknd").write_text(text, encoding="utf-8")
    (programs / "good.sknd").write_text("import math;\n\n" + GRAPH.replace("NAME", "LeNet"), encoding="utf-8")
    command = SPELLED.findall(ROWS["a lint rule"][2])[0].replace("duplicate-version", "shouted-name")
    run(scratch, command, "--update-goldens")
    done = run(scratch, command)
    assert done.returncode == 0, done.stdout[-3_000:]


@pytest.mark.exhaustive
def test_an_onnx_operator_is_demanded_to_have_a_case(scratch: Path):
    """A new translation without a test fails the command of its row."""
    path = scratch / "server/snd_server/exchange/onnx_import/operations/bits.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace('@translation("BitwiseNot")', '@translation("BitwiseNot", "Complement")'), encoding="utf-8"
    )
    found = run(scratch, SPELLED.findall(ROWS["an ONNX operator"][2])[0])
    assert "FAILED tests/runtime/test_onnx.py::test_every_translation_has_a_case" in found.stdout


@pytest.mark.exhaustive
def test_a_code_action_is_demanded_to_have_an_example(scratch: Path):
    folder = scratch / "analysis/snd_analysis/ide/actions"
    insert(folder / "__init__.py", "    yield from suppress(request)\n", "    yield from _nothing(request)\n")
    with (folder / "__init__.py").open("a", encoding="utf-8") as file:
        file.write("\n\ndef _nothing(request: Request) -> Iterator[Action]:\n    yield from ()\n")
    found = run(scratch, SPELLED.findall(ROWS["a code action"][2])[0])
    assert "FAILED tests/analysis/ide/test_actions.py::test_every_kind_of_action_has_an_example" in found.stdout
