"""The pages of the libraries of formats, and how they are verified: `make docs` writes them.

tests/runtime/test_format_pages.py keeps them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from support.formats import names

ROOT = Path(__file__).parents[3]
_SIGNATURE = re.compile(r"(\S+) (\w+)\((.*?)\)(.*)->(.*)")
_DEFINITION = re.compile(r"((?:^#[^\n]*\n)*)^operator (\w+) \{\n", re.MULTILINE)
_TEXTS = {"tosa": names.TOSA, "cvm": names.CVM, "tennis": names.TENNIS}


_VERIFIED = "## How it is verified\n"
EVIDENCE = "formats.md"


def page(module: str) -> str:
    """Return the page of a library: its operators, and their sections in the text."""
    documented = _documented(module)
    rows = [f"| `{module}.{name}` | {section} | {_summary(documented[name])} |" for name, section in _operators(module)]
    table = ["| operator | section | what it does |", "|---|---|---|", *rows]
    decisions = [*_decisions(documented)]
    parts = [_head(module)[0], f"## Operators\n\n{chr(10).join(table)}\n"]
    if decisions:
        parts.append("## Decisions\n\n" + "\n".join(decisions) + "\n")
    return "\n".join(parts)


def evidence() -> str:
    """Return the page that says how the operators of all formats are verified."""
    titles = {"tosa": "TOSA", "cvm": "CVM", "tennis": "TenniS"}
    parts = [
        "# TOSA, CVM and TenniS\n\nThis page says how each operator of these formats is verified. Their pages "
        "([TOSA](tosa.md), [CVM](cvm.md), [TenniS](tennis.md)) say how to use them.\n"
    ]
    for module in _TEXTS:
        rows = "\n".join(f"| `{module}.{name}` | {_against(module, name)} |" for name, _ in _operators(module))
        parts.append(f"## {titles[module]}\n\n{_head(module)[1]}\n| operator | verified |\n|---|---|\n{rows}\n")
    return "\n".join(parts)


def _head(module: str) -> tuple[str, str]:
    """Return the introduction of a page, and the text about the references of its operators."""
    text = Path(__file__).with_name("heads").joinpath(f"{module}.md").read_text(encoding="utf-8")
    introduction, _, verified = text.partition(_VERIFIED)
    return introduction.rstrip() + "\n", verified.lstrip("\n")


def _documented(module: str) -> dict[str, str]:
    library = ROOT / "analysis" / "snd_analysis" / "libraries" / module / f"{module}.sknd"
    return {name: comment for comment, name in _DEFINITION.findall(library.read_text(encoding="utf-8"))}


def _operators(module: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each operator, and its section with the name in the text."""
    documented = _documented(module)
    for section, written, *_ in _SIGNATURE.findall(_TEXTS[module]):
        name = written.lower() if module == "tosa" else written.lstrip("_")
        yield (name if name in documented else f"{name}_"), f"{section} {written}"


def _against(module: str, name: str) -> str:
    bits, near = (_compared(each) if module == "tosa" else set() for each in ("MAKERS", "NEAR"))
    against = "NumPy, bits" if name in bits else "NumPy, near" if name in near else "NumPy"
    samples = _documented(module)[name].count("# >>> ")
    return f"{against}, {samples} samples"


@cache
def _compared(table: str) -> set[str]:
    """Return the operators of a table of the comparison with the reference model."""
    tree = ast.parse((ROOT / "tests" / "runtime" / "test_tosa_reference.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == table and isinstance(node.value, ast.Dict):
            return {key.value for key in node.value.keys if isinstance(key, ast.Constant)}
    raise KeyError(table)


def _paragraphs(comment: str) -> list[str]:
    lines = [line.removeprefix("#").strip() for line in comment.splitlines()]
    return [" ".join(part.split()) for part in "\n".join(lines).split("\n\n")]


def _summary(comment: str) -> str:
    first = _paragraphs(comment)[0]
    return re.split(r"(?<=[.;])\s", first)[0].rstrip(".;").replace("|", "\\|")


def _decisions(documented: dict[str, str]) -> Iterator[str]:
    """Yield the statements of an operator's documentation about its text, and its assumptions."""
    for name, comment in documented.items():
        for part in _paragraphs(comment):
            says = "Assumption" in part or re.search(r"\b[Tt]he text\b", part)
            if says and not part.startswith((">>>", "- ")) and not name.startswith("_"):
                yield f"- `{name}`: {part}"


def main() -> None:
    """Write all pages."""
    for module in _TEXTS:
        (ROOT / "docs" / f"{module}.md").write_text(page(module), encoding="utf-8")
    (ROOT / "docs" / EVIDENCE).write_text(evidence(), encoding="utf-8")


if __name__ == "__main__":
    main()
