"""All messages side by side, so that a reader can judge them: ``goldens/messages.txt``.

Messages of rules are announced in the fixtures, which other tests compare with the reports. Messages of commands, of
the runtime and of the extension are read from the code that raises or prints them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from support.sources import syntax_tree

ROOT = Path(__file__).parents[2]
_ANNOTATION = re.compile(r"\b(?:error|warning|info|hint)\[([a-z0-9-]+)\]: (.+)")
_VARIABLE = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")
_CALLS = {
    "ArgumentError", "ConfigError", "DrawingError", "MissingExtraError", "MissingPathError", "ShapesError",
    "UnknownOutputError", "UpdateRefusedError", "BadParameter", "ClickException", "UsageError", "say",
}  # fmt: skip
_FAILURES = {"Failure", "failure_at", "InvalidRequest", "EvaluationFailed"}
_PARTS = ("commands", "server", "testing", "views")
_SENTENCE = re.compile(r'(["`])([A-Z][^"`\n]*[.:?}])\1')
_PLACE = re.compile(r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
LONGEST = 160
LONG = {
    "branch-types": "has both types side by side, and why they must agree",
}
"""Rules with longer messages, each with the reason."""


def of_rules() -> dict[str, list[str]]:
    """Return the messages of each rule: of those that differ in names and numbers only, the shortest."""
    found: dict[str, dict[str, str]] = {}
    files = chain.from_iterable((ROOT / "tests" / "fixtures").rglob(f"*.{suffix}") for suffix in ("sknd", "nnef"))
    for path in sorted(files):
        for rule, message in _ANNOTATION.findall(path.read_text(encoding="utf-8", errors="replace")):
            form = _VARIABLE.sub("_", message)
            known = found.setdefault(rule, {})
            known[form] = min(known.get(form, message), message, key=lambda text: (len(text), text))
    return {rule: sorted(found[rule].values()) for rule in sorted(found)}


def of_runtime() -> list[str]:
    """Return what the runtime says of tensors, files and runs that fail: what it raises, and what it returns."""
    found = set()
    for path in sorted((ROOT / "runtime").rglob("*.py")):
        for node in ast.walk(syntax_tree(path)):
            calls = node.exc if isinstance(node, ast.Raise) else node
            if isinstance(calls, ast.Call) and (isinstance(node, ast.Raise) or _name(calls.func) in _FAILURES):
                found.update(text for each in calls.args for text in _texts(each) if " " in text)
            if isinstance(node, ast.Assign) and any(_name(each) == "message" for each in node.targets):
                found.update(_texts(node.value))
    return sorted(found)


def of_extension() -> list[str]:
    """Return the sentences of the extension for VS Code that its users read: messages, notes and prompts."""
    sources = chain.from_iterable((ROOT / "vscode-extension" / "src" / each).rglob("*.ts") for each in _PARTS)
    texts = (path.read_text(encoding="utf-8") for path in sorted(sources))
    found = {_PLACE.sub("{…}", match[2]) for text in texts for match in _SENTENCE.finditer(text)}
    return sorted(text for text in found if text.count(" ") >= 3)


def of_commands() -> list[str]:
    """Return the messages of commands, as they stand in the code."""
    found = set()
    for path in sorted((ROOT / "server").rglob("*.py")):
        for node in ast.walk(syntax_tree(path)):
            if isinstance(node, ast.Call) and node.args and _name(node.func) in _CALLS:
                found.update(_texts(node.args[0]))
    return sorted(found)


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else "{…}" for part in node.values)
        yield "".join(map(str, parts))


def test_all_messages_in_one_file(golden: Callable[[str, str], None]):
    rules = (f"{rule}\n" + "".join(f"    {message}\n" for message in found) for rule, found in of_rules().items())
    parts = {"COMMANDS AND LANGUAGE SERVER": of_commands(), "RUNTIME": of_runtime(), "EXTENSION": of_extension()}
    others = (f"\n{title}\n\n" + "".join(f"{message}\n" for message in found) for title, found in parts.items())
    golden("messages.txt", "RULES\n\n" + "\n".join(rules) + "".join(others))


def test_long_messages_have_a_reason():
    long = {rule: max(map(len, found)) for rule, found in of_rules().items() if max(map(len, found)) > LONGEST}
    assert long.keys() == LONG.keys(), long
    assert max(map(len, chain(of_commands(), of_runtime(), of_extension()))) <= LONGEST
